// SPDX-License-Identifier: Apache-2.0
//
// A demo program in memory: its tables can be changed one field at a time
// before it is sealed into a .npu file.
#ifndef NPU_TEST_RUNTIME_DEMOFILE_H
#define NPU_TEST_RUNTIME_DEMOFILE_H

#include "format/manifest.h"
#include "format/program_format.h"

#include <cstddef>
#include <string>
#include <vector>

namespace npu::test {

/// A folder of this test process that goes away with it.
const std::string &scratchFolder();

/// An own empty folder in it, so that a test sees every file that is left
/// behind; its path ends in a slash.
std::string emptyFolder(const std::string &name);
size_t filesIn(const std::string &folder);

std::string readFile(const std::string &path);
void writeFile(const std::string &path, const std::string &bytes);

class DemoFile {
public:
  /// "conv", "made", "state", "matmul-4mb", "matmul-100mb"
  explicit DemoFile(const std::string &name);

  /// The tables in the ELF's bytes.
  npu_program &program() { return *at<npu_program>(rootOffset); }
  npu_kernel_desc *kernels() {
    return table<npu_kernel_desc>(offsetof(npu_program, kernels));
  }
  npu_kernel_desc *makers() {
    return table<npu_kernel_desc>(offsetof(npu_program, makers));
  }
  npu_attrs *attrs() { return table<npu_attrs>(offsetof(npu_program, attrs)); }
  npu_tensor_desc *tensors() {
    return table<npu_tensor_desc>(offsetof(npu_program, tensors));
  }
  npu_instr *instrs() {
    return table<npu_instr>(offsetof(npu_program, instrs));
  }
  npu_io_desc *inputs() {
    return table<npu_io_desc>(offsetof(npu_program, inputs));
  }
  npu_io_desc *outputs() {
    return table<npu_io_desc>(offsetof(npu_program, outputs));
  }
  /// Makes a pointer of npu_program point `delta` bytes further.
  void movePointer(size_t field, int64_t delta);
  /// Makes it point to an address of the image (0: the ELF header).
  void setPointer(size_t field, int64_t address);

  /// Writes a .npu file; `manifestText` replaces the printed `manifest`.
  std::string seal(const std::string &fileName) const;
  std::string seal(const std::string &fileName,
                   const std::string &manifestText) const;

  /// The same without syncing: for files by the thousand.
  std::string sealQuickly(const std::string &fileName) const;
  std::string sealQuickly(const std::string &fileName,
                          const std::string &manifestText) const;

  std::string elf;
  format::Manifest manifest;

private:
  template <class T>
  T *at(size_t offset) {
    return reinterpret_cast<T *>(&elf[offset]);
  }
  template <class T>
  T *table(size_t field) {
    return at<T>(fileOffset(static_cast<uint64_t>(*relocation(field))));
  }
  /// Where the dynamic loader finds what to put into a pointer field.
  int64_t *relocation(size_t field);
  uint64_t fileOffset(uint64_t address) const;
  uint64_t addressOf(size_t offset) const;
  void describe();

  size_t rootOffset = 0;
};

} // namespace npu::test

#endif // NPU_TEST_RUNTIME_DEMOFILE_H
