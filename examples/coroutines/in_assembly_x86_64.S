/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines whose switch is called like managed code, without a transition. Who waits has his
 * registers on his stack, below his return address: rbx, rbp, r12, r13, r14, r15, downwards.
 *
 * struct coroutine (manager.c): 0 where this one waits, 8 where its resumer waits, 16 the resumer,
 * 24 the body, 32 its argument, 40 is it over, 48 struct cairn_stack.
 */
#include <cairn/entry.h>

        .macro save
        .irp register, rbx, rbp, r12, r13, r14, r15
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
        .endr
        .endm

        .macro load_and_return
        .irp register, r15, r14, r13, r12, rbp, rbx
        popq %\register
        .endr
        ret
        .endm

        .text
        .globl coroutine_code, coroutine_code_end, coroutine_start
coroutine_code:

/* void coroutine_resume(void *coroutine) */
        .globl coroutine_resume
        .type coroutine_resume, @function
        CAIRN_ENTRY(coroutine_resume)
        .cfi_startproc
        save
        movq %rdi, %rbx
        movq %rsp, 8(%rbx)
        movq coroutine_current(%rip), %rax
        movq %rax, 16(%rbx)
        movq %rbx, coroutine_current(%rip)
        leaq 48(%rbx), %rdi
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
        call cairn_stack_switch
        movq (%rbx), %rsp
        load_and_return
        .cfi_endproc
        .size coroutine_resume, . - coroutine_resume

/* void coroutine_yield(void) */
        .globl coroutine_yield
        .type coroutine_yield, @function
        CAIRN_ENTRY(coroutine_yield)
        .cfi_startproc
        save
        movq coroutine_current(%rip), %rbx
        movq %rsp, (%rbx)
        subq $8, %rsp
        .cfi_adjust_cfa_offset 8
.Lback:
        movq 16(%rbx), %rdi
        movq %rdi, coroutine_current(%rip)
        leaq 48(%rdi), %rax
        testq %rdi, %rdi
        cmovnzq %rax, %rdi
        call cairn_stack_switch
        movq 8(%rbx), %rsp
        movq $0, 8(%rbx)
        load_and_return
        .cfi_endproc
        .size coroutine_yield, . - coroutine_yield

/* The oldest frame of each such stack: the coroutine is in rbx, and at SP. */
        .type coroutine_start, @function
        .cfi_startproc
        .cfi_undefined %rip
coroutine_start:
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        movq 32(%rbx), %rdi
        call *24(%rbx)
        movq (%rsp), %rbx
        movq $1, 40(%rbx)
        movq $0, (%rbx)
        jmp .Lback
        .cfi_endproc
        .size coroutine_start, . - coroutine_start
coroutine_code_end:

        .section .note.GNU-stack, "", @progbits
