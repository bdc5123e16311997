/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/deopt/values.ll: reads the operands of the youngest activation after a collection.
 */
#include <cairn/cairn.h>
#include <cairn/deopt.h>
#include <cairn/thread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void remember(uintptr_t reference);
void look(const char *where);

static uintptr_t before;

void remember(uintptr_t reference)
{
  before = reference;
}

static void expect(enum cairn_status status, enum cairn_status expected, const char *what)
{
  if (status == expected)
    return;
  printf("%s: %s\n", what, cairn_status_text(status));
  exit(1);
}

static long signed_word(const struct cairn_deopt_value *value)
{
  return (long)(value->word[0] << (64 - value->bits)) >> (64 - value->bits);
}

/* A number, a constant, a reference, one derived from it, null, the address of a local. Collections wait during the
 * operation. */
static void read_activation(int thread, void *env)
{
  const char *where = env;
  struct cairn_stack_iterator it;
  struct cairn_deopt_value v[6], unchanged = {.bits = 99};
  uint32_t count = 0;

  expect(cairn_stack_of_thread(&it, thread), CAIRN_OK, "the thread's stack");
  expect(cairn_deopt_count(&it, &count), CAIRN_OK, "count");
  for (uint32_t i = 0; i < count && i < 6; i++)
    expect(cairn_deopt_read(&it, i, &v[i]), CAIRN_OK, "read");
  printf("%s: %u values: %ld, %ld, object %ld, field %ld, null %lu, local %ld, %s\n", where, count, signed_word(&v[0]),
         signed_word(&v[1]), *(long *)v[2].word[0], *(long *)v[3].word[0], (unsigned long)v[4].word[0],
         *(long *)v[5].word[0],
         v[2].word[0] != before && v[3].word[0] == v[2].word[0] + 8 && v[2].base == v[2].word[0] &&
                 v[3].base == v[2].word[0]
             ? "moved"
             : "not moved");
  if (v[2].value_class != CAIRN_DEOPT_REFERENCE || v[3].value_class != CAIRN_DEOPT_REFERENCE ||
      v[5].value_class != CAIRN_DEOPT_LOCAL)
    printf("classes %d %d %d\n", v[2].value_class, v[3].value_class, v[5].value_class);
  expect(cairn_deopt_read(&it, 6, &unchanged), CAIRN_E_BOUNDS, "a seventh value");
  expect(cairn_deopt_frames(&it, &count), CAIRN_E_PLAIN, "frames of plain operands");
  expect(cairn_deopt_check(&it, NULL), CAIRN_E_PLAIN, "check of plain operands");
  cairn_stack_next(&it); /* main(), whose call has no operands */
  expect(cairn_deopt_read(&it, 0, &unchanged), CAIRN_E_UNKNOWN, "main()");
  while (!cairn_stack_past_end(&it))
    cairn_stack_next(&it);
  expect(cairn_deopt_count(&it, &count), CAIRN_E_UNKNOWN, "past the end");
  if (count != 6 || unchanged.bits != 99)
    printf("a failure changes its result\n");
}

void look(const char *where)
{
  cairn_collect();
  expect(cairn_handshake(gettid(), read_activation, (void *)where, CAIRN_ASK_FOREVER), CAIRN_OK, "a handshake");
}
