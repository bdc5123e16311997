/* SPDX-License-Identifier: Apache-2.0
 *
 * Narrow results of pending calls and of activations that are left, arguments on the stack, and frames of a size that
 * is known when they run (Inputs/results.ll). Wrong: another result; another stack pointer in the caller.
 */
// DEFINE: %{options} = -O2
// DEFINE: %{run} = %cairn-cc %{options} -w -I%root/include %s %S/Inputs/results.ll -o %t && %t && env CAIRN_STRESS=1 %t
// RUN: %{run}
// REDEFINE: %{options} = -O0
// RUN: %{run}
// REDEFINE: %{options} = -O2 -fno-omit-frame-pointer -static
// RUN: %{run}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

/* Inputs/results.ll */
cairn_managed_function signed char narrow(long n);
cairn_managed_function float single(long n);
cairn_managed_function long stacked(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);

static long states;

static void expect(int good, const char *what)
{
  if (good)
    return;
  printf("wrong: %s\n", what);
  exit(1);
}

/* The result of the pending call is as wide as its type: other bits are arbitrary. */
static signed char continue_narrow(struct cairn_deopt_state managed *state)
{
  states++;
  return (signed char)((signed char)cairn_deopt_state_word(state, CAIRN_DEOPT_STATE_RESULT) * 2);
}

static float float_of(unsigned long word)
{
  unsigned bits = (unsigned)word;
  float number;

  memcpy(&number, &bits, sizeof number);
  return number;
}

static float continue_single(struct cairn_deopt_state managed *state)
{
  states++;
  return float_of(cairn_deopt_state_word(state, CAIRN_DEOPT_STATE_RESULT)) * 2;
}

static long continue_stacked(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  long sum = 0;

  states++;
  for (uint32_t i = 0; i < 10; i++)
    sum = 10 * sum + cairn_deopt_state_integer(state, first + i) % 10;
  if (cairn_deopt_state_index(state, 0) == 1)
    expect((signed char)cairn_deopt_state_word(state, CAIRN_DEOPT_STATE_RESULT) == -5, "the byte");
  cairn_collect();
  return sum;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)index;
  return function == 0   ? (const void *)continue_narrow
         : function == 1 ? (const void *)continue_single
                         : (const void *)continue_stacked;
}

/* ---- callees ---- */

cairn_unmanaged static void invalidate(const void *function)
{
  uintptr_t address = (uintptr_t)function;
  size_t marked = 0;

  if (cairn_deopt_invalidate(&address, 1, 9, &marked, NULL) != CAIRN_OK)
    exit(1);
}

signed char gives_byte(long n)
{
  invalidate(narrow);
  invalidate(stacked);
  cairn_new_array(long, 10);
  return -5;
}

float gives_float(long n)
{
  invalidate(single);
  cairn_new_array(long, 10);
  return 1.25f * n;
}

cairn_unmanaged void fills(char *room, long bytes)
{
  memset(room, 'x', (size_t)bytes);
}

/* ---- the program ---- */

cairn_unmanaged static void add_language(void)
{
  static const struct cairn_deopt_language language = {.name = "four", .continuation = find_continuation};

  if (cairn_deopt_add_language(4, &language) != CAIRN_OK)
    exit(1);
}

/* Its own locals lie around the arguments. */
__attribute__((noinline)) static void call_stacked(long n)
{
  long volatile before = n, room[20], after = n + 1;

  for (int i = 0; i < 20; i++)
    room[i] = n * i;
  expect(stacked(1001 + n * 10, 2, 3, 4, 5, 6, 7, 8, 9, n % 2) == 1234567890 + n % 2, "a sum");
  for (int i = 0; i < 20; i++)
    expect(room[i] == n * i, "a local");
  expect(before == n && after == n + 1, "another local");
}

int main(void)
{
  add_language();
  for (long n = 0; n < 40; n++) {
    expect(narrow(n) == -10, "a byte");
    expect(single(n) == 2.5f * n, "a float");
    call_stacked(n);
  }
  expect(states == 120, "the number of states");
  return 0;
}
