/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine code of the tests of signals, for x86-64, and the tests of cairn_call_short. Included by stubs_signals.c.
 */
#ifndef TEST_UNIT_RUNTIME_STUBS_SIGNALS_PORT_X86_64_H
#define TEST_UNIT_RUNTIME_STUBS_SIGNALS_PORT_X86_64_H

enum { CALLS = 2, STEPS_EVERYWHERE = 1 };
enum { CALL_ANY_BYTES = 280, CALL_ANY_STEPS = 35, COLLECT_BYTES = 100, COLLECT_STEPS = 30 };
enum { POLL_BYTES = 200, POLL_STEPS = 50 };

__asm__("jumps:\n  lea jumping_managed(%rip), %rax\n  jmp *%rax\n" CAIRN_ENTRY_STRING(
    jumping_managed) "  lea adds(%rip), %r11\n  jmp cairn_call_any\n");

uint64_t adds_six(long a, long b, long c, long d, long e, long f, double x) __attribute__((visibility("hidden")));
uint64_t adds_six(long a, long b, long c, long d, long e, long f, double x)
{
  return adds(a, b, c, d, e, f, 7, 8, x);
}

/* The same by way of the stub for few arguments. */
extern uint64_t jumps_six(long, long, long, long, long, long, double);
__asm__("jumps_six:\n  lea jumping_six(%rip), %rax\n  jmp *%rax\n" CAIRN_ENTRY_STRING(
    jumping_six) "  lea adds_six(%rip), %r11\n  jmp cairn_call_any\n");

static uint64_t call_adds(int way)
{
  return way == 0 ? crossing(adds, 5) : crossing_short(adds_six, 5);
}

static unsigned wrong_calls(void)
{
  return crossing_short(adds_six, 5) != 42 || crossing_short(jumps_six, 2) != 39;
}

__asm__(
    CAIRN_ENTRY_STRING(catching) "  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
                                 "  push %rbx\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbx, 0\n"
                                 "  push %r12\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r12, 0\n"
                                 "  push %r15\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r15, 0\n"
                                 "  mov %rdi, %r11\n  mov %rsi, %rbx\n  lea 1(%rsi), %r12\n  lea 2(%rsi), %r15\n"
                                 "  call cairn_call_any\n  ud2\n"
                                 "catching_landing:\n  lea (%rbx, %r12), %rax\n  add %r15, %rax\n"
                                 "  pop %r15\n  .cfi_adjust_cfa_offset -8\n  pop %r12\n  .cfi_adjust_cfa_offset -8\n"
                                 "  pop %rbx\n  .cfi_adjust_cfa_offset -8\n  ret\n  .cfi_endproc\n");

/* The same through cairn_call_short, with x in rbp and in the frame. */
extern uint64_t catching_short(uint64_t (*f)(void), uint64_t x);
extern char catching_short_landing[];
__asm__(CAIRN_ENTRY_STRING(catching_short) "  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
                                           ".irp register, rbp,rbx,r12,r13,r14,r15\n"
                                           "  push %\\register\n  .cfi_adjust_cfa_offset 8\n"
                                           "  .cfi_rel_offset %\\register, 0\n.endr\n"
                                           "  push %rsi\n  .cfi_adjust_cfa_offset 8\n"
                                           "  mov %rdi, %r12\n  mov %rsi, %rbp\n  call cairn_call_short\n  ud2\n"
                                           "catching_short_landing:\n  pop %rax\n  .cfi_adjust_cfa_offset -8\n"
                                           "  add %rbp, %rax\n"
                                           ".irp register, r15,r14,r13,r12,rbx,rbp\n"
                                           "  pop %\\register\n  .cfi_adjust_cfa_offset -8\n.endr\n"
                                           "  ret\n  .cfi_endproc\n");

static const struct {
  uint64_t (*function)(uint64_t (*f)(void), uint64_t x);
  const char *landing;
  uint64_t result;
} catchers[] = {{catching, catching_landing, 303}, {catching_short, catching_short_landing, 200}};

__asm__("through_barrier:\n"
        "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n"
        "  push %r8\n  push %r9\n  push %r10\n"
        "  lea 64(%rsp), %rdi\n"
        "  sub $520, %rsp\n  and $-16, %rsp\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups %ymm\\n, 32*\\n(%rsp)\n"
        ".endr\n"
        "  push %rdi\n  push %rdi\n  call set_barrier\n  pop %rdi\n  pop %rdi\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups 32*\\n(%rsp), %ymm\\n\n"
        ".endr\n"
        "  lea -64(%rdi), %rsp\n"
        "  pop %r10\n  pop %r9\n  pop %r8\n"
        "  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n"
        "  ret\n");

static uint64_t collects_six(long a, long b, long c, long d, long e, long f, double x)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)x;
  cairn_collect();
  return 2000;
}

static void signals_in_short_calls(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  uint64_t results[3];

  (void)state;
  step_begin(interrupt);
  results[0] = crossing_short(adds_six, 5);
  results[1] = crossing_short(jumps_six, 3);
  results[2] = crossing_short(collects_six, 7);
  step_end();
  assert_int_equal(results[0], 42);
  assert_int_equal(results[1], 40);
  assert_int_equal(results[2], 2007 + MOVE);
  assert_int_equal(wrong, 0);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
  assert_in_range(count_steps((const void *)cairn_call_short, 128), 18, 128);
}

#define PORT_TESTS cmocka_unit_test(signals_in_short_calls),

#endif
