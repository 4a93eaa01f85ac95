// SPDX-License-Identifier: Apache-2.0
//
// Runs a program command by command on memories of exactly the sizes that it
// names.
#ifndef NPU_CHIP_EXECUTION_H
#define NPU_CHIP_EXECUTION_H

#include "chip/program.h"

#include <functional>
#include <vector>

namespace npu::chip {

/// Memory of a region, filled with poison before each run, and of each byte the
/// kernel that wrote it.
struct SimulatedMemory {
  uint8_t *data = nullptr;
  std::unique_ptr<uint8_t, void (*)(void *)> own{nullptr, [](void *) {}};
  std::vector<uint32_t> writer; ///< 1 + kernel, 0: none; empty: not kept
};

class Execution {
public:
  /// Of a verified program, which lives as long; kernels have so many threads,
  /// and keep NaN as kernels::Problem says.
  /// `checks`: whether it is kept who wrote which byte (five times the memory),
  /// so that a read of what nobody wrote is an error, and what a kernel writes
  /// twice.
  Execution(const ProgramT &program, int threads, bool checks,
            bool keepsNan = false);

  /// `regions[i]` is the memory of the program's region i; null for the arena
  /// and the chip's memory, which are the execution's own, and for what has no
  /// bytes. Returns an empty string, or one clause that names command, kernel,
  /// node, buffer and address.
  std::string run(const std::vector<uint8_t *> &regions);

private:
  /// Where a place is in this turn of the loops.
  struct Spot {
    uint32_t region = 0;
    int64_t offset = 0;
    const BufferT *buffer = nullptr;
  };
  struct OpenLoop {
    size_t begin = 0;
    int64_t left = 0;
  };
  void prepare(const std::vector<uint8_t *> &regions);
  size_t execute(size_t command, std::string &wrong);
  std::string move(const DmaT &dma);
  std::string compute(const ComputeT &compute);
  std::string loadOperand(const OperandT &operand,
                          const npu_tensor_desc &tensor, bool isRead,
                          size_t index, void *&pointer);
  std::string storeOperand(const OperandT &operand,
                           const npu_tensor_desc &tensor, const void *from);
  Spot spotOf(const PlaceT &place) const;
  std::string checkRead(const Spot &spot, int64_t offset, int64_t bytes) const;
  std::string noteWrite(const Spot &spot, int64_t offset, int64_t bytes);
  std::string checkOutputs() const;
  std::string nameOf(const Spot &spot, int64_t offset) const;
  const kernels::Kernel *kernelOf(uint32_t tile);

  const ProgramT &program;
  int threads;
  bool checks, keepsNan;
  std::vector<SimulatedMemory> memories;  // by region
  std::vector<kernels::Problem> problems; // by tile
  std::vector<std::unique_ptr<kernels::Kernel>> made;
  std::vector<std::vector<uint8_t>> copies; // of operands, by number
  std::vector<uint8_t> scratch;
  std::vector<OpenLoop> loops;
  std::vector<int64_t> turns; // of open loops
  uint32_t kernel = 0;
};

} // namespace npu::chip

#endif // NPU_CHIP_EXECUTION_H
