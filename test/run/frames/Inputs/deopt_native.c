/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/frames/deopt_values.ll: a deoptimiser that only looks. There is no call of
 * the runtime's for deopt values: it reads section cairn_details by the reader that the runtime has
 * for the rest of it, and takes registers and stack from the iterator.
 */
#include <cairn/cairn.h>
#include <cairn/stack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "framemap/details.h"

void remember(uintptr_t reference);
void look(const char *where);

extern const unsigned char __start_cairn_details[], __stop_cairn_details[];
static uintptr_t before;

void remember(uintptr_t reference)
{
  before = reference;
}

static uintptr_t read_value(const struct cairn_stack_state *state, const struct cn_deopt_value *d)
{
  uintptr_t base = d->loc.reg == 7 ? state->sp : 0, value = 0;

  if (d->kind == CN_DEOPT_CONSTANT)
    return d->constant;
  if (d->loc.reg != 7 && !state->reg[d->loc.reg]) {
    printf("register %u is lost\n", d->loc.reg);
    exit(1);
  }
  if (d->loc.reg != 7)
    base = *state->reg[d->loc.reg];
  if (d->loc.is_register)
    return base;
  base += (uintptr_t)d->loc.offset;
  if (d->kind == CN_DEOPT_ADDRESS)
    return base;
  memcpy(&value, (const void *)base, d->size);
  return value;
}

/* The values of the youngest activation: a number, a constant, a reference, one derived from it,
 * null, the address of a local. */
void look(const char *where)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;
  struct cn_details_function function = {0};
  struct cn_details details;
  struct cn_deopt_value d;
  uintptr_t value[6];
  unsigned count = 0;

  cairn_collect();
  cairn_stack_youngest(&it);
  cairn_stack_get(&it, &state);
  uintptr_t pc = cairn_stack_ip(&it);
  const unsigned char *cursor = __start_cairn_details;
  while (cn_details_next_function(&cursor, __stop_cairn_details, &function) == CN_FRAMEMAP_OK &&
         pc - 1 - function.entry >= function.code_size)
    continue;
  if (cn_details_find(&function, (uint32_t)(pc - function.entry), &details)) {
    printf("%s: no details\n", where);
    exit(1);
  }
  while (count < 6 && !cn_details_next_deopt(&details, &d))
    value[count++] = read_value(&state, &d);
  printf("%s: %u values: %ld, %ld, object %ld, field %ld, null %lu, local %ld, %s\n", where, count,
         (long)value[0], (long)(int32_t)value[1], *(long *)value[2], *(long *)value[3],
         (unsigned long)value[4], *(long *)value[5],
         value[2] != before && value[3] == value[2] + 8 ? "moved" : "not moved");
}
