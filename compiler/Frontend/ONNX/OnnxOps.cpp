// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Frontend/ONNX/OnnxImporter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <climits>

using namespace npu;

/// Any number of inputs, of which some may be left out; the builder checks.
static constexpr int anyInputs = INT_MAX;

// Name; versions that changed the operator; fewest and most inputs (-1: any);
// builder; what tells apart rows of one builder; what a user must know.
static const OnnxOp table[] = {
    // clang-format off
    {"Abs", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_abs},
    {"Acos", {7, 22}, 1, 1, buildUnary, NPU_INSTR_acos},
    {"Acosh", {9, 22}, 1, 1, buildAcosh, 0, "", "composed"},
    {"Add", {1, 6, 7, 13, 14}, 2, 2, buildBinary, NPU_INSTR_add},
    {"AffineGrid", {20}, 2, 2, buildAffineGrid,
     0, "", "size constant; composed"},
    {"And", {1, 7}, 2, 2, buildBinary, NPU_INSTR_logical_and},
    {"ArgMax", {1, 11, 12, 13}, 1, 1, buildArgReduce, 0, "max", "composed"},
    {"ArgMin", {1, 11, 12, 13}, 1, 1, buildArgReduce, 0, "min", "composed"},
    {"Asin", {7, 22}, 1, 1, buildUnary, NPU_INSTR_asin},
    {"Asinh", {9, 22}, 1, 1, buildAsinh, 0, "", "composed"},
    {"Atan", {7, 22}, 1, 1, buildUnary, NPU_INSTR_atan},
    {"Atanh", {9, 22}, 1, 1, buildAtanh, 0, "", "composed"},
    {"Attention", {23, 24, 25}, 3, 7, buildAttention, 0, "", "composed"},
    {"AveragePool", {1, 7, 10, 11, 19, 22}, 1, 1, buildPool, NPU_OP_AVG_POOL},
    {"BatchNormalization", {1, 6, 7, 9, 14, 15}, 5, 5, buildBatchNormalization,
     0, "", "inference only"},
    {"BitCast", {26}, 1, 1, buildBitCast},
    {"BitShift", {11, 28}, 2, 2, buildBitShift,
     0, "", "of int8, uint8, int32 and int64"},
    {"BitwiseAnd", {18}, 2, 2, buildBinary, NPU_INSTR_bit_and},
    {"BitwiseNot", {18}, 1, 1, buildUnary, NPU_INSTR_bit_not},
    {"BitwiseOr", {18}, 2, 2, buildBinary, NPU_INSTR_bit_or},
    {"BitwiseXor", {18}, 2, 2, buildBinary, NPU_INSTR_bit_xor},
    {"BlackmanWindow", {17}, 1, 1, buildWindow, 0, "blackman", "size constant"},
    {"Cast", {1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, 1, 1, buildCast,
     0, "", "between float, float16, bfloat16, int8, uint8, int32, int64 and bool"},
    {"CastLike", {15, 19, 21, 23, 24, 25}, 2, 2, buildCastLike},
    {"CausalConvWithState", {27}, 2, 4, buildCausalConv, 0, "", "composed"},
    {"Ceil", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_ceil},
    {"Celu", {12, 28}, 1, 1, buildCelu, 0, "", "composed"},
    {"CenterCropPad", {18}, 2, 2, buildCenterCropPad,
     0, "", "shape constant; composed"},
    {"Clip", {1, 6, 11, 12, 13}, 1, 3, buildClip},
    {"Col2Im", {18}, 3, 3, buildCol2Im, 0, "", "shapes constant; composed"},
    {"Compress", {9, 11, 28}, 2, 2, buildCompress, 0, "", "condition constant"},
    {"Concat", {1, 4, 11, 13}, 1, -1, buildConcat},
    {"Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, 0, 0, buildConstant,
     0, "", "dense numbers"},
    {"ConstantOfShape", {9, 20, 21, 23, 24, 25}, 1, 1, buildConstantOfShape,
     0, "", "shape constant"},
    {"Conv", {1, 11, 22}, 2, 3, buildConv, 0, "", "1 to 3 spatial dimensions"},
    {"ConvInteger", {10}, 2, 4, buildConvInteger,
     0, "", "1 to 3 spatial dimensions"},
    {"ConvTranspose", {1, 11, 22}, 2, 3, buildConvTranspose,
     0, "", "1 to 3 spatial dimensions"},
    {"Cos", {7, 22}, 1, 1, buildUnary, NPU_INSTR_cos},
    {"Cosh", {9, 22}, 1, 1, buildCosh, 0, "", "composed"},
    {"CumProd", {26}, 2, 2, buildCumulate, 0, "prod", "axis constant"},
    {"CumSum", {11, 14}, 2, 2, buildCumulate, 0, "sum", "axis constant"},
    {"DFT", {17, 20}, 1, 3, buildDft,
     0, "", "length and axis constant; composed"},
    {"DeformConv", {19, 22}, 3, 5, buildDeformConv,
     0, "", "2 spatial dimensions; composed"},
    {"DepthToSpace", {1, 11, 13, 28}, 1, 1, buildDepthToSpace,
     0, "", "composed"},
    {"DequantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, 2, 3,
     buildDequantizeLinear, 0, "", "from int8, uint8 and int32"},
    {"Det", {11, 22}, 1, 1, buildDet, 0, "", "up to 64 rows; composed"},
    {"Div", {1, 6, 7, 13, 14}, 2, 2, buildBinary, NPU_INSTR_div},
    {"Dropout", {1, 6, 7, 10, 12, 13, 22}, 1, 3, buildDropout,
     0, "", "inference only"},
    {"DynamicQuantizeLinear", {11}, 1, 1, buildDynamicQuantizeLinear,
     0, "", "composed"},
    {"Einsum", {12, 28}, 1, -1, buildEinsum, 0, "", "composed"},
    {"Elu", {1, 6, 22}, 1, 1, buildActivation, NPU_INSTR_elu},
    {"Equal", {1, 7, 11, 13, 19}, 2, 2, buildBinary, NPU_INSTR_equal},
    {"Erf", {9, 13}, 1, 1, buildUnary, NPU_INSTR_erf},
    {"Exp", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_exp},
    {"Expand", {8, 13}, 2, 2, buildExpand, 0, "", "shape constant"},
    {"EyeLike", {9, 22}, 1, 1, buildEyeLike, 0, "", "folds"},
    {"Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, 1, 1, buildFlatten},
    {"Floor", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_floor},
    {"GRU", {1, 3, 7, 14, 22}, 3, 6, buildGru, 0, "", "steps written out"},
    {"Gather", {1, 11, 13}, 2, 2, buildGather},
    {"GatherElements", {11, 13}, 2, 2, buildGatherElements},
    {"GatherND", {11, 12, 13}, 2, 2, buildGatherND},
    {"Gelu", {20}, 1, 1, buildGelu},
    {"Gemm", {1, 6, 7, 9, 11, 13}, 2, 3, buildGemm},
    {"GlobalAveragePool", {1, 22}, 1, 1, buildGlobalPool, NPU_OP_AVG_POOL},
    {"GlobalLpPool", {1, 2, 22}, 1, 1, buildGlobalLpPool, 0, "", "composed"},
    {"GlobalMaxPool", {1, 22}, 1, 1, buildGlobalPool, NPU_OP_MAX_POOL},
    {"Greater", {1, 7, 9, 13}, 2, 2, buildBinary, NPU_INSTR_greater},
    {"GreaterOrEqual", {12, 16}, 2, 2, buildBinary, NPU_INSTR_greater_equal},
    {"GridSample", {16, 20, 22}, 2, 2, buildGridSample, 0, "", "composed"},
    {"GroupNormalization", {18, 21}, 3, 3, buildGroupNormalization},
    {"HammingWindow", {17}, 1, 1, buildWindow, 0, "hamming", "size constant"},
    {"HannWindow", {17}, 1, 1, buildWindow, 0, "hann", "size constant"},
    {"HardSigmoid", {1, 6, 22}, 1, 1, buildActivation, NPU_INSTR_hard_sigmoid},
    {"HardSwish", {14, 22}, 1, 1, buildHardSwish},
    {"Hardmax", {1, 11, 13}, 1, 1, buildHardmax, 0, "", "composed"},
    {"Identity", {1, 13, 14, 16, 19, 21, 23, 24, 25}, 1, 1, buildIdentity},
    {"If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 1, 1, buildIf,
     0, "", "condition constant"},
    {"InstanceNormalization", {1, 6, 22}, 3, 3, buildInstanceNormalization},
    {"IsInf", {10, 20}, 1, 1, buildIsInf},
    {"IsNaN", {9, 13, 20}, 1, 1, buildIsNaN},
    {"LRN", {1, 13}, 1, 1, buildLrn, 0, "", "composed"},
    {"LSTM", {1, 7, 14, 22}, 3, 8, buildLstm, 0, "", "steps written out"},
    {"LayerNormalization", {17}, 2, 3, buildLayerNormalization,
     0, "centered"},
    {"LeakyRelu", {1, 6, 16}, 1, 1, buildActivation, NPU_INSTR_leaky_relu},
    {"Less", {1, 7, 9, 13}, 2, 2, buildBinary, NPU_INSTR_less},
    {"LessOrEqual", {12, 16}, 2, 2, buildBinary, NPU_INSTR_less_equal},
    {"LinearAttention", {27}, 3, 6, buildLinearAttention,
     0, "", "steps written out"},
    {"Log", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_log},
    {"LogSoftmax", {1, 11, 13}, 1, 1, buildSoftmax, 0, "log"},
    {"Loop", {1, 11, 13, 16, 19, 21, 23, 24, 25}, 0, anyInputs, buildLoop,
     0, "", "trip count and conditions constant; written out"},
    {"LpNormalization", {1, 22}, 1, 1, buildLpNormalization, 0, "", "composed"},
    {"LpPool", {1, 2, 11, 18, 22}, 1, 1, buildLpPool, 0, "", "composed"},
    {"MatMul", {1, 9, 13}, 2, 2, buildMatMul},
    {"MatMulInteger", {10}, 2, 4, buildMatMulInteger},
    {"Max", {1, 6, 8, 12, 13}, 1, -1, buildVariadic, NPU_INSTR_max},
    {"MaxPool", {1, 8, 10, 11, 12, 22}, 1, 1, buildPool,
     NPU_OP_MAX_POOL},
    {"MaxRoiPool", {1, 22}, 2, 2, buildMaxRoiPool, 0, "", "composed"},
    {"MaxUnpool", {9, 11, 22}, 2, 3, buildMaxUnpool,
     0, "", "output shape constant"},
    {"Mean", {1, 6, 8, 13}, 1, -1, buildMean, NPU_INSTR_add},
    {"MeanVarianceNormalization", {9, 13}, 1, 1, buildMeanVarianceNormalization,
     0, "", "composed"},
    {"MelWeightMatrix", {17}, 5, 5, buildMelWeightMatrix,
     0, "", "inputs constant"},
    {"Min", {1, 6, 8, 12, 13}, 1, -1, buildVariadic, NPU_INSTR_min},
    {"Mish", {18, 22}, 1, 1, buildMish, 0, "", "composed"},
    {"Mod", {10, 13, 28}, 2, 2, buildMod},
    {"Mul", {1, 6, 7, 13, 14}, 2, 2, buildBinary, NPU_INSTR_mul},
    {"Neg", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_neg},
    {"NegativeLogLikelihoodLoss", {12, 13, 22}, 2, 3, buildNegativeLogLikelihoodLoss,
     0, "", "composed"},
    {"NonMaxSuppression", {10, 11}, 2, 5, buildNonMaxSuppression,
     0, "", "inputs constant"},
    {"NonZero", {9, 13}, 1, 1, buildNonZero, 0, "", "input constant"},
    {"Not", {1}, 1, 1, buildUnary, NPU_INSTR_logical_not},
    {"OneHot", {9, 11, 28}, 3, 3, buildOneHot, 0, "", "depth constant"},
    {"Or", {1, 7}, 2, 2, buildBinary, NPU_INSTR_logical_or},
    {"PRelu", {1, 6, 7, 9, 16}, 2, 2, buildPRelu},
    {"Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24, 25}, 1, 4, buildPad,
     0, "", "pads and value constant"},
    {"Pow", {1, 7, 12, 13, 15}, 2, 2, buildPow},
    {"QLinearConv", {10}, 8, 9, buildQLinearConv,
     0, "", "1 to 3 spatial dimensions"},
    {"QLinearMatMul", {10, 21}, 8, 8, buildQLinearMatMul},
    {"QuantizeLinear", {10, 13, 19, 21, 23, 24, 25, 28}, 2, 3,
     buildQuantizeLinear, 0, "", "to int8 and uint8"},
    {"RMSNormalization", {23}, 2, 2, buildLayerNormalization},
    {"RNN", {1, 7, 14, 22}, 3, 6, buildRnn, 0, "", "steps written out"},
    {"Range", {11, 27}, 3, 3, buildRange, 0, "", "ends constant"},
    {"Reciprocal", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_reciprocal},
    {"ReduceL1", {1, 11, 13, 18}, 1, 2, buildReduce, 0, "l1", "axes constant"},
    {"ReduceL2", {1, 11, 13, 18}, 1, 2, buildReduce, 0, "l2", "axes constant"},
    {"ReduceLogSum", {1, 11, 13, 18, 28}, 1, 2, buildReduce,
     0, "log_sum", "axes constant"},
    {"ReduceLogSumExp", {1, 11, 13, 18, 28}, 1, 2, buildReduce,
     0, "log_sum_exp", "axes constant"},
    {"ReduceMax", {1, 11, 12, 13, 18, 20}, 1, 2, buildReduce,
     0, "max", "axes constant"},
    {"ReduceMean", {1, 11, 13, 18}, 1, 2, buildReduce,
     0, "mean", "axes constant"},
    {"ReduceMin", {1, 11, 12, 13, 18, 20}, 1, 2, buildReduce,
     0, "min", "axes constant"},
    {"ReduceProd", {1, 11, 13, 18}, 1, 2, buildReduce,
     0, "prod", "axes constant"},
    {"ReduceSum", {1, 11, 13}, 1, 2, buildReduce, 0, "sum", "axes constant"},
    {"ReduceSumSquare", {1, 11, 13, 18}, 1, 2, buildReduce,
     0, "sum_square", "axes constant"},
    {"Relu", {1, 6, 13, 14}, 1, 1, buildUnary, NPU_INSTR_relu},
    {"Reshape", {1, 5, 13, 14, 19, 21, 23, 24, 25}, 1, 2, buildReshape,
     0, "", "shape constant"},
    {"Resize", {10, 11, 13, 18, 19}, 1, 4, buildResize,
     0, "", "scales, sizes and region constant"},
    {"ReverseSequence", {10, 28}, 2, 2, buildReverseSequence,
     0, "", "composed"},
    {"RoiAlign", {10, 16, 22}, 3, 3, buildRoiAlign,
     0, "", "max: sampling_ratio positive or regions constant; composed"},
    {"RotaryEmbedding", {23}, 3, 4, buildRotaryEmbedding, 0, "", "composed"},
    {"Round", {11, 22}, 1, 1, buildUnary, NPU_INSTR_round},
    {"STFT", {17}, 2, 4, buildStft,
     0, "", "step and length constant; composed"},
    {"Scan", {8, 9, 11, 16, 19, 21, 23, 24, 25}, 0, anyInputs, buildScan,
     0, "", "steps written out"},
    {"Scatter", {9}, 3, 3, buildScatterElements},
    {"ScatterElements", {11, 13, 16, 18}, 3, 3, buildScatterElements},
    {"ScatterND", {11, 13, 16, 18}, 3, 3, buildScatterND},
    {"Selu", {1, 6, 22}, 1, 1, buildSelu},
    {"Shape", {1, 13, 15, 19, 21, 23, 24, 25}, 1, 1, buildShape},
    {"Shrink", {9}, 1, 1, buildShrink, 0, "", "composed"},
    {"Sigmoid", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_sigmoid},
    {"Sign", {9, 13}, 1, 1, buildUnary, NPU_INSTR_sign},
    {"Sin", {7, 22}, 1, 1, buildUnary, NPU_INSTR_sin},
    {"Sinh", {9, 22}, 1, 1, buildSinh, 0, "", "composed"},
    {"Size", {1, 13, 19, 21, 23, 24, 25}, 1, 1, buildSize},
    {"Slice", {1, 10, 11, 13}, 1, 5, buildSlice,
     0, "", "starts, ends, axes and steps constant"},
    {"Softmax", {1, 11, 13}, 1, 1, buildSoftmax},
    {"SoftmaxCrossEntropyLoss", {12, 13}, 2, 3, buildSoftmaxCrossEntropyLoss,
     0, "", "composed"},
    {"Softplus", {1, 22}, 1, 1, buildUnary, NPU_INSTR_softplus},
    {"Softsign", {1, 22}, 1, 1, buildSoftsign, 0, "", "composed"},
    {"SpaceToDepth", {1, 13, 28}, 1, 1, buildSpaceToDepth, 0, "", "composed"},
    {"Split", {1, 2, 11, 13, 18}, 1, 2, buildSplit, 0, "", "sizes constant"},
    {"Sqrt", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_sqrt},
    {"Squeeze", {1, 11, 13, 21, 23, 24, 25}, 1, 2, buildSqueeze,
     0, "", "axes constant"},
    {"Sub", {1, 6, 7, 13, 14}, 2, 2, buildBinary, NPU_INSTR_sub},
    {"Sum", {1, 6, 8, 13}, 1, -1, buildVariadic, NPU_INSTR_add},
    {"SwiGLU", {28}, 2, 2, buildSwiGlu, 0, "", "composed"},
    {"Swish", {24}, 1, 1, buildActivation, NPU_INSTR_swish},
    {"Tan", {7, 22}, 1, 1, buildUnary, NPU_INSTR_tan},
    {"Tanh", {1, 6, 13}, 1, 1, buildUnary, NPU_INSTR_tanh},
    {"TensorScatter", {24}, 2, 3, buildTensorScatter, 0, "", "composed"},
    {"TfIdfVectorizer", {9}, 1, 1, buildTfIdfVectorizer,
     0, "", "of integers; composed"},
    {"ThresholdedRelu", {10, 22}, 1, 1, buildThresholdedRelu,
     0, "", "composed"},
    {"Tile", {1, 6, 13}, 2, 3, buildTile, 0, "", "repeats constant"},
    {"TopK", {1, 10, 11, 24}, 1, 2, buildTopK,
     0, "", "number of elements constant"},
    {"Transpose", {1, 13, 21, 23, 24, 25}, 1, 1, buildTranspose},
    {"Trilu", {14}, 1, 2, buildTrilu, 0, "", "diagonal constant"},
    {"Unique", {11, 28}, 1, 1, buildUnique, 0, "", "input constant"},
    {"Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, 1, 2, buildUnsqueeze,
     0, "", "axes constant"},
    {"Upsample", {1, 7, 9}, 1, 2, buildUpsample, 0, "", "scales constant"},
    {"Where", {9, 16}, 3, 3, buildWhere},
    {"Xor", {1, 7}, 2, 2, buildBinary, NPU_INSTR_logical_xor},
    {"ai.onnx.preview.FlexAttention", {1}, 3, 3, buildFlexAttention,
     0, "", "composed"},
    // onnxruntime's own domain, of which there is one version.
    {"com.microsoft.DequantizeLinear", {1}, 2, 3, buildDequantizeLinear,
     0, "", "from int8, uint8 and int32"},
    {"com.microsoft.Gelu", {1}, 1, 1, buildUnary, NPU_INSTR_gelu_erf},
    {"com.microsoft.QGemm", {1}, 6, 9, buildQGemm},
    {"com.microsoft.QLinearAdd", {1}, 7, 8, buildQLinearBinary, NPU_INSTR_add},
    {"com.microsoft.QLinearAveragePool", {1}, 4, 5, buildQLinearPool},
    {"com.microsoft.QLinearConcat", {1}, 5, -1, buildQLinearConcat},
    {"com.microsoft.QLinearGlobalAveragePool", {1}, 5, 5,
     buildQLinearGlobalPool},
    {"com.microsoft.QLinearLeakyRelu", {1}, 4, 5, buildQLinearUnary,
     NPU_INSTR_leaky_relu},
    {"com.microsoft.QLinearMul", {1}, 7, 8, buildQLinearBinary, NPU_INSTR_mul},
    {"com.microsoft.QLinearSigmoid", {1}, 4, 5, buildQLinearUnary,
     NPU_INSTR_sigmoid},
    {"com.microsoft.QLinearSoftmax", {1}, 5, 5, buildQLinearSoftmax},
    {"com.microsoft.QLinearWhere", {1}, 9, 9, buildQLinearWhere},
    {"com.microsoft.QuantizeLinear", {1}, 2, 3, buildQuantizeLinear,
     0, "", "to int8 and uint8"},
    // clang-format on
};

namespace {
struct OutOfScope {
  StringRef reason;
  SmallVector<StringRef, 9> ops;
};
} // namespace

// What no version of a compiler for static shapes and npuc's types will take.
static const OutOfScope outOfScope[] = {
    {"image files", {"ImageDecoder"}},
    {"optionals", {"Optional", "OptionalGetElement", "OptionalHasElement"}},
    {"random numbers",
     {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
      "RandomUniform", "RandomUniformLike"}},
    {"sequences",
     {"ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty",
      "SequenceErase", "SequenceInsert", "SequenceLength", "SequenceMap",
      "SplitToSequence"}},
    {"strings",
     {"RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit"}},
};

StringRef npu::reasonOutOfScope(StringRef name) {
  for (const OutOfScope &row : outOfScope)
    if (llvm::is_contained(row.ops, name))
      return row.reason;
  if (name.starts_with("ai.onnx.preview.training."))
    return "training";
  return name.starts_with("ai.onnx.ml.") ? "classical machine learning" : "";
}

ArrayRef<OnnxOp> npu::onnxOps() { return table; }

const OnnxOp *npu::lookupOnnxOp(StringRef name) {
  const OnnxOp *row =
      llvm::lower_bound(table, name, [](const OnnxOp &row, StringRef name) {
        return row.name < name;
      });
  return row != std::end(table) && name == row->name ? row : nullptr;
}

int npu::versionIn(const OnnxOp &op, int64_t opset) {
  int version = 0;
  for (int candidate : op.versions)
    if (candidate <= opset)
      version = candidate;
  return version;
}

std::string npu::supportedOnnxOpsMarkdown() {
  std::string text =
      "<!-- Generated from compiler/Frontend/ONNX/OnnxOps.cpp. -->\n"
      "# Supported ONNX operators\n\n"
      "Domain ai.onnx, opsets 1 to " +
      std::to_string(newestOnnxOpset) +
      "; an operator of another domain stands with it. Versions are the opsets "
      "that changed the operator.\n\n"
      "| operator | versions | notes |\n|---|---|---|\n";
  for (const OnnxOp &op : table) {
    text += "| " + std::string(op.name) + " | ";
    for (auto [i, version] : llvm::enumerate(op.versions))
      text += (i ? ", " : "") + std::to_string(version);
    text += " | " + std::string(op.note) + " |\n";
  }
  text += "\n## Out of scope\n\nBeside training and ai.onnx.ml:\n\n"
          "| what | operators |\n|---|---|\n";
  for (const OutOfScope &row : outOfScope)
    text +=
        "| " + row.reason.str() + " | " + llvm::join(row.ops, ", ") + " |\n";
  return text;
}
