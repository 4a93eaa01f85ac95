/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that brings rules, strategies and alternatives, as others write
 * them: npuc_plugin_test.py loads it. NPUC_TEST_PLUGIN names what is wrong with
 * it. */
#include "npuc/plugin.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int isWrong(const char *what) {
  const char *wrong = getenv("NPUC_TEST_PLUGIN");
  return wrong && strcmp(wrong, what) == 0;
}

static int32_t refuse(char reason[NPU_PLUGIN_TEXT], const char *why) {
  strncpy(reason, why, NPU_PLUGIN_TEXT - 1);
  return 1;
}

static const npuc_fact *factOf(const npuc_op *op, const char *name) {
  for (int i = 0; i < op->fact_count; ++i)
    if (strcmp(op->facts[i].name, name) == 0)
      return &op->facts[i];
  return NULL;
}

/* Blocks for weights of one element; no opinion of others. */
static void blockPointwise(const npuc_op *op,
                           void (*answer)(void *answers, const char *layout),
                           void *answers) {
  if (isWrong("rule-crash"))
    raise(SIGSEGV);
  const npuc_fact *pointwise = factOf(op, "pointwise");
  if (strcmp(op->operands[0].role, "data") != 0 ||
      strcmp(op->operands[0].type, "f32") != 0 || op->operands[0].rank != 4 ||
      op->operands[0].shape[1] != 16 || !pointwise ||
      strcmp(pointwise->words[0], "true") != 0)
    return;
  answer(answers, isWrong("rule-nonsense") ? "NHCX" : "NCHW16c");
  if (!isWrong("rule-short"))
    answer(answers, "default");
}

static int32_t firstWays(const npuc_problem *problem, int32_t *ways,
                         char reason[NPU_PLUGIN_TEXT]) {
  if (isWrong("strategy-crash"))
    raise(SIGSEGV);
  if (isWrong("strategy-refuses"))
    return refuse(reason, "it has no mind today");
  if (isWrong("strategy-mute"))
    return -1;
  if (isWrong("strategy-endless"))
    memset(reason, 'x', NPU_PLUGIN_TEXT);
  if (isWrong("strategy-endless"))
    return 1;
  int32_t left = isWrong("strategy-forgets") ? 1 : 0;
  for (int i = 0; i + left < problem->op_count; ++i)
    ways[i] = 0;
  if (problem->cost(problem, ways) < 0 && !left)
    return refuse(reason, "the host does not know its own ways");
  if (isWrong("strategy-far"))
    ways[1] = problem->ops[1].way_count;
  return 0;
}

static const npuc_strategy first = {sizeof(first), "first",
                                    "the first way of each op", firstWays};
static const npuc_strategy unnamed = {sizeof(unnamed), "Un named", "a name",
                                      firstWays};
static const npuc_strategy idle = {sizeof(idle), "idle", "decides nothing",
                                   NULL};
static const npuc_strategy silent = {sizeof(silent), "silent", "", firstWays};
static const npuc_strategy small = {8, "small", "of another size", firstWays};

static const npuc_layout_rule forConvert = {sizeof(forConvert), "convert",
                                            "conv2d", "host", blockPointwise};
static const npuc_layout_rule forNobody = {sizeof(forNobody), "optimal",
                                           "conv2d", NULL, blockPointwise};
static const npuc_layout_rule ofNothing = {sizeof(ofNothing), "convert",
                                           "eltwise", NULL, blockPointwise};

/* A convolution as two of half its channels, one behind the other: a set that
 * takes constants apart at compile time. */
static int32_t whyNotSplit(const npuc_op *op, char reason[NPU_PLUGIN_TEXT]) {
  if (isWrong("alternative-crash"))
    raise(SIGSEGV);
  const npuc_value *weight = &op->operands[1];
  if (!weight->is_constant || op->operand_count != 2)
    return refuse(reason, "its weight is no constant, or it has a bias");
  return weight->shape[0] % 2 ? refuse(reason, "its channels cannot be halved")
                              : 0;
}

static int32_t isChannelsLast(const npuc_op *op, const char *const *layouts) {
  return strcmp(layouts[0], "acdb") == 0 &&
         strcmp(layouts[op->operand_count], "acdb") == 0;
}

static void write(const npuc_replacement *replacement, const char *text) {
  replacement->text(replacement->writer, text);
}

static void writeConvolution(const npuc_op *op,
                             const npuc_replacement *replacement,
                             const char *weight) {
  write(replacement, "npu.conv2d(%operand0, ");
  write(replacement, weight);
  write(replacement, ") {");
  for (int i = 0; i < op->attribute_count; ++i) {
    write(replacement, i ? ", " : "");
    write(replacement, op->attributes[i].name);
    write(replacement, " = ");
    write(replacement, op->attributes[i].text);
  }
  write(replacement, "}");
}

static int32_t writeSplit(const npuc_op *op,
                          const npuc_replacement *replacement,
                          char reason[NPU_PLUGIN_TEXT]) {
  const int64_t *weight = op->operands[1].shape, *result = op->results[0].shape;
  char part[128], half[128], text[1024];
  if (isWrong("set-refuses"))
    return refuse(reason, "it was not meant");
  if (isWrong("set-noise"))
    write(replacement, "this is no MLIR");
  if (isWrong("set-type"))
    replacement->constant(replacement->writer, "tensor<?xf32>", NULL, 0);
  if (isWrong("set-bytes"))
    replacement->constant(replacement->writer, "tensor<3xf32>", weight, 4);
  if (isWrong("set-empty")) {
    write(replacement, "return %operand0 : !operand0\n");
    return 0;
  }
  if (isWrong("set-foreign")) {
    write(replacement, "%0 = \"builtin.unrealized_conversion_cast\"(%operand0)"
                       " : (!operand0) -> !result\nreturn %0 : !result\n");
    return 0;
  }
  snprintf(part, sizeof(part), "tensor<%dx%dx%dx%dxf32>", (int)weight[0] / 2,
           (int)weight[1], (int)weight[2], (int)weight[3]);
  snprintf(half, sizeof(half), "tensor<%dx%dx%dx%dxf32>", (int)result[0],
           (int)result[1] / 2, (int)result[2], (int)result[3]);
  for (int i = 0; i < 2; ++i) {
    snprintf(text, sizeof(text),
             "%%w%d = npu.slice(%%operand1) {starts = [%d, 0, 0, 0], steps = "
             "[1, 1, 1, 1]} : (!operand1) -> %s\n%%y%d = ",
             i, i * (int)weight[0] / 2, part, i);
    write(replacement, text);
    snprintf(text, sizeof(text), "%%w%d", i);
    writeConvolution(op, replacement, text);
    snprintf(text, sizeof(text), " : (!operand0, %s) -> %s\n", part, half);
    write(replacement, text);
  }
  snprintf(text, sizeof(text),
           "%%y = npu.concat(%%y%d, %%y%d) {axis = 1 : i64} : (%s, %s) -> "
           "!result\nreturn %%y : !result\n",
           isWrong("set-swaps"), !isWrong("set-swaps"), half, half);
  write(replacement, text);
  return 0;
}

static const npuc_alternative split = {
    sizeof(split), "split",     "two convolutions of half the channels",
    "conv2d",      whyNotSplit, isChannelsLast,
    writeSplit};
static const npuc_alternative ofNoOp = {
    sizeof(ofNoOp), "split",     "of an op that is not there",
    "conv7d",       whyNotSplit, NULL,
    writeSplit};

const npu_plugin_header *npuc_plugin_get(const npu_plugin_host *host,
                                         uint32_t abi_version) {
  static npuc_plugin plugin;
  static const npuc_layout_rule *rules[1];
  static const npuc_strategy *strategies[2];
  static const npuc_alternative *alternatives[1];
  (void)host;
  if (abi_version != NPU_PLUGIN_ABI_VERSION)
    return NULL;
  rules[0] = isWrong("rule-strategy") ? &forNobody
             : isWrong("rule-op")     ? &ofNothing
                                      : &forConvert;
  strategies[0] = &first;
  strategies[1] = isWrong("name")     ? &unnamed
                  : isWrong("idle")   ? &idle
                  : isWrong("silent") ? &silent
                  : isWrong("size")   ? &small
                  : isWrong("null")   ? NULL
                  : isWrong("again")  ? &first
                                      : NULL;
  plugin.header.struct_size =
      isWrong("table-size") ? sizeof(plugin.header) : sizeof(plugin);
  plugin.header.abi_version = NPU_PLUGIN_ABI_VERSION;
  plugin.header.name = "test";
  plugin.header.version = "1.2";
  alternatives[0] = isWrong("no-op") ? &ofNoOp : &split;
  plugin.alternatives = alternatives;
  plugin.alternative_count = 1;
  plugin.rules = rules;
  plugin.rule_count = 1;
  plugin.strategies = isWrong("no-table") ? NULL : strategies;
  plugin.strategy_count = 1 + (strategies[1] || isWrong("null"));
  if (isWrong("negative"))
    plugin.strategy_count = -1;
  return &plugin.header;
}
