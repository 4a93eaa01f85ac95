// SPDX-License-Identifier: Apache-2.0

#include "kernels/support/proved_floats.h"

#include "kernels/registry.h"
#include "kernels/support/vectors.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace npu::kernels {

using Block = uint8_t __attribute__((ext_vector_type(64)));
using Bits = bool __attribute__((ext_vector_type(64)));
static constexpr int64_t blockBytes = sizeof(Block);
static constexpr size_t mostOperands = 5; // data, weight, two, result
static constexpr int64_t minElementsPerThread = 16384;
/// Products that are computed again, of each result.
static constexpr int64_t mostProductsAgain = 1;
static constexpr int64_t byteNumbers = 256;

/// The weight's dimension of results, -1 where that is not known, and how many
/// products make one result.
static int resultsOf(const Problem &p, int64_t &terms) {
  const npu_tensor_desc &weight = p.inputs[1];
  int dimension = p.op == NPU_OP_CONV     ? 0
                  : p.op == NPU_OP_MATMUL ? weight.rank - 1
                                          : -1;
  terms = dimension < 0 ? 0 : elementCount(weight) / weight.dims[dimension];
  return dimension;
}

/// Whether all sums without bias, and what they are made of, are whole numbers
/// of floats: the products of a result, were all bytes of data 255.
static bool addsExactly(const Problem &p, const void *const *operands) {
  constexpr int64_t most = int64_t{1} << 24, mostByte = 255, mostWeight = 128;
  const npu_tensor_desc &weight = p.inputs[1];
  int64_t terms;
  int dimension = resultsOf(p, terms);
  if (dimension < 0 || weight.dtype != NPU_I8)
    return false;
  if (terms * mostWeight * mostByte <= most)
    return true;
  std::vector<int64_t> sums(static_cast<size_t>(weight.dims[dimension]));
  const auto *bytes = static_cast<const int8_t *>(operands[1]);
  Strides strides = stridesOf(weight);
  int64_t index[NPU_MAX_RANK] = {};
  for (int64_t i = 0, count = elementCount(weight); i < count; ++i) {
    sums[static_cast<size_t>(index[dimension])] +=
        std::abs(bytes[offsetOf(weight, strides, index)]);
    for (int d = weight.rank - 1; d >= 0 && ++index[d] == weight.dims[d]; --d)
      index[d] = 0;
  }
  return *std::max_element(sums.begin(), sums.end()) * mostByte <= most;
}

/// The biases of a convolution's channels. False where it has some that
/// offsets cannot have.
static bool readBiases(const Problem &p, const void *const *operands,
                       std::vector<int32_t> &biases) {
  constexpr int32_t most = 1 << 24;
  if (properInputs(p) < 3)
    return true;
  const auto *bias = static_cast<const int32_t *>(operands[2]);
  if (!bias || p.op != NPU_OP_CONV || p.inputs[2].dtype != NPU_I32 ||
      p.inputs[2].block_count != 0)
    return false;
  biases.assign(bias, bias + p.outputs[0].dims[1]);
  return std::all_of(biases.begin(), biases.end(), [](int32_t number) {
    return number < most && number > -most;
  });
}

/// Whether single results are easily found and computed: images whose channels
/// lie side by side.
static bool isPlainConv(const Problem &p) {
  const npu_tensor_desc &y = p.outputs[0];
  return p.op == NPU_OP_CONV && y.rank == 4 && p.inputs[0].block_count == 0 &&
         sameStorage(y, channelsLast(y));
}

/// Whether so few results are looked at again that it is worth it.
static bool areFew(const IntegerSteps::Floats &floats, int64_t terms) {
  auto channels = static_cast<int64_t>(floats.scales.size());
  auto places = static_cast<int64_t>(floats.unsure.size());
  bool isFrequent = std::any_of(
      floats.unsure.begin(), floats.unsure.end(), [&](const auto &unsure) {
        return unsure.number == floats.end.low || // what bounds make
               unsure.number == floats.end.high;
      });
  return !isFrequent &&
         places * terms <= mostProductsAgain * byteNumbers * channels;
}

std::unique_ptr<ProvedFloats> ProvedFloats::of(const Problem &problem,
                                               const IntegerSteps &steps,
                                               const void *const *operands,
                                               size_t scratchBytes) {
  int channel = problem.op == NPU_OP_CONV ? 1 : problem.outputs[0].rank - 1;
  int scaled = steps.channelDimension();
  auto made = std::make_unique<ProvedFloats>();
  if (problem.inPlaceInput >= 0 || (scaled >= 0 && scaled != channel) ||
      !operands[1] || !addsExactly(problem, operands) ||
      !readBiases(problem, operands, made->biases))
    return nullptr;
  std::optional<IntegerSteps::Floats> floats = steps.floats(made->biases);
  int64_t terms;
  resultsOf(problem, terms);
  if (!floats || (!floats->unsure.empty() &&
                  !(isPlainConv(problem) && areFew(*floats, terms))))
    return nullptr;
  made->problem = problem;
  made->floats = *floats;
  made->keepUnsure(operands);
  std::string whyNot;
  made->kernel = createDirect(made->floatProblem(channel), whyNot);
  if (!made->kernel || made->kernel->scratchBytes() > scratchBytes)
    return nullptr;
  return made;
}

void ProvedFloats::keepChannel(const IntegerSteps::Floats::Unsure &unsure,
                               const void *const *operands) {
  const npu_tensor_desc &weight = problem.inputs[1], &y = problem.outputs[0];
  Strides order = stridesOf(weight);
  const auto *bytes = static_cast<const int8_t *>(operands[1]);
  auto at = static_cast<size_t>(unsure.channel);
  int64_t group = unsure.channel / (y.dims[1] / problem.attrs.conv.groups);
  numbers[at] = static_cast<int32_t>(channels.size());
  channels.push_back({unsure.step, biases.empty() ? 0 : biases[at],
                      group * weight.dims[1] * strides.outer[1],
                      static_cast<int64_t>(weights.size())});
  int64_t index[NPU_MAX_RANK] = {unsure.channel};
  for (index[2] = 0; index[2] < weight.dims[2]; ++index[2])
    for (index[3] = 0; index[3] < weight.dims[3]; ++index[3])
      for (index[1] = 0; index[1] < weight.dims[1]; ++index[1])
        weights.push_back(bytes[offsetOf(weight, order, index)]);
}

void ProvedFloats::keepUnsure(const void *const *operands) {
  constexpr size_t leastBytes = 1024; // that are looked at at once
  auto count = static_cast<size_t>(problem.outputs[0].dims[1]);
  // Pixels that fill whole blocks.
  constexpr auto block = static_cast<size_t>(blockBytes);
  size_t each = count / std::gcd(count, block) * block;
  each *= (leastBytes + each - 1) / each;
  lookedAt = static_cast<int64_t>(each);
  strides = stridesOf(problem.inputs[0]);
  numbers.assign(count, -1);
  struct Looked {
    uint8_t wanted[block];
    uint64_t mask;

    bool has(size_t place) const { return mask >> place & 1; }
  };
  std::vector<std::vector<Looked>> parts(each / block);
  for (const IntegerSteps::Floats::Unsure &unsure : floats.unsure) {
    auto channel = static_cast<size_t>(unsure.channel);
    if (numbers[channel] < 0)
      keepChannel(unsure, operands);
    for (size_t at = channel; at < each; at += count) {
      std::vector<Looked> &part = parts[at / block];
      size_t place = at % block;
      auto free = std::find_if(part.begin(), part.end(),
                               [&](const Looked &l) { return !l.has(place); });
      if (free == part.end())
        free = part.insert(free, Looked{});
      free->wanted[place] = static_cast<uint8_t>(unsure.number);
      free->mask |= uint64_t{1} << place;
    }
  }
  for (size_t at = 0; at < parts.size(); ++at)
    for (const Looked &looked : parts[at]) {
      blocks.push_back(static_cast<int32_t>(at * block));
      wanted.insert(wanted.end(), looked.wanted, looked.wanted + block);
      masks.push_back(looked.mask);
    }
}

Problem ProvedFloats::floatProblem(int channel) const {
  Problem made = problem;
  constexpr size_t proper = 2; // the bias is in the offsets
  made.inputs.resize(proper);
  if (made.op == NPU_OP_CONV)
    made.attrs.conv.has_bias = 0;
  int64_t dims[NPU_MAX_RANK];
  int rank = problem.outputs[0].rank;
  std::fill_n(dims, rank, 1);
  dims[channel] = static_cast<int64_t>(floats.scales.size());
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
  const ScaleEnd &end = floats.end;
  int32_t type = made.outputs[0].dtype;
  int32_t least = type == NPU_U8 ? 0 : -128; // the store bounds to these
  add(NPU_INSTR_cast, -1, 0, 0, NPU_F32);
  add(NPU_INSTR_add, proper + 1, 0, 0, NPU_F32);
  add(NPU_INSTR_mul, proper, 0, 0, NPU_F32);
  if (end.low > least || end.high < least + byteNumbers - 1)
    add(NPU_INSTR_clip, -1, static_cast<float>(end.low),
        static_cast<float>(end.high), NPU_F32);
  add(NPU_INSTR_round, -1, 0, 0, NPU_F32);
  add(NPU_INSTR_cast, -1, 0, 0, type);
  return made;
}

size_t ProvedFloats::pack(const void *const *operands) {
  const void *all[mostOperands] = {operands[0], operands[1],
                                   floats.scales.data(), floats.offsets.data()};
  return kernel->pack(all);
}

bool ProvedFloats::isPacked(size_t input) const {
  return input == 1 && kernel->isPacked(input);
}

int ProvedFloats::run(void *const *operands, void *scratch) const {
  void *all[mostOperands] = {operands[0], operands[1],
                             const_cast<float *>(floats.scales.data()),
                             const_cast<float *>(floats.offsets.data()),
                             operands[problem.inputs.size()]};
  if (int status = kernel->run(all, scratch))
    return status;
  if (blocks.empty())
    return 0;
  int64_t results = elementCount(problem.outputs[0]), each = lookedAt;
  parallelFor(teamFor(results, minElementsPerThread, problem.threads),
              [&](int thread, int threads) {
                Range range =
                    shareOf((results + each - 1) / each, thread, threads);
                correct(operands, {range.begin * each,
                                   std::min(range.end * each, results)});
              });
  return 0;
}

/// Whether some byte is to be looked at: `hits` has their bits.
static NPU_WIDE_CLONES(bool, findHits,
                       (const uint8_t *bytes, const int32_t *blocks,
                        size_t count, const uint8_t *wanted,
                        const uint64_t *masks, uint64_t *hits),
                       (bytes, blocks, count, wanted, masks, hits)) {
  uint64_t any = 0;
  for (size_t i = 0; i < count; ++i) {
    Block byte, value;
    std::memcpy(&byte, bytes + blocks[i], sizeof(byte));
    std::memcpy(&value, wanted + static_cast<int64_t>(i) * blockBytes,
                sizeof(value));
    Bits equal = __builtin_convertvector(byte == value, Bits);
    uint64_t found;
    std::memcpy(&found, &equal, sizeof(found));
    hits[i] = found & masks[i];
    any |= hits[i];
  }
  return any != 0;
}

void ProvedFloats::correct(void *const *operands, Range results) const {
  auto *bytes = static_cast<uint8_t *>(operands[problem.inputs.size()]);
  std::vector<uint8_t> part(static_cast<size_t>(lookedAt));
  std::vector<uint64_t> hits(masks.size());
  for (int64_t begin = results.begin; begin < results.end; begin += lookedAt) {
    const uint8_t *from = bytes + begin;
    int64_t count = std::min(lookedAt, results.end - begin);
    if (count < lookedAt) {
      std::copy_n(from, count, part.begin());
      from = part.data();
    }
    if (!findHits(from, blocks.data(), blocks.size(), wanted.data(),
                  masks.data(), hits.data()))
      continue;
    for (size_t i = 0; i < hits.size(); ++i)
      for (uint64_t left = hits[i]; left != 0; left &= left - 1)
        if (int64_t place = blocks[i] + __builtin_ctzll(left); place < count)
          correctOne(operands, begin + place, bytes[begin + place]);
  }
}

/// A result, as they are stored one after the other.
void ProvedFloats::correctOne(void *const *operands, int64_t place,
                              uint8_t &byte) const {
  int64_t count = problem.outputs[0].dims[1];
  const Channel &channel = channels[static_cast<size_t>(
      numbers[static_cast<size_t>(place % count)])];
  byte = static_cast<uint8_t>(exactScale(
      channel.step, floats.end, sumOf(channel, operands[0], place / count)));
}

template <typename T>
NPU_INLINE int32_t productsOf(const void *data, int64_t at, int64_t stride,
                              int32_t zero, const int8_t *weight, int64_t n) {
  const T *bytes = static_cast<const T *>(data) + at;
  int32_t sum = 0;
  if (stride == 1)
    for (int64_t c = 0; c < n; ++c)
      sum += weight[c] * (bytes[c] - zero);
  else
    for (int64_t c = 0; c < n; ++c)
      sum += weight[c] * (bytes[c * stride] - zero);
  return sum;
}

static NPU_WIDE_CLONES(int32_t, addProducts,
                       (bool isSigned, const void *data, int64_t at,
                        int64_t stride, int32_t zero, const int8_t *weight,
                        int64_t n),
                       (isSigned, data, at, stride, zero, weight, n)) {
  return isSigned ? productsOf<int8_t>(data, at, stride, zero, weight, n)
                  : productsOf<uint8_t>(data, at, stride, zero, weight, n);
}

int32_t ProvedFloats::sumOf(const Channel &channel, const void *data,
                            int64_t pixel) const {
  const npu_conv_attrs &a = problem.attrs.conv;
  const npu_tensor_desc &from = problem.inputs[0], &w = problem.inputs[1],
                        &to = problem.outputs[0];
  int64_t x = pixel % to.dims[3], y = pixel / to.dims[3] % to.dims[2],
          image = pixel / to.dims[3] / to.dims[2];
  int64_t first = image * strides.outer[0] + channel.data;
  auto zero = static_cast<int32_t>(a.data_zero_point);
  bool isSigned = from.dtype == NPU_I8;
  const int8_t *weight = weights.data() + channel.weight;
  int32_t sum = channel.bias;
  for (int64_t i = 0; i < w.dims[2]; ++i)
    for (int64_t j = 0; j < w.dims[3]; ++j, weight += w.dims[1]) {
      int64_t row = y * a.strides[0] + i * a.dilations[0] - a.pads_begin[0];
      int64_t column = x * a.strides[1] + j * a.dilations[1] - a.pads_begin[1];
      if (row >= 0 && row < from.dims[2] && column >= 0 &&
          column < from.dims[3])
        sum += addProducts(isSigned, data,
                           first + row * strides.outer[2] +
                               column * strides.outer[3],
                           strides.outer[1], zero, weight, w.dims[1]);
    }
  return sum;
}

} // namespace npu::kernels
