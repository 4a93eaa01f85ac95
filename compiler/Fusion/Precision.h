// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_COMPILER_FUSION_PRECISION_H
#define NPU_COMPILER_FUSION_PRECISION_H

namespace npu {

/// What products are made of, where the model has f32. I8: only those of
/// weights that are stored as integers.
enum class Precision { F32, Bf16, I8 };

} // namespace npu

#endif // NPU_COMPILER_FUSION_PRECISION_H
