/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns a table of words that caches return addresses into native code; walks look them up there before the index. Each
 * address has one possible place, and new code empties the table. Runs on any thread, in any phase; words are atomic
 * and read without a lock, and writers hold CN_LOCK_FRAMES.
 */
#include "runtime/walk/walk.h"

#include <stdatomic.h>
#include <stddef.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/walk/index.h"

enum { TABLE_BITS = 6 };

static _Atomic uintptr_t native_pc_table[1 << TABLE_BITS]; /* 0: empty */

static bool is_index_locked(void)
{
  return (cn_locks_held_by_thread() >> CN_LOCK_FRAMES & 1) != 0;
}

static _Atomic uintptr_t *table_place_of(uintptr_t pc)
{
  return &native_pc_table[pc * CN_INDEX_FACTOR >> (64 - TABLE_BITS)];
}

bool cn_native_pcs_contain(uintptr_t pc)
{
  return atomic_load_explicit(table_place_of(pc), memory_order_relaxed) == pc;
}

void cn_native_pcs_add(uintptr_t pc)
{
  CN_ASSERT(is_index_locked());
  atomic_store_explicit(table_place_of(pc), pc, memory_order_relaxed);
}

void cn_native_pcs_clear(void)
{
  CN_ASSERT(is_index_locked());
  for (size_t i = 0; i < sizeof native_pc_table / sizeof native_pc_table[0]; i++)
    atomic_store_explicit(&native_pc_table[i], 0, memory_order_relaxed);
}
