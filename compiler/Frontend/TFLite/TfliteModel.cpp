// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteModel.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace npu;
using mlir::emitError;

template <typename VectorTy>
static size_t sizeOf(const VectorTy *vector) {
  return vector ? vector->size() : 0;
}

static std::string textOf(const flatbuffers::String *text) {
  return text ? llvm::json::fixUTF8(StringRef(text->c_str(), text->size()))
              : "";
}

namespace {

/// What FlatBuffers' own verifier does not know: indices into other tables.
class Checker {
public:
  Checker(Location file, StringRef bytes, const tflite::Model &model)
      : file(file), bytes(bytes), model(model) {}

  LogicalResult check() {
    if (model.version() != 3)
      return error("has version " + Twine(model.version()) + ", expected 3");
    if (sizeOf(model.subgraphs()) == 0)
      return error("holds no graph");
    if (sizeOf(model.external_buffers()) != 0)
      return error("has weights in other files, expected them inside");
    for (size_t i = 0; i < sizeOf(model.buffers()); ++i)
      if (failed(checkBuffer(i, *model.buffers()->Get(i))))
        return failure();
    for (const tflite::SubGraph *graph : *model.subgraphs())
      if (failed(checkGraph(*graph)))
        return failure();
    return success();
  }

private:
  LogicalResult error(const Twine &message) {
    return emitError(file) << message;
  }

  /// Offsets 0 and 1 say that the bytes are in the table.
  LogicalResult checkBuffer(size_t index, const tflite::Buffer &buffer) {
    if (buffer.offset() > 1 && (buffer.offset() > bytes.size() ||
                                buffer.size() > bytes.size() - buffer.offset()))
      return error("buffer " + Twine(index) + " has " + Twine(buffer.size()) +
                   " bytes at " + Twine(buffer.offset()) +
                   ", beyond the file's " + Twine(bytes.size()));
    return success();
  }

  LogicalResult checkTensor(size_t index, const tflite::Tensor &tensor) {
    std::string what =
        "tensor " + std::to_string(index) + " '" + textOf(tensor.name()) + "'";
    if (tensor.buffer() >= std::max<size_t>(sizeOf(model.buffers()), 1))
      return error(what + " has buffer " + Twine(tensor.buffer()) + " of " +
                   Twine(sizeOf(model.buffers())));
    for (size_t i = 0; i < sizeOf(tensor.shape()); ++i)
      if (tensor.shape()->Get(i) < -1)
        return error(what + " has the extent " + Twine(tensor.shape()->Get(i)));
    const tflite::QuantizationParameters *quant = tensor.quantization();
    if (!quant || sizeOf(quant->scale()) == 0)
      return success();
    if (sizeOf(quant->zero_point()) != quant->scale()->size())
      return error(what + " has " + Twine(quant->scale()->size()) +
                   " scales and " + Twine(sizeOf(quant->zero_point())) +
                   " zero points");
    for (float scale : *quant->scale())
      if (!std::isfinite(scale) || scale < 0)
        return error(what + " has a scale that is negative or no number");
    if (quant->scale()->size() == 1)
      return success();
    int64_t axis = quant->quantized_dimension();
    if (axis < 0 || axis >= int64_t(sizeOf(tensor.shape())) ||
        tensor.shape()->Get(axis) != int64_t(quant->scale()->size()))
      return error(what + " has " + Twine(quant->scale()->size()) +
                   " scales along dimension " + Twine(axis) +
                   ", which has another extent");
    return success();
  }

  LogicalResult checkIndices(const Twine &what,
                             const flatbuffers::Vector<int32_t> *indices,
                             const tflite::SubGraph &graph, int64_t least) {
    for (size_t i = 0; i < sizeOf(indices); ++i)
      if (indices->Get(i) < least ||
          indices->Get(i) >= int64_t(sizeOf(graph.tensors())))
        return error(what + " is tensor " + Twine(indices->Get(i)) + " of " +
                     Twine(sizeOf(graph.tensors())));
    return success();
  }

  /// Operators stand behind what they read.
  LogicalResult checkOperator(size_t index, const tflite::Operator &op,
                              const tflite::SubGraph &graph,
                              llvm::BitVector &known, llvm::BitVector &given) {
    std::string what = "operator " + std::to_string(index);
    if (op.opcode_index() >= sizeOf(model.operator_codes()))
      return error(what + " is of kind " + Twine(op.opcode_index()) + " of " +
                   Twine(sizeOf(model.operator_codes())));
    if (op.large_custom_options_offset() > 1)
      return error(what + " has options outside of its table");
    if (failed(checkIndices("an operand of " + what, op.inputs(), graph, -1)) ||
        failed(checkIndices("a result of " + what, op.outputs(), graph, 0)))
      return failure();
    for (size_t i = 0; i < sizeOf(op.inputs()); ++i)
      if (int32_t tensor = op.inputs()->Get(i); tensor >= 0 && !known[tensor])
        return error(what + " reads tensor " + Twine(tensor) +
                     ", which nothing before it gives");
    for (size_t i = 0; i < sizeOf(op.outputs()); ++i) {
      if (given[op.outputs()->Get(i)])
        return error(what + " gives tensor " + Twine(op.outputs()->Get(i)) +
                     ", which is an input, a constant or another's result");
      given.set(op.outputs()->Get(i));
      known.set(op.outputs()->Get(i));
    }
    return success();
  }

  bool hasData(const tflite::Tensor &tensor) const {
    const tflite::Buffer *buffer =
        tensor.buffer() != 0 ? model.buffers()->Get(tensor.buffer()) : nullptr;
    return buffer && (sizeOf(buffer->data()) != 0 || buffer->offset() > 1);
  }

  static bool isEmpty(const tflite::Tensor &tensor) {
    for (size_t i = 0; i < sizeOf(tensor.shape()); ++i)
      if (tensor.shape()->Get(i) == 0)
        return true;
    return false;
  }

  LogicalResult checkGraph(const tflite::SubGraph &graph) {
    // What may be read, and what no operator may give: a constant without
    // elements has no data, as results have none.
    llvm::BitVector known(sizeOf(graph.tensors())), given(known);
    for (size_t i = 0; i < sizeOf(graph.tensors()); ++i) {
      const tflite::Tensor &tensor = *graph.tensors()->Get(i);
      if (failed(checkTensor(i, tensor)))
        return failure();
      if (hasData(tensor))
        given.set(i);
      if (hasData(tensor) || tensor.is_variable() || isEmpty(tensor))
        known.set(i);
    }
    if (failed(checkIndices("an input", graph.inputs(), graph, 0)))
      return failure();
    for (size_t i = 0; i < sizeOf(graph.inputs()); ++i)
      given.set(graph.inputs()->Get(i));
    known |= given;
    for (size_t i = 0; i < sizeOf(graph.operators()); ++i)
      if (failed(checkOperator(i, *graph.operators()->Get(i), graph, known,
                               given)))
        return failure();
    if (failed(checkIndices("an output", graph.outputs(), graph, 0)))
      return failure();
    for (size_t i = 0; i < sizeOf(graph.outputs()); ++i)
      if (!known[graph.outputs()->Get(i)])
        return error("output " + Twine(i) + " is a tensor that nothing gives");
    return success();
  }

  Location file;
  StringRef bytes;
  const tflite::Model &model;
};

} // namespace

std::optional<TfliteFile> npu::readTfliteModel(Location file, StringRef bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  // The identifier is behind the first offset.
  if (bytes.size() < 8 || bytes.substr(4, 4) != tflite::ModelIdentifier())
    return emitError(file) << "is no TFLite model: it does not have TFL3 as "
                              "bytes 5 to 8",
           std::nullopt;
  bool isWhole = bytes.size() < FLATBUFFERS_MAX_BUFFER_SIZE;
  if (isWhole) {
    flatbuffers::Verifier verifier(data, bytes.size());
    isWhole = tflite::VerifyModelBuffer(verifier);
  }
  if (!isWhole)
    return emitError(file) << "is no TFLite model: an offset or a size in it "
                              "leads outside of its "
                           << bytes.size()
                           << " bytes, or beyond 2 GB; it may be cut short or "
                              "damaged",
           std::nullopt;
  TfliteFile read{bytes, tflite::GetModel(data)};
  if (failed(Checker(file, bytes, *read.model).check()))
    return std::nullopt;
  return read;
}

std::optional<StringRef>
TfliteFile::dataOf(const tflite::Tensor &tensor) const {
  if (tensor.buffer() == 0 || tensor.is_variable())
    return std::nullopt;
  const tflite::Buffer &buffer = *model->buffers()->Get(tensor.buffer());
  if (buffer.offset() > 1)
    return bytes.substr(buffer.offset(), buffer.size());
  if (sizeOf(buffer.data()) == 0)
    return std::nullopt;
  return StringRef(reinterpret_cast<const char *>(buffer.data()->data()),
                   buffer.data()->size());
}

/// Old files have the number in a byte.
tflite::BuiltinOperator TfliteOperator::kind() const {
  const tflite::OperatorCode &code =
      *file.model->operator_codes()->Get(source.opcode_index());
  return std::max(code.builtin_code(), static_cast<tflite::BuiltinOperator>(
                                           code.deprecated_builtin_code()));
}

std::string TfliteOperator::customName() const {
  return textOf(
      file.model->operator_codes()->Get(source.opcode_index())->custom_code());
}

std::string TfliteOperator::name() const {
  tflite::BuiltinOperator number = kind();
  if (number == tflite::BuiltinOperator::CUSTOM)
    return "CUSTOM '" + customName() + "'";
  std::string known = tflite::EnumNameBuiltinOperator(number);
  return known.empty() ? "operator " + std::to_string(int(number)) : known;
}

size_t TfliteOperator::inputCount() const { return sizeOf(source.inputs()); }
size_t TfliteOperator::outputCount() const { return sizeOf(source.outputs()); }

const tflite::Tensor *TfliteOperator::input(size_t index) const {
  if (index >= inputCount() || source.inputs()->Get(index) < 0)
    return nullptr;
  return graph.tensors()->Get(source.inputs()->Get(index));
}

const tflite::Tensor *TfliteOperator::output(size_t index) const {
  return index < outputCount()
             ? graph.tensors()->Get(source.outputs()->Get(index))
             : nullptr;
}

const tflite::Tensor *TfliteOperator::intermediate(size_t index) const {
  const auto *places = source.intermediates();
  if (!places || index >= places->size())
    return nullptr;
  auto place = static_cast<uint32_t>(places->Get(index));
  return place < graph.tensors()->size() ? graph.tensors()->Get(place)
                                         : nullptr;
}

std::string TfliteOperator::resultName() const {
  const tflite::Tensor *tensor = output(0);
  return tensor ? tfliteNameOf(*tensor) : "";
}

tflite::TensorType TfliteOperator::inputType(size_t index) const {
  const tflite::Tensor *tensor = input(index);
  return tensor ? tensor->type() : tflite::TensorType::RESOURCE;
}

tflite::TensorType TfliteOperator::outputType(size_t index) const {
  const tflite::Tensor *tensor = output(index);
  return tensor ? tensor->type() : tflite::TensorType::RESOURCE;
}

StringRef npu::tfliteTypeText(tflite::TensorType type) {
  switch (type) {
  case tflite::TensorType::FLOAT32:
    return "f32";
  case tflite::TensorType::FLOAT16:
    return "f16";
  case tflite::TensorType::INT8:
    return "i8";
  case tflite::TensorType::UINT8:
    return "u8";
  case tflite::TensorType::INT16:
    return "i16";
  case tflite::TensorType::INT32:
    return "i32";
  case tflite::TensorType::INT64:
    return "i64";
  case tflite::TensorType::BOOL:
    return "bool";
  default:
    StringRef known = tflite::EnumNameTensorType(type);
    return known.empty() ? "an unknown type" : known;
  }
}

std::string npu::tfliteNameOf(const tflite::Tensor &tensor) {
  return textOf(tensor.name());
}

std::string npu::tfliteTensorText(const tflite::Tensor &tensor) {
  return "tensor '" + tfliteNameOf(tensor) + "'";
}
