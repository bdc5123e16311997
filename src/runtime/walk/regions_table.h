/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted table of code regions. A published table is constant: a change makes a new table, which shares most of the
 * old table's memory.
 */
#ifndef CN_RUNTIME_WALK_REGIONS_TABLE_H
#define CN_RUNTIME_WALK_REGIONS_TABLE_H

#include "runtime/walk/code_regions.h"

struct cn_region_table; /* null: empty */

/* Check the table. Returns the error, or null. Invariants:
 *   - each region has code and a manager; the regions are sorted and disjoint
 *   - each leaf has regions, and its entry in the table has the end of the last region
 * Linear. Called by the writer, or by a counted reader. */
const char *cn_region_table_wrong(const struct cn_region_table *table);

/* Memory that only the old table uses after a change. The writer frees this memory when all readers have left the old
 * table. */
struct cn_region_waste {
  struct cn_region_table *table;
  struct cn_region_leaf *leaf;
};

/* The region with the call that returns to `pc`; if two regions touch at `pc`, the region that ends there. */
bool cn_region_table_find(const struct cn_region_table *table, uintptr_t pc, struct cn_code_region *region);
/* The first region that overlaps [start, end). */
bool cn_region_table_find_overlap(const struct cn_region_table *table, uintptr_t start, uintptr_t end,
                                  struct cn_code_region *region);

/* Insert `region`, which is disjoint from all others, or delete the region that begins at `start`, which must exist.
 * `*table` becomes the new table. False: out of memory, and `*table` is unchanged. One thread at a time. */
bool cn_region_table_insert(struct cn_region_table **table, const struct cn_code_region *region,
                            struct cn_region_waste *waste);
bool cn_region_table_delete(struct cn_region_table **table, uintptr_t start, struct cn_region_waste *waste);
void cn_region_table_free_waste(const struct cn_region_waste *waste);

#endif
