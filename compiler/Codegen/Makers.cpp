// SPDX-License-Identifier: Apache-2.0
#include "compiler/Codegen/Makers.h"

#include "kernels/tensor.h"

#include <cstring>

using namespace npu;

kernels::Problem makers::castProblem(int32_t from, int32_t to, int64_t count,
                                     int64_t times) {
  kernels::Problem cast;
  cast.op = NPU_OP_ELTWISE;
  const int64_t extents[] = {times, count};
  const int rank = times == 1 ? 1 : 2;
  cast.inputs = {kernels::makeTensor(from, &count, 1)};
  cast.outputs = {kernels::makeTensor(to, extents + 2 - rank, rank)};
  cast.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, to, 0}};
  return cast;
}

static void castElements(int32_t from, int32_t to, const char *data, char *out,
                         int64_t count) {
  auto kernel = kernels::createReference(makers::castProblem(from, to, count));
  std::vector<char> scratch(kernel->scratchBytes());
  void *operands[] = {const_cast<char *>(data), out};
  kernel->run(operands, scratch.data());
}

std::optional<std::vector<char>> makers::narrowed(int32_t from, int32_t to,
                                                  ArrayRef<char> bytes) {
  constexpr int64_t most = 1 << 16;
  const auto wide = kernels::dtypeBytes(from), narrow = kernels::dtypeBytes(to);
  const int64_t count = static_cast<int64_t>(bytes.size()) / wide;
  std::vector<char> result(static_cast<size_t>(count * narrow)), back;
  for (int64_t first = 0; first < count; first += most) {
    const int64_t n = std::min(most, count - first);
    const char *given = bytes.data() + first * wide;
    char *kept = result.data() + first * narrow;
    back.resize(static_cast<size_t>(n * wide));
    castElements(from, to, given, kept, n);
    castElements(to, from, kept, back.data(), n);
    if (std::memcmp(given, back.data(), back.size()) != 0)
      return std::nullopt;
  }
  return result;
}

ArrayRef<int32_t> makers::narrowerTypes(int32_t dtype) {
  static const int32_t floats[] = {NPU_F16, NPU_BF16},
                       integers[] = {NPU_I8, NPU_I16, NPU_I32};
  switch (dtype) {
  case NPU_F32:
    return floats;
  case NPU_I64:
    return integers;
  case NPU_I32:
    return ArrayRef(integers).drop_back();
  default:
    return {};
  }
}

int64_t makers::timesRepeated(const npu_tensor_desc &tensor,
                              ArrayRef<char> bytes) {
  int64_t times = 1, repeated = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    times *= tensor.dims[tensor.order[i]];
    const size_t part = bytes.size() / static_cast<size_t>(times);
    if (bytes.size() % static_cast<size_t>(times) != 0 ||
        bytes.drop_front(part) != bytes.drop_back(part))
      break;
    repeated = times;
  }
  return repeated;
}

kernels::Problem makers::halvesProblem(int64_t count) {
  kernels::Problem halves;
  halves.op = NPU_OP_ELTWISE;
  const int64_t pairs[] = {count / 2, 1}, two[] = {1, 2}, one[] = {1, 1},
                all[] = {count / 2, 2};
  halves.inputs = {kernels::makeTensor(NPU_I8, pairs, 2),
                   kernels::makeTensor(NPU_I32, two, 2),
                   kernels::makeTensor(NPU_I32, one, 2)};
  halves.outputs = {kernels::makeTensor(NPU_I8, all, 2)};
  // Up, so that the half's sign is the number's, and down again.
  halves.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_shift_left, 3, 1, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_shift_right, 4, 2, -1, 0, 0, NPU_I32, 0},
                   {NPU_INSTR_cast, 5, -1, -1, 0, 0, NPU_I8, 0}};
  return halves;
}

kernels::Problem makers::scaleProblem(const npu_tensor_desc &numbers,
                                      const npu_tensor_desc &target,
                                      int64_t dim, bool hasOffsets) {
  kernels::Problem scale;
  scale.op = NPU_OP_ELTWISE;
  std::vector<int64_t> extents(static_cast<size_t>(target.rank), 1);
  extents[static_cast<size_t>(dim)] = target.dims[dim];
  const npu_tensor_desc each =
      kernels::makeTensor(NPU_F32, extents.data(), target.rank);
  scale.inputs = {numbers, each};
  if (hasOffsets)
    scale.inputs.push_back(each);
  scale.outputs = {target};
  auto next = static_cast<int16_t>(scale.inputs.size());
  scale.instrs = {{NPU_INSTR_cast, 0, -1, -1, 0, 0, NPU_F32, 0}};
  if (hasOffsets)
    scale.instrs.push_back({NPU_INSTR_add, next++, 2, -1, 0, 0, NPU_F32, 0});
  scale.instrs.push_back({NPU_INSTR_mul, next, 1, -1, 0, 0, NPU_F32, 0});
  return scale;
}

std::vector<char> makers::storedNumbers(ScaledNumbers &found,
                                        ArrayRef<int64_t> shape) {
  const size_t run = innerCount(shape, found.dim);
  if (!found.offsets.empty())
    for (auto [i, number] : llvm::enumerate(found.numbers))
      number -= found.offsets[i / run % found.offsets.size()];
  std::vector<char> stored(
      found.numbers.size() *
      static_cast<size_t>(kernels::dtypeBytes(found.dtype)));
  castElements(NPU_F32, found.dtype,
               reinterpret_cast<const char *>(found.numbers.data()),
               stored.data(), static_cast<int64_t>(found.numbers.size()));
  return stored;
}

std::optional<std::vector<char>> makers::pairsOfHalves(ArrayRef<char> bytes) {
  auto isHalf = [](char byte) { return byte >= -8 && byte <= 7; };
  if (bytes.size() % 2 != 0 || !llvm::all_of(bytes, isHalf))
    return std::nullopt;
  std::vector<char> pairs(bytes.size() / 2);
  for (size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = static_cast<char>((bytes[2 * i] & 15) | bytes[2 * i + 1] << 4);
  return pairs;
}
