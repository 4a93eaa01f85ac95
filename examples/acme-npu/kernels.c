/* SPDX-License-Identifier: Apache-2.0
 *
 * What the chip computes and npuc does not, or not as fast: a kernel for
 * maxima of windows, and an op of Acme's own in models, which is
 * y = x * sigmoid(slope * x). The simulator runs both; on the chip they are
 * what the backend's assembly names. */
#include "acme.h"

#include <math.h>
#include <npu/plugin.h>
#include <string.h>

static const npu_plugin_host *host;

static int32_t refuse(npu_plugin_answer *answer, const char *why) {
  strncpy(answer->reason, why, NPU_PLUGIN_TEXT - 1);
  return 0;
}

static int64_t elementsOf(const npu_tensor_desc *tensor) {
  int64_t elements = 1;
  for (int32_t d = 0; d < tensor->rank; ++d)
    elements *= tensor->dims[d];
  return elements;
}

/* The kernel: maximum pooling of images with channels last. */

static int isChannelsLast(const npu_tensor_desc *tensor) {
  static const int8_t order[4] = {0, 2, 3, 1};
  return tensor->dtype == NPU_F32 && tensor->rank == 4 &&
         tensor->block_count == 0 &&
         memcmp(tensor->order, order, sizeof(order)) == 0;
}

static int32_t poolQuery(const npu_plugin_problem *problem,
                         npu_plugin_answer *answer) {
  const npu_pool_attrs *pool = &problem->attrs->pool;
  if (!isChannelsLast(&problem->inputs[0]) ||
      !isChannelsLast(&problem->outputs[0]))
    return refuse(answer, "not f32 with channels last");
  if (problem->n_instrs || pool->keep_nan)
    return refuse(answer, "something fused, or NaN that is kept");
  if (pool->dilations[0] != 1 || pool->dilations[1] != 1)
    return refuse(answer, "windows with gaps");
  answer->accepts = 1;
  /* 32 lanes, one element of each window a cycle. */
  answer->cycles = 150 + (double)(elementsOf(&problem->outputs[0]) *
                                  pool->kernel[0] * pool->kernel[1]) /
                             32;
  return 0;
}

typedef struct Pool {
  npu_tensor_desc data, result;
  npu_pool_attrs attrs;
} Pool;

static int32_t poolCreate(const npu_plugin_problem *problem, void **kernel) {
  Pool *pool = host->allocate(sizeof(Pool));
  if (!pool)
    return 1;
  pool->data = problem->inputs[0];
  pool->result = problem->outputs[0];
  pool->attrs = problem->attrs->pool;
  *kernel = pool;
  return 0;
}

typedef struct PoolRun {
  const Pool *pool;
  const float *data;
  float *result;
} PoolRun;

/* Some rows of the result, of all images one behind the other. */
static void poolRows(void *given, int64_t begin, int64_t end) {
  const PoolRun *run = given;
  const npu_pool_attrs *attrs = &run->pool->attrs;
  const int64_t *in = run->pool->data.dims, *out = run->pool->result.dims;
  const int64_t channels = in[1];
  for (int64_t row = begin; row < end; ++row) {
    const int64_t image = row / out[2], top = row % out[2];
    for (int64_t x = 0; x < out[3]; ++x) {
      float *to = run->result + (row * out[3] + x) * channels;
      for (int64_t c = 0; c < channels; ++c)
        to[c] = -INFINITY;
      for (int64_t i = 0; i < attrs->kernel[0]; ++i)
        for (int64_t j = 0; j < attrs->kernel[1]; ++j) {
          const int64_t y = top * attrs->strides[0] + i - attrs->pads_begin[0];
          const int64_t z = x * attrs->strides[1] + j - attrs->pads_begin[1];
          if (y < 0 || y >= in[2] || z < 0 || z >= in[3])
            continue;
          const float *from =
              run->data + ((image * in[2] + y) * in[3] + z) * channels;
          for (int64_t c = 0; c < channels; ++c)
            to[c] = from[c] > to[c] ? from[c] : to[c];
        }
    }
  }
}

static int32_t poolRun(const void *kernel, const npu_plugin_run *run) {
  PoolRun given = {kernel, run->operands[0], run->operands[1]};
  const int64_t *out = given.pool->result.dims;
  run->parallel_for(run->host, out[0] * out[2], 1, poolRows, &given);
  return 0;
}

static void poolDestroy(void *kernel) { host->release(kernel); }

/* The op: com.acme.Swoosh(x), slope = 1. */

static float slopeOf(const npu_plugin_problem *problem) {
  for (int32_t i = 0; i < problem->n_attributes; ++i) {
    const npu_attribute *one = &problem->attributes[i];
    if (strcmp(one->name, "slope") == 0 && one->kind == NPU_ATTRIBUTE_FLOATS &&
        one->count == 1)
      return one->floats[0];
  }
  return 1;
}

static int32_t swooshInfer(const npu_plugin_problem *problem,
                           npu_tensor_desc *result,
                           char reason[NPU_PLUGIN_TEXT]) {
  if (problem->inputs[0].dtype != NPU_F32) {
    strncpy(reason, "it takes f32", NPU_PLUGIN_TEXT - 1);
    return 1;
  }
  result->dtype = NPU_F32;
  result->rank = problem->inputs[0].rank;
  memcpy(result->dims, problem->inputs[0].dims, sizeof(result->dims));
  return 0;
}

/* Element by element: any order will do, if both are stored alike. */
static int32_t swooshQuery(const npu_plugin_problem *problem,
                           npu_plugin_answer *answer) {
  const npu_tensor_desc *x = &problem->inputs[0], *y = &problem->outputs[0];
  if (x->block_count || y->block_count ||
      memcmp(x->order, y->order, (size_t)x->rank) != 0)
    return refuse(answer, "blocks, or two orders");
  answer->accepts = 1;
  return 0;
}

typedef struct Swoosh {
  int64_t elements;
  float slope;
} Swoosh;

static int32_t swooshCreate(const npu_plugin_problem *problem, void **kernel) {
  Swoosh *swoosh = host->allocate(sizeof(Swoosh));
  if (!swoosh)
    return 1;
  swoosh->elements = elementsOf(&problem->inputs[0]);
  swoosh->slope = slopeOf(problem);
  *kernel = swoosh;
  return 0;
}

typedef struct SwooshRun {
  float slope;
  const float *x;
  float *y;
} SwooshRun;

static void swooshPart(void *given, int64_t begin, int64_t end) {
  const SwooshRun *run = given;
  for (int64_t i = begin; i < end; ++i)
    run->y[i] = run->x[i] / (1 + expf(-run->slope * run->x[i]));
}

static int32_t swooshRun(const void *kernel, const npu_plugin_run *run) {
  const Swoosh *swoosh = kernel;
  SwooshRun given = {swoosh->slope, run->operands[0], run->operands[1]};
  run->parallel_for(run->host, swoosh->elements, 4096, swooshPart, &given);
  return 0;
}

static void swooshDestroy(void *kernel) { host->release(kernel); }

/* What the library exports. */
static const char *const chips[] = {"acme", NULL};

static const npu_plugin_kernel kernels[] = {
    {sizeof(npu_plugin_kernel), NPU_OP_MAX_POOL, "pool", NULL, chips, poolQuery,
     poolCreate, NULL, poolRun, poolDestroy},
    {sizeof(npu_plugin_kernel), NPU_OP_CUSTOM, "swoosh", "swoosh", NULL,
     swooshQuery, swooshCreate, NULL, swooshRun, swooshDestroy}};

static const npu_plugin_op ops[] = {{
    .struct_size = sizeof(npu_plugin_op),
    .sensitivity = NPU_PLUGIN_AGNOSTIC,
    .name = "swoosh",
    .domain = "com.acme",
    .op_type = "Swoosh",
    .min_inputs = 1,
    .max_inputs = 1,
    .in_place_input = 0,
    .n_results = 1,
    .infer = swooshInfer,
    .reference = &kernels[1],
}};

const npu_plugin_header *npu_plugin_get(const npu_plugin_host *given,
                                        uint32_t abi_version) {
  static const npu_plugin plugin = {
      {sizeof(plugin), NPU_PLUGIN_ABI_VERSION, ACME_NAME, ACME_VERSION},
      kernels,
      ops,
      2,
      1};
  if (abi_version != NPU_PLUGIN_ABI_VERSION)
    return NULL;
  host = given;
  return &plugin.header;
}
