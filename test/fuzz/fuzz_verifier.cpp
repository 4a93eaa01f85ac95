// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the tables of a program: whatever the verifier accepts, the
// kernels' query must take.

#include "kernels/tensor.h"
#include "runtime/Loader/Verifier.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace npu;

namespace {

int32_t run(const npu_frame *) { return 0; }

/// Takes the next bytes of the input, zeros behind its end.
template <class T>
T take(const uint8_t *&data, size_t &size) {
  T value = {};
  size_t bytes = std::min(size, sizeof(T));
  std::memcpy(&value, data, bytes);
  data += bytes;
  size -= bytes;
  return value;
}

/// What a manifest that fits says.
format::ManifestState stateOf(const npu_tensor_desc &tensor) {
  format::ManifestState state;
  state.dtype = kernels::dtypeName(tensor.dtype);
  state.layout = kernels::layoutString(tensor);
  state.shape.assign(tensor.dims, tensor.dims + tensor.rank);
  state.beginsAsConstant = tensor.weights_offset != -1;
  return state;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  alignas(NPU_WEIGHTS_ALIGNMENT) static const uint8_t weights[8192] = {};
  auto kernel = take<npu_kernel_desc>(data, size);
  std::vector<npu_attrs> attrs = {take<npu_attrs>(data, size),
                                  take<npu_attrs>(data, size)};
  std::vector<npu_tensor_desc> tensors(8);
  for (npu_tensor_desc &tensor : tensors)
    tensor = take<npu_tensor_desc>(data, size);
  std::vector<npu_instr> instrs(4);
  for (npu_instr &instr : instrs)
    instr = take<npu_instr>(data, size);

  std::vector<npu_kernel_desc> makers(3);
  for (npu_kernel_desc &maker : makers)
    maker = take<npu_kernel_desc>(data, size);

  const auto before = take<npu_io_desc>(data, size);
  const auto after = take<npu_io_desc>(data, size);

  npu_program program = {};
  std::memcpy(program.magic, NPU_PROGRAM_MAGIC, sizeof(program.magic));
  program.version = NPU_FORMAT_VERSION;
  program.size = sizeof(program);
  program.kernels = &kernel;
  program.makers = makers.data();
  program.attrs = attrs.data();
  program.tensors = tensors.data();
  program.instrs = instrs.data();
  program.weights = weights;
  program.weight_bytes = sizeof(weights);
  program.n_kernels = 1;
  program.n_makers = makers[0].flags & 3;
  makers[0].flags >>= 2;
  program.n_attrs = static_cast<uint32_t>(attrs.size());
  program.n_tensors = static_cast<uint32_t>(tensors.size());
  program.n_instrs = static_cast<uint32_t>(instrs.size());
  program.run = run;

  runtime::ImageBounds bounds;
  auto add = [&](const void *begin, size_t bytes, bool executable) {
    bounds.add(reinterpret_cast<uintptr_t>(begin), bytes, executable);
  };
  add(&kernel, sizeof(kernel), false);
  add(makers.data(), makers.size() * sizeof(npu_kernel_desc), false);
  add(attrs.data(), attrs.size() * sizeof(npu_attrs), false);
  add(tensors.data(), tensors.size() * sizeof(npu_tensor_desc), false);
  add(instrs.data(), instrs.size() * sizeof(npu_instr), false);
  add(weights, sizeof(weights), false);
  add(&before, sizeof(before), false);
  add(&after, sizeof(after), false);
  add(reinterpret_cast<const void *>(run), 1, true);

  format::Manifest manifest;
  // Of a row that is no tensor nothing can be told.
  if (before.bytes > 0 && runtime::verifyTensor(before.tensor).empty()) {
    program.inputs = &before;
    program.outputs = &after;
    program.n_inputs = program.n_outputs = program.n_states = 1;
    manifest.states.push_back(stateOf(before.tensor));
  }
  manifest.weightBytes = sizeof(weights);
  manifest.kernels.resize(1);
  manifest.kernels[0].generated = (kernel.flags & NPU_KERNEL_GENERATED) != 0;
  if (!runtime::verifyProgram(program, bounds, manifest, nullptr).empty())
    return 0;
  if (program.n_states > 0 && before.tensor.weights_offset >= 0) {
    // What a load copies.
    const uint8_t *first = weights + before.tensor.weights_offset;
    std::vector<uint8_t> copy(first, first + before.bytes);
  }
  if (!manifest.kernels[0].generated)
    kernels::query(runtime::problemOf(program, kernel, 1, nullptr));
  for (uint32_t i = 0; i < program.n_makers; ++i)
    kernels::query(runtime::problemOf(program, makers[i], 1, nullptr));
  return 0;
}
