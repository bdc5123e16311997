/* SPDX-License-Identifier: Apache-2.0
 *
 * A language whose interpreter takes over from compiled code (docs/deopt.md). deopt.ll is the compiled code;
 * `cairn-cc -O2 deopt.c deopt.ll -o deopt` makes the program.
 *
 *   deopt                  prints totals, and the places where the interpreter continued
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/deopt.h>

struct item {
  struct item managed *next;
  long value;
};

enum { LANGUAGE = 1, TOTAL = 1, AFTER_VISIT = 1, REASON_BONUS = 2 };

long total(struct item managed *list);
long visit(long value);

static long bonus, bonus_at;

/* ---- the interpreter ---- */

/* The function as the language means it, from the head of its loop. */
static long interpret(struct item managed *list, long sum)
{
  for (; list; list = list->next)
    sum += bonus + visit(list->value < 0 ? -list->value : list->value);
  return sum;
}

static long continue_total(struct cairn_deopt_state managed *state)
{
  uint32_t local = cairn_deopt_state_first(state, 0);
  struct item managed *list = cairn_deopt_state_reference(state, local);
  long sum = cairn_deopt_state_integer(state, local + 1);

  printf("continued at %lu with sum %ld, reason %lu\n", (unsigned long)cairn_deopt_state_index(state, 0), sum,
         (unsigned long)state->reason);
  if (cairn_deopt_state_index(state, 0) == AFTER_VISIT) {
    sum += (long)cairn_deopt_state_word(state, CAIRN_DEOPT_STATE_RESULT);
    list = list->next;
  }
  return interpret(list, sum);
}

cairn_unmanaged static const void *find_continuation(uint64_t function, uint64_t index)
{
  return function == TOTAL && index <= AFTER_VISIT ? continue_total : NULL;
}

static const struct cairn_deopt_language language = {.name = "totals", .continuation = find_continuation};

/* ---- the program ---- */

/* From now on activations of total() must not go on. */
cairn_unmanaged static void begin_bonus(void)
{
  const uintptr_t functions[] = {(uintptr_t)total};
  struct cairn_deopt_failure failure;
  size_t marked;

  bonus = 100;
  if (cairn_deopt_invalidate(functions, 1, REASON_BONUS, &marked, &failure) != CAIRN_OK) {
    fprintf(stderr, "%s\n", failure.text);
    exit(1);
  }
  printf("invalidated %zu\n", marked);
}

long visit(long value)
{
  if (value == bonus_at)
    begin_bonus();
  return value;
}

static struct item managed *make_list(long count, long negative)
{
  struct item managed *list = NULL;

  for (long i = count; i > 0; i--) {
    struct item managed *item = cairn_new(struct item);
    item->value = i == negative ? -i : i;
    item->next = list;
    list = item;
  }
  return list;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: deopt    prints totals") < 0;
  if (cairn_deopt_add_language(LANGUAGE, &language) != CAIRN_OK)
    return 1;
  printf("total %ld\n", total(make_list(5, 0)));
  printf("total with a negative value %ld\n", total(make_list(5, 4)));
  bonus_at = 3;
  printf("total with a bonus %ld\n", total(make_list(5, 0)));
  return 0;
}
