/* SPDX-License-Identifier: Apache-2.0
 *
 * The chip's program of a .npu file (npuc --chip-program), command by command,
 * for a chip's own tools: no compiler, nothing of the file runs. What commands
 * mean: docs/chip-program.md.
 *
 * Everything that a function of a visitor gets is valid until it returns.
 * Addresses and steps are bytes.
 */
#ifndef NPU_CHIP_H
#define NPU_CHIP_H

#include "npu/npu.h"

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

typedef enum npu_chip_memory {
  NPU_CHIP_WEIGHTS = 0, /* constants of the file */
  NPU_CHIP_MADE = 1,    /* constants that the runtime makes at load */
  NPU_CHIP_ARENA = 2,   /* values between kernels */
  NPU_CHIP_INPUT = 3,   /* of the model, in stored order; then states */
  NPU_CHIP_OUTPUT = 4,
  NPU_CHIP_ON_CHIP = 5
} npu_chip_memory;

/* At `offset` in the first turn of the loops around the command; each turn of
 * loop i, the outermost is 0, adds steps[i] (loops beyond step_count add
 * nothing). Of a buffer on the chip the offset is in its slot, and the slot,
 * which moves likewise, counts modulo `slots`: its first byte is at
 * slot_address + slot * slot_bytes. */
typedef struct npu_chip_place {
  npu_chip_memory memory;
  uint32_t number; /* of an input or output */
  int64_t offset;
  const int64_t *steps;
  size_t step_count;
  const char *buffer; /* its name; NULL: it is none, and what follows is 0 */
  int64_t slot_address, slot_bytes;
  uint32_t slots;
  int64_t slot;
  const int64_t *slot_steps;
  size_t slot_step_count;
} npu_chip_place;

typedef struct npu_chip_level {
  int64_t count, source, target;
} npu_chip_level;

/* Copies runs of `run` bytes; levels are loops, the outermost first. */
typedef struct npu_chip_dma {
  npu_chip_place source, target;
  int64_t run;
  const npu_chip_level *levels;
  size_t level_count;
} npu_chip_dma;

/* A tile. `strides`: of each outer dimension in the layout's order, then of
 * each block; none: it lies dense. */
typedef struct npu_chip_operand {
  npu_chip_place place;
  npu_type type;
  int32_t rank;
  int64_t shape[NPU_TENSOR_MAX_RANK];
  const char *layout; /* as letters: "acdb" */
  const int64_t *strides;
  size_t stride_count;
} npu_chip_operand;

/* Of convolutions and pools, by spatial dimension. */
typedef struct npu_chip_window {
  int32_t spatial; /* how many; 0: there is no window */
  int64_t kernel[3], strides[3], dilations[3];
  int64_t pads_begin[3], pads_end[3]; /* of this tile */
  int64_t groups;
} npu_chip_window;

typedef struct npu_chip_compute {
  const char *engine; /* "array", "vector", "mover", "processor" */
  const char *op;     /* "conv", "max_pool", "eltwise", ... */
  const npu_chip_operand *operands; /* inputs, then the result */
  size_t operand_count;
  npu_chip_window window;
  size_t instruction_count; /* of the output stage, or of an eltwise */
} npu_chip_compute;

/* Functions that are NULL are passed over. One that returns another number than
 * 0 ends the visit. */
typedef struct npu_chip_visitor {
  size_t size; /* sizeof(npu_chip_visitor) */
  void *user;
  int32_t (*kernel)(void *user, const char *name, const char *node);
  int32_t (*loop)(void *user, const char *axis, int64_t trips);
  int32_t (*end_loop)(void *user);
  int32_t (*dma)(void *user, const npu_chip_dma *dma);
  int32_t (*compute)(void *user, const npu_chip_compute *compute);
} npu_chip_visitor;

/* Of a model however it was loaded (simulate_only is enough). NPU_BAD_ARGUMENT
 * where the file has no chip's program, NPU_BAD_FILE where it is damaged,
 * NPU_RUN_FAILED where a function ended the visit. */
npu_code npu_chip_visit(const npu_model *model, const npu_chip_visitor *visitor,
                        npu_status *status);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPU_CHIP_H */
