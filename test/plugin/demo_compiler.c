/* SPDX-License-Identifier: Apache-2.0
 *
 * The other half of a plugin, linked to demo_plugin.c: the op `pick` as ops of
 * npuc, from what the compiler says of it. */
#include "npuc/plugin.h"

#include <stdio.h>
#include <string.h>

static const npu_attribute_tensor *table_of(const npuc_op *op) {
  for (int32_t i = 0; i < op->parameter_count; ++i)
    if (strcmp(op->parameters[i].name, "table") == 0 &&
        op->parameters[i].kind == NPU_ATTRIBUTE_TENSORS)
      return op->parameters[i].tensors;
  return NULL;
}

static int32_t why_not(const npuc_op *op, char reason[NPU_PLUGIN_TEXT]) {
  if (table_of(op) && op->places[0] == 0)
    return 0;
  strcpy(reason, "it has no table");
  return 1;
}

static int32_t replace(const npuc_op *op, const npuc_replacement *replacement,
                       char reason[NPU_PLUGIN_TEXT]) {
  (void)reason;
  char text[256];
  const float *factor = (const float *)table_of(op)->data + op->result;
  replacement->constant(replacement->writer, "tensor<f32>",
                        replacement->needs_data ? factor : NULL,
                        replacement->needs_data ? sizeof(float) : 0);
  replacement->text(replacement->writer,
                    "%0 = npu.eltwise mul(%operand0, %constant0) : "
                    "(!operand0, !constant0) -> !result\n");
  int32_t last = 0;
  for (int32_t i = 1; i < op->operand_count; ++i)
    if (op->places[i] == op->result + 1) {
      snprintf(text, sizeof(text),
               "%%1 = npu.eltwise add(%%0, %%operand%d) : (!result, "
               "!operand%d) -> !result\n",
               i, i);
      replacement->text(replacement->writer, text);
      last = 1;
    }
  snprintf(text, sizeof(text), "return %%%d : !result\n", last);
  replacement->text(replacement->writer, text);
  return 0;
}

static const npuc_alternative plain = {
    sizeof(plain), "plain", "products and sums", "demo.pick", why_not,
    NULL,          replace};

const npu_plugin_header *npuc_plugin_get(const npu_plugin_host *host,
                                         uint32_t abi_version) {
  static const npuc_alternative *const alternatives[] = {&plain};
  static const npuc_plugin plugin = {
      {sizeof(plugin), NPU_PLUGIN_ABI_VERSION, "demo", "1.0"},
      NULL,
      NULL,
      alternatives,
      0,
      0,
      1};
  return host && abi_version == NPU_PLUGIN_ABI_VERSION ? &plugin.header : NULL;
}
