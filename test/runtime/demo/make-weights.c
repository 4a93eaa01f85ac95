/* SPDX-License-Identifier: Apache-2.0
 *
 * make-weights COUNT FILE: writes that many floats of weights.h. */
#include "weights.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: make-weights COUNT FILE\n");
    return 2;
  }
  uint64_t count = strtoull(argv[1], NULL, 10);
  FILE *file = fopen(argv[2], "wb");
  if (!file) {
    perror(argv[2]);
    return 1;
  }
  for (uint64_t i = 0; i < count; ++i) {
    float value = demo_weight(i);
    if (fwrite(&value, sizeof(value), 1, file) != 1)
      break;
  }
  if (fclose(file) != 0) {
    perror(argv[2]);
    return 1;
  }
  return 0;
}
