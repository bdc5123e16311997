/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine code of the tests of signals, for AArch64. Included by stubs_signals.c.
 */
#ifndef TEST_UNIT_RUNTIME_STUBS_SIGNALS_PORT_AARCH64_H
#define TEST_UNIT_RUNTIME_STUBS_SIGNALS_PORT_AARCH64_H

enum { CALLS = 1, STEPS_EVERYWHERE = 0 };
enum { CALL_ANY_BYTES = 320, CALL_ANY_STEPS = 50, COLLECT_BYTES = 208, COLLECT_STEPS = 40 };
enum { POLL_BYTES = 200, POLL_STEPS = 45 };

__asm__("jumps:\n  hint 34\n  adrp x16, jumping_managed\n  add x16, x16, :lo12:jumping_managed\n"
        "  br x16\n");
__asm__(CAIRN_ENTRY_STRING(jumping_managed) "  adrp x14, adds\n  add x14, x14, :lo12:adds\n"
                                            "  b cairn_call_any\n");

static uint64_t call_adds(int way)
{
  (void)way;
  return crossing(adds, 5);
}

static unsigned wrong_calls(void)
{
  return 0;
}

__asm__(CAIRN_ENTRY_STRING(catching) "  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
                                     "  stp x29, x30, [sp, -48]!\n  .cfi_def_cfa_offset 48\n"
                                     "  .cfi_offset 29, -48\n  .cfi_offset 30, -40\n"
                                     "  stp x19, x20, [sp, 16]\n  .cfi_offset 19, -32\n  .cfi_offset 20, -24\n"
                                     "  str x28, [sp, 32]\n  .cfi_offset 28, -16\n"
                                     "  mov x29, sp\n"
                                     "  mov x14, x0\n  mov x19, x1\n  add x20, x1, 1\n  add x28, x1, 2\n"
                                     "  bl cairn_call_any\n  brk 1\n"
                                     "catching_landing:\n  hint 36\n  add x0, x19, x20\n  add x0, x0, x28\n"
                                     "  ldr x28, [sp, 32]\n  ldp x19, x20, [sp, 16]\n  ldp x29, x30, [sp], 48\n"
                                     "  .cfi_def_cfa_offset 0\n  ret\n  .cfi_endproc\n");

static const struct {
  uint64_t (*function)(uint64_t (*f)(void), uint64_t x);
  const char *landing;
  uint64_t result;
} catchers[] = {{catching, catching_landing, 303}};

/* A frame of 672 bytes: the vector registers, x29, x30, x0 to x15. */
__asm__(".macro move_low move\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n  \\move x\\n, [sp, 528 + 8*\\n]\n.endr\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "  \\move q\\n, [sp, 16*\\n]\n.endr\n.endm\n"
        "through_barrier:\n  hint 34\n"
        "  sub sp, sp, 672\n  str x29, [sp, 512]\n  str x30, [sp, 520]\n"
        "  move_low str\n"
        "  add x0, sp, 520\n  bl set_barrier\n"
        "  move_low ldr\n"
        "  ldr x29, [sp, 512]\n  ldr x30, [sp, 520]\n  add sp, sp, 672\n"
        "  ret\n");

#define PORT_TESTS

#endif
