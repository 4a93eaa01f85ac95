/* SPDX-License-Identifier: Apache-2.0
 *
 * What the chip's maker knows better than npuc: a layout rule, a strategy and
 * an alternative. */
#include "acme.h"

#include <inttypes.h>
#include <npuc/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const npu_plugin_host *host;

static int32_t refuse(char reason[NPU_PLUGIN_TEXT], const char *why) {
  strncpy(reason, why, NPU_PLUGIN_TEXT - 1);
  return 1;
}

/* A fact's first number; -1: the op has no such fact. */
static int64_t numberOf(const npuc_op *op, const char *fact) {
  for (int32_t i = 0; i < op->fact_count; ++i)
    if (strcmp(op->facts[i].name, fact) == 0 && op->facts[i].numbers)
      return op->facts[i].numbers[0];
  return -1;
}

/* The rule: what the blocked engine can take, it takes. */
static void blocksForWholeChannels(const npuc_op *op,
                                   void (*answer)(void *, const char *),
                                   void *answers) {
  const int64_t in = numberOf(op, "channels"),
                out = numberOf(op, "result_channels");
  if (in % 16 != 0 || out % 16 != 0 || numberOf(op, "groups") != 1)
    return;
  answer(answers, "NCHW16c");
  answer(answers, "default");
}

/* The strategy: ops in order, each in the way that is the cheapest with the
 * relayouts that it needs of what is there already. */
static int32_t chooseInOrder(const npuc_problem *problem, int32_t *ways,
                             char reason[NPU_PLUGIN_TEXT]) {
  int32_t *stored =
      host->allocate(sizeof(int32_t) * (uint64_t)problem->value_count);
  if (!stored)
    return refuse(reason, "there is no memory left");
  for (int32_t i = 0; i < problem->op_count; ++i) {
    const npuc_problem_op *op = &problem->ops[i];
    int64_t least = INT64_MAX;
    for (int32_t w = 0; w < op->way_count; ++w) {
      const int32_t *layouts = op->ways[w].layouts;
      int64_t cost = op->ways[w].cost;
      for (int32_t k = 0; k < op->operand_count; ++k) {
        const npuc_problem_value *value = &problem->values[op->values[k]];
        if (layouts[k] != NPUC_AS_STORED)
          cost += value->moves[stored[op->values[k]] * value->layout_count +
                               layouts[k]];
      }
      if (cost < least) {
        least = cost;
        ways[i] = w;
      }
    }
    for (int32_t k = 0; k < op->result_count; ++k)
      stored[op->values[op->operand_count + k]] =
          op->ways[ways[i]].layouts[op->operand_count + k];
  }
  host->release(stored);
  return 0;
}

/* The alternative: a depthwise convolution uses one column of the array at a
 * time. With zeros between its channels it is one that fills the array. */
static int32_t whyNotDense(const npuc_op *op, char reason[NPU_PLUGIN_TEXT]) {
  const npuc_value *data = &op->operands[0], *weight = &op->operands[1];
  if (op->operand_count > 3 || strcmp(data->type, "f32") != 0 ||
      !weight->is_constant)
    return refuse(reason, "it is no convolution in f32 with a constant weight");
  if (numberOf(op, "groups") != data->shape[1] ||
      weight->shape[0] != data->shape[1])
    return refuse(reason, "it is not depthwise");
  if (data->shape[1] > 128)
    return refuse(reason, "it has more than 128 channels");
  return 0;
}

static void write(const npuc_replacement *replacement, const char *text) {
  replacement->text(replacement->writer, text);
}

static int32_t writeDense(const npuc_op *op,
                          const npuc_replacement *replacement,
                          char reason[NPU_PLUGIN_TEXT]) {
  const npuc_value *weight = &op->operands[1];
  const int64_t channels = weight->shape[0], height = weight->shape[2],
                width = weight->shape[3], window = height * width;
  const uint64_t bytes =
      sizeof(float) * (uint64_t)(channels * channels * window);
  float *dense = NULL;
  if (replacement->needs_data) {
    const float *given = weight->data;
    dense = host->allocate(bytes);
    if (!dense)
      return refuse(reason, "there is no memory left");
    memset(dense, 0, bytes);
    for (int64_t c = 0; c < channels; ++c)
      memcpy(dense + (c * channels + c) * window, given + c * window,
             sizeof(float) * (size_t)window);
  }
  char type[96];
  snprintf(type, sizeof(type),
           "tensor<%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 "xf32>",
           channels, channels, height, width);
  replacement->constant(replacement->writer, type, dense,
                        replacement->needs_data ? bytes : 0);
  host->release(dense);

  const int hasBias = op->operand_count > 2;
  write(replacement, "%0 = npu.conv2d(%operand0, %constant0");
  write(replacement, hasBias ? ", %operand2) {groups = 1" : ") {groups = 1");
  for (int32_t i = 0; i < op->attribute_count; ++i)
    if (strcmp(op->attributes[i].name, "groups") != 0) {
      write(replacement, ", ");
      write(replacement, op->attributes[i].name);
      write(replacement, " = ");
      write(replacement, op->attributes[i].text);
    }
  write(replacement, "} : (!operand0, !constant0");
  write(replacement, hasBias ? ", !operand2" : "");
  write(replacement, ") -> !result\nreturn %0 : !result\n");
  return 0;
}

/* What the library exports. */
static const npuc_layout_rule rule = {sizeof(rule), "convert", "conv2d", "acme",
                                      blocksForWholeChannels};
static const npuc_strategy strategy = {sizeof(strategy), "greedy",
                                       "ops in order, each in its cheapest way",
                                       chooseInOrder};
static const npuc_alternative alternative = {
    sizeof(alternative),
    "dense",
    "depthwise convolutions as dense ones",
    "conv2d",
    whyNotDense,
    NULL,
    writeDense};

const npu_plugin_header *npuc_plugin_get(const npu_plugin_host *given,
                                         uint32_t abi_version) {
  static const npuc_layout_rule *const rules[] = {&rule};
  static const npuc_strategy *const strategies[] = {&strategy};
  static const npuc_alternative *const alternatives[] = {&alternative};
  static const npuc_plugin plugin = {
      {sizeof(plugin), NPU_PLUGIN_ABI_VERSION, ACME_NAME, ACME_VERSION},
      rules,
      strategies,
      alternatives,
      1,
      1,
      1};
  if (abi_version != NPU_PLUGIN_ABI_VERSION)
    return NULL;
  host = given;
  return &plugin.header;
}
