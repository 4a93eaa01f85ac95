// SPDX-License-Identifier: Apache-2.0
//
// npu-kernel-table: which implementation runs each op in each layout on this
// machine, as a Markdown table for the documentation.

#include "files/command_line.h"
#include "files/last_words.h"
#include "files/standard_output.h"
#include "files/temporaries.h"
#include "files/words.h"
#include "kernels/kernel.h"
#include "kernels/tensor.h"
#include "kernels/validate.h"

#include <cstdio>

using namespace npu::kernels;

namespace {
struct Layout {
  const char *name;
  int8_t order[4];
  int16_t block;
};
const Layout layouts[] = {{"NCHW", {0, 1, 2, 3}, 0},
                          {"NHWC", {0, 2, 3, 1}, 0},
                          {"NCHW16c", {0, 1, 2, 3}, 16}};
} // namespace

static npu_tensor_desc image(int32_t dtype, int64_t n, int64_t c, int64_t size,
                             const Layout &layout) {
  const int64_t dims[4] = {n, c, size, size};
  npu_tensor_desc tensor = makeTensor(dtype, dims, 4);
  std::copy(layout.order, layout.order + 4, tensor.order);
  if (layout.block) {
    tensor.block_count = 1;
    tensor.block_dims[0] = 1;
    tensor.block_sizes[0] = layout.block;
  }
  return tensor;
}

static npu_instr instrOf(npu_instr_kind kind, int a, int b, int32_t dtype) {
  npu_instr instr = {};
  instr.kind = static_cast<int16_t>(kind);
  instr.a = static_cast<int16_t>(a);
  instr.b = static_cast<int16_t>(b);
  instr.c = -1;
  instr.dtype = dtype;
  return instr;
}

/// A 3x3 convolution of 64 channels (or depthwise) with padding 1.
static Problem conv(npu_op op, int32_t dtype, int64_t n, int64_t groups,
                    const Layout &layout) {
  Problem p;
  p.op = op;
  int32_t weightType = dtype == NPU_U8 ? NPU_I8 : dtype;
  int32_t outType = dtype == NPU_U8 ? NPU_I32 : dtype;
  const int64_t weights[4] = {64, 64 / groups, 3, 3};
  p.inputs = {image(dtype, n, 64, 28, layout),
              makeTensor(weightType, weights, 4)};
  p.inputs[1].weights_offset = 0;
  p.outputs = {image(outType, n, 64, 28, layout)};
  for (int i = 0; i < 2; ++i) {
    p.attrs.conv.strides[i] = p.attrs.conv.dilations[i] = 1;
    p.attrs.conv.pads_begin[i] = p.attrs.conv.pads_end[i] = 1;
  }
  p.attrs.conv.groups = groups;
  return p;
}

static Problem pool(npu_op op, int32_t dtype, int64_t dilation,
                    const Layout &layout) {
  Problem p;
  p.op = op;
  p.inputs = {image(dtype, 1, 64, 28, layout)};
  p.outputs = {image(dtype, 1, 64, 28 - dilation, layout)};
  for (int i = 0; i < 2; ++i) {
    p.attrs.pool.kernel[i] = 2;
    p.attrs.pool.strides[i] = 1;
    p.attrs.pool.dilations[i] = dilation;
  }
  return p;
}

static Problem sameShape(npu_op op, int32_t dtype, const Layout &layout) {
  Problem p;
  p.op = op;
  p.inputs = {image(dtype, 1, 64, 28, layout)};
  p.outputs = p.inputs;
  return p;
}

static Problem resize(npu_resize_mode mode, const Layout &layout) {
  Problem p = sameShape(NPU_OP_RESIZE, NPU_F32, layout);
  p.outputs = {image(NPU_F32, 1, 64, 56, layout)};
  for (int d = 0; d < 4; ++d)
    p.attrs.resize.scales[d] = d < 2 ? 1 : 2;
  p.attrs.resize.mode = mode;
  p.attrs.resize.coordinates = NPU_RESIZE_ASYMMETRIC;
  p.attrs.resize.nearest = NPU_NEAREST_FLOOR;
  return p;
}

static Problem mean(const Layout &layout) {
  Problem p = sameShape(NPU_OP_REDUCE, NPU_F32, layout);
  p.outputs = {image(NPU_F32, 1, 64, 1, layout)};
  p.attrs.reduce = {NPU_REDUCE_MEAN, 12, 1};
  return p;
}

static Problem excite(const Layout &layout) {
  Problem p = conv(NPU_OP_CONV, NPU_F32, 3, 1, layout);
  p.inputs.push_back(image(NPU_F32, 3, 64, 1, layouts[0]));
  p.instrs = {instrOf(NPU_INSTR_mul, 3, 2, NPU_F32)};
  return p;
}

static Problem residual(const Layout &layout) {
  Problem p = conv(NPU_OP_CONV, NPU_F32, 1, 1, layout);
  p.inputs.push_back(p.outputs[0]);
  p.inPlaceInput = 2;
  p.instrs = {instrOf(NPU_INSTR_add, 3, 2, NPU_F32),
              instrOf(NPU_INSTR_relu, 4, -1, NPU_F32)};
  return p;
}

static Problem weightGradient(const Layout &layout) {
  Problem p = conv(NPU_OP_CONV_BPW, NPU_F32, 1, 1, layout);
  std::swap(p.inputs[1], p.outputs[0]);
  p.outputs[0].weights_offset = -1;
  return p;
}

/// Of 64 channels, a scale and a bias each, stored like the data; over the
/// dimensions from `first` to `last`.
static Problem norm(int first, int last, const Layout &layout) {
  Problem p = sameShape(NPU_OP_TENSORNORM, NPU_F32, layout);
  npu_tensor_desc parameter = image(NPU_F32, 1, 64, 1, layout);
  p.inputs.resize(3, parameter);
  p.attrs.norm = {0, first, 1, 1, 1, 1e-5};
  for (int d = first; d <= last; ++d)
    p.attrs.norm.axes_mask |= int64_t{1} << d;
  return p;
}

static Problem softmax(const Layout &layout) {
  Problem p = sameShape(NPU_OP_SOFTMAX, NPU_F32, layout);
  p.attrs.axis.axis = 1;
  return p;
}

static void printRow(const char *what, Problem (*make)(const Layout &),
                     int threads) {
  std::printf("| %s |", what);
  for (const Layout &layout : layouts) {
    Problem p = make(layout);
    p.threads = threads;
    Answer answer = query(p);
    std::printf(" `%s`%s%s |", answer.implementation.c_str(),
                answer.slow ? " **slow**" : "",
                answer.adapterBytes ? " (moves bytes)" : "");
  }
  std::printf("\n");
}

static const char *const examples = R"(  npu-kernel-table
  npu-kernel-table --threads=8 > table.md
)";

static void printTable(int threads) {
  std::printf("%s, %s\n\n| op |", libraryVersion().c_str(),
              npu::files::countText(threads, "thread").c_str());
  for (const Layout &layout : layouts)
    std::printf(" %s |", layout.name);
  std::printf("\n|---|---|---|---|\n");
  using L = const Layout &;
  const struct {
    const char *what;
    Problem (*make)(L);
  } rows[] = {
      {"conv f32", [](L l) { return conv(NPU_OP_CONV, NPU_F32, 1, 1, l); }},
      {"conv bf16", [](L l) { return conv(NPU_OP_CONV, NPU_BF16, 1, 1, l); }},
      {"conv f16", [](L l) { return conv(NPU_OP_CONV, NPU_F16, 1, 1, l); }},
      {"conv u8", [](L l) { return conv(NPU_OP_CONV, NPU_U8, 1, 1, l); }},
      {"depthwise conv f32",
       [](L l) { return conv(NPU_OP_CONV, NPU_F32, 1, 64, l); }},
      {"conv f32, residual added in place, relu", residual},
      {"conv f32, scaled per image and channel, batch 3", excite},
      {"transposed conv f32",
       [](L l) { return conv(NPU_OP_CONV_TRANSPOSE, NPU_F32, 1, 1, l); }},
      {"gradient of conv by data",
       [](L l) {
         Problem p = conv(NPU_OP_CONV_TRANSPOSE, NPU_F32, 1, 1, l);
         p.attrs.conv.weight_of_conv = 1;
         return p;
       }},
      {"gradient of conv by weight", weightGradient},
      {"instance norm", [](L l) { return norm(2, 3, l); }},
      {"layer norm over C", [](L l) { return norm(1, 1, l); }},
      {"max pool f32",
       [](L l) { return pool(NPU_OP_MAX_POOL, NPU_F32, 1, l); }},
      {"max pool f32, dilated",
       [](L l) { return pool(NPU_OP_MAX_POOL, NPU_F32, 2, l); }},
      {"max pool u8", [](L l) { return pool(NPU_OP_MAX_POOL, NPU_U8, 1, l); }},
      {"average pool f32",
       [](L l) { return pool(NPU_OP_AVG_POOL, NPU_F32, 1, l); }},
      {"mean over H and W", mean},
      {"softmax over C", softmax},
      {"resize nearest", [](L l) { return resize(NPU_RESIZE_NEAREST, l); }},
      {"resize linear", [](L l) { return resize(NPU_RESIZE_LINEAR, l); }},
      {"relayout from NHWC",
       [](L l) {
         Problem p = sameShape(NPU_OP_RELAYOUT, NPU_F32, l);
         p.inputs[0] = image(NPU_F32, 1, 64, 28, layouts[1]);
         return p;
       }},
  };
  for (const auto &row : rows)
    printRow(row.what, row.make, threads);
}

int main(int argc, char **argv) {
  namespace files = npu::files;
  files::prepareProcess();
  files::prepareLastWords("npu-kernel-table");
  CLI::App app("npu-kernel-table says which implementation runs each op in "
               "each layout on this machine, as a Markdown table.",
               "npu-kernel-table");
  int threads = 2;
  app.add_option("--threads", threads, "threads of one run")
      ->check(files::wholeFrom(1, 1024))
      ->capture_default_str();
  files::prepareCommandLine(app, {NPU_VERSION,
                                  "",
                                  examples,
                                  {files::exitSuccess, files::exitUsage,
                                   files::exitOutput, files::exitMemory}});
  std::optional<int> code = files::readCommandLine(app, argc, argv);
  if (!code)
    printTable(threads);
  return files::finishOutput("npu-kernel-table",
                             code.value_or(files::exitSuccess));
}
