/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels and ops of a plugin, for the compiler and the runtime: what the entry
 * npu_plugin_get returns (docs/plugins.md). Plain C; what every plugin shares
 * is in npu/plugin_host.h.
 *
 * Functions that answer a question (query, infer, relate, work) are pure: the
 * same answer for the same problem, from any thread, without touching the
 * operands. Functions that fail return a number other than 0. Names are
 * [a-z][a-z0-9_]*, at most 32 characters.
 */
#ifndef NPU_PLUGIN_H
#define NPU_PLUGIN_H

#include "format/program_format.h"
#include "npu/plugin_host.h"

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/* What is to be computed. Valid during the call only. */
typedef struct npu_plugin_problem {
  uint32_t struct_size; /* sizeof(npu_plugin_problem) */
  int32_t op;           /* npu_op; NPU_OP_CUSTOM: an op of a plugin */
  int32_t n_inputs, n_outputs;
  /* How they are stored, too. weights_offset: -1, or 0 of a constant. Lanes
   * that pad a block hold zero, of operands and, after a run, of results. */
  const npu_tensor_desc *inputs, *outputs;
  /* What is fused behind the op; none of NPU_OP_CUSTOM. */
  const npu_instr *instrs;
  int32_t n_instrs;
  /* Shares its memory with output 0, or -1. */
  int32_t in_place_input;
  const npu_attrs *attrs; /* of the op; NPU_OP_CUSTOM has those at the end */
  int32_t threads;        /* that one run may use */
  int32_t n_attributes;
  const npu_attribute *attributes; /* sorted by name */
  const char *custom_op;           /* its name, without the plugin's */
  const char *target;              /* the chip's name */
  /* Of each of `inputs`, which input of the model's node it is: not i where one
   * before it is left out. */
  const int32_t *places;
  int32_t result; /* which of the node's results output 0 is */
  int32_t reserved;
} npu_plugin_problem;

/* A kernel's answer. All is zero when query is called but struct_size. */
typedef struct npu_plugin_answer {
  uint32_t struct_size; /* sizeof(npu_plugin_answer) */
  int32_t accepts;      /* 0: no, and `reason` says why in one clause */
  char reason[NPU_PLUGIN_TEXT];
  uint64_t scratch_bytes; /* that a run needs */
  /* Not 0: cycles of the chip, finite and positive, instead of what npuc's
   * model of the chip says. */
  double cycles;
  /* Bit i: pack keeps what it needs of constant input i, runs never read it. */
  uint64_t packed_inputs;
} npu_plugin_answer;

/* What a run gets. */
typedef struct npu_plugin_run {
  uint32_t struct_size;  /* sizeof(npu_plugin_run) */
  int32_t threads;       /* of parallel_for at most */
  void *const *operands; /* inputs, then outputs, as stored, 64-byte aligned */
  void *scratch;         /* scratch_bytes, of any content, 64-byte aligned */
  const void *host;      /* for parallel_for */
  /* Calls body(data, begin, end) with parts of [0, count) of at least `grain`,
   * on several threads, and returns when all have returned. The parts are the
   * same for the same count, grain and threads. */
  void (*parallel_for)(const void *host, int64_t count, int64_t grain,
                       void (*body)(void *data, int64_t begin, int64_t end),
                       void *data);
} npu_plugin_run;

/* One implementation of an op. */
typedef struct npu_plugin_kernel {
  uint32_t struct_size;  /* sizeof(npu_plugin_kernel) */
  int32_t op;            /* npu_op, ELTWISE excepted; NPU_OP_CUSTOM */
  const char *name;      /* in profiles: "acme:" and this */
  const char *custom_op; /* of NPU_OP_CUSTOM: one of this plugin's */
  /* Names of the chips that have it, ended by NULL; NULL: all. */
  const char *const *targets;
  int32_t (*query)(const npu_plugin_problem *problem,
                   npu_plugin_answer *answer);
  /* Of a problem that query accepts. `*kernel` may stay NULL. */
  int32_t (*create)(const npu_plugin_problem *problem, void **kernel);
  /* Once, before the first run: operands[i] is constant input i as stored, NULL
   * of others. NULL: nothing is packed. */
  int32_t (*pack)(void *kernel, const void *const *operands);
  /* Any number of times, also at the same time; ends a run with what it
   * returns. No bit of the result may depend on the time. */
  int32_t (*run)(const void *kernel, const npu_plugin_run *run);
  void (*destroy)(void *kernel); /* NULL: nothing to free */
} npu_plugin_kernel;

/* How much an op cares about layouts. */
typedef enum npu_plugin_sensitivity {
  NPU_PLUGIN_AGNOSTIC = 0, /* any order, the same for all (elementwise) */
  NPU_PLUGIN_LIGHT = 1,    /* any order; some dimensions are special */
  NPU_PLUGIN_HEAVY = 2     /* the kernel decides */
} npu_plugin_sensitivity;

/* Which dimensions of operands and result are one another's: two that have the
 * same number are stored in the same place among their value's others. A
 * dimension that has no partner (reduced, gathered from, the result's own) has
 * a number of its own. Numbers are 0 to 63. Set to the relation of elementwise
 * ops, aligned at the right, when relate is called. */
typedef struct npu_plugin_relation {
  uint32_t struct_size; /* sizeof(npu_plugin_relation) */
  int32_t n_inputs;
  int8_t (*inputs)[NPU_MAX_RANK];
  int8_t result[NPU_MAX_RANK];
  /* Of each input, not 0: it takes any order whatever the others have, as a
   * weight does. */
  int8_t *independent;
} npu_plugin_relation;

/* What one run computes, for the model of the chip's time. All is zero when
 * work is called. */
typedef struct npu_plugin_work {
  uint32_t struct_size; /* sizeof(npu_plugin_work) */
  int32_t reserved;
  double elements; /* vector operations on one element each */
  /* A product of an m x k and a k x n matrix, `count` times, on the matrix
   * unit, of inputs 0 and 1; m = 0: none. */
  int64_t m, k, n, count;
  /* Rows of input 0 that two tiles, one below the other, share. */
  int64_t halo_rows;
  /* For each dimension the extent of the product that it is cut with: 'm',
   * 'k', 'n', 'c' (count), '.' (never cut). Empty: not known. */
  char data_dims[NPU_MAX_RANK + 1];
  char weight_dims[NPU_MAX_RANK + 1];
  char result_dims[NPU_MAX_RANK + 1];
} npu_plugin_work;

/* An op of a custom ONNX domain. Each result of a node that somebody reads is
 * one op in the program, with one output: problem->result says which. */
typedef struct npu_plugin_op {
  uint32_t struct_size; /* sizeof(npu_plugin_op) */
  int32_t sensitivity;  /* npu_plugin_sensitivity */
  const char *name;     /* "rope": targets' demands call it "acme.rope" */
  const char *domain;   /* the model's node: domain "com.acme", */
  const char *op_type;  /* type "Rope" */
  int32_t min_inputs, max_inputs; /* 1 to 16, left out ones among them */
  /* Names of the inputs in demands, ended by NULL; the last is that of all that
   * follow. NULL: "inputs". */
  const char *const *roles;
  /* The input, by its place, whose memory the result may have, if both are
   * stored alike and nobody else reads it; every kernel of the op then allows
   * it. -1: none. */
  int32_t in_place_input;
  int32_t n_results; /* 1 to 16: what a node may have */
  /* Bit i: input i may be left out though others follow it; those from
   * min_inputs on may be at the end. */
  uint32_t optional_inputs;
  int32_t reserved;
  /* Type, rank and extents of the result; in the problem it has none yet, and
   * inputs have no layout. Fails with a clause in `reason`. */
  int32_t (*infer)(const npu_plugin_problem *problem, npu_tensor_desc *result,
                   char reason[NPU_PLUGIN_TEXT]);
  /* NULL: elementwise. */
  int32_t (*relate)(const npu_plugin_problem *problem,
                    npu_plugin_relation *relation);
  /* NULL: one vector operation for each element of the result. */
  int32_t (*work)(const npu_plugin_problem *problem, npu_plugin_work *work);
  /* Takes every problem whose tensors are all row-major; npuc brings others
   * into that order around it, and folds constants with it. Its op, custom_op,
   * targets are not read. */
  const npu_plugin_kernel *reference;
} npu_plugin_op;

/* What npu_plugin_get returns. */
typedef struct npu_plugin {
  npu_plugin_header header;         /* struct_size: sizeof(npu_plugin) */
  const npu_plugin_kernel *kernels; /* asked in this order, before npuc's own */
  const npu_plugin_op *ops;
  int32_t n_kernels, n_ops;
} npu_plugin;

/* `abi_version` is the host's; NULL where the plugin does not have it. */
const npu_plugin_header *npu_plugin_get(const npu_plugin_host *host,
                                        uint32_t abi_version);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPU_PLUGIN_H */
