// SPDX-License-Identifier: Apache-2.0
//
// Tensors of the file: raw bytes, typed fields, external files.
#include "compiler/Dialect/NPU/Constants.h"
#include "compiler/Frontend/ONNX/OnnxModel.h"
#include "compiler/Frontend/Support/Emitter.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Support/Budget.h"
#include "files/input_file.h"
#include "kernels/tensor.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace npu;
using mlir::emitError;
using onnx::TensorProto;

namespace {
struct TypePair {
  int onnxType, dtype;
};
} // namespace

static constexpr TypePair typePairs[] = {
    {TensorProto::FLOAT, NPU_F32},     {TensorProto::FLOAT16, NPU_F16},
    {TensorProto::BFLOAT16, NPU_BF16}, {TensorProto::INT8, NPU_I8},
    {TensorProto::UINT8, NPU_U8},      {TensorProto::INT32, NPU_I32},
    {TensorProto::INT64, NPU_I64},     {TensorProto::BOOL, NPU_BOOL},
    {TensorProto::DOUBLE, NPU_F64},    {TensorProto::INT16, NPU_I16},
    {TensorProto::UINT16, NPU_U16},    {TensorProto::UINT32, NPU_U32},
    {TensorProto::UINT64, NPU_U64},
};

std::string npu::onnxTypeText(int onnxType) {
  if (!TensorProto::DataType_IsValid(onnxType))
    return "number " + std::to_string(onnxType);
  return StringRef(TensorProto::DataType_Name(
                       static_cast<TensorProto::DataType>(onnxType)))
      .lower();
}

int npu::onnxTypeOf(Type element) {
  int dtype = dtypeOf(element);
  for (const TypePair &pair : typePairs)
    if (pair.dtype == dtype)
      return pair.onnxType;
  return TensorProto::UNDEFINED;
}

FailureOr<Type> npu::elementTypeOf(Location location, int onnxType,
                                   const Twine &what) {
  for (const TypePair &pair : typePairs)
    if (pair.onnxType == onnxType)
      return elementTypeOf(location.getContext(), pair.dtype);
  return emitUnsupported(location)
         << what << " has the element type " << onnxTypeText(onnxType)
         << ", expected bool, a float of 16 to 64 bits or an integer of 8 to "
         << "64; export the model with one of these";
}

/// The tensor's bytes from the field that holds its type, narrowed from the
/// field's own width.
static std::string typedBytes(const TensorProto &tensor, int dtype) {
  std::string bytes;
  auto append = [&bytes](auto value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  };
  switch (dtype) {
  case NPU_F64:
    for (double value : tensor.double_data())
      append(value);
    break;
  case NPU_U32:
    for (uint64_t value : tensor.uint64_data())
      append(static_cast<uint32_t>(value));
    break;
  case NPU_U64:
    for (uint64_t value : tensor.uint64_data())
      append(value);
    break;
  case NPU_F32:
    for (float value : tensor.float_data())
      append(value);
    break;
  case NPU_I64:
    for (int64_t value : tensor.int64_data())
      append(value);
    break;
  case NPU_I32:
    for (int32_t value : tensor.int32_data())
      append(value);
    break;
  case NPU_F16:
  case NPU_BF16:
  case NPU_I16:
  case NPU_U16:
    for (int32_t value : tensor.int32_data())
      append(static_cast<uint16_t>(value));
    break;
  default:
    for (int32_t value : tensor.int32_data())
      append(static_cast<uint8_t>(value));
    break;
  }
  return bytes;
}

namespace {
/// The keys of TensorProto.external_data.
struct ExternalData {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};
} // namespace

static FailureOr<ExternalData> readKeys(Location location,
                                        const TensorProto &tensor) {
  ExternalData data;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    uint64_t number = 0;
    bool isNumber = entry.key() == "offset" || entry.key() == "length";
    if (isNumber && StringRef(entry.value()).getAsInteger(10, number))
      return emitError(location)
             << "external data of tensor '" << tensor.name()
             << "': " << entry.key() << " is '" << entry.value()
             << "', expected a number of bytes";
    if (entry.key() == "location")
      data.location = entry.value();
    else if (entry.key() == "offset")
      data.offset = number;
    else if (entry.key() == "length")
      data.length = number;
  }
  return data;
}

/// The file's path. It must lie in the model's folder, links resolved, or a
/// model could read any file of the machine into its weights.
static FailureOr<std::string> externalPath(const OnnxModel &model,
                                           Location location,
                                           const TensorProto &tensor,
                                           const ExternalData &data) {
  namespace path = llvm::sys::path;
  SmallVector<char> folder, file;
  SmallVector<char> wanted(model.folder.begin(), model.folder.end());
  path::append(wanted, data.location);
  StringRef wantedPath(wanted.data(), wanted.size());
  StringRef base = model.folder.empty() ? StringRef(".") : model.folder;
  if (StringRef(data.location).contains('\0'))
    return emitError(location)
           << "external data of tensor '" << tensor.name() << "' lies at '"
           << data.location << "', a name with a zero byte, which no file has";
  if (path::is_absolute(data.location) || data.location.empty())
    return emitError(location)
           << "external data of tensor '" << tensor.name() << "' lies at '"
           << data.location << "', expected a path relative to the model";
  if (llvm::sys::fs::real_path(base, folder) ||
      llvm::sys::fs::real_path(wantedPath, file))
    return emitError(location) << "external data of tensor '" << tensor.name()
                               << "' is missing: no file '" << wantedPath
                               << "'; put it beside the model";
  StringRef realFolder(folder.data(), folder.size());
  StringRef realFile(file.data(), file.size());
  if (!realFile.starts_with((realFolder + path::get_separator()).str()))
    return emitError(location)
           << "external data of tensor '" << tensor.name() << "' lies at '"
           << data.location << "', outside of the model's folder";
  return realFile.str();
}

static FailureOr<std::unique_ptr<std::string>>
readExternal(const OnnxModel &model, Location location,
             const TensorProto &tensor, int64_t expected) {
  FailureOr<ExternalData> data = readKeys(location, tensor);
  if (failed(data))
    return failure();
  FailureOr<std::string> path = externalPath(model, location, tensor, *data);
  if (failed(path))
    return failure();
  model.onRead(*path);
  files::InputFile file;
  std::string wrong = file.open(*path);
  if (!wrong.empty())
    return emitError(location) << "external data of tensor '" << tensor.name()
                               << "': '" << data->location << "' " << wrong;
  uint64_t size = file.bytes();
  uint64_t length = data->length.value_or(expected);
  if (length != uint64_t(expected))
    return emitError(location)
           << "external data of tensor '" << tensor.name() << "' has " << length
           << " bytes, expected " << expected << " for its shape";
  if (data->offset > size || length > size - data->offset)
    return emitError(location)
           << "external data of tensor '" << tensor.name() << "' is out of "
           << "range: bytes " << data->offset << " to "
           << (data->offset + length) << " of '" << data->location
           << "', which has " << size;
  auto bytes = std::make_unique<std::string>(length, '\0');
  wrong = file.readAt(bytes->data(), length, data->offset);
  if (!wrong.empty())
    return emitError(location) << "'" << data->location << "' " << wrong;
  return bytes;
}

static FailureOr<std::unique_ptr<std::string>>
readBytes(const OnnxModel &model, Location location, TensorProto &tensor,
          int dtype, int64_t expected) {
  if (tensor.data_location() == TensorProto::EXTERNAL)
    return readExternal(model, location, tensor, expected);
  std::unique_ptr<std::string> bytes;
  if (tensor.has_raw_data())
    bytes.reset(tensor.release_raw_data());
  else
    bytes = std::make_unique<std::string>(typedBytes(tensor, dtype));
  if (bytes->size() != size_t(expected))
    return emitError(location)
           << "tensor '" << tensor.name() << "' has " << bytes->size()
           << " bytes of data, expected " << expected << " for its shape";
  return bytes;
}

/// Numbers of 4 bits, two in a byte, as bytes.
static void widenNibbles(std::string &bytes, int64_t count, bool isSigned) {
  std::string wide(count, '\0');
  for (int64_t i = 0; i < count; ++i) {
    int number = static_cast<uint8_t>(bytes[i / 2]) >> i % 2 * 4 & 15;
    wide[i] = static_cast<char>(isSigned && number > 7 ? number - 16 : number);
  }
  bytes = std::move(wide);
}

FailureOr<ElementsAttr> npu::takeElements(const OnnxModel &model,
                                          Location location,
                                          TensorProto &tensor) {
  std::string name = "tensor '" + llvm::json::fixUTF8(tensor.name()) + "'";
  // No data of a network has 4 bits, but constants are stored so.
  bool isSigned = tensor.data_type() == TensorProto::INT4;
  bool isNibbles = isSigned || tensor.data_type() == TensorProto::UINT4;
  int held = isSigned    ? int(TensorProto::INT8)
             : isNibbles ? int(TensorProto::UINT8)
                         : int(tensor.data_type());
  FailureOr<Type> element = elementTypeOf(location, held, name);
  if (failed(element))
    return failure();
  if (tensor.has_segment())
    return emitUnsupported(location) << name
                                     << " is stored in segments, expected "
                                        "it in one piece";
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  FailureOr<RankedTensorType> type =
      makeTensorType(location, name, shape, *element);
  if (failed(type))
    return failure();
  int dtype = dtypeOf(*element);
  int64_t expected = type->getNumElements() * kernels::dtypeBytes(dtype);
  if (isNibbles)
    expected = (expected + 1) / 2;
  auto bytes = readBytes(model, location, tensor, dtype, expected);
  if (failed(bytes))
    return failure();
  if (BudgetUse *use = BudgetUse::current())
    use->noteModel(expected);
  if (isNibbles)
    widenNibbles(**bytes, type->getNumElements(), isSigned);
  // Any byte but 0 is true in the file; kernels count on 0 and 1.
  if (dtype == NPU_BOOL)
    for (char &byte : **bytes)
      byte = byte != 0;
  return makeElements(*type, std::move(*bytes));
}
