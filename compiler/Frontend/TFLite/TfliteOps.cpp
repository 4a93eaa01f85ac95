// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Frontend/Support/PluginNode.h"
#include "compiler/Frontend/Support/Unsupported.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace npu;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::TensorType;

/// None of a number that is no type.
static constexpr uint32_t bit(TensorType type) {
  return uint32_t(type) < 32 ? 1U << uint32_t(type) : 0;
}
static constexpr uint32_t F = bit(TensorType::FLOAT32),
                          B = bit(TensorType::INT8), U = bit(TensorType::UINT8),
                          S = bit(TensorType::INT16),
                          I = bit(TensorType::INT32),
                          L = bit(TensorType::INT64), O = bit(TensorType::BOOL),
                          H = bit(TensorType::FLOAT16),
                          C = bit(TensorType::COMPLEX64);
static constexpr uint32_t all = F | H | B | U | S | I | L | O;

Activation npu::tfliteActivation(const TfliteOperator &op) {
  auto of = [](const auto *options) {
    return options ? options->activation() : Activation::NONE;
  };
  switch (op.kind()) {
  case BuiltinOperator::ADD:
    return of(op.options<tflite::AddOptions>());
  case BuiltinOperator::SUB:
    return of(op.options<tflite::SubOptions>());
  case BuiltinOperator::MUL:
    return of(op.options<tflite::MulOptions>());
  case BuiltinOperator::DIV:
    return of(op.options<tflite::DivOptions>());
  case BuiltinOperator::CONV_2D:
    return of(op.options<tflite::Conv2DOptions>());
  case BuiltinOperator::CONV_3D:
    return of(op.options<tflite::Conv3DOptions>());
  case BuiltinOperator::DEPTHWISE_CONV_2D:
    return of(op.options<tflite::DepthwiseConv2DOptions>());
  case BuiltinOperator::TRANSPOSE_CONV:
    return of(op.options<tflite::TransposeConvOptions>());
  case BuiltinOperator::FULLY_CONNECTED:
    return of(op.options<tflite::FullyConnectedOptions>());
  case BuiltinOperator::CONCATENATION:
    return of(op.options<tflite::ConcatenationOptions>());
  case BuiltinOperator::SVDF:
    return of(op.options<tflite::SVDFOptions>());
  case BuiltinOperator::L2_NORMALIZATION:
    return of(op.options<tflite::L2NormOptions>());
  case BuiltinOperator::MAX_POOL_2D:
  case BuiltinOperator::AVERAGE_POOL_2D:
  case BuiltinOperator::L2_POOL_2D:
    return of(op.options<tflite::Pool2DOptions>());
  default:
    return Activation::NONE;
  }
}

static const TfliteOp table[] = {
    // clang-format off
    {BuiltinOperator::ABS, F | B | S | I, 0, buildTfliteUnary, NPU_INSTR_abs},
    {BuiltinOperator::ADD, F | B | U | S | I | L, 0, buildTfliteArithmetic, NPU_INSTR_add},
    {BuiltinOperator::ADD_N, F | I, 0, buildTfliteAddN},
    {BuiltinOperator::ARG_MAX, F | B | U | S | I | O, 0, buildTfliteArg},
    {BuiltinOperator::ARG_MIN, F | B | U | S | I | O, 0, buildTfliteArg},
    {BuiltinOperator::ASSIGN_VARIABLE, all, 1, buildTfliteAssignVariable},
    {BuiltinOperator::ATAN2, F, 0, buildTfliteAtan2},
    {BuiltinOperator::AVERAGE_POOL_2D, F | B | U | S, 0, buildTfliteAveragePool},
    {BuiltinOperator::BATCH_MATMUL, F | B | S, 0, buildTfliteBatchMatMul},
    {BuiltinOperator::BATCH_TO_SPACE_ND, all, 0, buildTfliteBatchToSpace},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, F, 0, buildTfliteLstm},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, F, 0, buildTfliteRnn},
    {BuiltinOperator::BITWISE_XOR, B | S | I, 0, buildTfliteBinary, NPU_INSTR_bit_xor},
    {BuiltinOperator::BROADCAST_ARGS, I | L, 0, buildTfliteBroadcastArgs, 0, "constant"},
    {BuiltinOperator::BROADCAST_TO, all, 0, buildTfliteBroadcastTo, 0, "shape constant"},
    {BuiltinOperator::BUCKETIZE, F | I, 0, buildTfliteBucketize},
    {BuiltinOperator::CALL_ONCE, 0, noOperand, buildTfliteCallOnce, 0, "assigns constants to variables"},
    {BuiltinOperator::CAST, all | C, 0, buildTfliteCast},
    {BuiltinOperator::CEIL, F, 0, buildTfliteUnary, NPU_INSTR_ceil},
    {BuiltinOperator::COMPLEX_ABS, C, 0, buildTfliteComplexAbs},
    {BuiltinOperator::CONCATENATION, all, 0, buildTfliteConcat, 0, "i16: of one scale"},
    {BuiltinOperator::CONV_2D, F | B | U | S, 0, buildTfliteConv},
    {BuiltinOperator::CONV_3D, F, 0, buildTfliteConv},
    {BuiltinOperator::COS, F, 0, buildTfliteUnary, NPU_INSTR_cos},
    {BuiltinOperator::CUMSUM, F | I | L, 0, buildTfliteCumsum},
    {BuiltinOperator::CUSTOM, F, 0, buildTfliteTransposeConvBias, 0, "of MediaPipe", "Convolution2DTransposeBias"},
    {BuiltinOperator::DENSIFY, F | H | B, 0, buildTfliteDensify, 0, "constant"},
    {BuiltinOperator::DEPTHWISE_CONV_2D, F | B | U | S, 0, buildTfliteDepthwiseConv},
    {BuiltinOperator::DEPTH_TO_SPACE, all, 0, buildTfliteDepthToSpace},
    {BuiltinOperator::DEQUANTIZE, H | B | U | S, 0, buildTfliteDequantize},
    {BuiltinOperator::DIV, F | I, 0, buildTfliteBinary, NPU_INSTR_div},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, all, 0, buildTfliteDynamicUpdateSlice},
    {BuiltinOperator::ELU, F | B, 0, buildTfliteUnary, NPU_INSTR_elu},
    {BuiltinOperator::EMBEDDING_LOOKUP, all, 1, buildTfliteEmbeddingLookup},
    {BuiltinOperator::EQUAL, F | B | U | S | I | L | O, 0, buildTfliteCompare, NPU_INSTR_equal},
    {BuiltinOperator::EXP, F | B | S, 0, buildTfliteUnary, NPU_INSTR_exp},
    {BuiltinOperator::EXPAND_DIMS, all | C, 0, buildTfliteExpandDims},
    {BuiltinOperator::FAKE_QUANT, F, 0, buildTfliteFakeQuant},
    {BuiltinOperator::FILL, all, 1, buildTfliteFill, 0, "shape constant"},
    {BuiltinOperator::FLOOR, F, 0, buildTfliteUnary, NPU_INSTR_floor},
    {BuiltinOperator::FLOOR_DIV, F | B | S | I, 0, buildTfliteFloorDiv},
    {BuiltinOperator::FLOOR_MOD, F | B | S | I | L, 0, buildTfliteBinary, NPU_INSTR_mod},
    {BuiltinOperator::FULLY_CONNECTED, F | B | U | S, 0, buildTfliteFullyConnected},
    {BuiltinOperator::GATHER, all, 0, buildTfliteGather},
    {BuiltinOperator::GATHER_ND, all, 0, buildTfliteGatherNd},
    {BuiltinOperator::GELU, F | B | U, 0, buildTfliteGelu},
    {BuiltinOperator::GREATER, F | B | U | S | I | L, 0, buildTfliteCompare, NPU_INSTR_greater},
    {BuiltinOperator::GREATER_EQUAL, F | B | U | S | I | L, 0, buildTfliteCompare, NPU_INSTR_greater_equal},
    {BuiltinOperator::HARD_SWISH, F | B | U, 0, buildTfliteHardSwish},
    {BuiltinOperator::IF, O, 0, buildTfliteIf, 0, "condition constant, or both branches are computed"},
    {BuiltinOperator::IMAG, C, 0, buildTfliteImaginary},
    {BuiltinOperator::L2_NORMALIZATION, F | B | U, 0, buildTfliteL2Norm},
    {BuiltinOperator::L2_POOL_2D, F, 0, buildTfliteL2Pool},
    {BuiltinOperator::LEAKY_RELU, F | B | U | S, 0, buildTfliteLeakyRelu},
    {BuiltinOperator::LESS, F | B | U | S | I | L, 0, buildTfliteCompare, NPU_INSTR_less},
    {BuiltinOperator::LESS_EQUAL, F | B | U | S | I | L, 0, buildTfliteCompare, NPU_INSTR_less_equal},
    {BuiltinOperator::LOCAL_RESPONSE_NORMALIZATION, F, 0, buildTfliteLrn},
    {BuiltinOperator::LOG, F | B | S, 0, buildTfliteUnary, NPU_INSTR_log},
    {BuiltinOperator::LOGICAL_AND, O, 0, buildTfliteBinary, NPU_INSTR_logical_and},
    {BuiltinOperator::LOGICAL_NOT, O, 0, buildTfliteUnary, NPU_INSTR_logical_not},
    {BuiltinOperator::LOGICAL_OR, O, 0, buildTfliteBinary, NPU_INSTR_logical_or},
    {BuiltinOperator::LOGISTIC, F | B | U | S, 0, buildTfliteUnary, NPU_INSTR_sigmoid},
    {BuiltinOperator::LOG_SOFTMAX, F | B | U, 0, buildTfliteLogSoftmax},
    {BuiltinOperator::LSTM, F | B, 0, buildTfliteLstm, 0, "kernel FULL; i8: without layer normalization"},
    {BuiltinOperator::MATRIX_DIAG, F | B | U | S | I | L, 0, buildTfliteMatrixDiag},
    {BuiltinOperator::MATRIX_SET_DIAG, F | B | U | S | I | L, 0, buildTfliteMatrixSetDiag},
    {BuiltinOperator::MAXIMUM, F | B | U | S | I | L, 0, buildTfliteExtreme, NPU_INSTR_max},
    {BuiltinOperator::MAX_POOL_2D, F | B | U | S, 0, buildTfliteMaxPool},
    {BuiltinOperator::MEAN, F | B | U | S | I | L, 0, buildTfliteMean},
    {BuiltinOperator::MINIMUM, F | B | U | S | I | L, 0, buildTfliteExtreme, NPU_INSTR_min},
    {BuiltinOperator::MIRROR_PAD, all, 0, buildTfliteMirrorPad, 0, "paddings constant"},
    {BuiltinOperator::MUL, F | B | U | S | I | L, 0, buildTfliteMul, NPU_INSTR_mul},
    {BuiltinOperator::NEG, F | B | S | I, 0, buildTfliteUnary, NPU_INSTR_neg},
    {BuiltinOperator::NOT_EQUAL, F | B | U | S | I | L | O, 0, buildTfliteCompare, NPU_INSTR_equal},
    {BuiltinOperator::ONE_HOT, I | L, 0, buildTfliteOneHot, 0, "depth constant"},
    {BuiltinOperator::PACK, all, 0, buildTflitePack},
    {BuiltinOperator::PAD, all, 0, buildTflitePad, 0, "paddings constant"},
    {BuiltinOperator::PADV2, all, 0, buildTflitePad, 0, "paddings and value constant"},
    {BuiltinOperator::POW, F | I, 0, buildTfliteBinary, NPU_INSTR_pow},
    {BuiltinOperator::PRELU, F | B | U, 0, buildTflitePRelu},
    {BuiltinOperator::QUANTIZE, F | B | U | S, 0, buildTfliteQuantize},
    {BuiltinOperator::RANGE, F | I | L, 0, buildTfliteRange, 0, "constant"},
    {BuiltinOperator::RANK, all, 0, buildTfliteRank},
    {BuiltinOperator::READ_VARIABLE, all, noOperand, buildTfliteReadVariable},
    {BuiltinOperator::REAL, C, 0, buildTfliteReal},
    {BuiltinOperator::REDUCE_ALL, O, 0, buildTfliteReduceBool, int(ReduceKind::Min)},
    {BuiltinOperator::REDUCE_ANY, O, 0, buildTfliteReduceBool, int(ReduceKind::Max)},
    {BuiltinOperator::REDUCE_MAX, F | B | U | S | I | L, 0, buildTfliteReduce, int(ReduceKind::Max)},
    {BuiltinOperator::REDUCE_MIN, F | B | U | S | I | L, 0, buildTfliteReduce, int(ReduceKind::Min)},
    {BuiltinOperator::REDUCE_PROD, F | I | L, 0, buildTfliteReduce, int(ReduceKind::Prod)},
    {BuiltinOperator::RELU, F | B | U | S, 0, buildTfliteRelu},
    {BuiltinOperator::RELU6, F | B | U | S, 0, buildTfliteRelu},
    {BuiltinOperator::RELU_0_TO_1, F | B | U, 0, buildTfliteRelu},
    {BuiltinOperator::RELU_N1_TO_1, F | B | U, 0, buildTfliteRelu},
    {BuiltinOperator::RESHAPE, all | C, 0, buildTfliteReshape},
    {BuiltinOperator::RESIZE_BILINEAR, F | B | U | S, 0, buildTfliteResizeBilinear, 0, "sizes constant"},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, F | B | U | S, 0, buildTfliteResizeNearest, 0, "sizes constant"},
    {BuiltinOperator::REVERSE_SEQUENCE, all, 0, buildTfliteReverseSequence},
    {BuiltinOperator::REVERSE_V2, all, 0, buildTfliteReverse},
    {BuiltinOperator::RFFT2D, F, 0, buildTfliteRfft2d, 0, "lengths constant"},
    {BuiltinOperator::RIGHT_SHIFT, B | S | I, 0, buildTfliteRightShift},
    {BuiltinOperator::RNN, F, 0, buildTfliteRnn},
    {BuiltinOperator::ROUND, F, 0, buildTfliteUnary, NPU_INSTR_round},
    {BuiltinOperator::RSQRT, F | B | S, 0, buildTfliteUnary, NPU_INSTR_rsqrt},
    {BuiltinOperator::SCATTER_ND, F | B | I | L | O, 1, buildTfliteScatterNd, 0, "shape constant"},
    {BuiltinOperator::SEGMENT_SUM, F | I, 0, buildTfliteSegmentSum, 0, "segments constant"},
    {BuiltinOperator::SELECT, F | B | I, 1, buildTfliteSelect},
    {BuiltinOperator::SELECT_V2, F | B | I, 1, buildTfliteSelect},
    {BuiltinOperator::SHAPE, all, 0, buildTfliteShape},
    {BuiltinOperator::SIGN, F | I, 0, buildTfliteUnary, NPU_INSTR_sign},
    {BuiltinOperator::SIN, F, 0, buildTfliteUnary, NPU_INSTR_sin},
    {BuiltinOperator::SLICE, all, 0, buildTfliteSlice, 0, "begins and sizes constant"},
    {BuiltinOperator::SOFTMAX, F | B | U | S, 0, buildTfliteSoftmax},
    {BuiltinOperator::SPACE_TO_BATCH_ND, all, 0, buildTfliteSpaceToBatch},
    {BuiltinOperator::SPACE_TO_DEPTH, all, 0, buildTfliteSpaceToDepth},
    {BuiltinOperator::SPARSE_TO_DENSE, F | B | U | I | L, 2, buildTfliteSparseToDense, 0, "shape constant"},
    {BuiltinOperator::SPLIT, all, 1, buildTfliteSplit},
    {BuiltinOperator::SPLIT_V, all, 0, buildTfliteSplitV, 0, "sizes constant"},
    {BuiltinOperator::SQRT, F, 0, buildTfliteUnary, NPU_INSTR_sqrt},
    {BuiltinOperator::SQUARE, F, 0, buildTfliteSquare},
    {BuiltinOperator::SQUARED_DIFFERENCE, F | B | I, 0, buildTfliteSquaredDifference},
    {BuiltinOperator::SQUEEZE, all | C, 0, buildTfliteSqueeze},
    {BuiltinOperator::STRIDED_SLICE, all, 0, buildTfliteStridedSlice, 0, "bounds constant"},
    {BuiltinOperator::SUB, F | B | U | S | I | L, 0, buildTfliteArithmetic, NPU_INSTR_sub},
    {BuiltinOperator::SUM, F | B | U | S | I | L, 0, buildTfliteSum, int(ReduceKind::Sum)},
    {BuiltinOperator::SVDF, F | B, 0, buildTfliteSvdf, 0, "i8: RELU, weights over time and state i16"},
    {BuiltinOperator::TANH, F | B | U | S, 0, buildTfliteUnary, NPU_INSTR_tanh},
    {BuiltinOperator::TILE, all, 0, buildTfliteTile, 0, "multiples constant"},
    {BuiltinOperator::TOPK_V2, F | B | U | S | I | L, 0, buildTfliteTopK, 0, "number constant"},
    {BuiltinOperator::TRANSPOSE, all | C, 0, buildTfliteTranspose},
    {BuiltinOperator::TRANSPOSE_CONV, F | B | U | S, 2, buildTfliteTransposeConv},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, F | B, 0, buildTfliteLstm, 0, "i8: without layer normalization"},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, F, 0, buildTfliteRnn},
    {BuiltinOperator::UNPACK, all, 0, buildTfliteUnpack},
    {BuiltinOperator::UNSORTED_SEGMENT_MAX, F | I, 0, buildTfliteUnsortedSegment, int(ScatterReduction::Max), "number constant"},
    {BuiltinOperator::UNSORTED_SEGMENT_MIN, F | I, 0, buildTfliteUnsortedSegment, int(ScatterReduction::Min), "number constant"},
    {BuiltinOperator::UNSORTED_SEGMENT_PROD, F | I, 0, buildTfliteUnsortedSegment, int(ScatterReduction::Mul), "number constant"},
    {BuiltinOperator::UNSORTED_SEGMENT_SUM, F | I, 0, buildTfliteUnsortedSegment, int(ScatterReduction::Add), "number constant"},
    {BuiltinOperator::VAR_HANDLE, 0, noOperand, buildTfliteVarHandle},
    {BuiltinOperator::WHERE, all, 0, buildTfliteWhere, 0, "constant"},
    {BuiltinOperator::WHILE, all, 0, buildTfliteWhile, 0, "every iteration is written out"},
    {BuiltinOperator::ZEROS_LIKE, F | I, 0, buildTfliteZerosLike},
    // clang-format on
};

static const TfliteOp ofPlugin = {BuiltinOperator::CUSTOM, 0, noOperand,
                                  buildTflitePlugin};

static std::string typesText(uint32_t types) {
  std::string text;
  for (TensorType type :
       {TensorType::FLOAT32, TensorType::FLOAT16, TensorType::INT8,
        TensorType::UINT8, TensorType::INT16, TensorType::INT32,
        TensorType::INT64, TensorType::BOOL, TensorType::COMPLEX64})
    if ((types & bit(type)) != 0)
      text += (text.empty() ? "" : ", ") + tfliteTypeText(type).str();
  return text;
}

const TfliteOp *npu::lookupTfliteOp(MLIRContext *context,
                                    const TfliteOperator &op) {
  bool isCustom = op.kind() == BuiltinOperator::CUSTOM;
  std::string custom = isCustom ? op.customName() : "";
  const TfliteOp *row = llvm::find_if(table, [&](const TfliteOp &row) {
    return row.kind == op.kind() && row.custom == custom;
  });
  if (row != std::end(table))
    return row;
  bool isPlugins = isCustom && lookupPluginNode(context, "tflite", custom).op;
  return isPlugins ? &ofPlugin : nullptr;
}

/// Whether the operator reads or gives complex numbers, and the row has none.
static bool lacksComplex(const TfliteOp &row, const TfliteOperator &op) {
  bool isComplex = false;
  for (size_t i = 0; i < op.inputCount(); ++i)
    isComplex |= op.input(i) && op.inputType(i) == TensorType::COMPLEX64;
  if (row.kind != BuiltinOperator::RFFT2D)
    for (size_t i = 0; i < op.outputCount(); ++i)
      isComplex |= op.outputType(i) == TensorType::COMPLEX64;
  return isComplex && (row.types & C) == 0;
}

/// Why an operator is refused; empty where it is taken.
static std::string refusal(const TfliteOp &row, const TfliteOperator &op) {
  if (lacksComplex(row, op))
    return tfliteTypeText(TensorType::COMPLEX64).str();
  if (row.operand == noOperand)
    return "";
  bool givesNothing = row.kind == BuiltinOperator::ASSIGN_VARIABLE;
  if (!op.input(row.operand) || (!op.output(0) && !givesNothing))
    return "no operand " + std::to_string(row.operand) + ", or no result";
  TensorType type = op.inputType(row.operand);
  if ((row.types & bit(type)) == 0)
    return tfliteTypeText(type).str();
  Activation activation = tfliteActivation(op);
  if (activation > Activation::RELU6 || activation < Activation::NONE) {
    std::string known = tflite::EnumNameActivation(activation);
    return "the fused activation " +
           (known.empty() ? std::to_string(int(activation)) : known);
  }
  return "";
}

namespace {
/// What is refused, the first of its kind, and how many there are.
struct Refusal {
  std::string what, name;
  int count;
};
} // namespace

static std::string textOf(ArrayRef<Refusal> refusals) {
  std::string text;
  for (const Refusal &refusal : refusals) {
    text += (text.empty() ? "" : "; ") + refusal.what + " at '" + refusal.name +
            "'";
    if (refusal.count > 1)
      text += " and " + std::to_string(refusal.count - 1) + " more";
  }
  return text;
}

namespace {
/// All that is refused in a graph and in those that it calls.
class OpChecker {
public:
  OpChecker(Location file, const TfliteFile &model)
      : file(file), model(model) {}

  /// False after an error: a graph calls one that is not there, or itself.
  bool check(int64_t index);
  LogicalResult report();

private:
  void checkOperator(const TfliteOperator &op);
  bool checkCalls(const TfliteOperator &op);

  Location file;
  const TfliteFile &model;
  SmallVector<Refusal> refusals;
  llvm::SmallDenseSet<int64_t> open, done; // graphs
};
} // namespace

void OpChecker::checkOperator(const TfliteOperator &op) {
  const TfliteOp *row = lookupTfliteOp(file.getContext(), op);
  std::string reason = row ? refusal(*row, op) : "";
  if (row && reason.empty())
    return;
  std::string what = op.name() + (row ? " with " + reason : "");
  auto *known = llvm::find_if(
      refusals, [&](const Refusal &refusal) { return refusal.what == what; });
  if (known != refusals.end())
    ++known->count;
  else
    refusals.push_back({what, op.resultName(), 1});
}

bool OpChecker::checkCalls(const TfliteOperator &op) {
  if (const auto *calls = op.options<tflite::IfOptions>())
    return check(calls->then_subgraph_index()) &&
           check(calls->else_subgraph_index());
  if (const auto *calls = op.options<tflite::WhileOptions>())
    return check(calls->cond_subgraph_index()) &&
           check(calls->body_subgraph_index());
  if (const auto *calls = op.options<tflite::CallOnceOptions>())
    return check(calls->init_subgraph_index());
  return true;
}

bool OpChecker::check(int64_t index) {
  auto count = int64_t(model.model->subgraphs()->size());
  if (index < 0 || index >= count || open.contains(index)) {
    mlir::emitError(file) << "calls graph " << index << " of " << count
                          << (open.contains(index) ? " in itself" : "");
    return false;
  }
  if (!done.insert(index).second)
    return true;
  open.insert(index);
  const tflite::SubGraph &graph = *model.model->subgraphs()->Get(index);
  for (size_t i = 0; graph.operators() && i < graph.operators()->size(); ++i) {
    TfliteOperator op(model, graph, *graph.operators()->Get(i));
    checkOperator(op);
    if (!checkCalls(op))
      return false;
  }
  open.erase(index);
  return true;
}

LogicalResult OpChecker::report() {
  if (refusals.empty())
    return success();
  return emitUnsupported(file)
         << "found operators that are not supported: " << textOf(refusals)
         << "; expected those of docs/tflite-ops.md";
}

LogicalResult npu::checkTfliteOps(Location file, const TfliteFile &model) {
  OpChecker checker(file, model);
  return checker.check(0) ? checker.report() : failure();
}

/// The operators without a row, by reason.
static std::string excludedOpsMarkdown() {
  llvm::MapVector<StringRef, std::string> reasons;
  for (BuiltinOperator kind : tflite::EnumValuesBuiltinOperator())
    if (llvm::none_of(table,
                      [&](const TfliteOp &row) { return row.kind == kind; })) {
      std::string &names = reasons[whyNoTfliteOp(kind)];
      names += (names.empty() ? "" : ", ") +
               std::string(tflite::EnumNameBuiltinOperator(kind));
    }
  std::string text = "\n## Left out\n\n| operators | why |\n|---|---|\n";
  for (const auto &[reason, names] : reasons)
    text += "| " + names + " | " + reason.str() + " |\n";
  return text;
}

std::string npu::supportedTfliteOpsMarkdown() {
  std::string text =
      "<!-- Generated from compiler/Frontend/TFLite/TfliteOps.cpp. -->\n"
      "# Supported TFLite operators\n\n"
      "Operators of `.tflite` files with the types of their data. For these "
      "the "
      "numbers are those of LiteRT's reference kernels "
      "(`test/compiler/Frontend/TFLite/litert_reference.py` compares them); "
      "everything else is refused by name, with exit code 5. So are the fused "
      "activations TANH and SIGN_BIT. What variables hold is state of the "
      "program (`docs/streaming.md`). Other operators that a file calls CUSTOM "
      "are a plugin's with `domain` `tflite` and that name as `op_type` "
      "(`docs/plugins.md`).\n\n"
      "| operator | types | notes |\n|---|---|---|\n";
  for (const TfliteOp &op : table)
    text += "| " + std::string(tflite::EnumNameBuiltinOperator(op.kind)) +
            (*op.custom ? " '" + std::string(op.custom) + "'" : "") + " | " +
            typesText(op.types) + " | " + op.note + " |\n";
  return text + excludedOpsMarkdown();
}
