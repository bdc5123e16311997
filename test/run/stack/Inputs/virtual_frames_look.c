/* SPDX-License-Identifier: Apache-2.0 */
#include <cairn/stack.h>
#include <stdio.h>
#include <string.h>

void look(void);

static void count(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  (void)slot;
  (void)tag;
  (void)parameter;
  ++*(int *)env;
}

void look(void)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next_virtual(&it)) {
    char text[200];
    int roots = 0;
    cairn_stack_get(&it, &state);
    cairn_stack_describe(&it, text, sizeof text);
    cairn_stack_enumerate(&it, count, &roots);
    const char *name = strrchr(text, '/') ? strrchr(text, '/') + 1 : text;
    printf("%u: %.*s %s, roots %d, spans", state.virtual_frame, (int)strcspn(text, " "), text, name,
           roots);
    for (uint64_t key = 1; key <= 3; key++) {
      uintptr_t value;
      if (cairn_stack_span(&it, key, &value))
        printf(" %lu", (unsigned long)value);
      else
        printf(" -");
    }
    printf("\n");
  }
  fflush(stdout);
}
