/* SPDX-License-Identifier: Apache-2.0
 *
 * What any library may do as soon as it is loaded: here it says so. */
#include <stdio.h>

__attribute__((constructor)) static void say(void) {
  fputs("LOADED\n", stderr);
}
