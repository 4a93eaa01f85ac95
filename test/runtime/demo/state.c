/* SPDX-License-Identifier: Apache-2.0
 *
 * States: s0 is the sum of all inputs so far, stored column by column, and
 * begins as the weights; s1 is the input of the run before, and begins as
 * zeros. The result is s0 of before plus s1 of before. */
#include "section.h"

enum { ROWS = 2, COLUMNS = 3, BYTES = ROWS * COLUMNS * sizeof(float) };

#define MATRIX(first, second, offset)                                          \
  {.dims = {ROWS, COLUMNS},                                                    \
   .dtype = NPU_F32,                                                           \
   .rank = 2,                                                                  \
   .order = {first, second},                                                   \
   .weights_offset = offset}
#define IN_ROWS MATRIX(0, 1, -1)
#define IN_COLUMNS MATRIX(1, 0, -1)

static const npu_tensor_desc tensors[] = {
    IN_ROWS,    IN_COLUMNS, IN_COLUMNS, /* x + s0 */
    IN_COLUMNS, IN_ROWS,    IN_ROWS,    /* s0 + s1 */
    IN_ROWS,    IN_ROWS,                /* x */
};

static const npu_instr instrs[] = {
    {.kind = NPU_INSTR_add, .a = 0, .b = 1, .c = -1, .dtype = NPU_F32},
    {.kind = NPU_INSTR_cast, .a = 0, .b = -1, .c = -1, .dtype = NPU_F32},
};

static const npu_attrs attrs[] = {{.raw = {0}}};

#define ELTWISE(inputs, tensor, instr)                                         \
  {.op = NPU_OP_ELTWISE,                                                       \
   .n_inputs = inputs,                                                         \
   .n_outputs = 1,                                                             \
   .first_tensor = tensor,                                                     \
   .first_instr = instr,                                                       \
   .n_instrs = 1,                                                              \
   .in_place_input = -1}

static const npu_kernel_desc kernels[] = {
    ELTWISE(2, 0, 0),
    ELTWISE(2, 3, 0),
    ELTWISE(1, 6, 1),
};

static const npu_io_desc inputs[] = {
    {.tensor = IN_ROWS, .bytes = BYTES},
    {.tensor = MATRIX(1, 0, 0), .bytes = BYTES},
    {.tensor = IN_ROWS, .bytes = BYTES},
};

static const npu_io_desc outputs[] = {
    {.tensor = IN_ROWS, .bytes = BYTES},
    {.tensor = IN_COLUMNS, .bytes = BYTES},
    {.tensor = IN_ROWS, .bytes = BYTES},
};

static int32_t run(const npu_frame *frame) {
  void *const *in = frame->inputs, *const *out = frame->outputs;
  void *sum[] = {in[0], in[1], out[1]};
  void *result[] = {in[1], in[2], out[0]};
  void *last[] = {in[0], out[2]};
  int32_t status = frame->imports->call_kernel(frame->exec, 0, sum);
  if (status == 0)
    status = frame->imports->call_kernel(frame->exec, 1, result);
  return status != 0 ? status
                     : frame->imports->call_kernel(frame->exec, 2, last);
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
    .weight_bytes = 64,
    .n_kernels = 3,
    .n_attrs = 1,
    .n_tensors = sizeof(tensors) / sizeof(tensors[0]),
    .n_instrs = 2,
    .n_inputs = 3,
    .n_outputs = 3,
    .n_states = 2,
    .run = run,
};
