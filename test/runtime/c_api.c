/* SPDX-License-Identifier: Apache-2.0
 *
 * The C API from C99: loads, asks, runs, frees. */
#include "npu/npu.h"

#include <stdio.h>
#include <string.h>

/* Returns 0, or the line that failed. */
int exercise_c_api(const char *path, npu_status *status);

#define CHECK(condition)                                                       \
  if (!(condition))                                                            \
    return __LINE__;

int exercise_c_api(const char *path, npu_status *status) {
  npu_model *model = NULL;
  npu_context *context = NULL;
  npu_load_options options = {.threads = 1};
  npu_tensor_info in, out;
  npu_kernel_info kernel;
  npu_kernel_time time;

  CHECK(npu_model_load(path, &options, &model, status) == NPU_OK);
  CHECK(npu_model_input_count(model) == 1 && npu_model_output_count(model) == 1)
  CHECK(npu_model_input(model, 0, &in, status) == NPU_OK);
  CHECK(npu_model_output(model, 0, &out, status) == NPU_OK);
  CHECK(strcmp(in.name, "x") == 0 && strcmp(in.layout_name, "NHWC") == 0);
  CHECK(npu_model_input(model, 1, &in, status) == NPU_BAD_ARGUMENT);
  CHECK(strstr(status->message, "no input 1 among 1") != NULL);
  CHECK(npu_model_kernel(model, 0, &kernel, status) == NPU_OK);
  CHECK(strlen(kernel.implementation) > 0 && !kernel.generated);
  CHECK(strstr(npu_model_manifest(model), "\"format_version\"") != NULL);
  CHECK(npu_model_stats(model).load_ms > 0);

  CHECK(npu_context_create(model, &context, status) == NPU_OK);
  npu_model_free(model); /* the context keeps what it needs */
  npu_buffer x = npu_buffer_create(in.bytes), y = npu_buffer_create(out.bytes);
  CHECK(x.data && y.data);
  npu_context_set_profiling(context, 1);
  CHECK(npu_run(context, &x, 1, &y, 1, status) == NPU_OK);
  CHECK(status->code == NPU_OK && status->message[0] == '\0');
  CHECK(npu_context_kernel_time(context, 1, &time, status) == NPU_OK);
  CHECK(time.calls == 1 && time.total_ns == time.last_ns);
  CHECK(npu_context_kernel_time(context, 2, &time, NULL) == NPU_BAD_ARGUMENT);
  npu_buffer_free(x);
  npu_buffer_free(y);
  npu_context_free(context);
  return 0;
}
