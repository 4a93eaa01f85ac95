/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API of the npuc runtime: load a .npu file, make contexts, run.
 *
 * Loading a .npu file runs native code from it. The checksum inside finds
 * accidents (a cut download, a flipped bit), not malice: load only files that
 * you would also execute.
 *
 * Conventions
 * - Functions that can fail return an npu_code and, where the caller passes an
 *   npu_status (it may be NULL), fill it with the code and one sentence: what
 *   was found, what was expected, what to do. The caller owns the npu_status.
 * - Strings and arrays in info structs belong to the model and live as long as
 *   it; whatever a function named *_create or *_load returns belongs to the
 *   caller, who frees it with the matching function. Freeing NULL does nothing.
 * - Sizes are bytes, times nanoseconds or milliseconds as the name says.
 * - A model may be used by several threads. A context serves one run at a time.
 * - Results are the same to the bit from run to run and from context to context
 *   of models with as many threads. With another number of threads floats may
 *   differ in the last bits: sums are divided among threads, and kernels are
 *   chosen for them.
 * - Buffers hold tensors in the program's stored order (npu_tensor_info.layout)
 *   and are aligned to NPU_BUFFER_ALIGNMENT; npu_buffer_create makes such ones.
 */
#ifndef NPU_NPU_H
#define NPU_NPU_H

#include <stddef.h>
#include <stdint.h>

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

#define NPU_BUFFER_ALIGNMENT 64
#define NPU_TENSOR_MAX_RANK 8
#define NPU_STATUS_MESSAGE_BYTES 2044

typedef enum npu_code {
  NPU_OK = 0,
  NPU_BAD_ARGUMENT = 1,  /* null pointer, wrong count, size or alignment */
  NPU_CANNOT_READ = 2,   /* the file cannot be opened or read */
  NPU_BAD_FILE = 3,      /* not a .npu file, damaged, or inconsistent */
  NPU_WRONG_VERSION = 4, /* of the format or of the kernel library */
  NPU_WRONG_MACHINE = 5, /* this processor lacks something the file needs */
  NPU_OUT_OF_MEMORY = 6,
  NPU_RUN_FAILED = 7, /* a kernel reported an error; the message names it */
  NPU_INTERNAL = 8,
  NPU_BAD_PLUGIN = 9 /* it cannot be loaded, is missing, or another version */
} npu_code;

typedef struct npu_status {
  npu_code code;
  char message[NPU_STATUS_MESSAGE_BYTES]; /* empty if code is NPU_OK */
} npu_status;

/* Element types; npu_type_name gives "f32", ... bool is one byte, 0 or 1. */
typedef enum npu_type {
  NPU_TYPE_F32 = 0,
  NPU_TYPE_F16 = 1,
  NPU_TYPE_BF16 = 2,
  NPU_TYPE_I8 = 3,
  NPU_TYPE_U8 = 4,
  NPU_TYPE_I32 = 5,
  NPU_TYPE_I64 = 6,
  NPU_TYPE_BOOL = 7,
  NPU_TYPE_I16 = 8,
  NPU_TYPE_F64 = 9,
  NPU_TYPE_U16 = 10,
  NPU_TYPE_U32 = 11,
  NPU_TYPE_U64 = 12
} npu_type;

typedef struct npu_model npu_model;     /* a loaded program and its kernels */
typedef struct npu_context npu_context; /* the memory of one run at a time */

/* Memory and threads that the caller brings. Functions that are NULL are the
 * system's. They are called with `user`, maybe from several threads at once,
 * must not throw, and must stay valid until the model and all its contexts are
 * freed. */
typedef struct npu_host {
  size_t size; /* sizeof(npu_host) */
  void *user;
  /* Memory of `bytes` (> 0), aligned to `alignment` bytes (a power of two), of
   * any content; NULL if there is not enough, which ends what asked for it with
   * NPU_OUT_OF_MEMORY. Asked for arenas, scratch and packed weights; small
   * tables come from malloc, constants that are made of the file's at load are
   * the system's pages, as the file's are. release gets what allocate gave.
   * Both or neither. */
  void *(*allocate)(void *user, uint64_t bytes, uint64_t alignment);
  void (*release)(void *user, void *block, uint64_t bytes);
  /* Calls task(data, i) once for each i from 0 to count - 1, on threads of its
   * choice, and returns when all have returned. Then the model starts no
   * threads: a run is on the thread that calls npu_run, and divides its work
   * into npu_load_options.threads tasks. Kernels of oneDNN, which has threads
   * of its own only, run on the calling thread alone. Tasks call nothing of
   * npu.h. */
  void (*parallel_for)(void *user, int32_t count,
                       void (*task)(void *data, int32_t index), void *data);
} npu_host;

/* What a run executes. */
typedef enum npu_execute {
  NPU_EXECUTE_KERNELS = 0, /* the processor's kernels, each as a whole */
  /* The chip's program (docs/chip-program.md; npuc --chip-program), command by
   * command, in memories of the chip's sizes. Reading what nothing has written
   * and writing twice are errors: NPU_RUN_FAILED names command, kernel, node
   * and address. */
  NPU_EXECUTE_CHIP = 1,
  NPU_EXECUTE_CHIP_UNCHECKED = 2 /* without these two checks: faster */
} npu_execute;

typedef struct npu_load_options {
  /* Threads of a run, fixed for the life of the model because weights are
   * packed for them; 0: as many as processors this process may use. */
  int32_t threads;
  /* Not 0: runs happen on the calling thread, alone, so that several contexts
   * run side by side. Then `threads` must be 0 or 1. Else a run is on the
   * calling thread, too, with a team of threads that the model owns, and
   * concurrent runs take turns. */
  int32_t run_inline;
  /* Not 0: only the chip's time is asked for. No kernel is made, no weight is
   * packed, no thread started, nothing of the file's code mapped, and any
   * processor will do. npu_context_create and the conversions then return
   * NPU_BAD_ARGUMENT. */
  int32_t simulate_only;
  /* NULL: memory and threads are the system's. Copied. */
  const npu_host *host;
  /* Paths of plugins (docs/plugins.md), of which the model needs those that it
   * was compiled with; others do no harm. A library stays loaded until the
   * process ends. */
  const char *const *plugins;
  int32_t plugin_count;
  /* An npu_execute. A program of the chip is NPU_BAD_FILE where it is damaged
   * and NPU_BAD_ARGUMENT where the file has none. Kernels are not timed then.
   */
  int32_t execute;
} npu_load_options;

typedef struct npu_tensor_info {
  const char *name;
  npu_type type;
  int32_t rank;
  int64_t shape[NPU_TENSOR_MAX_RANK]; /* logical, in the model's own order */
  const char *layout;      /* stored order as letters: "acdb", "aBcd16b" */
  const char *layout_name; /* the same as a person says it: "NHWC" */
  uint64_t bytes;          /* stored, block padding included */
  uint64_t row_bytes;      /* in row-major logical order, without padding */
  /* Of quantized numbers (npuc --quantized-io), which stand for
   * (number - zero_point) * scale; a scale of 0: they are none. */
  double scale;
  int64_t zero_point;
} npu_tensor_info;

typedef struct npu_load_stats {
  double load_ms; /* everything npu_model_load did, packing included */
  double pack_ms; /* kernels made and weights brought into their order */
  uint64_t file_bytes;
  uint64_t weight_bytes;   /* in the file */
  uint64_t packed_bytes;   /* copies in the kernels' own order, and constants
                              made at load that kernels read as they are */
  uint64_t released_bytes; /* pages of originals given back to the system */
  uint64_t arena_bytes;    /* per context */
  uint64_t scratch_bytes;  /* per context */
  uint64_t state_bytes;    /* per context: each state before and after a run */
  int32_t threads;
} npu_load_stats;

typedef struct npu_kernel_info {
  const char *name;
  const char *op;
  /* "brgconv:avx512_core", "generated", ...; "not made": simulate_only;
   * "chip": execute */
  const char *implementation;
  const char *node;       /* the model's node it comes from */
  const char *layouts;    /* operands then results: "acdb, dcab -> acdb" */
  uint64_t bytes;         /* read and written in one run */
  uint64_t adapter_bytes; /* moved by hidden layout changes in one run */
  int32_t generated;      /* not 0: code of the file itself */
  int32_t relayout;       /* not 0: only moves bytes because of layout */
  int32_t slow;           /* not 0: runs on a reference implementation */
  /* The chip's time in one run: cycles is at least the largest of
   * compute_cycles, dma_cycles and on_chip_cycles, and more where these have to
   * wait for each other. */
  uint64_t cycles, compute_cycles, dma_cycles;
  uint64_t array_cycles, vector_cycles; /* parts of compute_cycles */
  uint64_t dma_in_cycles, dma_out_cycles;
  uint64_t stall_cycles; /* the chip computes nothing */
  /* Of on-chip memory, a third bound of cycles where the chip says its
   * bandwidth; else 0. */
  uint64_t on_chip_cycles;
  /* Not 0 where the processor beside the chip runs the kernel: its time, and
   * what passes between both. Their sum is cycles then. */
  uint64_t processor_cycles, link_cycles, link_bytes;
  /* cycles, if they are from the target's table of measured kernels or from a
   * plugin, or the model's, scaled by others that stand there; else 0. */
  uint64_t measured_cycles, scaled_cycles;
  uint64_t dram_read_bytes, dram_written_bytes;
  /* By array and vector unit; see OnChipBytes in cost/kernel_time.h. */
  uint64_t on_chip_read_bytes, on_chip_written_bytes;
  /* Of on-chip memory, all below the highest address of values that stay. */
  uint64_t resident_bytes;
  uint64_t tile_bytes; /* of on-chip memory for the buffers of tiles */
  uint64_t tiles;      /* into how many parts the kernel is cut */
  const char *tiling;  /* "392x576x64 of 3136x576x256, weights stay" */
  const char *mapping; /* "depthwise, weight-stationary", "processor", ... */
  uint64_t macs;       /* multiply-adds, without those that pad blocks */
  /* Of multiply-adds, bytes of DRAM and of on-chip memory, in pJ (1e-12 J); 0
   * where the target says nothing of energy. */
  uint64_t energy_pj;
  /* What no plan for the kernel takes less than: the longest of its
   * multiplications at the array's peak, by the cheapest algorithm that the
   * target has, and of the bytes that each memory has to give and to take. Then
   * its parts of the network's: those multiplications; constants and inputs
   * that no kernel before it has read; outputs. */
  uint64_t floor_cycles, floor_array_cycles, floor_in_cycles, floor_out_cycles;
  double utilisation; /* of the array: macs / (cycles * peak of their type) */
  /* What binds: "mac array", "vector unit", "dma", "on-chip memory",
   * "processor", "link". */
  const char *bound;
} npu_kernel_info;

/* The chip that a program is for, as its target file says. */
typedef struct npu_chip_info {
  const char *name;
  const char *data_flow;
  double clock_mhz;
  double macs_per_cycle; /* of types that have no rate of their own */
  double dma_bytes_per_cycle;
  double sram_bytes;   /* 0: not modelled */
  double dma_channels; /* 2: one for each direction */
} npu_chip_info;

typedef struct npu_kernel_time {
  uint64_t calls;    /* since profiling was switched on or reset */
  uint64_t total_ns; /* of these calls */
  uint64_t start_ns; /* of the last call, since the start of its run */
  uint64_t last_ns;  /* of the last call */
} npu_kernel_time;

typedef struct npu_buffer {
  void *data;
  uint64_t bytes; /* must equal npu_tensor_info.bytes */
} npu_buffer;

/* "0.1.0" */
const char *npu_version(void);
/* "oneDNN 3.2.0"; "own kernels 0.1.0" in a build without oneDNN. */
const char *npu_kernel_library(void);
/* `type` is an npu_type; other numbers are "unknown" and have 0 bytes. */
const char *npu_type_name(int32_t type);
/* Bytes of one element. */
uint64_t npu_type_bytes(int32_t type);

/* The plugin whose code the calling thread is in, "acme 1.0 (kernel 'rows':
 * run)", or NULL: for handlers of signals. Valid until called again. */
const char *npu_running_plugin(void);

/* Loads and verifies `path`. `options` may be NULL. On success `*model` is the
 * caller's. */
npu_code npu_model_load(const char *path, const npu_load_options *options,
                        npu_model **model, npu_status *status);
/* The same for the bytes of a .npu file in memory, which are copied: they may
 * be freed afterwards, and need no alignment. Returns NPU_OUT_OF_MEMORY where
 * the copy finds no room, NPU_CANNOT_READ where the system allows no code in
 * files without a name (vm.memfd_noexec), else as npu_model_load. */
npu_code npu_model_load_memory(const void *data, uint64_t bytes,
                               const npu_load_options *options,
                               npu_model **model, npu_status *status);
/* Contexts keep what they need: freeing order does not matter. */
void npu_model_free(npu_model *model);

size_t npu_model_input_count(const npu_model *model);
size_t npu_model_output_count(const npu_model *model);
npu_code npu_model_input(const npu_model *model, size_t index,
                         npu_tensor_info *info, npu_status *status);
npu_code npu_model_output(const npu_model *model, size_t index,
                          npu_tensor_info *info, npu_status *status);

/* States: what a run leaves for the next one of the same context (past frames
 * of a streaming network, docs/streaming.md). They are neither inputs nor
 * outputs; names differ. */
size_t npu_model_state_count(const npu_model *model);
npu_code npu_model_state(const npu_model *model, size_t index,
                         npu_tensor_info *info, npu_status *status);

/* The manifest as JSON text (docs/program-format.md), terminated. */
const char *npu_model_manifest(const npu_model *model);
npu_load_stats npu_model_stats(const npu_model *model);
/* Things worth telling a person: kernels that landed on a reference, ... */
size_t npu_model_warning_count(const npu_model *model);
const char *npu_model_warning(const npu_model *model, size_t index);

size_t npu_model_kernel_count(const npu_model *model);
npu_code npu_model_kernel(const npu_model *model, size_t index,
                          npu_kernel_info *info, npu_status *status);

npu_code npu_model_chip(const npu_model *model, npu_chip_info *info,
                        npu_status *status);

npu_code npu_context_create(npu_model *model, npu_context **context,
                            npu_status *status);
/* The same in memory of the caller, of any content: `arena` and `scratch` of at
 * least npu_load_stats.arena_bytes and scratch_bytes, aligned to
 * NPU_BUFFER_ALIGNMENT, not overlapping ({NULL, 0} where 0 are needed), else
 * NPU_BAD_ARGUMENT. It stays the caller's and must live as long as the context.
 * Between runs it holds nothing, states have memory of their own: contexts that
 * never run at the same time may share it. A run that meets NaN and is repeated
 * with other kernels may need more scratch, and takes that from
 * npu_host.allocate or the system. */
npu_code npu_context_create_in(npu_model *model, npu_buffer arena,
                               npu_buffer scratch, npu_context **context,
                               npu_status *status);
void npu_context_free(npu_context *context);

/* Runs once. Inputs are read, outputs are written whole; the buffers may not
 * overlap. Results are the same, bit for bit, in every run with the same states
 * before it. A run that fails leaves the states as they were. */
npu_code npu_run(npu_context *context, const npu_buffer *inputs,
                 size_t input_count, const npu_buffer *outputs,
                 size_t output_count, npu_status *status);

/* Every state as the model begins: zeros, or a constant of its own. A context
 * is made so. */
npu_code npu_context_reset(npu_context *context, npu_status *status);
/* What a state holds between two runs, in row-major logical order: `row_bytes`
 * is npu_tensor_info.row_bytes, `rows` is aligned for its elements. */
npu_code npu_context_read_state(npu_context *context, const char *name,
                                void *rows, uint64_t row_bytes,
                                npu_status *status);
npu_code npu_context_write_state(npu_context *context, const char *name,
                                 const void *rows, uint64_t row_bytes,
                                 npu_status *status);

/* Times kernels from now on (1) or not (0, the default), and clears times. */
void npu_context_set_profiling(npu_context *context, int32_t on);
npu_code npu_context_kernel_time(const npu_context *context, size_t index,
                                 npu_kernel_time *time, npu_status *status);

/* Between row-major logical order (row_bytes) and stored order (bytes). `rows`
 * is aligned for its elements. */
npu_code npu_model_store_input(npu_model *model, size_t index, const void *rows,
                               uint64_t row_bytes, npu_buffer stored,
                               npu_status *status);
npu_code npu_model_fetch_output(npu_model *model, size_t index,
                                npu_buffer stored, void *rows,
                                uint64_t row_bytes, npu_status *status);

/* Zeroed memory aligned to NPU_BUFFER_ALIGNMENT; data is NULL if there is not
 * enough. npu_buffer_free frees it. */
npu_buffer npu_buffer_create(uint64_t bytes);
void npu_buffer_free(npu_buffer buffer);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPU_NPU_H */
