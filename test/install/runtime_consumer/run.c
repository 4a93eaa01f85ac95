/* SPDX-License-Identifier: Apache-2.0
 *
 * run_c PROGRAM INPUT OUTPUT: runs once, on raw row-major bytes. */
#include <npu/npu.h>

#include <stdio.h>
#include <stdlib.h>

static npu_status status;

static void check(npu_code code) {
  if (code != NPU_OK) {
    fprintf(stderr, "run_c: %s\n", status.message);
    exit(1);
  }
}

static void transfer(const char *path, const char *mode, void *data,
                     uint64_t bytes) {
  FILE *file = fopen(path, mode);
  size_t done = 0;
  if (file)
    done = mode[0] == 'r' ? fread(data, 1, bytes, file)
                          : fwrite(data, 1, bytes, file);
  if (!file || done != bytes || fclose(file) != 0) {
    fprintf(stderr, "run_c: %s\n", path);
    exit(1);
  }
}

int main(int argc, char **argv) {
  npu_model *model = NULL;
  npu_context *context = NULL;
  npu_tensor_info in, out;
  if (argc != 4)
    return 2;
  check(npu_model_load(argv[1], NULL, &model, &status));
  check(npu_context_create(model, &context, &status));
  check(npu_model_input(model, 0, &in, &status));
  check(npu_model_output(model, 0, &out, &status));
  npu_buffer x = npu_buffer_create(in.bytes), y = npu_buffer_create(out.bytes);
  void *rows = malloc(in.row_bytes), *result = malloc(out.row_bytes);
  transfer(argv[2], "rb", rows, in.row_bytes);
  check(npu_model_store_input(model, 0, rows, in.row_bytes, x, &status));
  check(npu_run(context, &x, 1, &y, 1, &status));
  check(npu_model_fetch_output(model, 0, y, result, out.row_bytes, &status));
  transfer(argv[3], "wb", result, out.row_bytes);
  free(rows);
  free(result);
  npu_buffer_free(x);
  npu_buffer_free(y);
  npu_context_free(context);
  npu_model_free(model);
  return 0;
}
