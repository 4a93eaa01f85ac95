// SPDX-License-Identifier: Apache-2.0
#ifndef NPU_RUNTIME_CHIPVISIT_H
#define NPU_RUNTIME_CHIPVISIT_H

#include "chip/program.h"
#include "npu/chip.h"

namespace npu::runtime {

/// Tells a visitor a verified program. Returns what ended it; 0: its end.
int32_t visitChip(const chip::ProgramT &program,
                  const npu_chip_visitor &visitor);

} // namespace npu::runtime

#endif // NPU_RUNTIME_CHIPVISIT_H
