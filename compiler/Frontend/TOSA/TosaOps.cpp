// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TOSA/TosaOps.h"

#include "compiler/Frontend/TOSA/TosaImporter.h"

#include "llvm/ADT/STLExtras.h"

using namespace npu;

// Name; builder; what tells apart rows of one builder; what a user must know.
static const TosaOp table[] = {
    // clang-format off
    {"abs", buildTosaUnary, NPU_INSTR_abs},
    {"add", buildTosaBinary, NPU_INSTR_add},
    {"argmax", buildTosaArgMax, 0, "", "composed"},
    {"arithmetic_right_shift", buildTosaArithmeticShift},
    {"avg_pool2d", buildTosaAvgPool, 0, "",
     "integers: a convolution with ones and a rescale"},
    {"bitwise_and", buildTosaBinary, NPU_INSTR_bit_and},
    {"bitwise_not", buildTosaUnary, NPU_INSTR_bit_not},
    {"bitwise_or", buildTosaBinary, NPU_INSTR_bit_or},
    {"bitwise_xor", buildTosaBinary, NPU_INSTR_bit_xor},
    {"cast", buildTosaCast},
    {"ceil", buildTosaUnary, NPU_INSTR_ceil},
    {"clamp", buildTosaClamp},
    {"clz", buildTosaUnary, NPU_INSTR_clz, "", "i32"},
    {"concat", buildTosaConcat},
    {"conv2d", buildTosaConv},
    {"conv3d", buildTosaConv},
    {"cos", buildTosaUnary, NPU_INSTR_cos},
    {"depthwise_conv2d", buildTosaConv, 0, "depthwise"},
    {"equal", buildTosaBinary, NPU_INSTR_equal},
    {"erf", buildTosaUnary, NPU_INSTR_erf},
    {"exp", buildTosaUnary, NPU_INSTR_exp},
    {"floor", buildTosaUnary, NPU_INSTR_floor},
    {"gather", buildTosaGather},
    {"greater", buildTosaBinary, NPU_INSTR_greater},
    {"greater_equal", buildTosaBinary, NPU_INSTR_greater_equal},
    {"identity", buildTosaIdentity},
    {"intdiv", buildTosaBinary, NPU_INSTR_div},
    {"log", buildTosaUnary, NPU_INSTR_log},
    {"logical_and", buildTosaBinary, NPU_INSTR_logical_and},
    {"logical_left_shift", buildTosaBinary, NPU_INSTR_shift_left},
    {"logical_not", buildTosaUnary, NPU_INSTR_logical_not},
    {"logical_or", buildTosaBinary, NPU_INSTR_logical_or},
    {"logical_right_shift", buildTosaLogicalShift, 0, "", "composed"},
    {"logical_xor", buildTosaBinary, NPU_INSTR_logical_xor},
    {"matmul", buildTosaMatMul},
    {"max_pool2d", buildTosaMaxPool},
    {"maximum", buildTosaExtreme, NPU_INSTR_max},
    {"minimum", buildTosaExtreme, NPU_INSTR_min},
    {"mul", buildTosaMul},
    {"negate", buildTosaNegate},
    {"pad", buildTosaPad, 0, "", "padding and value constant"},
    {"pow", buildTosaBinary, NPU_INSTR_pow},
    {"reciprocal", buildTosaUnary, NPU_INSTR_reciprocal},
    {"reduce_all", buildTosaReduceBool, 0, "min", "composed"},
    {"reduce_any", buildTosaReduceBool, 0, "max", "composed"},
    {"reduce_max", buildTosaReduce, 0, "max"},
    {"reduce_min", buildTosaReduce, 0, "min"},
    {"reduce_product", buildTosaReduce, 0, "prod"},
    {"reduce_sum", buildTosaReduce, 0, "sum"},
    {"rescale", buildTosaRescale, 0, "",
     "bit-exact; 32-bit multipliers, or 16-bit ones on up to 32 bits"},
    {"reshape", buildTosaReshape},
    {"resize", buildTosaResize, 0, "", "scale, offset and border constant"},
    {"reverse", buildTosaReverse},
    {"rsqrt", buildTosaUnary, NPU_INSTR_rsqrt},
    {"scatter", buildTosaScatter},
    {"select", buildTosaBinary, NPU_INSTR_select},
    {"sigmoid", buildTosaUnary, NPU_INSTR_sigmoid},
    {"sin", buildTosaUnary, NPU_INSTR_sin},
    {"slice", buildTosaSlice, 0, "", "start and size constant"},
    {"sub", buildTosaBinary, NPU_INSTR_sub},
    {"table", buildTosaTable, 0, "", "i16 interpolates, as TOSA has it"},
    {"tanh", buildTosaUnary, NPU_INSTR_tanh},
    {"tile", buildTosaTile, 0, "", "multiples constant"},
    {"transpose", buildTosaTranspose},
    {"transpose_conv2d", buildTosaTransposeConv},
    // clang-format on
};

const TosaOp *npu::lookupTosaOp(StringRef name) {
  if (!name.consume_front("tosa."))
    return nullptr;
  const TosaOp *row =
      llvm::find_if(table, [&](const TosaOp &row) { return name == row.name; });
  return row != std::end(table) ? row : nullptr;
}

std::string npu::supportedTosaOpsMarkdown() {
  std::string text =
      "<!-- Generated from compiler/Frontend/TOSA/TosaOps.cpp. -->\n"
      "# Supported TOSA operators\n\n"
      "TOSA 1.0 as MLIR's dialect, text or bytecode, on tensors of f32, f16, "
      "bf16, i8, i16, i32, i64 and i1. `const` and `const_shape` become "
      "constants. Not supported: `fft2d`, `rfft2d`, "
      "control flow, variables, `custom`, 4-bit and 48-bit integers, 8-bit "
      "floats.\n\n"
      "| operator | notes |\n|---|---|\n";
  for (const TosaOp &op : table)
    text += "| " + std::string(op.name) + " | " + op.note + " |\n";
  return text;
}
