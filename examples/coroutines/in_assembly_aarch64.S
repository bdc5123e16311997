/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines whose switch is called like managed code, without a transition. Who waits has his
 * registers on his stack: x29, x30, x19 to x28, d8 to d15, upwards. x30 is his return address.
 *
 * struct coroutine (manager.c): 0 where this one waits, 8 where its resumer waits, 16 the resumer,
 * 24 the body, 32 its argument, 40 is it over, 48 struct cairn_stack.
 */
#include <cairn/entry.h>

        .macro move_saved move
        \move x29, x30, [sp]
        \move x19, x20, [sp, #16]
        \move x21, x22, [sp, #32]
        \move x23, x24, [sp, #48]
        \move x25, x26, [sp, #64]
        \move x27, x28, [sp, #80]
        \move d8, d9, [sp, #96]
        \move d10, d11, [sp, #112]
        \move d12, d13, [sp, #128]
        \move d14, d15, [sp, #144]
        .endm

        .macro save
        sub sp, sp, #160
        .cfi_def_cfa_offset 160
        move_saved stp
        .cfi_offset 29, -160
        .cfi_offset 30, -152
        .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
        .cfi_offset \n, 8*(\n-19)-144
        .endr
        .irp n, 72, 73, 74, 75, 76, 77, 78, 79
        .cfi_offset \n, 8*(\n-72)-64
        .endr
        mov x29, sp
        .endm

        .macro load_and_return
        move_saved ldp
        add sp, sp, #160
        ret
        .endm

        .macro current register
        adrp \register, coroutine_current
        add \register, \register, :lo12:coroutine_current
        .endm

        .text
        .globl coroutine_code, coroutine_code_end, coroutine_start
coroutine_code:

/* void coroutine_resume(void *coroutine) */
        .globl coroutine_resume
        .type coroutine_resume, %function
        CAIRN_ENTRY(coroutine_resume)
        .cfi_startproc
        save
        mov x19, x0
        mov x9, sp
        str x9, [x19, #8]
        current x10
        ldr x9, [x10]
        str x9, [x19, #16]
        str x19, [x10]
        add x0, x19, #48
        bl cairn_stack_switch
        ldr x9, [x19]
        mov sp, x9
        load_and_return
        .cfi_endproc
        .size coroutine_resume, . - coroutine_resume

/* void coroutine_yield(void) */
        .globl coroutine_yield
        .type coroutine_yield, %function
        CAIRN_ENTRY(coroutine_yield)
        .cfi_startproc
        save
        current x10
        ldr x19, [x10]
        mov x9, sp
        str x9, [x19]
.Lback:
        ldr x0, [x19, #16]
        current x10
        str x0, [x10]
        cbz x0, 1f
        add x0, x0, #48
1:
        bl cairn_stack_switch
        ldr x9, [x19, #8]
        mov sp, x9
        str xzr, [x19, #8]
        load_and_return
        .cfi_endproc
        .size coroutine_yield, . - coroutine_yield

/* The oldest frame of each such stack: the coroutine is in x19, and at SP. */
        .type coroutine_start, %function
        .cfi_startproc
        .cfi_undefined 30
coroutine_start:
        stp x19, xzr, [sp, #-16]!
        .cfi_def_cfa_offset 16
        ldr x0, [x19, #32]
        ldr x16, [x19, #24]
        blr x16
        ldr x19, [sp]
        mov x9, #1
        str x9, [x19, #40]
        str xzr, [x19]
        b .Lback
        .cfi_endproc
        .size coroutine_start, . - coroutine_start
coroutine_code_end:

        .section .note.GNU-stack, "", %progbits
