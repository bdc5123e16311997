// Calls its argument. Its call-frame information is wrong: `broken` has it that the frame is where no memory is, `endless` that it is
// its own caller.
        .text
        .globl broken, endless
        .type broken, %function
broken:
        .cfi_startproc
        stp x29, x30, [sp, -32]!
        str x19, [sp, 16]
        mov x19, -4096
        .cfi_def_cfa x19, 16
        .cfi_offset x30, -8
        blr x0
        ldr x19, [sp, 16]
        ldp x29, x30, [sp], 32
        ret
        .cfi_endproc
        .size broken, . - broken
        .type endless, %function
endless:
        .cfi_startproc
        stp x29, x30, [sp, -16]!
        .cfi_def_cfa sp, 0
        .cfi_same_value x30
        blr x0
        ldp x29, x30, [sp], 16
        ret
        .cfi_endproc
        .size endless, . - endless
        .section .note.GNU-stack, "", %progbits
