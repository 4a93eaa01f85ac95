// SPDX-License-Identifier: Apache-2.0
//
// Sums and products of values, for builders that compose operators.
#ifndef NPU_COMPILER_FRONTEND_ONNX_ONNXARITHMETIC_H
#define NPU_COMPILER_FRONTEND_ONNX_ONNXARITHMETIC_H

#include "compiler/Frontend/ONNX/OnnxNode.h"

namespace npu {

inline Value add(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_add, {a, b});
}
inline Value subtract(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_sub, {a, b});
}
inline Value multiply(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_mul, {a, b});
}
inline Value divide(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_div, {a, b});
}
inline Value equal(OnnxNode &node, Value a, Value b) {
  return node.eltwise(NPU_INSTR_equal, {a, b});
}
/// condition ? a : b
inline Value select(OnnxNode &node, Value condition, Value a, Value b) {
  return node.eltwise(NPU_INSTR_select, {condition, a, b});
}
/// With a number of the value's own type.
inline Value plus(OnnxNode &node, Value a, double number) {
  return a ? add(node, a, node.scalar(number, elementOf(a))) : a;
}
inline Value times(OnnxNode &node, Value a, double number) {
  return a ? multiply(node, a, node.scalar(number, elementOf(a))) : a;
}
inline Value equal(OnnxNode &node, Value a, double number) {
  return a ? equal(node, a, node.scalar(number, elementOf(a))) : a;
}

} // namespace npu

#endif // NPU_COMPILER_FRONTEND_ONNX_ONNXARITHMETIC_H
