/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the table of code regions: address ranges of code that Cairn did not compile, each with the manager that walks
 * its frames (<cairn/stack.h>; pillar-stack-iterator-2011, prtAddCodeRegion). Adds, removes and finds regions, and
 * counts a thread as a reader during callbacks of managers. Owns the current table, the epochs of its readers, each
 * thread's depth of nested reads, and `writer_lock`, which serialises writers; readers take no lock. A published table
 * is constant: a writer publishes a new table, waits until all readers have left the old table (readers.h), and frees
 * the parts that only the old table has. Runs on any thread, in any phase; reads and changes defer signals.
 */
#include "runtime/walk/code_regions.h"

#include <pthread.h>
#include <stdatomic.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/core/readers.h"
#include "runtime/os/os.h"
#include "runtime/walk/index.h"
#include "runtime/walk/regions_table.h"
#include "runtime/walk/return_barriers.h"

static struct cn_region_table *_Atomic current_table;
static struct cn_reader_epochs table_readers;
static pthread_mutex_t writer_lock = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local volatile unsigned inside_readers; /* readers.h */
static _Thread_local volatile unsigned reader_depth;   /* depth of nested entries */

/* ---- readers ---- */

/* Enter, with signals deferred until the outermost leave. */
static void enter_readers(void)
{
  cn_defer_signals();
  if (reader_depth++ == 0)
    cn_readers_enter(&table_readers, &inside_readers);
  CN_ASSERT_VALID(cn_code_regions_wrong());
}

void cn_code_regions_leave_region(void)
{
  CN_ASSERT_VALID(cn_code_regions_wrong());
  CN_CHECK(reader_depth != 0); /* fails on a leave without an entry */
  if (--reader_depth == 0)
    cn_readers_leave(&table_readers, &inside_readers);
  cn_undefer_signals();
}

unsigned cn_code_regions_nesting_depth(void)
{
  return reader_depth;
}

const char *cn_code_regions_wrong(void)
{
  if ((reader_depth != 0) != (inside_readers != 0))
    return "code regions: a thread has entered, and does not read, or the other way round";
  return cn_readers_wrong(&table_readers, inside_readers);
}

bool cn_code_regions_exist(void)
{
  return atomic_load_explicit(&current_table, memory_order_relaxed) != NULL;
}

bool cn_code_regions_find(uintptr_t pc, struct cn_code_region *region)
{
  if (!cn_code_regions_exist())
    return false;
  enter_readers();
  bool found = cn_region_table_find(atomic_load(&current_table), pc, region);
  cn_code_regions_leave_region();
  CN_ASSERT(!found || (region->start < pc && pc <= region->end && region->manager != NULL));
  return found;
}

bool cn_code_regions_find_overlap(uintptr_t start, uintptr_t end, struct cn_code_region *region)
{
  if (!cn_code_regions_exist())
    return false;
  CN_ASSERT(start <= end);
  enter_readers();
  bool found = cn_region_table_find_overlap(atomic_load(&current_table), start, end, region);
  cn_code_regions_leave_region();
  CN_ASSERT(!found || (region->start < end && region->end > start));
  return found;
}

void cn_code_regions_enter_region(const struct cn_code_region *region)
{
  struct cn_code_region there;

  CN_ASSERT(region->start < region->end && region->manager != NULL);
  enter_readers();
  if (!cn_region_table_find(atomic_load(&current_table), region->end, &there) || there.start != region->start ||
      there.manager != region->manager || there.data != region->data)
    cairn_fatal("an activation of the code region at 0x%lx is on a stack, and the region was "
                "removed",
                (unsigned long)region->start);
}

/* ---- writers ---- */

static void reset_child_after_fork(void)
{
  cn_readers_reset_in_child(&table_readers, inside_readers);
  pthread_mutex_init(&writer_lock, NULL);
}

static void watch_forks(void)
{
  static bool prepared;

  if (!prepared)
    cn_os_register_child_handler(reset_child_after_fork);
  prepared = true;
}

static void publish_table(struct cn_region_table *table, const struct cn_region_waste *waste)
{
  CN_ASSERT(inside_readers == 0); /* otherwise the thread would wait for itself */
  CN_ASSERT(table != waste->table);
  atomic_store(&current_table, table);
  cn_readers_wait(&table_readers);
  cn_region_table_free_waste(waste);
}

static bool is_range_taken(uintptr_t start, uintptr_t end)
{
  uintptr_t stubs_end, stubs_start = cn_arch_stubs_range(&stubs_end);
  struct cn_code_region other;

  return cn_region_table_find_overlap(atomic_load(&current_table), start, end, &other) ||
         (start < stubs_end && end > stubs_start) || cn_index_has_code_in(start, end);
}

static enum cairn_status insert_region(const struct cn_code_region *region)
{
  struct cn_region_table *table = atomic_load(&current_table);
  struct cn_region_waste waste;

  CN_ASSERT(region->start < region->end && region->manager->previous != NULL);
  if (is_range_taken(region->start, region->end))
    return CAIRN_E_OVERLAP;
  if (!cn_region_table_insert(&table, region, &waste))
    return CAIRN_E_MEMORY;
  publish_table(table, &waste);
  return CAIRN_OK;
}

static enum cairn_status delete_region(uintptr_t start)
{
  struct cn_region_table *table = atomic_load(&current_table);
  struct cn_region_waste waste;
  struct cn_code_region region;

  if (!cn_region_table_find(table, start + 1, &region) || region.start != start)
    return CAIRN_E_UNKNOWN;
  if (!cn_region_table_delete(&table, start, &waste))
    return CAIRN_E_MEMORY;
  publish_table(table, &waste);
  return CAIRN_OK;
}

enum cairn_status cairn_code_region_add(const struct cairn_code_manager *manager, uintptr_t start, uintptr_t end,
                                        void *data)
{
  const struct cn_code_region region = {start, end, manager, data};

  if (end <= start || manager == NULL || manager->previous == NULL)
    return CAIRN_E_BOUNDS;
  if (inside_readers != 0)
    return CAIRN_E_BUSY;
  cn_defer_signals();
  pthread_mutex_lock(&writer_lock);
  watch_forks();
  enum cairn_status status = insert_region(&region);
  pthread_mutex_unlock(&writer_lock);
  if (status == CAIRN_OK)
    cn_return_barriers_distrust_all();
  cn_undefer_signals();
  return status;
}

enum cairn_status cairn_code_region_remove(uintptr_t start)
{
  if (inside_readers != 0)
    return CAIRN_E_BUSY;
  cn_defer_signals();
  pthread_mutex_lock(&writer_lock);
  enum cairn_status status = delete_region(start);
  pthread_mutex_unlock(&writer_lock);
  cn_undefer_signals();
  return status;
}
