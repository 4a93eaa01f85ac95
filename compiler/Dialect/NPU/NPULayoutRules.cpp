// SPDX-License-Identifier: Apache-2.0
//
// LayoutOpInterface of every op: one line each, answers shared by family.
#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "compiler/Dialect/NPU/NPUDialect.h"

using namespace npu;

using Shapes = SmallVector<ArrayRef<int64_t>>;

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

static Shapes operandShapes(Operation *op) {
  Shapes shapes;
  for (Value operand : op->getOperands())
    shapes.push_back(shapeOf(operand));
  return shapes;
}

static ArrayRef<int64_t> resultShape(Operation *op) {
  return shapeOf(op->getResult(0));
}

// Relations by family.

static LayoutRelation convRelation(Operation *op) {
  return relations::conv(operandShapes(op), resultShape(op));
}
static LayoutRelation placesRelation(Operation *op) {
  return relations::samePlaces(operandShapes(op), resultShape(op));
}
static LayoutRelation broadcastRelation(Operation *op) {
  return relations::broadcast(operandShapes(op), resultShape(op));
}
static LayoutRelation matmulRelation(Operation *op) {
  return relations::matmul(shapeOf(op->getOperand(0)),
                           shapeOf(op->getOperand(1)), resultShape(op));
}
static LayoutRelation relayoutRelation(Operation *op) {
  return relations::relayout(resultShape(op));
}
static LayoutRelation transposeRelation(Operation *op) {
  return relations::transpose(shapeOf(op->getOperand(0)),
                              toInts(cast<TransposeOp>(op).getPermutation()));
}
static LayoutRelation reshapeRelation(Operation *op) {
  return relations::reshape(shapeOf(op->getOperand(0)), resultShape(op));
}
static LayoutRelation reduceRelation(Operation *op) {
  auto reduce = cast<ReduceOp>(op);
  return relations::reduce(shapeOf(reduce.getInput()), toInts(reduce.getAxes()),
                           reduce.getKeepDims());
}
static LayoutRelation gatherRelation(Operation *op) {
  auto gather = cast<GatherOp>(op);
  return relations::gather(shapeOf(gather.getData()),
                           shapeOf(gather.getIndices()), gather.getAxis());
}

static LayoutRelation gatherNdRelation(Operation *op) {
  auto gather = cast<GatherNdOp>(op);
  return relations::gatherNd(shapeOf(gather.getData()),
                             shapeOf(gather.getIndices()),
                             gather.getBatchDims());
}
/// No order depends on another: where each window's maximum lies, a sum over
/// all places.
static LayoutRelation freeRelation(Operation *op) {
  return relations::unrelated(operandShapes(op), resultShape(op));
}

/// Scale and bias are read through broadcasting.
static LayoutRelation normRelation(Operation *op) {
  LayoutRelation relation =
      relations::samePlaces(operandShapes(op)[0], resultShape(op));
  for (Value parameter : op->getOperands().drop_front()) {
    relations::addBroadcastOperand(relation, shapeOf(parameter),
                                   resultShape(op));
    relation.independent.back() = true;
  }
  return relation;
}

// Roles of operands in a target's demands.

static StringRef convRole(unsigned operand) {
  return operand == 0 ? "data" : operand == 1 ? "weight" : "bias";
}
static StringRef weightRole(unsigned) { return "weight"; }
static StringRef dataRole(unsigned) { return "data"; }
static StringRef inputRole(unsigned) { return "input"; }
static StringRef inputsRole(unsigned) { return "inputs"; }
static StringRef matmulRole(unsigned operand) {
  return operand == 0 ? "a" : "b";
}
static StringRef normRole(unsigned operand) {
  return operand == 0 ? "input" : operand == 1 ? "scale" : "bias";
}
static StringRef gatherRole(unsigned operand) {
  return operand == 0 ? "data" : operand == 1 ? "indices" : "updates";
}

// Image axes that an op knows by itself; ranks 3 to 5.

/// `first`, `second`, then the spatial dimensions of the rank.
static ImageAxes axesOfRank(int64_t rank, AxisRole first, AxisRole second) {
  ImageAxes axes = {first, second};
  if (rank >= 5)
    axes.push_back(AxisRole::Depth);
  if (rank >= 4)
    axes.push_back(AxisRole::Height);
  axes.push_back(AxisRole::Width);
  return axes;
}

static ImageAxes activationAxes(Value value) {
  return axesOfRank(tensorType(value).getRank(), AxisRole::Batch,
                    AxisRole::Channel);
}
static ImageAxes noAxes(Value, unsigned) { return {}; }
static ImageAxes poolAxes(Value value, unsigned) {
  return activationAxes(value);
}
/// Operand 1 of a convolution is its weight; results are asked as operand 0.
static ImageAxes convAxes(Value value, unsigned operand) {
  if (operand == 0)
    return activationAxes(value);
  if (operand == 1)
    return axesOfRank(tensorType(value).getRank(), AxisRole::OutputChannel,
                      AxisRole::InputChannel);
  return {};
}

static ImageAxes weightAxes(Value value, unsigned) {
  return convAxes(value, 1);
}

static StringRef plainName(Operation *op) {
  return op->getName().getStringRef().drop_front(StringRef("npu.").size());
}

// Linear interpolation is a kernel of its own on a chip ("bilinear").
static StringRef resizeName(Operation *op) {
  StringRef mode = cast<ResizeOp>(op).getMode();
  return mode == "nearest"  ? "resize_nearest"
         : mode == "linear" ? "resize_linear"
                            : "resize_cubic";
}

#define NPU_LAYOUT_RULE(OP, SENSITIVITY, RELATION, ROLE, AXES, NAME)           \
  Sensitivity OP::getSensitivity() { return Sensitivity::SENSITIVITY; }        \
  LayoutRelation OP::getLayoutRelation() { return RELATION(getOperation()); }  \
  StringRef OP::getOperandRole(unsigned operand) { return ROLE(operand); }     \
  StringRef OP::getDemandName() { return NAME(getOperation()); }               \
  ImageAxes OP::getOperandAxes(unsigned index) {                               \
    return AXES(getOperation()->getOperand(index), index);                     \
  }                                                                            \
  ImageAxes OP::getResultAxes(unsigned index) {                                \
    return AXES(getOperation()->getResult(index), 0);                          \
  }

// clang-format off
NPU_LAYOUT_RULE(RelayoutOp, Data, relayoutRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(TransposeOp, Data, transposeRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(ReshapeOp, Data, reshapeRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(EltwiseOp, Agnostic, broadcastRelation, inputsRole, noAxes, plainName)
NPU_LAYOUT_RULE(Conv1dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(Conv2dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(Conv3dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(ConvTranspose1dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(ConvTranspose2dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(ConvTranspose3dOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(Conv2dWinogradOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(WinogradWeightOp, Light, placesRelation, weightRole, weightAxes, plainName)
NPU_LAYOUT_RULE(MaxPoolOp, Heavy, placesRelation, dataRole, poolAxes, plainName)
NPU_LAYOUT_RULE(AvgPoolOp, Heavy, placesRelation, dataRole, poolAxes, plainName)
NPU_LAYOUT_RULE(MatmulOp, Heavy, matmulRelation, matmulRole, noAxes, plainName)
NPU_LAYOUT_RULE(ConcatOp, Light, placesRelation, inputsRole, noAxes, plainName)
NPU_LAYOUT_RULE(PadOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(SliceOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(ReduceOp, Light, reduceRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(SoftmaxOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(ResizeOp, Light, placesRelation, inputRole, noAxes, resizeName)
NPU_LAYOUT_RULE(GatherOp, Light, gatherRelation, gatherRole, noAxes, plainName)
NPU_LAYOUT_RULE(GatherElementsOp, Light, convRelation, gatherRole, noAxes, plainName)
NPU_LAYOUT_RULE(GatherNdOp, Light, gatherNdRelation, gatherRole, noAxes, plainName)
NPU_LAYOUT_RULE(ScatterElementsOp, Light, convRelation, gatherRole, noAxes, plainName)
NPU_LAYOUT_RULE(ScatterNdOp, Light, convRelation, gatherRole, noAxes, plainName)
NPU_LAYOUT_RULE(MaxPoolIndicesOp, Light, freeRelation, dataRole, poolAxes, plainName)
NPU_LAYOUT_RULE(TopKOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(CumulateOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(ConvBpaOp, Heavy, convRelation, convRole, convAxes, plainName)
NPU_LAYOUT_RULE(Img2colOp, Light, placesRelation, dataRole, poolAxes, plainName)
NPU_LAYOUT_RULE(UnpoolOp, Light, placesRelation, dataRole, poolAxes, plainName)
NPU_LAYOUT_RULE(MaskunpoolOp, Light, convRelation, gatherRole, poolAxes, plainName)
NPU_LAYOUT_RULE(MirrorOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(RotateOp, Light, placesRelation, inputRole, noAxes, plainName)
NPU_LAYOUT_RULE(TensornormOp, Light, normRelation, normRole, noAxes, plainName)
NPU_LAYOUT_RULE(BroadcastOp, Light, broadcastRelation, inputRole, noAxes, plainName)
// clang-format on
#undef NPU_LAYOUT_RULE

// Both operands are images, the result is a weight.

Sensitivity ConvBpwOp::getSensitivity() { return Sensitivity::Heavy; }
LayoutRelation ConvBpwOp::getLayoutRelation() {
  return freeRelation(getOperation());
}
StringRef ConvBpwOp::getOperandRole(unsigned operand) {
  return operand == 0 ? "data" : "gradient";
}
StringRef ConvBpwOp::getDemandName() { return plainName(getOperation()); }
ImageAxes ConvBpwOp::getOperandAxes(unsigned index) {
  return activationAxes(getOperation()->getOperand(index));
}
ImageAxes ConvBpwOp::getResultAxes(unsigned) {
  return convAxes(getResult(), 1);
}

// A fused kernel answers for its root; without one it is elementwise.

static LayoutOpInterface rootOf(FusedOp op) {
  Operation *root = op.getRoot();
  return root ? dyn_cast<LayoutOpInterface>(root) : LayoutOpInterface();
}

/// The root's operand that the fused kernel's operand `index` becomes, or -1
/// for an extra, which only elementwise ops read.
static int rootOperand(FusedOp op, unsigned index) {
  Operation *root = op.getRoot();
  if (!root)
    return -1;
  Value argument = op.getBody().front().getArgument(index);
  for (OpOperand &operand : root->getOpOperands())
    if (operand.get() == argument)
      return operand.getOperandNumber();
  return -1;
}

Sensitivity FusedOp::getSensitivity() {
  LayoutOpInterface root = rootOf(*this);
  return root ? root.getSensitivity() : Sensitivity::Agnostic;
}

LayoutRelation FusedOp::getLayoutRelation() {
  LayoutOpInterface root = rootOf(*this);
  if (!root)
    return broadcastRelation(getOperation());
  LayoutRelation relation = root.getLayoutRelation();
  auto operands = std::move(relation.operands);
  auto independent = std::move(relation.independent);
  relation.operands.clear();
  relation.independent.clear();
  for (unsigned i = 0; i < getInputs().size(); ++i) {
    int from = rootOperand(*this, i);
    if (from < 0) {
      relations::addBroadcastOperand(relation, shapeOf(getInputs()[i]),
                                     shapeOf(getResult()));
      continue;
    }
    relation.operands.push_back(operands[from]);
    relation.independent.push_back(independent[from]);
  }
  return relation;
}

StringRef FusedOp::getOperandRole(unsigned operand) {
  int from = rootOperand(*this, operand);
  return from < 0 ? "inputs" : rootOf(*this).getOperandRole(from);
}

StringRef FusedOp::getDemandName() {
  LayoutOpInterface root = rootOf(*this);
  return root ? root.getDemandName() : "eltwise";
}

ImageAxes FusedOp::getOperandAxes(unsigned index) {
  int from = rootOperand(*this, index);
  return from < 0 ? ImageAxes() : rootOf(*this).getOperandAxes(from);
}

ImageAxes FusedOp::getResultAxes(unsigned index) {
  LayoutOpInterface root = rootOf(*this);
  return root ? root.getResultAxes(index) : ImageAxes();
}
