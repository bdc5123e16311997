// Calls its argument with registers changed, and says nothing about its frame.
        .text
        .globl trampoline
        .type trampoline, %function
trampoline:
        stp x19, x29, [sp, #-96]!
        str x30, [sp, #16]
        mov x19, #-1
        mov x29, #-1
        blr x0
        ldr x30, [sp, #16]
        ldp x19, x29, [sp], #96
        ret
        .size trampoline, . - trampoline
        .section .note.GNU-stack, "", %progbits
