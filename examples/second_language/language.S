/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code of another language, with frames of its own: the file of the machine, and the table of its calls.
 */
#ifdef __aarch64__
#include "language_aarch64.S"
#else
#include "language_x86_64.S"
#endif

/* struct call, struct root: manager.c. */
        .macro root where, place, tag, parameter
        .byte \where, \place, \tag, \parameter
        .endm
        .macro call_at label, name, roots
        .long \label - language_start, \roots
        .asciz "\name"
        .p2align 4
        root 1, FIRST, 0, 0
        root 1, SECOND, 1, 8
        root 1, THIRD, 2, 16
        root 0, 16, 0, 0
        root 0, 32, 4, 1
        .endm
        .macro call_end from
        .org \from + 64
        .endm
        .section .rodata
        .p2align 4
        .globl language_calls
language_calls:
1:      call_at .Lmanaged, managed, 5
        call_end 1b
2:      call_at .Lbarrier, barrier, 6
        root 1, AT_BARRIER, 0, 0
        call_end 2b
3:      call_at .Lnative, native, 6
        root 0, 24, 0, 0
        call_end 3b

        .section .note.GNU-stack, "", %progbits
