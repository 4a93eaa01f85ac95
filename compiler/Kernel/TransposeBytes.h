// SPDX-License-Identifier: Apache-2.0
//
// Permutes a dense tensor's dimensions fast enough for 400 MB of weights.
#ifndef NPU_COMPILER_KERNEL_TRANSPOSEBYTES_H
#define NPU_COMPILER_KERNEL_TRANSPOSEBYTES_H

#include "compiler/Support/LLVM.h"

namespace npu {

/// Result dimension i is source dimension permutation[i]; both row-major, with
/// elements of `width` bytes (1, 2, 4 or 8) and as many bytes in each.
void transposeBytes(ArrayRef<char> source, ArrayRef<int64_t> shape,
                    ArrayRef<int64_t> permutation, int64_t width,
                    MutableArrayRef<char> result);

} // namespace npu

#endif // NPU_COMPILER_KERNEL_TRANSPOSEBYTES_H
