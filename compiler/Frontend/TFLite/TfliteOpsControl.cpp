// SPDX-License-Identifier: Apache-2.0
//
// Control flow that is decided while importing: the branch of an IF, or both
// where data decide, loops of which every iteration is written out.
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Branches.h"
#include "compiler/Frontend/Support/DataBehind.h"
#include "compiler/Frontend/Support/NodeBudget.h"

using namespace npu;

static LogicalResult setResults(TfliteNode &node, ArrayRef<Value> values) {
  if (values.size() != node.op.outputCount())
    return node.error("has " + Twine(node.op.outputCount()) +
                      " results, but its graphs give " + Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    if (failed(node.setResult(value, i)))
      return failure();
  return success();
}

/// The number of a condition that is known; none where data decide. An error
/// where it is no single bool.
static FailureOr<std::optional<bool>> knownCondition(TfliteNode &node,
                                                     Value condition) {
  if (!condition)
    return failure();
  if (!elementOf(condition).isInteger(1) ||
      tensorType(condition).getNumElements() != 1)
    return node.error("has a condition " + shapes::text(shapeOf(condition)) +
                      " of " + typeText(elementOf(condition)) +
                      ", expected one bool");
  ElementsAttr known = constantOf(condition);
  if (!known)
    return std::optional<bool>();
  return std::optional<bool>(elementInts(known).front() != 0);
}

LogicalResult npu::buildTfliteIf(TfliteNode &node) {
  const auto *options = node.options<tflite::IfOptions>();
  Value condition = node.input(0);
  FailureOr<std::optional<bool>> known = knownCondition(node, condition);
  if (!options || failed(known))
    return failure();
  SmallVector<Value> inputs;
  for (size_t i = 1; i < node.inputCount(); ++i)
    inputs.push_back(node.input(i));
  auto ifTrue = [&] {
    return node.callGraph(options->then_subgraph_index(), inputs);
  };
  auto ifFalse = [&] {
    return node.callGraph(options->else_subgraph_index(), inputs);
  };
  const size_t assignments = node.variables->assignments();
  FailureOr<SmallVector<Value>> values =
      !*known   ? selectBranch(node, condition, ifTrue, ifFalse)
      : **known ? ifTrue()
                : ifFalse();
  if (!*known && node.variables->assignments() != assignments)
    return node.unsupported("assigns a variable in a branch that data choose");
  return failed(values) ? failure() : setResults(node, *values);
}

LogicalResult npu::buildTfliteWhile(TfliteNode &node) {
  const auto *options = node.options<tflite::WhileOptions>();
  if (!options)
    return failure();
  SmallVector<Value> values;
  for (size_t i = 0; i < node.inputCount(); ++i)
    values.push_back(node.input(i));
  while (true) {
    FailureOr<SmallVector<Value>> condition =
        node.callGraph(options->cond_subgraph_index(), values);
    if (failed(condition))
      return failure();
    if (condition->size() != 1)
      return node.error("has a condition of " + Twine(condition->size()) +
                        " values, expected one bool");
    FailureOr<std::optional<bool>> known =
        knownCondition(node, condition->front());
    if (failed(known))
      return failure();
    if (!*known)
      return node.unsupported("goes on until its data say so; " +
                              adviceAbout(dataBehind(condition->front())));
    if (!**known)
      return setResults(node, values);
    // Even one without an operator takes its turn.
    if (failed(take(node, Budget::Nodes, 1)))
      return failure();
    FailureOr<SmallVector<Value>> next =
        node.callGraph(options->body_subgraph_index(), values);
    if (failed(next))
      return failure();
    values = *next;
  }
}
