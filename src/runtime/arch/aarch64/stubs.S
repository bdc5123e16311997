/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the entries from managed code, for AArch64 Linux (AAPCS64). On the calling thread.
 *
 * Slow paths (cairn_poll_slow, cairn_alloc_slow, cairn_alloc_indexed_slow, cairn_alloc_uninit_slow, cairn_resize_slow;
 * preserve_allcc: x9 to x15, x19 to x29 and every vector register survive, so references may stay in x9 to x28): each
 * builds a struct cn_saved_regs (arch.h) on the stack, saves the vector registers below it, and calls C. The collector
 * updates the saved registers in place, and the stub loads them from there. The stub returns to `pc` of the struct.
 *
 * Transitions (cairn_call_any and its front doors, cairn_enter): the target is in x14, or in x15 if it is passed as a
 * `nest` argument. The places of arguments and results are unknown to the stubs, so only x9 to x17 and x30 may change
 * before the call, and all result registers stay as they are after it. Each stub keeps the state of the mutator.
 *
 * A native callee saves x19 to x29 in its own frame, where walkers miss them, and would restore stale references. So
 * the stub keeps them in the anchor, and loads them from there after the call if a walk was given their places: the
 * walk marks the anchor.
 *
 * The state becomes NATIVE by a store with release, after all loads and stores of the heap. It becomes MANAGED by a
 * plain store, which the load of the poll word with acquire follows; threads/stop.c has the fence between them.
 *
 * Nothing lives in x16 and x17 over a branch to another section. x18 belongs to the platform. Each address that code
 * may jump to has a landing pad; stubs jump by x16, which targets accept as a call and as a jump.
 */
#define CAIRN_ABI(name, value) .set CAIRN_ABI_##name, value
#include <cairn/abi.def>
#include <cairn/abi_aarch64.def>
#undef CAIRN_ABI

/* The thread's mutator is at a constant offset from the thread pointer, if the runtime is in the executable. In a
 * shared object (CN_SHARED_RUNTIME) the dynamic linker knows the offset. Changes x17. */
        .macro load_mutator register
#ifdef CN_SHARED_RUNTIME
        adrp \register, :gottprel:cairn_mutator
        ldr \register, [\register, :gottprel_lo12:cairn_mutator]
        mrs x17, tpidr_el0
        add \register, \register, x17
#else
        mrs \register, tpidr_el0
        add \register, \register, #:tprel_hi12:cairn_mutator, lsl #12
        add \register, \register, #:tprel_lo12_nc:cairn_mutator
#endif
        .endm

        .hidden cn_safepoint_poll
        .hidden cn_safepoint_alloc
        .hidden cn_safepoint_alloc_indexed
        .hidden cn_safepoint_alloc_uninit
        .hidden cn_safepoint_resize
        .hidden cn_safepoint_collect
        .hidden cn_freed_reuse_array
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
        .hidden cn_return_barrier_cells
        .hidden cn_return_barrier_returned
        .hidden cn_deopt_leave_now
        .hidden cn_deopt_leave_returned
        .hidden cn_throw_from_managed
        .hidden cn_marked_return_cells

        .section .rodata.cn_arch_restart_ranges, "a", %progbits
        .p2align 2
        .globl cn_arch_restart_ranges, cn_arch_restart_ranges_end
        .hidden cn_arch_restart_ranges, cn_arch_restart_ranges_end
cn_arch_restart_ranges:

        .text
        .globl cn_arch_stubs_start, cn_arch_stubs_end, cn_arch_native_return, cn_arch_body_return
        .hidden cn_arch_stubs_start, cn_arch_stubs_end, cn_arch_native_return, cn_arch_body_return
cn_arch_stubs_start:

        .macro landing_pad
        hint #34                        /* bti c */
        .endm

/* The dynamic linker binds such functions early, because a late binding changes x9 to x15. */
        .macro function name
        .globl \name
        .variant_pcs \name
        local_function \name
        landing_pad
.Lfunction_\name:
        .endm

        .macro local_function name
        .type \name, %function
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
        .type \name, %function
\name:
        .cfi_startproc
        landing_pad
        b .Lbody_\name
        .org \name + CAIRN_ABI_ENTRY_SIZE
.Lbody_\name:
        landing_pad
        .endm

/* ---- saved registers ---- */

/* The frame of a slow path: struct cn_saved_regs, which ends with its frame, and a word of padding below it. The words
 * of x29 and x30 in the struct are the frame record, which x29 points to. */
        .set FRAME_BYTES, 272
        .set FRAME_REGS, 8
        .set FRAME_RECORD, FRAME_REGS + 8*29
        .set FRAME_PC, FRAME_REGS + 8*32
        .set RECORD_TO_END, FRAME_BYTES - FRAME_RECORD
        .set RECORD_TO_REGS, FRAME_REGS - FRAME_RECORD
        .set RECORD_TO_PC, FRAME_PC - FRAME_RECORD

/* Stores two registers with ascending numbers, at the stack pointer. */
        .macro save_pair first, second
        stp x\first, x\second, [sp, #FRAME_REGS + 8*\first]
        .cfi_rel_offset \first, FRAME_REGS + 8*\first
        .cfi_rel_offset \second, FRAME_REGS + 8*\second
        .endm

        .macro load_pair first, second
        ldp x\first, x\second, [sp, #FRAME_REGS + 8*\first]
        .cfi_restore \first
        .cfi_restore \second
        .endm

/* Begins a struct cn_saved_regs that has only the callee-saved registers and the pc. */
        .macro save_callee_saved
        sub sp, sp, #FRAME_BYTES
        .cfi_adjust_cfa_offset FRAME_BYTES
        save_pair 19, 20
        save_pair 21, 22
        save_pair 23, 24
        save_pair 25, 26
        save_pair 27, 28
        save_pair 29, 30
        str x30, [sp, #FRAME_PC]
        .cfi_rel_offset 30, FRAME_PC
        add x29, sp, #FRAME_RECORD
        .cfi_def_cfa 29, RECORD_TO_END
        .endm

/* Ends the frame, and loads the callee-saved registers and the return address. */
        .macro restore_callee_saved
        load_pair 19, 20
        load_pair 21, 22
        load_pair 23, 24
        load_pair 25, 26
        load_pair 27, 28
        leave_frame
        .endm

        .macro leave_frame
        ldr x29, [sp, #FRAME_RECORD]
        .cfi_restore 29
        ldr x30, [sp, #FRAME_PC]
        .cfi_restore 30
        add sp, sp, #FRAME_BYTES
        .cfi_adjust_cfa_offset -FRAME_BYTES
        .endm

        .macro sp_to_frame
        sub sp, x29, #FRAME_RECORD
        .cfi_def_cfa 31, FRAME_BYTES
        .endm

/* Builds struct cn_saved_regs; x29 tells its place from here to restore_general. */
        .macro save_general
        save_callee_saved
        .cfi_def_cfa 31, FRAME_BYTES
        str x0, [sp, #FRAME_REGS]
        .cfi_rel_offset 0, FRAME_REGS
        save_pair 1, 2
        save_pair 3, 4
        save_pair 5, 6
        save_pair 7, 8
        save_pair 9, 10
        save_pair 11, 12
        save_pair 13, 14
        save_pair 15, 16
        stp x17, x18, [sp, #FRAME_REGS + 8*17]
        .cfi_rel_offset 17, FRAME_REGS + 8*17
        .cfi_def_cfa 29, RECORD_TO_END
        .endm

/* All but x18. */
        .macro restore_general
        sp_to_frame
        ldr x0, [sp, #FRAME_REGS]
        .cfi_restore 0
        load_pair 1, 2
        load_pair 3, 4
        load_pair 5, 6
        load_pair 7, 8
        load_pair 9, 10
        load_pair 11, 12
        load_pair 13, 14
        load_pair 15, 16
        ldr x17, [sp, #FRAME_REGS + 8*17]
        .cfi_restore 17
        restore_callee_saved
        .endm

/* The address of the struct cn_saved_regs. */
        .macro regs_to register
        sub \register, x29, #-RECORD_TO_REGS
        .endm

/* The result of a slow path, in x0. */
        .macro store_result
        str x0, [x29, #RECORD_TO_REGS]
        .endm

/* The next macros save and restore all vector registers, and the registers of rounding and of exceptions. */
        .set VECTORS_BYTES, 16 + 32*16
        .macro save_vectors
        sub sp, sp, #VECTORS_BYTES
        bl vectors_out
        .endm

        .macro restore_vectors
        bl vectors_in
        .endm

        .macro move_vector_pairs instruction
        \instruction q0, q1, [sp, #16]
        \instruction q2, q3, [sp, #16 + 2*16]
        \instruction q4, q5, [sp, #16 + 4*16]
        \instruction q6, q7, [sp, #16 + 6*16]
        \instruction q8, q9, [sp, #16 + 8*16]
        \instruction q10, q11, [sp, #16 + 10*16]
        \instruction q12, q13, [sp, #16 + 12*16]
        \instruction q14, q15, [sp, #16 + 14*16]
        \instruction q16, q17, [sp, #16 + 16*16]
        \instruction q18, q19, [sp, #16 + 18*16]
        \instruction q20, q21, [sp, #16 + 20*16]
        \instruction q22, q23, [sp, #16 + 22*16]
        \instruction q24, q25, [sp, #16 + 24*16]
        \instruction q26, q27, [sp, #16 + 26*16]
        \instruction q28, q29, [sp, #16 + 28*16]
        \instruction q30, q31, [sp, #16 + 30*16]
        .endm

/* Changes x16 and x17. */
local_function vectors_out
        move_vector_pairs stp
        mrs x16, fpcr
        mrs x17, fpsr
        stp x16, x17, [sp]
        ret
end vectors_out

/* Changes x9, x16 and x17. Writes of these registers may wait for all instructions before them. */
local_function vectors_in
        move_vector_pairs ldp
        ldp x16, x17, [sp]
        mrs x9, fpcr
        cmp x9, x16
        b.eq 1f
        msr fpcr, x16
1:
        mrs x9, fpsr
        cmp x9, x17
        b.eq 2f
        msr fpsr, x17
2:
        ret
end vectors_in

/* ---- slow paths ---- */

/* void cairn_poll(void): a poll for code that is to be small */
stub cairn_poll
        load_mutator x16
        ldr x16, [x16, #CAIRN_ABI_MUTATOR_POLL]
        cbnz x16, .Lfunction_cairn_poll_slow
        ret
end cairn_poll

/* void cairn_poll_slow(void) */
stub cairn_poll_slow
        save_general
        save_vectors
        regs_to x0
        bl cn_safepoint_poll
        restore_vectors
        restore_general
        ret
end cairn_poll_slow

/* ref cairn_alloc_slow(const struct cairn_layout *layout) */
stub cairn_alloc_slow
        save_general
        save_vectors
        mov x1, x0
        regs_to x0
        bl cn_safepoint_alloc
        store_result
        restore_vectors
        restore_general
        ret
end cairn_alloc_slow

/* ref NAME(const struct cairn_layout *layout, int64_t count), by SAFEPOINT of safepoint.h */
        .macro alloc_indexed safepoint
        save_vectors
        mov x2, x1
        mov x1, x0
        regs_to x0
        bl \safepoint
        store_result
        restore_vectors
        .endm

stub cairn_alloc_indexed_slow
        save_general
        alloc_indexed cn_safepoint_alloc_indexed
        restore_general
        ret
end cairn_alloc_indexed_slow

/* cn_freed_reuse_array(), which uses no vector register, returns null if it has no array. */
stub cairn_alloc_uninit_slow
        save_general
        bl cn_freed_reuse_array
        cbnz x0, 1f
        ldp x0, x1, [x29, #RECORD_TO_REGS]
        alloc_indexed cn_safepoint_alloc_uninit
        b 2f
1:
        store_result
2:
        restore_general
        ret
end cairn_alloc_uninit_slow

/* ref cairn_resize_slow(const struct cairn_layout *layout, ref array, int64_t count, bool uninit) */
stub cairn_resize_slow
        save_general
        save_vectors
        mov x4, x3
        mov x3, x2
        mov x2, x1
        mov x1, x0
        regs_to x0
        bl cn_safepoint_resize
        store_result
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
        bl \function
        .if \returns
        store_result
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
        regs_to x0
        bl cn_safepoint_collect
        restore_general
        ret
end cairn_collect

/* ---- take-overs (arch.h, struct cn_transfer) ---- */

        .set TRANSFER_X19, 0
        .set TRANSFER_X29, 80
        .set TRANSFER_SLOT, 88
        .set TRANSFER_PC, 96
        .set TRANSFER_ARGUMENT, 104     /* and the result, which follows */
        .set TRANSFER_SECOND, 120
        .set TRANSFER_D8, 128
        .set TRANSFER_SIZE, 192

/* DW_CFA_expression: the register is saved at the register with DWARF operation `breg`, plus the offset. */
        .macro cfi_saved_at register, breg, offset
        .cfi_escape 0x10, \register, 3, \breg, ((\offset) & 0x7f) | 0x80, (\offset) >> 7
        .endm

/* Tells unwinders that the frame is called from the activation of the struct cn_transfer at the register with DWARF
 * operation `breg`. */
        .macro cfi_in_transfer breg
        /* DW_CFA_def_cfa_expression: the slot (DW_OP_deref), plus 8 (DW_OP_plus_uconst). */
        .cfi_escape 0x0f, 6, \breg, (TRANSFER_SLOT & 0x7f) | 0x80, TRANSFER_SLOT >> 7, 0x06, 0x23, 8
        .cfi_offset 30, -8
        .irp n, 19,20,21,22,23,24,25,26,27,28,29
        cfi_saved_at \n, \breg, TRANSFER_X19+8*(\n-19)
        .endr
        .irp n, 72,73,74,75,76,77,78,79
        cfi_saved_at \n, \breg, TRANSFER_D8+8*(\n-72)
        .endr
        .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
        .cfi_undefined \n
        .endr
        .endm

/* The callee-saved vector registers, with the transfer that BASE points to. */
        .macro move_transferred_vectors instruction, base
        \instruction d8, d9, [\base, #TRANSFER_D8]
        \instruction d10, d11, [\base, #TRANSFER_D8 + 16]
        \instruction d12, d13, [\base, #TRANSFER_D8 + 32]
        \instruction d14, d15, [\base, #TRANSFER_D8 + 48]
        .endm

/* Calls FUNCTION(regs, transfer, third, ...), and does the transfer. */
        .macro transfer_by function
        sub sp, sp, #TRANSFER_SIZE
        mov x19, sp
        move_transferred_vectors stp, x19
        regs_to x0
        mov x1, x19
        bl \function
        cfi_in_transfer 0x83
        mov x9, x19
        b .Ltransfer
        .endm

/* The callee-saved registers of the transfer that BASE points to. */
        .macro load_transferred base
        ldp x19, x20, [\base, #TRANSFER_X19]
        ldp x21, x22, [\base, #TRANSFER_X19 + 16]
        ldp x23, x24, [\base, #TRANSFER_X19 + 32]
        ldp x25, x26, [\base, #TRANSFER_X19 + 48]
        ldp x27, x28, [\base, #TRANSFER_X19 + 64]
        ldr x29, [\base, #TRANSFER_X29]
        move_transferred_vectors ldp, \base
        .endm

        .macro cfi_registers_loaded
        .irp n, 19,20,21,22,23,24,25,26,27,28,29,72,73,74,75,76,77,78,79
        .cfi_same_value \n
        .endr
        .endm

/* void cn_arch_transfer(const struct cn_transfer *transfer) */
        .hidden cn_arch_transfer
function cn_arch_transfer
        cfi_in_transfer 0x70
        mov x9, x0
.Ltransfer:                             /* the transfer at x9 */
        cfi_in_transfer 0x79
        load_transferred x9
        ldp x0, x10, [x9, #TRANSFER_ARGUMENT]
        fmov d0, x10
        orr x0, x0, x10                 /* they have the same register, so one of both is 0 */
        ldr x1, [x9, #TRANSFER_SECOND]
        ldp x10, x16, [x9, #TRANSFER_SLOT]
        ldr x30, [x10], #8
        mov sp, x10
        .cfi_def_cfa 31, 0
        .cfi_restore 30
        cfi_registers_loaded
        br x16
end cn_arch_transfer

/* Returns to the address in the slot of the transfer. */
        .hidden cn_arch_return
function cn_arch_return
        ret
end cn_arch_return

/* void cairn_deoptimize(uint64_t reason): like cairn_collect(), but its caller's activation ends. */
managed_function cairn_deoptimize
        save_general
        mov x2, x0
        transfer_by cn_deopt_leave_now
end cairn_deoptimize
        .weak __llvm_deoptimize
        .type __llvm_deoptimize, %function
        .set __llvm_deoptimize, cairn_deoptimize

/* int cairn_throw(uint64_t key, ref exception): jumps to a landing pad, whose stack pointer is the slot of the
 * transfer, and returns only after a failure. C convention, so that the struct cn_saved_regs needs only the
 * callee-saved registers; a collection may update them. The struct lies above the transfer. */
        .weak cairn.managed_code.cairn_throw
        .set cairn.managed_code.cairn_throw, cairn_throw + CAIRN_ABI_ENTRY_SIZE
managed_function cairn_throw
        save_callee_saved
        sub sp, sp, #TRANSFER_SIZE
        move_transferred_vectors stp, sp
        regs_to x2
        mov x3, sp
        bl cn_throw_from_managed
        cbnz w0, 1f
        .cfi_remember_state
        .cfi_def_cfa 31, FRAME_BYTES + TRANSFER_SIZE
        load_transferred sp
        ldr x1, [sp, #TRANSFER_SECOND]
        ldp x9, x16, [sp, #TRANSFER_SLOT]
        mov sp, x9
        .cfi_def_cfa 31, 0
        .cfi_register 30, 16            /* the pad's activation is the caller now */
        cfi_registers_loaded
        br x16                          /* x0 is 0 */
        .cfi_restore_state
1:
        sp_to_frame
        restore_callee_saved
        ret
end cairn_throw

/* Checks of stores: C convention. The walk that may follow needs the callee-saved registers, so the stub builds a
 * struct cn_saved_regs with only these. FUNCTION gets it as its last argument, and leaves it unchanged. They contain no
 * safepoint. */
        .macro check_stub name, function, last
stub \name
        save_callee_saved
        regs_to \last
        bl \function
        sp_to_frame
        leave_frame
        ret
end \name
        .endm

/* void cairn_check_store(const void *slot, const char *what) */
check_stub cairn_check_store, cn_check_store, x2
/* void cairn_check_copy(const void *to, const void *from, size_t bytes); and a second name for copies of ordinary
 * memory, because its type in IR differs. */
check_stub cairn_check_copy, cn_check_copy, x3
check_stub cairn_check_native_copy, cn_check_copy, x3
/* void cairn_check_store_at(const void *slot, const char *what, struct cn_store_site *site) */
check_stub cairn_check_store_at, cn_check_store_at, x3
/* void cairn_check_copy_at(const void *to, const void *from, size_t bytes, struct cn_copy_site *site) */
check_stub cairn_check_copy_at, cn_check_copy_at, x4

/* ---- anchors ---- */

/* Finds the free anchor, at x10, and the mutator, at x9; jumps to `full` if the chunk has none. */
        .macro find_free_anchor full
        load_mutator x9
        ldr x10, [x9, #CAIRN_ABI_MUTATOR_ANCHOR]
        tst x10, #CAIRN_ABI_ANCHOR_CHUNK - 1
        b.eq \full
        .endm

/* Reserves the anchor at x10 for the caller, x9 being the mutator. Walks skip it until it is complete, and handlers
 * leave it alone. If the thread is native, a walk may run now: it sees the new anchor with an SP of 0. Changes x11 and
 * x12. */
        .macro reserve_anchor
        str xzr, [x10, #CAIRN_ABI_ANCHOR_SP]
        add x11, x10, #CAIRN_ABI_ANCHOR_SIZE
        add x12, x9, #CAIRN_ABI_MUTATOR_ANCHOR
        stlr x11, [x12]
        .endm

        .macro cfi_in_anchor register, offset
        cfi_saved_at \register, 0x83, \offset
        .endm

/* Tells unwinders the places of x19 and the return address while the anchor at x19 has them. Unwinders identify frames
 * by their ends, and the frame of the callee ends at the stack pointer. So the stub's frame is said to end a word
 * higher, within its caller's. */
        .macro cfi_caller_in_anchor
        cfi_in_anchor 19, CAIRN_ABI_ANCHOR_X19
        cfi_in_anchor 30, CAIRN_ABI_ANCHOR_PC
        .cfi_def_cfa 31, 8
        .cfi_val_offset 31, -8
        .endm

/* Tells unwinders the places of the other registers while the anchor at x19 has them. */
        .macro cfi_registers_in_anchor
        .irp n, 20,21,22,23,24,25,26,27,28,29
        cfi_in_anchor \n, CAIRN_ABI_ANCHOR_X19+8*(\n-19)
        .endr
        .endm

/* Moves all of the caller's registers and its return address to the anchor at x10, which then is complete. */
        .macro move_caller_to_anchor
        reserve_anchor
        stp x19, x20, [x10, #CAIRN_ABI_ANCHOR_X19]
        stp x21, x22, [x10, #CAIRN_ABI_ANCHOR_X21]
        stp x23, x24, [x10, #CAIRN_ABI_ANCHOR_X23]
        stp x25, x26, [x10, #CAIRN_ABI_ANCHOR_X25]
        stp x27, x28, [x10, #CAIRN_ABI_ANCHOR_X27]
        str x29, [x10, #CAIRN_ABI_ANCHOR_X29]
        str x30, [x10, #CAIRN_ABI_ANCHOR_PC]
        mov x11, sp
        str x11, [x10, #CAIRN_ABI_ANCHOR_SP]
        mov x19, x10
        cfi_caller_in_anchor
        cfi_registers_in_anchor
        .endm

/* Loads the registers from the anchor: if a walk came by, a collector may have changed them. */
        .macro load_registers_from_anchor
        ldr x20, [x19, #CAIRN_ABI_ANCHOR_X20]
        ldp x21, x22, [x19, #CAIRN_ABI_ANCHOR_X21]
        ldp x23, x24, [x19, #CAIRN_ABI_ANCHOR_X23]
        ldp x25, x26, [x19, #CAIRN_ABI_ANCHOR_X25]
        ldp x27, x28, [x19, #CAIRN_ABI_ANCHOR_X27]
        ldr x29, [x19, #CAIRN_ABI_ANCHOR_X29]
        .endm

/* Loads x19 and the return address from the anchor at x19, whose other registers are loaded; drops it, and those that a
 * longjmp left above it. x9 is the mutator. Changes x10. */
        .macro free_anchor
        .irp n, 20,21,22,23,24,25,26,27,28,29
        .cfi_restore \n
        .endr
        mov x10, x19
        ldr x30, [x10, #CAIRN_ABI_ANCHOR_PC]
        .cfi_restore 30
        .cfi_restore 31
        .cfi_def_cfa_offset 0
        ldr x19, [x10, #CAIRN_ABI_ANCHOR_X19]
        .cfi_restore 19
        str xzr, [x10, #CAIRN_ABI_ANCHOR_SP]
        str x10, [x9, #CAIRN_ABI_MUTATOR_ANCHOR]
        .endm

/* Makes the thread native. x9 is the mutator. Changes x11 and x12. */
        .macro become_native
        mov w11, #CAIRN_ABI_NATIVE
        add x12, x9, #CAIRN_ABI_MUTATOR_STATE
        stlrb w11, [x12]
        .endm

/* Makes the thread managed, unless other threads want to stop it or ask for a handshake: then it waits first. The store
 * and the read of the poll word have no fence between them, see threads/stop.c. If a signal comes between them, the
 * thread begins again (cn_arch_restart_transition()): its handler would otherwise run managed code during a collection.
 * The anchor at x19 is complete, and x30 is free. x9 becomes the mutator. Changes x10 to x12 and x17. */
        .macro become_managed name
.Lback_\name:
        load_mutator x9
        strb wzr, [x9, #CAIRN_ABI_MUTATOR_STATE]
.Lmanaged_\name:
        ldarb w10, [x9]                 /* the poll word */
        mov w11, #CAIRN_ABI_POLL_BACK
        tst w10, w11
        b.ne .Lstop_\name
.Lmay_go_on_\name:
        restart_range .Lback_\name, .Lmanaged_\name, .Lmay_go_on_\name
        .endm
        .if CAIRN_ABI_MANAGED != 0 || CAIRN_ABI_MUTATOR_POLL != 0 || CAIRN_ABI_POLL_BACK > 255
        .error "become_managed stores zero, and reads the first byte"
        .endif

/* The rare part of become_managed, out of line: taken branches make up the cost of a short path. */
        .macro define_wait_of name
.Lstop_\name:
        become_native
.Lnative_\name:
        restart_range .Lback_\name, .Lstop_\name, .Lnative_\name
        bl wait_for_pending_stops
        b .Lmay_go_on_\name
        .endm

        .macro restart_range begins, done, over
        .pushsection .rodata.cn_arch_restart_ranges, "a", %progbits
        .word \begins - cn_arch_stubs_start, \done - cn_arch_stubs_start, \over - cn_arch_stubs_start
        .popsection
        .endm

        .macro grow_anchors
        save_general
        save_vectors
        regs_to x0
        bl cn_safepoint_anchors
        restore_vectors
        restore_general
        .endm

/* Waits for stops, and keeps all registers. */
local_function wait_for_pending_stops
        save_general
        save_vectors
        bl cn_slow_path_back
        restore_vectors
        restore_general
        ret
end wait_for_pending_stops

/* ---- transitions ---- */

/* Jumps to the body of the function in x14 if it is managed; else to `native`. The memory before other functions may be
 * missing: the mark lies in the same 16 bytes as the function's first instruction. */
        .macro jump_to_managed native
        tbz x14, #3, \native
        ldur x16, [x14, #-8]
        movz x17, #CAIRN_ABI_MANAGED_MARK & 0xffff
        movk x17, #CAIRN_ABI_MANAGED_MARK >> 16 & 0xffff, lsl #16
        movk x17, #CAIRN_ABI_MANAGED_MARK >> 32 & 0xffff, lsl #32
        movk x17, #CAIRN_ABI_MANAGED_MARK >> 48 & 0xffff, lsl #48
        cmp x16, x17
        b.ne \native
        add x16, x14, #CAIRN_ABI_ENTRY_SIZE
        br x16
        .endm

/* Call the function in x15: a variadic one, and a native one. */
stub cairn_vcall_any
        mov x14, x15
        b .Lfunction_cairn_call_any
end cairn_vcall_any

stub cairn_call_native
        mov x14, x15
        b .Lcall_native
end cairn_call_native

/* Calls the function in x14, native or managed. The unwinder finds the path back through the anchor at x19, and
 * cn_arch_stub_personality() drops the anchor when a frame is unwound (cfi_caller_in_anchor).
 *
 * A signal's handler may make such calls as well, between any two instructions, and may leave by a siglongjmp. So an
 * anchor is reserved before anything is written to it, and is free only after all of it has been read; its SP is 0
 * while it is free or incomplete. */
function cairn_call_any
        .cfi_personality 0x1b, cn_arch_stub_personality /* PC-relative, four bytes */
        jump_to_managed .Lcall_native
.Lcall_native:
        adr x16, cn_arch_body_return
        cmp x30, x16
        b.eq .Ltail_to_native
        find_free_anchor .Lno_anchor_to_native
        .cfi_remember_state
        move_caller_to_anchor
        become_native                   /* the anchor is complete */
.Lcall_with_anchor:
        blr x14
cn_arch_native_return:
        become_managed any
        ldr x10, [x19, #CAIRN_ABI_ANCHOR_SP]
        tst x10, #CAIRN_ABI_ANCHOR_WALKED
        b.ne .Lwalked
.Lregisters_right:
        .cfi_remember_state
        free_anchor
        ret
        .cfi_restore_state
        define_wait_of any
.Lwalked:
        load_registers_from_anchor
        b .Lregisters_right
        .cfi_restore_state
        /* Managed code that cairn_enter called makes a tail call of native code. Its frame is gone, so the thread is
         * native again, and the callee returns to the body's return address. */
.Ltail_to_native:
        .cfi_remember_state
        cfi_caller_in_anchor
        load_mutator x9
        become_native
        free_anchor
        mov x16, x14
        br x16
        .cfi_restore_state
        /* The chunk of anchors is full, or this thread has no chunk yet. */
.Lno_anchor_to_native:
        grow_anchors
        b .Lfunction_cairn_call_any
end cairn_call_any

/* Calls the function in x15, a native one of the compiler, which passes references on to managed code
 * (result_wrappers.c, bridges.c). So the thread stays managed, and stops wait meanwhile. The rest is as in
 * cairn_call_any, except that these calls are never tail calls. */
stub cairn_call_passing
        .cfi_personality 0x1b, cn_arch_stub_personality
        mov x14, x15
.Lcall_passing:
        find_free_anchor .Lno_anchor_to_passing
        .cfi_remember_state
        move_caller_to_anchor
        b .Lcall_with_anchor
        .cfi_restore_state
.Lno_anchor_to_passing:
        grow_anchors
        b .Lcall_passing
end cairn_call_passing

/* Calls the function in x15, or in x14, which must be managed, because it is given a reference: else the program ends.
 * It may be variadic. */
stub cairn_call_managed
        mov x14, x15
        b .Lfunction_cairn_call_body
end cairn_call_managed

function cairn_call_body
        jump_to_managed .Lno_mark
.Lno_mark:
        save_general
        save_vectors
        mov x0, x14
        ldr x1, [x29, #RECORD_TO_PC]
        bl cn_references_shown
        restore_vectors
        restore_general
        b .Lcall_native
end cairn_call_body

/* Calls the body in x14: native code called the function's address. The anchor keeps the native caller's x19 and return
 * address, so that the body finds the stack arguments in their places. Its SP is odd, which tells walks that native
 * code left here. The body keeps all registers of the caller that must survive, and the frame is unwound like that of
 * cairn_call_any. */
stub cairn_enter
        .cfi_personality 0x1b, cn_arch_stub_personality
        adr x16, cn_arch_native_return
        cmp x30, x16
        b.eq .Ltail_to_managed
        find_free_anchor .Lno_anchor_to_managed
        .cfi_remember_state
        reserve_anchor
        str x19, [x10, #CAIRN_ABI_ANCHOR_X19]
        str x30, [x10, #CAIRN_ABI_ANCHOR_PC]
        mov x19, x10
        cfi_caller_in_anchor
        mov x11, sp
        add x11, x11, #1
        add x12, x19, #CAIRN_ABI_ANCHOR_SP
        stlr x11, [x12]
        become_managed enter
        blr x14
cn_arch_body_return:
        .cfi_remember_state
        load_mutator x9
        become_native
        free_anchor
        ret
        .cfi_restore_state
        define_wait_of enter
        .cfi_restore_state
        /* The reverse case: native code that cairn_call_any called makes a tail call. The callee has loaded the stub's
         * x19, which is the anchor. */
.Ltail_to_managed:
        .cfi_remember_state
        cfi_caller_in_anchor
        cfi_registers_in_anchor
        become_managed tail
        .cfi_remember_state
        load_registers_from_anchor
        free_anchor
        mov x16, x14
        br x16
        .cfi_restore_state
        define_wait_of tail
        .cfi_restore_state
.Lno_anchor_to_managed:
        grow_anchors
        b .Lfunction_cairn_enter
end cairn_enter

/* ---- replaced return addresses ---- */

/* DW_CFA_val_expression of the return address: the word at the address that follows from `steps`, 0x1a being
 * DW_OP_and, 0x22 DW_OP_plus, 0x06 DW_OP_deref. ENTRY_OF_RETURN: the low 48 bits of x30 (DW_OP_breg30; DW_OP_const8u),
 * without a signature. */
#define ENTRY_OF_RETURN 0x8e, 0, 0x0e, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0x1a
        .set ENTRY_OF_RETURN_BYTES, 12

/* Barriers (return_barriers.h): a frame whose return address was replaced returns to an entry here. Each entry has a
 * cell with the true address, and knows the distance to the cell. Any register may hold a result. An unwinder that
 * comes through a replaced return address uses the byte before an entry, and finds the cell from the entry's address,
 * which x30 has. As in cfi_caller_in_anchor, the frame is said to end a word higher. */
        .set BARRIER_DISTANCE, 16
        .p2align 5
        .globl cn_arch_return_barriers
        .hidden cn_arch_return_barriers
        .type cn_arch_return_barriers, %function
        .skip 28
        .cfi_startproc
        .cfi_def_cfa_offset 8
        .cfi_val_offset 31, -8
        /* The distance: the entry, plus BARRIER_DISTANCE (DW_OP_plus_uconst), deref. The cell: the entry once more,
         * plus. */
        .cfi_escape 0x16, 30, 2*ENTRY_OF_RETURN_BYTES + 5
        .cfi_escape ENTRY_OF_RETURN, 0x23, BARRIER_DISTANCE, 0x06
        .cfi_escape ENTRY_OF_RETURN, 0x22, 0x06
        .word 0
cn_arch_return_barriers:
        .set barrier_index, 0
        .rept CAIRN_ABI_BARRIERS
0:
        adr x17, 0b
        b return_barrier
        .skip 8
        .quad cn_return_barrier_cells + 8*barrier_index - 0b
        .skip 8
        .set barrier_index, barrier_index + 1
        .endr
        .cfi_endproc
        .size cn_arch_return_barriers, . - cn_arch_return_barriers

/* x17 is the entry. */
local_function return_barrier
        /* DW_CFA_val_expression: x17 (DW_OP_breg17), plus BARRIER_DISTANCE, deref; x17, plus, deref. */
        .cfi_escape 0x16, 30, 9, 0x81, 0, 0x23, BARRIER_DISTANCE, 0x06, 0x81, 0, 0x22, 0x06
        ldr x16, [x17, #BARRIER_DISTANCE]
        ldr x30, [x16, x17]
        .cfi_restore 30
        save_general
        mov x1, x17
        save_vectors
        regs_to x0
        bl cn_return_barrier_returned
        restore_vectors
        restore_general
        ret
end return_barrier

/* Marked returns (marked_returns.h): an activation whose callee's return address was replaced continues at an entry
 * here, and is left for good. Each entry has a cell with the true address, at the same distance; the first word of each
 * block has the distance. So an unwinder that has the address of an entry in x30 finds the cell. */
        .set MARKED_ENTRY_BYTES, 8
        .p2align 10
        .if CAIRN_ABI_MARKED_BLOCK_BYTES != 1 << 10
        .error "the alignment of blocks"
        .endif
        .globl cn_arch_marked_returns
        .hidden cn_arch_marked_returns
        .type cn_arch_marked_returns, %function
        .cfi_startproc
        .cfi_personality 0x1b, cn_arch_mark_personality
        .cfi_def_cfa_offset 8
        .cfi_val_offset 31, -8
        /* The distance: the entry, and (DW_OP_const2s) -MARKED_BLOCK_BYTES, deref. The cell: the entry once more,
         * plus. */
        .cfi_escape 0x16, 30, 2*ENTRY_OF_RETURN_BYTES + 7
        .cfi_escape ENTRY_OF_RETURN
        .cfi_escape 0x0b, -CAIRN_ABI_MARKED_BLOCK_BYTES & 0xff, (-CAIRN_ABI_MARKED_BLOCK_BYTES >> 8) & 0xff, 0x1a, 0x06
        .cfi_escape ENTRY_OF_RETURN, 0x22, 0x06
cn_arch_marked_returns:
        .rept CAIRN_ABI_MARKED_BLOCKS
        .quad cn_marked_return_cells - cn_arch_marked_returns
        .rept CAIRN_ABI_MARKED_BLOCK_BYTES / MARKED_ENTRY_BYTES - 1
0:
        adr x17, 0b
        b marked_return
        .endr
        .endr
        .cfi_endproc
        .size cn_arch_marked_returns, . - cn_arch_marked_returns

/* x17 is the entry. */
local_function marked_return
        /* DW_CFA_val_expression: x17 (DW_OP_breg17), and -MARKED_BLOCK_BYTES, deref; x17, plus, deref. */
        .cfi_escape 0x16, 30, 11, 0x81, 0
        .cfi_escape 0x0b, -CAIRN_ABI_MARKED_BLOCK_BYTES & 0xff, (-CAIRN_ABI_MARKED_BLOCK_BYTES >> 8) & 0xff, 0x1a, 0x06
        .cfi_escape 0x81, 0, 0x22, 0x06
        and x16, x17, #-CAIRN_ABI_MARKED_BLOCK_BYTES
        ldr x16, [x16]
        ldr x30, [x16, x17]
        .cfi_restore 30
        save_general
        mov x2, x17
        fmov x3, d0
        mov x4, x0
        transfer_by cn_deopt_leave_returned
end marked_return
cn_arch_stubs_end:

/* void cn_arch_interrupting(int signal, siginfo_t *info, void *context, handler) */
        .hidden cn_arch_interrupting, cn_arch_interrupting_return
function cn_arch_interrupting
        stp x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_offset 29, -16
        .cfi_offset 30, -8
        mov x29, sp
        blr x3
        .globl cn_arch_interrupting_return
cn_arch_interrupting_return:
        ldp x29, x30, [sp], #16
        .cfi_restore 29
        .cfi_restore 30
        .cfi_adjust_cfa_offset -16
        ret
end cn_arch_interrupting

        .section .rodata.cn_arch_restart_ranges, "a", %progbits
cn_arch_restart_ranges_end:

        .section .note.GNU-stack, "", %progbits

/* Landing pads, and return addresses in registers alone: GNU_PROPERTY_AARCH64_FEATURE_1_AND with BTI and PAC. */
        .section .note.gnu.property, "a", %note
        .p2align 3
        .word 4, 16, 5
        .asciz "GNU"
        .word 0xc0000000, 4, 3, 0
