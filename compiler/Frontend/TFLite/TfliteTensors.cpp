// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteTensors.h"
#include "compiler/Frontend/TFLite/TfliteSparse.h"

#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Dialect/NPU/ShapeInference.h"
#include "kernels/tensor.h"

using namespace npu;
using tflite::TensorType;

std::optional<TfliteScale> npu::tfliteScale(const tflite::Tensor &tensor) {
  const tflite::QuantizationParameters *quant = tensor.quantization();
  if (!quant || !quant->scale() || quant->scale()->size() == 0)
    return std::nullopt;
  TfliteScale scale;
  scale.scales.assign(quant->scale()->begin(), quant->scale()->end());
  scale.zeroPoints.assign(quant->zero_point()->begin(),
                          quant->zero_point()->end());
  scale.axis = quant->quantized_dimension();
  if (tensor.type() == TensorType::UINT8)
    for (int64_t &zero : scale.zeroPoints)
      zero -= 128;
  return scale;
}

bool npu::isShiftedByte(const tflite::Tensor &tensor) {
  return tensor.type() == TensorType::UINT8 && tfliteScale(tensor).has_value();
}

/// As i32; bytes that are shifted are moved by `amount`.
static Value moved(Emitter &emitter, Value value, const tflite::Tensor &tensor,
                   double amount) {
  Type i32 = emitter.getBuilder().getI32Type();
  Value wide = emitter.cast(value, i32);
  return isShiftedByte(tensor)
             ? emitter.eltwise(NPU_INSTR_add,
                               {wide, emitter.scalar(amount, i32)})
             : wide;
}

Value npu::storedNumbers(Emitter &emitter, Value value,
                         const tflite::Tensor &tensor) {
  return moved(emitter, value, tensor, 128);
}

Value npu::heldNumbers(Emitter &emitter, Value stored,
                       const tflite::Tensor &tensor) {
  return moved(emitter, stored, tensor, -128);
}

Ints npu::tfliteShape(const tflite::Tensor &tensor) {
  Ints shape;
  if (tensor.shape())
    shape.append(tensor.shape()->begin(), tensor.shape()->end());
  return shape;
}

Type npu::tfliteElement(MLIRContext *context, const tflite::Tensor &tensor) {
  mlir::Builder builder(context);
  auto unsignedType = [&](unsigned bits) {
    return mlir::IntegerType::get(context, bits, mlir::IntegerType::Unsigned);
  };
  switch (tensor.type()) {
  case TensorType::COMPLEX64:
  case TensorType::FLOAT32:
    return builder.getF32Type();
  case TensorType::FLOAT16:
    return builder.getF16Type();
  case TensorType::BFLOAT16:
    return builder.getBF16Type();
  case TensorType::FLOAT64:
    return builder.getF64Type();
  case TensorType::INT4:
  case TensorType::INT8:
    return builder.getIntegerType(8);
  case TensorType::UINT8:
    return isShiftedByte(tensor) ? Type(builder.getIntegerType(8))
                                 : unsignedType(8);
  case TensorType::INT16:
    return builder.getIntegerType(16);
  case TensorType::UINT16:
    return unsignedType(16);
  case TensorType::INT32:
    return builder.getI32Type();
  case TensorType::UINT32:
    return unsignedType(32);
  case TensorType::INT64:
    return builder.getI64Type();
  case TensorType::UINT64:
    return unsignedType(64);
  case TensorType::BOOL:
    return builder.getI1Type();
  default:
    return Type();
  }
}

/// Two numbers of four bits in each byte, the first one in the lower half.
static std::vector<char> unpacked(StringRef bytes, size_t count) {
  std::vector<char> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    int half = bytes[i / 2] >> (i % 2 ? 4 : 0) & 15;
    numbers[i] = static_cast<char>(half >= 8 ? half - 16 : half);
  }
  return numbers;
}

FailureOr<ElementsAttr> npu::tfliteConstant(Emitter &emitter,
                                            const TfliteFile &file,
                                            const tflite::Tensor &tensor) {
  Type element = tfliteElement(emitter.getBuilder().getContext(), tensor);
  if (!element || tensor.type() == TensorType::COMPLEX64)
    return emitter.unsupported("reads " + tfliteTensorText(tensor) + " of " +
                               tfliteTypeText(tensor.type()));
  Ints shape = tfliteShape(tensor);
  FailureOr<RankedTensorType> type = makeTensorType(
      emitter.getLocation(), tfliteTensorText(tensor), shape, element);
  if (failed(type))
    return emitter.noteFailure(), failure();
  StringRef bytes = file.dataOf(tensor).value_or("");
  bool isPacked = tensor.type() == TensorType::INT4;
  std::vector<char> dense;
  if (tensor.sparsity() && tensor.shape() && !isPacked) {
    FailureOr<std::vector<char>> all = denseBytes(
        emitter, tensor, bytes, kernels::dtypeBytes(dtypeOf(element)));
    if (failed(all))
      return failure();
    dense = std::move(*all);
    bytes = StringRef(dense.data(), dense.size());
  }
  auto count = static_cast<size_t>(type->getNumElements());
  size_t expected =
      isPacked ? (count + 1) / 2 : kernels::storedBytes(describeTensor(*type));
  if (bytes.size() != expected)
    return emitter.error("reads " + tfliteTensorText(tensor) + ", which has " +
                         Twine(bytes.size()) + " bytes, expected " +
                         Twine(expected) + " for " + shapes::text(shape) +
                         " of " + tfliteTypeText(tensor.type()));
  if (isPacked)
    return makeElements(*type, unpacked(bytes, count));
  if (!isShiftedByte(tensor))
    return makeElements(*type, ArrayRef(bytes.data(), bytes.size()));
  std::vector<char> shifted(bytes.begin(), bytes.end());
  for (char &byte : shifted)
    byte = static_cast<char>(byte ^ '\x80');
  return makeElements(*type, std::move(shifted));
}
