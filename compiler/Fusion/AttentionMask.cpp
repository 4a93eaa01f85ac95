// SPDX-License-Identifier: Apache-2.0

#include "compiler/Fusion/AttentionMask.h"
#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/BitVector.h"

#include <cmath>

using namespace npu;
using namespace npu::rewrites;

/// The shape of a sum; nothing where the shapes do not fit.
static std::optional<SmallVector<int64_t>> summed(ArrayRef<int64_t> a,
                                                  ArrayRef<int64_t> b) {
  std::string error;
  FailureOr<shapes::Shape> sum =
      shapes::broadcast({shapes::Shape(a), shapes::Shape(b)}, error);
  if (failed(sum))
    return std::nullopt;
  return SmallVector<int64_t>(*sum);
}

/// A mask of scores with dimensions `from` in front of the matrices, for those
/// with dimensions `to`; nothing where it repeats part of one of these.
static std::optional<SmallVector<int64_t>>
inBatch(ArrayRef<int64_t> mask, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from == to)
    return SmallVector<int64_t>(mask);
  auto parts = CommonParts::find(from, to);
  if (!parts)
    return std::nullopt;
  SmallVector<int64_t> whole(from.size() + 2 - mask.size(), 1);
  llvm::append_range(whole, mask);
  llvm::BitVector isOwn(parts->extents.size());
  for (size_t d = 0; d < from.size(); ++d)
    for (int64_t part : parts->ofFirst[d])
      isOwn[part] = whole[d] != 1;
  SmallVector<int64_t> shape;
  for (ArrayRef<int64_t> own : parts->ofSecond) {
    shape.push_back(1);
    for (int64_t part : own) {
      if (isOwn[part] != isOwn[own.front()])
        return std::nullopt;
      shape.back() *= isOwn[part] ? parts->extents[part] : 1;
    }
  }
  llvm::append_range(shape, ArrayRef(whole).take_back(2));
  return shape;
}

/// Computed at once where that is no larger than what it is computed of.
static FailureOr<Value> makeSum(OpBuilder &builder, Location location, Value a,
                                Value b) {
  std::optional<SmallVector<int64_t>> shape = summed(shapeOf(a), shapeOf(b));
  if (!shape)
    return failure();
  if (mlir::ShapedType::getNumElements(*shape) <=
      tensorType(a).getNumElements() + tensorType(b).getNumElements())
    return makeEltwise(builder, location, NPU_INSTR_add, {a, b});
  return EltwiseOp::create(builder, location, tensorType(a).clone(*shape),
                           builder.getI32IntegerAttr(NPU_INSTR_add),
                           ValueRange{a, b}, builder.getF32FloatAttr(0),
                           builder.getF32FloatAttr(0))
      .getResult();
}

void AttentionMask::push(Value mask, ArrayRef<int64_t> scores) {
  auto *same = llvm::find_if(
      terms, [&](const Term &term) { return ArrayRef(term.scores) == scores; });
  if (same == terms.end())
    terms.push_back({SmallVector<int64_t>(scores), {mask}});
  else
    same->masks.push_back(mask);
}

bool AttentionMask::holdAbove(float bound) {
  // Beside it scores below 1e31 are less than its last bit.
  if (!terms.empty() || least || !(bound <= -3e38f) || std::isinf(bound))
    return false;
  least = bound;
  return true;
}

/// Where rows or columns are split, the sum must be as large as the scores: no
/// reshape gives rows and columns otherwise.
bool AttentionMask::settleTerm(Term &term, ArrayRef<int64_t> product) const {
  SmallVector<int64_t> sum;
  for (Value mask : term.masks) {
    auto next = summed(sum, shapeOf(mask));
    if (!next)
      return false;
    sum = std::move(*next);
  }
  ArrayRef<int64_t> scores = term.scores;
  if (scores.take_back(2) != product.take_back(2)) {
    term.shape = batch;
    llvm::append_range(term.shape, product.take_back(2));
    return ArrayRef(sum) == scores;
  }
  auto own = inBatch(sum, scores.drop_back(2), batch);
  if (own)
    term.shape = std::move(*own);
  return own.has_value();
}

bool AttentionMask::settle(ArrayRef<int64_t> product) {
  if (terms.empty())
    return false;
  // The most dimensions, so that none is in part a mask's own.
  batch = SmallVector<int64_t>(product.drop_back(2));
  bool isFirst = true;
  for (const Term &term : terms) {
    ArrayRef<int64_t> scores = term.scores;
    if (scores.size() < 2 || scores.take_back(2) != product.take_back(2))
      continue;
    if (isFirst || scores.size() > batch.size() + 2)
      batch = SmallVector<int64_t>(scores.drop_back(2));
    isFirst = false;
  }
  shape.clear();
  for (Term &term : terms) {
    auto next =
        settleTerm(term, product) ? summed(shape, term.shape) : std::nullopt;
    if (!next)
      return false;
    shape = std::move(*next);
  }
  return true;
}

FailureOr<Value> AttentionMask::make(OpBuilder &builder,
                                     Location location) const {
  Value mask;
  for (const Term &term : llvm::reverse(terms)) {
    Value sum;
    for (Value one : llvm::reverse(term.masks)) {
      FailureOr<Value> more =
          sum ? makeSum(builder, location, sum, one) : FailureOr<Value>(one);
      if (failed(more))
        return failure();
      sum = *more;
    }
    FailureOr<Value> own = makeReshape(builder, location, sum, term.shape);
    if (succeeded(own) && mask)
      own = makeSum(builder, location, mask, *own);
    if (failed(own))
      return failure();
    mask = *own;
  }
  if (!least)
    return mask;
  return makeEltwise(builder, location, NPU_INSTR_max,
                     {mask, makeFloats(builder, location, {}, {*least})});
}
