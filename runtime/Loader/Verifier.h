// SPDX-License-Identifier: Apache-2.0
//
// Checks a loaded program's tables once. After verifyProgram() every index,
// pointer, extent and attribute in them is within bounds and fits the manifest;
// what the generated code does with its operands is trusted.
#ifndef NPU_RUNTIME_LOADER_VERIFIER_H
#define NPU_RUNTIME_LOADER_VERIFIER_H

#include "format/manifest.h"
#include "kernels/kernel.h"
#include "runtime/Loader/Image.h"

#include <string>

namespace npu::runtime {

/// Returns an empty string, or one clause that says what is wrong: which table
/// and row, what was found, what was expected.
std::string verifyProgram(const npu_program &program, const ImageBounds &bounds,
                          const format::Manifest &manifest,
                          const plugin::Use *plugins);

/// What is wrong with a tensor's own fields (storage whose size overflows
/// included), else empty. It may have no elements.
std::string verifyTensor(const npu_tensor_desc &tensor);

/// What the manifest says of an input or output, as a tensor; a clause if that
/// is none.
std::string tensorOf(const format::ManifestTensor &told,
                     npu_tensor_desc &tensor);

/// A kernel or maker of a verified program, with copies of its table rows.
kernels::Problem problemOf(const npu_program &program,
                           const npu_kernel_desc &kernel, int threads,
                           const plugin::Use *plugins);

/// What a state of a program holds before a run.
const npu_io_desc &stateBefore(const npu_program &program, uint32_t index);

/// What a maker of a verified program makes.
const npu_tensor_desc &resultOf(const npu_program &program,
                                const npu_kernel_desc &maker);

/// The least multiple of `alignment` that is not below `bytes`.
inline uint64_t alignedUp(uint64_t bytes, uint64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Where what the makers make begins, as offsets of tensors count.
uint64_t madeBegin(const npu_program &program);

/// Whether a constant is one of them. One without elements never is: it may lie
/// at the end of what is stored.
bool isMade(const npu_program &program, const npu_tensor_desc &constant);

} // namespace npu::runtime

#endif // NPU_RUNTIME_LOADER_VERIFIER_H
