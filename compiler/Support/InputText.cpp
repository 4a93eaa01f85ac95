// SPDX-License-Identifier: Apache-2.0
#include "compiler/Support/InputText.h"

#include "files/input_file.h"

#include "llvm/ADT/SmallVector.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace npu;

/// Standard input has no size in front; it ends, or the budget does.
static std::unique_ptr<llvm::MemoryBuffer> readStdin(Budget budget,
                                                     std::string &error) {
  SmallVector<char, 0> bytes;
  char chunk[1 << 16];
  while (error.empty()) {
    ssize_t got = read(STDIN_FILENO, chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      error = std::string("cannot be read: ") + std::strerror(errno);
    if (got <= 0)
      break;
    bytes.append(chunk, chunk + got);
    error = overBudget(budget, static_cast<int64_t>(bytes.size()));
  }
  if (!error.empty())
    return nullptr;
  return llvm::MemoryBuffer::getMemBufferCopy(
      StringRef(bytes.data(), bytes.size()), "-");
}

std::unique_ptr<llvm::MemoryBuffer>
npu::readInput(StringRef path, Budget budget, std::string &error) {
  error.clear();
  if (path == "-")
    return readStdin(budget, error);
  files::InputFile file;
  error = file.open(path.str());
  if (error.empty())
    error = overBudget(budget, static_cast<int64_t>(file.bytes()));
  if (!error.empty())
    return nullptr;
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(
      static_cast<size_t>(file.bytes()), path);
  if (!buffer) {
    error = "cannot be read: there is no memory for its " +
            std::to_string(file.bytes()) + " bytes";
    return nullptr;
  }
  error = file.readAt(buffer->getBufferStart(), buffer->getBufferSize(), 0);
  return error.empty() ? std::move(buffer) : nullptr;
}

std::string npu::whyNotModuleText(StringRef text) {
  if (std::string message = tooDeep(text, "//"); !message.empty())
    return message;
  // A resource is a string of hexadecimal digits, its alignment the first four
  // bytes; such strings in front of this section are elements.
  StringRef mark = "{-#";
  if (!text.contains(mark) || // that is found out faster
      !text.substr(text.rfind(mark)).contains("\"0x00000000"))
    return "";
  return "has a resource whose alignment is 0 (\"0x00000000...\"); expected a "
         "power of two in the first four bytes";
}
