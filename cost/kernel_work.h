// SPDX-License-Identifier: Apache-2.0
//
// What a kernel does on a chip, in the layouts that it has: written by the
// compiler, kept in the program, timed by kernel_time.h.
#ifndef NPU_COST_KERNEL_WORK_H
#define NPU_COST_KERNEL_WORK_H

#include "cost/mac_array.h"

#include <optional>
#include <string_view>
#include <vector>

namespace npu::cost {

/// Which extents of the kernel's product a tensor has, and so what a tile holds
/// of it.
enum class Role {
  Result, ///< M and N: results, and operands of the ops that follow
  Data,   ///< M and K
  Weight, ///< K and N
  Bias    ///< N: a value for each column of the result; of a kernel without
          ///< extents, what all of its pieces read
};

/// "result".
std::string_view nameOf(Role role);
std::optional<Role> findRole(std::string_view name);
std::string_view roleNames();

/// For each extent of the product: bytes in a row of memory that a part of the
/// tensor would have which is cut along that extent only, if it had all of it.
/// A part of half the extent has rows half as long. 0: all of the tensor.
struct Rows {
  double m = 0, k = 0, n = 0, count = 0;
};

/// One tensor on its way between DRAM and the chip.
struct Transfer {
  double bytes = 0; ///< as stored, padding included
  /// Bytes that lie next to each other, if all of it is moved.
  double run = 0;
  /// Neighbours of the one side of a relayout lie apart on the other.
  bool scattered = false;
  Role role = Role::Result;
  /// Stays in on-chip memory between its producer and its readers.
  bool onChip = false;
  /// Bytes that two tiles have in common where M is cut: rows under a window.
  double halo = 0;
  double elementBytes = 1;
  Rows rows = {};
  /// Rows shorter than that the DMA gathers.
  double gathered = 0;
  /// How often an algorithm goes over it where K is cut.
  double passes = 1;
  /// Of a table of which some rows are read: bytes of these, and of each; 0:
  /// all of it is.
  double touched = 0, touchedRun = 0;
  /// Of what is copied and then changed in some rows: bytes of these, in runs
  /// of `touchedRun`, which are written once more where the copy does not stay
  /// on the chip until the last.
  double rewritten = 0;
  /// Passes DRAM whatever stays on the chip: a constant or an input of the
  /// network, at the first kernel that reads it, or an output.
  bool boundary = false;

  /// What an element that can be read or written takes part in.
  double leastBytes() const {
    return touched > 0 && touched < bytes ? touched : bytes;
  }
};

/// A kernel that the processor beside the chip runs while the chip waits. All
/// cycles are the chip's.
struct ProcessorWork {
  double cycles = 0; ///< computing
  /// Values that the chip has made and values that it reads, on their way.
  double linkCycles = 0, linkBytes = 0;
  double energy = 0; ///< pJ, of both; 0: nothing is said of it
};

/// What a table of the chip's own kernels says of one (cost_table.h).
struct Measurement {
  double cycles = 0; ///< measured; 0: it was not
  double ratio = 1;  ///< then, of the model's cycles
};

/// Lanes that only pad a block are computed and moved like all others.
struct KernelWork {
  /// Then nothing below is said.
  std::optional<ProcessorWork> processor;
  std::vector<Product> products;
  /// Of a kernel of the vector unit that is cut along extents of its own: M and
  /// N of windows, M and K of what goes over rows.
  std::optional<Product> streamed;
  double usefulMacs = 0; ///< without padding
  /// The same of the cheapest algorithm that the chip has, over their rate.
  double leastMacs = 0;
  /// Vector operations on one element each, without those of the array's
  /// output stage.
  double elements = 0;
  std::vector<Transfer> reads, writes;
  /// How many times longer the chip takes in this layout than in its best.
  double factor = 1;
  /// Bytes of on-chip memory that values need while they stay there.
  double reservedBytes = 0;
  /// In place of what the model says.
  std::optional<Measurement> measured;

  /// Read and written, wherever the tensors lie.
  double bytes() const;
};

/// On-chip memory that is left to the tiles, in bytes.
double tileCapacity(const KernelWork &work, const Machine &machine);

} // namespace npu::cost

#endif // NPU_COST_KERNEL_WORK_H
