/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembly stubs, called by hand-written managed functions. What would go wrong: a register is
 * lost over a poll, a register that the collector updated comes back stale, an argument or result
 * is lost on the way to native code. Collections are this file's own: the collector adds MOVE to
 * every root.
 */
#include <cpuid.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unwind.h>
#include <cairn/abi.h>
#include <cairn/stack.h>
#include "aborts.h"
#include "mock_frames.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/stats.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/walk/return_barriers.h"
#include "stubs/stepping.h"

enum { RBX = 3, RBP = 6, RDI = 5, RSP = 7, R15 = 15, MOVE = 0x100000 };

/* ---- a collector that moves nothing but says it did ---- */

static uintptr_t memory[1 << 12];
static struct cairn_slot seen[32];
static int seen_count;

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  (void)initial_bytes;
  (void)max_bytes;
  cairn_buffer_give((uintptr_t)memory, (uintptr_t)(memory + (sizeof memory / sizeof *memory)));
  return CAIRN_OK;
}

static enum cairn_status refuse(size_t bytes)
{
  (void)bytes;
  return CAIRN_E_FULL;
}

static void visit(void *env, struct cairn_slot slot)
{
  (void)env;
  for (int i = 0; i < seen_count; i++)
    if (seen[i].address == slot.address)
      return;
  seen[seen_count++] = slot;
  *slot.address += MOVE;
}

static void (*dirty_vectors)(void); /* a collection does that, too */

static void collect(size_t bytes_needed, bool move_all)
{
  (void)bytes_needed;
  (void)move_all;
  if (dirty_vectors != NULL)
    dirty_vectors();
  seen_count = 0;
  cairn_visit_roots(visit, NULL);
}

static const struct cairn_collector shifting = {
    .name = "shifting", .init = init, .refill = refuse, .grow = refuse, .collect = collect};

static struct layouts {
  struct cairn_layout object, array;
} layouts = {{.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 20},
             {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 3}};

/* ---- managed code ---- preserved(before, after, slow): fills every register from `before`, calls
 * `slow`, stores them to `after`: sixteen general registers (rsp left out), then sixteen vector
 * registers of 32 bytes. rdi and rsi are arguments of the slow path, so they are 0 or layouts here.
 * */
struct file {
  uint64_t gpr[16];
  uint64_t vector[16][4];
};
extern void preserved(struct file *before, struct file *after, void (*slow)(void));
extern char preserved_return[];
__asm__(".text\n"
        "preserved:\n"
        "  push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "  push %rsi\n push %rdx\n sub $8, %rsp\n"
        "  mov %rdi, %rax\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups 128+32*\\n(%rax), %ymm\\n\n"
        ".endr\n"
        "  mov 8(%rax), %rdx\n mov 16(%rax), %rcx\n mov 24(%rax), %rbx\n mov 32(%rax), %rsi\n"
        "  mov 40(%rax), %rdi\n mov 48(%rax), %rbp\n mov 64(%rax), %r8\n mov 72(%rax), %r9\n"
        "  mov 80(%rax), %r10\n mov 96(%rax), %r12\n mov 104(%rax), %r13\n mov 112(%rax), %r14\n"
        "  mov 120(%rax), %r15\n mov (%rax), %rax\n"
        "  call *8(%rsp)\n"
        "preserved_return:\n"
        "  mov %r15, (%rsp)\n mov 16(%rsp), %r15\n mov %rax, (%r15)\n"
        "  mov (%rsp), %rax\n mov %rax, 120(%r15)\n"
        "  mov %rdx, 8(%r15)\n mov %rcx, 16(%r15)\n mov %rbx, 24(%r15)\n mov %rsi, 32(%r15)\n"
        "  mov %rdi, 40(%r15)\n mov %rbp, 48(%r15)\n mov %r8, 64(%r15)\n mov %r9, 72(%r15)\n"
        "  mov %r10, 80(%r15)\n mov %r12, 96(%r15)\n mov %r13, 104(%r15)\n mov %r14, 112(%r15)\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
        "  vmovups %ymm\\n, 128+32*\\n(%r15)\n"
        ".endr\n"
        "  vzeroupper\n"
        "  add $24, %rsp\n"
        "  pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
        "  ret\n");

/* crossing(f): calls f(1, ..., 8; 0.5) through cairn_call_any with `x` in rbx and rbp + 8 in r15
 * and returns f's result + rbx (r15 must have kept its distance to rbp, and the stack argument its
 * place). */
extern uint64_t crossing(uint64_t (*f)(long, long, long, long, long, long, long, long, double),
                         uint64_t x);
extern char crossing_return[];
__asm__("  .balign 16\n  .quad 0x4e52494143a7e1c5\n"
        "crossing:\n"
        "  push %rbx\n push %rbp\n push %r15\n"
        "  mov %rdi, %r11\n mov %rsi, %rbx\n mov %rsi, %rbp\n lea 8(%rbp), %r15\n"
        "  push $8\n push $7\n"
        "  sub $16, %rsp\n movq $0x3f000000, (%rsp)\n cvtss2sd (%rsp), %xmm0\n add $16, %rsp\n"
        "  mov $1, %edi\n mov $2, %esi\n mov $3, %edx\n"
        "  mov $4, %ecx\n mov $5, %r8d\n mov $6, %r9d\n"
        "  mov $1, %eax\n"
        "  call cairn_call_any\n"
        "crossing_return:\n"
        "  add $16, %rsp\n"
        "  sub %rbp, %r15\n cmp $8, %r15\n jne 1f\n"
        "  add %rbx, %rax\n"
        "1:pop %r15\n pop %rbp\n pop %rbx\n"
        "  ret\n");

extern void cairn_poll_slow(void), cairn_alloc_slow(void), cairn_alloc_indexed_slow(void);
extern void cairn_collect(void), cairn_call_any(void);

static struct cairn_image image = {.layouts_start = (const unsigned char *)&layouts,
                                   .layouts_stop = (const unsigned char *)(&layouts + 1)};
static struct mock_safepoint in_preserved[1], in_crossing[1];
static struct mock_function functions[2];

static void map_functions(void)
{
  in_preserved[0].pc = (uintptr_t)preserved_return;
  in_preserved[0].safepoint = (struct cn_safepoint){.cfa_reg = RSP,
                                                    .cfa_offset = 80,
                                                    .saved = 63,
                                                    .saved_offset = {-16, -24, -32, -40, -48, -56}};
  in_crossing[0].pc = (uintptr_t)crossing_return;
  in_crossing[0].safepoint = (struct cn_safepoint){.cfa_reg = RSP,
                                                   .cfa_offset = 48,
                                                   .saved = 1 << CN_RBX | 1 << CN_RBP | 1 << CN_R15,
                                                   .saved_offset = {-16, -24, 0, 0, 0, -32},
                                                   .roots = 3};
  in_crossing[0].roots[0].base = (struct cn_loc){1, RBX, 0};
  in_crossing[0].roots[1].base = (struct cn_loc){1, RBP, 0};
  in_crossing[0].roots[2] = (struct cn_root){{1, RBP, 0}, {1, R15, 0}, true};
  functions[0] = (struct mock_function){(uintptr_t)preserved, 400, 1, in_preserved};
  functions[1] = (struct mock_function){(uintptr_t)crossing, 100, 1, in_crossing};
  mock_image(&image, functions, 2);
}

static bool wide(void)
{
  return __builtin_cpu_supports("avx") != 0;
}

static struct file fill(void)
{
  struct file file;

  for (int i = 0; i < 16; i++) {
    file.gpr[i] = 0x1000u + (unsigned)i;
    for (int j = 0; j < 4; j++)
      file.vector[i][j] = 0x2000u + (unsigned)(16 * i + j);
  }
  return file;
}

/* All equal but the ones that may differ: rax if there is a result, rsp, r11. */
static void assert_preserved(const struct file *before, const struct file *after, bool result)
{
  for (int i = result ? 1 : 0; i < 16; i++)
    if (i != RSP && i != 11)
      assert_int_equal(before->gpr[i], after->gpr[i]);
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 4; j++)
      assert_int_equal(before->vector[i][j], after->vector[i][j]);
}

static void polls_preserve_all(void **state)
{
  struct file before = fill(), after;
  uint64_t count = cn_stats.safepoints;

  (void)state;
  if (!wide())
    skip();
  preserved(&before, &after, cairn_poll_slow);
  assert_preserved(&before, &after, false);
  assert_int_equal(cn_stats.safepoints, count + 1);
}

static void allocations(void **state)
{
  struct file before = fill(), after;

  (void)state;
  if (!wide())
    skip();
  before.gpr[RDI] = (uint64_t)&layouts.object;
  preserved(&before, &after, cairn_alloc_slow);
  assert_preserved(&before, &after, true);
  const uintptr_t *object = (const uintptr_t *)after.gpr[0];
  assert_int_equal(object[-1], (uintptr_t)&layouts.object);
  assert_int_equal(object[0] | object[1] | object[2], 0);

  before.gpr[RDI] = (uint64_t)&layouts.array;
  before.gpr[4] = 7;
  preserved(&before, &after, cairn_alloc_indexed_slow);
  assert_preserved(&before, &after, true);
  assert_ptr_equal(after.gpr[0], object + 3 + 2);
  object = (const uintptr_t *)after.gpr[0];
  assert_int_equal(object[-1], (uintptr_t)&layouts.array);
  assert_int_equal(object[-2], 7 << 1 | 1);
}

static uint64_t arguments(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  assert_int_equal(a * 10000000 + b * 1000000 + c * 100000 + d * 10000 + e * 1000 + f * 100 +
                       g * 10 + h,
                   12345678);
  assert_true(x == 0.5);
  return 1000;
}

/* Native code uses callee-saved registers and then has the collector move what they were for its
 * caller. */
static uint64_t collects(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  __asm__ volatile("xor %%ebx, %%ebx; xor %%r15d, %%r15d; xor %%r12d, %%r12d" ::
                       : "rbx", "r12", "r15");
  cairn_collect();
  return 2000;
}

/* The same, for a handler that looks in between. */
static uint64_t collects_quietly(long a, long b, long c, long d, long e, long f, long g, long h,
                                 double x)
{
  (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)x;
  cairn_collect();
  return 2000;
}

static uint64_t nests(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  return crossing(collects, 5) + 3000; /* 5 + MOVE + 2000 + 3000 */
}

static void transitions(void **state)
{
  uint64_t frames = cn_stats.frames;

  (void)state;
  cn_mutator_get();
  struct cn_anchor *anchor = cairn_mutator.anchor;
  assert_int_equal(crossing(arguments, 5), 1005);
  assert_int_equal(crossing(collects, 7), 2007 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 1);
  assert_int_equal(crossing(nests, 1), 5 + MOVE + 5000 + 1 + MOVE);
  assert_int_equal(cn_stats.frames, frames + 3);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* ---- the public iterator, from native code ---- */

static uintptr_t ips[4];
static int tags[CAIRN_ROOT_USER], derived_distance;

static void note_root(void *env, uintptr_t *slot, unsigned tag, void *base)
{
  (void)env;
  tags[tag]++;
  if (tag == CAIRN_ROOT_BASE)
    derived_distance = (int)(*slot - *(uintptr_t *)base);
}

static uint64_t iterates(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  struct cairn_stack_iterator it;
  uintptr_t sp = 0;
  int count = 0;

  arguments(a, b, c, d, e, f, g, h, x);
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    ips[count++] = cairn_stack_ip(&it);
    assert_true(cairn_stack_sp(&it) > sp); /* from the youngest to the oldest */
    sp = cairn_stack_sp(&it);
    cairn_stack_enumerate(&it, note_root, NULL);
  }
  assert_int_equal(cairn_stack_ip(&it), 0);
  assert_int_equal(cairn_stack_sp(&it), 0);
  return (uint64_t)count;
}

static uint64_t iterates_below(long a, long b, long c, long d, long e, long f, long g, long h,
                               double x)
{
  arguments(a, b, c, d, e, f, g, h, x);
  return crossing(iterates, 100);
}

static void iterator(void **state)
{
  struct cairn_stack_iterator it;

  (void)state;
  assert_int_equal(crossing(iterates_below, 1000), 2 + 100 + 1000);
  assert_int_equal(ips[0], (uintptr_t)crossing_return);
  assert_int_equal(ips[1], (uintptr_t)crossing_return);
  assert_int_equal(tags[CAIRN_ROOT_DEFAULT], 4);
  assert_int_equal(tags[CAIRN_ROOT_BASE], 2);
  assert_int_equal(derived_distance, 8);
  cairn_stack_youngest(&it);
  assert_true(cairn_stack_past_end(&it));
}

/* A managed target is jumped to: no anchor, and its return goes straight to the caller. */
static uint64_t anchors_in_use;
extern uint64_t managed_target(long, long, long, long, long, long, long, long, double);
uint64_t count_anchors(void) __attribute__((visibility("hidden")));
uint64_t count_anchors(void)
{
  anchors_in_use = (uint64_t)(cairn_mutator.anchor - cairn_mutator.anchors);
  return 10;
}
__asm__("  .balign 16\n  .quad 0x4e52494143a7e1c5\n"
        "managed_target:\n  sub $8, %rsp\n  call count_anchors\n  add $8, %rsp\n  ret\n");

static void managed_callees(void **state)
{
  (void)state;
  assert_int_equal(crossing(managed_target, 1), 11);
  assert_int_equal(anchors_in_use, 0);
}

/* ---- which components of the processor's state are in use ---- */

enum { STATE = 0xe6, HAS_XGETBV1 = 1 << 2 };

static bool tells_state(void)
{
  unsigned a, b, c, d;

  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) &&
         __get_cpuid_count(0xd, 1, &a, &b, &c, &d) && (a & HAS_XGETBV1);
}

/* Calls `slow` with those in use that `touch` leaves; what is after it. */
static unsigned state_after(void (*touch)(void), void (*slow)(void), const void *argument,
                            long count, unsigned *before)
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
  __asm__ volatile("vpcmpeqd %%xmm3, %%xmm3, %%xmm3; vinsertf128 $1, %%xmm3, %%ymm3, %%ymm3" ::
                       : "xmm3");
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

static void collect_everywhere(void (*dirty)(void))
{
  dirty_vectors = dirty;
  cn_options.stress = dirty != NULL;
}

static void each_keeps_state(void (*touch)(void))
{
  const struct {
    void (*slow)(void);
    const void *argument;
  } stubs[] = {{cairn_poll_slow, NULL},
               {cairn_alloc_slow, &layouts.object},
               {cairn_alloc_indexed_slow, &layouts.array}};
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
__asm__(
    "keeps_wide:\n  push %rbx\n  push %rbp\n  sub $8, %rsp\n  mov %rdi, %rbx\n"
    "  mov %rsi, %rbp\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "  vmovdqu64 64*\\n(%rbx), %zmm\\n\n.endr\n"
    ".irp n, 1,2,3,4,5,6,7\n  kmovq 2048+8*\\n(%rbx), %k\\n\n.endr\n"
    "  xor %edi, %edi\n  call *%rbp\n"
    ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
    "  vmovdqu64 %zmm\\n, 64*\\n(%rbx)\n.endr\n"
    ".irp n, 1,2,3,4,5,6,7\n  kmovq %k\\n, 2048+8*\\n(%rbx)\n.endr\n"
    "  vzeroupper\n  add $8, %rsp\n  pop %rbp\n  pop %rbx\n  ret\n");

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

/* ---- signals between any two instructions ---- */

/* Native code calls managed code by a jump, which calls native code by one: no second anchor. */
extern uint64_t jumps(long, long, long, long, long, long, long, long, double);
__asm__("jumps:\n  lea jumping_managed(%rip), %rax\n  jmp *%rax\n"
        "  .balign 16\n  .quad 0x4e52494143a7e1c5\n"
        "jumping_managed:\n  lea adds(%rip), %r11\n  jmp cairn_call_any\n");

uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
    __attribute__((visibility("hidden")));
uint64_t adds(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  return (uint64_t)(a + b + c + d + e + f + g + h + (long)(2 * x)); /* 37 */
}

static uint8_t stepped[1 << 13]; /* by distance from the start of the stubs */
static unsigned wrong;
static long leave_at; /* the handler's last act, after so many steps in stubs */
static sigjmp_buf leave_to;

/* What a handler may do: call native and managed functions, through pointers too. */
static void interrupt(uintptr_t pc)
{
  uintptr_t end, start = cn_arch_stubs(&end);

  if (pc < start || pc >= end)
    return;
  stepped[pc - start] = 1;
  struct cn_anchor *anchor = cairn_mutator.anchor;
  wrong += crossing(adds, 5) != 42 || crossing(managed_target, 1) != 11 || crossing(jumps, 2) != 39;
  wrong += cairn_mutator.anchor > anchor; /* dead ones may have gone */
  if (leave_at != 0 && --leave_at == 0)
    siglongjmp(leave_to, 1);
}

/* How many instructions of the stub were stepped over. */
static unsigned count_steps(const void *stub, size_t size)
{
  uintptr_t end, start = cn_arch_stubs(&end);
  unsigned count = 0;

  for (size_t i = 0; i < size; i++)
    count += stepped[(uintptr_t)stub - start + i];
  return count;
}

static void signals_in_calls(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;
  uint64_t results[4];

  (void)state;
  step_begin(interrupt);
  results[0] = crossing(adds, 5);
  results[1] = crossing(managed_target, 1);
  results[2] = crossing(jumps, 3);
  results[3] = crossing(collects_quietly, 7);
  step_end();
  assert_int_equal(results[0], 42);
  assert_int_equal(results[1], 11);
  assert_int_equal(results[2], 40);
  assert_int_equal(results[3], 2007 + MOVE);
  assert_int_equal(wrong, 0);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
  assert_in_range(count_steps((const void *)cairn_call_any, 240), 35, 240);
  assert_in_range(count_steps((const void *)cairn_collect, 100), 30, 100);
}

/* The array of anchors is full of some that a longjmp left. */
static void signals_in_full_anchors(void **state)
{
  struct cn_anchor *limit = cairn_mutator.anchor_limit, *anchor = cairn_mutator.anchor;

  (void)state;
  cairn_mutator.anchor[0].sp = 0;
  cairn_mutator.anchor[1].sp = 0;
  cairn_mutator.anchor += 2;
  cairn_mutator.anchor_limit = cairn_mutator.anchor;
  step_begin(interrupt);
  uint64_t result = crossing(adds, 5);
  step_end();
  assert_int_equal(result, 42);
  assert_int_equal(wrong, 0);
  assert_ptr_equal(cairn_mutator.anchor, anchor);
  cairn_mutator.anchor_limit = limit;
}

/* The interrupted stub has reserved the last one, and has yet to fill it: it is not free. */
static void handler_calls(int signal)
{
  (void)signal;
  crossing(adds, 5);
}

static void raise_when_full(uintptr_t pc)
{
  if (cn_arch_in_stubs(pc) && cairn_mutator.anchor == cairn_mutator.anchor_limit)
    raise(SIGUSR1);
}

static void call_with_last_anchor(void)
{
  signal(SIGUSR1, handler_calls);
  cairn_mutator.anchor_limit = cairn_mutator.anchor + 1;
  step_begin(raise_when_full);
  crossing(adds, 5);
  step_end();
}

static void signals_at_last_anchor(void **state)
{
  (void)state;
  aborts(call_with_last_anchor, "too many nested calls from managed to native code");
}

static void signals_in_slow_paths(void **state)
{
  struct file before = fill(), after[3];

  (void)state;
  if (!wide())
    skip();
  step_begin(interrupt);
  preserved(&before, &after[0], cairn_poll_slow);
  before.gpr[RDI] = (uint64_t)&layouts.object;
  preserved(&before, &after[1], cairn_alloc_slow);
  before.gpr[RDI] = (uint64_t)&layouts.array;
  before.gpr[4] = 7;
  preserved(&before, &after[2], cairn_alloc_indexed_slow);
  step_end();
  assert_preserved(&before, &after[2], true);
  before.gpr[RDI] = (uint64_t)&layouts.object;
  before.gpr[4] = fill().gpr[4];
  assert_preserved(&before, &after[1], true);
  before.gpr[RDI] = fill().gpr[RDI];
  assert_preserved(&before, &after[0], false);
  assert_int_equal(wrong, 0);
  assert_in_range(count_steps((const void *)cairn_poll_slow, 200), 50, 200);
}

static uint64_t steps(long a, long b, long c, long d, long e, long f, long g, long h, double x)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  if (sigsetjmp(leave_to, 1) == 0) {
    step_begin(interrupt);
    wrong += crossing(adds, 5) != 42;
    step_end();
  }
  leave_at = 0;
  uint64_t frames = cn_stats.frames;
  wrong += crossing(collects_quietly, 7) != 2007 + MOVE; /* the walk is not led astray */
  wrong += cn_stats.frames != frames + 2 || cairn_mutator.anchor < anchor;
  return adds(a, b, c, d, e, f, g, h, x);
}

static void leaving_by_siglongjmp(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  (void)state;
  for (long at = 1; at <= 45; at++) {
    leave_at = at;
    assert_int_equal(crossing(steps, 5), 42 + MOVE);
    assert_ptr_equal(cairn_mutator.anchor, anchor);
  }
  assert_int_equal(wrong, 0);
}

/* ---- exceptions: from the throw on, signals between any two instructions, of the unwinder too
 * ---- catching(f, x): calls f through cairn_call_any with x, x + 1 and x + 2 in rbx, r12 and r15.
 * Its landing pad returns their sum. */
extern uint64_t catching(uint64_t (*f)(void), uint64_t x);
extern char catching_landing[];
__asm__("  .balign 16\n  .quad 0x4e52494143a7e1c5\n"
        "catching:\n  .cfi_startproc\n  .cfi_personality 0x1b, catches\n"
        "  push %rbx\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbx, 0\n"
        "  push %r12\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r12, 0\n"
        "  push %r15\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %r15, 0\n"
        "  mov %rdi, %r11\n  mov %rsi, %rbx\n  lea 1(%rsi), %r12\n  lea 2(%rsi), %r15\n"
        "  call cairn_call_any\n  ud2\n"
        "catching_landing:\n  lea (%rbx, %r12), %rax\n  add %r15, %rax\n"
        "  pop %r15\n  .cfi_adjust_cfa_offset -8\n  pop %r12\n  .cfi_adjust_cfa_offset -8\n"
        "  pop %rbx\n  .cfi_adjust_cfa_offset -8\n  ret\n  .cfi_endproc\n");

_Unwind_Reason_Code catches(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                            struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
    __attribute__((visibility("hidden")));
_Unwind_Reason_Code catches(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                            struct _Unwind_Exception *thrown, struct _Unwind_Context *context)
{
  (void)version, (void)class, (void)thrown;
  if (actions & _UA_SEARCH_PHASE)
    return _URC_HANDLER_FOUND;
  _Unwind_SetIP(context, (uintptr_t)catching_landing);
  return _URC_INSTALL_CONTEXT;
}

static unsigned interruptions;

static void interrupt_anywhere(uintptr_t pc)
{
  (void)pc;
  interruptions++;
  wrong += crossing(adds, 5) != 42 || crossing(jumps, 2) != 39;
}

static uint64_t throws(void)
{
  static struct _Unwind_Exception exception;

  __asm__ volatile("xor %%ebx, %%ebx; xor %%r12d, %%r12d; xor %%r15d, %%r15d" ::
                       : "rbx", "r12", "r15");
  step_begin(interrupt_anywhere);
  _Unwind_RaiseException(&exception);
  return 0;
}

static void signals_in_exceptions(void **state)
{
  struct cn_anchor *anchor = cairn_mutator.anchor;

  (void)state;
  uint64_t sum = catching(throws, 100);
  step_end();
  assert_int_equal(sum, 303);
  assert_int_equal(wrong, 0);
  assert_in_range(interruptions, 1000, 1000000);
  cairn_poll_slow();
  assert_ptr_equal(cairn_mutator.anchor, anchor);
}

/* ---- returns through barriers ----
 * barred(before, after): fills all registers, as preserved() does, and calls a function that
 * returns through a barrier and leaves all as they are. */
extern char through_barrier[];
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

void set_barrier(uintptr_t *slot) __attribute__((visibility("hidden")));
void set_barrier(uintptr_t *slot)
{
  cn_return_barrier_set(slot, 0);
}

static void return_barred(void)
{
  struct file before = fill(), after;
  uintptr_t entry = (uintptr_t)through_barrier;
  void (*through)(void);

  __builtin_memcpy(&through, &entry, sizeof through);
  step_begin(interrupt);
  preserved(&before, &after, through);
  step_end();
  assert_preserved(&before, &after, false);
}

static void signals_in_returns(void **state)
{
  (void)state;
  if (!wide() || !cn_arch_may_replace())
    skip();
  return_barred();
  assert_int_equal(wrong, 0);
  assert_int_equal(count_steps((const void *)cn_arch_barrier(0), 32), 2);
  assert_ptr_equal(cn_return_barrier_youngest(), NULL);
}

/* The handler leaves as its last act: then a barrier may be gone with its activation. */
static bool leaves_return(long at)
{
  leave_at = at;
  if (sigsetjmp(leave_to, 1) != 0)
    return true;
  return_barred();
  leave_at = 0;
  return false;
}

static void leaving_returns(void **state)
{
  long at = 1;

  (void)state;
  if (!wide() || !cn_arch_may_replace())
    skip();
  for (; leaves_return(at); at++) {
    assert_false(cairn_mutator.busy);
    cn_return_barrier_met(NULL); /* a scan */
    assert_ptr_equal(cn_return_barrier_youngest(), NULL);
  }
  assert_in_range(at, 50, 300);
  assert_int_equal(wrong, 0);
}

/* ---- handlers that leave the runtime's own work by a jump ---- */

static long raise_at;

static void jump_back(int signal)
{
  (void)signal;
  siglongjmp(leave_to, 1);
}

static void raise_once(uintptr_t pc)
{
  (void)pc;
  if (--raise_at == 0)
    raise(SIGUSR1);
}

/* True: the signal came. */
static bool leaves(void (*work)(void), long at)
{
  raise_at = at;
  if (sigsetjmp(leave_to, 1) != 0)
    return true;
  step_begin(raise_once);
  work();
  step_end();
  return false;
}

static struct cairn_image other_image;
static char other_code[64];
static struct cn_region at_code;

static void previous(struct cairn_stack_iterator *iterator, void *data)
{
  (void)iterator, (void)data;
}

static const struct cairn_code_manager manager = {.name = "test", .previous = previous};

static void come_and_go(void)
{
  cairn_image_register(&other_image);
  cn_index_find_inside((uintptr_t)crossing_return);
  cairn_image_unregister(&other_image);
}

static void add_and_remove(void)
{
  cairn_code_region_add(&manager, (uintptr_t)other_code, (uintptr_t)(other_code + 64), NULL);
  cn_code_regions_find((uintptr_t)other_code + 1, &at_code);
  cairn_code_region_remove((uintptr_t)other_code);
}

/* No lock is held, no signal blocked, nothing half there: all can be done again. */
static void check_whole(void)
{
  sigset_t mask;

  assert_int_equal(cn_locks_held(), 0);
  assert_int_equal(cn_code_regions_depth(), 0);
  assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
  assert_int_equal(sigismember(&mask, SIGUSR1), 0);
  assert_int_equal(sigismember(&mask, SIGTERM), 0);
  cairn_image_register(&other_image);
  assert_int_equal(cn_image_count(), 2);
  assert_int_equal(crossing(collects_quietly, 7), 2007 + MOVE);
  cairn_image_unregister(&other_image);
  assert_int_equal(cn_image_count(), 1);
  enum cairn_status status = cairn_code_region_remove((uintptr_t)other_code);
  assert_true(status == CAIRN_OK || status == CAIRN_E_UNKNOWN);
}

static void leaving_work(void **state)
{
  void (*const works[])(void) = {come_and_go, add_and_remove};

  (void)state;
  signal(SIGUSR1, jump_back);
  for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
    long at = 1;
    for (; leaves(works[i], at); at += 23)
      check_whole();
    check_whole();
    assert_in_range(at, 200, 20000);
  }
  signal(SIGUSR1, SIG_DFL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transitions),
      cmocka_unit_test(polls_preserve_all),
      cmocka_unit_test(allocations),
      cmocka_unit_test(managed_callees),
      cmocka_unit_test(iterator),
      cmocka_unit_test(state_is_the_callers),
      cmocka_unit_test(wide_registers_survive),
      cmocka_unit_test(signals_in_calls),
      cmocka_unit_test(signals_in_full_anchors),
      cmocka_unit_test(signals_at_last_anchor),
      cmocka_unit_test(signals_in_slow_paths),
      cmocka_unit_test(leaving_by_siglongjmp),
      cmocka_unit_test(signals_in_exceptions),
      cmocka_unit_test(signals_in_returns),
      cmocka_unit_test(leaving_returns),
      cmocka_unit_test(leaving_work),
  };

  cairn_set_collector(&shifting);
  map_functions();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
