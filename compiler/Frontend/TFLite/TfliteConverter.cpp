// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteConverter.h"

#include "compiler/Frontend/Support/ModuleFile.h"
#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Support/InputText.h"
#include "files/installation.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>

using namespace npu;
using mlir::emitError;
using mlir::ModuleOp;

static std::string findConverter(StringRef given) {
  constexpr const char *name = "tosa-converter-for-tflite";
  if (!given.empty())
    return given.str();
  std::string beside = files::ownFolder() + "/" + name;
  if (llvm::sys::fs::can_execute(beside))
    return beside;
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  return "";
}

namespace {
/// What the converter's log tells.
struct Complaint {
  std::string what; // "ADD at 'name'", the first operator that it names
  std::string text; // in its own words
};
} // namespace

/// The first diagnostic of MLIR: loc("name"(...)): error: 'tfl.add' op is wrong
static Complaint complaintIn(StringRef path) {
  auto log = llvm::MemoryBuffer::getFile(path);
  if (!log)
    return {};
  SmallVector<StringRef> lines;
  (*log)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [place, text] = line.split(": error: ");
    StringRef op = text;
    if (!op.consume_front("'tfl."))
      continue;
    Complaint found;
    found.what = op.take_until([](char c) { return c == '\''; }).upper();
    if (place.consume_front("loc(\""))
      found.what += " at '" + place.split("\"(").first.str() + "'";
    found.what = llvm::json::fixUTF8(found.what);
    found.text = llvm::json::fixUTF8(text.trim());
    return found;
  }
  return {"", lines.empty() ? "" : llvm::json::fixUTF8(lines.back().trim())};
}

/// Its exit code; below 0, with a message, if it did not run to an end.
static int runConverter(ArrayRef<StringRef> words,
                        ArrayRef<std::optional<StringRef>> redirects,
                        std::string &message) {
  std::optional<files::EndsWithUs> ends;
  llvm::sys::ProcessInfo process;
  bool isFailed = false;
  {
    files::SignalsWait wait;
    process = llvm::sys::ExecuteNoWait(words.front(), words, std::nullopt,
                                       redirects, 0, &message, &isFailed,
                                       nullptr, /*DetachProcess=*/true);
    if (!isFailed)
      ends.emplace(process.Pid);
  }
  return isFailed ? -1
                  : llvm::sys::Wait(process, std::nullopt, &message).ReturnCode;
}

static std::string writeModel(const std::string &path, StringRef bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream << bytes;
  stream.close();
  if (!error)
    error = stream.error();
  stream.clear_error();
  return error ? "cannot write '" + path + "': " + error.message() : "";
}

/// The converter knows operators by the names of their results only: a product
/// whose result has no name, or that of another tensor, gets one of its own.
static void nameProducts(const tflite::Model &model,
                         std::vector<TfliteReplacement> &changes,
                         llvm::StringSet<> &products) {
  const tflite::SubGraph &graph = *model.subgraphs()->Get(0);
  llvm::StringMap<int> uses;
  auto nameOf = [](const tflite::Tensor *tensor) {
    return tensor->name() ? tensor->name()->str() : std::string();
  };
  for (size_t i = 0; graph.tensors() && i < graph.tensors()->size(); ++i)
    ++uses[nameOf(graph.tensors()->Get(i))];
  for (size_t i = 0; graph.operators() && i < graph.operators()->size(); ++i) {
    TfliteOperator op(model, graph, *graph.operators()->Get(i));
    if (op.kind() != tflite::BuiltinOperator::FULLY_CONNECTED ||
        op.outputType(0) == tflite::TensorType::FLOAT32)
      continue;
    std::string name = nameOf(op.output(0));
    if (name.empty() || uses[name] > 1) {
      name += "/FULLY_CONNECTED" + std::to_string(i);
      while (uses.contains(name))
        name += "_";
      TfliteReplacement change;
      change.source = &op.source;
      change.name = name;
      changes.push_back(change);
    }
    products.insert(name);
  }
}

/// The model as the converter gets it: verified, of operators that npuc takes,
/// and without what the converter gives wrong.
static FailureOr<std::string> prepared(Location file, StringRef bytes,
                                       ConvertedModel &converted) {
  const tflite::Model *model = readTfliteModel(file, bytes);
  if (!model)
    return failure();
  auto changes = checkTfliteOps(file, *model);
  if (failed(changes))
    return failure();
  nameProducts(*model, *changes, converted.roundedOnce);
  return changes->empty() ? bytes.str()
                          : rewriteTflite(bytes, *model, *changes);
}

static bool isBytecodeFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file && mlir::isBytecode(**file);
}

/// Every table of the file was verified, so that it is not the file's fault.
static LogicalResult reportFailure(Location file, StringRef program, int code,
                                   StringRef message,
                                   const Complaint &complaint) {
  mlir::InFlightDiagnostic error = emitUnsupported(file);
  error << "the converter '" << program << "' ";
  if (code < 0)
    error << "crashed on it";
  else if (complaint.what.empty())
    error << "cannot convert it to TOSA";
  else
    error << "cannot convert " << complaint.what << " to TOSA";
  error << ": ";
  if (!message.empty())
    error << message;
  else if (complaint.what.empty())
    error << "it gave no result and named no operator";
  else
    error << "its operands, options and result do not fit together";
  error << " (exit code " << code
        << "); where sizes are unknown, export the model with fixed ones";
  if (!complaint.text.empty())
    error.attachNote() << "the converter says: " << complaint.text;
  return error;
}

LogicalResult npu::convertTflite(MLIRContext &context, StringRef model,
                                 std::optional<StringRef> bytes,
                                 StringRef converter,
                                 ConvertedModel &converted) {
  Location file = fileLocation(context, model);
  std::string unreadable;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      bytes ? llvm::MemoryBuffer::getMemBuffer(*bytes, model, false)
            : readInput(model, Budget::File, unreadable);
  if (!buffer)
    return emitError(file) << unreadable;
  FailureOr<std::string> source =
      prepared(file, buffer->getBuffer(), converted);
  if (failed(source))
    return failure();
  const std::string &program = converted.program = findConverter(converter);
  if (!llvm::sys::fs::can_execute(program) ||
      llvm::sys::fs::is_directory(program))
    return emitError(file)
           << "needs the program tosa-converter-for-tflite, "
           << (program.empty() ? "which was not found"
                               : "and '" + program + "' cannot be run")
           << "; run `make deps`, or pip install tosa-converter-for-tflite and "
              "name it with --tflite-converter";
  // In a folder of its own: a converter that outlives us cannot write there.
  converted.folder = files::makeTemporaryFolder(files::folderForTemporaries());
  if (converted.folder.path().empty())
    return emitError(file) << "needs a temporary folder, which cannot be made: "
                           << strerror(errno);
  converted.file = converted.folder.path() + "/model.mlirbc";
  // The converter reads files only.
  std::string given = converted.folder.path() + "/model.tflite";
  if (std::string message = writeModel(given, *source); !message.empty())
    return emitError(file) << message;
  std::string log = converted.folder.path() + "/log";
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  int code = runConverter(
      {program, given, "--bytecode", "--emit-debug-info", "-o", converted.file},
      redirects, message);
  if (code == 0 && isBytecodeFile(converted.file))
    return success();
  return reportFailure(file, program, code, message, complaintIn(log));
}

mlir::OwningOpRef<ModuleOp>
npu::readConverted(MLIRContext &context, StringRef model,
                   const ConvertedModel &converted) {
  // Nobody ever sees the converter's file. What it could not convert is in it
  // as it was, and the import names it.
  bool isStrict = !context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects();
  std::string complaint;
  auto module = readModuleFile(context, converted.file,
                               model.str() + ", converted to TOSA", &complaint);
  context.allowUnregisteredDialects(!isStrict);
  if (!module && !complaint.empty()) {
    mlir::InFlightDiagnostic error =
        emitUnsupported(fileLocation(context, model))
        << "the converter '" << converted.program
        << "' gave a module that is no right TOSA; compare its version with "
           "that of setup/requirements.txt, and look at the model with LiteRT, "
           "which may refuse it";
    error.attachNote() << "MLIR says: " << llvm::json::fixUTF8(complaint);
  }
  return module;
}

void npu::roundOnce(mlir::ModuleOp module, const llvm::StringSet<> &names) {
  module.walk([&](mlir::tosa::RescaleOp op) {
    auto name = dyn_cast<mlir::NameLoc>(op.getLoc());
    if (name && names.contains(name.getName().getValue()) &&
        op.getRoundingMode() == mlir::tosa::RoundingMode::DOUBLE_ROUND)
      op.setRoundingMode(mlir::tosa::RoundingMode::SINGLE_ROUND);
  });
}
