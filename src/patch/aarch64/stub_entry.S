/* SPDX-License-Identifier: Apache-2.0
 *
 * The common part of all stubs: stores the registers in a struct cairn_point_state on the stack, calls
 * cn_stub_run(state, stub), and loads the registers again. Runs on the calling thread, which is managed. The code of a
 * stub (stub_code.c) jumps here with its address in x16. x30 has the address after the call. x16, x17 and x30 have no
 * value at points: LLVM leaves them to calls there.
 *
 *          |  frame of managed code   |  <- its SP, the CFA
 *          |  x30                     |
 *   x29 -> |  x29                     |
 *    sp -> |  struct cairn_point_state|
 *
 * At the end x29 and the target's address go below the SP that the handler left, which is at least the old one: no word
 * that is still needed lies below the stack pointer, where a signal's frame could overwrite it.
 */
        .set STATE_SP, 8*31
        .set STATE_FLAGS, 256
        .set STATE_DATA, 264
        .set STATE_RESUME, 272
        .set STATE_VECTOR_BYTES, 280
        .set STATE_VECTORS, 288
        .set STATE_OTHER, 800           /* FPCR, FPSR */
        .set STATE_SIZE, 864
        .set STUB_DATA, 40
        .set FRAME_BYTES, 16            /* from x29 to the CFA */

        .hidden cn_stub_run, cn_stub_enter

        .macro move_vectors instruction
        .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "16,17", \
          "18,19", "20,21", "22,23", "24,25", "26,27", "28,29", "30,31"
        move_vector_pair \instruction, \pair
        .endr
        .endm
/* Those that the caller may have in use: x16 and x17 are scratch, x28 is single. */
        .macro move_registers instruction
        .irp pair, "0,1", "2,3", "4,5", "6,7", "8,9", "10,11", "12,13", "14,15", "18,19", "20,21", "22,23", "24,25", \
          "26,27"
        move_pair \instruction, \pair
        .endr
        .endm
        .macro move_pair instruction, first, second
        \instruction x\first, x\second, [sp, #8*\first]
        .endm
        .macro move_vector_pair instruction, first, second
        \instruction q\first, q\second, [sp, #STATE_VECTORS+16*\first]
        .endm

        .text
        .globl cn_stub_enter
        .type cn_stub_enter, %function
        .p2align 4
cn_stub_enter:
        .cfi_startproc
        hint #34                        /* bti c */
        stp x29, x30, [sp, #-16]!
        .cfi_def_cfa_offset FRAME_BYTES
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov x29, sp
        .cfi_def_cfa x29, FRAME_BYTES
        sub sp, sp, #STATE_SIZE
        move_registers stp
        str x28, [sp, #8*28]
        .irp n, 19,20,21,22,23,24,25,26,27,28
        .cfi_offset x\n, 8*\n-STATE_SIZE-FRAME_BYTES
        .endr

        mov x19, x16                    /* the stub */
        stp x16, x17, [sp, #8*16]
        ldr x0, [x29]
        add x1, x29, #FRAME_BYTES
        stp x0, x30, [sp, #8*29]
        str x1, [sp, #STATE_SP]
        mrs x0, nzcv
        ldr x1, [x19, #STUB_DATA]
        stp x0, x1, [sp, #STATE_FLAGS]
        str x30, [sp, #STATE_RESUME]
        mov w0, #16
        mov w1, #32
        str w0, [sp, #STATE_VECTOR_BYTES]
        str w1, [sp, #STATE_VECTOR_BYTES+4]
        move_vectors stp
        mrs x0, fpcr
        mrs x1, fpsr
        mov x2, #STATE_OTHER
        add x2, sp, x2
        stp x0, x1, [x2]

        mov x0, sp
        mov x1, x19
        bl cn_stub_run

        ldr x1, [sp, #STATE_SP]
        ldr x2, [sp, #8*29]
        stp x2, x0, [x1, #-16]          /* x29, and where to continue */
        mov x2, #STATE_OTHER
        add x2, sp, x2
        ldp x0, x1, [x2]
        msr fpcr, x0
        msr fpsr, x1
        ldr x0, [sp, #STATE_FLAGS]
        msr nzcv, x0
        move_vectors ldp
        move_registers ldp
        ldr x28, [sp, #8*28]
        .irp n, 19,20,21,22,23,24,25,26,27,28
        .cfi_restore x\n
        .endr
        ldr x30, [sp, #STATE_SP]
        sub x30, x30, #FRAME_BYTES
        .cfi_def_cfa x30, FRAME_BYTES
        mov sp, x30
        .cfi_def_cfa sp, FRAME_BYTES
        ldp x29, x30, [sp], #FRAME_BYTES
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size cn_stub_enter, . - cn_stub_enter

        .section .note.GNU-stack, "", %progbits
