// A function whose last instruction is a call, and the function after it.
        .text
        .globl misuses
        .type misuses, %function
misuses:
        stp x29, x30, [sp, #-16]!
        mov x0, xzr
        bl cairn_handle_get
        .size misuses, . - misuses
        .globl follows
        .type follows, %function
follows:
        ret
        .size follows, . - follows
        .section .note.GNU-stack, "", %progbits
