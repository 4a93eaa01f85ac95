// SPDX-License-Identifier: Apache-2.0
//
// How many threads a problem is worth.
#ifndef NPU_KERNELS_SUPPORT_TEAM_H
#define NPU_KERNELS_SUPPORT_TEAM_H

#include "kernels/kernel.h"

namespace npu::kernels {

/// At most problem.threads, at least 1: so many that each has work for longer
/// than it takes to meet the others and to fetch what they have written.
/// Depends on the problem alone, so that results stay the same bits.
int teamFor(const Problem &problem);

} // namespace npu::kernels

#endif // NPU_KERNELS_SUPPORT_TEAM_H
