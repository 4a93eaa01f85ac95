// SPDX-License-Identifier: Apache-2.0
//
// npu-requantize-integers: for chips without floats, what lies between integers
// and the quantized number that they become is computed in integers.
//
// It ends: each rewrite replaces one conversion of floats to bytes, and makes
// none.
#include "compiler/Fusion/Integers.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/TargetOption.h"

#include <cmath>
#include <limits>

using namespace npu;
using namespace npu::rewrites;
using namespace npu::integers;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

namespace npu {
#define GEN_PASS_DEF_REQUANTIZEINTEGERS
#include "compiler/Fusion/Passes.h.inc"
} // namespace npu

/// Bits that several scaled numbers take with those behind the point.
static constexpr int sumBits = 28;
/// A sum beyond so many steps is beyond all bytes, whatever is added to it.
static constexpr double mostSteps = 1024;
/// Steps of the result by which an offset in whole units of a sum may be off.
static constexpr double offsetTolerance = 0x1p-8;
/// Of sums that an offset is added to: those beyond `largestSum` are beyond all
/// bytes.
static constexpr double leastScale = 0x1p-20, largestSum = 0x1p30;
static constexpr size_t mostTerms = 3;
static constexpr int leastFractionBits = 8;

/// Each of two; nothing where both have shapes of their own.
template <typename Function>
static std::optional<Numbers> combine(const Numbers &a, const Numbers &b,
                                      Function function) {
  if (!a.isOne() && !b.isOne() && a.shape != b.shape)
    return std::nullopt;
  Numbers result = a.isOne() ? b : a;
  for (size_t i = 0; i < result.values.size(); ++i)
    result.values[i] = function(a.at(i), b.at(i));
  return result;
}

static std::optional<Numbers> numbersOf(Value value) {
  std::optional<std::vector<float>> floats = floatsOf(value);
  if (!floats || floats->empty())
    return std::nullopt;
  Numbers numbers;
  if (std::optional<float> one = scalarOf(value))
    return Numbers::of(*one);
  llvm::append_range(numbers.shape, shapeOf(value));
  numbers.values.assign(floats->begin(), floats->end());
  return numbers;
}

static std::optional<Affine> scaled(std::optional<Affine> value,
                                    const Numbers &by) {
  if (!value || (value->isBounded() && (!by.isOne() || by.at(0) <= 0)))
    return std::nullopt;
  auto times = [](double a, double b) { return a * b; };
  for (Affine::Term &term : value->terms) {
    std::optional<Numbers> scale = combine(term.scale, by, times);
    if (!scale)
      return std::nullopt;
    term.scale = *scale;
  }
  std::optional<Numbers> offset = combine(value->offset, by, times);
  if (!offset)
    return std::nullopt;
  value->offset = *offset;
  if (value->isBounded()) {
    value->low *= by.at(0);
    value->high *= by.at(0);
  }
  return value;
}

static std::optional<Affine> shifted(std::optional<Affine> value,
                                     const Numbers &by) {
  if (!value || (value->isBounded() && !by.isOne()))
    return std::nullopt;
  std::optional<Numbers> offset =
      combine(value->offset, by, [](double a, double b) { return a + b; });
  if (!offset)
    return std::nullopt;
  value->offset = *offset;
  if (value->isBounded()) {
    value->low += by.at(0);
    value->high += by.at(0);
  }
  return value;
}

static std::optional<Affine> bounded(std::optional<Affine> value, double low,
                                     double high) {
  if (!value)
    return std::nullopt;
  value->low = std::min(std::max(value->low, low), high);
  value->high = std::min(std::max(value->high, low), high);
  return value;
}

static std::optional<Affine> sum(std::optional<Affine> a,
                                 std::optional<Affine> b) {
  if (!a || !b || a->isBounded() || b->isBounded() ||
      a->terms.size() + b->terms.size() > mostTerms)
    return std::nullopt;
  llvm::append_range(a->terms, b->terms);
  return shifted(a, b->offset);
}

static std::optional<Affine> affineOf(Value value, int depth);

/// A step with a constant, or of two.
static std::optional<Affine> affineOfPair(EltwiseOp op, int depth) {
  std::optional<Numbers> first = numbersOf(op.getInputs()[0]),
                         second = numbersOf(op.getInputs()[1]);
  auto operand = [&](unsigned i) {
    return affineOf(op.getInputs()[i], depth - 1);
  };
  auto changed = [](Numbers numbers, auto function) {
    for (double &number : numbers.values)
      number = function(number);
    return numbers;
  };
  auto negative = [](double x) { return -x; };
  switch (op.getKind()) {
  case NPU_INSTR_mul:
    return second  ? scaled(operand(0), *second)
           : first ? scaled(operand(1), *first)
                   : std::nullopt;
  case NPU_INSTR_div:
    return second ? scaled(operand(0),
                           changed(*second, [](double x) { return 1 / x; }))
                  : std::nullopt;
  case NPU_INSTR_add:
    return second  ? shifted(operand(0), *second)
           : first ? shifted(operand(1), *first)
                   : sum(operand(0), operand(1));
  case NPU_INSTR_sub:
    if (second)
      return shifted(operand(0), changed(*second, negative));
    if (first)
      return shifted(scaled(operand(1), Numbers::of(-1)), *first);
    return sum(operand(0), scaled(operand(1), Numbers::of(-1)));
  default:
    return std::nullopt;
  }
}

/// What is averaged: (bytes - zero) * scale.
struct Averaged {
  Value bytes;
  double scale = 1;
  int64_t zero = 0;
};

/// Nothing where it is no image of bytes, or of such real numbers.
static std::optional<Averaged> averagedBy(AvgPoolOp pool, int depth) {
  constexpr size_t rank = 4;
  Averaged averaged = {pool.getData()};
  if (!isByte(averaged.bytes)) {
    std::optional<Affine> data = affineOf(averaged.bytes, depth - 1);
    if (!data || data->terms.size() != 1 || data->isBounded() ||
        !data->offset.isOne() || !data->terms[0].scale.isOne())
      return std::nullopt;
    averaged = {data->terms[0].integers, data->terms[0].scale.at(0)};
    if (!isByte(averaged.bytes))
      return std::nullopt;
    double zero = -data->offset.at(0) / averaged.scale;
    double low = elementOf(averaged.bytes).isUnsignedInteger() ? 0 : -128;
    constexpr double count = 255, near = 0x1p-12; // of rounded factors
    if (!(std::abs(zero - std::nearbyint(zero)) <= near) ||
        std::nearbyint(zero) < low || std::nearbyint(zero) > low + count)
      return std::nullopt; // padding would be none of the bytes
    averaged.zero = std::llround(zero);
  }
  if (shapeOf(averaged.bytes).size() != rank ||
      shapeOf(averaged.bytes) != shapeOf(pool.getData()))
    return std::nullopt;
  return averaged;
}

/// The pooling's windows with padding for all of the last one, which may reach
/// beyond what pooling calls its padding. Nothing where convolutions would have
/// more windows.
static std::optional<Windows> windowsOf(AvgPoolOp pool) {
  Windows windows = {toInts(pool.getKernel()), toInts(pool.getStrides()),
                     toInts(pool.getPads()), toInts(pool.getDilations())};
  size_t count = windows.extents.size();
  for (size_t i = 0; i < count; ++i) {
    int64_t last = shapeOf(pool.getResult())[i + 2] - 1;
    int64_t window = (windows.extents[i] - 1) * windows.dilations[i] + 1;
    int64_t extent = windows.pads[i] + shapeOf(pool.getData())[i + 2];
    int64_t behind =
        std::max<int64_t>(0, last * windows.strides[i] + window - extent);
    windows.pads[count + i] = behind;
    if ((extent + behind - window) / windows.strides[i] != last)
      return std::nullopt;
  }
  return windows;
}

/// By how many numbers a window's sum is divided, along one dimension: those of
/// the data, or of the padding that the pooling says, too.
static SmallVector<int64_t> countsAlong(AvgPoolOp pool, size_t i) {
  SmallVector<int64_t> kernel = toInts(pool.getKernel()),
                       strides = toInts(pool.getStrides()),
                       pads = toInts(pool.getPads()),
                       dilations = toInts(pool.getDilations());
  int64_t extent = shapeOf(pool.getData())[i + 2];
  bool isPadded = pool.getCountIncludePad();
  SmallVector<int64_t> counts;
  for (int64_t at = 0; at < shapeOf(pool.getResult())[i + 2]; ++at) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < kernel[i]; ++tap) {
      int64_t place = at * strides[i] - pads[i] + tap * dilations[i];
      count += isPadded ? place < extent + pads[kernel.size() + i]
                        : place >= 0 && place < extent;
    }
    counts.push_back(count);
  }
  return counts;
}

/// An average of bytes: a term of the sums of its windows.
static std::optional<Affine> affineOfAverage(AvgPoolOp pool, int depth) {
  std::optional<Averaged> averaged = averagedBy(pool, depth);
  if (!averaged || !windowsOf(pool))
    return std::nullopt;
  SmallVector<int64_t> rows = countsAlong(pool, 0),
                       columns = countsAlong(pool, 1);
  Numbers scale;
  for (int64_t row : rows)
    for (int64_t column : columns) // of no number the sum is 0
      scale.values.push_back(
          averaged->scale /
          static_cast<double>(std::max<int64_t>(1, row * column)));
  if (llvm::all_equal(scale.values))
    scale = Numbers::of(scale.values.front());
  else
    scale.shape = {1, 1, static_cast<int64_t>(rows.size()),
                   static_cast<int64_t>(columns.size())};
  Affine affine;
  affine.terms.push_back({pool.getResult(), scale});
  return affine;
}

static std::optional<Affine> affineOf(Value value, int depth) {
  if (depth == 0)
    return std::nullopt;
  if (auto pool = value.getDefiningOp<AvgPoolOp>())
    return affineOfAverage(pool, depth);
  auto op = value.getDefiningOp<EltwiseOp>();
  if (!op || !elementOf(value).isF32())
    return std::nullopt;
  auto operand = [&] { return affineOf(op.getInputs()[0], depth - 1); };
  auto alpha = static_cast<double>(op.getAlpha().convertToFloat()),
       beta = static_cast<double>(op.getBeta().convertToFloat());
  switch (op.getKind()) {
  case NPU_INSTR_cast: {
    Value from = op.getInputs()[0];
    if (!isByte(from) && !elementOf(from).isSignlessInteger(32))
      return std::nullopt;
    Affine affine;
    affine.terms.push_back({from, Numbers::of(1)});
    return affine;
  }
  case NPU_INSTR_neg:
    return scaled(operand(), Numbers::of(-1));
  case NPU_INSTR_linear:
    return shifted(scaled(operand(), Numbers::of(alpha)), Numbers::of(beta));
  case NPU_INSTR_relu:
    return bounded(operand(), 0, INFINITY);
  case NPU_INSTR_clip:
    return bounded(operand(), alpha, beta);
  default:
    return op.getInputs().size() == 2 ? affineOfPair(op, depth) : std::nullopt;
  }
}

/// The rounding behind a conversion to bytes, and what lies between.
std::optional<Rounded> integers::roundedBefore(EltwiseOp cast) {
  if (!isKind(cast, NPU_INSTR_cast) || !isByte(cast.getResult()) ||
      !elementOf(cast.getInputs()[0]).isF32())
    return std::nullopt;
  Rounded found;
  bool isUnsigned = elementOf(cast.getResult()).isUnsignedInteger();
  found.low = isUnsigned ? 0 : -128;
  found.high = found.low + 255;
  auto step = cast.getInputs()[0].getDefiningOp<EltwiseOp>();
  for (int i = 0; step && i < longestChain; ++i) {
    if (isKind(step, NPU_INSTR_round)) {
      found.round = step;
      return found;
    }
    double offset;
    if (isKind(step, NPU_INSTR_linear) && step.getAlpha().convertToFloat() == 1)
      offset = static_cast<double>(step.getBeta().convertToFloat());
    else if (isKind(step, NPU_INSTR_add) && scalarOf(step.getInputs()[1]))
      offset = static_cast<double>(*scalarOf(step.getInputs()[1]));
    else
      return std::nullopt;
    if (offset != std::nearbyint(offset))
      return std::nullopt;
    found.zero += offset;
    step = step.getInputs()[0].getDefiningOp<EltwiseOp>();
  }
  return std::nullopt;
}

/// The offset in whole units of the one term, where that is near enough.
static std::optional<Numbers> offsetInUnits(const Affine &affine) {
  if (affine.terms.size() != 1)
    return std::nullopt;
  bool isNear = true;
  std::optional<Numbers> units = combine(
      affine.offset, affine.terms[0].scale, [&](double offset, double scale) {
        double unit = scale == 0 ? 0 : std::nearbyint(offset / scale);
        bool isSmall = unit == 0 || (std::abs(scale) >= leastScale &&
                                     std::abs(unit) < largestScaled);
        isNear &= isSmall && std::abs(unit * scale - offset) <= offsetTolerance;
        return unit;
      });
  return isNear ? units : std::nullopt;
}

/// How many bits behind the point the terms leave room for.
static int fractionBitsOf(const Affine &affine) {
  auto largest = [](const Numbers &numbers) {
    double most = 0;
    for (double number : numbers.values)
      most = std::max(most, std::abs(number));
    return most;
  };
  double most = std::max(mostSteps, largest(affine.offset));
  for (const Affine::Term &term : affine.terms)
    most =
        std::max(most, (isByte(term.integers) ? 255 : 1) * largest(term.scale));
  if (!std::isfinite(most))
    return 0;
  return sumBits - static_cast<int>(std::ceil(std::log2(most)));
}

static Value integersOf(Emitter &emit, Value value) {
  auto pool = value.getDefiningOp<AvgPoolOp>();
  if (!pool)
    return value;
  Averaged averaged = *averagedBy(pool, longestChain);
  return *sumWindows(emit.rewriter, pool.getLoc(), averaged.bytes,
                     *windowsOf(pool), averaged.zero);
}

/// round(affine) in i32.
static Value emitRounded(Emitter &emit, const Affine &affine) {
  Type i32 = emit.rewriter.getI32Type();
  auto isZero = [](const Numbers &numbers) {
    return llvm::all_of(numbers.values, [](double x) { return x == 0; });
  };
  if (std::optional<Numbers> units = offsetInUnits(affine)) {
    Value value = integersOf(emit, affine.terms[0].integers);
    if (!isZero(*units)) {
      if (!isByte(value)) // the sum of both must not wrap
        value = emit.clip(value, -largestSum, largestSum);
      value = emit.step(NPU_INSTR_add,
                        {emit.cast(value, i32), emit.constant(*units)});
    }
    return emit.scale(value, affine.terms[0].scale);
  }
  int bits = fractionBitsOf(affine);
  auto inFractions = [&](Numbers numbers) {
    for (double &number : numbers.values)
      number = std::ldexp(number, bits);
    return numbers;
  };
  Value total;
  for (const Affine::Term &term : affine.terms) {
    Value one =
        emit.scale(integersOf(emit, term.integers), inFractions(term.scale));
    total = total ? emit.step(NPU_INSTR_add, {total, one}) : one;
  }
  Numbers offset = inFractions(affine.offset);
  for (double &number : offset.values)
    number = std::nearbyint(number);
  if (!isZero(offset))
    total = emit.step(NPU_INSTR_add, {total, emit.constant(offset)});
  return emit.step(NPU_INSTR_mul_shift, {total, emit.constant(Numbers::of(1)),
                                         emit.constant(Numbers::of(bits))});
}

std::optional<Affine> integers::affineOf(Value value) {
  return ::affineOf(value, longestChain);
}

namespace {

// Pattern: cast(round(affine(integers)) + z)
//          -> cast(clip(mul_shift(integers, factor, shift) + z))
struct RequantizeInIntegers : OpRewritePattern<EltwiseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EltwiseOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Rounded> rounded = roundedBefore(op);
    if (!rounded)
      return rewriter.notifyMatchFailure(op, "no rounded number in bytes");
    std::optional<Affine> affine =
        integers::affineOf(rounded->round.getInputs()[0]);
    if (!affine || fractionBitsOf(*affine) < leastFractionBits)
      return rewriter.notifyMatchFailure(op, "not affine in integers");
    ArrayRef<int64_t> shape = shapeOf(op.getResult());
    for (const Affine::Term &term : affine->terms)
      if (shapeOf(term.integers) != shape)
        return rewriter.notifyMatchFailure(op, "integers that broadcast");
    Emitter emit{rewriter, op.getLoc()};
    Value value = emitRounded(emit, *affine);
    if (rounded->zero != 0)
      value = emit.step(NPU_INSTR_add,
                        {value, emit.constant(Numbers::of(rounded->zero))});
    auto bound = [&](double number) {
      number = std::nearbyint(number) + rounded->zero;
      return std::min(std::max(number, rounded->low), rounded->high);
    };
    value = emit.clip(value, bound(affine->low), bound(affine->high));
    rewriter.replaceOp(op, emit.cast(value, elementOf(op.getResult())));
    return success();
  }
};

struct RequantizeIntegersPass
    : PassOfTarget<npu::impl::RequantizeIntegersBase<RequantizeIntegersPass>> {
  using PassOfTarget::PassOfTarget;

  void runOnOperation() override {
    Type f32 = mlir::Float32Type::get(&getContext());
    if (spec.get() && spec.get()->supports(f32))
      return;
    if (failed(requantizeIntegers(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult npu::requantizeIntegers(Operation *root) {
  mlir::RewritePatternSet patterns(root->getContext());
  constexpr int first = 2;
  patterns.add<RequantizeInIntegers>(root->getContext(), first);
  addIntegerFunctionPatterns(patterns);
  return apply(root, std::move(patterns));
}

std::unique_ptr<mlir::Pass>
npu::createRequantizeIntegers(const TargetSpec *target) {
  return std::make_unique<RequantizeIntegersPass>(target);
}
