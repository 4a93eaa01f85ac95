// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/Support/Inputs.h"

#include "compiler/Dialect/NPU/ShapeInference.h"
#include "compiler/Frontend/Support/Emitter.h"
#include "compiler/Support/MarkedError.h"
#include "files/shown_text.h"
#include "files/words.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace npu;
using mlir::emitError;

namespace {

class Binder {
public:
  Binder(Location location, std::vector<DeclaredInput> inputs,
         const ImportOptions &options, int64_t leastSize)
      : location(location), options(options), leastSize(leastSize),
        inputs(std::move(inputs)) {}

  LogicalResult checkNames() const;
  LogicalResult applyShapes();
  LogicalResult applyBatch();
  FailureOr<std::vector<GraphInput>> finish();

private:
  LogicalResult checkName(StringRef name, StringRef option) const;
  LogicalResult setShape(DeclaredInput &input, ArrayRef<int64_t> shape,
                         StringRef option);
  LogicalResult setDim(DeclaredInput &input, size_t index, int64_t size,
                       StringRef option);
  mlir::InFlightDiagnostic errorOf(StringRef option) const;
  LogicalResult resolveSymbols();
  FailureOr<GraphInput> finishInput(const DeclaredInput &input);

  Location location;
  const ImportOptions &options;
  int64_t leastSize;
  std::vector<DeclaredInput> inputs;
  std::map<std::string, std::pair<int64_t, std::string>> symbols;
};

} // namespace

LogicalResult Binder::checkName(StringRef name, StringRef option) const {
  std::vector<std::string> names;
  std::string list;
  for (const DeclaredInput &input : inputs) {
    if (input.name == name)
      return success();
    names.push_back(input.name);
    list += (list.empty() ? "'" : ", '") + input.name + "'";
  }
  return emitMarked(location, wrongUsage)
         << option << " names '" << name << "', which is no input; the inputs "
         << "are " << list << files::suggestion(name.str(), names);
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

mlir::InFlightDiagnostic Binder::errorOf(StringRef option) const {
  return emitMarked(location, option.starts_with("--bind-input") ? wrongInput
                                                                 : wrongUsage);
}

LogicalResult Binder::setDim(DeclaredInput &input, size_t index, int64_t size,
                             StringRef option) {
  InputDim &dim = input.dims[index];
  auto error = [&] {
    return errorOf(option) << option << ": dimension " << index << " of input '"
                           << input.name << "' ";
  };
  if (size < leastSize && !options.boundInputs.count(input.name))
    return error() << "is set to " << size << ", expected " << leastSize
                   << " or more";
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

LogicalResult Binder::setShape(DeclaredInput &input, ArrayRef<int64_t> shape,
                               StringRef option) {
  if (!input.hasRank)
    input.dims.resize(shape.size());
  input.hasRank = true;
  if (input.dims.size() != shape.size())
    return errorOf(option) << option << ": input '" << input.name << "' has "
                           << input.dims.size() << " dimensions, found "
                           << shape.size() << " (" << shapes::text(shape)
                           << ")";
  for (auto [i, size] : llvm::enumerate(shape))
    if (failed(setDim(input, i, size, option)))
      return failure();
  return success();
}

LogicalResult Binder::applyShapes() {
  for (DeclaredInput &input : inputs) {
    const std::string &name = input.name;
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
  const DeclaredInput *fixed = nullptr;
  bool isUsed = false;
  for (DeclaredInput &input : inputs) {
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
  mlir::InFlightDiagnostic error = errorOf(option)
                                   << option << " binds no input";
  if (fixed)
    error << ": the batch of '" << fixed->name << "' is fixed to "
          << fixed->dims[0].size
          << "; export the model with an open batch dimension";
  return error;
}

/// Dimensions of the same symbol have the same size. What is still open then
/// is one error for all inputs.
LogicalResult Binder::resolveSymbols() {
  std::string open, hint;
  for (DeclaredInput &input : inputs) {
    std::string pattern;
    bool isOpen = !input.hasRank;
    for (InputDim &dim : input.dims) {
      auto symbol = symbols.find(dim.symbol);
      if (!dim.isKnown() && !dim.symbol.empty() && symbol != symbols.end())
        dim.size = symbol->second.first;
      isOpen |= !dim.isKnown();
      pattern += pattern.empty() ? "" : ",";
      pattern += dim.isKnown() ? std::to_string(dim.size)
                 : dim.symbol.empty()
                     ? "?"
                     : "<" + files::shownName(dim.symbol) + ">";
    }
    if (!isOpen)
      continue;
    open += (open.empty() ? "'" : ", '") + input.name + "' (" +
            (input.hasRank ? pattern : "any rank") + ")";
    hint += " --input-shape=" + files::shownName(input.name) + "=" +
            (input.hasRank ? pattern : "...");
  }
  if (open.empty())
    return success();
  return emitError(location)
         << "found inputs of unknown size: " << open
         << "; expected numbers; use" << hint
         << " with a number for each unknown (or --batch=N for the first "
            "dimension)";
}

FailureOr<GraphInput> Binder::finishInput(const DeclaredInput &input) {
  const std::string &name = input.name;
  std::string what = "input '" + name + "'";
  SmallVector<int64_t> shape;
  for (const InputDim &dim : input.dims)
    shape.push_back(dim.size);
  FailureOr<RankedTensorType> type =
      makeTensorType(location, what, shape, input.element);
  if (failed(type))
    return failure();
  auto bound = options.boundInputs.find(name);
  if (bound == options.boundInputs.end())
    return GraphInput{name, *type, ElementsAttr()};
  if (bound->second.getElementType() != input.element)
    return emitMarked(location, wrongInput)
           << "--bind-input=" << name << ": the file has elements of type "
           << bound->second.getElementType() << ", expected " << input.element;
  return GraphInput{name, *type, bound->second};
}

FailureOr<std::vector<GraphInput>> Binder::finish() {
  if (failed(resolveSymbols()))
    return failure();
  std::vector<GraphInput> result;
  for (const DeclaredInput &input : inputs) {
    FailureOr<GraphInput> finished = finishInput(input);
    if (failed(finished))
      return failure();
    result.push_back(std::move(*finished));
  }
  return result;
}

FailureOr<std::vector<GraphInput>>
npu::bindInputs(Location location, std::vector<DeclaredInput> inputs,
                const ImportOptions &options, int64_t leastSize) {
  Binder binder(location, std::move(inputs), options, leastSize);
  if (failed(binder.checkNames()) || failed(binder.applyShapes()) ||
      failed(binder.applyBatch()))
    return failure();
  return binder.finish();
}
