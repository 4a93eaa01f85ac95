/* SPDX-License-Identifier: Apache-2.0
 *
 * What every plugin of npuc shares, whatever it brings: how it is asked, what
 * it says of itself, and what the host lends it (docs/plugins.md).
 *
 * A plugin is one shared library. It exports one or more of
 *   npu_plugin_get          kernels and ops (npu/plugin.h)
 *   npuc_plugin_get         what the compiler alone reads (npuc/plugin.h)
 *   mlirGetPassPluginInfo   passes, by MLIR's own interface
 * The first two are plain C: no exception may leave a function of a plugin, and
 * no type of C++ stands in its interface. A library is never unloaded: what it
 * returns stays valid until the process ends.
 */
#ifndef NPU_PLUGIN_HOST_H
#define NPU_PLUGIN_HOST_H

#include <stddef.h>
#include <stdint.h>

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/* Of both C interfaces together; other versions are refused. */
#define NPU_PLUGIN_ABI_VERSION 2u

/* A function that may refuse gets so many bytes for its reason, with the zero
 * that ends it: memory of the host's, all zero, and of this call alone, so that
 * nothing is shared between threads or outlives the call. A reason is one
 * clause in UTF-8 ("it is not depthwise"). The host ends what fills all bytes.
 */
#define NPU_PLUGIN_TEXT 256

/* What the plugin gets. Valid until the process ends; every function may be
 * called from any thread. */
typedef struct npu_plugin_host {
  uint32_t struct_size; /* sizeof(npu_plugin_host) */
  uint32_t abi_version; /* NPU_PLUGIN_ABI_VERSION of the host */
  /* Memory of any content, aligned to 64 bytes; NULL if there is not enough.
   * release gets what allocate gave; NULL does nothing. */
  void *(*allocate)(uint64_t bytes);
  void (*release)(void *block);
  /* Tells the user one sentence, with the plugin's name before it. `severity`:
   * 0 a note, 1 a warning. Errors are returned, not told. */
  void (*message)(int32_t severity, const char *text);
} npu_plugin_host;

/* An attribute of a model's node, as ops of plugins have them. */
typedef enum npu_attribute_kind {
  NPU_ATTRIBUTE_INTS = 0,
  NPU_ATTRIBUTE_FLOATS = 1,
  NPU_ATTRIBUTE_STRINGS = 2,
  NPU_ATTRIBUTE_TENSORS = 3
} npu_attribute_kind;

typedef struct npu_attribute_tensor {
  int32_t dtype; /* npu_dtype, of format/program_format.h */
  int32_t rank;
  const int64_t *dims;
  const void *data; /* row-major, as operands are stored */
  uint64_t bytes;
} npu_attribute_tensor;

/* A single number, string or tensor is one of `count` 1. Of the four pointers
 * that of the kind alone is not NULL. */
typedef struct npu_attribute {
  const char *name;
  int32_t kind; /* npu_attribute_kind */
  int32_t count;
  const int64_t *ints;
  const float *floats;
  const char *const *strings;
  const npu_attribute_tensor *tensors;
} npu_attribute;

/* What the plugin returns begins with these members. */
typedef struct npu_plugin_header {
  uint32_t struct_size; /* of the whole struct that it begins */
  uint32_t abi_version; /* NPU_PLUGIN_ABI_VERSION that it was built with */
  /* [a-z][a-z0-9_]*, at most 32 characters, not "npu": before its own names in
   * files and messages ("acme.rope", "acme:rows"). */
  const char *name;
  /* Letters, digits and .+-_ , at most 32 characters. A program runs with the
   * version alone that it was compiled with. */
  const char *version;
} npu_plugin_header;

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPU_PLUGIN_HOST_H */
