/* SPDX-License-Identifier: Apache-2.0
 *
 * Code regions (seeds: pillar-stack-iterator, prtAddCodeRegion). They are a sorted array that is
 * never written once it is published: who changes it makes another one, and frees the old one when
 * nobody looks at it any more.
 *
 *     reader                                     writer (one at a time)
 *     readers[generation & 1]++                  table = the new one
 *     generation is still that? else again       generation++
 *     looks at the table, is in a callback       waits until readers[the old generation & 1] is 0
 *     readers[...]--                             frees the old table
 *
 * A reader who counted himself in before the generation changed is waited for; one who came later
 * sees the new table. The other counter is 0 when a writer begins, but for readers who are about to
 * try again: its last readers were waited for by the writer before.
 */
#include "runtime/regions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <cairn/collector.h>
#include "runtime/arch/arch.h"
#include "runtime/barrier.h"
#include "runtime/image.h"
#include "runtime/os/os.h"

struct table {
  size_t bytes, count;
  struct cn_region region[];
};

static struct table *_Atomic current;
static _Atomic uint32_t generation, readers[2], waiting;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local struct {
  unsigned depth;    /* how often this thread has counted itself in */
  unsigned counter;  /* in which of the two */
} self;

/* ---- readers ---- */

static void enter(void)
{
  if (self.depth++ > 0)
    return;
  for (;;) {
    uint32_t seen = atomic_load(&generation);
    self.counter = seen & 1;
    atomic_fetch_add(&readers[self.counter], 1);
    if (atomic_load(&generation) == seen)
      return;
    cn_regions_leave();
    self.depth = 1;
  }
}

void cn_regions_leave(void)
{
  if (--self.depth > 0)
    return;
  atomic_fetch_sub(&readers[self.counter], 1);
  if (atomic_load(&waiting))
    cn_os_wake(&readers[self.counter]);
}

/* How many regions end below `address`: the index of the first that does not. */
static size_t below(const struct table *table, uintptr_t address)
{
  size_t low = 0, high = table != NULL ? table->count : 0;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->region[middle].end < address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Of two regions that touch, the one that ends at `pc` has the call. */
static bool find(uintptr_t pc, struct cn_region *region)
{
  const struct table *table = atomic_load(&current);
  size_t i = below(table, pc);

  if (table == NULL || i == table->count || table->region[i].start >= pc)
    return false;
  *region = table->region[i];
  return true;
}

bool cn_regions_any(void)
{
  return atomic_load_explicit(&current, memory_order_relaxed) != NULL;
}

bool cn_regions_find(uintptr_t pc, struct cn_region *region)
{
  if (!cn_regions_any())
    return false;
  enter();
  bool found = find(pc, region);
  cn_regions_leave();
  return found;
}

static bool overlap(const struct table *table, uintptr_t start, uintptr_t end,
                    struct cn_region *region)
{
  size_t i = below(table, start + 1);

  if (table == NULL || i == table->count || table->region[i].start >= end)
    return false;
  *region = table->region[i];
  return true;
}

bool cn_regions_overlap(uintptr_t start, uintptr_t end, struct cn_region *region)
{
  if (!cn_regions_any())
    return false;
  enter();
  bool found = overlap(atomic_load(&current), start, end, region);
  cn_regions_leave();
  return found;
}

void cn_regions_enter(const struct cn_region *region)
{
  struct cn_region there;

  enter();
  if (!find(region->end, &there) || there.start != region->start ||
      there.manager != region->manager || there.data != region->data)
    cairn_fatal("an activation of the code region at 0x%lx is on a stack, and the region was "
                "removed",
                (unsigned long)region->start);
}

unsigned cn_regions_depth(void)
{
  return self.depth;
}

/* ---- writers ---- */

/* In the child of a fork() there is one thread; the counters are of others, too. */
static void forked(void)
{
  atomic_store(&readers[0], 0);
  atomic_store(&readers[1], 0);
  if (self.depth > 0)
    atomic_store(&readers[self.counter], 1);
  atomic_store(&waiting, 0);
  pthread_mutex_init(&writers, NULL);
}

static void prepare(void)
{
  static bool prepared;

  if (!prepared)
    pthread_atfork(NULL, NULL, forked);
  prepared = true;
}

static void wait_for_readers(void)
{
  _Atomic uint32_t *count = &readers[atomic_fetch_add(&generation, 1) & 1];
  uint32_t seen;

  atomic_store(&waiting, 1);
  while ((seen = atomic_load(count)) != 0)
    cn_os_wait(count, seen, UINT64_MAX);
  atomic_store(&waiting, 0);
}

static struct table *make(size_t count)
{
  size_t page = cn_os_page();
  size_t bytes = sizeof(struct table) + count * sizeof(struct cn_region);
  bytes = (bytes + page - 1) / page * page;
  struct table *table = cn_os_resize(NULL, 0, bytes);

  if (table != NULL)
    *table = (struct table){.bytes = bytes, .count = count};
  return table;
}

static void publish(struct table *table)
{
  struct table *old = atomic_load(&current);

  atomic_store(&current, table);
  wait_for_readers();
  if (old != NULL)
    cn_os_free(old, old->bytes);
}

static bool taken(uintptr_t start, uintptr_t end)
{
  uintptr_t stubs_end, stubs_start = cn_arch_stubs(&stubs_end);
  struct cn_region other;

  return overlap(atomic_load(&current), start, end, &other) ||
         (start < stubs_end && end > stubs_start) || cn_image_has_code(start, end);
}

static enum cairn_region_status insert(const struct cn_region *region)
{
  const struct table *old = atomic_load(&current);
  size_t count = old != NULL ? old->count : 0;

  if (taken(region->start, region->end))
    return CAIRN_REGION_OVERLAP;
  struct table *table = make(count + 1);
  if (table == NULL)
    return CAIRN_REGION_MEMORY;
  size_t i = below(old, region->start + 1);
  if (old != NULL) {
    memcpy(table->region, old->region, i * sizeof *region);
    memcpy(table->region + i + 1, old->region + i, (count - i) * sizeof *region);
  }
  table->region[i] = *region;
  publish(table);
  return CAIRN_REGION_OK;
}

static enum cairn_region_status delete(uintptr_t start)
{
  const struct table *old = atomic_load(&current);
  size_t i = below(old, start + 1);

  if (old == NULL || i == old->count || old->region[i].start != start)
    return CAIRN_REGION_UNKNOWN;
  struct table *table = NULL;
  if (old->count > 1) {
    table = make(old->count - 1);
    if (table == NULL)
      return CAIRN_REGION_MEMORY;
    memcpy(table->region, old->region, i * sizeof *old->region);
    memcpy(table->region + i, old->region + i + 1, (old->count - i - 1) * sizeof *old->region);
  }
  publish(table);
  return CAIRN_REGION_OK;
}

enum cairn_region_status cairn_code_region_add(const struct cairn_code_manager *manager,
                                               uintptr_t start, uintptr_t end, void *data)
{
  const struct cn_region region = {start, end, manager, data};

  if (end <= start || manager == NULL || manager->previous == NULL)
    return CAIRN_REGION_EMPTY;
  if (self.depth > 0)
    return CAIRN_REGION_BUSY;
  pthread_mutex_lock(&writers);
  prepare();
  enum cairn_region_status status = insert(&region);
  pthread_mutex_unlock(&writers);
  if (status == CAIRN_REGION_OK)
    cn_barrier_distrust(true);
  return status;
}

enum cairn_region_status cairn_code_region_remove(uintptr_t start)
{
  if (self.depth > 0)
    return CAIRN_REGION_BUSY;
  pthread_mutex_lock(&writers);
  enum cairn_region_status status = delete(start);
  pthread_mutex_unlock(&writers);
  return status;
}
