/* SPDX-License-Identifier: Apache-2.0
 *
 * The common part of all stubs: stores the registers in a struct cairn_point_state on the stack, calls
 * cn_stub_run(state, stub), and loads the registers again. Runs on the calling thread, which is managed. The code of a
 * stub (stub_code.c) pushes the stub's address and jumps here:
 *
 *          |  frame of managed code   |  <- its SP, the CFA
 *          |  return address          |  from the call at the point
 *          |  stub                    |
 *          |  flags                   |
 *   rbp -> |  rbp                     |
 *          |  padding to 64 bytes     |
 *   rbx -> |  struct cairn_point_state|
 *
 * At the end the last four words go below the SP that the handler left, which is at least the old one: no word that is
 * still needed lies below the stack pointer, where a signal's frame could overwrite it.
 */
#include "runtime/arch/x86_64/move_vectors.inc"

        .set STATE_RBX, 8*3
        .set STATE_RCX, 8*2
        .set STATE_RBP, 8*6
        .set STATE_SP, 8*7
        .set STATE_FLAGS, 128
        .set STATE_DATA, 136
        .set STATE_RESUME, 144
        .set STATE_VECTOR_BYTES, 152
        .set STATE_VECTOR_COUNT, 156
        .set STATE_MASKS, 192
        .set STATE_VECTORS, 256
        .set STATE_OTHER, 2304          /* an area of XSAVE */
        .set STATE_HEADER, STATE_OTHER + 512
        .set STATE_SIZE, 2880
        .set STUB_DATA, 40
        .set STATE_MXCSR, STATE_OTHER + 24
        .set X87_BIT, 1 << 0

        .hidden cn_stub_run, cn_stub_enter
        .hidden cn_arch_vector_components, cn_arch_stubs_move_vectors

/* The register's value is at an offset from rbx (DW_CFA_expression, DW_OP_breg3). */
        .macro saved_in_state number, low, high
        .cfi_escape 0x10, \number, 3, 0x73, \low, \high
        .endm

        .macro each_general instruction_kind
        .irp pair, "rax,0", "rdx,1", "rsi,4", "rdi,5", "r8,8", "r9,9", "r10,10", "r11,11", "r12,12", "r13,13", "r14,14", "r15,15"
        move_\instruction_kind \pair
        .endr
        .endm
        .macro move_out register, number
        movq %\register, 8*\number(%rsp)
        .endm
        .macro move_in register, number
        movq 8*\number(%rbx), %\register
        .endm

/* eax: the components in use, or all of them if the processor does not tell. Changes rcx and rdx. */
        .macro find_components
        movl cn_arch_vector_components(%rip), %eax
        orl $X87_BIT, %eax
        cmpb $0, cn_arch_stubs_move_vectors(%rip)
        je 1f
        movl $1, %ecx
        xgetbv
        movl cn_arch_vector_components(%rip), %ecx
        orl $X87_BIT, %ecx
        andl %ecx, %eax
1:
        .endm

        .text
        .globl cn_stub_enter
        .type cn_stub_enter, @function
        .p2align 4
cn_stub_enter:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        endbr64
        pushfq
        .cfi_adjust_cfa_offset 8
        pushq %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbp, 0
        movq %rsp, %rbp
        .cfi_def_cfa_register %rbp
        leaq -STATE_SIZE(%rbp), %rsp
        andq $-64, %rsp
        movq %rcx, STATE_RCX(%rsp)
        movq %rbx, STATE_RBX(%rsp)
        each_general out
        movq %rsp, %rbx
        saved_in_state 3, 0x98, 0x00    /* offsets as SLEB128; rbx's own place is relative to its new value */
        saved_in_state 12, 0xe0, 0x00
        saved_in_state 13, 0xe8, 0x00
        saved_in_state 14, 0xf0, 0x00
        saved_in_state 15, 0xf8, 0x00
        cld

        movq (%rbp), %rax
        movq %rax, STATE_RBP(%rbx)
        leaq 32(%rbp), %rax
        movq %rax, STATE_SP(%rbx)
        movq 8(%rbp), %rax
        movq %rax, STATE_FLAGS(%rbx)
        movq 16(%rbp), %r12             /* the stub */
        movq STUB_DATA(%r12), %rax
        movq %rax, STATE_DATA(%rbx)
        movq 24(%rbp), %rax
        movq %rax, STATE_RESUME(%rbx)

        find_components
        movl %eax, %r13d
        stmxcsr STATE_MXCSR(%rbx)
        testl $X87_BIT, %r13d
        jz 1f
        fxsave64 STATE_OTHER(%rbx)
        fninit                          /* functions in C begin with empty x87 registers */
1:
        movl $16, %eax
        movl $32, %ecx
        testl $VECTORS_AVX_BIT, %r13d
        cmovnzl %ecx, %eax
        movl $64, %ecx
        testl $VECTORS_UPPER_BIT, %r13d
        cmovnzl %ecx, %eax
        movl %eax, STATE_VECTOR_BYTES(%rbx)
        movl $16, %eax
        movl $32, %ecx
        testl $VECTORS_HIGH_BIT, %r13d
        cmovnzl %ecx, %eax
        movl %eax, STATE_VECTOR_COUNT(%rbx)
        xorl %eax, %eax
        .irp n, 0,1,2,3,4,5,6,7
        movq %rax, STATE_MASKS+8*\n(%rbx)
        .endr
        move_used_vectors r13d, rbx, STATE_VECTORS, STATE_MASKS, 1
        testl $VECTORS_AVX_BIT, %r13d
        jz 1f
        vzeroupper
1:
        movq %rbx, %rdi
        movq %r12, %rsi
        call cn_stub_run
        movq %rax, %r14                 /* where to continue */

/* Vector registers that came into use in the handler become unused again, by an area of XSAVE without them. */
        find_components
        movl %r13d, %edx
        orl $X87_BIT, %edx
        notl %edx
        andl %edx, %eax
        jz 1f
        xorl %edx, %edx
        .irp n, 0,1,2,3,4,5,6,7
        movq %rdx, STATE_HEADER+8*\n(%rbx)
        .endr
        xrstor64 STATE_OTHER(%rbx)
1:
        testl $X87_BIT, %r13d
        jz 1f
        fxrstor64 STATE_OTHER(%rbx)
1:
        ldmxcsr STATE_MXCSR(%rbx)
        move_used_vectors r13d, rbx, STATE_VECTORS, STATE_MASKS, 0

        movq STATE_SP(%rbx), %rcx
        movq %r14, -8(%rcx)
        movq STATE_FLAGS(%rbx), %rax
        movq %rax, -16(%rcx)
        movq STATE_RCX(%rbx), %rax
        movq %rax, -24(%rcx)
        movq STATE_RBX(%rbx), %rax
        movq %rax, -32(%rcx)
        each_general in
        movq STATE_RBP(%rbx), %rbp
        .cfi_restore %rbp
        .cfi_def_cfa %rcx, 0
        leaq -32(%rcx), %rsp
        .cfi_def_cfa %rsp, 32
        .cfi_restore %r12
        .cfi_restore %r13
        .cfi_restore %r14
        .cfi_restore %r15
        .cfi_offset %rbx, -32
        popq %rbx
        .cfi_restore %rbx
        .cfi_adjust_cfa_offset -8
        popq %rcx
        .cfi_adjust_cfa_offset -8
        popfq
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size cn_stub_enter, . - cn_stub_enter

        .section .note.GNU-stack, "", @progbits
