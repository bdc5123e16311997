# A function whose last instruction is a call, and the function after it.
        .text
        .globl misuses
        .type misuses, @function
misuses:
        pushq %rax
        xorl %edi, %edi
        call cairn_handle_get@PLT
        .size misuses, . - misuses
        .globl follows
        .type follows, @function
follows:
        ret
        .size follows, . - follows
        .section .note.GNU-stack, "", @progbits
