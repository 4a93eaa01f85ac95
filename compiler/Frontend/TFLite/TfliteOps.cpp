// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteOps.h"

#include "compiler/Frontend/Support/Unsupported.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace npu;
using tflite::Activation;
using tflite::BuiltinOperator;
using tflite::TensorType;

namespace {

/// What becomes of an operator: why it is refused, or what is changed.
struct Decision {
  std::string refusal;
  std::optional<TfliteReplacement> change;
};

constexpr uint32_t bit(TensorType type) { return 1u << int(type); }
constexpr uint32_t F = bit(TensorType::FLOAT32), B = bit(TensorType::INT8),
                   U = bit(TensorType::UINT8), S = bit(TensorType::INT16),
                   I = bit(TensorType::INT32), L = bit(TensorType::INT64),
                   O = bit(TensorType::BOOL), H = bit(TensorType::FLOAT16);
constexpr uint32_t all = F | B | U | S | I | L | O;

/// A row of the table.
struct TfliteOp {
  BuiltinOperator kind;
  uint32_t types; // of the operand that the operator is about,
  size_t operand; // and which that is
  Decision (*check)(const TfliteOperator &op) = nullptr;
  const char *note = ""; // what a user must know
};

} // namespace

static Decision refuse(const Twine &reason) { return {reason.str(), {}}; }

static Decision custom(const TfliteOperator &op, StringRef name,
                       size_t operands, std::string words = "") {
  TfliteReplacement change;
  change.source = &op.source;
  change.custom = "npuc." + name.str();
  change.operands = operands;
  change.words = std::move(words);
  return {"", change};
}

static ArrayRef<int32_t> shapeOf(const tflite::Tensor *tensor) {
  if (!tensor || !tensor->shape())
    return {};
  return {tensor->shape()->data(), tensor->shape()->size()};
}

static std::string wordOf(float number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", double(number));
  return text;
}

static Activation activationOf(const TfliteOperator &op) {
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
  case BuiltinOperator::L2_NORMALIZATION:
    return of(op.options<tflite::L2NormOptions>());
  case BuiltinOperator::MAX_POOL_2D:
  case BuiltinOperator::AVERAGE_POOL_2D:
    return of(op.options<tflite::Pool2DOptions>());
  default:
    return Activation::NONE;
  }
}

// --- Operators that need more than their types -------------------------------

/// The converter loses a pool's activation.
static Decision checkPool(const TfliteOperator &op) {
  const auto *options = op.options<tflite::Pool2DOptions>();
  if (!options || options->activation() == Activation::NONE)
    return {};
  TfliteReplacement change;
  change.source = &op.source;
  change.behind = options->activation();
  change.options = [options](flatbuffers::FlatBufferBuilder &builder) {
    tflite::Pool2DOptionsT copy;
    options->UnPackTo(&copy);
    copy.activation = Activation::NONE;
    return tflite::CreatePool2DOptions(builder, &copy).Union();
  };
  return {"", change};
}

static Decision checkBinary(const TfliteOperator &op) {
  bool isPlain = op.inputType(0) == TensorType::INT32 ||
                 op.inputType(0) == TensorType::INT64;
  if (isPlain && activationOf(op) != Activation::NONE)
    return refuse("a fused activation of " + tfliteTypeText(op.inputType(0)));
  return {};
}

/// The converter multiplies with a reciprocal, which is infinite where the
/// quotient is not.
static Decision checkDiv(const TfliteOperator &op) {
  if (op.inputType(0) != TensorType::FLOAT32)
    return checkBinary(op);
  Decision decision = custom(op, "div", 2);
  decision.change->behind = activationOf(op);
  return decision;
}

static Decision checkCast(const TfliteOperator &op) {
  if (op.outputType(0) == TensorType::UINT8 &&
      op.inputType(0) != TensorType::UINT8)
    return refuse("a conversion of " + tfliteTypeText(op.inputType(0)) +
                  " to u8");
  bool isNumber = (bit(op.outputType(0)) & (B | S | I | L)) != 0;
  if (op.inputType(0) == TensorType::FLOAT32 && isNumber)
    return custom(op, "truncate", 1);
  if ((bit(op.outputType(0)) & all) == 0)
    return refuse("a conversion to " + tfliteTypeText(op.outputType(0)));
  return {};
}

static Decision checkQuantize(const TfliteOperator &op) {
  if (op.inputType(0) != TensorType::FLOAT32)
    return {};
  std::optional<TfliteScale> scale = tfliteScale(*op.output(0));
  if (!scale || scale->scale <= 0)
    return refuse("a result without one positive scale");
  int64_t least = -128, most = 127;
  if (op.outputType(0) == TensorType::UINT8) {
    least = 0;
    most = 255;
  } else if (op.outputType(0) == TensorType::INT16) {
    least = -32768;
    most = 32767;
  } else if (op.outputType(0) != TensorType::INT8) {
    return refuse("a result of " + tfliteTypeText(op.outputType(0)));
  }
  return custom(op, "quantize", 1,
                wordOf(scale->scale) + " " + std::to_string(scale->zeroPoint) +
                    " " + std::to_string(least) + " " + std::to_string(most));
}

static Decision checkGelu(const TfliteOperator &op) {
  const auto *options = op.options<tflite::GeluOptions>();
  if (op.inputType(0) == TensorType::FLOAT32 &&
      !(options && options->approximate()))
    return custom(op, "gelu", 1);
  return {};
}

static Decision checkLeakyRelu(const TfliteOperator &op) {
  const auto *options = op.options<tflite::LeakyReluOptions>();
  if (op.inputType(0) != TensorType::FLOAT32 && options && options->alpha() < 0)
    return refuse("a slope below 0 on " + tfliteTypeText(op.inputType(0)));
  return {};
}

static Decision checkRound(const TfliteOperator &op) {
  return custom(op, "round", 1);
}

static Decision checkFloorDiv(const TfliteOperator &op) {
  if (op.inputType(0) == TensorType::FLOAT32)
    return custom(op, "floor_div", 2);
  return {};
}

static Decision checkFloorMod(const TfliteOperator &op) {
  return custom(op, "floor_mod", 2);
}

static Decision checkL2Norm(const TfliteOperator &op) {
  return custom(op, "l2_normalization", 1);
}

static Decision checkSoftmax(const TfliteOperator &op) {
  const auto *options = op.options<tflite::SoftmaxOptions>();
  if (options && options->beta() != 1)
    return refuse("beta " + Twine(wordOf(options->beta())));
  if (op.outputType(0) != op.inputType(0))
    return refuse("a result of " + tfliteTypeText(op.outputType(0)));
  return {};
}

static Decision checkSelect(const TfliteOperator &op) {
  if (shapeOf(op.input(0)).size() != shapeOf(op.input(1)).size())
    return refuse("a condition of another rank");
  return {};
}

/// Weights must be as wide as the data, but for f32 data, whose weights may be
/// quantized: they are multiplied as the numbers that they stand for.
static Decision checkProduct(const TfliteOperator &op) {
  const tflite::Tensor *weights = op.input(1);
  if (!weights || (bit(weights->type()) & (F | B | U)) == 0)
    return refuse("weights of " + tfliteTypeText(weights
                                                     ? weights->type()
                                                     : TensorType::RESOURCE));
  if (op.kind() == BuiltinOperator::FULLY_CONNECTED)
    if (const auto *options = op.options<tflite::FullyConnectedOptions>();
        options && options->weights_format() != 0)
      return refuse("weights in blocks");
  return {};
}

static Decision checkBatchMatMul(const TfliteOperator &op) {
  ArrayRef<int32_t> a = shapeOf(op.input(0)), b = shapeOf(op.input(1));
  bool aGrows = false, bGrows = false;
  for (size_t i = 3; i <= std::max(a.size(), b.size()); ++i) {
    int32_t left = i <= a.size() ? a[a.size() - i] : 1;
    int32_t right = i <= b.size() ? b[b.size() - i] : 1;
    aGrows |= left < right;
    bGrows |= right < left;
  }
  if (aGrows && bGrows)
    return refuse("operands that both broadcast");
  return {};
}

/// The sizes of a resize, which must be constant and above 0.
static std::optional<std::string> sizesOf(const TfliteOperator &op) {
  auto sizes = op.ints(1);
  if (!sizes || sizes->size() != 2 || (*sizes)[0] < 1 || (*sizes)[1] < 1 ||
      shapeOf(op.input(0)).size() != 4)
    return std::nullopt;
  return std::to_string((*sizes)[0]) + " " + std::to_string((*sizes)[1]);
}

template <typename Options>
static Decision resize(const TfliteOperator &op, StringRef name) {
  std::optional<std::string> words = sizesOf(op);
  if (!words)
    return refuse("sizes that are no two constants above 0");
  const auto *options = op.options<Options>();
  *words += options && options->align_corners() ? " 1" : " 0";
  *words += options && options->half_pixel_centers() ? " 1" : " 0";
  return custom(op, name, 1, *words);
}

static Decision checkNearest(const TfliteOperator &op) {
  return resize<tflite::ResizeNearestNeighborOptions>(op, "resize_nearest");
}

static Decision checkBilinear(const TfliteOperator &op) {
  if (op.inputType(0) == TensorType::FLOAT32)
    return {};
  return resize<tflite::ResizeBilinearOptions>(op, "resize_bilinear");
}

static Decision checkSplitV(const TfliteOperator &op) {
  auto sizes = op.ints(1);
  if (!sizes || llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
    return refuse("a size of -1, or one of data");
  return {};
}

static Decision checkConcat(const TfliteOperator &op) {
  std::optional<TfliteScale> result = tfliteScale(*op.output(0));
  for (size_t i = 0; result && i < op.inputCount(); ++i) {
    std::optional<TfliteScale> scale;
    if (const tflite::Tensor *tensor = op.input(i))
      scale = tfliteScale(*tensor);
    if (!scale || scale->scale != result->scale ||
        scale->zeroPoint != result->zeroPoint)
      return refuse("operands of several scales");
  }
  return {};
}

/// Negative dimensions are counted from the end.
static Decision checkGather(const TfliteOperator &op) {
  const auto *options = op.options<tflite::GatherOptions>();
  if (!options || (options->axis() >= 0 && options->batch_dims() >= 0))
    return {};
  int64_t axis = options->axis(), dims = options->batch_dims();
  if (axis < 0)
    axis += int64_t(shapeOf(op.input(0)).size());
  if (dims < 0)
    dims += int64_t(shapeOf(op.input(1)).size());
  if (axis < 0 || dims < 0)
    return refuse("a dimension that its operands do not have");
  TfliteReplacement change;
  change.source = &op.source;
  change.options = [axis, dims](flatbuffers::FlatBufferBuilder &builder) {
    return tflite::CreateGatherOptions(builder, int32_t(axis), int32_t(dims))
        .Union();
  };
  return {"", change};
}

static Decision checkGatherNd(const TfliteOperator &op) {
  if (op.inputType(1) != TensorType::INT32)
    return refuse("indices of " + tfliteTypeText(op.inputType(1)));
  return {};
}

static Decision checkScalar(const TfliteOperator &op, size_t index,
                            StringRef what) {
  if (op.inputCount() > index && !shapeOf(op.input(index)).empty())
    return refuse(what + " that is no scalar");
  return {};
}

static Decision checkPadV2(const TfliteOperator &op) {
  return checkScalar(op, 2, "a value");
}

static Decision checkCumsum(const TfliteOperator &op) {
  return checkScalar(op, 1, "an axis");
}

static Decision checkStridedSlice(const TfliteOperator &op) {
  const auto *options = op.options<tflite::StridedSliceOptions>();
  if (options &&
      (options->new_axis_mask() != 0 || options->ellipsis_mask() != 0))
    return refuse("a new axis or an ellipsis");
  if (options && options->offset())
    return refuse("ends that are relative to the begins");
  auto ends = op.ints(2);
  if (!op.ints(1) || !ends || !op.ints(3))
    return refuse("bounds that are not constant");
  ArrayRef<int32_t> shape = shapeOf(op.input(0));
  for (size_t i = 0; i < std::min(ends->size(), shape.size()); ++i) {
    bool isOpen = options && (options->end_mask() >> i & 1) != 0;
    bool isOne = options && (options->shrink_axis_mask() >> i & 1) != 0;
    if (!isOpen && !isOne && (*ends)[i] > shape[i])
      return refuse("an end beyond the data");
  }
  return {};
}

static Decision checkDequantize(const TfliteOperator &op) {
  if (op.inputType(0) == TensorType::FLOAT16 && !op.constant(0))
    return refuse("f16 of data");
  return {};
}

/// The number of a scalar constant, as a word.
static std::optional<std::string> scalarOf(const TfliteOperator &op,
                                           size_t index) {
  std::optional<StringRef> bytes = op.constant(index);
  if (!bytes)
    return std::nullopt;
  auto number = [&](auto like) -> std::optional<std::string> {
    if (bytes->size() != sizeof(like))
      return std::nullopt;
    memcpy(&like, bytes->data(), sizeof(like));
    if constexpr (std::is_same_v<decltype(like), float>)
      return wordOf(like);
    else
      return std::to_string(int64_t(like));
  };
  switch (op.inputType(index)) {
  case TensorType::FLOAT32:
    return number(float());
  case TensorType::INT8:
  case TensorType::BOOL:
    return number(int8_t());
  case TensorType::INT16:
    return number(int16_t());
  case TensorType::INT32:
    return number(int32_t());
  default:
    return std::nullopt;
  }
}

/// The converter scatters, which fails for the indices that give only zeros.
static Decision checkOneHot(const TfliteOperator &op) {
  auto depth = op.ints(1);
  auto on = scalarOf(op, 2), off = scalarOf(op, 3);
  if (!depth || depth->size() != 1 || !on || !off)
    return refuse("a depth or values that are no constants of f32, i8, i16, "
                  "i32 or bool");
  const auto *options = op.options<tflite::OneHotOptions>();
  return custom(op, "one_hot", 1,
                std::to_string(depth->front()) + " " + *on + " " + *off + " " +
                    std::to_string(options ? options->axis() : 0));
}

// --- The table ---------------------------------------------------------------

static const TfliteOp table[] = {
    // clang-format off
    {BuiltinOperator::ABS, F | I, 0},
    {BuiltinOperator::ADD, F | B | U | S | I | L, 0, checkBinary},
    {BuiltinOperator::ADD_N, F | I, 0},
    {BuiltinOperator::ARG_MAX, F | B | U | I, 0},
    {BuiltinOperator::ARG_MIN, F | B | U | I, 0},
    {BuiltinOperator::AVERAGE_POOL_2D, F | B, 0, checkPool},
    {BuiltinOperator::BATCH_MATMUL, F | B, 0, checkBatchMatMul, "one of the operands may broadcast"},
    {BuiltinOperator::BATCH_TO_SPACE_ND, F | B | U | I, 0},
    {BuiltinOperator::BITWISE_XOR, B | S | I, 0},
    {BuiltinOperator::BROADCAST_TO, F | B | U | S | I | O, 0},
    {BuiltinOperator::BUCKETIZE, F, 0},
    {BuiltinOperator::CAST, all, 0, checkCast, "not to u8"},
    {BuiltinOperator::CEIL, F, 0},
    {BuiltinOperator::CONCATENATION, all, 0, checkConcat, "of one scale"},
    {BuiltinOperator::CONV_2D, F | B | U, 0, checkProduct},
    {BuiltinOperator::CONV_3D, F, 0, checkProduct},
    {BuiltinOperator::COS, F, 0},
    {BuiltinOperator::CUMSUM, F | I, 0, checkCumsum},
    {BuiltinOperator::DEPTHWISE_CONV_2D, F | B | U, 0, checkProduct},
    {BuiltinOperator::DEPTH_TO_SPACE, F | B | U | I, 0},
    {BuiltinOperator::DEQUANTIZE, B | U | S | H, 0, checkDequantize, "f16: constants"},
    {BuiltinOperator::DIV, F | I, 0, checkDiv},
    {BuiltinOperator::ELU, F, 0},
    {BuiltinOperator::EQUAL, F | I | L, 0},
    {BuiltinOperator::EXP, F | B, 0},
    {BuiltinOperator::EXPAND_DIMS, all, 0},
    {BuiltinOperator::FAKE_QUANT, F, 0, nullptr, "8 or 16 bits"},
    {BuiltinOperator::FLOOR, F, 0},
    {BuiltinOperator::FLOOR_DIV, F | I, 0, checkFloorDiv},
    {BuiltinOperator::FLOOR_MOD, F | I | L, 0, checkFloorMod},
    {BuiltinOperator::FULLY_CONNECTED, F | B | U, 0, checkProduct},
    {BuiltinOperator::GATHER, all, 0, checkGather},
    {BuiltinOperator::GATHER_ND, all, 0, checkGatherNd, "indices of i32"},
    {BuiltinOperator::GELU, F | B | U, 0, checkGelu},
    {BuiltinOperator::GREATER, F | I | L, 0},
    {BuiltinOperator::GREATER_EQUAL, F | I | L, 0},
    {BuiltinOperator::HARD_SWISH, F | B | U, 0},
    {BuiltinOperator::L2_NORMALIZATION, F, 0, checkL2Norm},
    {BuiltinOperator::LEAKY_RELU, F | B | U | S, 0, checkLeakyRelu, "integers: slopes from 0 on"},
    {BuiltinOperator::LESS, F | I | L, 0},
    {BuiltinOperator::LESS_EQUAL, F | I | L, 0},
    {BuiltinOperator::LOG, F | B, 0},
    {BuiltinOperator::LOGICAL_AND, O, 0},
    {BuiltinOperator::LOGICAL_NOT, O, 0},
    {BuiltinOperator::LOGICAL_OR, O, 0},
    {BuiltinOperator::LOGISTIC, F | B | U, 0},
    {BuiltinOperator::LOG_SOFTMAX, F, 0},
    {BuiltinOperator::MAXIMUM, F | B | U | S | I | L, 0},
    {BuiltinOperator::MAX_POOL_2D, F | B | U | S, 0, checkPool},
    {BuiltinOperator::MEAN, F | B | U | S, 0},
    {BuiltinOperator::MINIMUM, F | B | U | S | I | L, 0},
    {BuiltinOperator::MIRROR_PAD, all, 0},
    {BuiltinOperator::MUL, F | B | U | S | I | L, 0, checkBinary},
    {BuiltinOperator::NEG, F | I, 0},
    {BuiltinOperator::NOT_EQUAL, F | I | L, 0},
    {BuiltinOperator::ONE_HOT, I | L, 0, checkOneHot, "depth and values constant"},
    {BuiltinOperator::PACK, F | B | U | S | I | L, 0},
    {BuiltinOperator::PAD, all, 0},
    {BuiltinOperator::PADV2, all, 0, checkPadV2},
    {BuiltinOperator::POW, F | I, 0},
    {BuiltinOperator::PRELU, F | B, 0},
    {BuiltinOperator::QUANTIZE, F | B | U | S, 0, checkQuantize},
    {BuiltinOperator::RANGE, I, 0},
    {BuiltinOperator::RANK, all, 0},
    {BuiltinOperator::REDUCE_ALL, O, 0},
    {BuiltinOperator::REDUCE_ANY, O, 0},
    {BuiltinOperator::REDUCE_MAX, F | B | U | S | I | L, 0},
    {BuiltinOperator::REDUCE_MIN, F | B | U | S | I | L, 0},
    {BuiltinOperator::REDUCE_PROD, F | I | L, 0},
    {BuiltinOperator::RELU, F | B | U | S, 0},
    {BuiltinOperator::RELU6, F | B | U | S, 0},
    {BuiltinOperator::RELU_0_TO_1, F | B | U, 0},
    {BuiltinOperator::RELU_N1_TO_1, F | B | U, 0},
    {BuiltinOperator::RESHAPE, all, 0},
    {BuiltinOperator::RESIZE_BILINEAR, F | B, 0, checkBilinear},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, F | B | U | S, 0, checkNearest},
    {BuiltinOperator::REVERSE_V2, all, 0},
    {BuiltinOperator::ROUND, F, 0, checkRound},
    {BuiltinOperator::RSQRT, F | B, 0},
    {BuiltinOperator::SELECT, F | B | I, 1, checkSelect},
    {BuiltinOperator::SELECT_V2, F | B | I, 1},
    {BuiltinOperator::SHAPE, all, 0},
    {BuiltinOperator::SIGN, F | I, 0},
    {BuiltinOperator::SIN, F, 0},
    {BuiltinOperator::SLICE, all, 0},
    {BuiltinOperator::SOFTMAX, F | B | U, 0, checkSoftmax, "beta 1"},
    {BuiltinOperator::SPACE_TO_BATCH_ND, F | B | U | I, 0},
    {BuiltinOperator::SPACE_TO_DEPTH, F | B | U | I, 0},
    {BuiltinOperator::SPLIT, F | B | S | I | L, 1},
    {BuiltinOperator::SPLIT_V, F | B | S | I | L, 0, checkSplitV, "sizes constant, none of them -1"},
    {BuiltinOperator::SQRT, F, 0},
    {BuiltinOperator::SQUARE, F, 0},
    {BuiltinOperator::SQUARED_DIFFERENCE, F | B | I, 0},
    {BuiltinOperator::SQUEEZE, all, 0},
    {BuiltinOperator::STRIDED_SLICE, all, 0, checkStridedSlice, "no new axis, no ellipsis"},
    {BuiltinOperator::SUB, F | B | U | S | I | L, 0, checkBinary},
    {BuiltinOperator::SUM, F | B | U | S | I | L, 0},
    {BuiltinOperator::TANH, F | B | U, 0},
    {BuiltinOperator::TILE, all, 0},
    {BuiltinOperator::TRANSPOSE, all, 0},
    {BuiltinOperator::TRANSPOSE_CONV, F | B, 2, checkProduct},
    {BuiltinOperator::UNPACK, F | B | S | I | O, 0},
    {BuiltinOperator::ZEROS_LIKE, F | I, 0},
    // clang-format on
};

static std::string typesText(uint32_t types) {
  std::string text;
  for (TensorType type :
       {TensorType::FLOAT32, TensorType::FLOAT16, TensorType::INT8,
        TensorType::UINT8, TensorType::INT16, TensorType::INT32,
        TensorType::INT64, TensorType::BOOL})
    if ((types & bit(type)) != 0)
      text += (text.empty() ? "" : ", ") + tfliteTypeText(type).str();
  return text;
}

static const TfliteOp *rowOf(BuiltinOperator kind) {
  const TfliteOp *row = llvm::find_if(
      table, [&](const TfliteOp &row) { return row.kind == kind; });
  return row != std::end(table) ? row : nullptr;
}

static Decision decide(const TfliteOp &row, const TfliteOperator &op) {
  if (!op.input(row.operand) || !op.output(0))
    return refuse("no operand " + Twine(row.operand) + ", or no result");
  TensorType type = op.inputType(row.operand);
  if ((row.types & bit(type)) == 0)
    return refuse(tfliteTypeText(type));
  Activation activation = activationOf(op);
  if (activation > Activation::RELU6 || activation < Activation::NONE)
    return refuse("the fused activation " +
                  Twine(tflite::EnumNameActivation(activation)));
  return row.check ? row.check(op) : Decision();
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

FailureOr<std::vector<TfliteReplacement>>
npu::checkTfliteOps(Location file, const tflite::Model &model) {
  std::vector<TfliteReplacement> changes;
  SmallVector<Refusal> refusals;
  const tflite::SubGraph &graph = *model.subgraphs()->Get(0);
  for (size_t i = 0; graph.operators() && i < graph.operators()->size(); ++i) {
    TfliteOperator op(model, graph, *graph.operators()->Get(i));
    const TfliteOp *row = rowOf(op.kind());
    Decision decision = row ? decide(*row, op) : Decision();
    if (row && decision.refusal.empty()) {
      if (decision.change)
        changes.push_back(*decision.change);
      continue;
    }
    std::string what =
        op.name() + (row ? " with " + decision.refusal : std::string());
    auto *known = llvm::find_if(
        refusals, [&](const Refusal &refusal) { return refusal.what == what; });
    if (known != refusals.end())
      ++known->count;
    else
      refusals.push_back({what, op.resultName().str(), 1});
  }
  if (refusals.empty())
    return changes;
  return emitUnsupported(file)
         << "found operators that are not supported: " << textOf(refusals)
         << "; expected those of docs/tflite-ops.md";
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
      "activations TANH and SIGN_BIT.\n\n"
      "| operator | types | notes |\n|---|---|---|\n";
  for (const TfliteOp &op : table)
    text += "| " + std::string(tflite::EnumNameBuiltinOperator(op.kind)) +
            " | " + typesText(op.types) + " | " + op.note + " |\n";
  return text;
}
