// SPDX-License-Identifier: Apache-2.0
//
// What onnxruntime's optimizer makes one node of, but attention: activations,
// norms and embeddings with what lies in front of them. The steps are those of
// the model as it was exported, so that fusion finds the same in both.
#include "compiler/Frontend/ONNX/OnnxArithmetic.h"
#include "compiler/Frontend/ONNX/OnnxHeads.h"
#include "compiler/Frontend/ONNX/OnnxOps.h"
#include "compiler/Frontend/ONNX/OnnxQuantize.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include "llvm/ADT/StringExtras.h"

using namespace npu;

/// An error unless the input is a vector for the last dimension of the data.
static LogicalResult checkVector(OnnxNode &node, size_t index, Value x) {
  Value vector = node.getInput(index);
  if (!vector || (rankOf(x) > 0 && rankOf(vector) == 1 &&
                  shapeOf(vector)[0] == shapeOf(x).back()))
    return success();
  return node.error(
      "found input " + Twine(index) + " '" + node.schema.inputs[index].name +
      "' of shape " + shapes::text(shapeOf(vector)) + " for data of shape " +
      shapes::text(shapeOf(x)) + ", expected a vector for the last dimension");
}

/// gelu(x + bias), where FastGelu may have no bias.
LogicalResult npu::buildBiasGelu(OnnxNode &node) {
  Value x = node.getInput(0);
  if (failed(checkVector(node, 1, x)))
    return failure();
  if (node.hasInput(1))
    x = add(node, x, node.getInput(1));
  return node.setResult(
      node.eltwise(static_cast<npu_instr_kind>(node.op.kind), x));
}

LogicalResult npu::buildQuickGelu(OnnxNode &node) {
  return node.setResult(node.eltwise(NPU_INSTR_swish, node.getInput(0),
                                     node.getFloat("alpha", 1.702)));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The function that is named in attribute `activation`, of as many parameters
/// as it has; x itself where none is named.
static Value activated(OnnxNode &node, Value x, ArrayRef<double> parameters) {
  struct Row {
    StringRef name;
    npu_instr_kind kind;
    size_t parameters;
  };
  static const Row rows[] = {
      {"Clip", NPU_INSTR_clip, 2},
      {"Elu", NPU_INSTR_elu, 1},
      {"HardSigmoid", NPU_INSTR_hard_sigmoid, 2},
      {"LeakyRelu", NPU_INSTR_leaky_relu, 1},
      {"Relu", NPU_INSTR_relu, 0},
      {"Sigmoid", NPU_INSTR_sigmoid, 0},
      {"Softplus", NPU_INSTR_softplus, 0},
      {"Tanh", NPU_INSTR_tanh, 0},
  };
  std::string name = node.getString("activation", "");
  if (name.empty())
    return x;
  const Row *row =
      llvm::find_if(rows, [&](const Row &row) { return row.name == name; });
  if (row == std::end(rows)) {
    SmallVector<StringRef> names;
    for (const Row &known : rows)
      names.push_back(known.name);
    (void)node.unsupported("attribute 'activation' is '" + name +
                           "', expected one of " + llvm::join(names, ", "));
    return Value();
  }
  if (parameters.size() < row->parameters)
    return node.fail("has " + Twine(parameters.size()) + " parameters for " +
                     name + ", expected " + Twine(row->parameters));
  return node.eltwise(row->kind, x, row->parameters > 0 ? parameters[0] : 0,
                      row->parameters > 1 ? parameters[1] : 0);
}

LogicalResult npu::buildFusedGemm(OnnxNode &node) {
  SmallVector<double> parameters;
  for (const char *name : {"activation_alpha", "activation_beta"})
    if (node.hasAttribute(name))
      parameters.push_back(node.getFloat(name, 0));
  node.ignore({"activation_gamma"}); // of none of the functions
  return node.setResult(activated(node, gemmOf(node), parameters));
}

/// Conv, plus the fourth input, and a function of the sum.
LogicalResult npu::buildFusedConv(OnnxNode &node) {
  SmallVector<double> parameters =
      node.getFloats("activation_params").value_or(SmallVector<double>());
  Value sum = convolutionOf(node);
  if (sum && node.hasInput(3)) {
    if (shapeOf(node.getInput(3)) != shapeOf(sum))
      return node.error("found a summand of shape " +
                        shapes::text(shapeOf(node.getInput(3))) +
                        ", expected that of the result, " +
                        shapes::text(shapeOf(sum)));
    sum = add(node, sum, node.getInput(3));
  }
  return node.setResult(activated(node, sum, parameters));
}

/// An operand with its matrices turned; where its batch lies between their
/// dimensions, behind that.
static Value operandOf(OnnxNode &node, size_t index, bool isTurned,
                       bool hasBatchInside) {
  Value x = node.getInput(index);
  int64_t rank = rankOf(x);
  if (rank < (hasBatchInside ? 3 : 1))
    return node.fail(
        "found an operand of shape " + shapes::text(shapeOf(x)) +
        ", expected " +
        (hasBatchInside ? "three dimensions or more" : "a vector or matrices"));
  if (rank == 1 || (!isTurned && !hasBatchInside))
    return x;
  if (rank == 2)
    return transposeDequantized(node, x);
  Ints order = countFrom(0, rank);
  if (hasBatchInside) {
    order.erase(order.begin());
    order.insert(order.end() - 1, 0);
  }
  if (isTurned)
    std::swap(order[rank - 2], order[rank - 1]);
  return node.transpose(x, order);
}

LogicalResult npu::buildFusedMatMul(OnnxNode &node) {
  double alpha = node.getFloat("alpha", 1);
  bool turnsA = node.getFlag("transA", false),
       turnsB = node.getFlag("transB", false);
  bool insideA = node.getFlag("transBatchA", false),
       insideB = node.getFlag("transBatchB", false);
  Value a = operandOf(node, 0, turnsA, insideA);
  Value b = operandOf(node, 1, turnsB, insideB);
  if (!a || !b)
    return failure();
  Value product = productOf(node, a, b);
  return node.setResult(alpha == 1 ? product : times(node, product, alpha));
}

//===----------------------------------------------------------------------===//
// Norms behind sums
//===----------------------------------------------------------------------===//

/// A norm of x + skip + bias, and the sum. The bias comes last where data are
/// centered, after a beta.
LogicalResult npu::buildSkipLayerNormalization(OnnxNode &node) {
  Value x = node.getInput(0), skip = node.getInput(1);
  bool isCentered = StringRef(node.op.word) == "centered";
  double epsilon = node.getFloat("epsilon", 1e-5);
  size_t bias = isCentered ? 4 : 3;
  if (node.hasOutput(1) || node.hasOutput(2))
    return node.unsupported("gives the mean or the inverse deviation as "
                            "result 1 or 2, expected a node without them");
  Ints whole(shapeOf(x)), part(shapeOf(skip)), one = whole;
  if (whole.size() == 3)
    one[0] = 1;
  if (whole.size() < 2 ||
      (part != whole && part != one &&
       (whole.size() < 3 || part != Ints{whole[1], whole[2]})))
    return node.error("found data of shape " + shapes::text(whole) +
                      " and a skipped part of shape " +
                      shapes::text(shapeOf(skip)) +
                      ", expected the same, or one for all samples");
  for (size_t i : {size_t(2), isCentered ? size_t(3) : bias, bias})
    if (failed(checkVector(node, i, x)))
      return failure();
  Value sum = x;
  // In front of the other summand, a product's bias is part of the product.
  bool isFirst = skip.getDefiningOp<MatmulOp>() == nullptr;
  if (node.hasInput(bias))
    (isFirst ? sum : skip) =
        add(node, isFirst ? sum : skip, node.getInput(bias));
  sum = add(node, sum, skip);
  if (!sum || (node.hasOutput(3) && failed(node.setResult(3, sum))))
    return failure();
  return node.setResult(normed(node, sum, node.getInput(2),
                               isCentered ? node.getInput(3) : Value(), epsilon,
                               isCentered));
}

/// Rows of a table for each token: (batch or 1, sequence, size).
static Value embedded(OnnxNode &node, size_t table, Value ids,
                      ArrayRef<int64_t> tokens) {
  Ints shape(shapeOf(ids));
  if (shape.size() != 2 || (shape[0] != tokens[0] && shape[0] != 1) ||
      shape[1] != tokens[1])
    return node.fail("found tokens of shape " + shapes::text(shape) +
                     ", expected " + shapes::text(tokens));
  return rowsAt(node, node.getInput(table), ids);
}

/// How many tokens of each sample count, as i32.
static LogicalResult setCounts(OnnxNode &node, ArrayRef<int64_t> tokens) {
  Type i32 = node.getBuilder().getI32Type();
  if (!node.hasOutput(1))
    return success();
  if (!node.hasInput(7))
    return node.setResult(1, node.filled(0, tokens[0], i32));
  Value mask = node.getInput(7);
  if (shapeOf(mask) != tokens)
    return node.error("found a mask of shape " + shapes::text(shapeOf(mask)) +
                      ", expected " + shapes::text(tokens));
  return node.setResult(1, node.reduce(node.cast(equal(node, mask, 1), i32),
                                       ReduceKind::Sum, {1}, false));
}

LogicalResult npu::buildEmbedLayerNormalization(OnnxNode &node) {
  double epsilon = node.getFloat("epsilon", 1e-12);
  node.ignore({"mask_index_type"}); // the mask itself says whether there is one
  Value ids = node.getInput(0), segments = node.getInput(1);
  Ints tokens(shapeOf(ids));
  if (tokens.size() != 2)
    return node.error("found tokens of shape " + shapes::text(tokens) +
                      ", expected batch and sequence");
  if (node.hasInput(1) != node.hasInput(4))
    return node.error("has segments or their table without the other, "
                      "expected both or none");
  Value places = node.getInput(8);
  if (!places)
    places = node.reshape(node.countAlong(tokens[1], 0, 1, elementOf(ids)),
                          {1, tokens[1]});
  Value sum = add(node, embedded(node, 2, ids, tokens),
                  embedded(node, 3, places, tokens));
  if (sum && segments)
    sum = add(node, sum, embedded(node, 4, segments, tokens));
  if (!sum || failed(setCounts(node, tokens)) ||
      (node.hasOutput(2) && failed(node.setResult(2, sum))))
    return failure();
  return node.setResult(normed(node, sum, node.getInput(5), node.getInput(6),
                               epsilon, /*isCentered=*/true));
}
