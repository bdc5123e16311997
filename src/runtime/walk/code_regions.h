/* SPDX-License-Identifier: Apache-2.0
 *
 * Code regions and their managers (<cairn/stack.h>; pillar-stack-iterator-2011, "define regions of code and define
 * different owners for each region").
 */
#ifndef CN_RUNTIME_WALK_CODE_REGIONS_H
#define CN_RUNTIME_WALK_CODE_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/stack.h>

/* A copy of a registered region, valid after the table is freed. */
struct cn_code_region {
  uintptr_t start, end;
  const struct cairn_code_manager *manager;
  void *data;
};

/* The region with the call that returns to `pc`, so that pc is in (start, end]. False: `pc` is outside all regions. Any
 * thread, in any phase, async-signal-safe; takes no lock and never waits. */
bool cn_code_regions_find(uintptr_t pc, struct cn_code_region *region);

bool cn_code_regions_exist(void);

/* A region that overlaps [start, end). Callers as for cn_code_regions_find(). */
bool cn_code_regions_find_overlap(uintptr_t start, uintptr_t end, struct cn_code_region *region);

/* Called before and after each callback of a manager: while the thread is inside, the region stays registered. If the
 * region has been removed already, the program ends. Calls nest. */
void cn_code_regions_enter_region(const struct cn_code_region *region);
void cn_code_regions_leave_region(void);

/* Check that the calling thread is inside a callback if and only if it is counted as a reader. Returns the error, or
 * null. */
const char *cn_code_regions_wrong(void);

/* The number of nested callbacks on the calling thread. */
unsigned cn_code_regions_nesting_depth(void);

#endif
