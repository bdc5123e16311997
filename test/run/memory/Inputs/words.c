/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/memory/words.c: words are references with 2 in them.
 */
#include <stdint.h>

uintptr_t word_of(void *reference);
void *ref_of(uintptr_t word);

uintptr_t word_of(void *reference)
{
  return (uintptr_t)reference | 2;
}

void *ref_of(uintptr_t word)
{
  return (void *)(word & ~(uintptr_t)3);
}

#ifndef CAIRN_PLAIN
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long moved;

static void handle(uintptr_t *root, unsigned tag, void *parameter, cairn_root_visitor *visit,
                   void *visit_env)
{
  uintptr_t reference = *root & ~(uintptr_t)3;

  (void)tag;
  if (!reference)
    return;
  visit(visit_env, (struct cairn_slot){&reference});
  moved += *root != (reference | (uintptr_t)parameter);
  *root = reference | (uintptr_t)parameter;
}

/* Where everything moves at each safepoint, some of it must have. */
static void check(void)
{
  if (getenv("CAIRN_STRESS") && moved < 100)
    fprintf(stderr, "only %lu words changed\n", moved), abort();
}

__attribute__((constructor)) static void start(void)
{
  cairn_set_user_roots(handle);
  atexit(check);
}
#endif
