# Calls its argument with registers changed, and says nothing about its frame.
        .text
        .globl trampoline
        .type trampoline, @function
trampoline:
        pushq %rbx
        pushq %rbp
        pushq %r12
        subq $48, %rsp
        movq $-1, %rbx
        movq $-1, %rbp
        movq $-1, %r12
        call *%rdi
        addq $48, %rsp
        popq %r12
        popq %rbp
        popq %rbx
        ret
        .size trampoline, . - trampoline
        .section .note.GNU-stack, "", @progbits
