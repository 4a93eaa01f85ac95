// SPDX-License-Identifier: Apache-2.0
//
// What ops that sum, multiply and compare real numbers are of bytes: sums and
// products of them in i32, which npu-requantize-integers scales as others.
#include "compiler/Fusion/IntegerTerms.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace npu;
using namespace npu::integers;
using namespace npu::rewrites;

std::optional<QuantizedBytes> integers::quantizedBytesOf(Value value,
                                                         int depth) {
  if (isByte(value))
    return QuantizedBytes{value};
  std::optional<Affine> data = affineOf(value, depth - 1);
  if (!data || data->terms.size() != 1 || data->isBounded() ||
      !data->offset.isOne() || !data->terms[0].scale.isOne())
    return std::nullopt;
  QuantizedBytes found = {data->terms[0].integers, data->terms[0].scale.one()};
  if (!isByte(found.bytes) || shapeOf(found.bytes) != shapeOf(value))
    return std::nullopt;
  double zero = -data->offset.one() / found.scale;
  double low = elementOf(found.bytes).isUnsignedInteger() ? 0 : -128;
  constexpr double count = 255, near = 0x1p-12; // of rounded factors
  if (!(std::abs(zero - std::nearbyint(zero)) <= near) ||
      std::nearbyint(zero) < low || std::nearbyint(zero) > low + count)
    return std::nullopt; // none of the bytes stands for 0
  found.zero = std::llround(zero);
  return found;
}

Affine integers::madeTerm(Value value, Numbers scale,
                          std::function<Value(Emitter &)> make) {
  Affine affine;
  affine.terms.push_back({value, std::move(scale), std::move(make)});
  return affine;
}

Value integers::centred(Emitter &emit, const QuantizedBytes &data) {
  Value wide = emit.cast(data.bytes, emit.rewriter.getI32Type());
  if (data.zero == 0)
    return wide;
  return emit.step(
      NPU_INSTR_sub,
      {wide, emit.constant(Numbers::of(static_cast<double>(data.zero)))});
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

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

/// The numbers with a dimension of 1 in front of those that windows slide
/// along, so that a line is an image; images as they are.
static Value asImage(Emitter &emit, Value value) {
  SmallVector<int64_t> shape(shapeOf(value));
  if (shape.size() == 3)
    shape.insert(shape.begin() + 2, 1);
  return *makeReshape(emit.rewriter, emit.location, value, shape);
}

/// An average of bytes: a term of the sums of its windows.
static std::optional<Affine> ofAverage(AvgPoolOp pool, int depth) {
  std::optional<QuantizedBytes> data = quantizedBytesOf(pool.getData(), depth);
  std::optional<Windows> windows = windowsOf(pool);
  size_t rank = shapeOf(pool.getData()).size();
  bool isLine = rank == 3;
  if (!data || !windows || (!isLine && rank != 4))
    return std::nullopt;
  SmallVector<int64_t> rows = {1}, columns = countsAlong(pool, rank - 3);
  if (isLine)
    *windows = {{1, windows->extents[0]},
                {1, windows->strides[0]},
                {0, windows->pads[0], 0, windows->pads[1]},
                {1, windows->dilations[0]}};
  else
    rows = countsAlong(pool, 0);
  Numbers scale;
  for (int64_t row : rows)
    for (int64_t column : columns) // of no number the sum is 0
      scale.values.push_back(
          data->scale /
          static_cast<double>(std::max<int64_t>(1, row * column)));
  scale.shape = {1, static_cast<int64_t>(columns.size())};
  if (llvm::all_equal(scale.values))
    scale = Numbers::of(scale.values.front());
  else if (!isLine)
    scale.shape = {1, 1, static_cast<int64_t>(rows.size()),
                   static_cast<int64_t>(columns.size())};
  auto sums = [pool, data, windows](Emitter &emit) {
    Value image = asImage(emit, data->bytes);
    Value all =
        *sumWindows(emit.rewriter, pool->getLoc(), image, *windows, data->zero);
    return *makeReshape(emit.rewriter, pool->getLoc(), all,
                        tensorType(pool->getResult(0)).getShape());
  };
  return madeTerm(pool.getResult(), scale, sums);
}

/// The largest or least of bytes, which no scale above 0 changes.
static std::optional<Affine> ofExtremum(ReduceOp op,
                                        const QuantizedBytes &data) {
  if (!(data.scale > 0))
    return std::nullopt;
  Affine affine = madeTerm(
      op.getResult(), Numbers::of(data.scale), [op, data](Emitter &emit) {
        Type type = tensorType(op->getResult(0)).clone(elementOf(data.bytes));
        return cloneWith(emit.rewriter, op->getLoc(), op, data.bytes, type)
            ->getResult(0);
      });
  affine.offset = Numbers::of(-data.scale * static_cast<double>(data.zero));
  return affine;
}

/// Sums and averages, the largest and the least along dimensions.
static std::optional<Affine> ofReduction(ReduceOp op, int depth) {
  std::optional<QuantizedBytes> data = quantizedBytesOf(op.getInput(), depth);
  if (!data)
    return std::nullopt;
  if (op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min)
    return ofExtremum(op, *data);
  constexpr int64_t mostSummed = 1 << 22; // their sum has 30 bits
  SmallVector<int64_t> axes = toInts(op.getAxes());
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= shapeOf(data->bytes)[static_cast<size_t>(axis)];
  bool isMean = op.getKind() == ReduceKind::Mean;
  if ((!isMean && op.getKind() != ReduceKind::Sum) || count > mostSummed ||
      count == 0)
    return std::nullopt;
  bool isImage = shapeOf(data->bytes).size() == 4 && op.getKeepDims() &&
                 axes == SmallVector<int64_t>{2, 3};
  double scale = data->scale / static_cast<double>(isMean ? count : 1);
  return madeTerm(
      op.getResult(), Numbers::of(scale), [op, data, isImage](Emitter &emit) {
        if (isImage)
          return *sumWindows(
              emit.rewriter, op->getLoc(), data->bytes,
              {SmallVector<int64_t>(shapeOf(data->bytes).drop_front(2)),
               {1, 1},
               {0, 0, 0, 0},
               {1, 1}},
              data->zero);
        Type i32 = emit.rewriter.getI32Type();
        auto sum = cast<ReduceOp>(
            cloneWith(emit.rewriter, op->getLoc(), op, centred(emit, *data),
                      tensorType(op->getResult(0)).clone(i32)));
        sum.setKind(ReduceKind::Sum);
        return Value(sum.getResult());
      });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Two terms, of what is above 0 and what is below, which has slopes.
static std::optional<Affine> ofPrelu(EltwiseOp op, int depth) {
  std::optional<QuantizedBytes> data =
      quantizedBytesOf(op.getInputs()[0], depth);
  std::optional<Numbers> slope = numbersOf(op.getInputs()[1]);
  if (!data || !slope || isFunctionOfByte(op.getResult()))
    return std::nullopt;
  for (double &number : slope->values)
    number *= data->scale;
  auto part = [&](npu_instr_kind kind) {
    return [data, kind](Emitter &emit) {
      return emit.step(kind,
                       {centred(emit, *data), emit.constant(Numbers::of(0))});
    };
  };
  Affine affine =
      madeTerm(op.getResult(), Numbers::of(data->scale), part(NPU_INSTR_max));
  affine.terms.push_back({op.getResult(), *slope, part(NPU_INSTR_min)});
  return affine;
}

/// A matrix of one number in every place, in the bytes of `like`.
static Value filled(Emitter &emit, ArrayRef<int64_t> shape, Type like,
                    int64_t number) {
  auto type = RankedTensorType::get(shape, like);
  std::vector<char> bytes(static_cast<size_t>(type.getNumElements()),
                          static_cast<char>(number));
  return ConstantOp::create(emit.rewriter, emit.location, type,
                            makeElements(type, std::move(bytes)));
}

static Value multiplied(Emitter &emit, Value a, Value b) {
  std::string error;
  SmallVector<int64_t> shape(*shapes::matmul(shapeOf(a), shapeOf(b), error));
  return MatmulOp::create(
      emit.rewriter, emit.location,
      RankedTensorType::get(shape, emit.rewriter.getI32Type()), a, b);
}

/// a times b less what the zero points add: each row's sum and each column's,
/// which are products by one number, so that no matrix of 32 bits is summed.
static Value centredProduct(Emitter &emit, const QuantizedBytes &a,
                            QuantizedBytes b) {
  Type i32 = emit.rewriter.getI32Type();
  auto number = [&](int64_t value) {
    return emit.constant(Numbers::of(static_cast<double>(value)));
  };
  if (elementOf(b.bytes).isUnsignedInteger()) { // kernels take i8 there
    constexpr int64_t middle = 128;
    Value moved =
        emit.step(NPU_INSTR_sub, {emit.cast(b.bytes, i32), number(middle)});
    b.bytes = emit.cast(moved, emit.rewriter.getI8Type());
    b.zero -= middle;
  }
  Value product = multiplied(emit, a.bytes, b.bytes);
  int64_t depth = shapeOf(a.bytes).back();
  auto subtract = [&](Value sums) {
    product = emit.step(NPU_INSTR_sub, {product, sums});
  };
  if (b.zero != 0)
    subtract(multiplied(emit, a.bytes,
                        filled(emit, {depth, 1}, elementOf(b.bytes), b.zero)));
  if (a.zero != 0)
    subtract(multiplied(
        emit, filled(emit, {1, depth}, elementOf(a.bytes), a.zero), b.bytes));
  if (a.zero * b.zero == 0)
    return product;
  return emit.step(NPU_INSTR_add, {product, number(depth * a.zero * b.zero)});
}

static std::optional<Affine> ofMatrices(MatmulOp op, int depth) {
  if (op.isPacked() || !op.getParameters().empty())
    return std::nullopt;
  std::optional<QuantizedBytes> a = quantizedBytesOf(op.getA(), depth);
  std::optional<QuantizedBytes> b = quantizedBytesOf(op.getB(), depth);
  constexpr int64_t mostSummed = 1 << 13; // with sums of both below 31 bits
  if (!a || !b || shapeOf(a->bytes).size() < 2 ||
      shapeOf(b->bytes).size() < 2 || shapeOf(a->bytes).back() > mostSummed)
    return std::nullopt;
  return madeTerm(
      op.getResult(), Numbers::of(a->scale * b->scale),
      [a, b](Emitter &emit) { return centredProduct(emit, *a, *b); });
}

std::optional<Affine> integers::termsOf(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  using Found = std::optional<Affine>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case([&](AvgPoolOp pool) { return ofAverage(pool, depth); })
      .Case([&](ReduceOp reduce) { return ofReduction(reduce, depth); })
      .Case([&](ResizeOp resize) { return ofResize(resize, depth); })
      .Case([&](MatmulOp product) { return ofMatrices(product, depth); })
      .Case([&](TensornormOp norm) { return ofNorm(norm, depth); })
      .Case([&](EltwiseOp step) -> Found {
        if (isKind(step, NPU_INSTR_prelu))
          return ofPrelu(step, depth);
        return ofFactors(step, depth);
      })
      .Default([](Operation *) { return std::nullopt; });
}
