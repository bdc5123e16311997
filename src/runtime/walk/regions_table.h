/* SPDX-License-Identifier: Apache-2.0
 *
 * A sorted table of code regions that is never written once it is there: a change makes another
 * table, which shares most of the old one's memory.
 */
#ifndef CN_RUNTIME_WALK_REGIONS_TABLE_H
#define CN_RUNTIME_WALK_REGIONS_TABLE_H

#include "runtime/walk/code_regions.h"

struct cn_region_table; /* null: empty */

/* What does not hold of the table; null: all does. It holds that
 *   - no region is empty or without a manager, and all are sorted and disjoint
 *   - no leaf is empty, and the table says where the last region of each ends
 * Linear. The writer, or a reader that is counted in. */
const char *cn_region_table_wrong(const struct cn_region_table *table);

/* What a change takes out of use; to be freed when no reader is left in the old table. */
struct cn_region_waste {
  struct cn_region_table *table;
  struct cn_region_leaf *leaf;
};

/* The region with the call that returns to `pc`; of two that touch, the one that ends there. */
bool cn_region_table_find(const struct cn_region_table *table, uintptr_t pc, struct cn_region *region);
/* The first that has a part of [start, end). */
bool cn_region_table_overlap(const struct cn_region_table *table, uintptr_t start, uintptr_t end,
                             struct cn_region *region);

/* Make *table one that has `region` as well, which overlaps none; or one without the region that
 * begins at `start`, which is there. False: there is no memory, and nothing has changed. One thread
 * at a time. */
bool cn_region_table_insert(struct cn_region_table **table, const struct cn_region *region,
                            struct cn_region_waste *waste);
bool cn_region_table_delete(struct cn_region_table **table, uintptr_t start, struct cn_region_waste *waste);
void cn_region_table_free(const struct cn_region_waste *waste);

#endif
