/* SPDX-License-Identifier: Apache-2.0
 *
 * Code regions (pillar-stack-iterator-2011, prtAddCodeRegion), in a table that is never written
 * once it is published: a writer makes another table, and frees what only the old one had when no
 * reader is left in it.
 *
 *     reader                                     writer (one at a time)
 *     readers[generation & 1]++                  table = the new one
 *     generation is still that? else again       generation++
 *     looks at the table, is in a callback       waits until readers[the old generation & 1] is 0
 *     readers[...]--                             frees that
 *
 * A writer waits for each reader that counted itself in before the generation changed; a later
 * reader sees the new table. The other counter is 0 when a writer begins, but for readers that are
 * about to try again: the writer before waited for its last readers.
 */
#include "runtime/walk/code_regions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/hold.h"
#include "runtime/core/image.h"
#include "runtime/os/os.h"
#include "runtime/walk/regions_table.h"
#include "runtime/walk/return_barriers.h"

static struct cn_region_table *_Atomic current;
static _Atomic uint32_t generation, readers[2], waiting;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

/* How often this thread has counted itself in, times two, plus the number of the counter: one word,
 * so that a signal handler finds it right. */
static _Thread_local volatile unsigned inside;

/* ---- readers ---- */

/* Signal handlers that come in between count themselves. */
static unsigned count_in(void)
{
  for (;;) {
    uint32_t seen = atomic_load(&generation);
    atomic_fetch_add(&readers[seen & 1], 1);
    if (atomic_load(&generation) == seen)
      return seen & 1;
    atomic_fetch_sub(&readers[seen & 1], 1);
    cn_os_wake(&readers[seen & 1]);
  }
}

/* Hold signals: a handler that jumped out would leave the thread counted in. */
static void enter(void)
{
  cn_hold_signals();
  inside = inside != 0 ? inside + 2 : 2 + count_in();
  CN_ASSERT_VALID(cn_code_regions_wrong());
}

void cn_code_regions_leave(void)
{
  unsigned counter = inside & 1;

  CN_ASSERT_VALID(cn_code_regions_wrong());
  CN_CHECK(inside >= 2); /* else another's count would go down */
  if (inside >= 4) {
    inside -= 2;
  } else {
    inside = 0;
    atomic_fetch_sub(&readers[counter], 1);
    if (atomic_load(&waiting))
      cn_os_wake(&readers[counter]);
  }
  cn_hold_let_signals();
}

unsigned cn_code_regions_depth(void)
{
  return inside / 2;
}

const char *cn_code_regions_wrong(void)
{
  if (inside == 1)
    return "code regions: a thread has a counter, but has not counted itself in";
  if (inside != 0 && atomic_load(&readers[inside & 1]) == 0)
    return "code regions: a thread reads, and is not counted";
  return NULL;
}

bool cn_code_regions_any(void)
{
  return atomic_load_explicit(&current, memory_order_relaxed) != NULL;
}

bool cn_code_regions_find(uintptr_t pc, struct cn_region *region)
{
  if (!cn_code_regions_any())
    return false;
  enter();
  bool found = cn_region_table_find(atomic_load(&current), pc, region);
  cn_code_regions_leave();
  CN_ASSERT(!found || (region->start < pc && pc <= region->end && region->manager != NULL));
  return found;
}

bool cn_code_regions_overlap(uintptr_t start, uintptr_t end, struct cn_region *region)
{
  if (!cn_code_regions_any())
    return false;
  CN_ASSERT(start <= end);
  enter();
  bool found = cn_region_table_overlap(atomic_load(&current), start, end, region);
  cn_code_regions_leave();
  CN_ASSERT(!found || (region->start < end && region->end > start));
  return found;
}

void cn_code_regions_enter(const struct cn_region *region)
{
  struct cn_region there;

  CN_ASSERT(region->start < region->end && region->manager != NULL);
  enter();
  if (!cn_region_table_find(atomic_load(&current), region->end, &there) ||
      there.start != region->start || there.manager != region->manager ||
      there.data != region->data)
    cairn_fatal("an activation of the code region at 0x%lx is on a stack, and the region was "
                "removed",
                (unsigned long)region->start);
}

/* ---- writers ---- */

/* The child of a fork() has one thread; the counters count those of the parent, too. */
static void forked(void)
{
  atomic_store(&readers[0], 0);
  atomic_store(&readers[1], 0);
  if (inside != 0)
    atomic_store(&readers[inside & 1], 1);
  atomic_store(&waiting, 0);
  pthread_mutex_init(&writers, NULL);
}

static void prepare(void)
{
  static bool prepared;

  if (!prepared)
    cn_os_forked(forked);
  prepared = true;
}

static void wait_for_readers(void)
{
  _Atomic uint32_t *count = &readers[atomic_fetch_add(&generation, 1) & 1];
  uint32_t seen;

  CN_ASSERT(atomic_load(&waiting) == 0); /* one writer at a time */
  atomic_store(&waiting, 1);
  while ((seen = atomic_load(count)) != 0)
    cn_os_wait(count, seen, UINT64_MAX);
  atomic_store(&waiting, 0);
}

static void publish(struct cn_region_table *table, const struct cn_region_waste *waste)
{
  CN_ASSERT(inside == 0); /* else this would wait for itself */
  CN_ASSERT(table != waste->table);
  atomic_store(&current, table);
  wait_for_readers();
  cn_region_table_free(waste);
}

static bool taken(uintptr_t start, uintptr_t end)
{
  uintptr_t stubs_end, stubs_start = cn_arch_stubs(&stubs_end);
  struct cn_region other;

  return cn_region_table_overlap(atomic_load(&current), start, end, &other) ||
         (start < stubs_end && end > stubs_start) || cn_image_has_code(start, end);
}

static enum cairn_status insert(const struct cn_region *region)
{
  struct cn_region_table *table = atomic_load(&current);
  struct cn_region_waste waste;

  CN_ASSERT(region->start < region->end && region->manager->previous != NULL);
  if (taken(region->start, region->end))
    return CAIRN_E_OVERLAP;
  if (!cn_region_table_insert(&table, region, &waste))
    return CAIRN_E_MEMORY;
  publish(table, &waste);
  return CAIRN_OK;
}

static enum cairn_status delete(uintptr_t start)
{
  struct cn_region_table *table = atomic_load(&current);
  struct cn_region_waste waste;
  struct cn_region region;

  if (!cn_region_table_find(table, start + 1, &region) || region.start != start)
    return CAIRN_E_UNKNOWN;
  if (!cn_region_table_delete(&table, start, &waste))
    return CAIRN_E_MEMORY;
  publish(table, &waste);
  return CAIRN_OK;
}

enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start,
                                        uintptr_t end, void *data)
{
  const struct cn_region region = {start, end, manager, data};

  if (end <= start || manager == NULL || manager->previous == NULL)
    return CAIRN_E_BOUNDS;
  if (inside != 0)
    return CAIRN_E_BUSY;
  cn_hold_signals();
  pthread_mutex_lock(&writers);
  prepare();
  enum cairn_status status = insert(&region);
  pthread_mutex_unlock(&writers);
  if (status == CAIRN_OK)
    cn_return_barrier_distrust(true);
  cn_hold_let_signals();
  return status;
}

enum cairn_status cairn_code_region_remove(uintptr_t start)
{
  if (inside != 0)
    return CAIRN_E_BUSY;
  cn_hold_signals();
  pthread_mutex_lock(&writers);
  enum cairn_status status = delete(start);
  pthread_mutex_unlock(&writers);
  cn_hold_let_signals();
  return status;
}
