/* SPDX-License-Identifier: Apache-2.0
 *
 * What npuc emits for conv + relu, written by hand: a convolution run by the
 * runtime's kernels, then a generated kernel run through parallel_for. */
#include "section.h"

enum { C = 3, O = 16, H = 32, W = 32 };

#define NHWC .order = {0, 2, 3, 1}, .weights_offset = -1
#define IMAGE(channels)                                                        \
  {.dims = {1, channels, H, W}, .dtype = NPU_F32, .rank = 4, NHWC}

static const npu_tensor_desc tensors[] = {
    /* conv: data, weight in HWOI, result */
    IMAGE(C),
    {.dims = {O, C, 3, 3},
     .dtype = NPU_F32,
     .rank = 4,
     .order = {2, 3, 0, 1},
     .weights_offset = 0},
    IMAGE(O),
    /* relu */
    IMAGE(O),
    IMAGE(O),
};

static const npu_instr instrs[] = {
    {.kind = NPU_INSTR_relu, .a = 0, .b = -1, .c = -1, .dtype = NPU_F32},
};

static const npu_attrs attrs[] = {
    {.raw = {0}},
    {.conv = {.strides = {1, 1},
              .dilations = {1, 1},
              .pads_begin = {1, 1},
              .pads_end = {1, 1},
              .groups = 1}},
};

static const npu_kernel_desc kernels[] = {
    {.op = NPU_OP_CONV,
     .n_inputs = 2,
     .n_outputs = 1,
     .first_tensor = 0,
     .in_place_input = -1,
     .attrs = 1},
    {.op = NPU_OP_ELTWISE,
     .flags = NPU_KERNEL_GENERATED,
     .n_inputs = 1,
     .n_outputs = 1,
     .first_tensor = 3,
     .n_instrs = 1,
     .in_place_input = -1},
};

static const npu_io_desc inputs[] = {
    {.tensor = IMAGE(C), .bytes = C * H * W * sizeof(float)},
};

static const npu_io_desc outputs[] = {
    {.tensor = IMAGE(O), .bytes = O * H * W * sizeof(float)},
};

static void relu(void *const *operands, int64_t begin, int64_t end) {
  const float *x = operands[0];
  float *y = operands[1];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] > 0 ? x[i] : 0;
}

static int32_t run(const npu_frame *frame) {
  void *conv[] = {frame->inputs[0], (void *)frame->weights, frame->arena};
  int32_t status = frame->imports->call_kernel(frame->exec, 0, conv);
  if (status != 0)
    return status;
  void *activation[] = {frame->arena, frame->outputs[0]};
  return frame->imports->parallel_for(frame->exec, 1, O * H * W, 1024, relu,
                                      activation);
}

DEMO_EXPORTED const npu_program npu_program_root __asm__(NPU_PROGRAM_SYMBOL) = {
    .magic = {'N', 'P', 'U', 'P', 'R', 'O', 'G', '\n'},
    .version = NPU_FORMAT_VERSION,
    .size = sizeof(npu_program),
    .kernels = kernels,
    .attrs = attrs,
    .tensors = tensors,
    .instrs = instrs,
    .inputs = inputs,
    .outputs = outputs,
    .weights = demo_weights,
    .weight_bytes = O * C * 3 * 3 * sizeof(float),
    .arena_bytes = O * H * W * sizeof(float),
    .n_kernels = sizeof(kernels) / sizeof(kernels[0]),
    .n_attrs = sizeof(attrs) / sizeof(attrs[0]),
    .n_tensors = sizeof(tensors) / sizeof(tensors[0]),
    .n_instrs = sizeof(instrs) / sizeof(instrs[0]),
    .n_inputs = 1,
    .n_outputs = 1,
    .run = run,
};
