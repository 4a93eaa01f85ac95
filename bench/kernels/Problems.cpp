// SPDX-License-Identifier: Apache-2.0

#include "bench/kernels/Problems.h"

#include "kernels/tensor.h"

#include <algorithm>

namespace npu::bench {
namespace {

using kernels::makeTensor;
using kernels::Problem;

struct Layout {
  const char *name;
  int8_t order[4];
  int16_t block;
};
const Layout layouts[] = {{"NCHW", {0, 1, 2, 3}, 0},
                          {"NHWC", {0, 2, 3, 1}, 0},
                          {"NCHW16c", {0, 1, 2, 3}, 16}};

npu_tensor_desc image(int32_t dtype, int64_t c, int64_t size,
                      const Layout &layout) {
  const int64_t dims[4] = {1, c, size, size};
  npu_tensor_desc tensor = makeTensor(dtype, dims, 4);
  std::copy(layout.order, layout.order + 4, tensor.order);
  if (layout.block) {
    tensor.block_count = 1;
    tensor.block_dims[0] = 1;
    tensor.block_sizes[0] = layout.block;
  }
  return tensor;
}

std::string nameOf(const std::string &what, int64_t c, int64_t size,
                   const std::string &layout) {
  std::string side = std::to_string(size);
  return what + "/" + std::to_string(c) + "x" + side + "x" + side + "/" +
         layout;
}

struct Convolution {
  const char *what;
  int64_t in, out, size, window, stride, groups;
};
// Of ResNet-50 and MobileNetV2.
const Convolution convolutions[] = {
    {"conv7x7s2", 3, 64, 224, 7, 2, 1},
    {"conv3x3", 64, 64, 56, 3, 1, 1},
    {"conv3x3s2", 128, 128, 56, 3, 2, 1},
    {"conv3x3", 512, 512, 7, 3, 1, 1},
    {"conv1x1", 256, 64, 56, 1, 1, 1},
    {"conv1x1", 512, 2048, 7, 1, 1, 1},
    {"depthwise3x3", 144, 144, 56, 3, 1, 144},
    {"depthwise3x3s2", 192, 192, 28, 3, 2, 192}};

Measured convolution(const Convolution &c, const Layout &layout, bool isInt8) {
  int64_t pad = c.window / 2;
  int64_t result = (c.size + 2 * pad - c.window) / c.stride + 1;
  const int64_t weight[4] = {c.out, c.in / c.groups, c.window, c.window};
  Problem p;
  p.op = NPU_OP_CONV;
  p.inputs = {image(isInt8 ? NPU_U8 : NPU_F32, c.in, c.size, layout),
              makeTensor(isInt8 ? NPU_I8 : NPU_F32, weight, 4)};
  p.inputs[1].weights_offset = 0;
  p.outputs = {image(isInt8 ? NPU_I32 : NPU_F32, c.out, result, layout)};
  for (int i = 0; i < 2; ++i) {
    p.attrs.conv.strides[i] = c.stride;
    p.attrs.conv.dilations[i] = 1;
    p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = pad;
  }
  p.attrs.conv.groups = c.groups;
  std::string what = c.what + std::string(isInt8 ? "/u8" : "/f32");
  return {nameOf(what, c.in, c.size, layout.name), p,
          2.0 * double(result * result * c.out) *
              double(weight[1] * c.window * c.window)};
}

Measured pool(npu_op op, const char *what, const Layout &layout) {
  Problem p;
  p.op = op;
  p.inputs = {image(NPU_F32, 64, 112, layout)};
  p.outputs = {image(NPU_F32, 64, 56, layout)};
  for (int i = 0; i < 2; ++i) {
    p.attrs.pool.kernel[i] = p.attrs.pool.strides[i] = 2;
    p.attrs.pool.dilations[i] = 1;
  }
  return {nameOf(what, 64, 112, layout.name), p, 64.0 * 112 * 112};
}

Measured mean(const Layout &layout) {
  Problem p;
  p.op = NPU_OP_REDUCE;
  p.inputs = {image(NPU_F32, 2048, 7, layout)};
  p.outputs = {image(NPU_F32, 2048, 1, layout)};
  p.attrs.reduce = {NPU_REDUCE_MEAN, 12, 1};
  return {nameOf("mean", 2048, 7, layout.name), p, 2048.0 * 49};
}

Measured softmax(const Layout &layout) {
  Problem p;
  p.op = NPU_OP_SOFTMAX;
  p.inputs = p.outputs = {image(NPU_F32, 64, 56, layout)};
  p.attrs.axis.axis = 1;
  return {nameOf("softmax", 64, 56, layout.name), p, 0};
}

npu_instr instrOf(npu_instr_kind kind, int a, int b) {
  npu_instr instr = {};
  instr.kind = static_cast<int16_t>(kind);
  instr.a = static_cast<int16_t>(a);
  instr.b = static_cast<int16_t>(b);
  instr.c = -1;
  instr.dtype = NPU_F32;
  return instr;
}

/// y = relu(x * x + x), as constants fold and adapters run it; what npuc
/// generates for such chains is measured by npu-run --profile.
Measured chain(const Layout &layout) {
  Problem p;
  p.op = NPU_OP_ELTWISE;
  p.inputs = p.outputs = {image(NPU_F32, 64, 56, layout)};
  p.instrs = {instrOf(NPU_INSTR_mul, 0, 0), instrOf(NPU_INSTR_add, 1, 0),
              instrOf(NPU_INSTR_relu, 2, -1)};
  return {nameOf("eltwise-interpreted", 64, 56, layout.name), p,
          3.0 * 64 * 56 * 56};
}

Measured relayout(const Layout &from, const Layout &to, int32_t dtype) {
  Problem p;
  p.op = NPU_OP_RELAYOUT;
  p.inputs = {image(dtype, 64, 56, from)};
  p.outputs = {image(dtype, 64, 56, to)};
  std::string what = dtype == NPU_F32 ? "relayout/f32" : "relayout/u8";
  return {nameOf(what, 64, 56, std::string(from.name) + "-to-" + to.name), p,
          0};
}

/// A logical transpose of row-major tensors: attention heads, matrices.
Measured transpose(const char *name, std::vector<int64_t> dims,
                   std::vector<int> permutation) {
  Problem p;
  p.op = NPU_OP_TRANSPOSE;
  int rank = static_cast<int>(dims.size());
  std::vector<int64_t> result;
  for (int d = 0; d < rank; ++d) {
    auto at = static_cast<size_t>(permutation[static_cast<size_t>(d)]);
    result.push_back(dims[at]);
    p.attrs.transpose.permutation[d] = permutation[static_cast<size_t>(d)];
  }
  p.inputs = {makeTensor(NPU_F32, dims.data(), rank)};
  p.outputs = {makeTensor(NPU_F32, result.data(), rank)};
  return {std::string("transpose/") + name, p, 0};
}

Measured matmul(int64_t m, int64_t k, int64_t n) {
  const int64_t a[2] = {m, k}, b[2] = {k, n}, y[2] = {m, n};
  Problem p;
  p.op = NPU_OP_MATMUL;
  p.inputs = {makeTensor(NPU_F32, a, 2), makeTensor(NPU_F32, b, 2)};
  p.inputs[1].weights_offset = 0;
  p.outputs = {makeTensor(NPU_F32, y, 2)};
  return {"matmul/" + std::to_string(m) + "x" + std::to_string(k) + "x" +
              std::to_string(n) + "/f32",
          p, 2.0 * double(m) * double(k) * double(n)};
}

} // namespace

std::vector<Measured> problems() {
  std::vector<Measured> all;
  for (const Layout &layout : layouts) {
    for (const Convolution &c : convolutions)
      for (bool isInt8 : {false, true})
        all.push_back(convolution(c, layout, isInt8));
    all.push_back(pool(NPU_OP_MAX_POOL, "max_pool2x2", layout));
    all.push_back(pool(NPU_OP_AVG_POOL, "avg_pool2x2", layout));
    all.push_back(mean(layout));
    all.push_back(softmax(layout));
    all.push_back(chain(layout));
    for (const Layout &to : layouts)
      for (int32_t dtype : {NPU_F32, NPU_U8})
        if (&to != &layout)
          all.push_back(relayout(layout, to, dtype));
  }
  all.push_back(transpose("1024x1024", {1024, 1024}, {1, 0}));
  all.push_back(transpose("heads", {128, 12, 64}, {1, 0, 2}));
  all.push_back(transpose("keys", {12, 128, 64}, {0, 2, 1}));
  all.push_back(matmul(1, 2048, 1000));
  all.push_back(matmul(128, 768, 768));
  all.push_back(matmul(1024, 1024, 1024));
  return all;
}

} // namespace npu::bench
