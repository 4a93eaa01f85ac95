// SPDX-License-Identifier: Apache-2.0
//
// What a normalisation of real numbers is of bytes, in 32 bits. How far a byte
// is from the mean, times how many there are, is a whole number; so is the sum
// of squares but for one term, which is rounded. Its inverse root comes from a
// table and one of Newton's steps, to 2^-19.
#include "compiler/Fusion/IntegerTerms.h"

#include <cmath>

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

/// No sum of squares is larger.
static constexpr int sumBits = 30;
/// Nor is what is far from the mean, in units of the deviation.
static constexpr int distanceBits = 27;
/// The inverse root of x from 2^29 to 2^31 has 30 bits: it is 2^44.5 / sqrt(x).
static constexpr double rootBits = 44.5;
/// By how many bits of x, from 2^8 to 2^10, the table is looked up.
static constexpr int tableShift = 21;
static constexpr int64_t firstEntry = 256, endEntry = 1024;
/// Pairs of bits by which a sum of squares is moved up to its 31.
static constexpr int mostPairs = 15;

namespace {

/// A normalisation of bytes and the numbers that it takes.
struct ByteNorm {
  QuantizedBytes data;
  SmallVector<int64_t> shape; // with a dimension for the groups, if any
  bool isCentered;
  SmallVector<int64_t> axes;
  int64_t count;  // of numbers that have a mean
  int bits;       // behind the point of sums of squares
  double epsilon; // in their unit
  int shift;      // of distances, down

  /// The number that an emitted distance stands for.
  double unit() const {
    auto all = static_cast<double>(count);
    double deviation = isCentered ? 1 / std::sqrt(all) : std::sqrt(all);
    return deviation * std::exp2(bits / 2.0 + shift - rootBits);
  }
};

/// Emits steps of i32.
struct Steps {
  Emitter &emit;

  Value number(double value) const { return emit.constant(Numbers::of(value)); }
  Value two(npu_instr_kind kind, Value a, Value b) const {
    return emit.step(kind, {a, b});
  }
  Value times(Value a, double by) const {
    return by == 1 ? a : two(NPU_INSTR_mul, a, number(by));
  }
  /// a * b >> shift
  Value product(Value a, Value b, int shift) const {
    return emit.step(NPU_INSTR_mul_shift, {a, b, number(shift)});
  }
};

/// 2^pairs * number / 2^44.5
struct InverseRoot {
  Value number, pairs;
};

} // namespace

static std::optional<ByteNorm> byteNormOf(TensornormOp op, int depth) {
  std::optional<QuantizedBytes> data = quantizedBytesOf(op.getInput(), depth);
  if (!data)
    return std::nullopt;
  SmallVector<int64_t> shape(shapeOf(data->bytes)), axes = toInts(op.getAxes());
  auto groups = static_cast<int64_t>(op.getGroups());
  if (groups > 1) { // parts of the first of the axes
    int64_t cut = axes.front();
    shape[static_cast<size_t>(cut)] /= groups;
    shape.insert(shape.begin() + cut, groups);
    for (int64_t &axis : axes)
      axis += axis >= cut ? 1 : 0;
  }
  ByteNorm norm = {*data, shape, op.getCentered(), axes, 1, 0, 0, 0};
  for (int64_t axis : norm.axes)
    norm.count *= shape[static_cast<size_t>(axis)];
  auto count = static_cast<double>(norm.count);
  double epsilon =
      op.getEpsilon().convertToDouble() / data->scale / data->scale * count;
  constexpr double largestSquare = 255.0 * 255.0;
  double most = count * largestSquare + epsilon;
  if (!(most >= 1) || !(most < std::exp2(sumBits)) || !(epsilon >= 0))
    return std::nullopt;
  norm.bits = sumBits - static_cast<int>(std::ceil(std::log2(most)));
  norm.epsilon = std::nearbyint(std::ldexp(epsilon, norm.bits));
  double farthest = (norm.isCentered ? std::log2(count) : 0) - norm.bits / 2.0;
  norm.shift =
      std::max(mostPairs,
               static_cast<int>(std::ceil(farthest + rootBits - distanceBits)));
  return norm;
}

/// Of sums of squares from 1 to 2^31 - 1.
static InverseRoot inverseRoot(const Steps &make, Value sum) {
  Emitter &emit = make.emit;
  Value zeros = emit.step(NPU_INSTR_clz, {sum});
  Value pairs =
      make.two(NPU_INSTR_shift_right,
               make.two(NPU_INSTR_sub, zeros, make.number(1)), make.number(1));
  Value x = make.two(NPU_INSTR_shift_left, sum, make.times(pairs, 2));
  Numbers table;
  table.shape = {endEntry - firstEntry};
  for (int64_t i = firstEntry; i < endEntry; ++i) {
    double middle = std::ldexp(static_cast<double>(i) + 0.5, tableShift);
    table.values.push_back(
        std::nearbyint(std::exp2(rootBits) / std::sqrt(middle)));
  }
  Value index =
      make.two(NPU_INSTR_sub,
               make.two(NPU_INSTR_shift_right, x, make.number(tableShift)),
               make.number(firstEntry));
  Value root = emit.lookUp(emit.constant(table), index);
  // root * (3 - x * root^2) / 2, where x * root^2 is 1 but for the table.
  constexpr int bits = 30;
  Value one = make.product(x, make.product(root, root, bits), bits);
  Value step = make.two(NPU_INSTR_sub, one, make.number(3 * 0x1p29));
  step = emit.step(NPU_INSTR_neg, {step});
  return {make.product(root, step, bits), pairs};
}

/// The distances of bytes from their mean, by the deviation.
static Value emitDistances(Emitter &emit, const ByteNorm &norm) {
  Steps make{emit};
  auto count = static_cast<double>(norm.count);
  double unit = std::ldexp(1.0, norm.bits);
  auto sumOf = [&](Value value) {
    return emit.reduced(value, ReduceKind::Sum, norm.axes);
  };
  QuantizedBytes data = norm.data;
  data.bytes =
      *makeReshape(emit.rewriter, emit.location, data.bytes, norm.shape);
  Value bytes = centred(emit, data), left;
  if (norm.isCentered) {
    // The mean in whole numbers comes off first: what is left of the sum is
    // half the count at most, and its square no large part of the squares.
    Value sum = sumOf(bytes);
    Value mean = emit.scale(sum, Numbers::of(1 / count));
    bytes = make.two(NPU_INSTR_sub, bytes, mean);
    left = make.two(NPU_INSTR_sub, sum, make.times(mean, count));
  }
  Value squares =
      make.times(sumOf(make.two(NPU_INSTR_mul, bytes, bytes)), unit);
  if (norm.isCentered) {
    Value square = make.two(NPU_INSTR_mul, left, left);
    squares = make.two(NPU_INSTR_sub, squares,
                       emit.scale(square, Numbers::of(unit / count)));
    bytes = make.two(NPU_INSTR_sub, make.times(bytes, count), left);
  }
  if (norm.epsilon != 0)
    squares = make.two(NPU_INSTR_add, squares, make.number(norm.epsilon));
  squares = make.two(NPU_INSTR_max, squares, make.number(1));
  InverseRoot root = inverseRoot(make, squares);
  Value shift = make.two(NPU_INSTR_sub, root.pairs, make.number(norm.shift));
  shift = emit.step(NPU_INSTR_neg, {shift});
  Value result = emit.step(NPU_INSTR_mul_shift, {bytes, root.number, shift});
  return *makeReshape(emit.rewriter, emit.location, result,
                      shapeOf(norm.data.bytes));
}

std::optional<Affine> integers::ofNorm(TensornormOp op, int depth) {
  std::optional<ByteNorm> norm = byteNormOf(op, depth);
  std::optional<Numbers> scale = numbersOf(op.getScale());
  std::optional<Numbers> bias =
      op.getBias() ? numbersOf(op.getBias()) : Numbers::of(0);
  if (!norm || !scale || !bias)
    return std::nullopt;
  for (double &number : scale->values)
    number *= norm->unit();
  Affine affine = madeTerm(op.getResult(), *scale, [norm](Emitter &emit) {
    return emitDistances(emit, *norm);
  });
  affine.offset = *bias;
  return affine;
}
