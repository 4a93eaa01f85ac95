// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxOps.h"

#include "compiler/Frontend/ONNX/OnnxImporter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;

// Name; builder; what tells apart rows of one builder; what a user must know.
static const OnnxOp table[] = {
    // clang-format off
    {"Abs", buildUnary, NPU_INSTR_abs},
    {"Acos", buildUnary, NPU_INSTR_acos},
    {"Acosh", buildAcosh, 0, "", "composed"},
    {"Add", buildBinary, NPU_INSTR_add},
    {"AffineGrid", buildAffineGrid, 0, "", "size constant; composed"},
    {"And", buildBinary, NPU_INSTR_logical_and},
    {"ArgMax", buildArgReduce, 0, "max", "composed"},
    {"ArgMin", buildArgReduce, 0, "min", "composed"},
    {"Asin", buildUnary, NPU_INSTR_asin},
    {"Asinh", buildAsinh, 0, "", "composed"},
    {"Atan", buildUnary, NPU_INSTR_atan},
    {"Atanh", buildAtanh, 0, "", "composed"},
    {"Attention", buildAttention, 0, "", "composed"},
    {"AveragePool", buildPool, NPU_OP_AVG_POOL},
    {"BatchNormalization", buildBatchNormalization, 0, "", "in training from 14 on"},
    {"BitCast", buildBitCast},
    {"BitShift", buildBitShift, 0, "", "of int8, uint8, int32 and int64"},
    {"BitwiseAnd", buildBinary, NPU_INSTR_bit_and},
    {"BitwiseNot", buildUnary, NPU_INSTR_bit_not},
    {"BitwiseOr", buildBinary, NPU_INSTR_bit_or},
    {"BitwiseXor", buildBinary, NPU_INSTR_bit_xor},
    {"BlackmanWindow", buildWindow, 0, "blackman", "size constant"},
    {"Cast", buildCast, 0, "", "between all types of data"},
    {"CastLike", buildCastLike},
    {"CausalConvWithState", buildCausalConv, 0, "", "composed"},
    {"Ceil", buildUnary, NPU_INSTR_ceil},
    {"Celu", buildCelu, 0, "", "composed"},
    {"CenterCropPad", buildCenterCropPad, 0, "", "shape constant; composed"},
    {"Clip", buildClip},
    {"Col2Im", buildCol2Im, 0, "", "shapes constant; composed"},
    {"Compress", buildCompress, 0, "", "condition constant"},
    {"Concat", buildConcat},
    {"Constant", buildConstant, 0, "", "dense numbers"},
    {"ConstantOfShape", buildConstantOfShape, 0, "", "shape constant"},
    {"Conv", buildConv, 0, "", "1 to 3 spatial dimensions"},
    {"ConvInteger", buildConvInteger, 0, "", "1 to 3 spatial dimensions"},
    {"ConvTranspose", buildConvTranspose, 0, "", "1 to 3 spatial dimensions"},
    {"Cos", buildUnary, NPU_INSTR_cos},
    {"Cosh", buildCosh, 0, "", "composed"},
    {"CumProd", buildCumulate, 0, "prod", "axis constant"},
    {"CumSum", buildCumulate, 0, "sum", "axis constant"},
    {"DFT", buildDft, 0, "", "length and axis constant; composed"},
    {"DeformConv", buildDeformConv, 0, "", "2 spatial dimensions; composed"},
    {"DepthToSpace", buildDepthToSpace, 0, "", "composed"},
    {"DequantizeLinear", buildDequantizeLinear, 0, "", "from int8, uint8 and int32"},
    {"Det", buildDet, 0, "", "up to 64 rows; composed"},
    {"Div", buildBinary, NPU_INSTR_div},
    {"Dropout", buildDropout, 0, "", "inference only"},
    {"DynamicQuantizeLinear", buildDynamicQuantizeLinear, 0, "", "composed"},
    {"Einsum", buildEinsum, 0, "", "composed"},
    {"Elu", buildActivation, NPU_INSTR_elu},
    {"Equal", buildBinary, NPU_INSTR_equal},
    {"Erf", buildUnary, NPU_INSTR_erf},
    {"Exp", buildUnary, NPU_INSTR_exp},
    {"Expand", buildExpand, 0, "", "shape constant"},
    {"EyeLike", buildEyeLike, 0, "", "folds"},
    {"Flatten", buildFlatten},
    {"Floor", buildUnary, NPU_INSTR_floor},
    {"GRU", buildGru, 0, "", "steps written out"},
    {"Gather", buildGather},
    {"GatherElements", buildGatherElements},
    {"GatherND", buildGatherND},
    {"Gelu", buildGelu},
    {"Gemm", buildGemm},
    {"GlobalAveragePool", buildGlobalPool, NPU_OP_AVG_POOL},
    {"GlobalLpPool", buildGlobalLpPool, 0, "", "composed"},
    {"GlobalMaxPool", buildGlobalPool, NPU_OP_MAX_POOL},
    {"Greater", buildBinary, NPU_INSTR_greater},
    {"GreaterOrEqual", buildBinary, NPU_INSTR_greater_equal},
    {"GridSample", buildGridSample, 0, "", "composed"},
    {"GroupNormalization", buildGroupNormalization},
    {"HammingWindow", buildWindow, 0, "hamming", "size constant"},
    {"HannWindow", buildWindow, 0, "hann", "size constant"},
    {"HardSigmoid", buildActivation, NPU_INSTR_hard_sigmoid},
    {"HardSwish", buildHardSwish},
    {"Hardmax", buildHardmax, 0, "", "composed"},
    {"Identity", buildIdentity},
    {"If", buildIf, 0, "",
     "condition constant, or both branches are computed, of up to 1000 ops"},
    {"InstanceNormalization", buildInstanceNormalization},
    {"IsInf", buildIsInf},
    {"IsNaN", buildIsNaN},
    {"LRN", buildLrn, 0, "", "composed"},
    {"LSTM", buildLstm, 0, "", "steps written out"},
    {"LayerNormalization", buildLayerNormalization,
     0, "centered", "version 1 is onnxruntime's"},
    {"LeakyRelu", buildActivation, NPU_INSTR_leaky_relu},
    {"Less", buildBinary, NPU_INSTR_less},
    {"LessOrEqual", buildBinary, NPU_INSTR_less_equal},
    {"LinearAttention", buildLinearAttention, 0, "", "steps written out"},
    {"Log", buildUnary, NPU_INSTR_log},
    {"LogSoftmax", buildSoftmax, 0, "log"},
    {"Loop", buildLoop,
     0, "", "trip count and conditions constant; written out"},
    {"LpNormalization", buildLpNormalization, 0, "", "composed"},
    {"LpPool", buildLpPool, 0, "", "composed"},
    {"MatMul", buildMatMul},
    {"MatMulInteger", buildMatMulInteger},
    {"Max", buildVariadic, NPU_INSTR_max},
    {"MaxPool", buildPool, NPU_OP_MAX_POOL},
    {"MaxRoiPool", buildMaxRoiPool, 0, "", "composed"},
    {"MaxUnpool", buildMaxUnpool, 0, "", "output shape constant"},
    {"Mean", buildMean, NPU_INSTR_add},
    {"MeanVarianceNormalization", buildMeanVarianceNormalization,
     0, "", "composed"},
    {"MelWeightMatrix", buildMelWeightMatrix, 0, "", "inputs constant"},
    {"Min", buildVariadic, NPU_INSTR_min},
    {"Mish", buildMish, 0, "", "composed"},
    {"Mod", buildMod},
    {"Mul", buildBinary, NPU_INSTR_mul},
    {"Neg", buildUnary, NPU_INSTR_neg},
    {"NegativeLogLikelihoodLoss", buildNegativeLogLikelihoodLoss,
     0, "", "composed"},
    {"NonMaxSuppression", buildNonMaxSuppression, 0, "", "inputs constant"},
    {"NonZero", buildNonZero, 0, "", "input constant"},
    {"Not", buildUnary, NPU_INSTR_logical_not},
    {"OneHot", buildOneHot, 0, "", "depth constant"},
    {"Or", buildBinary, NPU_INSTR_logical_or},
    {"PRelu", buildPRelu},
    {"Pad", buildPad, 0, "", "pads and value constant"},
    {"Pow", buildPow},
    {"QLinearConv", buildQLinearConv, 0, "", "1 to 3 spatial dimensions"},
    {"QLinearMatMul", buildQLinearMatMul},
    {"QuantizeLinear", buildQuantizeLinear, 0, "", "to int8 and uint8"},
    {"RMSNormalization", buildLayerNormalization},
    {"RNN", buildRnn, 0, "", "steps written out"},
    {"Range", buildRange, 0, "", "ends constant"},
    {"Reciprocal", buildUnary, NPU_INSTR_reciprocal},
    {"ReduceL1", buildReduce, 0, "l1", "axes constant"},
    {"ReduceL2", buildReduce, 0, "l2", "axes constant"},
    {"ReduceLogSum", buildReduce, 0, "log_sum", "axes constant"},
    {"ReduceLogSumExp", buildReduce, 0, "log_sum_exp", "axes constant"},
    {"ReduceMax", buildReduce, 0, "max", "axes constant"},
    {"ReduceMean", buildReduce, 0, "mean", "axes constant"},
    {"ReduceMin", buildReduce, 0, "min", "axes constant"},
    {"ReduceProd", buildReduce, 0, "prod", "axes constant"},
    {"ReduceSum", buildReduce, 0, "sum", "axes constant"},
    {"ReduceSumSquare", buildReduce, 0, "sum_square", "axes constant"},
    {"Relu", buildUnary, NPU_INSTR_relu},
    {"Reshape", buildReshape, 0, "", "shape constant"},
    {"Resize", buildResize, 0, "", "scales, sizes and region constant"},
    {"ReverseSequence", buildReverseSequence, 0, "", "composed"},
    {"RoiAlign", buildRoiAlign,
     0, "", "max: sampling_ratio positive or regions constant; composed"},
    {"RotaryEmbedding", buildRotaryEmbedding, 0, "", "composed"},
    {"Round", buildUnary, NPU_INSTR_round},
    {"STFT", buildStft, 0, "", "step and length constant; composed"},
    {"Scan", buildScan, 0, "", "steps written out"},
    {"Scatter", buildScatterElements},
    {"ScatterElements", buildScatterElements},
    {"ScatterND", buildScatterND},
    {"Selu", buildSelu},
    {"Shape", buildShape},
    {"Shrink", buildShrink, 0, "", "composed"},
    {"Sigmoid", buildUnary, NPU_INSTR_sigmoid},
    {"Sign", buildSign, 0, "", "composed"},
    {"SimplifiedLayerNormalization", buildLayerNormalization,
     0, "", "onnxruntime's"},
    {"Sin", buildUnary, NPU_INSTR_sin},
    {"Sinh", buildSinh, 0, "", "composed"},
    {"Size", buildSize},
    {"Slice", buildSlice, 0, "", "starts, ends, axes and steps constant"},
    {"Softmax", buildSoftmax},
    {"SoftmaxCrossEntropyLoss", buildSoftmaxCrossEntropyLoss,
     0, "", "composed"},
    {"Softplus", buildUnary, NPU_INSTR_softplus},
    {"Softsign", buildSoftsign, 0, "", "composed"},
    {"SpaceToDepth", buildSpaceToDepth, 0, "", "composed"},
    {"Split", buildSplit, 0, "", "sizes constant"},
    {"Sqrt", buildUnary, NPU_INSTR_sqrt},
    {"Squeeze", buildSqueeze, 0, "", "axes constant"},
    {"Sub", buildBinary, NPU_INSTR_sub},
    {"Sum", buildVariadic, NPU_INSTR_add},
    {"SwiGLU", buildSwiGlu, 0, "", "composed"},
    {"Swish", buildActivation, NPU_INSTR_swish},
    {"Tan", buildUnary, NPU_INSTR_tan},
    {"Tanh", buildUnary, NPU_INSTR_tanh},
    {"TensorScatter", buildTensorScatter, 0, "", "composed"},
    {"TfIdfVectorizer", buildTfIdfVectorizer, 0, "", "of integers; composed"},
    {"ThresholdedRelu", buildThresholdedRelu, 0, "", "composed"},
    {"Tile", buildTile, 0, "", "repeats constant"},
    {"TopK", buildTopK, 0, "", "number of elements constant"},
    {"Transpose", buildTranspose},
    {"Trilu", buildTrilu, 0, "", "diagonal constant"},
    {"Unique", buildUnique, 0, "", "input constant"},
    {"Unsqueeze", buildUnsqueeze, 0, "", "axes constant"},
    {"Upsample", buildUpsample, 0, "", "scales constant"},
    {"Where", buildWhere},
    {"Xor", buildBinary, NPU_INSTR_logical_xor},
    {"ai.onnx.preview.FlexAttention", buildFlexAttention, 0, "", "composed"},
    // onnxruntime's own domain, of which there is one version.
    {"com.microsoft.Attention", buildFusedAttention,
     0, "", "own cache, no rotation; composed"},
    {"com.microsoft.BiasGelu", buildBiasGelu, NPU_INSTR_gelu_erf},
    {"com.microsoft.DequantizeLinear", buildDequantizeLinear,
     0, "", "from int8, uint8 and int32"},
    {"com.microsoft.DynamicQuantizeLSTM", buildLstm, 0, "quantized",
     "steps written out"},
    {"com.microsoft.DynamicQuantizeMatMul", buildDynamicQuantizeMatMul,
     0, "", "composed"},
    {"com.microsoft.EmbedLayerNormalization", buildEmbedLayerNormalization,
     0, "", "composed"},
    {"com.microsoft.FastGelu", buildBiasGelu, NPU_INSTR_gelu_tanh},
    {"com.microsoft.FusedConv", buildFusedConv,
     0, "", "1 to 3 spatial dimensions"},
    {"com.microsoft.FusedGemm", buildFusedGemm},
    {"com.microsoft.FusedMatMul", buildFusedMatMul},
    {"com.microsoft.GatherBlockQuantized", buildGatherBlockQuantized,
     0, "", "table constant, rows in blocks along the last axis; composed"},
    {"com.microsoft.Gelu", buildUnary, NPU_INSTR_gelu_erf},
    {"com.microsoft.GroupQueryAttention", buildGroupQueryAttention,
     0, "", "total length constant, cache of the queries' type; composed"},
    {"com.microsoft.MatMulIntegerToFloat", buildMatMulIntegerToFloat},
    {"com.microsoft.MatMulNBits", buildMatMulNBits,
     0, "", "with accuracy_level 4 data is rounded to bytes"},
    {"com.microsoft.MultiHeadAttention", buildMultiHeadAttention,
     0, "", "own cache; composed"},
    {"com.microsoft.QAttention", buildQAttention,
     0, "", "own cache, no rotation; composed"},
    {"com.microsoft.QGemm", buildQGemm},
    {"com.microsoft.QLinearAdd", buildQLinearBinary, NPU_INSTR_add},
    {"com.microsoft.QLinearAveragePool", buildQLinearPool},
    {"com.microsoft.QLinearConcat", buildQLinearConcat},
    {"com.microsoft.QLinearGlobalAveragePool", buildQLinearGlobalPool},
    {"com.microsoft.QLinearLeakyRelu", buildQLinearUnary, NPU_INSTR_leaky_relu},
    {"com.microsoft.QLinearMul", buildQLinearBinary, NPU_INSTR_mul},
    {"com.microsoft.QLinearSigmoid", buildQLinearUnary, NPU_INSTR_sigmoid},
    {"com.microsoft.QLinearSoftmax", buildQLinearSoftmax},
    {"com.microsoft.QLinearWhere", buildQLinearWhere},
    {"com.microsoft.QuantizeLinear", buildQuantizeLinear,
     0, "", "to int8 and uint8"},
    {"com.microsoft.QuickGelu", buildQuickGelu},
    {"com.microsoft.RotaryEmbedding", buildRuntimeRotaryEmbedding,
     0, "", "composed"},
    {"com.microsoft.SkipLayerNormalization", buildSkipLayerNormalization,
     0, "centered", "composed"},
    {"com.microsoft.SkipSimplifiedLayerNormalization",
     buildSkipLayerNormalization, 0, "", "composed"},
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
    for (auto [i, schema] : llvm::enumerate(onnxSchemas(op.name)))
      text += (i ? ", " : "") + std::to_string(schema.version);
    text += " | " + std::string(op.note) + " |\n";
  }
  text +=
      "\n## Element types\n\nData is float, float16, bfloat16, bool or an "
      "integer of 8 to 64 bits, signed or not, wherever the operator's "
      "definition takes it: as input, output, constant, and in every operator, "
      "those on bits included. Integers wrap around. double is taken where it "
      "is moved, compared or converted (inputs, outputs and constants; Cast, "
      "Transpose, Reshape, Slice, Gather, Concat, Pad, Where, Expand, Tile, "
      "ScatterND, Equal, Less, Greater, Min, Max and the like); what is "
      "computed of constants alone is computed in double. A node that computes "
      "in double of data is refused, or with --f64=f32 computed in float, with "
      "a warning. Constants in int4 and uint4 are read as bytes (where weights "
      "are stored, they have 4 bits again). All else is refused with exit code "
      "5, though onnxruntime takes some of it: int4 and uint4 that are no "
      "constants, int2, uint2 and floats of 4 and 8 bits, also in "
      "QuantizeLinear and DequantizeLinear; uint64 in what divides along "
      "axes (ReduceMean, ReduceL2); strings and complex numbers.\n";
  text += "\n## Out of scope\n\nBeside training and ai.onnx.ml:\n\n"
          "| what | operators |\n|---|---|\n";
  for (const OutOfScope &row : outOfScope)
    text +=
        "| " + row.reason.str() + " | " + llvm::join(row.ops, ", ") + " |\n";
  return text;
}
