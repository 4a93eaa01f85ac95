// SPDX-License-Identifier: Apache-2.0
//
// Fused instructions on integers of at most 32 bits, for speed: rows of them
// stay in the nearest cache from the first instruction to the last. To the bit
// what the interpreter computes in 64.
#ifndef NPU_KERNELS_SUPPORT_INTEGER_STEPS_H
#define NPU_KERNELS_SUPPORT_INTEGER_STEPS_H

#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/support/float_scale.h"
#include "kernels/support/pair_scale.h"

#include <utility>

namespace npu::kernels {

class IntegerSteps {
public:
  /// Empty if the problem's instructions are such, else why they are not:
  /// operands are one number, one for each index of one dimension, or stored
  /// like the output.
  static std::string refusal(const Problem &problem);

  /// Of a problem that is not refused.
  explicit IntegerSteps(const Problem &problem);

  /// What depends on constants; `data` has those. May be called again.
  void pack(const void *const *data);
  bool isPacked() const;

  /// The whole chain as clip((sum + offset) * scale), rounded: floats that give
  /// the same bytes, of one channel or of all.
  struct Floats {
    std::vector<float> scales, offsets;
    ScaleEnd end; // what is added lies before the bounds
    /// Results that are not known to be right: those of this number.
    struct Unsure {
      int64_t channel;
      MulShift step;
      int32_t number;
    };
    std::vector<Unsure> unsure;
  };
  /// Of packed constants, and sums that lack these biases of the channels
  /// (empty: they lack none). Nothing where no such floats are known.
  std::optional<Floats> floats(const std::vector<int32_t> &biases) const;
  /// The channels' dimension in the output; -1: none is known.
  int channelDimension() const { return dimension; }

  /// For one thread.
  size_t scratchBytes() const;

  /// Parts of the output begin at multiples of this many elements.
  int64_t granule() const { return lanes; }

  /// Stores the elements `range` of the output, counted in stored order.
  /// `sums` are those of the kernel proper from the first of them on, `data`
  /// its inputs. An input may share the output's memory.
  void run(const void *const *data, const int32_t *sums, void *output,
           void *scratch, Range range) const;

private:
  struct Operand {
    int32_t dtype;
    bool isConstant;
    bool hasRow = false; // of its numbers: more than a scaling's constants
    enum Kind { Unused, Single, Channel, Full } kind = Unused;
  };
  /// Instructions that are done at once: one, or a scaling with what follows.
  struct Step {
    size_t first, last;
    std::vector<ScaleGroup> scales; // of each row start, `period` for each
    /// Of a scaling of small numbers by one factor alone.
    std::optional<SmallScale> small;
    /// Of a scaling that gives numbers of a byte: the same in floats.
    std::optional<ScaleEnd> end;
    std::vector<MulShift> channels;
    std::vector<FloatGroup> floats; // beside `scales`
    bool isSplit = false;           // some have two offsets
  };
  /// What follows the byte that a step makes, as a function of that and of one
  /// operand.
  struct Pairs {
    size_t step, operand;
    PairScale scale;
  };
  /// A run of elements, and which of the starts of rows it has.
  struct Run {
    int64_t count, start;
  };

  void findView(const Problem &problem);
  bool isScaling(const npu_instr &instr) const;
  bool follows(const Step &step, size_t next, int64_t &low,
               int64_t &high) const;
  ScaleEnd endOf(const Step &step, const int32_t *const *rows) const;
  void packScale(Step &step, const void *const *data) const;
  std::optional<ScaleEnd> endOfBytes(const Step &step,
                                     const void *const *data) const;
  std::pair<int64_t, int64_t> boundsOf(int16_t value,
                                       const void *const *data) const;
  void packPairs(const void *const *data);
  int pairedOperand(size_t next, size_t first, const void *const *data) const;
  std::optional<PairScale> guessPairs(size_t next, size_t first, int paired,
                                      const void *const *data) const;
  PairTable tableOfPairs(size_t next, size_t first, int paired,
                         const ScaleEnd &bounds, const void *const *data) const;
  bool storesBytes() const;
  void scale(const Step &step, const ScaleEnd &end, int64_t start,
             const int32_t *a, int32_t *out, int n) const;
  Run runAt(int64_t element, int64_t end) const;
  int64_t channelOf(int64_t start) const;
  void fillChannels(const void *const *data, int64_t start,
                    int32_t *rows) const;

  std::vector<Operand> operands;
  std::vector<npu_instr> instrs;
  std::vector<Step> steps;
  std::optional<Pairs> pairs;
  int32_t outputType;
  /// The output's stored elements as [outer, blocks, inner, lanes], where
  /// channel = block * lanes + lane. A row is some pixels of one block, or a
  /// part of one with many lanes.
  int dimension = -1;
  int64_t channels = 1, blocks = 1, inner = 1, lanes = 1, rowElements,
          rowsOfPixel;
  int period; // of a row's groups of channels
};

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_INTEGER_STEPS_H
