/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the network that is linked in (program.S), without a file, in memory and
 * on threads of its own, and prints what it gives for a ramp. */
#include "pool.h"

#include <npu/npu.h>

#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 2, MEMORY_BYTES = 1 << 20 };

extern const unsigned char program_begin[], program_end[];

/* All that the runtime gets for tensors and weights: no heap is needed. */
static _Alignas(NPU_BUFFER_ALIGNMENT) unsigned char memory[MEMORY_BYTES];
static uint64_t used;

static npu_status status;

static void check(npu_code code) {
  if (code == NPU_OK)
    return;
  fprintf(stderr, "embed: %s\n", status.message);
  exit(1);
}

/* Takes from `memory`; what the network needs is known when it is loaded, so
 * nothing has to be given back. */
static void *take(void *user, uint64_t bytes, uint64_t alignment) {
  (void)user;
  uint64_t begin = (used + alignment - 1) / alignment * alignment;
  if (begin > MEMORY_BYTES || bytes > MEMORY_BYTES - begin)
    return NULL;
  used = begin + bytes;
  return memory + begin;
}

static void give_back(void *user, void *block, uint64_t bytes) {
  (void)user;
  (void)block;
  (void)bytes;
}

/* A tensor's buffer; ends the program where `memory` is too small. */
static npu_buffer buffer_of(uint64_t bytes) {
  npu_buffer buffer = {take(NULL, bytes, NPU_BUFFER_ALIGNMENT), bytes};
  if (!buffer.data) {
    fprintf(stderr, "embed: raise MEMORY_BYTES: %llu more are needed\n",
            (unsigned long long)bytes);
    exit(1);
  }
  return buffer;
}

static npu_model *load(pool *threads) {
  npu_host host = {sizeof(host), threads, take, give_back, pool_for};
  npu_load_options options = {0};
  options.threads = THREADS;
  options.host = &host;
  npu_model *model = NULL;
  check(npu_model_load_memory(program_begin,
                              (uint64_t)(program_end - program_begin), &options,
                              &model, &status));
  return model;
}

static void run(npu_model *model) {
  npu_tensor_info in, out;
  check(npu_model_input(model, 0, &in, &status));
  check(npu_model_output(model, 0, &out, &status));
  if (in.type != NPU_TYPE_F32 || out.type != NPU_TYPE_F32) {
    fprintf(stderr, "embed: expected f32 in and out\n");
    exit(1);
  }
  /* npu_context_create would ask `take` for the same. */
  npu_load_stats stats = npu_model_stats(model);
  npu_context *context = NULL;
  check(npu_context_create_in(model, buffer_of(stats.arena_bytes),
                              buffer_of(stats.scratch_bytes), &context,
                              &status));

  float *x = buffer_of(in.row_bytes).data, *y = buffer_of(out.row_bytes).data;
  for (uint64_t i = 0; i < in.row_bytes / sizeof(float); ++i)
    x[i] = (float)(i % 17) / 8 - 1;
  npu_buffer stored_x = buffer_of(in.bytes), stored_y = buffer_of(out.bytes);
  check(npu_model_store_input(model, 0, x, in.row_bytes, stored_x, &status));
  check(npu_run(context, &stored_x, 1, &stored_y, 1, &status));
  check(npu_model_fetch_output(model, 0, stored_y, y, out.row_bytes, &status));
  for (uint64_t i = 0; i < out.row_bytes / sizeof(float); ++i)
    printf("%.9g\n", (double)y[i]);
  npu_context_free(context);
}

int main(void) {
  pool *threads = pool_create(THREADS);
  if (!threads)
    return 1;
  npu_model *model = load(threads);
  run(model);
  npu_model_free(model);
  pool_free(threads);
  fprintf(stderr, "embed: %s, %llu of %d bytes\n", npu_kernel_library(),
          (unsigned long long)used, MEMORY_BYTES);
  return 0;
}
