/* SPDX-License-Identifier: Apache-2.0
 *
 * The weights as the compiler places them: a raw, page-aligned, read-only
 * section that no compiler pass ever looks into. */
#ifndef NPU_TEST_RUNTIME_DEMO_SECTION_H
#define NPU_TEST_RUNTIME_DEMO_SECTION_H

#include "format/program_format.h"

#define DEMO_HIDDEN __attribute__((visibility("hidden")))
#define DEMO_EXPORTED __attribute__((visibility("default")))

__asm__(".section .npu.weights,\"a\",@progbits\n"
        ".balign 4096\n"
        ".globl demo_weights\n"
        ".hidden demo_weights\n"
        "demo_weights:\n"
        ".incbin \"" DEMO_WEIGHTS "\"\n"
        ".text\n");
extern DEMO_HIDDEN const uint8_t demo_weights[];

#endif /* NPU_TEST_RUNTIME_DEMO_SECTION_H */
