// SPDX-License-Identifier: Apache-2.0
#include "compiler/Pipeline/OutputProblem.h"

#include "files/output_files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace npu;

std::string npu::outputProblem(StringRef path) {
  if (path == files::standardOutput)
    return "";
  auto refuse = [&](const Twine &why) {
    return ("cannot write '" + path + "': " + why).str();
  };
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return refuse("there is no folder '" + folder + "'; make it first");
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      llvm::sys::fs::is_directory(status))
    return refuse("it is a folder; name a file in it");
  return "";
}
