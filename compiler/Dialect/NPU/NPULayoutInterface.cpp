// SPDX-License-Identifier: Apache-2.0
//
// LayoutOpInterface of every op: one line each, answers shared by family; and
// the vocabulary that follows from them.
#include "compiler/Dialect/NPU/CustomOp.h"
#include "compiler/Dialect/NPU/LayoutRelations.h"
#include "compiler/Dialect/NPU/NPUDialect.h"
#include "compiler/Dialect/NPU/OpVocabulary.h"
#include "format/element_types.h"

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
  LayoutRelation relation = relations::matmul(
      shapeOf(op->getOperand(0)), shapeOf(op->getOperand(1)), resultShape(op));
  for (Value parameter : cast<MatmulOp>(op).getParameters())
    relations::addUnrelatedOperand(relation, shapeOf(parameter));
  return relation;
}
static LayoutRelation attentionRelation(Operation *op) {
  return relations::attention(operandShapes(op), resultShape(op));
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

// Names of operands in a target's demands.

static const StringRef convRoles[] = {"data", "weight", "bias"};
static const StringRef bpwRoles[] = {"data", "gradient"};
static const StringRef weightRoles[] = {"weight"};
static const StringRef dataRoles[] = {"data"};
static const StringRef inputRoles[] = {"input"};
static const StringRef inputsRoles[] = {"inputs"};
static const StringRef matmulRoles[] = {"a", "b", "scale", "zero_point"};
static const StringRef attentionRoles[] = {"query", "key", "value", "mask"};
static const StringRef normRoles[] = {"input", "scale", "bias"};
static const StringRef gatherRoles[] = {"data", "indices"};
static const StringRef scatterRoles[] = {"data", "indices", "updates"};

static StringRef roleOf(ArrayRef<StringRef> roles, unsigned operand) {
  return operand < roles.size() ? roles[operand] : roles.back();
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

using AxesOf = ImageAxes(int64_t rank, unsigned operand);

static constexpr AxesOf *noAxes = nullptr;
static ImageAxes imageAxes(int64_t rank, unsigned) {
  return axesOfRank(rank, AxisRole::Batch, AxisRole::Channel);
}
static ImageAxes weightAxes(int64_t rank, unsigned) {
  return axesOfRank(rank, AxisRole::OutputChannel, AxisRole::InputChannel);
}
static ImageAxes convAxes(int64_t rank, unsigned operand) {
  if (operand == 1)
    return weightAxes(rank, operand);
  return operand == 0 || operand == OpWords::result ? imageAxes(rank, operand)
                                                    : ImageAxes();
}
/// Both operands are images, the result is a weight.
static ImageAxes bpwAxes(int64_t rank, unsigned operand) {
  return operand == OpWords::result ? weightAxes(rank, operand)
                                    : imageAxes(rank, operand);
}

static ImageAxes axesOf(AxesOf *axes, Value value, unsigned operand) {
  return axes ? axes(tensorType(value).getRank(), operand) : ImageAxes();
}

// What an op is called in a target's demands: itself, but for resizing, where
// each way of interpolation is a kernel of its own on a chip ("bilinear").

static StringRef withoutDialect(StringRef name) {
  return name.drop_front(StringRef("npu.").size());
}
static const StringRef resizeNames[] = {"resize_nearest", "resize_linear",
                                        "resize_cubic"};

static StringRef demandNameOf(Operation *op) {
  return withoutDialect(op->getName().getStringRef());
}
static StringRef demandNameOf(ResizeOp op) {
  return resizeNames[static_cast<size_t>(op.getMode())];
}
template <typename Op>
static SmallVector<StringRef> demandNames() {
  if constexpr (std::is_same_v<Op, ResizeOp>)
    return SmallVector<StringRef>(ArrayRef(resizeNames));
  else
    return {withoutDialect(Op::getOperationName())};
}

#define NPU_LAYOUT_RULES(X)                                                    \
  X(RelayoutOp, Data, relayoutRelation, inputRoles, noAxes, 0)                 \
  X(TransposeOp, Data, transposeRelation, inputRoles, noAxes, 0)               \
  X(ReshapeOp, Data, reshapeRelation, inputRoles, noAxes, 0)                   \
  X(EltwiseOp, Agnostic, broadcastRelation, inputsRoles, noAxes, 0)            \
  X(Conv1dOp, Heavy, convRelation, convRoles, convAxes, 3)                     \
  X(Conv2dOp, Heavy, convRelation, convRoles, convAxes, 4)                     \
  X(Conv3dOp, Heavy, convRelation, convRoles, convAxes, 5)                     \
  X(ConvTranspose1dOp, Heavy, convRelation, convRoles, convAxes, 3)            \
  X(ConvTranspose2dOp, Heavy, convRelation, convRoles, convAxes, 4)            \
  X(ConvTranspose3dOp, Heavy, convRelation, convRoles, convAxes, 5)            \
  X(Conv2dWinogradOp, Heavy, convRelation, convRoles, convAxes, 4)             \
  X(WinogradWeightOp, Light, placesRelation, weightRoles, weightAxes, 0)       \
  X(MaxPoolOp, Heavy, placesRelation, dataRoles, imageAxes, 0)                 \
  X(AvgPoolOp, Heavy, placesRelation, dataRoles, imageAxes, 0)                 \
  X(MatmulOp, Heavy, matmulRelation, matmulRoles, noAxes, 0)                   \
  X(AttentionOp, Heavy, attentionRelation, attentionRoles, noAxes, 0)          \
  X(ConcatOp, Light, placesRelation, inputsRoles, noAxes, 0)                   \
  X(PadOp, Light, placesRelation, inputRoles, noAxes, 0)                       \
  X(SliceOp, Light, placesRelation, inputRoles, noAxes, 0)                     \
  X(ReduceOp, Light, reduceRelation, inputRoles, noAxes, 0)                    \
  X(SoftmaxOp, Light, placesRelation, inputRoles, noAxes, 0)                   \
  X(ResizeOp, Light, placesRelation, inputRoles, noAxes, 0)                    \
  X(GatherOp, Light, gatherRelation, gatherRoles, noAxes, 0)                   \
  X(GatherElementsOp, Light, convRelation, gatherRoles, noAxes, 0)             \
  X(GatherNdOp, Light, gatherNdRelation, gatherRoles, noAxes, 0)               \
  X(ScatterElementsOp, Light, convRelation, scatterRoles, noAxes, 0)           \
  X(ScatterNdOp, Light, convRelation, scatterRoles, noAxes, 0)                 \
  X(MaxPoolIndicesOp, Light, freeRelation, dataRoles, imageAxes, 0)            \
  X(TopKOp, Light, placesRelation, inputRoles, noAxes, 0)                      \
  X(CumulateOp, Light, placesRelation, inputRoles, noAxes, 0)                  \
  X(ConvBpaOp, Heavy, convRelation, convRoles, convAxes, 0)                    \
  X(ConvBpwOp, Heavy, freeRelation, bpwRoles, bpwAxes, 0)                      \
  X(Img2colOp, Light, placesRelation, dataRoles, imageAxes, 0)                 \
  X(UnpoolOp, Light, placesRelation, dataRoles, imageAxes, 0)                  \
  X(MaskunpoolOp, Light, convRelation, gatherRoles, imageAxes, 0)              \
  X(MirrorOp, Light, placesRelation, inputRoles, noAxes, 0)                    \
  X(RotateOp, Light, placesRelation, inputRoles, noAxes, 0)                    \
  X(TensornormOp, Light, normRelation, normRoles, noAxes, 0)                   \
  X(BroadcastOp, Light, broadcastRelation, inputRoles, noAxes, 0)

/// Lowered before layouts are chosen, so that no target speaks of them.
#define NPU_STEPS_RULES(X)                                                     \
  X(QuantizeOp, Agnostic, broadcastRelation, inputsRoles, noAxes, 0)           \
  X(DequantizeOp, Agnostic, broadcastRelation, inputsRoles, noAxes, 0)         \
  X(RequantizeOp, Agnostic, broadcastRelation, inputsRoles, noAxes, 0)

#define NPU_LAYOUT_RULE(OP, SENSITIVITY, RELATION, ROLES, AXES, RANK)          \
  Sensitivity OP::getSensitivity() { return Sensitivity::SENSITIVITY; }        \
  LayoutRelation OP::getLayoutRelation() { return RELATION(getOperation()); }  \
  StringRef OP::getOperandRole(unsigned operand) {                             \
    return roleOf(ROLES, operand);                                             \
  }                                                                            \
  StringRef OP::getDemandName() { return demandNameOf(*this); }                \
  ImageAxes OP::getOperandAxes(unsigned index) {                               \
    return axesOf(AXES, getOperation()->getOperand(index), index);             \
  }                                                                            \
  ImageAxes OP::getResultAxes(unsigned index) {                                \
    return axesOf(AXES, getOperation()->getResult(index), OpWords::result);    \
  }
NPU_LAYOUT_RULES(NPU_LAYOUT_RULE)
NPU_STEPS_RULES(NPU_LAYOUT_RULE)
#undef NPU_LAYOUT_RULE

ArrayRef<OpWords> npu::opVocabulary() {
  static const std::vector<OpWords> vocabulary = [] {
    std::vector<OpWords> words;
#define NPU_OP_WORDS(OP, SENSITIVITY, RELATION, ROLES, AXES, RANK)             \
  for (StringRef name : demandNames<OP>())                                     \
    words.push_back({name, Sensitivity::SENSITIVITY, ROLES, AXES, RANK,        \
                     OP::getAttributeNames()});
    NPU_LAYOUT_RULES(NPU_OP_WORDS)
#undef NPU_OP_WORDS
    return words;
  }();
  return vocabulary;
}

const OpWords *npu::lookupOpWords(StringRef name) {
  const OpWords *found = llvm::find_if(
      opVocabulary(), [&](const OpWords &words) { return words.name == name; });
  return found == opVocabulary().end() ? lookupPluginWords(name) : found;
}

ArrayRef<TypeWord> npu::typeVocabulary() {
  static const SmallVector<TypeWord> words =
      llvm::map_to_vector(elementTypes, [](const ElementType &type) {
        return TypeWord{type.word, type.dtype};
      });
  return words;
}

// A fused kernel answers for its root; without one it is elementwise.

static LayoutOpInterface rootOf(FusedOp op) {
  Operation *root = op.getRoot();
  return root ? dyn_cast<LayoutOpInterface>(root) : LayoutOpInterface();
}

/// The root for one of its operands, which are the fused kernel's first; null
/// for an extra, which only elementwise ops read.
static LayoutOpInterface rootReading(FusedOp op, unsigned operand) {
  LayoutOpInterface root = rootOf(op);
  return root && operand < root->getNumOperands() ? root : LayoutOpInterface();
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
  for (Value extra : getInputs().drop_front(root->getNumOperands()))
    relations::addBroadcastOperand(relation, shapeOf(extra),
                                   shapeOf(getResult()));
  return relation;
}

StringRef FusedOp::getOperandRole(unsigned operand) {
  LayoutOpInterface root = rootReading(*this, operand);
  return root ? root.getOperandRole(operand) : "inputs";
}

StringRef FusedOp::getDemandName() {
  LayoutOpInterface root = rootOf(*this);
  return root ? root.getDemandName() : "eltwise";
}

ImageAxes FusedOp::getOperandAxes(unsigned index) {
  LayoutOpInterface root = rootReading(*this, index);
  return root ? root.getOperandAxes(index) : ImageAxes();
}

ImageAxes FusedOp::getResultAxes(unsigned index) {
  LayoutOpInterface root = rootOf(*this);
  return root ? root.getResultAxes(index) : ImageAxes();
}
