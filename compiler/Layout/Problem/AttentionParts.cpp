// SPDX-License-Identifier: Apache-2.0
//
// Attention in parts: a product with the scale and the mask behind it, softmax,
// a product. What the model spelled out before npu-match-attention.
#include "compiler/Layout/Problem/Alternatives.h"

#include "llvm/Support/FormatVariadic.h"

using namespace npu;

static AttentionOp attentionOf(Operation *op) {
  if (auto fused = dyn_cast<FusedOp>(op))
    op = fused.getRoot();
  return dyn_cast_or_null<AttentionOp>(op);
}

static std::string whyNotParts(Operation *op) {
  AttentionOp attention = attentionOf(op);
  if (!attention)
    return "it is no attention";
  ArrayRef<int64_t> query = tensorType(attention.getQuery()).getShape(),
                    key = tensorType(attention.getKey()).getShape();
  if (attention.getCausal() || query.drop_back(2) != key.drop_back(2))
    return "it is causal, or its heads of keys serve several of queries";
  return "";
}

namespace {
/// Types and numbers as the replacement's text has them.
struct Spelling {
  explicit Spelling(AttentionOp op)
      : op(op), element(tensorType(op.getQuery()).getElementType()) {
    const Type stored = element;
    if (sumsInF32())
      element = mlir::Float32Type::get(op.getContext());
    SmallVector<int64_t> shape(tensorType(op.getQuery()).getShape());
    int64_t rank = static_cast<int64_t>(shape.size());
    shape.back() = tensorType(op.getKey()).getDimSize(rank - 2);
    scores = text(RankedTensorType::get(shape, element));
    weights = text(RankedTensorType::get(shape, stored));
    SmallVector<int64_t> turned(tensorType(op.getKey()).getShape());
    std::swap(turned[rank - 1], turned[rank - 2]);
    transposed = text(RankedTensorType::get(turned, stored));
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    std::swap(order[rank - 1], order[rank - 2]);
    permutation = llvm::formatv("{0:$[, ]}",
                                llvm::make_range(order.begin(), order.end()));
  }

  template <typename T>
  static std::string text(T what) {
    return llvm::formatv("{0}", what).str();
  }

  /// %name = a constant of one number.
  std::string constant(StringRef name, double number) const {
    auto type = RankedTensorType::get({}, element);
    auto value = mlir::DenseElementsAttr::get(
        type, Attribute(mlir::FloatAttr::get(element, number)));
    return llvm::formatv("  %{0} = npu.constant {1} -> {2}\n", name,
                         text(Attribute(value)), text(type))
        .str();
  }

  AttentionOp op;
  Type element; // of scores
  std::string scores, weights, transposed, permutation;

private:
  /// Products of bf16 are, unless a mask of bf16 is added to them.
  bool sumsInF32() {
    Value mask = op.getMask();
    return element.isBF16() &&
           !(mask && tensorType(mask).getElementType().isBF16());
  }
};
} // namespace

/// Behind the product, in its kernel: the scale, then the mask.
static std::string scoresText(const Spelling &s) {
  AttentionOp op = s.op;
  const bool hasMask = op.getMask() != nullptr,
             isBoolean = hasMask &&
                         tensorType(op.getMask()).getElementType().isInteger(1);
  std::string one = Spelling::text(RankedTensorType::get({}, s.element));
  std::string text = s.constant("scale", op.getScale().convertToDouble());
  std::string operands = "%operand0, %keys, %scale",
              types = "!operand0, " + s.transposed + ", " + one,
              arguments = "%a: !operand0, %b: " + s.transposed + ", %s: " + one;
  if (hasMask) {
    operands += ", %operand3";
    types += ", !operand3";
    arguments += ", %m: !operand3";
  }
  if (isBoolean) {
    text += s.constant("fill", op.getFill().convertToDouble());
    operands += ", %fill";
    types += ", " + one;
    arguments += ", %f: " + one;
  }
  text +=
      llvm::formatv("  %scores = npu.fused({0}) : ({1}) -> {2} {{\n"
                    "  ^bb0({3}):\n"
                    "    %p = npu.matmul(%a, %b) : (!operand0, {4}) -> {2}\n"
                    "    %x = npu.eltwise mul(%p, %s) : ({2}, {5}) -> {2}\n",
                    operands, types, s.scores, arguments, s.transposed, one);
  if (isBoolean)
    text += llvm::formatv("    %y = npu.eltwise select(%m, %x, %f) : "
                          "(!operand3, {0}, {1}) -> {0}\n",
                          s.scores, one);
  else if (hasMask)
    text += llvm::formatv(
        "    %y = npu.eltwise add(%x, %m) : ({0}, !operand3) -> {0}\n",
        s.scores);
  return text + llvm::formatv("    npu.yield %{0} : {1}\n  }\n",
                              hasMask ? "y" : "x", s.scores)
                    .str();
}

static std::string partsOf(Operation *op) {
  Spelling s(cast<AttentionOp>(op));
  std::string rounded;
  if (s.weights != s.scores)
    rounded = llvm::formatv(
        "  %rounded = npu.eltwise cast(%weights) : ({0}) -> {1}\n", s.scores,
        s.weights);
  return llvm::formatv(
             "  %keys = npu.transpose(%operand1) {{permutation = [{0}]} : "
             "(!operand1) -> {1}\n",
             s.permutation, s.transposed)
             .str() +
         scoresText(s) +
         llvm::formatv(
             "  %weights = npu.softmax(%scores) {{axis = {0} : i64} : ({1}) "
             "-> {1}\n{2}"
             "  %result = npu.matmul(%{3}, %operand2) : ({4}, !operand2) "
             "-> !result\n  return %result : !result",
             tensorType(s.op.getQuery()).getRank() - 1, s.scores, rounded,
             rounded.empty() ? "weights" : "rounded", s.weights)
             .str();
}

Alternative npu::attentionParts() {
  Alternative row;
  row.name = "attention_parts";
  row.summary = "attention as a product, softmax and a product";
  row.family = "attention";
  row.whyNot = whyNotParts;
  row.fits = [](Operation *, ArrayRef<LayoutAttr>) { return true; };
  row.parts = partsOf;
  return row;
}
