/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers at stubs: a call with known contents in all registers, as the handler sees them and as they are after it;
 * and signals between any two instructions. What would go wrong: a register that the handler does not see, or that code
 * after a point has lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <unwind.h>
#include "unit/patch/call_stub.h"

static struct registers want; /* as the handler left them */
static struct cairn_point_state seen;
static unsigned scribbles;

/* ---- handlers ---- */

static void leave_vectors(struct cairn_point_state *state)
{
  memset(want.vector, 0, sizeof want.vector);
  memset(want.mask, 0, sizeof want.mask);
  for (unsigned i = 0; i < state->vector_count; i++) {
    fill(state->vector[i], state->vector_bytes);
    memcpy(want.vector[i], state->vector[i], state->vector_bytes);
  }
  if (level == AVX512) {
    fill(state->mask, sizeof state->mask);
    memcpy(want.mask, state->mask, sizeof want.mask);
  }
}

/* Sees all, and changes all. */
static uintptr_t change_everything(struct cairn_point_state *state)
{
  seen = *state;
  for (int i = 0; i < 16; i++)
    if (i != SP)
      state->general[i] = draw();
  memcpy(want.general, state->general, sizeof want.general);
  state->flags ^= TOLD;
  want.flags = state->flags;
  leave_vectors(state);
  dirty_everything();
  return state->resume;
}

static uintptr_t go_elsewhere(struct cairn_point_state *state)
{
  seen = *state;
  state->general[SP] += 8;
  state->general[0] = 77;
  return (uintptr_t)call_stub_elsewhere;
}

/* Reads callee-saved registers in the frame of the code with the call. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *env)
{
  static const int callee_saved[] = {3, 6, 12, 13, 14, 15};
  bool *found = env;

  if (_Unwind_GetIP(context) != seen.resume)
    return _URC_NO_REASON;
  for (size_t i = 0; i < sizeof callee_saved / sizeof *callee_saved; i++)
    assert_int_equal(_Unwind_GetGR(context, callee_saved[i]), before.general[callee_saved[i]]);
  *found = true;
  return _URC_END_OF_STACK;
}

static uintptr_t unwind(struct cairn_point_state *state)
{
  seen = *state;
  _Unwind_Backtrace(visit_frame, state->data);
  return state->resume;
}

/* ---- registers ---- */

static void assert_seen(void)
{
  assert_memory_equal(seen.general, before.general, sizeof before.general);
  assert_int_equal(seen.flags & TOLD, before.flags & TOLD);
  assert_int_equal(seen.vector_bytes, vector_bytes());
  assert_int_equal(seen.vector_count, level == AVX512 ? 32 : 16);
  for (unsigned i = 0; i < seen.vector_count; i++)
    assert_memory_equal(seen.vector[i], before.vector[i], seen.vector_bytes);
  if (level == AVX512)
    assert_memory_equal(seen.mask, before.mask, sizeof seen.mask);
}

static void assert_left(void)
{
  assert_memory_equal(after.general, want.general, sizeof want.general);
  assert_int_equal(after.flags & TOLD, want.flags & TOLD);
  assert_int_equal(after.mxcsr, before.mxcsr);
  assert_true(after.x87 == before.x87);
  for (unsigned i = 0; i < seen.vector_count; i++)
    assert_memory_equal(after.vector[i], want.vector[i], seen.vector_bytes);
  if (level == AVX512)
    assert_memory_equal(after.mask, want.mask, sizeof want.mask);
}

static void each_register(void **state)
{
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);

  (void)state;
  for (int round = 0; round < 1000; round++) {
    fill_registers(&before);
    call(stub);
    assert_ptr_equal(seen.data, &want);
    assert_in_range(seen.resume, (uintptr_t)call_stub, (uintptr_t)call_stub + 2000);
    assert_seen();
    assert_left();
  }
  cairn_patch_stub_free(stub);
}

/* An unwinder that starts in the handler finds the caller and its registers. */
static void unwound(void **state)
{
  bool found = false;
  struct cairn_patch_stub *stub = new_stub(unwind, &found);

  (void)state;
  fill_registers(&before);
  call(stub);
  assert_true(found);
  cairn_patch_stub_free(stub);
}

static bool tells_use(void)
{
  unsigned a = 13, c = 1, b, d;

  __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return (a & 4) != 0;
}

enum { X87_COMPONENT = 1, VECTOR_COMPONENTS = 0xe4 }; /* the latter: AVX and AVX-512 */

/* Make the registers of the components unused. libc's functions for memory use those of AVX-512, too. */
static void reset_components(unsigned components)
{
  static _Alignas(64) unsigned char area[576];

  area[25] = 0x1f; /* MXCSR */
  area[24] = 0x80;
  __asm__ volatile("xrstor64 %0" : : "m"(area), "a"(components), "d"(0));
}

/* Then the stub leaves them alone. */
static void unused_x87(void **state)
{
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);

  (void)state;
  if (!tells_use())
    skip();
  for (int round = 0; round < 100; round++) {
    fill_registers(&before);
    before.without_x87 = after.without_x87 = 1;
    after.x87 = before.x87;
    reset_components(X87_COMPONENT);
    call(stub);
    assert_seen();
    assert_left();
  }
  before.without_x87 = after.without_x87 = 0;
  cairn_patch_stub_free(stub);
}

static bool uses_upper_halves(void)
{
  unsigned low, high;

  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (low & 4) != 0;
}

/* Upper halves that are unused before the call are unused after it, though the handler uses them. */
static void unused_upper_halves(void **state)
{
  unsigned all = level;

  (void)state;
  if (all == SSE || !tells_use())
    skip();
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);
  level = SSE;
  fill_registers(&before);
  reset_components(VECTOR_COMPONENTS);
  call(stub);
  assert_false(uses_upper_halves());
  assert_int_equal(seen.vector_bytes, 16);
  assert_seen();
  assert_left();
  level = all;
  cairn_patch_stub_free(stub);
}

static void elsewhere(void **state)
{
  struct cairn_patch_stub *stub = new_stub(go_elsewhere, NULL);

  (void)state;
  fill_registers(&before);
  call(stub);
  assert_int_equal(after.general[0], 77);
  assert_int_equal(after.general[SP], before.general[SP] + 8);
  assert_true(after.x87 == before.x87);
  cairn_patch_stub_free(stub);
}

static void vector_places(void **state)
{
  static struct cairn_point_state registers;

  (void)state;
  registers.vector_count = 16;
  for (unsigned reg = 0; reg < 200; reg++) {
    unsigned char *low = reg >= XMM0 && reg < XMM0 + 16 ? registers.vector[reg - XMM0] : NULL;
    assert_ptr_equal(cairn_point_state_vector(&registers, reg), low);
  }
  registers.vector_count = 32;
  assert_ptr_equal(cairn_point_state_vector(&registers, XMM16), registers.vector[16]);
  assert_ptr_equal(cairn_point_state_vector(&registers, XMM16 + 15), registers.vector[31]);
}

static uint64_t read_value(struct cairn_point_state *state, struct cairn_point_value value)
{
  uint64_t word = 0;

  assert_int_equal(cairn_point_state_read(state, &value, &word), CAIRN_OK);
  return word;
}

static void values_of_points(void **state)
{
  static struct cairn_point_state s = {.vector_count = 16, .vector_bytes = 16};
  uint64_t memory[3] = {1, 0xfedcba9876543210, 3}, word = 7;
  const struct cairn_point_value slot = {
      .place = CAIRN_POINT_MEMORY, .bits = 24, .reg = 6, .offset = 8 - 16, .value_class = CAIRN_POINT_INTEGER};
  const struct cairn_point_value reg = {.place = CAIRN_POINT_REGISTER, .bits = 64, .reg = 3};
  const struct cairn_point_value single = {.place = CAIRN_POINT_REGISTER, .bits = 32, .reg = XMM0 + 5};
  const struct cairn_point_value lost = {.place = CAIRN_POINT_REGISTER, .bits = 32, .reg = XMM16};
  const struct cairn_point_value local = {.place = CAIRN_POINT_ADDRESS, .bits = 64, .reg = 6, .offset = -4};
  const struct cairn_point_value one = {.place = CAIRN_POINT_CONSTANT, .bits = 1, .constant = UINT64_MAX};

  (void)state;
  s.general[6] = (uint64_t)(memory + 2);
  s.general[3] = 0x1122334455667788;
  memcpy(s.vector[5], "\x01\x02\x03\x04\x05", 5);
  assert_int_equal(read_value(&s, slot), 0x543210);
  assert_int_equal(read_value(&s, reg), 0x1122334455667788);
  assert_int_equal(read_value(&s, single), 0x04030201);
  assert_int_equal(read_value(&s, local), (uint64_t)(memory + 2) - 4);
  assert_int_equal(read_value(&s, one), 1);
  assert_int_equal(cairn_point_state_read(&s, &lost, &word), CAIRN_E_REGISTER);
  assert_int_equal(word, 7);
  assert_int_equal(cairn_point_state_write(&s, &slot, 0xaaaaaaaaaa), CAIRN_OK);
  assert_int_equal(memory[1], 0xfedcba9876aaaaaa);
  assert_int_equal(cairn_point_state_write(&s, &reg, 9), CAIRN_OK);
  assert_int_equal(s.general[3], 9);
  assert_int_equal(cairn_point_state_write(&s, &single, 0), CAIRN_OK);
  assert_memory_equal(s.vector[5], "\0\0\0\0\x05", 5);
  assert_int_equal(cairn_point_state_write(&s, &lost, 1), CAIRN_E_REGISTER);
  assert_int_equal(cairn_point_state_write(&s, &local, 1), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_point_state_write(&s, &one, 1), CAIRN_E_BOUNDS);
}

/* ---- signals ---- */

/* The kernel's frame lies below the stack pointer, so that this handler overwrites what is kept there. */
static void scribble(int number, siginfo_t *info, void *context)
{
  volatile unsigned char below[2000];

  (void)number;
  (void)info;
  (void)context;
  memset((void *)below, 0xee, sizeof below);
  scribbles++;
}

static void signals_at_each_instruction(void **state)
{
  struct sigaction action = {.sa_sigaction = scribble, .sa_flags = SA_SIGINFO}, old;
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);

  (void)state;
  assert_int_equal(sigaction(SIGTRAP, &action, &old), 0);
  fill_registers(&before);
  before.flags |= TRAP;
  call(stub);
  before.flags &= ~(uint64_t)TRAP;
  sigaction(SIGTRAP, &old, NULL);
  assert_true(scribbles > 300);
  assert_seen();
  assert_left();
  cairn_patch_stub_free(stub);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_register),    cmocka_unit_test(unused_upper_halves),
      cmocka_unit_test(unused_x87),       cmocka_unit_test(elsewhere),
      cmocka_unit_test(unwound),          cmocka_unit_test(vector_places),
      cmocka_unit_test(values_of_points), cmocka_unit_test(signals_at_each_instruction),
  };

  find_level();
  return cmocka_run_group_tests(tests, NULL, NULL);
}
