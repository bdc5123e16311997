/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted table of code regions that is constant once it is published: a change makes another table, which shares
 * most of the old one's memory.
 */
#ifndef CN_RUNTIME_WALK_REGIONS_TABLE_H
#define CN_RUNTIME_WALK_REGIONS_TABLE_H

#include "runtime/walk/code_regions.h"

struct cn_region_table; /* null: empty */

/* Check the table. Returns the error, or null. These hold:
 *   - each region has code and a manager, and all are sorted and disjoint
 *   - each leaf has regions, and the table says where the last one ends
 * Linear. The writer, or a counted reader. */
const char *cn_region_table_wrong(const struct cn_region_table *table);

/* Memory that a change takes out of use; to be freed when all readers have left the old table. */
struct cn_region_waste {
  struct cn_region_table *table;
  struct cn_region_leaf *leaf;
};

/* The region with the call that returns to `pc`; of two that touch, the one that ends there. */
bool cn_region_table_find(const struct cn_region_table *table, uintptr_t pc, struct cn_code_region *region);
/* The first that overlaps [start, end). */
bool cn_region_table_find_overlap(const struct cn_region_table *table, uintptr_t start, uintptr_t end,
                                  struct cn_code_region *region);

/* Make *table a table that has `region` as well, which is disjoint from all others; or a table without the region
 * that begins at `start`, which is there. False: out of memory, and the table is unchanged. One thread at a time. */
bool cn_region_table_insert(struct cn_region_table **table, const struct cn_code_region *region,
                            struct cn_region_waste *waste);
bool cn_region_table_delete(struct cn_region_table **table, uintptr_t start, struct cn_region_waste *waste);
void cn_region_table_free_waste(const struct cn_region_waste *waste);

#endif
