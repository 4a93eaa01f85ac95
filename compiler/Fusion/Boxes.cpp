// SPDX-License-Identifier: Apache-2.0
//
// Patterns on boxes of a tensor that a model reads or writes: exporters spell
// them with every index of the box, which is more bytes than the data, and
// hides from other rewrites what is computed of it.
#include "compiler/Fusion/Boxes.h"
#include "compiler/Fusion/Rewrites.h"

using namespace npu;
using namespace npu::rewrites;
using mlir::OpRewritePattern;
using mlir::PatternRewriter;

/// The box of the data that constant indices name, each of its places once and
/// in its own order.
static std::optional<Box> boxOf(Value data, Value indices) {
  ElementsAttr known = constantOf(indices);
  if (!known || known.empty())
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(data);
  auto named = static_cast<size_t>(shapeOf(indices).back());
  SmallVector<int64_t> list = elementInts(known);
  for (auto [i, index] : llvm::enumerate(list))
    if (index < 0)
      index += shape[i % named];
  Box box{SmallVector<int64_t>(shape.size(), 0), SmallVector<int64_t>(shape)};
  int64_t places = 1;
  for (size_t d = 0; d < named; ++d) {
    box.starts[d] = list[d];
    box.extents[d] = list[list.size() - named + d] - list[d] + 1;
    if (box.starts[d] < 0 || box.extents[d] < 1 ||
        box.starts[d] + box.extents[d] > shape[d])
      return std::nullopt;
    places *= box.extents[d];
  }
  if (places != static_cast<int64_t>(list.size() / named))
    return std::nullopt;
  for (int64_t place = 0; place < places; ++place) {
    int64_t rest = place;
    for (size_t d = named; d-- > 0; rest /= box.extents[d])
      if (list[static_cast<size_t>(place) * named + d] !=
          box.starts[d] + rest % box.extents[d])
        return std::nullopt;
  }
  return box;
}

Value rewrites::makeSlice(OpBuilder &builder, Location location, Value data,
                          const Box &box) {
  if (shapeOf(data) == ArrayRef<int64_t>(box.extents))
    return data;
  return SliceOp::create(
      builder, location, tensorType(data).clone(box.extents), data,
      builder.getI64ArrayAttr(box.starts),
      builder.getI64ArrayAttr(SmallVector<int64_t>(box.starts.size(), 1)));
}

/// The part at its place in a tensor of this shape; elsewhere what a sum leaves
/// as it is, down to the sign of 0.
static Value padWithNothing(PatternRewriter &rewriter, Location location,
                            Value part, const Box &box,
                            ArrayRef<int64_t> shape) {
  if (shapeOf(part) == shape)
    return part;
  SmallVector<int64_t> pads(box.starts);
  for (size_t d = 0; d < shape.size(); ++d)
    pads.push_back(shape[d] - box.starts[d] - box.extents[d]);
  mlir::RankedTensorType type = tensorType(part).clone(shape);
  const bool isFloat = isa<mlir::FloatType>(type.getElementType());
  return PadOp::create(
      rewriter, location, type, part, rewriter.getI64ArrayAttr(pads),
      PadModeAttr::get(rewriter.getContext(), PadMode::Constant),
      rewriter.getF64FloatAttr(isFloat ? -0.0 : 0.0));
}

/// The data with the part in the box's place.
static Value makeWritten(PatternRewriter &rewriter, Location location,
                         Value data, const Box &box, Value part) {
  ArrayRef<int64_t> shape = shapeOf(data);
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t end = box.starts[d] + box.extents[d];
    Box beside = box;
    for (size_t inner = d; inner < shape.size(); ++inner) {
      beside.starts[inner] = 0;
      beside.extents[inner] = shape[inner];
    }
    SmallVector<Value> pieces;
    if (box.starts[d] > 0) {
      beside.extents[d] = box.starts[d];
      pieces.push_back(makeSlice(rewriter, location, data, beside));
    }
    pieces.push_back(part);
    if (end < shape[d]) {
      beside.starts[d] = end;
      beside.extents[d] = shape[d] - end;
      pieces.push_back(makeSlice(rewriter, location, data, beside));
    }
    if (pieces.size() == 1)
      continue;
    beside.extents[d] = shape[d];
    part = ConcatOp::create(
        rewriter, location, tensorType(data).clone(beside.extents), pieces,
        rewriter.getI64IntegerAttr(static_cast<int64_t>(d)));
  }
  return part;
}

Read rewrites::readOf(Value value) {
  Read read{value, {{}, SmallVector<int64_t>(shapeOf(value))}};
  read.box.starts.assign(read.box.extents.size(), 0);
  while (auto slice = read.data.getDefiningOp<SliceOp>()) {
    if (!llvm::all_of(toInts(slice.getSteps()),
                      [](int64_t step) { return step == 1; }))
      break;
    for (auto [start, more] :
         llvm::zip(read.box.starts, toInts(slice.getStarts())))
      start += more;
    read.data = slice.getInput();
  }
  return read;
}

namespace {

// Pattern: gather_nd(X, all of a box) -> reshape(slice(X))
struct GatherBox : OpRewritePattern<GatherNdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherNdOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getBatchDims() != 0)
      return rewriter.notifyMatchFailure(op, "indices of each batch");
    std::optional<Box> box = boxOf(op.getData(), op.getIndices());
    if (!box)
      return rewriter.notifyMatchFailure(op, "no box");
    FailureOr<Value> result =
        makeReshape(rewriter, op.getLoc(),
                    makeSlice(rewriter, op.getLoc(), op.getData(), *box),
                    shapeOf(op.getResult()));
    if (failed(result))
      return failure();
    rewriter.replaceOp(op, *result);
    return success();
  }
};

// Pattern: scatter_nd(X, all of a box, U) -> concat(slice(X), U, slice(X))
// Pattern: scatter_nd(X, all of a box, U) that adds -> add(X, pad(U))
struct ScatterBox : OpRewritePattern<ScatterNdOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterNdOp op,
                                PatternRewriter &rewriter) const override {
    Value data = op.getData();
    const bool adds = op.getReduction() == ScatterReduction::Add;
    if (!adds && op.getReduction() != ScatterReduction::None)
      return rewriter.notifyMatchFailure(op, "another reduction");
    std::optional<Box> box = boxOf(data, op.getIndices());
    if (!box)
      return rewriter.notifyMatchFailure(op, "no box");
    FailureOr<Value> part =
        makeReshape(rewriter, op.getLoc(), op.getUpdates(), box->extents);
    if (failed(part))
      return failure();
    if (!adds) {
      rewriter.replaceOp(op,
                         makeWritten(rewriter, op.getLoc(), data, *box, *part));
      return success();
    }
    FailureOr<Value> sum =
        makeEltwise(rewriter, op.getLoc(), NPU_INSTR_add,
                    {data, padWithNothing(rewriter, op.getLoc(), *part, *box,
                                          shapeOf(data))});
    if (failed(sum))
      return failure();
    rewriter.replaceOp(op, *sum);
    return success();
  }
};

/// Pieces that lie one behind the other in a tensor, of which one is added to.
struct SumInPlace {
  Value data;
  int64_t axis;
  Box whole = {};    ///< of all pieces so far
  Value addend = {}; ///< null: none yet
  int64_t start = 0; ///< of the piece that is added to

  /// False where the piece does not go on where the last one ended.
  bool add(Value piece);

private:
  bool join(const Read &next);
};

} // namespace

bool SumInPlace::join(const Read &next) {
  if (next.data != data)
    return false;
  if (whole.starts.empty()) {
    whole = next.box;
    return true;
  }
  for (size_t d = 0; d < whole.starts.size(); ++d) {
    const bool isAxis = static_cast<int64_t>(d) == axis;
    if (next.box.starts[d] !=
            whole.starts[d] + (isAxis ? whole.extents[d] : 0) ||
        (!isAxis && next.box.extents[d] != whole.extents[d]))
      return false;
  }
  whole.extents[axis] += next.box.extents[axis];
  return true;
}

bool SumInPlace::add(Value piece) {
  if (join(readOf(piece)))
    return true;
  EltwiseOp sum = definedBy(piece, NPU_INSTR_add);
  if (!sum || addend || !sum->hasOneUse())
    return false;
  const int64_t before = whole.starts.empty() ? 0 : whole.extents[axis];
  Value left = sum.getInputs()[0], right = sum.getInputs()[1];
  if (left.getType() != piece.getType() || right.getType() != piece.getType())
    return false;
  for (auto [read, other] : {std::pair(left, right), std::pair(right, left)})
    if (join(readOf(read))) {
      addend = other;
      start = before;
      return true;
    }
  return false;
}

namespace {

// Pattern: concat(slice(X), add(slice(X), R), slice(X)) -> add(X, pad(R)),
// where the slices lie one behind the other and most of X is added to.
struct AddInPlace : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    auto kept = llvm::find_if(op.getInputs(), [](Value piece) {
      return !definedBy(piece, NPU_INSTR_add);
    });
    if (kept == op.getInputs().end())
      return rewriter.notifyMatchFailure(op, "nothing stays as it is");
    const auto axis = static_cast<int64_t>(op.getAxis());
    SumInPlace found{readOf(*kept).data, axis};
    if (!llvm::all_of(op.getInputs(),
                      [&](Value piece) { return found.add(piece); }))
      return rewriter.notifyMatchFailure(op, "not one behind the other");
    if (!found.addend)
      return rewriter.notifyMatchFailure(op, "nothing is added");
    Box box{SmallVector<int64_t>(found.whole.extents.size(), 0),
            SmallVector<int64_t>(shapeOf(found.addend))};
    box.starts[axis] = found.start;
    if (2 * box.extents[axis] < found.whole.extents[axis])
      return rewriter.notifyMatchFailure(op, "most of it stays as it is");
    Value data = makeSlice(rewriter, op.getLoc(), found.data, found.whole);
    FailureOr<Value> sum =
        makeEltwise(rewriter, op.getLoc(), NPU_INSTR_add,
                    {data, padWithNothing(rewriter, op.getLoc(), found.addend,
                                          box, found.whole.extents)});
    if (failed(sum))
      return failure();
    rewriter.replaceOp(op, *sum);
    return success();
  }
};

} // namespace

void rewrites::addBoxPatterns(mlir::RewritePatternSet &patterns) {
  patterns.add<GatherBox, ScatterBox, AddInPlace>(patterns.getContext());
}
