// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramWriter.h"

#include "compiler/Codegen/ProgramTables.h"
#include "compiler/Codegen/RawObject.h"
#include "files/last_words.h"
#include "format/footer.h"

#include "llvm/Support/raw_ostream.h"

#include "lld/Common/Driver.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace npu;

template <typename T>
static RawSection tableSection(StringRef name, const std::vector<T> &rows) {
  ArrayRef<char> bytes(reinterpret_cast<const char *>(rows.data()),
                       rows.size() * sizeof(T));
  return {(".npu." + name).str(), ("npu_" + name).str(), 64, {bytes}};
}

static llvm::Error writeDataObject(StringRef path, const ProgramPlan &plan) {
  const ProgramTables tables = tablesOf(plan);
  SmallVector<RawSection> sections = {tableSection("kernels", tables.kernels),
                                      tableSection("makers", tables.makers),
                                      tableSection("attrs", tables.attrs),
                                      tableSection("tensors", tables.tensors),
                                      tableSection("instrs", tables.instrs),
                                      tableSection("inputs", tables.inputs),
                                      tableSection("outputs", tables.outputs)};
  if (plan.weights.bytes())
    sections.push_back({".npu.weights", "npu_weights", NPU_WEIGHTS_ALIGNMENT,
                        plan.weights.parts().vec()});
  return writeRawObject(path, sections);
}

static llvm::Error writeFile(StringRef path, ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!error)
    error = stream.error();
  stream.clear_error();
  if (!error)
    return llvm::Error::success();
  return llvm::createStringError("cannot write '" + path +
                                 "': " + error.message());
}

/// Runs lld in this process: a shared object that needs nothing from outside.
static llvm::Error link(StringRef output, ArrayRef<std::string> objects) {
  SmallVector<std::string> words = {
      "ld.lld", "-shared", "-z", "defs", "-z", "now", "-z",
      "max-page-size=4096", "--build-id=none", "--threads=2",
      // Or a full disk is a signal, no error.
      "--no-mmap-output-file", "-o", output.str()};
  llvm::append_range(words, objects);
  SmallVector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  static std::mutex oneAtATime; // lld's state is the process's
  static bool isUsable = true;
  std::lock_guard<std::mutex> lock(oneAtATime);
  if (!isUsable)
    return llvm::createStringError("linking failed: lld has crashed in this "
                                   "process before; start another one");
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  isUsable = result.canRunAgain;
  if (result.retCode == 0)
    return llvm::Error::success();
  // lld takes it for a fault of the file.
  if (StringRef(messages).contains(std::strerror(ENOMEM)))
    files::endWithoutMemory();
  return llvm::createStringError("linking failed: " +
                                 StringRef(messages).rtrim().str());
}

namespace {
/// The files on the way to the output, in a folder beside it.
struct Steps {
  std::string output;
  files::TemporaryName folder;
  std::string code = folder.path() + "/code.o";
  std::string data = folder.path() + "/data.o";
  std::string elf = folder.path() + "/program.so";

  /// The error in terms of the output, which is all that the user knows.
  llvm::Error translate(llvm::Error error) const {
    std::string message = llvm::toString(std::move(error));
    for (const std::string &path : {code, data, elf})
      for (size_t at; (at = message.find(path)) != std::string::npos;)
        message.replace(at, path.size(), output);
    return llvm::createStringError(message);
  }
};
} // namespace

static llvm::Error linkProgram(const Steps &steps, ArrayRef<char> object,
                               const ProgramPlan &plan) {
  if (llvm::Error error = writeFile(steps.code, object))
    return error;
  if (llvm::Error error = writeDataObject(steps.data, plan))
    return error;
  return link(steps.elf, {steps.code, steps.data});
}

/// Takes a file out of its temporary folder, into that one's parent.
static files::TemporaryName takeOut(const std::string &file,
                                    const std::string &parent) {
  files::SignalsWait wait;
  int fd = -1;
  files::TemporaryName name = files::makeTemporaryFile(parent, fd);
  if (fd < 0)
    return {};
  close(fd);
  return rename(file.c_str(), name.path().c_str()) == 0
             ? std::move(name)
             : files::TemporaryName();
}

llvm::Error npu::writeProgram(StringRef path, ArrayRef<char> object,
                              const ProgramPlan &plan,
                              const format::Manifest &manifest,
                              const std::string &chipProgram,
                              files::OutputFile &file) {
  auto refuse = [&](const Twine &why) {
    return llvm::createStringError("cannot write '" + path + "': " + why);
  };
  files::Location output = files::locate(path.str());
  // The output is renamed into its place: never over a device or a pipe.
  if (!output.isReplaceable())
    return refuse("it is not a regular file");
  std::string parent = files::folderOf(output.path);
  Steps steps{path.str(), files::makeTemporaryFolder(parent)};
  if (steps.folder.path().empty())
    return refuse(strerror(errno));
  if (llvm::Error error = linkProgram(steps, object, plan))
    return steps.translate(std::move(error));
  files::TemporaryName program = takeOut(steps.elf, parent);
  if (program.path().empty())
    return refuse(strerror(errno));
  std::string message = format::sealInPlace(
      std::move(program), {format::printManifest(manifest), chipProgram},
      path.str(), file);
  return message.empty() ? llvm::Error::success()
                         : llvm::createStringError(message);
}
