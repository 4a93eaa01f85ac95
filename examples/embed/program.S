/* SPDX-License-Identifier: Apache-2.0 */
    .section .rodata
    .global program_begin, program_end
program_begin:
    .incbin "net.npu"
program_end:
    .section .note.GNU-stack, "", @progbits
