// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/ProgramWriter.h"

#include "compiler/Codegen/RawObject.h"
#include "compiler/Dialect/NPU/Constants.h"
#include "kernels/tensor.h"
#include "runtime/format/footer.h"

#include "lld/Common/Driver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

using namespace npu;

namespace {

/// The rows of all tables of program_format.h.
struct Tables {
  std::vector<npu_kernel_desc> kernels;
  std::vector<npu_tensor_desc> tensors;
  std::vector<npu_instr> instrs;
  std::vector<npu_io_desc> inputs, outputs;
};

} // namespace

static std::vector<npu_io_desc> ioRows(ArrayRef<RankedTensorType> types) {
  std::vector<npu_io_desc> rows;
  for (RankedTensorType type : types) {
    npu_tensor_desc tensor = describeTensor(type);
    rows.push_back(
        {tensor, static_cast<uint64_t>(kernels::storedBytes(tensor))});
  }
  return rows;
}

static Tables makeTables(const ProgramPlan &plan) {
  Tables tables;
  for (const PlannedKernel &kernel : plan.kernels) {
    const kernels::Problem &problem = kernel.problem;
    npu_kernel_desc row = {};
    row.op = problem.op;
    row.flags = kernel.generated ? NPU_KERNEL_GENERATED : 0;
    row.n_inputs = static_cast<int32_t>(problem.inputs.size());
    row.n_outputs = static_cast<int32_t>(problem.outputs.size());
    row.first_tensor = tables.tensors.size();
    row.first_instr = tables.instrs.size();
    row.n_instrs = static_cast<int32_t>(problem.instrs.size());
    row.in_place_input = problem.inPlaceInput;
    row.attrs = problem.attrs;
    tables.kernels.push_back(row);
    llvm::append_range(tables.tensors, problem.inputs);
    llvm::append_range(tables.tensors, problem.outputs);
    llvm::append_range(tables.instrs, problem.instrs);
  }
  tables.inputs = ioRows(plan.inputs);
  tables.outputs = ioRows(plan.outputs);
  return tables;
}

template <typename T>
static RawSection tableSection(StringRef name, const std::vector<T> &rows) {
  ArrayRef<char> bytes(reinterpret_cast<const char *>(rows.data()),
                       rows.size() * sizeof(T));
  return {(".npu." + name).str(), ("npu_" + name).str(), 64, {bytes}};
}

static llvm::Error writeDataObject(StringRef path, const ProgramPlan &plan) {
  Tables tables = makeTables(plan);
  SmallVector<RawSection> sections = {tableSection("kernels", tables.kernels),
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
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return llvm::Error::success();
  return llvm::createStringError("linking failed: " + stream.str());
}

namespace {
/// Files beside the output; removed when it goes out of scope.
struct TemporaryFiles {
  explicit TemporaryFiles(StringRef output) : output(output) {
    llvm::sys::fs::createUniquePath(output + ".tmp-%%%%%%%%", base,
                                    /*MakeAbsolute=*/false);
  }
  std::string add(StringRef suffix) {
    paths.push_back((base + suffix).str());
    return paths.back();
  }
  /// The error in terms of the output, which is all that the user knows.
  llvm::Error translate(llvm::Error error) const {
    std::string message = llvm::toString(std::move(error));
    for (const std::string &path : paths)
      for (size_t at; (at = message.find(path)) != std::string::npos;)
        message.replace(at, path.size(), output);
    return llvm::createStringError(message);
  }
  ~TemporaryFiles() {
    for (const std::string &path : paths)
      (void)llvm::sys::fs::remove(path);
  }

  std::string output;
  llvm::SmallString<128> base;
  SmallVector<std::string> paths;
};
} // namespace

/// Where a chain of links ends: it is the file that is replaced, not the link.
static std::string resolveLinks(StringRef path) {
  llvm::SmallString<128> resolved;
  if (llvm::sys::fs::real_path(path, resolved))
    return path.str(); // does not exist yet
  return resolved.str().str();
}

llvm::Error npu::writeProgram(StringRef path, ArrayRef<char> object,
                              const ProgramPlan &plan,
                              const format::Manifest &manifest) {
  std::string output = resolveLinks(path);
  // The output is renamed into its place: never over a device or a pipe.
  if (llvm::sys::fs::exists(output) && !llvm::sys::fs::is_regular_file(output))
    return llvm::createStringError("cannot write '" + path +
                                   "': it is not a regular file");
  TemporaryFiles files(output);
  std::string code = files.add(".code.o");
  std::string data = files.add(".data.o");
  std::string elf = files.add(".so");
  if (llvm::Error error = writeFile(code, object))
    return files.translate(std::move(error));
  if (llvm::Error error = writeDataObject(data, plan))
    return files.translate(std::move(error));
  if (llvm::Error error = link(elf, {code, data}))
    return files.translate(std::move(error));
  std::string message =
      format::sealInPlace(elf, format::printManifest(manifest), output);
  if (!message.empty())
    return files.translate(llvm::createStringError(message));
  return llvm::Error::success();
}
