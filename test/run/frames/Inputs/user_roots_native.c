/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/frames/user_roots.ll: a language whose words are references with two bits in
 * them, the parameter of the root.
 */
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <stdio.h>
#include <stdlib.h>

void word_set(uintptr_t *word, void *reference, uintptr_t bits);
void *word_get(const uintptr_t *word);
void count(void);

static unsigned long shown;

static void handle(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                   void *visit_env)
{
  uintptr_t reference = *root & ~(uintptr_t)3;

  if (tag != CAIRN_ROOT_USER + 1 || (*root & 3) != (*root ? (uintptr_t)parameter : 0)) {
    printf("tag %u, parameter %lu, word %lx\n", tag, (unsigned long)(uintptr_t)parameter,
           (unsigned long)*root);
    exit(1);
  }
  shown++;
  if (reference == 0)
    return;
  visit(visit_env, (struct cairn_slot){&reference});
  *root = reference | (uintptr_t)parameter;
}

__attribute__((constructor)) static void start(void)
{
  if (!getenv("NO_HANDLER"))
    cairn_set_user_roots(handle);
}

void word_set(uintptr_t *word, void *reference, uintptr_t bits)
{
  *word = (uintptr_t)reference | bits;
}

void *word_get(const uintptr_t *word)
{
  return (void *)(*word & ~(uintptr_t)3);
}

static void count_one(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  (void)slot;
  if (tag > CAIRN_ROOT_USER)
    *(unsigned long *)env += (uintptr_t)parameter;
}

/* What an iterator is told. */
void count(void)
{
  struct cairn_stack_iterator it;
  unsigned long sum = 0;

  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
    cairn_stack_enumerate(&it, count_one, &sum);
  printf("sum %lu, %s\n", sum, shown ? "shown" : "not shown");
}
