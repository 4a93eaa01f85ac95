/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin as a chip's maker would write one, and, with DEMO_FAULT defined,
 * plugins with one thing wrong each. */
#include "npu/plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef DEMO_NAME
#define DEMO_NAME "demo"
#endif
#ifndef DEMO_VERSION
#define DEMO_VERSION "1.0"
#endif
#ifndef DEMO_FAULT
#define DEMO_FAULT 0
#endif
/* The tests' CMakeLists names them. */
enum {
  FAULT_NONE = 0,
  FAULT_ABI = 1,
  FAULT_SIZE = 2,
  FAULT_NAME = 3,
  FAULT_NULL = 4,
  FAULT_KERNEL_SIZE = 5,
  FAULT_COST = 6,
  FAULT_CRASH_QUERY = 7,
  FAULT_NO_REFERENCE = 8,
  FAULT_RELATION = 9,
  FAULT_CRASH_RUN = 10,
  FAULT_INFER = 11,
  FAULT_STATUS = 12,
  FAULT_REASON = 13,
  FAULT_RESULTS = 14,
  FAULT_OPTIONAL = 15,
  FAULT_TALKS = 16
};

static const npu_plugin_host *host;

static int refuse(npu_plugin_answer *answer, const char *why) {
  strncpy(answer->reason, why, NPU_PLUGIN_TEXT - 1);
  return 0;
}

static int in_rows(const npu_tensor_desc *tensor) {
  for (int d = 0; d < tensor->rank; ++d)
    if (tensor->order[d] != d)
      return 0;
  return tensor->block_count == 0;
}

/* --- a kernel for convolutions in rows, with relu ---------------------------
 */

typedef struct conv {
  npu_tensor_desc data, weight, result;
  npu_conv_attrs attrs;
  int relu;
  float *weights; /* packed: those of one result channel after the other */
} conv;

static int32_t conv_query(const npu_plugin_problem *problem,
                          npu_plugin_answer *answer) {
#if DEMO_FAULT == 7
  volatile int *nowhere = NULL;
  return *nowhere;
#endif
#if DEMO_FAULT == 12
  return 3;
#endif
  const npu_conv_attrs *attrs = &problem->attrs->conv;
  if (problem->n_inputs != 2 || attrs->has_bias)
    return refuse(answer, "a bias or a residual");
  if (problem->inputs[0].rank != 4 || attrs->groups != 1)
    return refuse(answer, "not one group of images");
  if (problem->inputs[1].weights_offset < 0)
    return refuse(answer, "weights that are not constant");
  for (int i = 0; i < 2; ++i)
    if (problem->inputs[i].dtype != NPU_F32 || !in_rows(&problem->inputs[i]))
      return refuse(answer, "not f32 in rows");
  if (problem->outputs[0].dtype != NPU_F32 || !in_rows(&problem->outputs[0]))
    return refuse(answer, "not f32 in rows");
  if (problem->n_instrs > 1 ||
      (problem->n_instrs == 1 && problem->instrs[0].kind != NPU_INSTR_relu))
    return refuse(answer, "fused with something other than relu");
  answer->accepts = 1;
  answer->cycles = 4321;
#if DEMO_FAULT == 6
  answer->cycles = NAN;
#endif
  answer->packed_inputs = 1u << 1;
  return 0;
}

static int32_t conv_create(const npu_plugin_problem *problem, void **kernel) {
  conv *made = host->allocate(sizeof(conv));
  if (!made)
    return 1;
  made->data = problem->inputs[0];
  made->weight = problem->inputs[1];
  made->result = problem->outputs[0];
  made->attrs = problem->attrs->conv;
  made->relu = problem->n_instrs;
  made->weights = NULL;
  *kernel = made;
  return 0;
}

static int32_t conv_pack(void *kernel, const void *const *operands) {
  conv *self = kernel;
  uint64_t bytes = sizeof(float);
  for (int d = 0; d < 4; ++d)
    bytes *= (uint64_t)self->weight.dims[d];
  self->weights = host->allocate(bytes);
  if (!self->weights)
    return 1;
  memcpy(self->weights, operands[1], bytes);
  return 0;
}

static void conv_destroy(void *kernel) {
  host->release(((conv *)kernel)->weights);
  host->release(kernel);
}

typedef struct conv_job {
  const conv *self;
  const float *data;
  float *result;
} conv_job;

/* The images of some result channels. */
static void conv_channels(void *data, int64_t begin, int64_t end) {
  const conv_job *job = data;
  const conv *self = job->self;
  const int64_t *in = self->data.dims, *out = self->result.dims;
  const int64_t *window = self->weight.dims;
  const npu_conv_attrs *a = &self->attrs;
  for (int64_t nc = begin; nc < end; ++nc)
    for (int64_t y = 0; y < out[2]; ++y)
      for (int64_t x = 0; x < out[3]; ++x) {
        int64_t n = nc / out[1], o = nc % out[1];
        float sum = 0;
        for (int64_t c = 0; c < in[1]; ++c)
          for (int64_t ky = 0; ky < window[2]; ++ky)
            for (int64_t kx = 0; kx < window[3]; ++kx) {
              int64_t iy =
                  y * a->strides[0] + ky * a->dilations[0] - a->pads_begin[0];
              int64_t ix =
                  x * a->strides[1] + kx * a->dilations[1] - a->pads_begin[1];
              if (iy < 0 || iy >= in[2] || ix < 0 || ix >= in[3])
                continue;
              sum +=
                  job->data[((n * in[1] + c) * in[2] + iy) * in[3] + ix] *
                  self->weights[((o * in[1] + c) * window[2] + ky) * window[3] +
                                kx];
            }
        job->result[(nc * out[2] + y) * out[3] + x] =
            self->relu && !(sum > 0) ? 0 : sum;
      }
}

static int32_t conv_run(const void *kernel, const npu_plugin_run *run) {
  conv_job job = {kernel, run->operands[0], run->operands[2]};
#if DEMO_FAULT == 10
  volatile int *nowhere = NULL;
  return *nowhere;
#endif
  run->parallel_for(run->host,
                    job.self->result.dims[0] * job.self->result.dims[1], 1,
                    conv_channels, &job);
  return 0;
}

static const char *const conv_targets[] = {"npu-nchw", "demo-chip", NULL};

/* --- scale: x * s[i] * factor along an axis ----------------------------------
 */

static int64_t int_of(const npu_plugin_problem *problem, const char *name,
                      int64_t otherwise) {
  for (int32_t i = 0; i < problem->n_attributes; ++i) {
    const npu_attribute *attribute = &problem->attributes[i];
    if (strcmp(attribute->name, name) == 0 && attribute->ints &&
        attribute->count == 1)
      return attribute->ints[0];
  }
  return otherwise;
}

static float float_of(const npu_plugin_problem *problem, const char *name,
                      float otherwise) {
  for (int32_t i = 0; i < problem->n_attributes; ++i) {
    const npu_attribute *attribute = &problem->attributes[i];
    if (strcmp(attribute->name, name) == 0 && attribute->floats &&
        attribute->count == 1)
      return attribute->floats[0];
  }
  return otherwise;
}

static int32_t scale_infer(const npu_plugin_problem *problem,
                           npu_tensor_desc *result,
                           char reason[NPU_PLUGIN_TEXT]) {
  int64_t axis = int_of(problem, "axis", 1);
  const npu_tensor_desc *x = &problem->inputs[0], *s = &problem->inputs[1];
  if (x->dtype != NPU_F32 || s->dtype != NPU_F32 || s->rank != 1 || axis < 0 ||
      axis >= x->rank || x->dims[axis] != s->dims[0]) {
    strcpy(reason, "scale takes f32 x and s, s of the extent of x's axis");
    return 1;
  }
  *result = *x;
#if DEMO_FAULT == 11
  result->rank = 99;
#endif
  return 0;
}

static int32_t scale_relate(const npu_plugin_problem *problem,
                            npu_plugin_relation *relation) {
#if DEMO_FAULT == 16
  host->message(0, "relate is asked");
#endif
  relation->inputs[1][0] = relation->result[int_of(problem, "axis", 1)];
#if DEMO_FAULT == 9
  relation->result[0] = relation->result[1];
#endif
  return 0;
}

typedef struct scale {
  int64_t outer, extent, inner;
  float factor;
} scale;

static int32_t any_query(const npu_plugin_problem *problem,
                         npu_plugin_answer *answer) {
  for (int32_t i = 0; i < problem->n_inputs; ++i)
    if (!in_rows(&problem->inputs[i]))
      return refuse(answer, "not in rows");
  answer->accepts = in_rows(&problem->outputs[0]);
  return answer->accepts ? 0 : refuse(answer, "not in rows");
}

static int32_t scale_create(const npu_plugin_problem *problem, void **kernel) {
  scale *made = host->allocate(sizeof(scale));
  if (!made)
    return 1;
  int64_t axis = int_of(problem, "axis", 1);
  const npu_tensor_desc *x = &problem->inputs[0];
  made->outer = made->inner = 1;
  for (int d = 0; d < x->rank; ++d)
    if (d != axis)
      *(d < axis ? &made->outer : &made->inner) *= x->dims[d];
  made->extent = x->dims[axis];
  made->factor = float_of(problem, "factor", 1);
  *kernel = made;
  return 0;
}

static int32_t scale_run(const void *kernel, const npu_plugin_run *run) {
  const scale *self = kernel;
  const float *x = run->operands[0], *s = run->operands[1];
  float *y = run->operands[2];
  for (int64_t o = 0; o < self->outer; ++o)
    for (int64_t e = 0; e < self->extent; ++e)
      for (int64_t i = 0; i < self->inner; ++i) {
        int64_t at = (o * self->extent + e) * self->inner + i;
        y[at] = x[at] * s[e] * self->factor;
      }
  return 0;
}

static void free_kernel(void *kernel) { host->release(kernel); }

/* --- halve: means of 2 x 2 pixels, with a kernel for channels last -----------
 */

static int32_t halve_infer(const npu_plugin_problem *problem,
                           npu_tensor_desc *result,
                           char reason[NPU_PLUGIN_TEXT]) {
  const npu_tensor_desc *x = &problem->inputs[0];
  if (x->dtype != NPU_F32 || x->rank != 4) {
    strcpy(reason, "halve takes f32 images");
    return 1;
  }
  *result = *x;
  result->dims[2] /= 2;
  result->dims[3] /= 2;
  return 0;
}

static int32_t halve_relate(const npu_plugin_problem *problem,
                            npu_plugin_relation *relation) {
  (void)problem;
  relation->independent[0] = 0;
  return 0;
}

static int32_t halve_work(const npu_plugin_problem *problem,
                          npu_plugin_work *work) {
  const int64_t *dims = problem->outputs[0].dims;
  work->elements = 4.0 * (double)(dims[0] * dims[1] * dims[2] * dims[3]);
  return 0;
}

typedef struct halve {
  int64_t in[4], out[4], in_step[4], out_step[4];
} halve;

static int32_t last_query(const npu_plugin_problem *problem,
                          npu_plugin_answer *answer) {
  static const int8_t nhwc[4] = {0, 2, 3, 1};
  if (memcmp(problem->inputs[0].order, nhwc, 4) != 0 ||
      memcmp(problem->outputs[0].order, nhwc, 4) != 0 ||
      problem->inputs[0].block_count || problem->outputs[0].block_count)
    return refuse(answer, "not channels last");
  answer->accepts = 1;
  return 0;
}

static void steps_of(const npu_tensor_desc *tensor, int64_t *steps) {
  int64_t step = 1;
  for (int place = tensor->rank - 1; place >= 0; --place) {
    steps[tensor->order[place]] = step;
    step *= tensor->dims[tensor->order[place]];
  }
}

static int32_t halve_create(const npu_plugin_problem *problem, void **kernel) {
  halve *made = host->allocate(sizeof(halve));
  if (!made)
    return 1;
  memcpy(made->in, problem->inputs[0].dims, sizeof(made->in));
  memcpy(made->out, problem->outputs[0].dims, sizeof(made->out));
  steps_of(&problem->inputs[0], made->in_step);
  steps_of(&problem->outputs[0], made->out_step);
  *kernel = made;
  return 0;
}

static int32_t halve_run(const void *kernel, const npu_plugin_run *run) {
  const halve *s = kernel;
  const float *x = run->operands[0];
  float *y = run->operands[1];
  for (int64_t n = 0; n < s->out[0]; ++n)
    for (int64_t c = 0; c < s->out[1]; ++c)
      for (int64_t h = 0; h < s->out[2]; ++h)
        for (int64_t w = 0; w < s->out[3]; ++w) {
          const float *at = x + n * s->in_step[0] + c * s->in_step[1] +
                            2 * h * s->in_step[2] + 2 * w * s->in_step[3];
          y[n * s->out_step[0] + c * s->out_step[1] + h * s->out_step[2] +
            w * s->out_step[3]] =
              (at[0] + at[s->in_step[2]] + at[s->in_step[3]] +
               at[s->in_step[2] + s->in_step[3]]) /
              4;
        }
  return 0;
}

/* --- bump: x + 1, in place; what pads a block must stay zero
 * ------------------ */

static int32_t bump_infer(const npu_plugin_problem *problem,
                          npu_tensor_desc *result,
                          char reason[NPU_PLUGIN_TEXT]) {
  if (problem->inputs[0].dtype != NPU_F32) {
    strcpy(reason, "bump takes f32");
    return 1;
  }
  *result = problem->inputs[0];
  return 0;
}

static int32_t bump_create(const npu_plugin_problem *problem, void **kernel) {
  int64_t *count = host->allocate(sizeof(int64_t));
  if (!count)
    return 1;
  *count = 1;
  for (int d = 0; d < problem->inputs[0].rank; ++d)
    *count *= problem->inputs[0].dims[d];
  *kernel = count;
  return 0;
}

static int32_t bump_run(const void *kernel, const npu_plugin_run *run) {
  const float *x = run->operands[0];
  float *y = run->operands[1];
  for (int64_t i = 0; i < *(const int64_t *)kernel; ++i)
    y[i] = x[i] + 1;
  return 0;
}

/* --- pick: result r is x * table[r] plus the input behind x of number r, where
 * it is there: a tensor among the attributes, inputs left out, two results ---
 */

static const npu_attribute *attribute_of(const npu_plugin_problem *problem,
                                         const char *name, int32_t kind) {
  for (int32_t i = 0; i < problem->n_attributes; ++i)
    if (strcmp(problem->attributes[i].name, name) == 0 &&
        problem->attributes[i].kind == kind)
      return &problem->attributes[i];
  return NULL;
}

static int32_t pick_infer(const npu_plugin_problem *problem,
                          npu_tensor_desc *result,
                          char reason[NPU_PLUGIN_TEXT]) {
  const npu_attribute *table =
      attribute_of(problem, "table", NPU_ATTRIBUTE_TENSORS);
#if DEMO_FAULT == 13
  memset(reason, 'x', NPU_PLUGIN_TEXT);
  return 1;
#endif
  if (!table || table->count != 1 || table->tensors[0].dtype != NPU_F32 ||
      table->tensors[0].rank != 1 || table->tensors[0].dims[0] != 2 ||
      table->tensors[0].bytes != 2 * sizeof(float)) {
    strcpy(reason, "pick takes a table of two floats");
    return 1;
  }
  *result = problem->inputs[0];
  return 0;
}

typedef struct pick {
  int64_t count;
  float factor;
  int32_t added;  /* which operand is added, or -1 */
  int32_t result; /* which operand the result is */
} pick;

static int32_t pick_create(const npu_plugin_problem *problem, void **kernel) {
  pick *made = host->allocate(sizeof(pick));
  if (!made)
    return 1;
  const npu_tensor_desc *x = &problem->inputs[0];
  made->count = 1;
  for (int d = 0; d < x->rank; ++d)
    made->count *= x->dims[d];
  const npu_attribute *table =
      attribute_of(problem, "table", NPU_ATTRIBUTE_TENSORS);
  made->factor = ((const float *)table->tensors[0].data)[problem->result];
  made->added = -1;
  for (int32_t i = 1; i < problem->n_inputs; ++i)
    if (problem->places[i] == problem->result + 1)
      made->added = i;
  made->result = problem->n_inputs;
  *kernel = made;
  return 0;
}

static int32_t pick_run(const void *kernel, const npu_plugin_run *run) {
  const pick *self = kernel;
  const float *x = run->operands[0];
  const float *added = self->added < 0 ? NULL : run->operands[self->added];
  float *y = run->operands[self->result];
  for (int64_t i = 0; i < self->count; ++i)
    y[i] = x[i] * self->factor + (added ? added[i] : 0);
  return 0;
}

/* --- what it brings ----------------------------------------------------------
 */

#define KERNEL_SIZE                                                            \
  (sizeof(npu_plugin_kernel) - (DEMO_FAULT == 5 ? sizeof(void *) : 0))

static const npu_plugin_kernel scale_reference = {sizeof(npu_plugin_kernel),
                                                  NPU_OP_CUSTOM,
                                                  "scale",
                                                  "scale",
                                                  NULL,
                                                  any_query,
                                                  scale_create,
                                                  NULL,
                                                  scale_run,
                                                  free_kernel};
static const npu_plugin_kernel lite_scale_reference = {
    sizeof(npu_plugin_kernel),
    NPU_OP_CUSTOM,
    "lite_scale",
    "lite_scale",
    NULL,
    any_query,
    scale_create,
    NULL,
    scale_run,
    free_kernel};
static const npu_plugin_kernel halve_reference = {sizeof(npu_plugin_kernel),
                                                  NPU_OP_CUSTOM,
                                                  "halve",
                                                  "halve",
                                                  NULL,
                                                  any_query,
                                                  halve_create,
                                                  NULL,
                                                  halve_run,
                                                  free_kernel};
static const npu_plugin_kernel bump_reference = {sizeof(npu_plugin_kernel),
                                                 NPU_OP_CUSTOM,
                                                 "bump",
                                                 "bump",
                                                 NULL,
                                                 any_query,
                                                 bump_create,
                                                 NULL,
                                                 bump_run,
                                                 free_kernel};

static const npu_plugin_kernel pick_reference = {sizeof(npu_plugin_kernel),
                                                 NPU_OP_CUSTOM,
                                                 "pick",
                                                 "pick",
                                                 NULL,
                                                 any_query,
                                                 pick_create,
                                                 NULL,
                                                 pick_run,
                                                 free_kernel};

static const npu_plugin_kernel kernels[] = {
    {KERNEL_SIZE, NPU_OP_CONV, "rows", NULL, conv_targets, conv_query,
     conv_create, conv_pack, conv_run, conv_destroy},
    {sizeof(npu_plugin_kernel), NPU_OP_CUSTOM, "halve_last", "halve", NULL,
     last_query, halve_create, NULL, halve_run, free_kernel}};

static const char *const scale_roles[] = {"data", "scale", NULL};
static const char *const image_roles[] = {"data", NULL};

static const npu_plugin_op ops[] = {
    {.struct_size = sizeof(npu_plugin_op),
     .sensitivity = NPU_PLUGIN_LIGHT,
     .name = "scale",
     .domain = "test.demo",
     .op_type = "Scale",
     .min_inputs = 2,
     .max_inputs = 2,
     .roles = scale_roles,
     .in_place_input = -1,
     .n_results = DEMO_FAULT == 14 ? 0 : 1,
     .infer = scale_infer,
     .relate = scale_relate,
     .reference = DEMO_FAULT == 8 ? NULL : &scale_reference},
    {.struct_size = sizeof(npu_plugin_op),
     .sensitivity = NPU_PLUGIN_HEAVY,
     .name = "halve",
     .domain = "test.demo",
     .op_type = "Halve",
     .min_inputs = 1,
     .max_inputs = 1,
     .roles = image_roles,
     .in_place_input = -1,
     .n_results = 1,
     .infer = halve_infer,
     .relate = halve_relate,
     .work = halve_work,
     .reference = &halve_reference},
    {.struct_size = sizeof(npu_plugin_op),
     .sensitivity = NPU_PLUGIN_AGNOSTIC,
     .name = "bump",
     .domain = "test.demo",
     .op_type = "Bump",
     .min_inputs = 1,
     .max_inputs = 1,
     .in_place_input = 0,
     .n_results = 1,
     .infer = bump_infer,
     .reference = &bump_reference},
    {.struct_size = sizeof(npu_plugin_op),
     .sensitivity = NPU_PLUGIN_AGNOSTIC,
     .name = "pick",
     .domain = "test.demo",
     .op_type = "Pick",
     .min_inputs = 1,
     .max_inputs = 3,
     .in_place_input = 0,
     .n_results = 2,
     .optional_inputs = DEMO_FAULT == 15 ? 1u << 3 : 1u << 1,
     .infer = pick_infer,
     .reference = &pick_reference},
    /* What a TFLite file calls CUSTOM 'Scale'. */
    {.struct_size = sizeof(npu_plugin_op),
     .sensitivity = NPU_PLUGIN_LIGHT,
     .name = "lite_scale",
     .domain = "tflite",
     .op_type = "Scale",
     .min_inputs = 2,
     .max_inputs = 2,
     .roles = scale_roles,
     .in_place_input = -1,
     .n_results = 1,
     .infer = scale_infer,
     .relate = scale_relate,
     .reference = &lite_scale_reference}};

static const npu_plugin plugin = {
    {sizeof(npu_plugin) - (DEMO_FAULT == 2 ? 8 : 0),
     NPU_PLUGIN_ABI_VERSION + (DEMO_FAULT == 1),
     DEMO_FAULT == 3 ? "De mo" : DEMO_NAME, DEMO_VERSION},
    kernels,
    ops,
    2,
    5};

const npu_plugin_header *npu_plugin_get(const npu_plugin_host *given,
                                        uint32_t abi_version) {
  if (abi_version != NPU_PLUGIN_ABI_VERSION || DEMO_FAULT == 4)
    return NULL;
  host = given;
  return &plugin.header;
}
