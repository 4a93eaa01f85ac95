// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxInputs.h"

#include "compiler/Dialect/NPU/ShapeInference.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace npu;
using mlir::emitError;

namespace {

/// A dimension as the model declares it: a size, a symbol, or neither.
struct Dim {
  int64_t size = -1;
  std::string symbol;
  bool isKnown() const { return size >= 0; }
};

struct Declared {
  const onnx::ValueInfoProto *info;
  bool hasRank;
  SmallVector<Dim> dims;
};

class Binder {
public:
  Binder(const OnnxModel &model, const OnnxImportOptions &options)
      : model(model), options(options) {}

  LogicalResult readInputs();
  LogicalResult checkNames() const;
  LogicalResult applyShapes();
  LogicalResult applyBatch();
  FailureOr<std::vector<OnnxInput>> finish();

private:
  LogicalResult readInput(const onnx::ValueInfoProto &info);
  LogicalResult checkName(StringRef name, StringRef option) const;
  LogicalResult setShape(Declared &input, ArrayRef<int64_t> shape,
                         StringRef option);
  LogicalResult setDim(Declared &input, size_t index, int64_t size,
                       StringRef option);
  LogicalResult resolveSymbols();
  FailureOr<OnnxInput> finishInput(const Declared &input);

  const OnnxModel &model;
  const OnnxImportOptions &options;
  std::vector<Declared> inputs;
  std::map<std::string, std::pair<int64_t, std::string>> symbols;
};

} // namespace

LogicalResult Binder::readInput(const onnx::ValueInfoProto &info) {
  if (!info.type().has_tensor_type())
    return emitError(model.location)
           << "input '" << info.name() << "' is not a tensor, expected tensors";
  if (!llvm::json::isUTF8(info.name()))
    return emitError(model.location) << "an input's name is not UTF-8: '"
                                     << llvm::json::fixUTF8(info.name()) << "'";
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  Declared input{&info, tensor.has_shape(), {}};
  for (const auto &dim : tensor.shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() < 0)
      return emitError(model.location)
             << "dimension " << input.dims.size() << " of input '"
             << info.name() << "' is " << dim.dim_value()
             << ", expected 0 or more";
    Dim read;
    read.symbol = dim.dim_param();
    if (dim.has_dim_value())
      read.size = dim.dim_value();
    input.dims.push_back(read);
  }
  inputs.push_back(std::move(input));
  return success();
}

LogicalResult Binder::readInputs() {
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : model.proto->graph().initializer())
    initializers.insert(tensor.name());
  for (const onnx::ValueInfoProto &info : model.proto->graph().input())
    if (!initializers.contains(info.name()) && failed(readInput(info)))
      return failure();
  return success();
}

LogicalResult Binder::checkName(StringRef name, StringRef option) const {
  auto nameOf = [](const Declared &input) {
    return "'" + input.info->name() + "'";
  };
  if (llvm::any_of(inputs, [&](const Declared &input) {
        return input.info->name() == name;
      }))
    return success();
  return emitError(model.location)
         << option << " names '" << name << "', which is no input; the inputs "
         << "are " << llvm::join(llvm::map_range(inputs, nameOf), ", ");
}

LogicalResult Binder::checkNames() const {
  for (const auto &[name, shape] : options.inputShapes)
    if (failed(checkName(name, "--input-shape")))
      return failure();
  for (const auto &[name, elements] : options.boundInputs)
    if (failed(checkName(name, "--bind-input")))
      return failure();
  return success();
}

LogicalResult Binder::setDim(Declared &input, size_t index, int64_t size,
                             StringRef option) {
  Dim &dim = input.dims[index];
  auto error = [&] {
    return emitError(model.location)
           << option << ": dimension " << index << " of input '"
           << input.info->name() << "' ";
  };
  if (size < 1 && !options.boundInputs.count(input.info->name()))
    return error() << "is set to " << size << ", expected a positive size";
  if (dim.isKnown() && dim.size != size)
    return error() << "is " << dim.size << " in the model, found " << size;
  dim.size = size;
  if (dim.symbol.empty())
    return success();
  auto [entry, isNew] = symbols.try_emplace(dim.symbol, size, option.str());
  if (!isNew && entry->second.first != size)
    return error() << "is '" << dim.symbol << "', which "
                   << entry->second.second << " sets to " << entry->second.first
                   << ", found " << size;
  return success();
}

LogicalResult Binder::setShape(Declared &input, ArrayRef<int64_t> shape,
                               StringRef option) {
  if (!input.hasRank)
    input.dims.resize(shape.size());
  input.hasRank = true;
  if (input.dims.size() != shape.size())
    return emitError(model.location)
           << option << ": input '" << input.info->name() << "' has "
           << input.dims.size() << " dimensions, found " << shape.size() << " ("
           << shapes::text(shape) << ")";
  for (auto [i, size] : llvm::enumerate(shape))
    if (failed(setDim(input, i, size, option)))
      return failure();
  return success();
}

LogicalResult Binder::applyShapes() {
  for (Declared &input : inputs) {
    const std::string &name = input.info->name();
    auto shape = options.inputShapes.find(name);
    auto bound = options.boundInputs.find(name);
    if (shape != options.inputShapes.end() &&
        failed(setShape(input, shape->second, "--input-shape=" + name)))
      return failure();
    if (bound != options.boundInputs.end() &&
        failed(setShape(input, bound->second.getShapedType().getShape(),
                        "--bind-input=" + name)))
      return failure();
  }
  return success();
}

LogicalResult Binder::applyBatch() {
  if (!options.batch)
    return success();
  std::string option = "--batch=" + std::to_string(*options.batch);
  const Declared *fixed = nullptr;
  bool isUsed = false;
  for (Declared &input : inputs) {
    if (input.dims.empty())
      continue;
    if (!input.dims[0].isKnown() &&
        failed(setDim(input, 0, *options.batch, option)))
      return failure();
    if (input.dims[0].size == *options.batch)
      isUsed = true;
    else
      fixed = &input;
  }
  if (isUsed)
    return success();
  mlir::InFlightDiagnostic error = emitError(model.location)
                                   << option << " binds no input";
  if (fixed)
    error << ": the batch of '" << fixed->info->name() << "' is fixed to "
          << fixed->dims[0].size
          << "; export the model with an open batch dimension";
  return error;
}

/// Dimensions of the same symbol have the same size. What is still open then
/// is one error for all inputs.
LogicalResult Binder::resolveSymbols() {
  std::string open, hint;
  for (Declared &input : inputs) {
    std::string pattern;
    bool isOpen = !input.hasRank;
    for (Dim &dim : input.dims) {
      auto symbol = symbols.find(dim.symbol);
      if (!dim.isKnown() && !dim.symbol.empty() && symbol != symbols.end())
        dim.size = symbol->second.first;
      isOpen |= !dim.isKnown();
      pattern += pattern.empty() ? "" : ",";
      pattern += dim.isKnown()        ? std::to_string(dim.size)
                 : dim.symbol.empty() ? "?"
                                      : "<" + dim.symbol + ">";
    }
    if (!isOpen)
      continue;
    open += (open.empty() ? "'" : ", '") + input.info->name() + "' (" +
            (input.hasRank ? pattern : "any rank") + ")";
    hint += " --input-shape=" + input.info->name() + "=" +
            (input.hasRank ? pattern : "...");
  }
  if (open.empty())
    return success();
  return emitError(model.location)
         << "found inputs of unknown size: " << open
         << "; expected numbers; use" << hint
         << " with a number for each unknown (or --batch=N for the first "
            "dimension)";
}

FailureOr<OnnxInput> Binder::finishInput(const Declared &input) {
  const std::string &name = input.info->name();
  std::string what = "input '" + name + "'";
  FailureOr<Type> element = elementTypeOf(
      model.location, input.info->type().tensor_type().elem_type(), what);
  if (failed(element))
    return failure();
  SmallVector<int64_t> shape;
  for (const Dim &dim : input.dims)
    shape.push_back(dim.size);
  FailureOr<RankedTensorType> type =
      makeTensorType(model.location, what, shape, *element);
  if (failed(type))
    return failure();
  auto bound = options.boundInputs.find(name);
  if (bound == options.boundInputs.end())
    return OnnxInput{name, *type, ElementsAttr()};
  if (bound->second.getElementType() != *element)
    return emitError(model.location)
           << "--bind-input=" << name << ": the file has elements of type "
           << bound->second.getElementType() << ", expected " << *element;
  return OnnxInput{name, *type, bound->second};
}

FailureOr<std::vector<OnnxInput>> Binder::finish() {
  if (failed(resolveSymbols()))
    return failure();
  std::vector<OnnxInput> result;
  for (const Declared &input : inputs) {
    FailureOr<OnnxInput> finished = finishInput(input);
    if (failed(finished))
      return failure();
    result.push_back(std::move(*finished));
  }
  return result;
}

FailureOr<std::vector<OnnxInput>>
npu::bindInputs(const OnnxModel &model, const OnnxImportOptions &options) {
  Binder binder(model, options);
  if (failed(binder.readInputs()) || failed(binder.checkNames()) ||
      failed(binder.applyShapes()) || failed(binder.applyBatch()))
    return failure();
  return binder.finish();
}
