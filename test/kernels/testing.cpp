// SPDX-License-Identifier: Apache-2.0

#include "test/kernels/testing.h"

#include <algorithm>

#include "kernels/support/access.h"
#include "kernels/support/convert.h"

#include <gtest/gtest.h>

#include <cctype>

namespace npu::kernels::testing {

constexpr size_t guardBytes = 256;
constexpr uint8_t guard = 0xa5;

Buffer::Buffer(size_t size, uint8_t fill)
    : storage(size + guardBytes + NPU_VALUE_ALIGNMENT, guard), bytes(size) {
  auto address = reinterpret_cast<uintptr_t>(storage.data());
  start =
      storage.data() + (NPU_VALUE_ALIGNMENT - address % NPU_VALUE_ALIGNMENT);
  std::memset(start, fill, size);
}

bool Buffer::isIntact() const {
  for (const uint8_t *p = start + bytes; p < storage.data() + storage.size();
       ++p)
    if (*p != guard)
      return false;
  return true;
}

npu_tensor_desc tensor(int32_t dtype, const std::vector<int64_t> &dims) {
  return makeTensor(dtype, dims.data(), static_cast<int>(dims.size()));
}

npu_tensor_desc tensor(int32_t dtype, const std::vector<int64_t> &dims,
                       const std::string &layout) {
  npu_tensor_desc result = tensor(dtype, dims);
  size_t rank = dims.size();
  for (size_t place = 0; place < rank; ++place)
    result.order[place] = static_cast<int8_t>(
        std::tolower(static_cast<unsigned char>(layout[place])) - 'a');
  for (size_t at = rank; at < layout.size();) {
    size_t digits = 0;
    int size = std::stoi(layout.substr(at), &digits);
    at += digits;
    auto k = static_cast<size_t>(result.block_count++);
    result.block_sizes[k] = size;
    result.block_dims[k] = static_cast<int8_t>(layout[at++] - 'a');
  }
  return result;
}

npu_instr unary(npu_instr_kind kind, int a, float alpha, float beta,
                int32_t dtype) {
  npu_instr instr = {};
  instr.kind = static_cast<int16_t>(kind);
  instr.a = static_cast<int16_t>(a);
  instr.b = instr.c = -1;
  instr.alpha = alpha;
  instr.beta = beta;
  instr.dtype = dtype;
  return instr;
}

npu_instr binary(npu_instr_kind kind, int a, int b, int32_t dtype) {
  npu_instr instr = unary(kind, a, 0, 0, dtype);
  instr.b = static_cast<int16_t>(b);
  return instr;
}

/// Calls body(row-major position, stored offset) for each element.
template <typename Body>
static void forElements(const npu_tensor_desc &tensor, Body body) {
  Strides strides = stridesOf(tensor);
  int64_t index[NPU_MAX_RANK] = {};
  for (int64_t i = 0; i < elementCount(tensor); ++i) {
    body(static_cast<size_t>(i), offsetOf(tensor, strides, index));
    for (int d = tensor.rank - 1; d >= 0; --d) {
      if (++index[d] < tensor.dims[d])
        break;
      index[d] = 0;
    }
  }
}

void storeValues(const npu_tensor_desc &tensor,
                 const std::vector<double> &values, void *data) {
  std::memset(data, 0, static_cast<size_t>(storedBytes(tensor)));
  forElements(tensor, [&](size_t i, int64_t offset) {
    if (tensor.dtype == NPU_F64) {
      store(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &values[i]);
    } else if (isFloat(tensor.dtype)) {
      auto number = static_cast<float>(values[i]);
      store(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &number);
    } else {
      // The large numbers of u64 have the bits of negative ones.
      auto number = values[i] >= 0x1p63
                        ? static_cast<int64_t>(static_cast<uint64_t>(values[i]))
                        : static_cast<int64_t>(values[i]);
      store(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &number);
    }
  });
}

std::vector<double> loadValues(const npu_tensor_desc &tensor,
                               const void *data) {
  std::vector<double> values(static_cast<size_t>(elementCount(tensor)));
  forElements(tensor, [&](size_t i, int64_t offset) {
    float f = 0;
    int64_t n = 0;
    if (tensor.dtype == NPU_F64) {
      load(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &values[i]);
    } else if (isFloat(tensor.dtype)) {
      load(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &f);
      values[i] = f;
    } else {
      load(tensor.dtype, data, Walk::Run::Listed, &offset, 1, &n);
      values[i] = tensor.dtype == NPU_U64
                      ? static_cast<double>(static_cast<uint64_t>(n))
                      : static_cast<double>(n);
    }
  });
  return values;
}

std::vector<double> randomValues(const npu_tensor_desc &tensor, int low,
                                 int high, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<double> values(static_cast<size_t>(elementCount(tensor)));
  auto span = static_cast<uint32_t>(high - low + 1);
  for (double &value : values)
    value = low + static_cast<int>(generator() % span);
  return values;
}

bool paddingIsZero(const npu_tensor_desc &tensor, const void *data) {
  auto each = static_cast<size_t>(dtypeBytes(tensor.dtype));
  std::vector<bool> isElement(static_cast<size_t>(storedElements(tensor)));
  forElements(tensor, [&](size_t, int64_t offset) {
    isElement[static_cast<size_t>(offset)] = true;
  });
  const auto *bytes = static_cast<const uint8_t *>(data);
  for (size_t i = 0; i < isElement.size() * each; ++i)
    if (!isElement[i / each] && bytes[i] != 0)
      return false;
  return true;
}

std::vector<double> runKernel(Kernel &kernel, const Problem &problem,
                              const std::vector<std::vector<double>> &inputs) {
  std::vector<Buffer> buffers;
  std::vector<const void *> constants;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    buffers.emplace_back(static_cast<size_t>(storedBytes(problem.inputs[i])));
    storeValues(problem.inputs[i], inputs[i], buffers[i].data());
    constants.push_back(problem.isConstant(i) ? buffers[i].data() : nullptr);
  }
  const npu_tensor_desc &output = problem.outputs[0];
  Buffer result(static_cast<size_t>(storedBytes(output)), 0xff);
  if (problem.inPlaceInput >= 0)
    std::memcpy(result.data(),
                buffers[static_cast<size_t>(problem.inPlaceInput)].data(),
                result.size());
  if (kernel.readsNarrow())
    constants[1] = nullptr;
  kernel.pack(constants.data());
  std::vector<void *> operands;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    // run() must not need the original of a constant that was packed.
    if (kernel.isPacked(i))
      std::memset(buffers[i].data(), 0xff, buffers[i].size());
    bool isInPlace = static_cast<int>(i) == problem.inPlaceInput;
    operands.push_back(isInPlace ? result.data() : buffers[i].data());
  }
  operands.push_back(result.data());
  Buffer scratch(kernel.scratchBytes(), 0xff);
  EXPECT_EQ(kernel.run(operands.data(), scratch.data()), 0)
      << kernel.implementation();
  EXPECT_TRUE(result.isIntact()) << kernel.implementation();
  EXPECT_TRUE(scratch.isIntact()) << kernel.implementation();
  EXPECT_TRUE(paddingIsZero(output, result.data()))
      << kernel.implementation() << " " << describe(output);
  return loadValues(output, result.data());
}

std::vector<double>
runReference(const Problem &problem,
             const std::vector<std::vector<double>> &inputs) {
  EXPECT_EQ(validate(problem), "");
  return runKernel(*createReference(problem), problem, inputs);
}

/// Places in the result of MASKUNPOOL: anywhere, or each in its element's
/// plane.
static std::vector<double> unpoolPlaces(const Problem &problem, bool isOwn,
                                        uint32_t seed) {
  const npu_tensor_desc &from = problem.inputs[1], &to = problem.outputs[0];
  int64_t planes = from.dims[0] * from.dims[1];
  int64_t each = elementCount(from) / planes, room = elementCount(to);
  if (!isOwn)
    return randomValues(from, 0, static_cast<int>(room) - 1, seed);
  room /= planes;
  std::vector<double> places =
      randomValues(from, 0, static_cast<int>(room) - 1, seed);
  for (size_t i = 0; i < places.size(); ++i)
    places[i] += static_cast<double>(static_cast<int64_t>(i) / each * room);
  return places;
}

std::vector<double> atPoints(const Problem &winograd,
                             const std::vector<double> &taps) {
  Problem transform;
  transform.op = NPU_OP_WINOGRAD_WEIGHT;
  transform.attrs.winograd.tile = winograd.attrs.winograd.tile;
  const npu_tensor_desc &w = winograd.inputs[1];
  transform.inputs = {tensor(NPU_F32, {w.dims[0], w.dims[1], 3, 3})};
  transform.outputs = {
      tensor(NPU_F32, {w.dims[0], w.dims[1], w.dims[2], w.dims[3]})};
  return runReference(transform, {taps});
}

std::vector<std::vector<double>> inputsFor(const Problem &problem,
                                           uint32_t seed) {
  std::vector<std::vector<double>> inputs;
  for (size_t i = 0; i < problem.inputs.size(); ++i) {
    int low = -3, high = 3;
    if (problem.inputs[i].dtype == NPU_BOOL)
      low = 0, high = 1;
    if (problem.inputs[i].dtype == NPU_U8)
      low = 0, high = 6;
    if (problem.op == NPU_OP_GATHER && i == 1) {
      high =
          static_cast<int>(problem.inputs[0].dims[problem.attrs.axis.axis]) - 1;
      low = -high - 1;
    }
    if (problem.op >= NPU_OP_GATHER_ELEMENTS &&
        problem.op <= NPU_OP_SCATTER_ND && i == 1) {
      // In range of every dimension that has elements.
      const npu_tensor_desc &data = problem.inputs[0];
      high = static_cast<int>(std::max<int64_t>(
          *std::min_element(data.dims, data.dims + data.rank) - 1, 0));
      low = -high - 1;
    }
    if (problem.op == NPU_OP_MASKUNPOOL && i == 1) {
      inputs.push_back(unpoolPlaces(problem, seed % 2 == 0, seed));
      continue;
    }
    if (problem.op == NPU_OP_CONV_WINOGRAD && problem.keepsNan && i == 1) {
      const npu_tensor_desc &w = problem.inputs[1];
      npu_tensor_desc taps = tensor(NPU_F32, {w.dims[0], w.dims[1], 3, 3});
      inputs.push_back(
          atPoints(problem, randomValues(taps, low, high, seed + 1)));
      continue;
    }
    inputs.push_back(randomValues(problem.inputs[i], low, high,
                                  seed + static_cast<uint32_t>(i)));
  }
  return inputs;
}

void makeConstant(Problem &problem, size_t i) {
  problem.inputs[i].weights_offset = 0;
}

/// "acd" for rank 3 from "acdb": the layout of the first `rank` dimensions.
Problem convProblem(const npu_tensor_desc &x, int64_t outputs,
                    std::vector<int64_t> kernel, int64_t stride, int64_t pad,
                    int64_t groups, const std::string &layout, bool withBias,
                    int64_t dilation) {
  Problem p;
  p.op = NPU_OP_CONV;
  std::vector<int64_t> weights = {outputs, x.dims[1] / groups};
  std::vector<int64_t> out = {x.dims[0], outputs};
  for (size_t i = 0; i < kernel.size(); ++i) {
    weights.push_back(kernel[i]);
    out.push_back((x.dims[i + 2] + 2 * pad - (kernel[i] - 1) * dilation - 1) /
                      stride +
                  1);
    p.attrs.conv.strides[i] = stride;
    p.attrs.conv.dilations[i] = dilation;
    p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = pad;
  }
  p.attrs.conv.groups = groups;
  p.attrs.conv.has_bias = withBias;
  p.inputs = {x, tensor(x.dtype, weights)};
  if (withBias)
    p.inputs.push_back(tensor(x.dtype, {outputs}));
  p.outputs = {tensor(x.dtype, out, layout)};
  makeConstant(p, 1);
  return p;
}

Problem winogradProblem(const npu_tensor_desc &x, int64_t outputs, int64_t tile,
                        int64_t pad, const std::string &layout,
                        const std::string &weightLayout, bool withBias) {
  Problem p = convProblem(x, outputs, {3, 3}, 1, pad, 1, layout, withBias);
  p.op = NPU_OP_CONV_WINOGRAD;
  p.attrs = {};
  p.attrs.winograd = {tile, {pad, pad}, {pad, pad}, withBias};
  p.inputs[1] =
      tensor(NPU_F32, {outputs, x.dims[1], tile + 2, tile + 2}, weightLayout);
  makeConstant(p, 1);
  return p;
}

} // namespace npu::kernels::testing
