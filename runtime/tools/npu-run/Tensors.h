// SPDX-License-Identifier: Apache-2.0
//
// From NAME=FILE arguments to buffers in stored order, and back.
#ifndef NPU_RUNTIME_TOOLS_NPU_RUN_TENSORS_H
#define NPU_RUNTIME_TOOLS_NPU_RUN_TENSORS_H

#include "files/exit_codes.h"
#include "files/output_files.h"
#include "npu/npu.hpp"
#include "runtime/tools/npu-run/Options.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace npu::tools {

/// Ends the program with `code`; the sentence goes to stderr.
struct Exit : std::runtime_error {
  Exit(files::ExitCode code, const std::string &sentence)
      : std::runtime_error(sentence), code(code) {}
  files::ExitCode code;
};

/// Files by tensor index, from NAME=FILE arguments. `kind` ("input") is for
/// messages, which list the names that exist.
std::map<size_t, std::string>
matchFiles(const std::vector<std::string> &arguments,
           const std::vector<npu_tensor_info> &signature,
           const std::string &kind);

/// Row-major values as a .npy file has them (bf16 as float32).
Buffer readTensor(const npu_tensor_info &info, const std::string &path,
                  const std::string &kind);
/// As one of `files`.
void writeTensor(files::OutputFiles &files, const npu_tensor_info &info,
                 const std::string &path, const Buffer &rows);

/// What a file of so many runs has: a further first dimension. `steps` 0: the
/// tensor itself.
std::vector<npu_tensor_info>
seriesOf(const std::vector<npu_tensor_info> &signature, int steps);
/// The values of one run among those of a file of this tensor's series.
Buffer valuesOfStep(const npu_tensor_info &info, const Buffer &series,
                    size_t step);

/// Numbers that only depend on the seed and the input's place.
Buffer randomTensor(const npu_tensor_info &info, uint64_t seed);

/// Between a file's values and the program's type (only bf16 differs).
Buffer fileToRows(const npu_tensor_info &info, Buffer values);
Buffer rowsToFile(const npu_tensor_info &info, Buffer rows);

/// Of what readTensor(), randomTensor() and rowsToFile() give.
uint64_t fileBytes(const npu_tensor_info &info);
std::vector<int64_t> shapeOf(const npu_tensor_info &info);
/// Elements of the logical shape.
size_t elementsOf(const npu_tensor_info &info);

} // namespace npu::tools

#endif // NPU_RUNTIME_TOOLS_NPU_RUN_TENSORS_H
