/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code of another language, with frames of its own:
 *
 *      CFA -   8   return address
 *      CFA -  32   three words that nobody uses
 *      CFA -  56   x19, x20, x21 of the caller, upwards
 *       SP +  48   the number of turns left
 *       SP +  40   the function to call
 *       SP +  32   a node with its lowest bit set          tag USER + 1
 *       SP +  24   a node
 *       SP +  16   an array                                base of x21
 *       SP +   8   (not used)
 *       SP         bytes from here to the return address
 *
 * x19 holds a node, x20 the address of its value (tag OFFSET, 8), x21 that of an element of the array
 * (tag BASE). What is live at which call is in the table language_calls, below.
 */
#include <cairn/entry.h>

        .text
        .globl language_start, language_end
language_start:

/* long language_mix(struct node managed *node, long managed *array, long index,
 *                   struct node managed *(*function)(struct node managed *, long), long turns) */
        .globl language_mix
        .type language_mix, %function
        CAIRN_ENTRY(language_mix)
        .cfi_startproc
        sub sp, sp, #112
        .cfi_def_cfa_offset 112
        str x30, [sp, #104]
        .cfi_offset 30, -8
        stp x19, x20, [sp, #56]
        .cfi_offset 19, -56
        .cfi_offset 20, -48
        str x21, [sp, #72]
        .cfi_offset 21, -40
        mov x9, #104
        str x9, [sp]
        mov x9, #-1
        stp x1, x9, [sp, #16]
        add x9, x0, #1
        stp x9, x3, [sp, #32]
        str x4, [sp, #48]
        mov x19, x0
        add x20, x0, #8
        add x21, x1, x2, lsl #3

        mov x1, x4
        blr x3                          /* managed code, as it is */
.Lmanaged:
        mov x9, x0
        bl language_barrier             /* keeps all registers, x9 too */
.Lbarrier:
        str x9, [sp, #24]
        ldr x0, [sp, #48]
        adrp x14, native_turn
        add x14, x14, :lo12:native_turn
        bl cairn_call_any               /* native code, which may call managed code */
.Lnative:
        ldr x9, [x20]
        add x0, x0, x9
        ldr x9, [x21]
        add x0, x0, x9
        ldr x9, [x19, #8]
        add x0, x0, x9
        ldr x9, [sp, #24]
        ldr x9, [x9, #8]
        add x0, x0, x9
        ldr x9, [sp, #32]
        ldur x9, [x9, #7]               /* 8, less the bit */
        add x0, x0, x9

        ldp x19, x20, [sp, #56]
        .cfi_restore 19
        .cfi_restore 20
        ldr x21, [sp, #72]
        .cfi_restore 21
        ldr x30, [sp, #104]
        .cfi_restore 30
        add sp, sp, #112
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size language_mix, . - language_mix
language_end:

/* A collector's code that keeps every register: its frame is x0 to x17, upwards, a word for alignment,
 * and the return address. */
        .macro keep_pairs move
        \move x0, x1, [sp]
        \move x2, x3, [sp, #16]
        \move x4, x5, [sp, #32]
        \move x6, x7, [sp, #48]
        \move x8, x9, [sp, #64]
        \move x10, x11, [sp, #80]
        \move x12, x13, [sp, #96]
        \move x14, x15, [sp, #112]
        \move x16, x17, [sp, #128]
        .endm
        .globl barrier_start, barrier_end
barrier_start:
        .type language_barrier, %function
language_barrier:
        .cfi_startproc
        sub sp, sp, #160
        .cfi_def_cfa_offset 160
        str x30, [sp, #152]
        .cfi_offset 30, -8
        keep_pairs stp
        bl cairn_collect
        keep_pairs ldp
        ldr x30, [sp, #152]
        .cfi_restore 30
        add sp, sp, #160
        .cfi_def_cfa_offset 0
        ret
        .cfi_endproc
        .size language_barrier, . - language_barrier
barrier_end:

/* The registers of roots in language.S. */
        .set FIRST, 19                  /* x19 */
        .set SECOND, 20                 /* x20: a node's value */
        .set THIRD, 21                  /* x21: derived from the word at SP + 16 */
        .set AT_BARRIER, 9              /* x9 */
