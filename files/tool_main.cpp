// SPDX-License-Identifier: Apache-2.0

#include "files/tool_main.h"

int main(int argc, char **argv) { return toolMain(argc, argv); }
