// SPDX-License-Identifier: Apache-2.0
//
// What a tile of a kernel's result needs of its operands: the one thing that
// the emitter has to know of an op.
#ifndef NPU_CHIP_TILED_FORM_H
#define NPU_CHIP_TILED_FORM_H

#include "kernels/kernel.h"

#include <vector>

namespace npu::chip {

struct Span {
  int64_t begin = 0, extent = 0;
};

/// What of an operand's dimension a tile needs, by what of one dimension of the
/// result, the axis, it has.
struct DimRule {
  enum Kind {
    All,    ///< all of it, whatever the tile
    Same,   ///< the same elements
    Window, ///< what lies under the windows, with padding where that is outside
    Step,   ///< every so manyth element, from a first one on
    Group   ///< of a grouped convolution, the data of the results' groups
  };
  Kind kind = All;
  int axis = -1;
  int64_t stride = 1;            ///< of windows, or the step
  int64_t window = 1;            ///< elements from a window's first to its last
  int64_t first = 0;             ///< minus the padding, or the first element
  int64_t results = 1, data = 1; ///< of a group
};

struct TiledForm {
  std::vector<std::vector<DimRule>> inputs;
  /// Of each dimension of the result, what tiles begin at multiples of; its
  /// extent where it is not cut.
  std::vector<int64_t> grain;
  /// Names of these dimensions.
  std::vector<std::string> axes;
};

/// Of a valid problem. Every op has one, if only in one tile.
TiledForm tiledFormOf(const kernels::Problem &problem);

/// What a rule makes of a part of the axis' extent; all of a dimension of
/// `whole` elements for all of the axis.
struct Needed {
  Span span;
  int64_t before = 0, behind = 0; ///< padding of windows
};
Needed neededOf(const DimRule &rule, Span part, int64_t extent, int64_t whole);

/// The problem of one tile, given what it has of the result, with nothing that
/// depends on the place of the operands.
kernels::Problem tileOf(const kernels::Problem &problem, const TiledForm &form,
                        const std::vector<Span> &result);

} // namespace npu::chip

#endif // NPU_CHIP_TILED_FORM_H
