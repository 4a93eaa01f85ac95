// SPDX-License-Identifier: Apache-2.0
//
// Functions of 16 bits as tables of 65,536 numbers, and gemmlowp's fixed-point
// numbers of 16 bits, in which LiteRT's LSTM computes them.
#ifndef NPU_COMPILER_FRONTEND_TFLITE_TFLITESHORT_H
#define NPU_COMPILER_FRONTEND_TFLITE_TFLITESHORT_H

#include "compiler/Frontend/TFLite/TfliteNode.h"

namespace npu {

/// The function of every number of 16 bits, as i16; what is out of range goes
/// to the nearest end.
Value tfliteShortTable(TfliteNode &node,
                       function_ref<int32_t(int32_t)> function);
/// Entries of such a table for the numbers of an i16 value.
Value tfliteShortLookUp(TfliteNode &node, Value table, Value value);

/// LiteRT's table of a function of 16 bits: 512 places from `low` to `high`,
/// between which it interpolates; results in units of 1 / `unit`. Its numbers
/// are those that `Real` gives, float or double.
template <typename Real>
class TfliteCurve {
public:
  TfliteCurve(Real low, Real high, Real unit,
              function_ref<Real(Real)> function);

  /// Of a number from -32768 to 32767.
  int32_t at(int32_t x) const {
    int32_t place = (x >> 7) + 256;
    int32_t slope = entries[place + 1] - entries[place];
    return entries[place] + ((slope * (x & 127) + 64) >> 7);
  }
  Value at(TfliteNode &node, Value x) const;

private:
  std::vector<int32_t> entries;
};

/// Numbers of 16 bits in units of 1 / (3 * 4096), as LiteRT's tables are asked.
class TfliteThirds {
public:
  explicit TfliteThirds(double scale);
  int64_t of(int32_t x) const;

private:
  int64_t multiplier = 0;
  int shift = 0;
};
/// LiteRT's operators LOGISTIC and TANH of these, in units of 2^-15.
int32_t tfliteShortSigmoid(int64_t thirds);
int32_t tfliteShortTanh(int64_t thirds);

/// 1 / (1 + exp(-x)) and tanh(x) in units of 2^-15; `x` is of 16 bits, of which
/// `integerBits` are before the point beside the sign, 0 to 6.
int32_t fixedSigmoid(int32_t x, int integerBits);
int32_t fixedTanh(int32_t x, int integerBits);

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_TFLITE_TFLITESHORT_H
