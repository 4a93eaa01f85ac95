// SPDX-License-Identifier: Apache-2.0

#include "runtime/Loader/Rehearsal.h"

#include "kernels/tensor.h"
#include "runtime/Executor/Memory.h"
#include "runtime/Loader/Verifier.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace npu::runtime {
namespace {

// Addresses that are only compared: no memory of a process lies there.
constexpr uintptr_t arenaBase = uintptr_t(1) << 60;
constexpr uintptr_t inputBase = uintptr_t(2) << 60;
constexpr uintptr_t outputBase = uintptr_t(3) << 60;
constexpr uintptr_t madeBase = uintptr_t(4) << 60;
constexpr uintptr_t addressBytes = uintptr_t(1) << 60;

void *addressAt(uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): never followed.
  return reinterpret_cast<void *>(address);
}

/// The program's inputs or outputs, each at addresses of its own.
class Boundary {
public:
  Boundary(uintptr_t base, const npu_io_desc *rows, uint32_t count,
           const char *kind)
      : rows(rows), kind(kind),
        // Far more than any program has: what the code reads behind its inputs
        // and outputs is zero, which is no operand.
        slots(count * sizeof(void *) + spareBytes, "loading") {
    for (uint32_t i = 0; i < count; ++i) {
      addresses.push_back(base);
      reinterpret_cast<void **>(slots.data())[i] = addressAt(base);
      base += (rows[i].bytes / NPU_VALUE_ALIGNMENT + 1) * NPU_VALUE_ALIGNMENT;
    }
  }
  void *const *pointers() const {
    return reinterpret_cast<void *const *>(slots.data());
  }
  /// What is wrong with an operand of `bytes` at an address of this kind.
  std::string problem(uintptr_t address, uint64_t bytes) const {
    auto found = std::lower_bound(addresses.begin(), addresses.end(), address);
    if (found == addresses.end() || *found != address)
      return std::string("is no ") + kind + " of the program";
    auto index = static_cast<size_t>(found - addresses.begin());
    if (rows[index].bytes == bytes)
      return "";
    return std::string("is ") + kind + " " + std::to_string(index) + ", of " +
           std::to_string(rows[index].bytes) + " bytes, expected " +
           std::to_string(bytes);
  }

private:
  static constexpr uint64_t spareBytes = uint64_t(1) << 20;
  const npu_io_desc *rows;
  const char *kind;
  Memory slots;
  std::vector<uintptr_t> addresses; // ascending
};

class Rehearsal {
public:
  Rehearsal(const npu_program &program, const ImageBounds &bounds)
      : p(program), bounds(bounds),
        inputs(inputBase, program.inputs, program.n_inputs, "input"),
        outputs(outputBase, program.outputs, program.n_outputs, "output"),
        called(program.n_kernels, false) {}

  std::string run();
  int32_t call(uint32_t kernel, void *const *operands, bool generated);
  int32_t split(uint32_t kernel, int64_t count, npu_body body);

private:
  /// Where a constant lies.
  uintptr_t addressOf(const npu_tensor_desc &constant) const {
    const auto offset = static_cast<uintptr_t>(constant.weights_offset);
    return isMade(p, constant)
               ? madeBase + (offset - madeBegin(p))
               : reinterpret_cast<uintptr_t>(p.weights) + offset;
  }
  int32_t refuse(const std::string &clause) {
    wrong = clause;
    return 1;
  }
  std::string operandProblem(const npu_tensor_desc &tensor, uintptr_t address);
  std::string sharingProblem(const npu_kernel_desc &k, void *const *operands);
  bool isWritten(uintptr_t address, uint64_t bytes) const;
  void write(uintptr_t address, uint64_t bytes);

  const npu_program &p;
  const ImageBounds &bounds;
  Boundary inputs, outputs;
  std::vector<bool> called;
  std::map<uintptr_t, uint64_t> values; // bytes of what lies where
  uint64_t arenaBytes = 0;              // that values reach
  std::string wrong;
};

Rehearsal &of(npu_exec *exec) { return *reinterpret_cast<Rehearsal *>(exec); }

int32_t callKernel(npu_exec *exec, uint32_t kernel, void *const *operands) {
  return of(exec).call(kernel, operands, false);
}

int32_t parallelFor(npu_exec *exec, uint32_t kernel, int64_t count,
                    int64_t /*grain*/, npu_body body, void *const *operands) {
  int32_t status = of(exec).call(kernel, operands, true);
  return status != 0 ? status : of(exec).split(kernel, count, body);
}

constexpr npu_imports imports = {NPU_FORMAT_VERSION, sizeof(npu_imports),
                                 callKernel, parallelFor};

uint64_t bytesOf(const npu_tensor_desc &tensor) {
  return static_cast<uint64_t>(kernels::storedBytes(tensor));
}

std::string kernelName(uint32_t kernel) {
  return "kernel " + std::to_string(kernel);
}

std::string Rehearsal::operandProblem(const npu_tensor_desc &tensor,
                                      uintptr_t address) {
  uint64_t bytes = bytesOf(tensor);
  if (tensor.weights_offset >= 0)
    return address == addressOf(tensor)
               ? ""
               : "is not the weight at offset " +
                     std::to_string(tensor.weights_offset);
  if (address - inputBase < addressBytes)
    return inputs.problem(address, bytes);
  if (address - outputBase < addressBytes)
    return outputs.problem(address, bytes);
  uint64_t offset = address - arenaBase;
  if (offset >= addressBytes)
    return "lies neither in the arena nor in an input or output";
  if (offset % NPU_VALUE_ALIGNMENT != 0 || offset > p.arena_bytes ||
      bytes > p.arena_bytes - offset)
    return "has " + std::to_string(bytes) + " bytes at offset " +
           std::to_string(offset) + " of the arena, which has " +
           std::to_string(p.arena_bytes);
  arenaBytes = std::max(arenaBytes, offset + bytes);
  return "";
}

/// A result may lie where the named input lies, and nowhere else over an input
/// or another result.
std::string Rehearsal::sharingProblem(const npu_kernel_desc &k,
                                      void *const *operands) {
  const npu_tensor_desc *tensors = p.tensors + k.first_tensor;
  auto begin = [&](int32_t i) {
    return reinterpret_cast<uintptr_t>(operands[i]);
  };
  auto overlap = [&](int32_t a, int32_t b) {
    return begin(a) < begin(b) + bytesOf(tensors[b]) &&
           begin(b) < begin(a) + bytesOf(tensors[a]);
  };
  if (k.in_place_input >= 0 && begin(k.in_place_input) != begin(k.n_inputs))
    return "its result does not lie where its in-place input lies";
  for (int32_t result = k.n_inputs; result < k.n_inputs + k.n_outputs; ++result)
    for (int32_t other = 0; other < result; ++other) {
      bool mayShare = result == k.n_inputs && begin(other) == begin(result) &&
                      k.in_place_input >= 0;
      if (!mayShare && overlap(result, other))
        return "its operands " + std::to_string(other) + " and " +
               std::to_string(result) + " overlap";
    }
  return "";
}

/// Whether the bytes are a value, or a part of one.
bool Rehearsal::isWritten(uintptr_t address, uint64_t bytes) const {
  auto next = values.upper_bound(address);
  if (bytes == 0)
    return true;
  if (next == values.begin())
    return false;
  auto [first, count] = *std::prev(next);
  return address - first <= count && bytes <= count - (address - first);
}

/// What lay there is gone.
void Rehearsal::write(uintptr_t address, uint64_t bytes) {
  auto next = values.lower_bound(address);
  if (next != values.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second > address)
      values.erase(before);
  }
  while (next != values.end() && next->first < address + bytes)
    next = values.erase(next);
  values[address] = bytes;
}

int32_t Rehearsal::call(uint32_t kernel, void *const *operands,
                        bool generated) {
  if (kernel >= p.n_kernels)
    return refuse("its code calls " + kernelName(kernel) + ", but there are " +
                  std::to_string(p.n_kernels));
  const npu_kernel_desc &k = p.kernels[kernel];
  if (called[kernel])
    return refuse("its code calls " + kernelName(kernel) + " twice");
  called[kernel] = true;
  if (generated != ((k.flags & NPU_KERNEL_GENERATED) != 0))
    return refuse(kernelName(kernel) + ": its code and the kernel table "
                                       "disagree on whether it is generated");
  for (int32_t i = 0; i < k.n_inputs + k.n_outputs; ++i) {
    const npu_tensor_desc &tensor = p.tensors[k.first_tensor + i];
    auto address = reinterpret_cast<uintptr_t>(operands[i]);
    std::string problem = operandProblem(tensor, address);
    if (problem.empty() && i < k.n_inputs && tensor.weights_offset < 0 &&
        address - inputBase >= addressBytes &&
        !isWritten(address, bytesOf(tensor)))
      problem = "reads " + std::to_string(bytesOf(tensor)) +
                " bytes where no kernel wrote a value of that size or more";
    if (!problem.empty())
      return refuse(kernelName(kernel) + ": its operand " + std::to_string(i) +
                    " " + problem);
  }
  std::string problem = sharingProblem(k, operands);
  if (!problem.empty())
    return refuse(kernelName(kernel) + ": " + problem);
  for (int32_t i = k.n_inputs; i < k.n_inputs + k.n_outputs; ++i)
    write(reinterpret_cast<uintptr_t>(operands[i]),
          bytesOf(p.tensors[k.first_tensor + i]));
  return 0;
}

/// A generated kernel is run over its result's elements, or over rows of them.
int32_t Rehearsal::split(uint32_t kernel, int64_t count, npu_body body) {
  const npu_kernel_desc &k = p.kernels[kernel];
  const npu_tensor_desc &result = p.tensors[k.first_tensor + k.n_inputs];
  int64_t elements =
      kernels::storedBytes(result) / kernels::dtypeBytes(result.dtype);
  if (count < 0 || count > elements)
    return refuse(kernelName(kernel) + ": its code runs over " +
                  std::to_string(count) + " elements or rows, its result has " +
                  std::to_string(elements) + " elements");
  if (!bounds.canRun(reinterpret_cast<uintptr_t>(body)))
    return refuse(kernelName(kernel) + " lies outside the file's code");
  return 0;
}

std::string Rehearsal::run() {
  npu_frame frame = {&imports,
                     reinterpret_cast<npu_exec *>(this),
                     static_cast<uint8_t *>(addressAt(arenaBase)),
                     p.weights,
                     inputs.pointers(),
                     outputs.pointers(),
                     static_cast<uint8_t *>(addressAt(madeBase))};
  int32_t status = p.run(&frame);
  if (!wrong.empty())
    return wrong;
  if (status != 0)
    return "its code ends with status " + std::to_string(status);
  auto missing = std::find(called.begin(), called.end(), false);
  if (missing != called.end())
    return "its code never calls " +
           kernelName(static_cast<uint32_t>(missing - called.begin()));
  uint64_t needed = alignedUp(arenaBytes, NPU_VALUE_ALIGNMENT);
  if (p.arena_bytes != needed)
    return "the arena's size is " + std::to_string(p.arena_bytes) +
           ", expected " + std::to_string(needed) + ", which its values need";
  return "";
}

} // namespace

std::string rehearse(const npu_program &program, const ImageBounds &bounds) {
  return Rehearsal(program, bounds).run();
}

} // namespace npu::runtime
