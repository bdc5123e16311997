/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code of costs.c: an empty callee, and a collector whose collections visit the roots, and move nothing.
 */
#include <cairn/collector.h>

long costs_native(long value);

static struct cairn_collector collector;
static volatile size_t roots;

long costs_native(long value)
{
  __asm__ volatile("" : "+r"(value));
  return value;
}

static void count_slots(void *env, uintptr_t *const *slots, size_t count)
{
  (void)env;
  (void)slots;
  roots += count;
}

static void collect(const struct cairn_collection *collection)
{
  (void)collection;
  cairn_visit_root_arrays(count_slots, NULL);
}

__attribute__((constructor)) static void choose_collector(void)
{
  collector = cairn_collector_semispace;
  collector.name = "costs";
  collector.collect = collect;
  cairn_set_collector(&collector);
}
