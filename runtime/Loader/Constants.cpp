// SPDX-License-Identifier: Apache-2.0

#include "runtime/Loader/Constants.h"

#include "kernels/memory.h"
#include "kernels/tensor.h"
#include "runtime/Executor/Memory.h"
#include "runtime/Loader/Verifier.h"
#include "runtime/Status.h"

#include <algorithm>
#include <string>
#include <sys/mman.h>

namespace npu::runtime {

static uint64_t bytesOf(const npu_tensor_desc &tensor) {
  return static_cast<uint64_t>(kernels::storedBytes(tensor));
}

Constants::Constants(const Image &image, int threads)
    : image(image), program(*image.program()), threads(threads),
      begin(madeBegin(program)) {
  for (uint32_t i = 0; i < program.n_makers; ++i) {
    const npu_kernel_desc &maker = program.makers[i];
    const npu_tensor_desc &result = resultOf(program, maker);
    const uint64_t bytes = bytesOf(result);
    countReads(maker);
    all[result.weights_offset] = {&maker, bytes};
    regionBytes = static_cast<uint64_t>(result.weights_offset) + bytes - begin;
  }
  for (uint32_t k = 0; k < program.n_kernels && !all.empty(); ++k)
    countReads(program.kernels[k]);
  if (regionBytes == 0)
    return;
  // The system's, as the file's own pages are: most are given back soon.
  region = static_cast<uint8_t *>(kernels::mapPages(regionBytes));
  if (!region)
    throw Failure(
        NPU_OUT_OF_MEMORY,
        "not enough memory for the constants that are made at load: " +
            std::to_string(regionBytes) +
            " bytes were asked for; close other programs");
}

Constants::~Constants() {
  if (region)
    munmap(region, regionBytes);
}

void Constants::countReads(const npu_kernel_desc &kernel) {
  for (int32_t i = 0; i < kernel.n_inputs; ++i) {
    const npu_tensor_desc &input = program.tensors[kernel.first_tensor + i];
    if (isMade(program, input))
      ++all.at(input.weights_offset).readers;
  }
}

const uint8_t *Constants::make(int64_t offset) {
  Made &made = all.at(offset);
  uint8_t *result = region + (static_cast<uint64_t>(offset) - begin);
  if (made.isThere)
    return result;
  const kernels::Problem problem =
      problemOf(program, *made.maker, threads, nullptr);
  auto kernel = kernels::create(problem);
  Memory scratch(kernel->scratchBytes(), "making a constant");
  std::vector<void *> operands;
  for (const void *source : operandsOf(*made.maker)) // made first, perhaps
    operands.push_back(const_cast<void *>(source));
  operands.push_back(result);
  takeSpare(wholePages(result, made.bytes));
  if (int status = kernel->run(operands.data(), scratch.data()))
    throw Failure(NPU_RUN_FAILED,
                  "making " + kernels::describe(problem.outputs[0]) + " of " +
                      kernels::describe(problem.inputs[0]) +
                      " ended with status " + std::to_string(status));
  made.isThere = true;
  settle(*made.maker, std::vector<bool>(problem.inputs.size()));
  return result;
}

const void *Constants::at(const npu_tensor_desc &constant) {
  const int64_t offset = constant.weights_offset;
  if (offset < 0)
    return nullptr;
  return isMade(program, constant) ? make(offset) : program.weights + offset;
}

std::optional<kernels::Narrow>
Constants::narrowOf(const npu_kernel_desc &kernel) {
  if (kernel.n_inputs < 2)
    return std::nullopt;
  const npu_tensor_desc &input = program.tensors[kernel.first_tensor + 1];
  if (!isMade(program, input))
    return std::nullopt;
  const npu_kernel_desc &maker = *all.at(input.weights_offset).maker;
  if (maker.op != NPU_OP_WINOGRAD_WEIGHT)
    return narrowOf(maker, input);
  const npu_tensor_desc &taps = program.tensors[maker.first_tensor];
  if (isMade(program, taps))
    return narrowOf(*all.at(taps.weights_offset).maker, taps);
  if (taps.dtype == NPU_F32)
    return std::nullopt;
  return kernels::Narrow{taps, at(taps), 0, nullptr, nullptr};
}

std::optional<kernels::Narrow>
Constants::narrowOf(const npu_kernel_desc &maker,
                    const npu_tensor_desc &constant) {
  std::optional<kernels::Narrow> narrow =
      kernels::narrowOf(problemOf(program, maker, 1, nullptr), constant);
  if (!narrow)
    return narrow;
  const npu_tensor_desc *inputs = program.tensors + maker.first_tensor;
  narrow->data = at(inputs[0]);
  if (maker.n_inputs > 1)
    narrow->scales = static_cast<const float *>(at(inputs[1]));
  if (maker.n_inputs > 2)
    narrow->offsets = static_cast<const float *>(at(inputs[2]));
  return narrow;
}

std::vector<const void *> Constants::operandsOf(const npu_kernel_desc &kernel,
                                                bool readsNarrow) {
  std::vector<const void *> operands(static_cast<size_t>(kernel.n_inputs));
  for (size_t i = 0; i < operands.size(); ++i)
    if (i != 1 || !readsNarrow)
      operands[i] = at(program.tensors[kernel.first_tensor + i]);
  return operands;
}

void Constants::settle(const npu_kernel_desc &kernel,
                       const std::vector<bool> &isRead) {
  for (size_t i = 0; i < isRead.size(); ++i) {
    const npu_tensor_desc &tensor = program.tensors[kernel.first_tensor + i];
    const auto offset = static_cast<uint64_t>(tensor.weights_offset);
    if (tensor.weights_offset < 0)
      continue;
    if (!isMade(program, tensor)) {
      if (isRead[i])
        reads.emplace_back(offset, offset + bytesOf(tensor));
      else // At once, so that originals and copies never lie in memory
           // together. A page that another kernel still reads just comes back
           // from the file.
        image.release(offset, bytesOf(tensor));
      continue;
    }
    Made &made = all.at(tensor.weights_offset);
    made.readers -= made.readers > 0 ? 1 : 0;
    made.isKept |= isRead[i];
    if (!made.isThere) // a kernel has packed what it is made of
      settle(*made.maker,
             std::vector<bool>(static_cast<size_t>(made.maker->n_inputs)));
    if (!made.isThere || made.readers > 0 || made.isKept)
      continue;
    spare(wholePages(region + (offset - begin), made.bytes));
    made.isThere = false;
  }
}

void Constants::spare(Pages pages) {
  if (spared.bytes < pages.bytes)
    std::swap(spared, pages);
  releasePages(pages.first, pages.bytes);
}

void Constants::takeSpare(Pages pages) {
  const size_t bytes = std::min(pages.bytes, spared.bytes);
  // Where they were is still the region's, without memory.
  if (bytes == 0 || mremap(spared.first, bytes, bytes,
                           MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
                           pages.first) == MAP_FAILED)
    return;
  spared = {spared.first + bytes, spared.bytes - bytes};
}

uint64_t Constants::keptBytes() const {
  uint64_t bytes = 0;
  for (const auto &[offset, made] : all)
    bytes += made.isKept ? made.bytes : 0;
  return bytes;
}

uint64_t Constants::releaseUnread() {
  releasePages(spared.first, spared.bytes);
  spared = {};
  std::sort(reads.begin(), reads.end());
  reads.emplace_back(program.weight_bytes, program.weight_bytes);
  uint64_t released = 0, end = 0;
  for (auto [from, to] : reads) {
    if (from > end)
      released += image.release(end, from - end);
    end = std::max(end, to);
  }
  reads.clear();
  return released;
}

} // namespace npu::runtime
