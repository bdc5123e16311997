/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/young/young_user_roots.c: a language whose words are references shifted to the
 * left, with the root's parameter below.
 */
#include <cairn/collector.h>
#include <cairn/stack.h>

enum { SHIFT = 4, PARAMETER = 9 };

void word_set(uintptr_t *word, uintptr_t reference);
uintptr_t word_get(const uintptr_t *word);

void word_set(uintptr_t *word, uintptr_t reference)
{
  *word = reference << SHIFT | PARAMETER;
}

uintptr_t word_get(const uintptr_t *word)
{
  return *word >> SHIFT;
}

static void handle(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                   void *visit_env)
{
  uintptr_t reference = word_get(root);

  if (tag != CAIRN_ROOT_USER + 3 || (uintptr_t)parameter != PARAMETER)
    cairn_fatal("tag %u, parameter %p", tag, parameter);
  if (*root == 0)
    return;
  visit(visit_env, (struct cairn_slot){&reference});
  word_set(root, reference);
}

__attribute__((constructor)) static void start(void)
{
  cairn_set_user_roots(handle);
}
