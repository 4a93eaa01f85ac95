// SPDX-License-Identifier: Apache-2.0
#include "test/compiler/Layout/RandomLayoutGraph.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Fusion/Rewrites.h"
#include "test/compiler/Layout/RandomChipOps.h"
#include "test/compiler/Layout/RandomHeads.h"
#include "test/compiler/Support/RandomBuilder.h"

using namespace npu;
using rewrites::shapeOf;
using shapes::Shape;

namespace {

constexpr int64_t mostElements = 768;
constexpr size_t mostRank = 6;
/// Larger constants are resources, which get new names when they are read.
constexpr int64_t mostConstant = 256;

/// Steps that find nothing to do with a value give null.
class Generator : test::RandomBuilder {
public:
  Generator(MLIRContext &context, unsigned seed, test::GraphKind kind)
      : RandomBuilder(context, seed), runnable(kind.runnable),
        permuted(kind.permuted), tiled(kind.tiled) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(int steps);

private:
  using Step = Value (Generator::*)(Value);

  int64_t extent();
  Shape shapeOfRank(size_t rank);
  bool small(ArrayRef<int64_t> shape, int64_t most = mostElements);
  RankedTensorType argument();
  /// Of the value's element type.
  static RankedTensorType typeLike(Value value, ArrayRef<int64_t> shape) {
    return tensorType(value).clone(shape);
  }

  Value unary(Value data);
  Value binary(Value data);
  Value select(Value data);
  Value quantizePair(Value data);
  Value transpose(Value data);
  Value channelsLast(Value data);
  Value reshape(Value data);
  Value unitDimensions(Value data);
  Value broadcast(Value data);
  Value concat(Value data);
  Value slice(Value data);
  Value pad(Value data);
  Value reduce(Value data);
  Value softmax(Value data);
  Value gather(Value data);
  Value resize(Value data);
  Value matmul(Value data);
  Value convolution(Value data);
  Value convTranspose(Value data);
  Value pool(Value data);
  Value chip(Value data);
  Value heads(Value data);
  Value fused(Value data);

  Shape regrouped(ArrayRef<int64_t> shape);
  Value spread(ArrayRef<int64_t> shape);
  template <class Op1, class Op2, class Op3>
  Value windowed(Value data, Value weight, ArrayRef<int64_t> result,
                 ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                 ArrayRef<int64_t> dilations, int64_t groups);
  SmallVector<Value> chooseResults();
  void eraseUnused();
  void nameBoundary();

  bool runnable, permuted, tiled;
};

} // namespace

// Shapes.

int64_t Generator::extent() {
  if (oneIn(4))
    return 1;
  static const int64_t even[] = {2, 4, 4, 6, 8, 8, 12, 16};
  if (tiled && !oneIn(4))
    return even[pick(std::size(even))];
  return oneIn(8) ? 8 : 2 + pick(4);
}

bool Generator::small(ArrayRef<int64_t> shape, int64_t most) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count > 0 && count <= most && shape.size() <= mostRank;
}

Shape Generator::shapeOfRank(size_t rank) {
  Shape shape;
  for (size_t i = 0; i < rank; ++i)
    shape.push_back(extent());
  // What is transposed has its own shape again, so that the two meet.
  if (permuted && coin())
    shape.assign(rank, 2 + pick(3));
  while (!small(shape)) {
    int64_t &size = anyOf(shape);
    size = (size + 1) / 2;
  }
  return shape;
}

RankedTensorType Generator::argument() {
  // Images first of all.
  static const size_t ranks[] = {4, 4, 4, 4, 4, 4, 3, 3, 3, 5,
                                 5, 2, 2, 6, 1, 0, 4, 3, 4, 5};
  return typeOf(shapeOfRank(ranks[pick(std::size(ranks))]));
}

// Elementwise.

Value Generator::unary(Value data) {
  switch (pick(runnable ? 5 : 8)) {
  case 0:
    return eltwise(NPU_INSTR_sigmoid, data); // f(0) != 0
  case 1:
    return eltwise(NPU_INSTR_clip, data, -0.5f, 0.5f);
  case 2:
    return eltwise(NPU_INSTR_tanh, data);
  case 5:
    return eltwise(NPU_INSTR_exp, data);
  case 6:
    return eltwise(NPU_INSTR_hard_swish, data, 1.0f / 6, 0.5f);
  default:
    return eltwise(NPU_INSTR_relu, data);
  }
}

/// A shape that broadcasts to `shape`: leading dimensions left out, others 1.
static Shape broadcastable(ArrayRef<int64_t> shape, size_t drop,
                           unsigned mask) {
  Shape narrow(shape.drop_front(drop));
  for (auto [index, size] : llvm::enumerate(narrow))
    if (mask & (1U << index))
      size = 1;
  return narrow;
}

static bool fits(ArrayRef<int64_t> narrow, ArrayRef<int64_t> wide) {
  if (narrow.size() > wide.size())
    return false;
  wide = wide.take_back(narrow.size());
  return llvm::all_of(llvm::zip(narrow, wide), [](auto pair) {
    return std::get<0>(pair) == 1 || std::get<0>(pair) == std::get<1>(pair);
  });
}

/// Something that broadcasts to the shape: a value of the graph if there is
/// one, else a constant.
Value Generator::spread(ArrayRef<int64_t> shape) {
  SmallVector<Value> fitting;
  for (Value value : values)
    if (fits(shapeOf(value), shape))
      fitting.push_back(value);
  if (!fitting.empty() && !oneIn(3))
    return anyOf(fitting);
  Shape narrow =
      broadcastable(shape, pick(shape.size() + 1), oneIn(3) ? 0 : random());
  if (!small(narrow, mostConstant))
    narrow.clear();
  return constant(narrow);
}

Value Generator::binary(Value data) {
  const npu_instr_kind kinds[] = {NPU_INSTR_add, NPU_INSTR_add, NPU_INSTR_mul,
                                  NPU_INSTR_sub, NPU_INSTR_max};
  npu_instr_kind kind = kinds[pick(std::size(kinds))];
  // Any two values whose shapes broadcast, also where both grow.
  for (int tries = 0; tries < 4 && oneIn(2); ++tries) {
    Value other = anyOf(values);
    std::string ignored;
    auto shape = shapes::broadcast(
        {Shape(shapeOf(data)), Shape(shapeOf(other))}, ignored);
    if (succeeded(shape) && small(*shape))
      return eltwise(kind, {data, other});
  }
  Value other = spread(shapeOf(data));
  return coin() ? eltwise(kind, {data, other}) : eltwise(kind, {other, data});
}

Value Generator::select(Value data) {
  if (runnable) // a rounding error may change the choice
    return {};
  Value bound = spread(shapeOf(data));
  auto flags = RankedTensorType::get(shapeOf(data), builder.getI1Type());
  Value condition = unfolded(NPU_INSTR_less, {data, bound}, flags);
  return unfolded(NPU_INSTR_select, {condition, data, spread(shapeOf(data))},
                  data.getType());
}

/// As a quantizer writes it around every value, with one scale or one for each
/// index of a dimension; between the two now and then a movement of the bytes.
Value Generator::quantizePair(Value data) {
  if (runnable) // a rounding error may change the number
    return {};
  Shape scales;
  if (!shapeOf(data).empty() && oneIn(3)) {
    size_t axis = static_cast<size_t>(pick(shapeOf(data).size()));
    scales = broadcastable(shapeOf(data), axis, ~1U);
    if (!small(scales, mostConstant)) // larger ones are no part of the text
      scales.clear();
  }
  Value scale = constant(scales), zero = scalar(static_cast<float>(pick(9)));
  Value real = unfolded(NPU_INSTR_div, {data, scale}, data.getType());
  Value rounded = unfolded(NPU_INSTR_round, real, data.getType());
  Value moved = unfolded(NPU_INSTR_add, {rounded, zero}, data.getType());
  Type byte = coin() ? builder.getIntegerType(8, false) : builder.getI8Type();
  Value bytes = unfolded(NPU_INSTR_cast, moved,
                         RankedTensorType::get(shapeOf(data), byte));
  if (scales.empty() && oneIn(2)) {
    Value between = coin() ? transpose(bytes) : reshape(bytes);
    bytes = between ? between : bytes;
  }
  RankedTensorType wide = typeOf(shapeOf(bytes));
  Value number = unfolded(NPU_INSTR_cast, bytes, wide);
  Value difference = unfolded(NPU_INSTR_sub, {number, zero}, wide);
  return unfolded(NPU_INSTR_mul, {difference, scale}, wide);
}

// Data movement.

Value Generator::transpose(Value data) {
  auto permutation = llvm::to_vector(
      llvm::seq<int64_t>(0, static_cast<int64_t>(shapeOf(data).size())));
  for (size_t i = permutation.size(); i > 1; --i)
    std::swap(permutation[i - 1], permutation[pick(static_cast<int64_t>(i))]);
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(shapeOf(data)[dim]);
  return TransposeOp::create(builder, location, typeLike(data, shape), data,
                             ints(permutation));
}

/// As channels-last models are exported: back and forth around some op.
Value Generator::channelsLast(Value data) {
  size_t rank = shapeOf(data).size();
  if (rank < 3 || rank > 5)
    return {};
  SmallVector<int64_t> there = {0}, back = {0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 2; i < rank; ++i)
    there.push_back(static_cast<int64_t>(i));
  there.push_back(1);
  for (size_t i = 1; i + 1 < rank; ++i)
    back.push_back(static_cast<int64_t>(i));
  if (coin())
    std::swap(there, back);
  Value moved = *rewrites::makeTranspose(builder, location, data, there);
  static const Step inner[] = {&Generator::unary,  &Generator::binary,
                               &Generator::concat, &Generator::pad,
                               &Generator::slice,  &Generator::convolution,
                               &Generator::reduce};
  Value next = (this->*inner[pick(std::size(inner))])(moved);
  if (!next || shapeOf(next).size() != rank)
    return moved;
  values.push_back(next);
  return *rewrites::makeTranspose(builder, location, next, back);
}

/// Merges neighbours, splits extents, puts unit dimensions in and takes them
/// out, or starts over from the product.
Shape Generator::regrouped(ArrayRef<int64_t> from) {
  Shape shape(from);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  if (oneIn(6))
    shape.assign({count});
  for (int64_t edits = 1 + pick(3); edits > 0; --edits) {
    int64_t rank = static_cast<int64_t>(shape.size());
    if (coin() && rank >= 2) {
      int64_t at = pick(rank - 1);
      shape[at] *= shape[at + 1];
      shape.erase(shape.begin() + at + 1);
    } else if (rank >= 1 && shape.size() < mostRank) {
      int64_t at = pick(rank), size = shape[at], factor = 1 + pick(size);
      while (size % factor)
        --factor;
      shape[at] = size / factor;
      shape.insert(shape.begin() + at, factor);
    }
  }
  if (count == 1 && oneIn(3))
    shape.clear();
  return shape;
}

Value Generator::reshape(Value data) {
  Shape shape = regrouped(shapeOf(data));
  if (shape.size() > mostRank)
    return {};
  return ReshapeOp::create(builder, location, typeLike(data, shape), data);
}

/// Squeeze or unsqueeze.
Value Generator::unitDimensions(Value data) {
  Shape shape(shapeOf(data));
  if (coin())
    llvm::erase(shape, 1);
  else if (shape.size() < mostRank)
    shape.insert(shape.begin() + pick(shape.size() + 1), 1);
  return ReshapeOp::create(builder, location, typeOf(shape), data);
}

Value Generator::broadcast(Value data) {
  Shape shape(shapeOf(data));
  for (int64_t &size : shape)
    if (size == 1 && coin())
      size = extent();
  while (shape.size() < mostRank && oneIn(3))
    shape.insert(shape.begin(), extent());
  if (!small(shape))
    return {};
  return BroadcastOp::create(builder, location, typeOf(shape), data);
}

Value Generator::concat(Value data) {
  Shape shape(shapeOf(data));
  if (shape.empty())
    return {};
  int64_t axis = pick(shape.size());
  SmallVector<Value> fitting, parts = {data};
  for (Value value : values) {
    Shape other(shapeOf(value));
    if (other.size() != shape.size())
      continue;
    other[axis] = shape[axis];
    if (other == shape)
      fitting.push_back(value);
  }
  for (int64_t count = 1 + pick(3); count > 0; --count) {
    Value other = fitting.empty() ? data : anyOf(fitting);
    parts.push_back(oneIn(4) ? unary(other)
                    : oneIn(8) && small(shapeOf(other), mostConstant)
                        ? constant(shapeOf(other))
                        : other);
  }
  if (coin())
    std::swap(parts.front(), parts.back());
  shape[axis] = 0;
  for (Value part : parts)
    shape[axis] += shapeOf(part)[axis];
  if (!small(shape))
    return {};
  return ConcatOp::create(builder, location, typeOf(shape), parts, axis);
}

Value Generator::slice(Value data) {
  Shape shape(shapeOf(data)), starts, steps;
  for (int64_t &size : shape) {
    int64_t start = coin() ? 0 : pick(size), step = 1;
    int64_t left = size - start;
    if (oneIn(8)) {
      step = -1;
      left = start + 1;
    } else if (oneIn(4)) {
      step = 2;
      left = (left + 1) / 2;
    }
    starts.push_back(start);
    steps.push_back(step);
    size = coin() ? left : 1 + pick(left);
  }
  return SliceOp::create(builder, location, typeOf(shape), data, ints(starts),
                         ints(steps));
}

Value Generator::pad(Value data) {
  static const PadMode modes[] = {PadMode::Constant, PadMode::Constant,
                                  PadMode::Edge};
  Shape shape(shapeOf(data)), pads(2 * shape.size());
  for (size_t i = 0; i < shape.size(); ++i)
    if (coin()) {
      pads[i] = pick(2);
      pads[i + shape.size()] = pick(2);
      shape[i] += pads[i] + pads[i + shape.size()];
    }
  if (!small(shape))
    return {};
  return PadOp::create(builder, location, typeOf(shape), data, ints(pads),
                       modes[pick(3)], llvm::APFloat(oneIn(3) ? 1.0 : 0.0));
}

// Along axes.

Value Generator::reduce(Value data) {
  Shape axes;
  for (size_t i = 0; i < shapeOf(data).size(); ++i)
    if (oneIn(3))
      axes.push_back(static_cast<int64_t>(i));
  bool keep = coin();
  std::string error;
  Shape shape = *shapes::reduce(shapeOf(data), axes, keep, error);
  static const ReduceKind kinds[] = {ReduceKind::Mean, ReduceKind::Max,
                                     ReduceKind::Sum};
  return ReduceOp::create(builder, location, typeOf(shape), data,
                          kinds[pick(runnable ? 2 : 3)], ints(axes), keep);
}

Value Generator::softmax(Value data) {
  if (shapeOf(data).empty())
    return {};
  return SoftmaxOp::create(builder, location, data.getType(), data,
                           pick(shapeOf(data).size()), !runnable && coin());
}

Value Generator::gather(Value data) {
  Shape shape(shapeOf(data));
  if (shape.empty())
    return {};
  int64_t axis = pick(shape.size());
  Shape picked = shapeOfRank(pick(3));
  if (!small(picked, mostConstant / 2)) // i64
    return {};
  auto type = RankedTensorType::get(picked, builder.getI64Type());
  std::vector<int64_t> numbers(static_cast<size_t>(type.getNumElements()));
  for (int64_t &number : numbers)
    number = pick(shape[axis]);
  const char *bytes = reinterpret_cast<const char *>(numbers.data());
  Value indices = ConstantOp::create(
      builder, location, type,
      makeElements(type, ArrayRef(bytes, numbers.size() * sizeof(int64_t))));
  std::string error;
  auto result = shapes::gather(shape, picked, axis, error);
  if (failed(result) || !small(*result))
    return {};
  return GatherOp::create(builder, location, typeOf(*result), data, indices,
                          axis);
}

Value Generator::resize(Value data) {
  Shape shape(shapeOf(data));
  if (shape.size() < 3 || shape.size() > 5)
    return {};
  SmallVector<double> scales(shape.size(), 1);
  bool last = oneIn(3); // of a model that is channels last
  for (size_t i = last ? 1 : 2; i + last < shape.size(); ++i) {
    scales[i] = 2;
    shape[i] *= 2;
  }
  if (!small(shape))
    return {};
  ResizeMode mode = coin() ? ResizeMode::Nearest : ResizeMode::Linear;
  return ResizeOp::create(builder, location, typeOf(shape), data, mode,
                          ResizeCoordinates::Asymmetric, ResizeNearest::Floor,
                          builder.getF64ArrayAttr(scales),
                          llvm::APFloat(-0.75));
}

// Kernels.

Value Generator::matmul(Value data) {
  Shape shape(shapeOf(data));
  if (shape.size() < 2)
    return {};
  SmallVector<std::pair<Value, Value>> pairs;
  for (Value other : values)
    if (shapeOf(other).size() >= 2)
      pairs.append({{data, other}, {other, data}});
  for (int tries = 0; tries < 4 && !pairs.empty(); ++tries) {
    auto [a, b] = anyOf(pairs);
    std::string ignored;
    auto result = shapes::matmul(shapeOf(a), shapeOf(b), ignored);
    if (succeeded(result) && small(*result))
      return MatmulOp::create(builder, location, typeOf(*result), a, b);
  }
  Shape columns = {shape.back(), extent()};
  if (!small(columns, mostConstant))
    return {};
  Value weight = constant(columns);
  shape.back() = columns[1];
  if (!small(shape))
    return {};
  return MatmulOp::create(builder, location, typeOf(shape), data, weight);
}

template <class Op1, class Op2, class Op3>
Value Generator::windowed(Value data, Value weight, ArrayRef<int64_t> result,
                          ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                          ArrayRef<int64_t> dilations, int64_t groups) {
  Value bias = coin() ? constant({result[1]}) : Value();
  auto make = [&](auto kind) -> Value {
    return decltype(kind)::create(
        builder, location, typeOf(result), data, weight, bias, ints(strides),
        ints(pads), ints(dilations), builder.getI64IntegerAttr(groups));
  };
  return result.size() == 3   ? make(Op1())
         : result.size() == 4 ? make(Op2())
                              : make(Op3());
}

Value Generator::convolution(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  if (in.size() < 3 || in.size() > 5)
    return {};
  size_t spatial = in.size() - 2;
  int64_t groups = oneIn(3) ? in[1] : 1;
  int64_t outputs = groups * (groups > 1 ? 1 + pick(2) : extent());
  int64_t kernel = coin() ? 3 : 1;
  Shape weight = {outputs, in[1] / groups}, strides, pads(2 * spatial),
        dilations(spatial, 1);
  for (size_t i = 0; i < spatial; ++i) {
    weight.push_back(kernel);
    strides.push_back(oneIn(4) ? 2 : 1);
    pads[i] = pads[i + spatial] = kernel / 2;
  }
  std::string error;
  auto result =
      shapes::conv(in, weight, strides, dilations, pads, groups, error);
  if (failed(result) || !small(*result) || !small(weight, mostConstant))
    return {};
  return windowed<Conv1dOp, Conv2dOp, Conv3dOp>(
      data, constant(weight), *result, strides, pads, dilations, groups);
}

Value Generator::convTranspose(Value data) {
  ArrayRef<int64_t> in = shapeOf(data);
  if (in.size() < 3 || in.size() > 5)
    return {};
  size_t spatial = in.size() - 2;
  int64_t groups = oneIn(3) ? in[1] : 1;
  Shape weight = {groups * (1 + pick(3)), in[1] / groups}, strides,
        pads(2 * spatial), dilations(spatial, 1);
  for (size_t i = 0; i < spatial; ++i) {
    weight.push_back(2);
    strides.push_back(1 + pick(2));
  }
  std::string error;
  auto result = shapes::convTranspose(in, weight, strides, dilations, pads,
                                      groups, error);
  if (failed(result) || !small(*result) || !small(weight, mostConstant))
    return {};
  return windowed<ConvTranspose1dOp, ConvTranspose2dOp, ConvTranspose3dOp>(
      data, constant(weight), *result, strides, pads, dilations, groups);
}

Value Generator::pool(Value data) {
  Shape shape(shapeOf(data));
  if (shape.size() < 3 || shape.size() > 5)
    return {};
  size_t spatial = shape.size() - 2;
  bool isGlobal = oneIn(3);
  Shape kernel, strides, pads(2 * spatial), dilations(spatial, 1);
  for (size_t i = 0; i < spatial; ++i) {
    kernel.push_back(isGlobal ? shape[i + 2]
                              : std::min<int64_t>(2, shape[i + 2]));
    strides.push_back(isGlobal ? 1 : 1 + pick(2));
  }
  std::string error;
  shapes::Window window{kernel, strides, dilations, pads};
  Shape out =
      *shapes::windowed(ArrayRef<int64_t>(shape).drop_front(2), window, error);
  std::copy(out.begin(), out.end(), shape.begin() + 2);
  if (coin())
    return MaxPoolOp::create(builder, location, typeOf(shape), data,
                             ints(kernel), ints(strides), ints(pads),
                             ints(dilations));
  return AvgPoolOp::create(builder, location, typeOf(shape), data, ints(kernel),
                           ints(strides), ints(pads), ints(dilations), coin());
}

Value Generator::chip(Value data) {
  auto pickOne = [&](int64_t count) { return pick(count); };
  auto make = [&](ArrayRef<int64_t> shape) {
    return small(shape, mostConstant) ? constant(shape) : Value();
  };
  return test::randomChipOp({builder, location, pickOne, make, runnable}, data);
}

Value Generator::heads(Value data) {
  auto pickOne = [&](int64_t count) { return pick(count); };
  return test::randomHeads(builder, location, pickOne, data, coin());
}

/// A kernel and elementwise ops behind it, with operands of their own.
Value Generator::fused(Value data) {
  static const Step roots[] = {&Generator::convolution, &Generator::convolution,
                               &Generator::pool,        &Generator::matmul,
                               &Generator::binary,      &Generator::reduce};
  Value made = (this->*roots[pick(std::size(roots))])(data);
  Operation *root = made ? made.getDefiningOp() : nullptr;
  if (!root || !isa<KernelOpInterface>(root) || !root->use_empty())
    return made;
  ArrayRef<int64_t> shape = shapeOf(made);
  SmallVector<Value> inputs(root->getOperands());
  Value extra = coin() ? spread(shape) : Value();
  if (extra)
    inputs.push_back(extra);
  auto kernel = FusedOp::create(builder, location, made.getType(), inputs);
  Block &body = kernel.getBody().emplaceBlock();
  for (Value input : inputs)
    body.addArgument(input.getType(), location);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&body);
  Operation *inner = builder.clone(*root);
  for (unsigned i = 0; i < root->getNumOperands(); ++i)
    inner->setOperand(i, body.getArgument(i));
  Value last = inner->getResult(0);
  if (extra)
    last = unfolded(NPU_INSTR_add, {last, body.getArguments().back()},
                    made.getType());
  if (!extra || coin())
    last = unfolded(NPU_INSTR_sigmoid, last, made.getType());
  YieldOp::create(builder, location, last);
  root->erase();
  return kernel.getResult();
}

// The whole.

/// Every value that nobody reads, up to three; now and then one that is read as
/// well, an argument, or the same one twice.
SmallVector<Value> Generator::chooseResults() {
  SmallVector<Value> results;
  for (Value value : llvm::reverse(values))
    if (value.use_empty() && value.getDefiningOp() && results.size() < 3)
      results.push_back(value);
  if (results.empty() || oneIn(6))
    results.push_back(anyOf(values));
  return results;
}

void Generator::eraseUnused() {
  Block &block = function.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!isa<mlir::func::ReturnOp>(op) && op.use_empty())
      op.erase();
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (function.getArgument(i).use_empty())
      (void)function.eraseArgument(i);
}

void Generator::nameBoundary() {
  auto name = [&](char kind, unsigned number) {
    return builder.getStringAttr(kind + std::to_string(number));
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(i, "npu.name", name('x', i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttr(i, "npu.name", name('y', i));
}

mlir::OwningOpRef<mlir::ModuleOp> Generator::run(int steps) {
  SmallVector<Type> arguments = {argument()};
  while (oneIn(3))
    arguments.push_back(coin() ? arguments.front() : argument());
  mlir::OwningOpRef<mlir::ModuleOp> module = startModule(arguments);
  static const Step kinds[] = {
      &Generator::unary,          &Generator::binary,
      &Generator::binary,         &Generator::select,
      &Generator::quantizePair,   &Generator::quantizePair,
      &Generator::transpose,      &Generator::transpose,
      &Generator::channelsLast,   &Generator::channelsLast,
      &Generator::reshape,        &Generator::reshape,
      &Generator::unitDimensions, &Generator::broadcast,
      &Generator::concat,         &Generator::concat,
      &Generator::slice,          &Generator::pad,
      &Generator::reduce,         &Generator::softmax,
      &Generator::gather,         &Generator::resize,
      &Generator::matmul,         &Generator::convolution,
      &Generator::convolution,    &Generator::convolution,
      &Generator::convTranspose,  &Generator::pool,
      &Generator::chip,           &Generator::chip,
      &Generator::fused,          &Generator::fused};
  for (int i = 0; i < steps; ++i) {
    Step step =
        tiled && oneIn(6) ? &Generator::heads : kinds[pick(std::size(kinds))];
    Value next = (this->*step)(pickValue());
    if (!next || !small(shapeOf(next)) || next.getDefiningOp<ConstantOp>())
      continue;
    values.push_back(next);
    if (permuted && shapeOf(next).size() >= 3 && !oneIn(3))
      values.push_back(transpose(next));
  }
  finishModule(chooseResults());
  eraseUnused();
  nameBoundary();
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> test::randomLayoutGraph(MLIRContext &context,
                                                          unsigned seed,
                                                          int steps,
                                                          GraphKind kind) {
  context.loadDialect<NPUDialect, mlir::func::FuncDialect>();
  return Generator(context, seed, kind).run(steps);
}
