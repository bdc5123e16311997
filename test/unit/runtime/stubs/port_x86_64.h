/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the stubs for x86-64 alone: calls by cairn_call_short, and the parts of vector registers. Included by
 * stubs.c.
 */
#ifndef TEST_UNIT_RUNTIME_STUBS_PORT_X86_64_H
#define TEST_UNIT_RUNTIME_STUBS_PORT_X86_64_H

#include <cpuid.h>

static uint64_t six(long a, long b, long c, long d, long e, long f, double x)
{
  return arguments(a, b, c, d, e, f, 7, 8, x);
}

uint64_t collects_six(long a, long b, long c, long d, long e, long f, double x) __attribute__((visibility("hidden")));
uint64_t collects_six(long a, long b, long c, long d, long e, long f, double x)
{
  return collects(a, b, c, d, e, f, 7, 8, x);
}

static uint64_t nests_six(long a, long b, long c, long d, long e, long f, double x)
{
  return nests(a, b, c, d, e, f, 7, 8, x);
}

/* Managed code whose caller has references in registers that its own frame saves. */
extern uint64_t short_below(long, long, long, long, long, long, long, long, double);
__asm__(CAIRN_ENTRY_STRING(short_below) "  lea collects_six(%rip), %rdi\n  mov $7, %esi\n"
                                        "  jmp crossing_short + 24\n");

static void short_transitions(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  uint64_t frames = cn_stats.frames;

  (void)state;
  assert_int_equal(crossing_short(six, 5), 1005);
  assert_int_equal(crossing_short(collects_six, 7), 2007 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 1);
  assert_int_equal(crossing_short(nests_six, 1), 5 + MOVE + 5000 + 1 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 3);
  assert_int_equal(crossing(short_below, 3), 2007 + MOVE + 3 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 5);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* Nothing keeps a reference in a register that the caller promised not to use. */
static void keep_in_r12(void)
{
  in_short[0].roots[1].base = (struct cn_frame_place){1, 12, 0};
  crossing_short(collects_six, 7);
}

static void short_calls_keep_no_registers(void **state)
{
  (void)state;
  aborts(keep_in_r12, "a reference in a register that was not saved");
}

/* ---- which components of the processor's state are in use ---- */

enum { STATE = 0xe6, HAS_XGETBV1 = 1 << 2 };

static bool tells_state(void)
{
  unsigned a, b, c, d;

  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) && __get_cpuid_count(0xd, 1, &a, &b, &c, &d) &&
         (a & HAS_XGETBV1);
}

/* Calls `slow` with those in use that `touch` leaves; what is after it. */
AS_MANAGED static unsigned state_after(void (*touch)(void), void (*slow)(void), const void *argument, long count,
                                       unsigned *before)
{
  unsigned high, after;
  const void *first = argument;
  long second = count;

  touch();
  __asm__ volatile("xgetbv" : "=a"(*before), "=d"(high) : "c"(1));
  __asm__ volatile("call *%[slow]\n  mov $1, %%ecx\n  xgetbv"
                   : "=&a"(after), "=d"(high), "+D"(first), "+S"(second)
                   : [slow] "r"(slow)
                   : "rcx", "r11", "cc", "memory");
  *before &= STATE;
  return after & STATE;
}

static void touch_nothing(void)
{
  __asm__ volatile("vzeroupper");
}

static void touch_upper_halves(void)
{
  __asm__ volatile("vpcmpeqd %%xmm3, %%xmm3, %%xmm3; vinsertf128 $1, %%xmm3, %%ymm3, %%ymm3" ::: "xmm3");
}

static void touch_masks(void)
{
  __asm__ volatile("vzeroupper; kxnorw %k1, %k1, %k1");
}

static void touch_all(void)
{
  __asm__ volatile("kxnorw %k1, %k1, %k1; vpternlogd $255, %zmm3, %zmm3, %zmm3;"
                   "vpternlogd $255, %zmm20, %zmm20, %zmm20");
}

static void clear_all(void)
{
  __asm__ volatile("vzeroupper");
  if (__builtin_cpu_supports("avx512bw"))
    __asm__ volatile("kxorq %k1, %k1, %k1; vpxorq %zmm20, %zmm20, %zmm20");
}

/* What C code does in a slow path: it leaves upper halves in use. */
static void use_vectors(void)
{
  if (__builtin_cpu_supports("avx512f"))
    touch_all();
  else
    touch_upper_halves();
}

static void each_keeps_state(void (*touch)(void))
{
  const struct {
    void (*slow)(void);
    const void *argument;
  } stubs[] = {{cairn_poll_slow, NULL},
               {cairn_alloc_slow, &layouts.object},
               {cairn_alloc_indexed_slow, &layouts.array},
               {cairn_alloc_uninit_slow, &layouts.array}};
  unsigned before;

  for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++) {
    unsigned after = state_after(touch, stubs[i].slow, stubs[i].argument, 7, &before);
    assert_int_equal(after, before);
  }
}

/* A slow path of a caller without upper halves leaves none, whatever was done in it; and keeps
 * those of a caller that has some. */
static void state_is_the_callers(void **state)
{
  (void)state;
  if (!wide() || !tells_state())
    skip();
  collect_everywhere(use_vectors);
  each_keeps_state(touch_nothing);
  each_keeps_state(touch_upper_halves);
  if (__builtin_cpu_supports("avx512f")) {
    each_keeps_state(touch_masks);
    each_keeps_state(touch_all);
  }
  clear_all();
  collect_everywhere(NULL);
}

/* keeps_wide(memory, slow): fills zmm0 to zmm31 and k1 to k7 from `values`, calls `slow`, stores
 * them there. */
extern void keeps_wide(uint64_t values[33][8], void (*slow)(void));
__asm__(".pushsection as_managed, \"ax\", @progbits\n"
        "keeps_wide:\n  push %rbx\n  push %rbp\n  sub $8, %rsp\n  mov %rdi, %rbx\n"
        "  mov %rsi, %rbp\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "  vmovdqu64 64*\\n(%rbx), %zmm\\n\n.endr\n"
        ".irp n, 1,2,3,4,5,6,7\n  kmovq 2048+8*\\n(%rbx), %k\\n\n.endr\n"
        "  xor %edi, %edi\n  call *%rbp\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "  vmovdqu64 %zmm\\n, 64*\\n(%rbx)\n.endr\n"
        ".irp n, 1,2,3,4,5,6,7\n  kmovq %k\\n, 2048+8*\\n(%rbx)\n.endr\n"
        "  vzeroupper\n  add $8, %rsp\n  pop %rbp\n  pop %rbx\n  ret\n.popsection\n");

static void wide_registers_survive(void **state)
{
  static uint64_t values[33][8];

  (void)state;
  if (!__builtin_cpu_supports("avx512bw"))
    skip();
  for (int i = 0; i < 33 * 8; i++)
    values[i / 8][i % 8] = 0x5000u + (unsigned)i;
  collect_everywhere(use_vectors);
  keeps_wide(values, cairn_poll_slow);
  collect_everywhere(NULL);
  clear_all();
  for (int i = 0; i < 33 * 8; i++)
    if (i != 32 * 8)
      assert_int_equal(values[i / 8][i % 8], 0x5000u + (unsigned)i);
}

/* As on a processor that does not tell which components are in use. */
static void without_xgetbv(void **state)
{
  extern uint8_t cn_arch_stubs_move_vectors __attribute__((visibility("hidden")));
  uint8_t before = cn_arch_stubs_move_vectors;

  cn_arch_stubs_move_vectors = 0;
  polls_preserve_all(state);
  allocations(state);
  state_is_the_callers(state);
  wide_registers_survive(state);
  cn_arch_stubs_move_vectors = before;
}

/* Rounding mode and exceptions are the caller's. */
AS_MANAGED static void change_rounding(void)
{
  unsigned down = 0x3f80, cleared = 0x1f80;

  __asm__ volatile("ldmxcsr %0" ::"m"(down));
  cairn_poll_slow();
  __asm__ volatile("stmxcsr %0" : "=m"(down));
  __asm__ volatile("ldmxcsr %0" ::"m"(cleared));
  assert_int_equal(down, 0x3f80);
}

static void disturb_rounding(void)
{
  unsigned up = 0x5f80;

  use_vectors();
  __asm__ volatile("ldmxcsr %0" ::"m"(up));
}

static void control_word_survives(void **state)
{
  (void)state;
  if (!wide())
    skip();
  collect_everywhere(disturb_rounding);
  change_rounding();
  collect_everywhere(NULL);
  clear_all();
}

#define PORT_TESTS \
  cmocka_unit_test(short_calls_keep_no_registers), cmocka_unit_test(short_transitions), \
      cmocka_unit_test(state_is_the_callers), cmocka_unit_test(wide_registers_survive), \
      cmocka_unit_test(control_word_survives), cmocka_unit_test(without_xgetbv)

#endif
