/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API of npuc, the compiler: from a network to a .npu program, in this
 * process. Programs are run by the runtime (npu/npu.h).
 *
 * Conventions
 * - Functions that can fail return an npuc_code and, where the caller passes an
 *   npuc_status (it may be NULL), fill it with the code and one sentence: what
 *   was found, what was expected, what to do. The caller owns the npuc_status.
 * - No C++ exception leaves this library.
 * - Structs of the caller begin with their size, sizeof(the struct): a library
 *   that knows a longer one takes what is missing as 0, one that knows a
 *   shorter one refuses it.
 * - Whatever a function named *_create returns belongs to the caller, who frees
 *   it with the matching function. Freeing NULL does nothing.
 * - Text is UTF-8. Sizes are bytes.
 * - Several threads may compile at once, each with a compilation of its own,
 *   which serves one call at a time. Linking is done by one of them at a time.
 *   An npuc_options may be read by several threads.
 * - No signal handler is installed, nothing is printed. Where LLVM finds no
 *   memory, or an error of its own, it ends the process, as it always does.
 */
#ifndef NPUC_NPUC_H
#define NPUC_NPUC_H

#include <stddef.h>
#include <stdint.h>

/* C names. NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

#define NPUC_STATUS_MESSAGE_BYTES 2044

/* Up to NPUC_UNPROVED, these are npuc's exit codes; what is 8 there (a
 * target's file, a plugin, an array) is NPUC_BAD_OPTIONS. */
typedef enum npuc_code {
  NPUC_OK = 0,
  NPUC_BAD_MODEL = 1,    /* cannot be compiled, for this target with these
                            inputs */
  NPUC_BAD_OPTIONS = 2,  /* an option, target, strategy or processor that is
                            not there, or an output that would replace an
                            input */
  NPUC_CANNOT_WRITE = 3, /* the output */
  NPUC_OVER_BUDGET = 4,  /* more relayouts, or ops beside the chip, than
                            allowed */
  NPUC_UNSUPPORTED = 5,  /* the model uses what npuc does not support */
  NPUC_OUT_OF_MEMORY = 6,
  NPUC_UNPROVED = 7,     /* nothing proves the layouts, so that there is no
                            certificate */
  NPUC_BAD_ARGUMENT = 8, /* a null pointer, a wrong size, a call too early */
  NPUC_INTERNAL = 9
} npuc_code;

typedef struct npuc_status {
  npuc_code code;
  char message[NPUC_STATUS_MESSAGE_BYTES]; /* empty if code is NPUC_OK */
} npuc_status;

/* Where a compilation stops. */
typedef enum npuc_stage {
  NPUC_STAGE_IMPORTED = 0, /* the model's ops, as it has them */
  NPUC_STAGE_FUSED = 1,    /* groups of ops that one kernel runs */
  NPUC_STAGE_LAYOUT = 2,   /* every value has its layout */
  NPUC_STAGE_PLANNED = 3,  /* every kernel has its place, tiles and time */
  NPUC_STAGE_PROGRAM = 4   /* the output is there */
} npuc_stage;

/* What can be read of a compilation. */
typedef enum npuc_text {
  NPUC_TEXT_IR = 0,      /* after the last stage that ran, with all weights */
  NPUC_TEXT_OUTLINE = 1, /* the same without large weights */
  NPUC_TEXT_REPORT = 2,  /* JSON (docs/report.schema.json) */
  NPUC_TEXT_EXPLAIN_LAYOUT = 3,
  NPUC_TEXT_EXPLAIN_PLACEMENT = 4,
  NPUC_TEXT_LAYOUT_PLAN = 5, /* YAML (docs/layout-plan.md) */
  NPUC_TEXT_CERTIFICATE = 6, /* JSON, for npu-check-certificate */
  NPUC_TEXT_COSTS = 7        /* CSV, to be filled in (docs/measured-costs.md) */
} npuc_text;

/* What takes time and is only made if it is asked for, before compiling. */
enum npuc_wanted {
  NPUC_WANT_REPORT = 1, /* what the other strategies would cost, too */
  NPUC_WANT_EXPLAIN_LAYOUT = 2,
  NPUC_WANT_LAYOUT_PLAN = 4,
  NPUC_WANT_CERTIFICATE = 8
};

typedef enum npuc_severity {
  NPUC_NOTE = 0,
  NPUC_WARNING = 1,
  NPUC_ERROR = 2,
  NPUC_REMARK = 3
} npuc_severity;

/* Lives as long as the call that gets it. */
typedef struct npuc_message {
  size_t struct_size;
  npuc_severity severity;
  const char *text;     /* what is wrong, without its place */
  const char *file;     /* "": it is about none */
  const char *node;     /* "Conv 'name'"; "": the whole file */
  int32_t line, column; /* from 1; 0: not known */
  const char *shown;    /* place and text on one line, as npuc prints it */
} npuc_message;

typedef struct npuc_options npuc_options;
typedef struct npuc_compilation npuc_compilation;

/* Both are called in the thread that compiles, and may not call this library
 * about the same compilation. */
typedef void (*npuc_on_message)(void *user, const npuc_message *message);
/* "import", "fuse", ...: as it begins. */
typedef void (*npuc_on_step)(void *user, const char *step);

/* A layout rule, as those of plugins (npuc/plugin.h, which has npuc_op): calls
 * `answer` with one layout for each operand that has one, in order (data,
 * weight): "NHWC", "default". Not calling it means no opinion. */
struct npuc_op;
typedef void (*npuc_on_op)(void *user, const struct npuc_op *op,
                           void (*answer)(void *answers, const char *layout),
                           void *answers);

typedef struct npuc_request {
  size_t struct_size;
  /* The model's file. With model_data it is only its name: in messages, as the
   * folder of external data, and for the suffix, which says what it is (.onnx,
   * .tflite, .mlir, .mlirbc). */
  const char *model;
  /* The model itself, which npuc_compilation_run reads; NULL: in the file. */
  const void *model_data;
  uint64_t model_bytes;
  /* The file to write; NULL: npuc_compilation_output gives it. */
  const char *output;
  uint32_t wanted;            /* of npuc_wanted, added up */
  npuc_on_message on_message; /* may be NULL, as may the other */
  npuc_on_step on_step;
  void *user; /* handed to all callbacks */
  /* With the layouts "convert" and "alter": asked about each op, before the
   * rules of plugins; may be NULL. */
  npuc_on_op layout_rule;
} npuc_request;

/* "0.1.0" */
const char *npuc_version(void);
/* "imported", ...; NULL for other numbers. */
const char *npuc_stage_name(int32_t stage);
/* Names of the options, parted by ", ". */
const char *npuc_option_names(void);
/* What the options are, as JSON (docs/compiler-api.md): for bindings. */
const char *npuc_option_table(void);

/* Options as npuc's command line has them (docs/npuc.md), with its defaults. */
npuc_code npuc_options_create(npuc_options **options, npuc_status *status);
void npuc_options_free(npuc_options *options);
/* `name` is npuc's without dashes: "target", "layout", "input-shape", "emit".
 * Flags take "true" or "false". Said again, it replaces the value, or adds one
 * to an option that may be repeated. NPUC_BAD_OPTIONS: there is no such
 * option. What is wrong with a value, npuc_compilation_create says. */
npuc_code npuc_options_set(npuc_options *options, const char *name,
                           const char *value, npuc_status *status);

/* Reads the options (NULL: the defaults) and declares the files; nothing is
 * compiled yet. What `request` points to is copied, but for model_data. */
npuc_code npuc_compilation_create(const npuc_options *options,
                                  const npuc_request *request,
                                  npuc_compilation **compilation,
                                  npuc_status *status);
/* A file that is not finished is not left behind. */
void npuc_compilation_free(npuc_compilation *compilation);

/* Runs the stages up to `last` that have not run yet; NPUC_STAGE_PROGRAM also
 * writes the output, whole or not at all. The status has the first error, the
 * callback all of them. After a failure every further call gives it again. */
npuc_code npuc_compilation_run(npuc_compilation *compilation, npuc_stage last,
                               npuc_status *status);

/* A text, terminated, which belongs to the compilation and lives until the next
 * text of the same kind is asked for. `bytes` (may be NULL) is its length.
 * NPUC_BAD_ARGUMENT: its stage has not run, or it was not wanted. */
npuc_code npuc_compilation_text(npuc_compilation *compilation, npuc_text what,
                                const char **text, uint64_t *bytes,
                                npuc_status *status);

/* The output of a request without a file; it belongs to the compilation.
 * NPUC_BAD_ARGUMENT: it went to a file, or is not there yet. */
npuc_code npuc_compilation_output(npuc_compilation *compilation,
                                  const void **data, uint64_t *bytes,
                                  npuc_status *status);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif /* NPUC_NPUC_H */
