// SPDX-License-Identifier: Apache-2.0
//
// .npy files, read strictly: every header field is checked before it is used.
//
// Why no library: the readers that Debian ships (xtensor's xnpy.hpp, cnpy)
// multiply extents unchecked, do not notice a short file and read uninitialised
// memory on a broken header.
#ifndef NPU_FILES_NPY_H
#define NPU_FILES_NPY_H

#include "files/output_files.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace npu::tools {

struct NpyHeader {
  std::string descr; ///< "<f4", "|b1", ...
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  size_t dataOffset = 0; ///< bytes from the start of the file
};

/// Reads the header at the start of `bytes` (at least the header must be
/// there). Returns an empty string, or what is wrong with it.
std::string parseNpyHeader(const char *bytes, size_t size, NpyHeader &out);

/// Reads a row-major array of exactly this type and shape into `data`. Returns
/// an empty string, or one clause: what was found, what was expected.
std::string readNpy(const std::string &path, const std::string &descr,
                    const std::vector<int64_t> &shape, void *data,
                    size_t bytes);

/// Writes a row-major array as one of `files`. Returns an empty string, or one
/// sentence.
std::string writeNpy(files::OutputFiles &files, const std::string &path,
                     const std::string &descr,
                     const std::vector<int64_t> &shape, const void *data,
                     size_t bytes);

/// "1x3x224x224", "scalar"
std::string shapeText(const std::vector<int64_t> &shape);

} // namespace npu::tools

#endif // NPU_FILES_NPY_H
