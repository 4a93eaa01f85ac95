/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is mostly weights: [ROWS,SIZE] times [SIZE,SIZE]. */
#include "section.h"

enum { ROWS = 4, SIZE = DEMO_SIZE };

#define MATRIX(rows, offset)                                                   \
  {.dims = {rows, SIZE},                                                       \
   .dtype = NPU_F32,                                                           \
   .rank = 2,                                                                  \
   .order = {0, 1},                                                            \
   .weights_offset = offset}

static const npu_tensor_desc tensors[] = {
    MATRIX(ROWS, -1),
    MATRIX(SIZE, 0),
    MATRIX(ROWS, -1),
};

static const npu_attrs attrs[] = {{.raw = {0}}};

static const npu_kernel_desc kernels[] = {
    {.op = NPU_OP_MATMUL, .n_inputs = 2, .n_outputs = 1, .in_place_input = -1},
};

static const npu_io_desc inputs[] = {
    {.tensor = MATRIX(ROWS, -1), .bytes = ROWS * SIZE * sizeof(float)},
};

static const npu_io_desc outputs[] = {
    {.tensor = MATRIX(ROWS, -1), .bytes = ROWS * SIZE * sizeof(float)},
};

static int32_t run(const npu_frame *frame) {
  void *operands[] = {frame->inputs[0], (void *)frame->weights,
                      frame->outputs[0]};
  return frame->imports->call_kernel(frame->exec, 0, operands);
}

DEMO_EXPORTED const npu_program npu_program_root __asm__(NPU_PROGRAM_SYMBOL) = {
    .magic = {'N', 'P', 'U', 'P', 'R', 'O', 'G', '\n'},
    .version = NPU_FORMAT_VERSION,
    .size = sizeof(npu_program),
    .kernels = kernels,
    .attrs = attrs,
    .tensors = tensors,
    .inputs = inputs,
    .outputs = outputs,
    .weights = demo_weights,
    .weight_bytes = (uint64_t)SIZE * SIZE * sizeof(float),
    .n_kernels = 1,
    .n_attrs = sizeof(attrs) / sizeof(attrs[0]),
    .n_tensors = sizeof(tensors) / sizeof(tensors[0]),
    .n_inputs = 1,
    .n_outputs = 1,
    .run = run,
};
