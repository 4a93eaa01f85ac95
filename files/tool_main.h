// SPDX-License-Identifier: Apache-2.0
//
// A tool that others run, too: the servers of test/servers, the wheel's
// library.
#ifndef NPU_FILES_TOOL_MAIN_H
#define NPU_FILES_TOOL_MAIN_H

/// The tool's main(), in its library; tool_main.cpp makes a program of it.
int toolMain(int argc, char **argv);

#endif // NPU_FILES_TOOL_MAIN_H
