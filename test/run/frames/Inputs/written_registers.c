/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/frames/written_registers.c.
 */
#include <cairn/stack.h>
#include "../../Inputs/registers.h"

long call_native(long (*function)(long), long n);
long write_registers(long low, long high, long more);

long call_native(long (*function)(long), long n)
{
  long own = n * 3;

  return function(n) + own - n * 3;
}

/* Add to what is in [low, high), in whichever callee-saved register of any activation. One place may
 * be several activations'. */
long write_registers(long low, long high, long more)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;
  long written = 0;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it)) {
    cairn_stack_get(&it, &state);
    for (int i = 0; i < KEPT_REGISTERS; i++) {
      long *value = (long *)state.reg[kept_registers[i]];
      if (value && *value >= low && *value < high) {
        *value += more;
        written++;
      }
    }
  }
  return written;
}
