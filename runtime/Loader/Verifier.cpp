// SPDX-License-Identifier: Apache-2.0

#include "runtime/Loader/Verifier.h"

#include "kernels/support/team.h"
#include "kernels/tensor.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npu::runtime {
namespace {

/// Storage above this is an overflow in disguise: no x86-64 process has more.
constexpr int64_t maxTensorBytes = int64_t(1) << 46;

std::string mismatch(const std::string &what, uint64_t found,
                     const std::string &expected) {
  return what + " is " + std::to_string(found) + ", expected " + expected;
}

std::string mismatch(const std::string &what, uint64_t found,
                     uint64_t expected) {
  return mismatch(what, found, std::to_string(expected));
}

std::string row(const char *table, uint64_t index) {
  return std::string(table) + " " + std::to_string(index);
}

/// Whether [first, first + count) lies in a table of `size` rows.
bool inTable(uint64_t first, int64_t count, uint32_t size) {
  return count >= 0 && first <= size && uint64_t(count) <= size - first;
}

template <class T>
bool readable(const ImageBounds &bounds, const T *table, uint64_t count) {
  return count == 0 || (reinterpret_cast<uintptr_t>(table) % alignof(T) == 0 &&
                        bounds.canRead(table, count * sizeof(T)));
}

std::string verifyRoot(const npu_program &p, const ImageBounds &bounds) {
  if (std::memcmp(p.magic, NPU_PROGRAM_MAGIC, sizeof(p.magic)) != 0)
    return "the program's magic is not NPUPROG";
  if (p.version != NPU_FORMAT_VERSION)
    return mismatch("the program's version", p.version, NPU_FORMAT_VERSION);
  if (p.size != sizeof(npu_program))
    return mismatch("the program's size", p.size, sizeof(npu_program));
  if (p.n_states > std::min(p.n_inputs, p.n_outputs))
    return mismatch("the number of states", p.n_states,
                    "at most that of the inputs and that of the outputs");
  if (!readable(bounds, p.kernels, p.n_kernels))
    return "the kernel table lies outside the file's image";
  if (!readable(bounds, p.makers, p.n_makers))
    return "the table of makers lies outside the file's image";
  if (!readable(bounds, p.attrs, p.n_attrs))
    return "the table of attributes lies outside the file's image";
  if (!readable(bounds, p.tensors, p.n_tensors))
    return "the tensor table lies outside the file's image";
  if (!readable(bounds, p.instrs, p.n_instrs))
    return "the instruction table lies outside the file's image";
  if (!readable(bounds, p.inputs, p.n_inputs))
    return "the input table lies outside the file's image";
  if (!readable(bounds, p.outputs, p.n_outputs))
    return "the output table lies outside the file's image";
  if (!readable(bounds, p.weights, p.weight_bytes))
    return "the weights lie outside the file's image";
  if (reinterpret_cast<uintptr_t>(p.weights) % NPU_WEIGHTS_ALIGNMENT != 0)
    return "the weights are not aligned to " +
           std::to_string(NPU_WEIGHTS_ALIGNMENT) + " bytes";
  if (p.arena_bytes > uint64_t(maxTensorBytes))
    return mismatch("the arena's size", p.arena_bytes, "less than 2^46");
  if (!bounds.canRun(reinterpret_cast<uintptr_t>(p.run)))
    return "the program's entry lies outside the file's code";
  return "";
}

/// The letters of a layout, if it is one; whoever calls compares it with what
/// is printed of the result.
void readLayout(const std::string &text, npu_tensor_desc &tensor) {
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  size_t at = 0;
  for (; at < text.size() && at < NPU_MAX_RANK && !isDigit(text[at]); ++at) {
    const char first = text[at] < 'a' ? 'A' : 'a';
    tensor.order[at] = static_cast<int8_t>(text[at] - first);
  }
  while (at < text.size() && tensor.block_count < NPU_MAX_BLOCKS) {
    int64_t size = 0;
    for (; at < text.size() && isDigit(text[at]) && size < INT32_MAX; ++at)
      size = size * 10 + (text[at] - '0');
    if (at == text.size() || size > INT32_MAX)
      return;
    tensor.block_sizes[tensor.block_count] = static_cast<int32_t>(size);
    tensor.block_dims[tensor.block_count++] =
        static_cast<int8_t>(text[at++] - 'a');
  }
}

std::string verifyIoRow(const npu_io_desc &given,
                        const format::ManifestTensor &told) {
  const npu_tensor_desc &tensor = given.tensor;
  if (std::string wrong = verifyTensor(tensor); !wrong.empty())
    return wrong;
  auto bytes = static_cast<uint64_t>(kernels::storedBytes(tensor));
  if (given.bytes != bytes)
    return mismatch("its size", given.bytes, bytes);
  if (told.dtype != kernels::dtypeName(tensor.dtype) ||
      told.layout != kernels::layoutString(tensor) ||
      told.shape !=
          std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank))
    return "the manifest describes another tensor than " +
           kernels::describe(tensor);
  return "";
}

std::string verifyIo(const char *table, const npu_io_desc *rows, uint32_t count,
                     const std::vector<format::ManifestTensor> &manifest) {
  if (manifest.size() != count)
    return mismatch(std::string("the number of ") + table + "s", count,
                    "the manifest's " + std::to_string(manifest.size()));
  for (uint32_t i = 0; i < count; ++i) {
    std::string wrong = verifyIoRow(rows[i], manifest[i]);
    if (wrong.empty() && rows[i].tensor.weights_offset != -1)
      wrong = "its weights offset is not -1";
    if (!wrong.empty())
      return row(table, i) + " ('" + manifest[i].name + "'): " + wrong;
  }
  return "";
}

/// What is made, by offset.
struct MadeConstant {
  uint64_t bytes;
  int steps; ///< how many makers, one of what another made, lead to it
};
using Made = std::unordered_map<uint64_t, MadeConstant>;
/// Halves of bytes, bytes, floats, Winograd's weights.
constexpr int mostSteps = 3;

std::string verifyConstant(const npu_program &p, const npu_tensor_desc &tensor,
                           const Made &made) {
  if (tensor.weights_offset == -1)
    return "";
  if (tensor.weights_offset < -1)
    return "its weights offset is negative";
  auto offset = static_cast<uint64_t>(tensor.weights_offset);
  auto bytes = static_cast<uint64_t>(kernels::storedBytes(tensor));
  auto found = made.find(offset);
  if (found != made.end() && bytes > 0)
    return found->second.bytes == bytes
               ? ""
               : mismatch("its size", bytes,
                          "those " + std::to_string(found->second.bytes) +
                              " that are made at its offset");
  if (offset > p.weight_bytes || bytes > p.weight_bytes - offset)
    return "its " + std::to_string(bytes) + " bytes at offset " +
           std::to_string(offset) + " end behind the weights' " +
           std::to_string(p.weight_bytes);
  if (offset % NPU_VALUE_ALIGNMENT != 0)
    return mismatch("its weights offset", offset,
                    "a multiple of " + std::to_string(NPU_VALUE_ALIGNMENT));
  return "";
}

/// Both sides of one, and what it begins as.
std::string verifyState(const npu_program &p, const npu_io_desc &before,
                        const npu_io_desc &after,
                        const format::ManifestState &told) {
  if (std::string wrong = verifyIoRow(before, told); !wrong.empty())
    return "before a run: " + wrong;
  if (std::string wrong = verifyIoRow(after, told); !wrong.empty())
    return "after a run: " + wrong;
  if (after.tensor.weights_offset != -1)
    return "after a run: its weights offset is not -1";
  const int64_t first = before.tensor.weights_offset;
  if (told.beginsAsConstant != (first != -1))
    return "the manifest disagrees on what it begins as";
  return verifyConstant(p, before.tensor, {});
}

std::string verifyStates(const npu_program &p,
                         const std::vector<format::ManifestState> &manifest) {
  for (uint32_t i = 0; i < p.n_states; ++i)
    if (std::string wrong =
            verifyState(p, stateBefore(p, i),
                        p.outputs[p.n_outputs - p.n_states + i], manifest[i]);
        !wrong.empty())
      return row("state", i) + " ('" + manifest[i].name + "'): " + wrong;
  return "";
}

/// Weights lie one behind the other, each aligned: the tensors, what states
/// begin as, and ops of plugins, say how large the section is.
std::string verifyWeights(const npu_program &p) {
  std::vector<std::pair<uint64_t, uint64_t>> parts; // begin, end
  auto add = [&](const npu_tensor_desc &tensor) {
    if (auto begin = static_cast<uint64_t>(tensor.weights_offset);
        begin < madeBegin(p))
      parts.emplace_back(
          begin, begin + static_cast<uint64_t>(kernels::storedBytes(tensor)));
  };
  for (uint32_t i = 0; i < p.n_tensors; ++i)
    add(p.tensors[i]);
  for (uint32_t i = 0; i < p.n_states; ++i)
    add(stateBefore(p, i).tensor);
  for (uint32_t i = 0; i < p.n_kernels; ++i)
    if (p.kernels[i].op == NPU_OP_CUSTOM) { // verifyCustom
      const npu_custom_attrs &custom = p.attrs[p.kernels[i].attrs].custom;
      auto begin = static_cast<uint64_t>(custom.offset);
      parts.emplace_back(begin, begin + static_cast<uint64_t>(custom.bytes));
    }
  std::sort(parts.begin(), parts.end());
  uint64_t end = 0;
  auto aligned = [](uint64_t bytes) {
    return alignedUp(bytes, NPU_VALUE_ALIGNMENT);
  };
  for (auto [first, last] : parts) {
    if (first > aligned(end))
      return "the weights from " + std::to_string(end) + " to " +
             std::to_string(first) + " belong to no tensor";
    end = std::max(end, last);
  }
  return aligned(p.weight_bytes) == aligned(end)
             ? ""
             : mismatch("the weights' size", p.weight_bytes, aligned(end));
}

/// Where the op of a plugin lies; validate() reads it.
std::string verifyCustom(const npu_program &p, const npu_custom_attrs &custom) {
  auto offset = static_cast<uint64_t>(custom.offset);
  auto bytes = static_cast<uint64_t>(custom.bytes);
  if (offset > p.weight_bytes || bytes > p.weight_bytes - offset || bytes == 0)
    return "its op of " + std::to_string(bytes) + " bytes at offset " +
           std::to_string(offset) + " does not lie within the weights' " +
           std::to_string(p.weight_bytes);
  if (offset % NPU_VALUE_ALIGNMENT != 0)
    return mismatch("its op's offset", offset,
                    "a multiple of " + std::to_string(NPU_VALUE_ALIGNMENT));
  return "";
}

/// That what a kernel or maker names is there.
std::string verifyRows(const npu_program &p, const npu_kernel_desc &k) {
  if (k.op < 0 || k.op >= NPU_OP_COUNT)
    return mismatch("its op", uint32_t(k.op),
                    "less than " + std::to_string(NPU_OP_COUNT));
  if ((k.flags & ~NPU_KERNEL_GENERATED) != 0)
    return mismatch("its flags", k.flags, "only known bits");
  if (k.n_inputs < 0 || k.n_outputs < 1 ||
      !inTable(k.first_tensor, int64_t(k.n_inputs) + k.n_outputs, p.n_tensors))
    return "its tensor rows lie outside the tensor table";
  if (!inTable(k.first_instr, k.n_instrs, p.n_instrs))
    return "its instruction rows lie outside the instruction table";
  if (k.attrs >= p.n_attrs)
    return mismatch("its row of attributes", k.attrs,
                    "less than " + std::to_string(p.n_attrs));
  if (k.in_place_input < -1 || k.in_place_input >= k.n_inputs)
    return "its in-place input is none of its inputs";
  return "";
}

/// Of a maker; what `made` has was made before it. Counts its steps.
std::string verifySources(const npu_program &p, const npu_kernel_desc &k,
                          const Made &made, int &steps) {
  steps = 1;
  for (int32_t i = 0; i < k.n_inputs; ++i) {
    const int64_t offset = p.tensors[k.first_tensor + i].weights_offset;
    if (offset >= 0 && static_cast<uint64_t>(offset) < p.weight_bytes)
      continue;
    auto found = made.find(static_cast<uint64_t>(offset));
    if (offset < 0 || found == made.end())
      return "its source is neither among the weights nor made before it";
    steps = std::max(steps, found->second.steps + 1);
  }
  // The loader makes them one inside the other.
  if (steps > mostSteps)
    return mismatch("the number of makers that lead to it", uint64_t(steps),
                    std::to_string(mostSteps) + " at the most");
  return "";
}

/// `end`: where what the makers before it made ends.
std::string verifyMaker(const npu_program &p, const npu_kernel_desc &k,
                        Made &made, uint64_t &end) {
  if (std::string wrong = verifyRows(p, k); !wrong.empty())
    return wrong;
  if (k.flags != 0 || k.n_inputs < 1 || k.n_outputs != 1 ||
      k.in_place_input != -1)
    return "it does not make one constant of others";
  if (k.op != NPU_OP_ELTWISE && k.op != NPU_OP_WINOGRAD_WEIGHT)
    return "it is neither elementwise nor transforms a weight for Winograd's "
           "algorithm";
  int steps = 0;
  if (std::string wrong = verifySources(p, k, made, steps); !wrong.empty())
    return wrong;
  const npu_tensor_desc &result = resultOf(p, k);
  if (static_cast<uint64_t>(result.weights_offset) != end)
    return mismatch("its result's offset",
                    static_cast<uint64_t>(result.weights_offset), end);
  if (std::string wrong = kernels::validate(problemOf(p, k, 1, nullptr));
      !wrong.empty())
    return wrong;
  auto bytes = static_cast<uint64_t>(kernels::storedBytes(result));
  made[end] = {bytes, steps};
  end += alignedUp(bytes, NPU_VALUE_ALIGNMENT);
  return bytes > 0 && end <= uint64_t(maxTensorBytes)
             ? ""
             : mismatch("its result's size", bytes, "some bytes, up to 2^46");
}

/// The tensors, and the makers of those that no file has.
std::string verifyTensors(const npu_program &p) {
  for (uint32_t i = 0; i < p.n_tensors; ++i)
    if (std::string wrong = verifyTensor(p.tensors[i]); !wrong.empty())
      return row("tensor", i) + ": " + wrong;
  Made made;
  uint64_t end = madeBegin(p);
  for (uint32_t i = 0; i < p.n_makers; ++i)
    if (std::string wrong = verifyMaker(p, p.makers[i], made, end);
        !wrong.empty())
      return row("maker", i) + ": " + wrong;
  for (uint32_t i = 0; i < p.n_tensors; ++i)
    if (std::string wrong = verifyConstant(p, p.tensors[i], made);
        !wrong.empty())
      return row("tensor", i) + ": " + wrong;
  return "";
}

/// The manifest has the letters of each operand, for whoever does not map this.
std::string verifyLayouts(const npu_program &p, const npu_kernel_desc &k,
                          const format::ManifestKernel &told) {
  std::vector<std::string> layouts;
  for (int32_t i = 0; i < k.n_inputs + k.n_outputs; ++i)
    layouts.push_back(kernels::layoutString(p.tensors[k.first_tensor + i]));
  if (told.layouts != layouts ||
      told.results != static_cast<uint64_t>(k.n_outputs))
    return "the manifest disagrees on the layouts of its operands";
  return "";
}

std::string verifyKernel(const npu_program &p, uint32_t index,
                         const format::ManifestKernel &told,
                         const plugin::Use *plugins) {
  const npu_kernel_desc &k = p.kernels[index];
  if (std::string wrong = verifyRows(p, k); !wrong.empty())
    return wrong;
  bool generated = (k.flags & NPU_KERNEL_GENERATED) != 0;
  if (told.generated != generated)
    return "the manifest disagrees on whether it is generated";
  for (int32_t i = 0; i < k.n_outputs; ++i)
    if (p.tensors[k.first_tensor + k.n_inputs + i].weights_offset != -1)
      return "it writes to a weight";
  std::string wrong;
  if (!generated && k.op == NPU_OP_CUSTOM)
    wrong = verifyCustom(p, p.attrs[k.attrs].custom);
  if (!generated && wrong.empty())
    wrong = kernels::validate(problemOf(p, k, 1, plugins));
  return wrong.empty() ? verifyLayouts(p, k, told) : wrong;
}

} // namespace

std::string verifyTensor(const npu_tensor_desc &t) {
  if (t.dtype < 0 || t.dtype >= NPU_DTYPE_COUNT)
    return mismatch("its type", uint32_t(t.dtype),
                    "less than " + std::to_string(NPU_DTYPE_COUNT));
  if (t.rank < 0 || t.rank > NPU_MAX_RANK)
    return mismatch("its rank", uint32_t(t.rank),
                    "at most " + std::to_string(NPU_MAX_RANK));
  if (std::any_of(std::begin(t.reserved), std::end(t.reserved),
                  [](int8_t byte) { return byte != 0; }))
    return "its reserved field is not 0";
  if (t.block_count < 0 || t.block_count > NPU_MAX_BLOCKS)
    return "its number of blocks is not 0 to " + std::to_string(NPU_MAX_BLOCKS);
  unsigned seen = 0;
  for (int i = 0; i < t.rank; ++i) {
    if (t.order[i] < 0 || t.order[i] >= t.rank || (seen >> t.order[i] & 1))
      return "its order is no permutation of its dimensions";
    seen |= 1u << t.order[i];
  }
  int64_t blocks[NPU_MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 0; i < t.block_count; ++i) {
    if (t.block_dims[i] < 0 || t.block_dims[i] >= t.rank)
      return "it blocks a dimension that it does not have";
    if (t.block_sizes[i] < 2)
      return "it has a block of less than two elements";
    int64_t &block = blocks[t.block_dims[i]];
    if (__builtin_mul_overflow(block, t.block_sizes[i], &block) ||
        block > maxTensorBytes)
      return "its size overflows";
  }
  int64_t bytes = kernels::dtypeBytes(t.dtype);
  for (int i = 0; i < t.rank; ++i) {
    if (t.dims[i] < 0)
      return "its dimension " + std::to_string(i) + " is " +
             std::to_string(t.dims[i]) + ", expected at least 0";
    // No elements are no reason for extents that overflow elsewhere.
    int64_t padded;
    if (__builtin_add_overflow(t.dims[i], blocks[i] - 1, &padded) ||
        __builtin_mul_overflow(
            bytes, std::max<int64_t>(padded / blocks[i] * blocks[i], 1),
            &bytes) ||
        bytes > maxTensorBytes)
      return "its size overflows";
  }
  return "";
}

std::string tensorOf(const format::ManifestTensor &told,
                     npu_tensor_desc &tensor) {
  tensor = {};
  tensor.weights_offset = -1;
  tensor.dtype = NPU_DTYPE_COUNT;
  for (int32_t dtype = 0; dtype < NPU_DTYPE_COUNT; ++dtype)
    if (told.dtype == kernels::dtypeName(dtype))
      tensor.dtype = dtype;
  tensor.rank = static_cast<int32_t>(
      std::min<size_t>(told.shape.size(), NPU_MAX_RANK + 1));
  for (int32_t i = 0; i < std::min(tensor.rank, NPU_MAX_RANK); ++i)
    tensor.dims[i] = told.shape[static_cast<size_t>(i)];
  if (told.layout != "scalar")
    readLayout(told.layout, tensor);
  std::string wrong = verifyTensor(tensor);
  if (wrong.empty() && kernels::layoutString(tensor) != told.layout)
    wrong = "its layout is no layout of its shape";
  return wrong.empty() ? "" : "'" + told.name + "': " + wrong;
}

const npu_io_desc &stateBefore(const npu_program &program, uint32_t index) {
  return program.inputs[program.n_inputs - program.n_states + index];
}

const npu_tensor_desc &resultOf(const npu_program &program,
                                const npu_kernel_desc &maker) {
  return program.tensors[maker.first_tensor + maker.n_inputs];
}

uint64_t madeBegin(const npu_program &program) {
  return alignedUp(program.weight_bytes, NPU_WEIGHTS_ALIGNMENT);
}

bool isMade(const npu_program &program, const npu_tensor_desc &constant) {
  return constant.weights_offset >= 0 &&
         static_cast<uint64_t>(constant.weights_offset) >= madeBegin(program) &&
         kernels::storedBytes(constant) > 0;
}

kernels::Problem problemOf(const npu_program &program, const npu_kernel_desc &k,
                           int threads, const plugin::Use *plugins) {
  const npu_tensor_desc *tensors = program.tensors + k.first_tensor;
  const npu_instr *instrs = program.instrs + k.first_instr;
  kernels::Problem problem;
  problem.op = static_cast<npu_op>(k.op);
  problem.inputs.assign(tensors, tensors + k.n_inputs);
  problem.outputs.assign(tensors + k.n_inputs,
                         tensors + k.n_inputs + k.n_outputs);
  problem.instrs.assign(instrs, instrs + k.n_instrs);
  problem.attrs = program.attrs[k.attrs];
  problem.inPlaceInput = k.in_place_input;
  problem.threads = threads;
  problem.plugins = plugins;
  if (k.op == NPU_OP_CUSTOM && !(k.flags & NPU_KERNEL_GENERATED))
    problem.custom.assign(reinterpret_cast<const char *>(program.weights) +
                              problem.attrs.custom.offset,
                          static_cast<size_t>(problem.attrs.custom.bytes));
  problem.threads = kernels::teamFor(problem);
  return problem;
}

std::string verifyProgram(const npu_program &p, const ImageBounds &bounds,
                          const format::Manifest &manifest,
                          const plugin::Use *plugins) {
  std::string wrong = verifyRoot(p, bounds);
  if (!wrong.empty())
    return wrong;
  if (p.arena_bytes != manifest.arenaBytes)
    return mismatch("the arena's size", p.arena_bytes,
                    "the manifest's " + std::to_string(manifest.arenaBytes));
  if (p.weight_bytes != manifest.weightBytes)
    return mismatch("the weights' size", p.weight_bytes,
                    "the manifest's " + std::to_string(manifest.weightBytes));
  if (p.n_kernels != manifest.kernels.size())
    return mismatch("the number of kernels", p.n_kernels,
                    "the manifest's " +
                        std::to_string(manifest.kernels.size()));
  if (p.n_states != manifest.states.size())
    return mismatch("the number of states", p.n_states,
                    "the manifest's " + std::to_string(manifest.states.size()));
  wrong = verifyIo("input", p.inputs, p.n_inputs - p.n_states, manifest.inputs);
  if (wrong.empty())
    wrong = verifyIo("output", p.outputs, p.n_outputs - p.n_states,
                     manifest.outputs);
  if (wrong.empty())
    wrong = verifyStates(p, manifest.states);
  if (wrong.empty())
    wrong = verifyTensors(p);
  for (uint32_t i = 0; i < p.n_kernels && wrong.empty(); ++i) {
    wrong = verifyKernel(p, i, manifest.kernels[i], plugins);
    if (!wrong.empty())
      wrong =
          row("kernel", i) + " ('" + manifest.kernels[i].name + "'): " + wrong;
  }
  return wrong.empty() ? verifyWeights(p) : wrong;
}

} // namespace npu::runtime
