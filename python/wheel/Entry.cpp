// SPDX-License-Identifier: Apache-2.0
//
// npuc as a function of the library, for the thin program.

#include "files/tool_main.h"

extern "C" int npuc_main(int argc, char **argv) { return toolMain(argc, argv); }
