// SPDX-License-Identifier: Apache-2.0
//
// A tool for onnx_mutations.py: imports one model after the other. Each on
// standard input is a line with its number of bytes, and the bytes; the answer
// is a line "ok", "bad" or "unsupported", the number of errors, and the first.
#include "compiler/Frontend/ONNX/OnnxImporter.h"
#include "compiler/Frontend/Support/Unsupported.h"

#include <iostream>
#include <sys/mman.h>
#include <unistd.h>

using namespace npu;

namespace {
/// What the importer said about one model.
struct Said {
  int errors = 0;
  bool isUnsupported = false;
  std::string first;
};
} // namespace

/// The bytes as a file that has a path and needs no disk.
static int openBytes(const std::string &bytes) {
  int file = memfd_create("model.onnx", 0);
  if (file < 0 || write(file, bytes.data(), bytes.size()) !=
                      static_cast<ssize_t>(bytes.size()))
    std::exit(1);
  return file;
}

static bool importBytes(MLIRContext &context, const std::string &bytes,
                        Said &said) {
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return success();
        if (said.errors++ == 0)
          said.first = describeLocation(diagnostic.getLocation()) + ": " +
                       diagnostic.str();
        said.isUnsupported |= isUnsupported(diagnostic);
        return success();
      });
  int file = openBytes(bytes);
  ImportOptions options;
  bool worked = succeeded(
      importOnnx(context, "/proc/self/fd/" + std::to_string(file), options));
  close(file);
  return worked;
}

int main() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  for (size_t size = 0; std::cin >> size;) {
    std::string bytes(size, '\0');
    std::cin.get();
    if (!std::cin.read(bytes.data(), static_cast<std::streamsize>(size)))
      return 1;
    Said said;
    bool worked = importBytes(context, bytes, said);
    llvm::replace(said.first, '\n', ' ');
    std::cout << (worked               ? "ok"
                  : said.isUnsupported ? "unsupported"
                                       : "bad")
              << ' ' << said.errors << ' ' << said.first << std::endl;
  }
  return 0;
}
