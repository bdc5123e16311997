/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the stubs for AArch64 alone: vector registers, the registers of rounding and exceptions, arguments on the
 * stack, frame records. Included by stubs.c.
 */
#ifndef TEST_UNIT_RUNTIME_STUBS_PORT_AARCH64_H
#define TEST_UNIT_RUNTIME_STUBS_PORT_AARCH64_H

enum { ROUND_DOWN = 2 << 22, ROUND_UP = 1 << 22, INEXACT = 1 << 4, OVERFLOW = 1 << 2 };

static void set_control(uint64_t control, uint64_t status)
{
  __asm__ volatile("msr fpcr, %0; msr fpsr, %1" ::"r"(control), "r"(status));
}

/* C code of a slow path changes all vector registers, the rounding mode and the flags. */
static void change_everything(void)
{
  __asm__ volatile(".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n  movi v\\n\\().16b, 255\n.endr" ::
                       : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
                         "v15");
  __asm__ volatile(".irp n, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n  movi v\\n\\().16b, 255\n.endr" ::
                       : "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
                         "v29", "v30", "v31");
  set_control(ROUND_UP, OVERFLOW);
}

static void vectors_survive(void **state)
{
  (void)state;
  collect_everywhere(change_everything);
  polls_preserve_all(state);
  allocations(state);
  collect_everywhere(NULL);
  set_control(0, 0);
}

/* Rounding mode and exceptions are the caller's. */
AS_MANAGED static void poll_rounding(uint64_t *control, uint64_t *status)
{
  set_control(ROUND_DOWN, INEXACT);
  cairn_poll_slow();
  __asm__ volatile("mrs %0, fpcr; mrs %1, fpsr" : "=r"(*control), "=r"(*status));
  set_control(0, 0);
}

static void control_registers_survive(void **state)
{
  uint64_t control, status;

  (void)state;
  collect_everywhere(change_everything);
  poll_rounding(&control, &status);
  collect_everywhere(NULL);
  set_control(0, 0);
  assert_int_equal(control, ROUND_DOWN);
  assert_int_equal(status, INEXACT);
}

/* ---- arguments on the stack, by way of native code and of managed code ---- */

typedef uint64_t ten_arguments(long, long, long, long, long, long, long, long, long, long);

static uint64_t ten(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
  assert_int_equal(a * 10000000 + b * 1000000 + c * 100000 + d * 10000 + e * 1000 + f * 100 + g * 10 + h, 12345678);
  return (uint64_t)(i * 10 + j);
}

/* passing(f, x): the last two arguments are x and x + 1. */
ASSEMBLED uint64_t passing(ten_arguments *f, long x);
__asm__(CAIRN_ENTRY_STRING(passing) "  stp x29, x30, [sp, -32]!\n  mov x29, sp\n"
                                    "  add x9, x1, 1\n  stp x1, x9, [sp, -16]!\n"
                                    "  mov x14, x0\n"
                                    "  mov x0, 1\n  mov x1, 2\n  mov x2, 3\n  mov x3, 4\n"
                                    "  mov x4, 5\n  mov x5, 6\n  mov x6, 7\n  mov x7, 8\n"
                                    "  bl cairn_call_any\n"
                                    "  add sp, sp, 16\n"
                                    "  ldp x29, x30, [sp], 32\n"
                                    "  ret\n");

/* Managed code that adds its arguments on the stack. */
ASSEMBLED ten_arguments adds_last;
__asm__(CAIRN_ENTRY_STRING(adds_last) "  ldp x0, x1, [sp]\n  add x0, x0, x1\n  ret\n");

static void stack_arguments(void **state)
{
  (void)state;
  assert_int_equal(passing(ten, 4), 45);
  assert_int_equal(passing(adds_last, 4), 9);
  assert_int_equal(adds_last(1, 2, 3, 4, 5, 6, 7, 8, 30, 12), 42);
}

/* ---- frame records ---- */

static uintptr_t record_pc;

/* The stub's record is that of the frame below its C function's. */
static void follow_records(void)
{
  const uintptr_t *record = __builtin_frame_address(0);

  for (int i = 0; i < 64 && record != NULL && record_pc == 0; i++, record = (const uintptr_t *)record[0])
    if (record[1] == (uintptr_t)preserved_return)
      record_pc = record[1];
}

static void records_pass_stubs(void **state)
{
  struct file before = fill(), after;

  (void)state;
  before.gpr[29] = (uintptr_t)__builtin_frame_address(0);
  collect_everywhere(follow_records);
  preserved(&before, &after, cairn_poll_slow);
  collect_everywhere(NULL);
  assert_int_equal(record_pc, (uintptr_t)preserved_return);
}

#define PORT_TESTS \
  cmocka_unit_test(vectors_survive), cmocka_unit_test(control_registers_survive), cmocka_unit_test(stack_arguments), \
      cmocka_unit_test(records_pass_stubs)

#endif
