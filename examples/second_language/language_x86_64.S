/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled code of another language, with frames of its own:
 *
 *      CFA -   8   return address
 *      CFA -  32   three words that nobody uses
 *      CFA -  56   rbx, r12, r13 of the caller, upwards
 *       SP +  48   the number of turns left
 *       SP +  40   the function to call
 *       SP +  32   a node with its lowest bit set          tag USER + 1
 *       SP +  24   a node
 *       SP +  16   an array                                base of r13
 *       SP +   8   (not used)
 *       SP         bytes from here to the return address
 *
 * rbx holds a node, r12 the address of its value (tag OFFSET, 8), r13 that of an element of the array
 * (tag BASE). What is live at which call is in the table language_calls, below.
 */
#include <cairn/entry.h>

        .text
        .globl language_start, language_end
language_start:

/* long language_mix(struct node managed *node, long managed *array, long index,
 *                   struct node managed *(*function)(struct node managed *, long), long turns) */
        .globl language_mix
        .type language_mix, @function
        CAIRN_ENTRY(language_mix)
        .cfi_startproc
        subq $24, %rsp
        .cfi_adjust_cfa_offset 24
        pushq %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r13, 0
        pushq %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %r12, 0
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        subq $56, %rsp
        .cfi_adjust_cfa_offset 56
        movq $104, (%rsp)
        movq %rsi, 16(%rsp)
        movq $-1, 24(%rsp)
        leaq 1(%rdi), %rax
        movq %rax, 32(%rsp)
        movq %rcx, 40(%rsp)
        movq %r8, 48(%rsp)
        movq %rdi, %rbx
        leaq 8(%rdi), %r12
        leaq (%rsi,%rdx,8), %r13

        movq %r8, %rsi
        call *40(%rsp)                  /* managed code, as it is */
.Lmanaged:
        movq %rax, %r9
        call language_barrier           /* keeps all registers, r9 too */
.Lbarrier:
        movq %r9, 24(%rsp)
        movq 48(%rsp), %rdi
        leaq native_turn(%rip), %r11
        call cairn_call_any             /* native code, which may call managed code */
.Lnative:
        addq (%r12), %rax
        addq (%r13), %rax
        addq 8(%rbx), %rax
        movq 24(%rsp), %rcx
        addq 8(%rcx), %rax
        movq 32(%rsp), %rcx
        addq 7(%rcx), %rax              /* 8, less the bit */

        addq $56, %rsp
        .cfi_adjust_cfa_offset -56
        popq %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        popq %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r12
        popq %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore %r13
        addq $24, %rsp
        .cfi_adjust_cfa_offset -24
        ret
        .cfi_endproc
        .size language_mix, . - language_mix
language_end:

/* A collector's code that keeps every register: its frame is rax, rcx, rdx, rsi, rdi, r8 to r11 and a
 * word for alignment, downwards from the return address. */
        .globl barrier_start, barrier_end
barrier_start:
        .type language_barrier, @function
language_barrier:
        .cfi_startproc
        .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .endr
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        call cairn_collect
        addq $8, %rsp
        .cfi_adjust_cfa_offset -8
        .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
        popq %\register
        .cfi_adjust_cfa_offset -8
        .endr
        ret
        .cfi_endproc
        .size language_barrier, . - language_barrier
barrier_end:

/* The registers of roots in language.S. */
        .set FIRST, 3                   /* rbx */
        .set SECOND, 12                 /* r12: a node's value */
        .set THIRD, 13                  /* r13: derived from the word at SP + 16 */
        .set AT_BARRIER, 9              /* r9 */
