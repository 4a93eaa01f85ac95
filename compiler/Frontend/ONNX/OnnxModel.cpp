// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/ONNX/OnnxModel.h"

#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Support/Budget.h"
#include "files/input_file.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <limits>

using namespace npu;
using mlir::emitError;

/// Protobuf would print its own complaints about a file that is no model.
static bool parse(google::protobuf::io::ZeroCopyInputStream &bytes,
                  int64_t size, onnx::ModelProto &proto) {
  google::protobuf::LogSilencer silencer;
  google::protobuf::io::CodedInputStream stream(&bytes);
  stream.SetTotalBytesLimit(static_cast<int>(size));
  return proto.ParseFromCodedStream(&stream) &&
         stream.ConsumedEntireMessage() && bytes.ByteCount() == size;
}

/// The same from a file or from memory.
static bool parse(const files::InputFile &file, std::optional<StringRef> given,
                  int64_t size, onnx::ModelProto &proto) {
  if (given) {
    google::protobuf::io::ArrayInputStream bytes(given->data(),
                                                 static_cast<int>(size));
    return parse(bytes, size, proto);
  }
  google::protobuf::io::FileInputStream bytes(file.descriptor());
  return parse(bytes, size, proto);
}

static mlir::InFlightDiagnostic emitWrong(Location location) {
  return emitError(location);
}

/// The version of ai.onnx that the model asks for. Files before IR version 3
/// could not say it and mean 1.
static FailureOr<int64_t> opsetOf(Location location,
                                  const onnx::ModelProto &proto) {
  std::optional<int64_t> version;
  for (const onnx::OperatorSetIdProto &opset : proto.opset_import())
    if (opset.domain().empty() || opset.domain() == "ai.onnx")
      version = opset.version();
  if (!version && proto.ir_version() < 3)
    version = 1;
  // A model may do without ai.onnx, but not without any domain.
  bool isWrong = proto.opset_import().empty() || (version && *version < 1);
  auto emit = isWrong ? emitWrong : emitUnsupported;
  if (!version)
    return emit(location) << "found no opset_import of the domain ai.onnx, "
                             "expected one; export the model again";
  if (*version < 1 || *version > newestOnnxOpset)
    return emit(location) << "found ai.onnx opset " << *version
                          << ", expected 1 to " << newestOnnxOpset
                          << "; convert the model with "
                          << "onnx.version_converter";
  return *version;
}

FailureOr<OnnxModel> npu::loadOnnxModel(MLIRContext &context, StringRef path,
                                        std::optional<StringRef> bytes) {
  Location location = fileLocation(context, path);
  files::InputFile file;
  std::string wrong = bytes ? "" : file.open(path.str());
  auto size = static_cast<int64_t>(bytes ? bytes->size() : file.bytes());
  if (!wrong.empty())
    return emitError(location) << wrong;
  if (size > std::numeric_limits<int>::max())
    return emitError(location)
           << "has " << size << " bytes; a model file must be smaller than "
           << "2 GB; save the weights as external data";
  wrong = overBudget(Budget::File, size);
  if (!wrong.empty())
    return emitError(location) << wrong;
  OnnxModel model{std::make_unique<onnx::ModelProto>(), 0,
                  llvm::sys::path::parent_path(path).str(), location};
  if (!parse(file, bytes, size, *model.proto) ||
      !model.proto->has_ir_version() || !model.proto->has_graph())
    return emitError(location) << "is not an ONNX model, or is cut short ("
                               << size << " bytes); expected a serialized "
                               << "ModelProto with a graph";
  FailureOr<int64_t> opset = opsetOf(location, *model.proto);
  if (failed(opset))
    return failure();
  model.opset = *opset;
  return model;
}

Location npu::locationOf(const OnnxModel &model, const onnx::NodeProto &node) {
  std::string name = node.name();
  if (name.empty() && node.output_size() > 0)
    name = node.output(0);
  return nodeLocation(model.location, node.op_type(), name);
}
