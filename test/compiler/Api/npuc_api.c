/* SPDX-License-Identifier: Apache-2.0
 *
 * The compiler's C API from C99. */
#include "npuc/npuc.h"

#include <string.h>

/* Returns 0, or the line that failed. */
int exercise_npuc_api(const char *model, uint64_t bytes, npuc_status *status);

#define CHECK(condition)                                                       \
  if (!(condition))                                                            \
    return __LINE__;

int exercise_npuc_api(const char *model, uint64_t bytes, npuc_status *status) {
  npuc_options *options = NULL;
  npuc_compilation *compilation = NULL;
  npuc_request request = {.struct_size = sizeof(request),
                          .model = "net.mlir",
                          .model_data = model,
                          .model_bytes = bytes};
  const char *report = NULL;
  const void *program = NULL;
  uint64_t length = 0;

  CHECK(strchr(npuc_version(), '.') != NULL);
  CHECK(npuc_options_create(&options, status) == NPUC_OK);
  CHECK(npuc_options_set(options, "target", "npu-nhwc", status) == NPUC_OK);
  CHECK(npuc_compilation_create(options, &request, &compilation, status) ==
        NPUC_OK);
  npuc_options_free(options); /* the compilation has read them */
  CHECK(npuc_compilation_run(compilation, NPUC_STAGE_PROGRAM, status) ==
        NPUC_OK);
  CHECK(npuc_compilation_text(compilation, NPUC_TEXT_REPORT, &report, &length,
                              status) == NPUC_OK);
  CHECK(length == strlen(report) && strstr(report, "\"kernels\"") != NULL);
  CHECK(npuc_compilation_output(compilation, &program, &length, status) ==
        NPUC_OK);
  CHECK(length > 4 && memcmp(program,
                             "\x7f"
                             "ELF",
                             4) == 0);
  npuc_compilation_free(compilation);
  return 0;
}
