/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants that the runtime makes when it loads the program: a matrix of f16
 * that a product multiplies by, and a bf16 table, twice times a number, that
 * a generated kernel adds, both f32 to these. */
#include "format/program_format.h"

enum { ROWS = 4, SIZE = 64, MATRIX = SIZE * SIZE, TABLE = ROWS * SIZE };

/* The matrix is 1, 2, 0.5 in the first places of its diagonal, else 0; the
 * table four times 0.0625 and -2 in its first places. */
static const struct {
  uint16_t matrix[MATRIX], table[TABLE];
  float scale;
} stored __attribute__((aligned(NPU_WEIGHTS_ALIGNMENT))) = {
    {[0] = 0x3c00, [SIZE + 1] = 0x4000, [2 * SIZE + 2] = 0x3800},
    {[0] = 0x3d80, [1] = 0xc000},
    2,
};

enum { MADE = (sizeof(stored) + 4095) / 4096 * 4096 };

#define ROW(count, type, offset)                                               \
  {.dims = {count}, .dtype = type, .rank = 1, .weights_offset = offset}
#define RECTANGLE(rows, offset)                                                \
  {.dims = {rows, SIZE},                                                       \
   .dtype = NPU_F32,                                                           \
   .rank = 2,                                                                  \
   .order = {0, 1},                                                            \
   .weights_offset = offset}

static const npu_tensor_desc tensors[] = {
    /* the makers */
    ROW(MATRIX, NPU_F16, 0),
    ROW(MATRIX, NPU_F32, MADE),
    ROW(TABLE, NPU_BF16, MATRIX * sizeof(uint16_t)),
    ROW(TABLE, NPU_F32, MADE + MATRIX * sizeof(float)),
    ROW(TABLE, NPU_F32, MADE + MATRIX * sizeof(float)),
    ROW(1, NPU_F32, (MATRIX + TABLE) * sizeof(uint16_t)),
    ROW(TABLE, NPU_F32, MADE + (MATRIX + TABLE) * sizeof(float)),
    ROW(TABLE, NPU_F32, MADE + (MATRIX + TABLE) * sizeof(float)),
    ROW(1, NPU_F32, (MATRIX + TABLE) * sizeof(uint16_t)),
    ROW(TABLE, NPU_F32, MADE + (MATRIX + 2 * TABLE) * sizeof(float)),
    /* product */
    RECTANGLE(ROWS, -1),
    RECTANGLE(SIZE, MADE),
    RECTANGLE(ROWS, -1),
    /* sum */
    RECTANGLE(ROWS, -1),
    RECTANGLE(ROWS, MADE + (MATRIX + 2 * TABLE) * sizeof(float)),
    RECTANGLE(ROWS, -1),
};

static const npu_instr instrs[] = {
    {.kind = NPU_INSTR_cast, .a = 0, .b = -1, .c = -1, .dtype = NPU_F32},
    {.kind = NPU_INSTR_mul, .a = 0, .b = 1, .c = -1, .dtype = NPU_F32},
    {.kind = NPU_INSTR_add, .a = 0, .b = 1, .c = -1, .dtype = NPU_F32},
};

static const npu_attrs attrs[] = {{.raw = {0}}};

static const npu_kernel_desc makers[] = {
    {.op = NPU_OP_ELTWISE,
     .n_inputs = 1,
     .n_outputs = 1,
     .first_tensor = 0,
     .n_instrs = 1,
     .in_place_input = -1},
    {.op = NPU_OP_ELTWISE,
     .n_inputs = 1,
     .n_outputs = 1,
     .first_tensor = 2,
     .n_instrs = 1,
     .in_place_input = -1},
    {.op = NPU_OP_ELTWISE,
     .n_inputs = 2,
     .n_outputs = 1,
     .first_tensor = 4,
     .first_instr = 1,
     .n_instrs = 1,
     .in_place_input = -1},
    {.op = NPU_OP_ELTWISE,
     .n_inputs = 2,
     .n_outputs = 1,
     .first_tensor = 7,
     .first_instr = 1,
     .n_instrs = 1,
     .in_place_input = -1},
};

static const npu_kernel_desc kernels[] = {
    {.op = NPU_OP_MATMUL,
     .n_inputs = 2,
     .n_outputs = 1,
     .first_tensor = 10,
     .in_place_input = -1},
    {.op = NPU_OP_ELTWISE,
     .flags = NPU_KERNEL_GENERATED,
     .n_inputs = 2,
     .n_outputs = 1,
     .first_tensor = 13,
     .first_instr = 2,
     .n_instrs = 1,
     .in_place_input = -1},
};

static const npu_io_desc inputs[] = {
    {.tensor = RECTANGLE(ROWS, -1), .bytes = TABLE * sizeof(float)},
};

static const npu_io_desc outputs[] = {
    {.tensor = RECTANGLE(ROWS, -1), .bytes = TABLE * sizeof(float)},
};

static void sum(void *const *operands, int64_t begin, int64_t end) {
  const float *a = operands[0], *b = operands[1];
  float *y = operands[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = a[i] + b[i];
}

static int32_t run(const npu_frame *frame) {
  void *product[] = {frame->inputs[0], (void *)frame->made, frame->arena};
  int32_t status = frame->imports->call_kernel(frame->exec, 0, product);
  if (status != 0)
    return status;
  const uint8_t *table = frame->made + (MATRIX + 2 * TABLE) * sizeof(float);
  void *added[] = {frame->arena, (void *)table, frame->outputs[0]};
  return frame->imports->parallel_for(frame->exec, 1, TABLE, TABLE, sum, added);
}

__attribute__((visibility("default")))
const npu_program npu_program_root __asm__(NPU_PROGRAM_SYMBOL) = {
    .magic = {'N', 'P', 'U', 'P', 'R', 'O', 'G', '\n'},
    .version = NPU_FORMAT_VERSION,
    .size = sizeof(npu_program),
    .kernels = kernels,
    .makers = makers,
    .attrs = attrs,
    .tensors = tensors,
    .instrs = instrs,
    .inputs = inputs,
    .outputs = outputs,
    .weights = (const uint8_t *)&stored,
    .weight_bytes = sizeof(stored),
    .arena_bytes = TABLE * sizeof(float),
    .n_kernels = sizeof(kernels) / sizeof(kernels[0]),
    .n_makers = sizeof(makers) / sizeof(makers[0]),
    .n_attrs = sizeof(attrs) / sizeof(attrs[0]),
    .n_tensors = sizeof(tensors) / sizeof(tensors[0]),
    .n_instrs = sizeof(instrs) / sizeof(instrs[0]),
    .n_inputs = 1,
    .n_outputs = 1,
    .run = run,
};
