/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin brings to the compiler alone: layout rules, strategies,
 * alternatives (docs/plugins.md). Kernels and ops are npu/plugin.h.
 *
 * The library exports
 *   const npu_plugin_header *npuc_plugin_get(const npu_plugin_host *host,
 *                                            uint32_t abi_version);
 * which returns the address of an npuc_plugin (its header), or NULL if it does
 * not know the version. Names are [a-z][a-z0-9_]*, at most 32 characters; the
 * user writes them behind the plugin's: "acme.greedy".
 *
 * Every function may be called from several threads at once, as often as the
 * compiler likes, and gives the same answer to the same question: what is
 * compiled must not differ from run to run. What it is given lives as long as
 * the call. Functions that may refuse return a number other than 0 then, after
 * a clause in `reason` (NPU_PLUGIN_TEXT).
 *
 * Structs that begin with struct_size may grow at their end; others, which
 * stand in arrays, keep their size as long as NPU_PLUGIN_ABI_VERSION does.
 */
#ifndef NPUC_PLUGIN_H
#define NPUC_PLUGIN_H

#include <npu/plugin_host.h>

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/* An operand or a result of an op. */
typedef struct npuc_value {
  const char *role; /* as in a target's demands: "data", "weight", "result" */
  const char *type; /* of an element, as targets spell it: "f32" */
  const int64_t *shape; /* logical */
  int32_t rank;
  int32_t is_constant; /* known at compile time */
  /* Elements of a constant, row-major, where the call says that they are
   * there; else NULL. */
  const void *data;
} npuc_value;

/* What a target's `when:` may ask of an op: numbers or words, the other list is
 * NULL. */
typedef struct npuc_fact {
  const char *name; /* "window", "depthwise" */
  const int64_t *numbers;
  const char *const *words;
  int32_t count;
} npuc_fact;

/* An attribute as the npu dialect spells it: "pads", "[1, 1, 1, 1]"; "groups",
 * "32 : i64". */
typedef struct npuc_attribute {
  const char *name, *text;
} npuc_attribute;

/* An op of the network. A kernel that several ops were fused into is described
 * as the op that it is built around. */
typedef struct npuc_op {
  uint32_t struct_size;
  const char *name;   /* as in a target's demands: "conv2d" */
  const char *node;   /* of the model: "Conv 'c1'"; "": not known */
  const char *target; /* the chip's name */
  const npuc_value *operands;
  const npuc_value *results;
  const npuc_fact *facts;
  const npuc_attribute *attributes;
  int32_t operand_count, result_count, fact_count, attribute_count;
  int32_t is_fused; /* into a kernel with others */
  /* Of an op of a plugin: the attributes of the model's node, sorted by name,
   * which input of the node each operand is, and which of its results this is.
   * Of others 0. */
  int32_t parameter_count;
  const npu_attribute *parameters;
  const int32_t *places;
  int32_t result;
  int32_t reserved;
} npuc_op;

/* Layout rules: asked by the strategies `convert` and `alter` before they
 * decide about an op. Of several plugins the last that was named is asked
 * first, of one plugin's rules the first; the first with an opinion counts. */
typedef struct npuc_layout_rule {
  uint32_t struct_size;
  const char *strategy; /* "convert" or "alter" */
  const char *op;       /* "conv2d" */
  const char *target;   /* the chip's name; NULL: every chip */
  /* Calls `answer` with one layout for each operand that has one, in order
   * (data, weight), spelled as --desired-layouts has them: "NHWC", "default".
   * Not calling it means no opinion. */
  void (*layouts)(const npuc_op *op,
                  void (*answer)(void *answers, const char *layout),
                  void *answers);
} npuc_layout_rule;

/* The search's problem: each value may be stored and read in some layouts, each
 * op runs in one of its ways. Costs are whole numbers, of which only sums and
 * comparisons mean something: the objective, with tie-breaks in it. */
typedef struct npuc_problem_value {
  const char *const *layouts; /* letters of logical dimensions: "acdb" */
  int32_t layout_count;       /* at most 64 */
  /* moves[from * layout_count + to]: what a relayout costs. */
  const int64_t *moves;
} npuc_problem_value;

typedef struct npuc_way {
  int64_t cost;
  /* For each operand, then each result, a number among its value's layouts; of
   * operands NPUC_AS_STORED: read in whatever layout the value is stored. */
  const int32_t *layouts;
} npuc_way;

#define NPUC_AS_STORED (-1)

typedef struct npuc_problem_op {
  const char *name;      /* "conv2d"; "input" and "output" of the network */
  const char *node;      /* "Conv 'c1'", or what messages call it else */
  const int32_t *values; /* those of operands, then those of results; constants
                            are none */
  const npuc_way *ways;
  int32_t operand_count, result_count;
  int32_t way_count; /* at least one */
} npuc_problem_op;

/* Ops in topological order; each value is the result of one of them. */
typedef struct npuc_problem {
  uint32_t struct_size;
  const char *target, *objective; /* "time", "bytes", "count", "energy" */
  const npuc_problem_value *values;
  const npuc_problem_op *ops;
  int32_t value_count, op_count;
  double seconds; /* as long as --layout-seconds allows */
  /* What a choice costs: its ways, and for each value the cheapest relayouts
   * from the layout in which it is stored to all those in which it is read,
   * each made once. -1 where the choice is none. */
  int64_t (*cost)(const struct npuc_problem *problem, const int32_t *ways);
} npuc_problem;

/* A strategy: a value of --layout. It is asked for each choice of what may stay
 * in on-chip memory, and the cheapest plan is taken. */
typedef struct npuc_strategy {
  uint32_t struct_size;
  const char *name, *summary; /* one line, for --help */
  /* Fills in a way for each op, or refuses. */
  int32_t (*choose)(const npuc_problem *problem, int32_t *ways,
                    char reason[NPU_PLUGIN_TEXT]);
} npuc_strategy;

/* Writes an alternative's replacement. */
typedef struct npuc_replacement {
  uint32_t struct_size;
  /* Whether constants are wanted with their elements (and the op's constants
   * have theirs); else only what the replacement costs is asked for. */
  int32_t needs_data;
  void *writer; /* for the two functions */
  /* Text of the npu dialect, where %operand0, ... are the op's operands, of
   * types !operand0, ..., and %constant0, ... what `constant` gave; it ends
   * with `return %x : !result`. Called again, it goes on. */
  void (*text)(void *writer, const char *text);
  /* A constant that is made at compile time, of a type such as
   * "tensor<8x3x3x3xf32>", its elements row-major, `bytes` in all; they are
   * copied. NULL unless needs_data. */
  void (*constant)(void *writer, const char *type, const void *data,
                   uint64_t bytes);
} npuc_replacement;

/* An alternative: a set of ops in place of one, which computes the same. A
 * target lists it under `algorithms:` as "PLUGIN.NAME"; `alter` and `optimal`
 * take it where it costs less. Its cost is that of its ops in the layouts that
 * are cheapest for them between the op's own. */
typedef struct npuc_alternative {
  uint32_t struct_size;
  const char *name, *summary;
  const char *op; /* which it replaces: "conv2d" */
  /* Refuses an op that cannot be replaced, whatever its layouts. */
  int32_t (*why_not)(const npuc_op *op, char reason[NPU_PLUGIN_TEXT]);
  /* Not 0 if it can with its values stored in these layouts (letters; operands,
   * then the result; "" of an operand that may be in any). NULL: in any. */
  int32_t (*fits)(const npuc_op *op, const char *const *layouts);
  /* Writes the replacement, or refuses. */
  int32_t (*replace)(const npuc_op *op, const npuc_replacement *replacement,
                     char reason[NPU_PLUGIN_TEXT]);
} npuc_alternative;

/* What npuc_plugin_get returns. */
typedef struct npuc_plugin {
  npu_plugin_header header;
  const npuc_layout_rule *const *rules;
  const npuc_strategy *const *strategies;
  const npuc_alternative *const *alternatives;
  int32_t rule_count, strategy_count, alternative_count;
} npuc_plugin;

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPUC_PLUGIN_H */
