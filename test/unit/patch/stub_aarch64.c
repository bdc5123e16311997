/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers at stubs of AArch64: a call with known contents in all registers, as the handler sees them and as they are
 * after it; and signals meanwhile. What would go wrong: a register that the handler does not see, or that code after a
 * point has lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unwind.h>
#include "unit/patch/call_stub.h"

static struct registers want; /* as the handler left them */
static struct cairn_point_state seen;

/* ---- handlers ---- */

/* Sees all, and changes all. */
static uintptr_t change_everything(struct cairn_point_state *state)
{
  seen = *state;
  for (int i = 0; i < SP; i++)
    state->general[i] = draw();
  memcpy(want.general, state->general, sizeof want.general);
  want.flags = state->flags ^= TOLD;
  fill(state->vector, sizeof state->vector);
  memcpy(want.vector, state->vector, sizeof want.vector);
  dirty_everything();
  return state->resume;
}

static uintptr_t go_elsewhere(struct cairn_point_state *state)
{
  seen = *state;
  state->general[SP] += 16;
  state->general[0] = 77;
  return (uintptr_t)call_stub_elsewhere;
}

/* Reads callee-saved registers in the frame of the code with the call. */
static _Unwind_Reason_Code visit_frame(struct _Unwind_Context *context, void *env)
{
  bool *found = env;

  if (_Unwind_GetIP(context) != seen.resume)
    return _URC_NO_REASON;
  for (int i = 19; i <= 29; i++)
    assert_int_equal(_Unwind_GetGR(context, i), before.general[i]);
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
  for (unsigned i = 0; i <= SP; i++)
    if (has_value(i))
      assert_int_equal(seen.general[i], before.general[i]);
  assert_int_equal(seen.flags & TOLD, before.flags & TOLD);
  assert_int_equal(seen.vector_bytes, 16);
  assert_int_equal(seen.vector_count, 32);
  assert_memory_equal(seen.vector, before.vector, sizeof seen.vector);
}

static void assert_left(void)
{
  for (unsigned i = 0; i <= SP; i++)
    if (has_value(i))
      assert_int_equal(after.general[i], want.general[i]);
  assert_int_equal(after.flags & TOLD, want.flags & TOLD);
  assert_int_equal(after.fpcr, before.fpcr);
  assert_memory_equal(after.vector, want.vector, sizeof want.vector);
}

static void each_register(void **state)
{
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);

  (void)state;
  for (int round = 0; round < 1000; round++) {
    fill_registers(&before);
    call(stub);
    assert_ptr_equal(seen.data, &want);
    assert_in_range(seen.resume, (uintptr_t)call_stub, (uintptr_t)call_stub + 1000);
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

static void elsewhere(void **state)
{
  struct cairn_patch_stub *stub = new_stub(go_elsewhere, NULL);

  (void)state;
  if (!cn_arch_may_replace_returns())
    skip();
  fill_registers(&before);
  call(stub);
  assert_int_equal(after.general[0], 77);
  assert_int_equal(after.general[SP], before.general[SP] + 16);
  assert_int_equal(after.fpcr, before.fpcr);
  cairn_patch_stub_free(stub);
}

static void vector_places(void **state)
{
  static struct cairn_point_state registers = {.vector_count = 32};

  (void)state;
  for (unsigned reg = 0; reg < 200; reg++)
    assert_ptr_equal(cairn_point_state_vector(&registers, reg),
                     reg >= V0 && reg < V0 + 32 ? registers.vector[reg - V0] : NULL);
}

static uint64_t read_value(struct cairn_point_state *state, struct cairn_point_value value)
{
  uint64_t word = 0;

  assert_int_equal(cairn_point_state_read(state, &value, &word), CAIRN_OK);
  return word;
}

static void values_of_points(void **state)
{
  static struct cairn_point_state s = {.vector_count = 32, .vector_bytes = 16};
  uint64_t memory[3] = {1, 0xfedcba9876543210, 3};
  const struct cairn_point_value slot = {.place = CAIRN_POINT_MEMORY, .bits = 24, .reg = SP, .offset = 8};
  const struct cairn_point_value reg = {.place = CAIRN_POINT_REGISTER, .bits = 64, .reg = 28};
  const struct cairn_point_value single = {.place = CAIRN_POINT_REGISTER, .bits = 32, .reg = V0 + 5};
  const struct cairn_point_value local = {.place = CAIRN_POINT_ADDRESS, .bits = 64, .reg = 29, .offset = -4};

  (void)state;
  s.general[SP] = (uint64_t)memory;
  s.general[29] = 100;
  s.general[28] = 0x1122334455667788;
  memcpy(s.vector[5], "\x01\x02\x03\x04\x05", 5);
  assert_int_equal(read_value(&s, slot), 0x543210);
  assert_int_equal(read_value(&s, reg), 0x1122334455667788);
  assert_int_equal(read_value(&s, single), 0x04030201);
  assert_int_equal(read_value(&s, local), 96);
  assert_int_equal(cairn_point_state_write(&s, &slot, 0xaaaaaaaaaa), CAIRN_OK);
  assert_int_equal(memory[1], 0xfedcba9876aaaaaa);
  assert_int_equal(cairn_point_state_write(&s, &single, 0), CAIRN_OK);
  assert_memory_equal(s.vector[5], "\0\0\0\0\x05", 5);
  assert_int_equal(cairn_point_state_write(&s, &local, 1), CAIRN_E_BOUNDS);
}

/* ---- signals ---- */

static atomic_bool signals_end;
static volatile sig_atomic_t scribbles;

/* The kernel's frame lies below the stack pointer, so that this handler overwrites what is kept there. */
static void scribble(int number)
{
  volatile unsigned char below[2000];

  (void)number;
  memset((void *)below, 0xee, sizeof below);
  scribbles++;
}

static void *send_signals(void *thread)
{
  while (!atomic_load(&signals_end))
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
  return NULL;
}

static void signals(void **state)
{
  enum { LEAST = 300 };
  struct sigaction action = {.sa_handler = scribble}, old;
  struct cairn_patch_stub *stub = new_stub(change_everything, &want);
  pthread_t self = pthread_self(), sender;

  (void)state;
  assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
  assert_int_equal(pthread_create(&sender, NULL, send_signals, &self), 0);
  while (scribbles < LEAST) {
    fill_registers(&before);
    call(stub);
    assert_seen();
    assert_left();
  }
  atomic_store(&signals_end, true);
  assert_int_equal(pthread_join(sender, NULL), 0);
  sigaction(SIGUSR1, &old, NULL);
  cairn_patch_stub_free(stub);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_register), cmocka_unit_test(unwound),          cmocka_unit_test(elsewhere),
      cmocka_unit_test(vector_places), cmocka_unit_test(values_of_points), cmocka_unit_test(signals),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
