// SPDX-License-Identifier: Apache-2.0
#include "compiler/Fusion/ChannelOrder.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Fusion/FusionTraits.h"
#include "compiler/Fusion/Rewrites.h"
#include "compiler/Fusion/WeightedKernel.h"

using namespace npu;
using namespace npu::rewrites;

/// How far readers and givers are followed.
static constexpr int chainDepth = 8;

bool rewrites::isImage(Value value) { return tensorType(value).getRank() >= 3; }

/// The places of channels once their parts, of these extents, are in this
/// order: of each new channel the old one.
static SmallVector<int64_t> placesOf(ArrayRef<int64_t> extents,
                                     ArrayRef<size_t> order) {
  int64_t count = 1;
  SmallVector<int64_t> inner(extents.size());
  for (size_t part = extents.size(); part-- > 0;) {
    inner[part] = count;
    count *= extents[part];
  }
  SmallVector<int64_t> from;
  for (int64_t channel = 0; channel < count; ++channel) {
    int64_t rest = channel, old = 0;
    for (size_t part : llvm::reverse(order)) {
      old += rest % extents[part] * inner[part];
      rest /= extents[part];
    }
    from.push_back(old);
  }
  return from;
}

std::optional<Shuffle> rewrites::shuffleOf(Operation *last) {
  auto end = dyn_cast_or_null<ReshapeOp>(last);
  auto transpose = end ? end.getInput().getDefiningOp<TransposeOp>() : nullptr;
  auto begin =
      transpose ? transpose.getInput().getDefiningOp<ReshapeOp>() : nullptr;
  if (!begin || begin.getInput().getType() != end.getResult().getType() ||
      !isImage(end.getResult()) ||
      tensorType(end.getResult()).getNumElements() == 0)
    return std::nullopt;
  auto parts =
      CommonParts::find(shapeOf(begin.getInput()), shapeOf(begin.getResult()));
  if (!parts)
    return std::nullopt;
  SmallVector<int64_t> before, behind;
  for (const auto &dim : parts->ofFirst)
    llvm::append_range(before, dim);
  for (int64_t dim : toInts(transpose.getPermutation()))
    llvm::append_range(behind, parts->ofSecond[dim]);
  // Only the parts of the channels may have moved, among themselves.
  const size_t first = parts->ofFirst[0].size();
  ArrayRef<int64_t> own = parts->ofFirst[channelDim];
  SmallVector<int64_t> extents;
  SmallVector<size_t> order;
  for (size_t i = 0; i < before.size(); ++i) {
    const bool isChannel = i >= first && i < first + own.size();
    const auto *place = llvm::find(own, behind[i]);
    if (isChannel ? place == own.end() : before[i] != behind[i])
      return std::nullopt;
    if (isChannel)
      order.push_back(place - own.begin());
  }
  for (int64_t part : own)
    extents.push_back(parts->extents[part]);
  return Shuffle{begin.getInput(), placesOf(extents, order)};
}

SmallVector<Operation *> rewrites::shufflesFrom(Operation *first) {
  SmallVector<Operation *> ends;
  if (!isa<ReshapeOp>(first))
    return ends;
  for (Operation *transpose : first->getUsers()) {
    if (!isa<TransposeOp>(transpose))
      return {};
    for (Operation *end : transpose->getUsers()) {
      if (!shuffleOf(end))
        return {};
      ends.push_back(end);
    }
  }
  return ends;
}

bool rewrites::slicesChannels(SliceOp slice) {
  ArrayRef<int64_t> whole = shapeOf(slice.getInput()),
                    part = shapeOf(slice.getResult());
  SmallVector<int64_t> steps = toInts(slice.getSteps());
  for (size_t dim = 0; dim < whole.size(); ++dim)
    if (static_cast<int64_t>(dim) != channelDim &&
        (whole[dim] != part[dim] || steps[dim] != 1))
      return false;
  return true;
}

static bool areConstants(ValueRange values) {
  return llvm::all_of(values, [](Value value) { return constantOf(value); });
}

/// Convolutions, whose weights and bias are constants; not of groups.
static bool isWholeConv(Operation *op) {
  std::optional<WeightedKernel> kernel = weightedKernel(op);
  return kernel && kernel->kind == NPU_OP_CONV && kernel->groups == 1 &&
         areConstants(op->getOperands().drop_front());
}

/// Of each channel alone, one result.
static bool isDepthwise(Operation *op) {
  std::optional<WeightedKernel> kernel = weightedKernel(op);
  return kernel && kernel->kind == NPU_OP_CONV &&
         kernel->groups == shapeOf(op->getOperand(0))[channelDim] &&
         kernel->groups == shapeOf(op->getResult(0))[channelDim] &&
         areConstants(op->getOperands().drop_front());
}

/// The operand whose channels an op treats each by itself, beside constants;
/// nothing of another op.
static std::optional<unsigned> channelwise(Operation *op) {
  auto kernel = dyn_cast_or_null<KernelOpInterface>(op);
  if ((!kernel && !isElementwise(op)) || op->getNumResults() != 1 ||
      !isImage(op->getResult(0)))
    return std::nullopt;
  if (kernel && (isDepthwise(op) || fusionTraitsOf(kernel).keepsChannels))
    return 0;
  std::optional<unsigned> data;
  if (!isElementwise(op))
    return std::nullopt;
  for (auto [index, operand] : llvm::enumerate(op->getOperands())) {
    if (constantOf(operand))
      continue;
    if (data || shapeOf(operand) != shapeOf(op->getResult(0)))
      return std::nullopt;
    data = static_cast<unsigned>(index);
  }
  return data;
}

/// The constant with its elements of dimension `dim` in this order.
static Value permuted(OpBuilder &builder, Value constant, int64_t dim,
                      ArrayRef<int64_t> order) {
  ElementsAttr elements = constantOf(constant);
  RankedTensorType type = tensorType(constant);
  if (elements.isSplat())
    return constant;
  std::vector<char> storage;
  ArrayRef<char> bytes = elementBytes(elements, storage);
  ArrayRef<int64_t> shape = type.getShape();
  const size_t all = bytes.size();
  size_t outer = 1;
  for (int64_t extent : shape.take_front(dim))
    outer *= static_cast<size_t>(extent);
  const size_t extent = order.size(), size = all / outer / extent;
  std::vector<char> moved;
  moved.reserve(all);
  for (size_t row = 0; row < outer; ++row)
    for (int64_t from : order)
      llvm::append_range(
          moved,
          bytes.slice((row * extent + static_cast<size_t>(from)) * size, size));
  return ConstantOp::create(builder, constant.getLoc(), type,
                            makeElements(type, std::move(moved)));
}

/// Puts the constants beside an op's data into this order of its channels.
static void orderConstants(OpBuilder &builder, Operation *op,
                           ArrayRef<int64_t> order) {
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!constantOf(value))
      continue;
    const int64_t rank = tensorType(value).getRank(),
                  whole = tensorType(op->getResult(0)).getRank(),
                  dim = isElementwise(op) ? channelDim - (whole - rank) : 0;
    if (dim >= 0 && shapeOf(value)[dim] != 1)
      operand.set(permuted(builder, value, dim, order));
  }
}

static bool takesAnyOrder(OpOperand &use, int depth) {
  Operation *op = use.getOwner();
  if (isWholeConv(op))
    return use.getOperandNumber() == 0;
  std::optional<unsigned> data = channelwise(op);
  return depth > 0 && data == use.getOperandNumber() &&
         !op->getResult(0).use_empty() &&
         llvm::all_of(op->getResult(0).getUses(), [&](OpOperand &next) {
           return takesAnyOrder(next, depth - 1);
         });
}

bool rewrites::takesAnyOrder(OpOperand &use) {
  return ::takesAnyOrder(use, chainDepth);
}

void rewrites::takeInOrder(OpBuilder &builder, OpOperand &use, Value data,
                           ArrayRef<int64_t> order) {
  Operation *op = use.getOwner();
  if (use.get() != data)
    use.set(data);
  if (isIdentity(order))
    return;
  if (isWholeConv(op)) {
    builder.setInsertionPoint(op);
    op->setOperand(1, permuted(builder, op->getOperand(1), 1, order));
    return;
  }
  orderConstants(builder, op, order);
  for (OpOperand &next : op->getResult(0).getUses())
    takeInOrder(builder, next, op->getResult(0), order);
}

bool rewrites::givesAnyOrder(Value value) {
  for (int depth = chainDepth; depth > 0; --depth) {
    Operation *op = value.getDefiningOp();
    if (op && isWholeConv(op))
      return true;
    std::optional<unsigned> data = channelwise(op);
    if (!data)
      return false;
    value = op->getOperand(*data);
    if (!value.hasOneUse())
      return false;
  }
  return false;
}

void rewrites::giveInOrder(OpBuilder &builder, Value value,
                           ArrayRef<int64_t> order) {
  Operation *op = value.getDefiningOp();
  while (!isWholeConv(op)) {
    orderConstants(builder, op, order);
    op = op->getOperand(*channelwise(op)).getDefiningOp();
  }
  builder.setInsertionPoint(op);
  for (unsigned index = 1; index < op->getNumOperands(); ++index)
    op->setOperand(index, permuted(builder, op->getOperand(index), 0, order));
}
