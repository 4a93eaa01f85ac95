// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteSequence.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/NodeBudget.h"

using namespace npu;
using tflite::Activation;

Value npu::tfliteTimeFirst(TfliteNode &node, Value data, bool isTimeMajor) {
  if (!data)
    return node.noteFailure();
  ArrayRef<int64_t> shape = shapeOf(data);
  if (shape.size() == 2)
    return node.reshape(data, {1, shape[0], shape[1]});
  if (shape.size() != 3)
    return node.fail("found data " + shapes::text(shape) +
                     ", expected steps, batch and features");
  return isTimeMajor ? data : node.transpose(data, {1, 0, 2});
}

Value npu::tfliteAsData(TfliteNode &node, Value steps, Value data,
                        bool isTimeMajor) {
  if (!steps)
    return steps;
  if (rankOf(data) == 2)
    return node.reshape(steps, {shapeOf(steps)[1], shapeOf(steps)[2]});
  return isTimeMajor ? steps : node.transpose(steps, {1, 0, 2});
}

LogicalResult npu::tfliteSetDirections(TfliteNode &node, Value forward,
                                       Value backward, Value data,
                                       const TfliteSequence &sequence) {
  if (!forward || !backward)
    return failure();
  if (sequence.isMerged)
    return node.setResult(tfliteAsData(
        node, node.concat({forward, backward}, 2), data, sequence.isTimeMajor));
  if (failed(node.setResult(
          tfliteAsData(node, forward, data, sequence.isTimeMajor))))
    return failure();
  return node.setResult(
      tfliteAsData(node, backward, data, sequence.isTimeMajor), 1);
}

Value npu::tfliteSteps(TfliteNode &node, Value data, bool isReverse,
                       function_ref<Value(Value)> step) {
  if (!data)
    return node.noteFailure();
  int64_t count = shapeOf(data)[0];
  if (count == 0)
    return node.fail("has no steps, expected one or more");
  // A step is one op at the least.
  if (failed(checkLeft(node, Budget::Nodes, count)))
    return node.noteFailure();
  SmallVector<Value> results(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = isReverse ? count - 1 - i : i;
    Value result = step(node.at(data, 0, at));
    if (!result)
      return node.noteFailure();
    results[at] =
        node.reshape(result, {1, shapeOf(result)[0], shapeOf(result)[1]});
  }
  return node.concat(results, 0);
}

Value npu::tfliteGateSums(TfliteNode &node, Value rows, Value weight) {
  return node.matmul(rows, node.transpose(weight, {1, 0}));
}

LogicalResult npu::tfliteCheckShape(TfliteNode &node, size_t index,
                                    ArrayRef<int64_t> shape) {
  Value value = node.optionalInput(index);
  if (!value || shapeOf(value) == shape)
    return success();
  return node.error("found operand " + Twine(index) + " of shape " +
                    shapes::text(shapeOf(value)) + ", expected " +
                    shapes::text(shape));
}

FailureOr<Value> npu::tfliteCellActivation(TfliteNode &node, Value value,
                                           Activation activation) {
  if (activation == Activation::TANH)
    return node.one(NPU_INSTR_tanh, value);
  if (activation > Activation::RELU6 || activation < Activation::NONE)
    return node.unsupported("has the activation " + Twine(int(activation)) +
                            ", expected NONE, RELU, RELU_N1_TO_1, RELU6 or "
                            "TANH");
  return node.activated(value, activation);
}
