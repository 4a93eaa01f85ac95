// SPDX-License-Identifier: Apache-2.0
//
// Variables: what they hold is a value while importing, and a state of the
// program from run to run.
#include "compiler/Frontend/TFLite/TfliteOps.h"

using namespace npu;

LogicalResult npu::buildTfliteVarHandle(TfliteNode &node) {
  const auto *options = node.options<tflite::VarHandleOptions>();
  if (!options)
    return failure();
  node.variableMade = node.variables->keyOf(*options);
  return success();
}

/// The variable that operand 0 names; empty after an error.
static std::string variableOf(TfliteNode &node) {
  if (node.inputCount() > 0 && !node.variableOf[0].empty())
    return node.variableOf[0];
  (void)node.unsupported("has an operand 0 that no VAR_HANDLE of its graph "
                         "gives");
  return "";
}

LogicalResult npu::buildTfliteReadVariable(TfliteNode &node) {
  std::string variable = variableOf(node);
  if (variable.empty())
    return failure();
  if (!node.op.output(0))
    return node.error("has no result");
  return node.setResult(
      node.variables->read(node, variable, *node.op.output(0)));
}

LogicalResult npu::buildTfliteAssignVariable(TfliteNode &node) {
  std::string variable = variableOf(node);
  if (variable.empty())
    return failure();
  return node.variables->assign(node, variable, node.input(1),
                                *node.op.input(1));
}

LogicalResult npu::buildTfliteCallOnce(TfliteNode &node) {
  const auto *options = node.options<tflite::CallOnceOptions>();
  if (!options)
    return failure();
  return node.variables->initialize(node, [&] {
    return LogicalResult(node.callGraph(options->init_subgraph_index(), {}));
  });
}
