// SPDX-License-Identifier: Apache-2.0
//
// Which tiling of a kernel is the fastest on a chip, or takes least energy.
#ifndef NPU_COST_TILE_SEARCH_H
#define NPU_COST_TILE_SEARCH_H

#include "cost/tiling.h"

namespace npu::cost {

/// What tilings are compared by first.
enum class Goal { Time, Energy };

/// The fastest tiling that fits, or of the least energy and then the fastest;
/// the least traffic and the fewest tiles among equals; where none fits, the
/// one that needs least memory.
///
/// Which tilings are compared depends on the kernel alone, and none takes
/// longer on a chip that has more of anything: so a chip with more memory, more
/// rows, columns or lanes never gets a slower one.
Tiling chooseTiling(const KernelWork &work, const Machine &machine,
                    Goal goal = Goal::Time);

} // namespace npu::cost

#endif // NPU_COST_TILE_SEARCH_H
