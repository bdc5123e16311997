/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/frames/live_operands.ll: it finds what it was given among its caller's roots,
 * collects, and reads the root again.
 */
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <stdio.h>

void use(long *object);
void collect(void); /* managed */

struct search {
  uintptr_t object;
  uintptr_t *slot;
};

static void find(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct search *search = env;

  (void)parameter;
  if (tag == CAIRN_ROOT_DEFAULT && *slot == search->object)
    search->slot = slot;
}

/* A slot of the caller's frame, or where the callee of it keeps a register: both stay while this
 * function runs. */
void use(long *object)
{
  struct search search = {(uintptr_t)object, NULL};
  struct cairn_stack_iterator it;

  cairn_stack_youngest(&it);
  cairn_stack_enumerate(&it, find, &search);
  if (!search.slot) {
    puts("not listed");
    return;
  }
  collect();
  printf("moved: %d, value %ld\n", *search.slot != search.object, *(long *)*search.slot);
}
