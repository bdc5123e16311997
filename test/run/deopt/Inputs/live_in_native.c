/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/live_in.ll.
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <stdio.h>

void look(long unused, int which);
long plain(long n, long m, double x);
long record(long n, long m, double x);
long kept(long n);

static const void *find_continuation(uint64_t function, uint64_t index)
{
  (void)function;
  (void)index;
  return (const void *)kept;
}

static void print_check(const struct cairn_stack_iterator *it)
{
  struct cairn_deopt_failure failure;
  enum cairn_status status = cairn_deopt_check(it, &failure);

  if (status == CAIRN_E_LOST && failure.status == status)
    printf(": LOST at operand %ld", (long)failure.operand);
  else
    printf(": %s", status == CAIRN_OK ? "OK" : cairn_status_text(status));
}

void look(long unused, int which)
{
  static const char *const names[] = {"plain", "record", "kept"};
  struct cairn_stack_iterator it;
  struct cairn_deopt_value value;

  (void)unused;
  cairn_stack_youngest(&it);
  printf("%s:", names[which]);
  for (uint32_t i = which == 0 ? 0 : 6; cairn_deopt_read(&it, i, &value) == CAIRN_OK; i++)
    if (value.value_class == CAIRN_DEOPT_LOST)
      printf(" lost");
    else
      printf(" %ld", (long)value.word[0]);
  if (which != 0)
    print_check(&it);
  printf("\n");
}

int main(void)
{
  static const struct cairn_deopt_language language = {.name = "one", .continuation = find_continuation};

  if (cairn_deopt_add_language(1, &language) != CAIRN_OK)
    return 1;
  plain(7, 3, 2.5);
  record(7, 3, 2.5);
  kept(7);
  return 0;
}
