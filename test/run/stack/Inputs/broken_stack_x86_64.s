# Calls its argument. Its call-frame information is wrong: `broken` has it that the frame is where no memory is, `endless` that it is
# its own caller.
        .text
        .globl broken, endless
        .type broken, @function
broken:
        .cfi_startproc
        pushq %rbx
        movq $-4096, %rbx
        .cfi_def_cfa %rbx, 16
        call *%rdi
        popq %rbx
        ret
        .cfi_endproc
        .size broken, . - broken
        .type endless, @function
endless:
        .cfi_startproc
        subq $8, %rsp
        .cfi_def_cfa %rsp, 0
        .cfi_same_value 16
        call *%rdi
        addq $8, %rsp
        ret
        .cfi_endproc
        .size endless, . - endless
        .section .note.GNU-stack, "", @progbits
