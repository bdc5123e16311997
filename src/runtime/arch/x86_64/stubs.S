/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the entries from managed code, for x86-64 System V. On the calling thread.
 *
 * Slow paths (cairn_poll_slow, cairn_alloc_slow, cairn_alloc_indexed_slow, cairn_alloc_uninit_slow, cairn_resize_slow;
 * preserve_allcc: every general register except r11, and every vector register, survives, so references may stay in any
 * of them): each builds a struct cn_saved_regs (arch.h) on the stack, saves the vector registers below it, and calls C. The
 * collector updates the saved registers in place, and the stub loads them from there.
 *
 * Transitions (cairn_call_any and its two front doors, cairn_enter): the target is in r11 or in r10. The places of
 * arguments and results are unknown to the stubs, so only these two registers may change before the call, and all
 * result registers stay as they are after it. Each stub keeps the state of the mutator. cairn_call_short knows more
 * about its caller.
 *
 * A native callee saves rbx, rbp and r12 to r15 in its own frame, where walkers miss them, and would restore stale
 * references. So the stub keeps them in the anchor, and loads them from there after the call if a walk was given their
 * places: the walk marks the anchor.
 */
#define CAIRN_ABI(name, value) .set CAIRN_ABI_##name, value
#include <cairn/abi.def>
#include <cairn/abi_x86_64.def>
#undef CAIRN_ABI

/* The thread's mutator is at a constant offset from the thread pointer, if the runtime is in the executable. In a shared
 * object (CN_SHARED_RUNTIME) the dynamic linker knows the offset, so the stub needs a register for it: `register`, which
 * load_mutator loads. */
#ifdef CN_SHARED_RUNTIME
#define MUTATOR_FIELD(field, register) %fs:CAIRN_ABI_MUTATOR_##field(register)
        .macro load_mutator register
        movq cairn_mutator@gottpoff(%rip), %\register
        .endm
#else
#define MUTATOR_FIELD(field, register) %fs:cairn_mutator@tpoff+CAIRN_ABI_MUTATOR_##field
        .macro load_mutator register
        .endm
#endif

        .hidden cn_arch_has_xsavec
        .hidden cn_safepoint_poll
        .hidden cn_safepoint_alloc
        .hidden cn_safepoint_alloc_indexed
        .hidden cn_safepoint_alloc_uninit
        .hidden cn_safepoint_resize
        .hidden cn_safepoint_collect
        .hidden cn_barrier_snapshot_slow_path
        .hidden cn_barrier_load_slow_path
        .hidden cn_barrier_range_slow_path
        .hidden cn_check_store
        .hidden cn_check_copy
        .hidden cn_check_store_at
        .hidden cn_check_copy_at
        .hidden cn_safepoint_anchors
        .hidden cn_slow_path_back
        .hidden cn_arch_stub_personality
        .hidden cn_arch_mark_personality
        .hidden cn_references_shown
        .hidden cn_arch_vector_components
        .hidden cn_arch_vector_area_bytes
        .hidden cn_arch_stubs_move_vectors
        .hidden cn_return_barrier_cells
        .hidden cn_return_barrier_returned
        .hidden cn_deopt_leave_now
        .hidden cn_deopt_leave_returned
        .hidden cn_throw_from_managed
        .hidden cn_marked_return_cells

        .section .rodata.cn_arch_restart_ranges, "a", @progbits
        .p2align 2
        .globl cn_arch_restart_ranges, cn_arch_restart_ranges_end
        .hidden cn_arch_restart_ranges, cn_arch_restart_ranges_end
cn_arch_restart_ranges:

        .text
        .globl cn_arch_stubs_start, cn_arch_stubs_end, cn_arch_native_return, cn_arch_body_return
        .globl cn_arch_short_return
        .hidden cn_arch_stubs_start, cn_arch_stubs_end, cn_arch_native_return, cn_arch_body_return
        .hidden cn_arch_short_return
cn_arch_stubs_start:

        .macro function name
        .globl \name
        .type \name, @function
        .p2align 4
\name:
        .cfi_startproc
        .endm

/* A function that compiled code calls by a thunk of its image (slow_paths.c). In the runtime's own image the thunk's
 * name is the function's. */
        .macro stub name
#ifndef CN_SHARED_RUNTIME
        .globl cairn.slow.\name
        .set cairn.slow.\name, \name
#endif
        function \name
        .endm

        .macro end name
        .cfi_endproc
        .size \name, . - \name
        .endm

/* A function that may be called without an anchor, also from native code. */
        .macro managed_function name
        .p2align 4
        .quad CAIRN_ABI_MANAGED_MARK
        .globl \name
        .type \name, @function
\name:
        .cfi_startproc
        endbr64
        jmp 0f
        .org \name + CAIRN_ABI_ENTRY_SIZE, 0xcc
0:
        .endm

        .macro push_register register, offset
        pushq %\register
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %\register, 0
        .endm

/* Builds struct cn_saved_regs; rbp points to it from here to restore_general. */
        .macro save_general
        push_register r15
        save_below_r15
        .endm

        .macro save_below_r15
        push_register r14
        push_register r13
        push_register r12
        push_register r11
        push_register r10
        push_register r9
        push_register r8
        pushq $0
        .cfi_adjust_cfa_offset 8
        push_register rbp
        push_register rdi
        push_register rsi
        push_register rbx
        push_register rcx
        push_register rdx
        push_register rax
        movq %rsp, %rbp
        .cfi_def_cfa_register %rbp
        .endm

        .macro pop_register register
        popq %\register
        .cfi_adjust_cfa_offset -8
        .cfi_restore %\register
        .endm

        .macro restore_general
        movq %rbp, %rsp
        .cfi_def_cfa_register %rsp
        pop_register rax
        pop_register rdx
        pop_register rcx
        pop_register rbx
        pop_register rsi
        pop_register rdi
        pop_register rbp
        leaq 8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        pop_register r8
        pop_register r9
        pop_register r10
        pop_register r11
        pop_register r12
        pop_register r13
        pop_register r14
        pop_register r15
        .endm

/* Saves all vector and mask registers in use, and notes them in r12. By hand if the processor tells which are in use:
 * XSAVE and XRSTOR take several times as long. */
        .macro save_vectors
        movl cn_arch_vector_area_bytes(%rip), %ecx
        subq %rcx, %rsp
        andq $-64, %rsp
        cmpb $0, cn_arch_stubs_move_vectors(%rip)
        je 1f
        call vectors_out
        jmp 2f
1:
        call vectors_xsave
2:
        .endm

/* Restores them. Registers that were unused are unused again: loading upper halves that the caller leaves unused would
 * make each of its SSE instructions wait for the register that it writes. */
        .macro restore_vectors
        cmpb $0, cn_arch_stubs_move_vectors(%rip)
        je 1f
        call vectors_in
        jmp 2f
1:
        call vectors_xrstor
2:
        .endm

/* The next four functions. Their area begins above their return address. They change rax, rcx and rdx. */
        .set VECTOR_AREA_OFFSET, 8
        .macro begin_vector_function name
        .type vectors_\name, @function
        .p2align 4
vectors_\name:
        .cfi_startproc
        .endm

        .macro end_vector_function name
        ret
        .cfi_endproc
        .size vectors_\name, . - vectors_\name
        .endm

begin_vector_function xsave
        movl cn_arch_vector_components(%rip), %r12d
        xorl %edx, %edx
        movl %r12d, %eax
        testl %eax, %eax
        jz 3f
        .irp n, 0,1,2,3,4,5,6,7
        movq %rdx, VECTOR_AREA_OFFSET+VECTORS_HEADER_OFFSET+8*\n(%rsp)
        .endr
        cmpb $0, cn_arch_has_xsavec(%rip)
        je 1f
        xsavec64 VECTOR_AREA_OFFSET(%rsp)
        jmp 2f
1:
        xsave64 VECTOR_AREA_OFFSET(%rsp)
2:
        testl $VECTORS_AVX_BIT, %r12d
        jz 4f
        vzeroupper
        jmp 4f
3:
        fxsave64 VECTOR_AREA_OFFSET(%rsp)
4:
end_vector_function xsave

begin_vector_function xrstor
        movl %r12d, %eax
        xorl %edx, %edx
        testl %eax, %eax
        jz 1f
        xrstor64 VECTOR_AREA_OFFSET(%rsp)
        jmp 2f
1:
        fxrstor64 VECTOR_AREA_OFFSET(%rsp)
2:
end_vector_function xrstor

/* By hand, the area is that of XSAVE with an empty state and MXCSR, followed by the registers. */
        .set VECTORS_MXCSR_OFFSET, 24
        .set VECTORS_HEADER_OFFSET, 512
        .set VECTORS_REGISTERS_OFFSET, VECTOR_AREA_OFFSET + CAIRN_ABI_VECTORS_BY_HAND
        .set VECTORS_MASKS_OFFSET, VECTORS_REGISTERS_OFFSET + 32*64
#include "runtime/arch/x86_64/move_vectors.inc"

/* Moves the registers that r12 names. */
        .macro move_vectors_at_sp store
        move_used_vectors r12d, rsp, VECTORS_REGISTERS_OFFSET, VECTORS_MASKS_OFFSET, \store
        .endm

begin_vector_function out
        movl $1, %ecx
        xgetbv
        andl cn_arch_vector_components(%rip), %eax
        movl %eax, %r12d
        stmxcsr VECTOR_AREA_OFFSET+VECTORS_MXCSR_OFFSET(%rsp)
        move_vectors_at_sp 1
        vzeroupper
end_vector_function out

begin_vector_function in
        movl $1, %ecx
        xgetbv
        andl cn_arch_vector_components(%rip), %eax
        movl %r12d, %edx
        notl %edx
        andl %edx, %eax                 /* the components that have come into use since */
        jz 6f
        xorl %edx, %edx
        .irp n, 0,1,2,3,4,5,6,7
        movq %rdx, VECTOR_AREA_OFFSET+VECTORS_HEADER_OFFSET+8*\n(%rsp)
        .endr
        xrstor64 VECTOR_AREA_OFFSET(%rsp)
6:
        move_vectors_at_sp 0
        ldmxcsr VECTOR_AREA_OFFSET+VECTORS_MXCSR_OFFSET(%rsp)
end_vector_function in

/* void cairn_poll(void): a poll for code that is to be small */
stub cairn_poll
        load_mutator r11
        cmpq $0, MUTATOR_FIELD(POLL, %r11)
        jne cairn_poll_slow
        ret
end cairn_poll

/* void cairn_poll_slow(void) */
stub cairn_poll_slow
        save_general
        save_vectors
        movq %rbp, %rdi
        call cn_safepoint_poll
        restore_vectors
        restore_general
        ret
end cairn_poll_slow

/* ref cairn_alloc_slow(const struct cairn_layout *layout) */
stub cairn_alloc_slow
        save_general
        save_vectors
        movq %rdi, %rsi
        movq %rbp, %rdi
        call cn_safepoint_alloc
        movq %rax, (%rbp)
        restore_vectors
        restore_general
        ret
end cairn_alloc_slow

/* ref NAME(const struct cairn_layout *layout, int64_t count), by SAFEPOINT of safepoint.h. FIRST, which uses no vector
 * register, is tried first; it returns null if it has no array. */
        .macro alloc_indexed_stub name, safepoint, first=0
stub \name
        save_general
        .ifnc \first, 0
        andq $-16, %rsp
        call \first
        testq %rax, %rax
        jnz 9f
        movq 32(%rbp), %rsi
        movq 40(%rbp), %rdi
        .endif
        save_vectors
        movq %rsi, %rdx
        movq %rdi, %rsi
        movq %rbp, %rdi
        call \safepoint
        movq %rax, (%rbp)
        restore_vectors
        .ifnc \first, 0
        jmp 8f
9:
        movq %rax, (%rbp)
8:
        .endif
        restore_general
        ret
end \name
        .endm

alloc_indexed_stub cairn_alloc_indexed_slow, cn_safepoint_alloc_indexed
alloc_indexed_stub cairn_alloc_uninit_slow, cn_safepoint_alloc_uninit, cn_freed_reuse_array

/* ref cairn_resize_slow(const struct cairn_layout *layout, ref array, int64_t count, bool uninit) */
stub cairn_resize_slow
        save_general
        save_vectors
        movq 16(%rbp), %r8 /* saved rcx, and rdx: both are in use by now */
        movq 8(%rbp), %rcx
        movq %rsi, %rdx
        movq %rdi, %rsi
        movq %rbp, %rdi
        call cn_safepoint_resize
        movq %rax, (%rbp)
        restore_vectors
        restore_general
        ret
end cairn_resize_slow

/* Slow paths of barriers (preserve_all). They contain no safepoint, so walks never meet the frame. C has the arguments
 * in the same places. */
        .macro barrier_stub name, function, returns=0
stub \name
        save_general
        save_vectors
        call \function
        .if \returns
        movq %rax, (%rbp)
        .endif
        restore_vectors
        restore_general
        ret
end \name
        .endm

/* void cairn_barrier_snapshot(slot), ref _load(slot, value), void _range(start, bytes):
 * see runtime/heap/barrier_slow_paths.h. */
barrier_stub cairn_barrier_snapshot, cn_barrier_snapshot_slow_path
barrier_stub cairn_barrier_load, cn_barrier_load_slow_path, 1
barrier_stub cairn_barrier_range, cn_barrier_range_slow_path

/* void cairn_collect(void): C convention, and the stub must save the callee-saved registers as well. The mark lets
 * cairn_call_any jump here: then the caller's frame is the youngest one, and needs no anchor. */
managed_function cairn_collect
        save_general
        andq $-16, %rsp
        movq %rbp, %rdi
        call cn_safepoint_collect
        restore_general
        ret
end cairn_collect

/* ---- take-overs (arch.h, struct cn_transfer) ---- */

        .set TRANSFER_RBX, 0
        .set TRANSFER_RBP, 8
        .set TRANSFER_R12, 16
        .set TRANSFER_R13, 24
        .set TRANSFER_R14, 32
        .set TRANSFER_R15, 40
        .set TRANSFER_SLOT, 48
        .set TRANSFER_PC, 56
        .set TRANSFER_ARGUMENT, 64
        .set TRANSFER_RESULT, 72
        .set TRANSFER_SECOND, 80
        .set TRANSFER_SIZE, 88

/* Tells unwinders that the frame is called from the activation of the struct cn_transfer at the register with DWARF
 * operation `breg`. */
        .macro cfi_in_transfer breg
        /* DW_CFA_def_cfa_expression: the slot (DW_OP_deref), plus 8 (DW_OP_plus_uconst); DW_CFA_expressions. */
        .cfi_escape 0x0f, 5, \breg, TRANSFER_SLOT, 0x06, 0x23, 8
        .cfi_escape 0x10, 3, 2, \breg, TRANSFER_RBX
        .cfi_escape 0x10, 6, 2, \breg, TRANSFER_RBP
        .cfi_escape 0x10, 12, 2, \breg, TRANSFER_R12
        .cfi_escape 0x10, 13, 2, \breg, TRANSFER_R13
        .cfi_escape 0x10, 14, 2, \breg, TRANSFER_R14
        .cfi_escape 0x10, 15, 2, \breg, TRANSFER_R15
        .irp r, %rax, %rdx, %rcx, %rsi, %rdi, %r8, %r9, %r10, %r11
        .cfi_undefined \r
        .endr
        .endm

/* Calls FUNCTION(regs, transfer, third, ...), and does the transfer. rbp points to the struct cn_saved_regs. */
        .macro transfer_by function
        subq $TRANSFER_SIZE, %rsp
        andq $-16, %rsp
        movq %rsp, %rbx
        movq %rbp, %rdi
        movq %rbx, %rsi
        call \function
        cfi_in_transfer 0x73
        movq %rbx, %rcx
        jmp .Ltransfer
        .endm

/* The callee-saved registers of the transfer that BASE points to. */
        .macro load_transferred base
        movq TRANSFER_RBP(%\base), %rbp
        movq TRANSFER_R12(%\base), %r12
        movq TRANSFER_R13(%\base), %r13
        movq TRANSFER_R14(%\base), %r14
        movq TRANSFER_R15(%\base), %r15
        movq TRANSFER_RBX(%\base), %rbx
        .endm

/* void cn_arch_transfer(const struct cn_transfer *transfer) */
        .hidden cn_arch_transfer
function cn_arch_transfer
        cfi_in_transfer 0x75
        movq %rdi, %rcx
.Ltransfer:                              /* the transfer at rcx */
        cfi_in_transfer 0x72
        load_transferred rcx
        movq TRANSFER_ARGUMENT(%rcx), %rdi
        movq TRANSFER_RESULT(%rcx), %rax
        movq %rax, %xmm0
        movq TRANSFER_SECOND(%rcx), %rdx
        movq TRANSFER_PC(%rcx), %r11
        movq TRANSFER_SLOT(%rcx), %rsp
        .cfi_def_cfa %rsp, 8
        .irp r, %rbx, %rbp, %r12, %r13, %r14, %r15
        .cfi_same_value \r
        .endr
        jmp *%r11
end cn_arch_transfer

/* Returns to the address in the slot of the transfer. */
        .hidden cn_arch_return
function cn_arch_return
        ret
end cn_arch_return

/* void cairn_deoptimize(uint64_t reason): like cairn_collect(), but its caller's activation ends. */
managed_function cairn_deoptimize
        save_general
        movq %rdi, %rdx
        transfer_by cn_deopt_leave_now
end cairn_deoptimize
        .weak __llvm_deoptimize
        .type __llvm_deoptimize, @function
        .set __llvm_deoptimize, cairn_deoptimize

/* int cairn_throw(uint64_t key, ref exception): jumps to a landing pad, whose stack pointer is the slot of the transfer,
 * and returns only after a failure. C convention, so that the struct cn_saved_regs needs only the callee-saved registers;
 * a collection may update them. The struct lies above the transfer. */
        .set THROW_REGS, 104
        .set THROW_SIZE, THROW_REGS + 128
        .macro save_for_throw register, place
        movq %\register, THROW_REGS+\place(%rsp)
        .cfi_rel_offset %\register, THROW_REGS+\place
        .endm
        .macro load_after_throw register, place
        movq THROW_REGS+\place(%rsp), %\register
        .cfi_restore %\register
        .endm
        .weak cairn.managed_code.cairn_throw
        .set cairn.managed_code.cairn_throw, cairn_throw + CAIRN_ABI_ENTRY_SIZE
managed_function cairn_throw
        leaq -THROW_SIZE(%rsp), %rsp
        .cfi_adjust_cfa_offset THROW_SIZE
        save_for_throw rbx, 24
        save_for_throw rbp, 48
        save_for_throw r12, 96
        save_for_throw r13, 104
        save_for_throw r14, 112
        save_for_throw r15, 120
        leaq THROW_REGS(%rsp), %rdx
        movq %rsp, %rcx
        call cn_throw_from_managed
        testl %eax, %eax
        jnz 1f
        .cfi_remember_state
        load_transferred rsp
        movq TRANSFER_SECOND(%rsp), %rdx
        movq TRANSFER_PC(%rsp), %r11
        movq TRANSFER_SLOT(%rsp), %rsp
        .cfi_def_cfa %rsp, 0
        .cfi_register 16, 11            /* the pc: the pad's activation is the caller now */
        .irp r, %rbx, %rbp, %r12, %r13, %r14, %r15
        .cfi_same_value \r
        .endr
        jmp *%r11                       /* rax is 0 */
1:
        .cfi_restore_state
        load_after_throw rbx, 24
        load_after_throw rbp, 48
        load_after_throw r12, 96
        load_after_throw r13, 104
        load_after_throw r14, 112
        load_after_throw r15, 120
        leaq THROW_SIZE(%rsp), %rsp
        .cfi_adjust_cfa_offset -THROW_SIZE
        ret
end cairn_throw

/* Checks of stores: C convention. The walk that may follow needs the callee-saved registers, so the stub builds a
 * struct cn_saved_regs with only these. FUNCTION gets it as its last argument, and leaves it unchanged. They contain no
 * safepoint. */
        .macro check_stub name, function, last
stub \name
        leaq -136(%rsp), %rsp
        .cfi_adjust_cfa_offset 136
        movq %rbx, 32(%rsp)
        movq %rbp, 56(%rsp)
        movq %r12, 104(%rsp)
        movq %r13, 112(%rsp)
        movq %r14, 120(%rsp)
        movq %r15, 128(%rsp)
        leaq 8(%rsp), %\last
        call \function
        leaq 136(%rsp), %rsp
        .cfi_adjust_cfa_offset -136
        ret
end \name
        .endm

/* void cairn_check_store(const void *slot, const char *what) */
check_stub cairn_check_store, cn_check_store, rdx
/* void cairn_check_copy(const void *to, const void *from, size_t bytes); and a second name for copies of ordinary
 * memory, because its type in IR differs. */
check_stub cairn_check_copy, cn_check_copy, rcx
check_stub cairn_check_native_copy, cn_check_copy, rcx
/* void cairn_check_store_at(const void *slot, const char *what, struct cn_store_site *site) */
check_stub cairn_check_store_at, cn_check_store_at, rcx
/* void cairn_check_copy_at(const void *to, const void *from, size_t bytes, struct cn_store_site *site) */
check_stub cairn_check_copy_at, cn_check_copy_at, r8

/* Reserves the next anchor, at `register`, for the caller. Walks skip it until it is complete, and handlers leave it
 * alone. `mutator` has been loaded. */
        .macro reserve_anchor register, mutator
        movq $0, CAIRN_ABI_ANCHOR_SP(%\register)
        leaq CAIRN_ABI_ANCHOR_SIZE(%\register), %\register
        movq %\register, MUTATOR_FIELD(ANCHOR, %\mutator)
        leaq -CAIRN_ABI_ANCHOR_SIZE(%\register), %\register
        .endm

/* Tells unwinders the places of rbx and the pc while the anchor at rbx has them. */
        .macro cfi_return_address_in_anchor
        /* DW_CFA_expression: rbx is saved at rbx (DW_OP_breg3) + ANCHOR_RBX. */
        .cfi_escape 0x10, 3, 2, 0x73, CAIRN_ABI_ANCHOR_RBX
        cfi_pc_in_anchor
        .endm

/* Tells unwinders the pc and the stack pointer: the return address has just left the stack. Unwinders identify frames
 * by their ends, and the frame of the callee ends at the stack pointer. So the stub's frame is said to end a word
 * higher, within its caller's. */
        .macro cfi_pc_in_anchor
        /* DW_CFA_val_expression: the word at rbx + ANCHOR_PC (DW_OP_deref). */
        .cfi_escape 0x16, 16, 3, 0x73, CAIRN_ABI_ANCHOR_PC, 0x06
        .cfi_val_offset %rsp, -8
        .endm

/* Moves the caller's rbx and the return address from the stack to the anchor at rbx, so that the callee finds the stack
 * arguments in their places. */
        .macro move_return_address_to_anchor
        popq CAIRN_ABI_ANCHOR_RBX(%rbx)
        .cfi_adjust_cfa_offset -8
        .cfi_escape 0x10, 3, 2, 0x73, CAIRN_ABI_ANCHOR_RBX
        popq CAIRN_ABI_ANCHOR_PC(%rbx)
        cfi_return_address_in_anchor
        .endm

        .macro push_return_address
        pushq CAIRN_ABI_ANCHOR_PC(%rbx)
        .cfi_offset 16, -8
        .cfi_restore %rsp
        .endm

/* Loads rbx; drops its anchor, and those that a longjmp left above it. `register` is free; without one, and where the
 * register is for the mutator, rbx goes through the stack, which takes longer. */
        .macro free_anchor register
#ifndef CN_SHARED_RUNTIME
        .ifnb \register
        movq %rbx, %\register
        movq CAIRN_ABI_ANCHOR_RBX(%rbx), %rbx
        .cfi_restore %rbx
        movq $0, CAIRN_ABI_ANCHOR_SP(%\register)
        movq %\register, MUTATOR_FIELD(ANCHOR, none)
        .else
        free_anchor_by_stack r11
        .endif
#else
        .ifnb \register
        free_anchor_by_stack \register
        .else
        free_anchor_by_stack r11, 1
        .endif
#endif
        .cfi_restore %rbx
        .endm

/* The register `mutator` is free, or kept on the stack. */
        .macro free_anchor_by_stack mutator, keep=0
        pushq CAIRN_ABI_ANCHOR_RBX(%rbx)
        .cfi_adjust_cfa_offset 8
        .cfi_offset %rbx, -16
        .if \keep
        pushq %\mutator
        .cfi_adjust_cfa_offset 8
        .endif
        load_mutator \mutator
        movq $0, CAIRN_ABI_ANCHOR_SP(%rbx)
        movq %rbx, MUTATOR_FIELD(ANCHOR, %\mutator)
        .if \keep
        popq %\mutator
        .cfi_adjust_cfa_offset -8
        .endif
        popq %rbx
        .cfi_adjust_cfa_offset -8
        .endm

/* Tells unwinders the places of the other registers while the anchor at rbx has them. */
        .macro cfi_registers_in_anchor
        .cfi_escape 0x10, 6, 2, 0x73, CAIRN_ABI_ANCHOR_RBP
        .cfi_escape 0x10, 12, 2, 0x73, CAIRN_ABI_ANCHOR_R12
        .cfi_escape 0x10, 13, 2, 0x73, CAIRN_ABI_ANCHOR_R13
        .cfi_escape 0x10, 14, 2, 0x73, CAIRN_ABI_ANCHOR_R14
        .cfi_escape 0x10, 15, 2, 0x73, CAIRN_ABI_ANCHOR_R15
        .endm

/* Makes the thread managed, unless other threads want to stop it or ask for a handshake: then it waits first. The store
 * and the read of the poll word have no fence between them, see threads/stop.c. If a signal comes between them, the
 * thread begins again (cn_arch_restart_transition()): its handler would otherwise run managed code during a collection. Keeps all
 * registers but `mutator`, which is free, or kept in the second word below the stack pointer: signal handlers leave
 * these words alone. The anchor at rbx is complete, and below the stack pointer is the word that tells walks that the
 * anchor lives (cn_arch_is_anchor_live()). */
        .macro become_managed name, mutator, keep=0
        keep_register \mutator, \keep
.Lback_\name:
        load_mutator \mutator
        movb $CAIRN_ABI_MANAGED, MUTATOR_FIELD(STATE, %\mutator)
.Lmanaged_\name:
        testb $CAIRN_ABI_POLL_BACK, MUTATOR_FIELD(POLL, %\mutator)
        load_kept_register \mutator, \keep
        jnz .Lstop_\name
.Lmay_go_on_\name:
        restart_range .Lback_\name, .Lmanaged_\name, .Lmay_go_on_\name
        .endm

/* The rare part of become_managed, out of line: taken branches make up the cost of a short path. */
        .macro define_wait_of name, mutator, keep=0
.Lstop_\name:
        load_mutator \mutator
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %\mutator)
.Lnative_\name:
        restart_range .Lback_\name, .Lstop_\name, .Lnative_\name
        load_kept_register \mutator, \keep
        wait_for_stops
        jmp .Lmay_go_on_\name
        .endm

/* Keep the flags. */
        .macro keep_register register, keep
#ifdef CN_SHARED_RUNTIME
        .if \keep
        movq %\register, -16(%rsp)
        .endif
#endif
        .endm

        .macro load_kept_register register, keep
#ifdef CN_SHARED_RUNTIME
        .if \keep
        movq -16(%rsp), %\register
        .endif
#endif
        .endm

        .macro restart_range begins, done, over
        .pushsection .rodata.cn_arch_restart_ranges, "a", @progbits
        .long \begins - cn_arch_stubs_start, \done - cn_arch_stubs_start, \over - cn_arch_stubs_start
        .popsection
        .endm

        .macro wait_for_stops
        leaq -8(%rsp), %rsp
        .cfi_adjust_cfa_offset 8
        call wait_for_pending_stops
        leaq 8(%rsp), %rsp
        .cfi_adjust_cfa_offset -8
        .endm

/* Loads the registers from the anchor: if a walk came by, a collector may have changed them. */
        .macro load_registers_from_anchor
        movq CAIRN_ABI_ANCHOR_RBP(%rbx), %rbp
        movq CAIRN_ABI_ANCHOR_R12(%rbx), %r12
        movq CAIRN_ABI_ANCHOR_R13(%rbx), %r13
        movq CAIRN_ABI_ANCHOR_R14(%rbx), %r14
        movq CAIRN_ABI_ANCHOR_R15(%rbx), %r15
        .endm

/* Returns to the managed caller that made the anchor at rbx. Its other registers are loaded, and its return address is
 * on the stack again. */
        .macro return_from_native register
        push_return_address
        .irp r, %rbp, %r12, %r13, %r14, %r15
        .cfi_restore \r
        .endr
        free_anchor \register
        .endm

/* Begins a jump to r11 in the place of a frame that a stub called: a tail call from there. The stack has rbx and the
 * return address into that stub. The stub's anchor is in rbx, because the callee has loaded it. */
        .macro begin_tail_call
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        popq %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        .cfi_remember_state
        leaq 8(%rsp), %rsp
        cfi_return_address_in_anchor
        .endm

        .macro grow_anchors
        save_general
        save_vectors
        movq %rbp, %rdi
        call cn_safepoint_anchors
        restore_vectors
        restore_general
        .endm

/* Finds the free anchor, at rax; jumps to `full` if the chunk has none. */
        .macro find_free_anchor full
#ifdef CN_SHARED_RUNTIME
        push_register rbx
        load_mutator rbx
#endif
        movq MUTATOR_FIELD(ANCHOR, %rbx), %rax
        testl $(CAIRN_ABI_ANCHOR_CHUNK - 1), %eax
        jz \full
        .endm

/* At the label `full` of find_free_anchor. */
        .macro grow_full_anchors
#ifdef CN_SHARED_RUNTIME
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        pop_register rbx
#endif
        grow_anchors
        .endm

/* Moves all of the caller's registers and its return address to the anchor that find_free_anchor found, which then is
 * complete. */
        .macro move_caller_to_anchor
        reserve_anchor rax, rbx
#ifdef CN_SHARED_RUNTIME
        popq CAIRN_ABI_ANCHOR_RBX(%rax)
        .cfi_adjust_cfa_offset -8
        /* DW_CFA_expression: rbx is saved at rax (DW_OP_breg0) + ANCHOR_RBX. */
        .cfi_escape 0x10, 3, 2, 0x70, CAIRN_ABI_ANCHOR_RBX
#else
        movq %rbx, CAIRN_ABI_ANCHOR_RBX(%rax)
#endif
        movq %rax, %rbx
        /* DW_CFA_expression: rbx is saved at rbx (DW_OP_breg3) + ANCHOR_RBX. */
        .cfi_escape 0x10, 3, 2, 0x73, CAIRN_ABI_ANCHOR_RBX
        movq %rbp, CAIRN_ABI_ANCHOR_RBP(%rbx)
        movq %r12, CAIRN_ABI_ANCHOR_R12(%rbx)
        movq %r13, CAIRN_ABI_ANCHOR_R13(%rbx)
        movq %r14, CAIRN_ABI_ANCHOR_R14(%rbx)
        movq %r15, CAIRN_ABI_ANCHOR_R15(%rbx)
        popq CAIRN_ABI_ANCHOR_PC(%rbx)  /* stack arguments are in the callee's places */
        cfi_return_address_in_anchor
        cfi_registers_in_anchor
        movq %rsp, CAIRN_ABI_ANCHOR_SP(%rbx)
        .endm

/* Waits for stops, and keeps all registers. */
        .type wait_for_pending_stops, @function
        .p2align 4
wait_for_pending_stops:
        .cfi_startproc
        save_general
        save_vectors
        call cn_slow_path_back
        restore_vectors
        restore_general
        ret
        .cfi_endproc
        .size wait_for_pending_stops, . - wait_for_pending_stops

/* Call the function in r10: a variadic one, and a native one. */
stub cairn_vcall_any
        movl $8, %eax
        movq %r10, %r11
        jmp cairn_call_any
end cairn_vcall_any

stub cairn_call_native
        movq %r10, %r11
        jmp call_native
end cairn_call_native

/* Calls the function in r11, native or managed. The unwinder finds the path back through the anchor at rbx, and
 * cn_arch_stub_personality() drops the anchor when a frame is unwound (cfi_caller_taken).
 *
 * Arguments leave rax free, except that variadic calls pass the number of vector registers that may have arguments, or
 * any number from there to 8. So the stub uses rax, and leaves 8 in it.
 *
 * A signal's handler may make such calls as well, between any two instructions, and may leave by a siglongjmp. So an
 * anchor is reserved before anything is written to it, and is free only after all of it has been read; its SP is 0
 * while it is free or incomplete. */
function cairn_call_any
        .cfi_personality 0x1b, cn_arch_stub_personality /* PC-relative, four bytes */
        testb $8, %r11b                 /* the memory before other functions may be missing */
        jz call_native
        cmpl $(CAIRN_ABI_MANAGED_MARK & 0xffffffff), -8(%r11)
        jne call_native
        cmpl $(CAIRN_ABI_MANAGED_MARK >> 32), -4(%r11)
        jne call_native
        addq $CAIRN_ABI_ENTRY_SIZE, %r11
        jmp *%r11
call_native:
        .cfi_remember_state
        leaq cn_arch_body_return(%rip), %rax
        cmpq %rax, (%rsp)
        je .Ltail_to_native
        find_free_anchor .Lno_anchor_to_native
        move_caller_to_anchor
        load_mutator rax
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %rax) /* the anchor is complete */
.Lcall_with_anchor:
        movl $8, %eax
        call *%r11
cn_arch_native_return:
        become_managed any, r11
        testb $CAIRN_ABI_ANCHOR_WALKED, CAIRN_ABI_ANCHOR_SP(%rbx)
        jnz .Lwalked
.Lregisters_right:
        .cfi_remember_state
        return_from_native r11
        ret
        .cfi_restore_state
        define_wait_of any, r11
.Lwalked:
        load_registers_from_anchor
        jmp .Lregisters_right
        .cfi_restore_state
        /* Managed code that cairn_enter called makes a tail call of native code. Its frame is gone, so the thread is
         * native again, and returns to the body's return address. */
.Ltail_to_native:
        .cfi_remember_state
        leaq 8(%rsp), %rsp
        cfi_return_address_in_anchor
        load_mutator rax
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %rax)
        push_return_address
        free_anchor rax
        movl $8, %eax
        jmp *%r11
        .cfi_restore_state
        /* The chunk of anchors is full, or this thread has no chunk yet. */
.Lno_anchor_to_native:
        grow_full_anchors
        jmp cairn_call_any
end cairn_call_any

/* Calls the function in r10, a native one of the compiler, which passes references on to managed code
 * (result_wrappers.c, bridges.c). So the thread stays managed, and stops wait meanwhile. The rest is as in
 * cairn_call_any, except that these calls are never tail calls. */
stub cairn_call_passing
        .cfi_personality 0x1b, cn_arch_stub_personality
        movq %r10, %r11
.Lcall_passing:
        .cfi_remember_state
        find_free_anchor .Lno_anchor_to_passing
        move_caller_to_anchor
        jmp .Lcall_with_anchor
        .cfi_restore_state
.Lno_anchor_to_passing:
        grow_full_anchors
        jmp .Lcall_passing
end cairn_call_passing

/* Calls the function in r10, or in r11, which must be managed, because it is given a reference: else the program ends.
 * It may be variadic. */
stub cairn_call_managed
        movl $8, %eax
        movq %r10, %r11
        jmp cairn_call_body
end cairn_call_managed

function cairn_call_body
        testb $8, %r11b                 /* as in cairn_call_any */
        jz .Lno_mark
        cmpl $(CAIRN_ABI_MANAGED_MARK & 0xffffffff), -8(%r11)
        jne .Lno_mark
        cmpl $(CAIRN_ABI_MANAGED_MARK >> 32), -4(%r11)
        jne .Lno_mark
        addq $CAIRN_ABI_ENTRY_SIZE, %r11
        jmp *%r11
.Lno_mark:
        save_general
        save_vectors
        movq 88(%rbp), %rdi             /* r11 and the pc of struct cn_saved_regs */
        movq 128(%rbp), %rsi
        call cn_references_shown
        restore_vectors
        restore_general
        jmp call_native
end cairn_call_body

/* Calls the native function in r12 for managed code that has no live value in rbx or r12 to r15 over the call, either
 * its own or a caller's. The convention is preserve_none: its arguments begin with r12 to r15, and continue like those
 * of C. So rbp is the only callee-saved register in the anchor. The usual path lies in two cache lines. */
        .p2align 6
stub cairn_call_short
        .cfi_personality 0x1b, cn_arch_stub_personality
        load_mutator r14
        movq MUTATOR_FIELD(ANCHOR, %r14), %rbx
        testl $(CAIRN_ABI_ANCHOR_CHUNK - 1), %ebx
        jz .Lno_anchor_to_short
        movq $0, CAIRN_ABI_ANCHOR_SP(%rbx) /* see cairn_call_any */
        leaq CAIRN_ABI_ANCHOR_SIZE(%rbx), %r13
        movq %r13, MUTATOR_FIELD(ANCHOR, %r14)
        movq %rbp, CAIRN_ABI_ANCHOR_RBP(%rbx)
        popq CAIRN_ABI_ANCHOR_PC(%rbx)
        cfi_pc_in_anchor
        /* DW_CFA_expression: rbp is saved at rbx (DW_OP_breg3) + ANCHOR_RBP. */
        .cfi_escape 0x10, 6, 2, 0x73, CAIRN_ABI_ANCHOR_RBP
        movq %rsp, CAIRN_ABI_ANCHOR_SP(%rbx)
        movl $8, %eax
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %r14) /* the anchor is complete */
        call *%r12
cn_arch_short_return:
        load_mutator r14
        movb $CAIRN_ABI_MANAGED, MUTATOR_FIELD(STATE, %r14) /* like become_managed */
.Lmanaged_short:
        testb $CAIRN_ABI_POLL_BACK, MUTATOR_FIELD(POLL, %r14)
        jnz .Lstop_short
.Lmay_go_on_short:
        restart_range cn_arch_short_return, .Lmanaged_short, .Lmay_go_on_short
        .cfi_remember_state
        push_return_address
        movq CAIRN_ABI_ANCHOR_RBP(%rbx), %rbp
        .cfi_restore %rbp
        movq %rbx, MUTATOR_FIELD(ANCHOR, %r14) /* the anchor is dead, since its return address is gone */
        ret
        .cfi_restore_state
.Lstop_short:
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %r14)
.Lnative_short:
        restart_range cn_arch_short_return, .Lstop_short, .Lnative_short
        .cfi_remember_state
        wait_for_stops
        .cfi_restore_state
        jmp .Lmay_go_on_short
.Lno_anchor_to_short:
        .cfi_restore %rbp
        .cfi_restore %rsp
        .cfi_offset 16, -8
        grow_anchors
        jmp cairn_call_short
end cairn_call_short

/* Calls the body in r11: native code called the function's address. The anchor keeps the native caller's return
 * address, so that the body finds the stack arguments in their places. Its SP is odd, which tells walks that native
 * code left here. The body keeps all registers of the caller that must survive, and the frame is unwound like that of
 * cairn_call_any. */
stub cairn_enter
        .cfi_personality 0x1b, cn_arch_stub_personality
        .cfi_remember_state
        pushq %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
        leaq cn_arch_short_return(%rip), %rbx
        subq 8(%rsp), %rbx
        cmpq $(cn_arch_short_return - cn_arch_native_return), %rbx
        jbe .Ltail_to_managed           /* one of the two, which are the only return addresses in this range */
#ifdef CN_SHARED_RUNTIME
        pushq %r11
        .cfi_adjust_cfa_offset 8
        load_mutator r11
#endif
        movq MUTATOR_FIELD(ANCHOR, %r11), %rbx
        testl $(CAIRN_ABI_ANCHOR_CHUNK - 1), %ebx
        jz .Lno_anchor_to_managed
        reserve_anchor rbx, r11
#ifdef CN_SHARED_RUNTIME
        popq CAIRN_ABI_ANCHOR_R12(%rbx)
        .cfi_adjust_cfa_offset -8
        move_return_address_to_anchor
#else
        move_return_address_to_anchor
        movq %r11, CAIRN_ABI_ANCHOR_R12(%rbx)
#endif
        leaq 1(%rsp), %r11
        movq %r11, CAIRN_ABI_ANCHOR_SP(%rbx)
        become_managed enter, r11
        .cfi_remember_state
        call *CAIRN_ABI_ANCHOR_R12(%rbx)
cn_arch_body_return:
        load_mutator r11
        movb $CAIRN_ABI_NATIVE, MUTATOR_FIELD(STATE, %r11)
        push_return_address
        free_anchor r11
        ret
        .cfi_restore_state
        define_wait_of enter, r11
        .cfi_restore_state
        /* The reverse case: native code that cairn_call_any called makes a tail call. After cairn_call_short the
         * registers that the anchor lacks are dead. */
.Ltail_to_managed:
        begin_tail_call
        cfi_registers_in_anchor
        become_managed tail, r11, 1
        .cfi_remember_state
        load_registers_from_anchor
        return_from_native
        jmp *%r11
        .cfi_restore_state
        define_wait_of tail, r11, 1
        .cfi_restore_state
.Lno_anchor_to_managed:
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset %rbx, 0
#ifdef CN_SHARED_RUNTIME
        .cfi_adjust_cfa_offset 8
        popq %r11
        .cfi_adjust_cfa_offset -8
#endif
        popq %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore %rbx
        grow_anchors
        jmp cairn_enter
end cairn_enter

/* Barriers (return_barriers.h): a frame whose return address was replaced returns to an entry here. Each entry has a
 * cell with the true address, and knows the distance to the cell. Any register may hold a result. An unwinder that
 * comes through a replaced return address uses the byte before an entry, and finds the cell from the entry's address,
 * which it has for the pc. The stack has no return address: see cfi_caller_taken. */
        .p2align 5
        .globl cn_arch_return_barriers
        .hidden cn_arch_return_barriers
        .type cn_arch_return_barriers, @function
        .skip 31, 0xcc
        .cfi_startproc
        .cfi_def_cfa_offset 8
        .cfi_val_offset %rsp, -8
        /* DW_CFA_val_expression of the pc. The entry: breg16, and -32. Its distance to the cell: plus 16, deref. The
         * cell: the entry once more, plus. The pc: deref. */
        .cfi_escape 0x16, 16, 15, 0x80, 0, 0x09, 0xe0, 0x1a, 0x23, 16, 0x06
        .cfi_escape 0x80, 0, 0x09, 0xe0, 0x1a, 0x22, 0x06
        .byte 0xcc
cn_arch_return_barriers:
        .set barrier_index, 0
        .rept CAIRN_ABI_BARRIERS
0:
        pushq cn_return_barrier_cells + 8*barrier_index(%rip)
        .cfi_remember_state
        .cfi_offset 16, -8
        .cfi_restore %rsp
        call return_barrier
        .cfi_restore_state
        .skip 5, 0xcc
        .quad cn_return_barrier_cells + 8*barrier_index - 0b
        .skip 8, 0xcc
        .set barrier_index, barrier_index + 1
        .endr
        .cfi_endproc
        .size cn_arch_return_barriers, . - cn_arch_return_barriers

/* The stack has the return address into the entry, which identifies the entry, and the true return address. */
        .type return_barrier, @function
        .p2align 4
return_barrier:
        .cfi_startproc
        .cfi_def_cfa_offset 16
        xchgq %r15, (%rsp)
        .cfi_offset %r15, -16
        save_below_r15
        save_vectors
        movq %r15, %rsi
        movq %rbp, %rdi
        call cn_return_barrier_returned
        restore_vectors
        restore_general
        ret
        .cfi_endproc
        .size return_barrier, . - return_barrier

/* Marked returns (marked_returns.h): an activation whose callee's return address was replaced continues at an entry
 * here, and is left for good. Each entry has a cell with the true address, at the same distance; the first word of each
 * block has the distance. So an unwinder that has the address of an entry, or of the end of its call, for the pc finds
 * the cell. As with return barriers, the stack has no return address. */
        .set MARKED_ENTRY_BYTES, 8
        .p2align 10
        .if CAIRN_ABI_MARKED_BLOCK_BYTES != 1 << 10
        .error "the alignment of blocks"
        .endif
        .globl cn_arch_marked_returns
        .hidden cn_arch_marked_returns
        .type cn_arch_marked_returns, @function
        .cfi_startproc
        .cfi_personality 0x1b, cn_arch_mark_personality
        .cfi_def_cfa_offset 8
        .cfi_val_offset %rsp, -8
        /* DW_CFA_val_expression of the pc. The distance: breg16, and (const2s) -BLOCK_BYTES, deref. The cell: breg16,
         * and -8, plus. The pc: deref. */
        .cfi_escape 0x16, 16, 14, 0x80, 0, 0x0b, -CAIRN_ABI_MARKED_BLOCK_BYTES & 0xff, -CAIRN_ABI_MARKED_BLOCK_BYTES >> 8 & 0xff
        .cfi_escape 0x1a, 0x06, 0x80, 0, 0x09, -MARKED_ENTRY_BYTES & 0xff, 0x1a, 0x22, 0x06
cn_arch_marked_returns:
        .rept CAIRN_ABI_MARKED_BLOCKS
        .quad cn_marked_return_cells - cn_arch_marked_returns
        .rept CAIRN_ABI_MARKED_BLOCK_BYTES / MARKED_ENTRY_BYTES - 1
        call marked_return
        .skip 3, 0xcc
        .endr
        .endr
        .cfi_endproc
        .size cn_arch_marked_returns, . - cn_arch_marked_returns

/* The stack has the return address into the entry, in the place of the true return address. */
        .type marked_return, @function
        .p2align 4
marked_return:
        .cfi_startproc
        movq (%rsp), %rdx
        movq %rdx, %r11
        andq $-CAIRN_ABI_MARKED_BLOCK_BYTES, %r11
        movq (%r11), %r11
        movq -5(%r11, %rdx), %r11       /* the cell; a call has five bytes */
        movq %r11, (%rsp)
        save_general
        movq %xmm0, %rcx
        movq %rax, %r8
        transfer_by cn_deopt_leave_returned
        .cfi_endproc
        .size marked_return, . - marked_return
cn_arch_stubs_end:

/* void cn_arch_interrupting(int signal, siginfo_t *info, void *context, handler) */
        .hidden cn_arch_interrupting, cn_arch_interrupting_return
function cn_arch_interrupting
        pushq %rbp
        .cfi_adjust_cfa_offset 8
        call *%rcx
        .globl cn_arch_interrupting_return
cn_arch_interrupting_return:
        popq %rbp
        .cfi_adjust_cfa_offset -8
        ret
end cn_arch_interrupting

        .section .rodata.cn_arch_restart_ranges, "a", @progbits
cn_arch_restart_ranges_end:

        .section .note.GNU-stack, "", @progbits
