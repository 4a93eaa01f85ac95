// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxInputs.h"
#include "compiler/Frontend/Support/Unsupported.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

using namespace npu;
using mlir::emitError;

static FailureOr<DeclaredInput> readInput(const OnnxModel &model,
                                          const onnx::ValueInfoProto &info) {
  if (!info.type().has_tensor_type())
    return emitUnsupported(model.location)
           << "input '" << info.name() << "' is not a tensor, expected tensors";
  if (!llvm::json::isUTF8(info.name()))
    return emitError(model.location) << "an input's name is not UTF-8: '"
                                     << llvm::json::fixUTF8(info.name()) << "'";
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  FailureOr<Type> element = elementTypeOf(model.location, tensor.elem_type(),
                                          "input '" + info.name() + "'");
  if (failed(element))
    return failure();
  DeclaredInput input{info.name(), tensor.has_shape(), {}, *element};
  for (const auto &dim : tensor.shape().dim()) {
    // -1: the unknown size of exporters that have no other word for it.
    if (dim.has_dim_value() && dim.dim_value() < -1)
      return emitError(model.location)
             << "dimension " << input.dims.size() << " of input '"
             << info.name() << "' is " << dim.dim_value()
             << ", expected 0 or more, or -1 for an unknown size";
    InputDim read;
    read.symbol = dim.dim_param();
    if (dim.has_dim_value())
      read.size = dim.dim_value();
    input.dims.push_back(read);
  }
  return input;
}

FailureOr<std::vector<GraphInput>>
npu::bindOnnxInputs(const OnnxModel &model, const ImportOptions &options) {
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : model.proto->graph().initializer())
    initializers.insert(tensor.name());
  std::vector<DeclaredInput> inputs;
  for (const onnx::ValueInfoProto &info : model.proto->graph().input()) {
    if (initializers.contains(info.name()))
      continue;
    FailureOr<DeclaredInput> input = readInput(model, info);
    if (failed(input))
      return failure();
    inputs.push_back(std::move(*input));
  }
  return bindInputs(model.location, std::move(inputs), options,
                    /*leastSize=*/0);
}
