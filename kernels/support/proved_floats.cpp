// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/proved_floats.h"

#include "kernels/registry.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>
#include <numeric>

namespace npu::kernels {

using Block = uint8_t __attribute__((vector_size(64)));
static constexpr int64_t blockBytes = sizeof(Block);
static constexpr size_t mostOperands = 6; // data, weight, bias, two, result
static constexpr int64_t minElementsPerThread = 16384;

/// Products of bytes that make one sum; 0 where that is not known.
static int64_t termsOf(const Problem &p) {
  const npu_tensor_desc &weight = p.inputs[1];
  int64_t outputs = p.op == NPU_OP_CONV     ? weight.dims[0]
                    : p.op == NPU_OP_MATMUL ? weight.dims[weight.rank - 1]
                                            : 0;
  return outputs ? elementCount(weight) / outputs : 0;
}

/// Whether all sums, and what they are made of, are whole numbers of floats.
static bool addsExactly(const Problem &p, const void *const *operands) {
  constexpr int64_t mostTerms = 256, mostBias = 1 << 20;
  int64_t terms = termsOf(p);
  if (terms == 0 || terms > mostTerms || p.inputs[1].dtype != NPU_I8)
    return false;
  if (properInputs(p) < 3)
    return true;
  const auto *bias = static_cast<const int32_t *>(operands[2]);
  return bias && p.inputs[2].dtype == NPU_I32 &&
         std::all_of(bias, bias + storedElements(p.inputs[2]),
                     [](int32_t number) {
                       return number < mostBias && number > -mostBias;
                     });
}

/// Whether single results are easily found and computed: images whose channels
/// lie side by side.
static bool isPlainConv(const Problem &p) {
  const npu_tensor_desc &y = p.outputs[0];
  return p.op == NPU_OP_CONV && y.rank == 4 && p.inputs[0].block_count == 0 &&
         sameStorage(y, channelsLast(y));
}

std::unique_ptr<ProvedFloats> ProvedFloats::of(const Problem &problem,
                                               const IntegerSteps &steps,
                                               const void *const *operands,
                                               size_t scratchBytes) {
  std::optional<IntegerSteps::Floats> floats =
      problem.inPlaceInput < 0 && operands[1] && addsExactly(problem, operands)
          ? steps.floats()
          : std::nullopt;
  if (!floats || (!floats->unsure.empty() && !isPlainConv(problem)))
    return nullptr;
  auto made = std::make_unique<ProvedFloats>();
  made->problem = problem;
  made->floats = *floats;
  made->proper = static_cast<size_t>(properInputs(problem));
  made->keepUnsure(operands);
  std::string whyNot;
  made->kernel = createDirect(made->floatProblem(steps), whyNot);
  if (!made->kernel || made->kernel->scratchBytes() > scratchBytes)
    return nullptr;
  return made;
}

void ProvedFloats::keepUnsure(const void *const *operands) {
  const npu_tensor_desc &weight = problem.inputs[1];
  Strides strides = stridesOf(weight);
  const auto *bytes = static_cast<const int8_t *>(operands[1]);
  size_t channels = floats.scales.size();
  firsts.assign(channels, 0);
  counts.assign(channels, 0);
  numbers.assign(channels, -1);
  constexpr int mostCount = 255;
  for (const IntegerSteps::Floats::Unsure &what : floats.unsure) {
    Unsure channel = {what, 0, {}};
    if (proper > 2)
      channel.bias = static_cast<const int32_t *>(operands[2])[what.channel];
    int64_t index[NPU_MAX_RANK] = {what.channel};
    for (index[2] = 0; index[2] < weight.dims[2]; ++index[2])
      for (index[3] = 0; index[3] < weight.dims[3]; ++index[3])
        for (index[1] = 0; index[1] < weight.dims[1]; ++index[1])
          channel.weight.push_back(bytes[offsetOf(weight, strides, index)]);
    auto at = static_cast<size_t>(what.channel);
    firsts[at] = static_cast<uint8_t>(what.first);
    counts[at] = static_cast<uint8_t>(std::min(what.count, mostCount));
    numbers[at] = static_cast<int32_t>(unsure.size());
    unsure.push_back(std::move(channel));
  }
  // Pixels that fill whole blocks.
  auto pixels = static_cast<size_t>(blockBytes) /
                std::gcd(channels, static_cast<size_t>(blockBytes));
  for (size_t i = channels; i < pixels * channels; ++i) {
    firsts.push_back(firsts[i - channels]);
    counts.push_back(counts[i - channels]);
  }
}

Problem ProvedFloats::floatProblem(const IntegerSteps &steps) const {
  Problem made = problem;
  made.inputs.resize(proper);
  int64_t dims[NPU_MAX_RANK];
  int rank = problem.outputs[0].rank;
  std::fill_n(dims, rank, 1);
  if (steps.channelDimension() >= 0)
    dims[steps.channelDimension()] = static_cast<int64_t>(floats.scales.size());
  npu_tensor_desc constant = makeTensor(NPU_F32, dims, rank);
  constant.weights_offset = 0;
  made.inputs.insert(made.inputs.end(), 2, constant);
  made.instrs.clear();
  auto value = static_cast<int16_t>(made.inputs.size());
  auto add = [&](int32_t kind, int64_t operand, float alpha, float beta,
                 int32_t dtype) {
    npu_instr instr = {};
    instr.kind = static_cast<int16_t>(kind);
    instr.dtype = dtype;
    instr.a = value++;
    instr.b = static_cast<int16_t>(operand);
    instr.c = -1;
    instr.alpha = alpha;
    instr.beta = beta;
    made.instrs.push_back(instr);
  };
  auto operand = static_cast<int64_t>(proper);
  const ScaleEnd &end = floats.end;
  constexpr int32_t least = -128, most = 127; // the store bounds to these
  add(NPU_INSTR_cast, -1, 0, 0, NPU_F32);
  add(NPU_INSTR_add, operand + 1, 0, 0, NPU_F32);
  add(NPU_INSTR_mul, operand, 0, 0, NPU_F32);
  if (end.low > least || end.high < most)
    add(NPU_INSTR_clip, -1, static_cast<float>(end.low),
        static_cast<float>(end.high), NPU_F32);
  add(NPU_INSTR_round, -1, 0, 0, NPU_F32);
  if (end.behind != 0)
    add(NPU_INSTR_linear, -1, 1, static_cast<float>(end.behind), NPU_F32);
  add(NPU_INSTR_cast, -1, 0, 0, made.outputs[0].dtype);
  return made;
}

size_t ProvedFloats::pack(const void *const *operands) {
  const void *all[mostOperands] = {};
  std::copy_n(operands, proper, all);
  all[proper] = floats.scales.data();
  all[proper + 1] = floats.offsets.data();
  return kernel->pack(all);
}

bool ProvedFloats::isPacked(size_t input) const {
  return input < proper && kernel->isPacked(input);
}

int ProvedFloats::run(void *const *operands, void *scratch) const {
  void *all[mostOperands];
  std::copy_n(operands, proper, all);
  all[proper] = const_cast<float *>(floats.scales.data());
  all[proper + 1] = const_cast<float *>(floats.offsets.data());
  all[proper + 2] = operands[problem.inputs.size()];
  if (int status = kernel->run(all, scratch))
    return status;
  if (unsure.empty())
    return 0;
  const npu_tensor_desc &y = problem.outputs[0];
  int64_t results = elementCount(y), each = static_cast<int64_t>(firsts.size());
  parallelFor(teamFor(results, minElementsPerThread, problem.threads),
              [&](int thread, int threads) {
                Range range =
                    shareOf((results + each - 1) / each, thread, threads);
                correct(operands, {range.begin * each,
                                   std::min(range.end * each, results)});
              });
  return 0;
}

/// Of each block of the pixels' channels, whether some byte is to be looked at.
static NPU_CLONES void findBlocks(const uint8_t *bytes, const uint8_t *firsts,
                                  const uint8_t *counts, int64_t blocks,
                                  uint8_t *found) {
  for (int64_t block = 0; block < blocks; ++block) {
    Block byte, first, count;
    std::memcpy(&byte, bytes + block * blockBytes, sizeof(byte));
    std::memcpy(&first, firsts + block * blockBytes, sizeof(first));
    std::memcpy(&count, counts + block * blockBytes, sizeof(count));
    Block hits = (Block)((byte - first) < count);
    found[block] = __builtin_reduce_or(hits);
  }
}

void ProvedFloats::correct(void *const *operands, Range results) const {
  auto each = static_cast<int64_t>(firsts.size()), blocks = each / blockBytes;
  auto *bytes = static_cast<uint8_t *>(operands[problem.inputs.size()]);
  std::vector<uint8_t> found(static_cast<size_t>(blocks));
  int64_t begin = results.begin;
  for (; begin + each <= results.end; begin += each) {
    findBlocks(bytes + begin, firsts.data(), counts.data(), blocks,
               found.data());
    for (int64_t block = 0; block < blocks; ++block)
      if (found[static_cast<size_t>(block)])
        for (int64_t i = 0; i < blockBytes; ++i)
          correctOne(operands, begin + block * blockBytes + i, bytes);
  }
  for (; begin < results.end; ++begin)
    correctOne(operands, begin, bytes);
}

/// A result, as they are stored one after the other.
void ProvedFloats::correctOne(void *const *operands, int64_t place,
                              uint8_t *bytes) const {
  const npu_tensor_desc &y = problem.outputs[0];
  auto at = static_cast<size_t>(place) % firsts.size();
  if (static_cast<uint8_t>(bytes[place] - firsts[at]) >= counts[at])
    return;
  int64_t pixel = place / y.dims[1];
  int64_t column = pixel % y.dims[3], row = pixel / y.dims[3] % y.dims[2],
          image = pixel / y.dims[3] / y.dims[2];
  const Unsure &channel = unsure[static_cast<size_t>(
      numbers[static_cast<size_t>(place % y.dims[1])])];
  bytes[place] = static_cast<uint8_t>(
      exactScale(channel.what.step, floats.end,
                 sumOf(channel, operands[0], image, row, column)));
}

int32_t ProvedFloats::sumOf(const Unsure &channel, const void *data,
                            int64_t image, int64_t y, int64_t x) const {
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &from = problem.inputs[0], &w = problem.inputs[1];
  Strides strides = stridesOf(from);
  int64_t outputs = problem.outputs[0].dims[1] / a.groups;
  int64_t first = channel.what.channel / outputs * w.dims[1];
  auto zero = static_cast<int32_t>(a.data_zero_point);
  const auto *signedData = static_cast<const int8_t *>(data);
  const auto *unsignedData = static_cast<const uint8_t *>(data);
  bool isSigned = from.dtype == NPU_I8;
  const int8_t *weight = channel.weight.data();
  int32_t sum = channel.bias;
  for (int64_t i = 0; i < w.dims[2]; ++i)
    for (int64_t j = 0; j < w.dims[3]; ++j, weight += w.dims[1]) {
      int64_t row = y * a.strides[0] + i * a.dilations[0] - a.pads_begin[0];
      int64_t column = x * a.strides[1] + j * a.dilations[1] - a.pads_begin[1];
      if (row < 0 || row >= from.dims[2] || column < 0 ||
          column >= from.dims[3])
        continue;
      int64_t index[NPU_MAX_RANK] = {image, first, row, column};
      int64_t at = offsetOf(from, strides, index);
      for (int64_t c = 0; c < w.dims[1]; ++c, at += strides.outer[1])
        sum +=
            weight[c] * ((isSigned ? signedData[at] : unsignedData[at]) - zero);
    }
  return sum;
}

} // namespace npu::kernels
