/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody writes who compiles in a process of their own:
 * compile MODEL OUTPUT TARGET. */
#include <npuc/npuc.h>

#include <stdio.h>

int main(int argc, char **argv) {
  npuc_options *options = NULL;
  npuc_compilation *compilation = NULL;
  npuc_status status = {0};
  npuc_request request = {.struct_size = sizeof(request)};
  if (argc != 4)
    return 2;
  request.model = argv[1];
  request.output = argv[2];
  if (npuc_options_create(&options, &status) != NPUC_OK ||
      npuc_options_set(options, "target", argv[3], &status) != NPUC_OK ||
      npuc_compilation_create(options, &request, &compilation, &status) !=
          NPUC_OK ||
      npuc_compilation_run(compilation, NPUC_STAGE_PROGRAM, &status) != NPUC_OK)
    fprintf(stderr, "%s\n", status.message);
  npuc_compilation_free(compilation);
  npuc_options_free(options);
  return status.code;
}
