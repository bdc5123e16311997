/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules of a session that are invalidated, replaced and removed while an activation of theirs waits. The modules have
 * the same addresses in turn, and other records each time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/jit.h>
#include "../../jit/Inputs/check.h"

struct object {
  long value;
};
typedef struct object managed *ref;

static struct cairn_jit *session;
static uint64_t module;
static long round_number, states;

/* ---- modules ---- */

/* A function with the record (function 1, index `number`, locals number, %n, %o), whose call gives a reference; it adds
 * `number` to the result's value. */
cairn_unmanaged static void write_module(char *text, size_t size, long number)
{
  snprintf(text, size,
           "declare ptr addrspace(1) @meanwhile(i64, ptr addrspace(1))\n"
           "define i64 @f(i64 %%n, ptr addrspace(1) %%o) gc \"statepoint-example\" {\n"
           "  %%r = call ptr addrspace(1) @meanwhile(i64 %%n, ptr addrspace(1) %%o) [ "
            "\"deopt\"(i64 4847652539576877065,"
           " i64 196614, i64 1, i64 %ld, i64 3, i64 0, i64 %ld, i64 %%n, ptr addrspace(1) %%o) ]\n"
           "  %%v = load i64, ptr addrspace(1) %%r\n"
           "  %%s = add i64 %%v, %ld\n"
           "  ret i64 %%s\n"
           "}\n",
           number, 1000 + number, number);
}

cairn_unmanaged static void add_module(long number)
{
  char text[1000], *error = NULL;

  write_module(text, sizeof text, number);
  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
}

cairn_unmanaged static void *find(void)
{
  void *address;
  char *error = NULL;

  check(cairn_jit_look_up(session, "f", &address, &error), error);
  return address;
}

/* ---- meanwhile ---- */

cairn_unmanaged static void invalidate(void)
{
  struct cairn_deopt_failure failure;
  uintptr_t code;
  size_t marked;
  char *error = NULL;
  uintptr_t entry = (uintptr_t)find();

  if (cairn_deopt_invalidate(&entry, 1, 77, &marked, &failure) != CAIRN_E_UNKNOWN)
    check(CAIRN_E_UNKNOWN, "an entry is taken for code");
  check(cairn_jit_find_code(session, "f", &code, &error), error);
  check(cairn_deopt_invalidate(&code, 1, 77, &marked, &failure), failure.text);
  if (marked != 1)
    check(CAIRN_E_COUNT, "not one activation was marked");
}

cairn_unmanaged static void replace(void)
{
  char text[1000], *error = NULL;

  write_module(text, sizeof text, 500 + round_number);
  check(cairn_jit_replace_ir(session, "f", text, strlen(text), &module, &error), error);
}

cairn_unmanaged static void remove_module(bool waits)
{
  char *error = NULL;

  check(cairn_jit_remove(session, module, &error), error);
  if (cairn_jit_pending(session, NULL, NULL) != waits)
    check(CAIRN_E_COUNT, "another number of modules is left");
}

/* Called by the function: round by round it is left alone, invalidated, invalidated and removed, or invalidated and
 * replaced. */
ref meanwhile(long n, ref o)
{
  ref result = cairn_new(struct object);

  result->value = o->value + n;
  if (n == 0)
    return result;
  if (round_number % 4 != 0)
    invalidate();
  if (round_number % 4 == 2)
    remove_module(true);
  if (round_number % 4 == 3)
    replace();
  cairn_collect();
  return result;
}

static long continue_f(struct cairn_deopt_state managed *state)
{
  uint32_t first = cairn_deopt_state_first(state, 0);
  long number = cairn_deopt_state_index(state, 0);

  states++;
  if (state->reason != 77 || cairn_deopt_state_integer(state, first) != 1000 + number ||
      cairn_deopt_state_integer(state, first + 1) != 3 ||
      ((ref)cairn_deopt_state_reference(state, first + 2))->value != 7 * round_number)
    check(CAIRN_E_RECORD, "another state");
  return ((ref)cairn_deopt_state_reference(state, CAIRN_DEOPT_STATE_RESULT))->value + number;
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)index;
  return function == 1 ? continue_f : NULL;
}

/* ---- the program ---- */

static void play_round(void)
{
  ref o = cairn_new(struct object);
  long (*f)(long, ref) = (long (*)(long, ref))find();
  long before = states;

  o->value = 7 * round_number;
  if (f(3, o) != o->value + 3 + round_number)
    check(CAIRN_E_VALUE, "another result");
  if (states - before != (round_number % 4 != 0))
    check(CAIRN_E_COUNT, "another number of states");
  if (round_number % 4 == 3 && ((long (*)(long, ref))find())(0, o) != o->value + 500 + round_number)
    check(CAIRN_E_VALUE, "another result of the new version");
}

cairn_unmanaged static void begin(void)
{
  static const struct cairn_deopt_language language = {.name = "six", .continuation = find_continuation};
  char *error = NULL;

  check(cairn_deopt_add_language(6, &language), "a language");
  check(cairn_jit_new(NULL, &session, &error), error);
}

int main(int count, char **arguments)
{
  begin();
  for (long rounds = atol(arguments[count - 1]); round_number < rounds; round_number++) {
    add_module(round_number);
    play_round();
    if (round_number % 4 != 2)
      remove_module(false);
    else if (cairn_jit_pending(session, NULL, NULL) != 0)
      check(CAIRN_E_COUNT, "the removed module is left");
  }
  printf("%ld states\n", states);
  cairn_jit_dispose(session);
  return 0;
}
