// SPDX-License-Identifier: Apache-2.0
#include "compiler/Frontend/TFLite/TfliteConverter.h"

#include "compiler/Frontend/Support/SourceLocation.h"
#include "compiler/Frontend/Support/Unsupported.h"
#include "compiler/Frontend/TFLite/TfliteOps.h"
#include "compiler/Support/InputText.h"
#include "files/installation.h"

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

/// The lines that say what is wrong, without the converter's own chatter.
static std::string complaints(StringRef path) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return "";
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::string result;
  for (StringRef line : lines) {
    // A diagnostic of MLIR: loc(...): error: what
    size_t at = line.find("error: ");
    if (at != StringRef::npos && result.size() < 600)
      result += (result.empty() ? "" : "; ") + line.substr(at + 7).trim().str();
  }
  if (result.empty() && !lines.empty())
    result = lines.back().trim().str();
  return llvm::json::fixUTF8(result);
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

/// The model as the converter gets it: verified, of operators that npuc takes,
/// and without what the converter gives wrong.
static FailureOr<std::string> prepared(Location file, StringRef bytes) {
  const tflite::Model *model = readTfliteModel(file, bytes);
  if (!model)
    return failure();
  auto changes = checkTfliteOps(file, *model);
  if (failed(changes))
    return failure();
  return changes->empty() ? bytes.str()
                          : rewriteTflite(bytes, *model, *changes);
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
  FailureOr<std::string> source = prepared(file, buffer->getBuffer());
  if (failed(source))
    return failure();
  std::string program = findConverter(converter);
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
  if (code == 0 && llvm::sys::fs::exists(converted.file))
    return success();
  // Every table of the file was verified, so that it is not the file's fault.
  std::string reason = message.empty() ? complaints(log) : message;
  return emitUnsupported(file)
         << "the converter '" << program << "' "
         << (code < 0 ? "crashed on it" : "cannot convert it to TOSA") << ": "
         << (reason.empty() ? "it gave no result and no reason" : reason)
         << " (exit code " << code << ")";
}
