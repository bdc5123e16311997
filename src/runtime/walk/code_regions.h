/* SPDX-License-Identifier: Apache-2.0
 *
 * Code regions and their managers (<cairn/stack.h>; pillar-stack-iterator-2011, "define regions of
 * code and define different owners for each region").
 */
#ifndef CN_RUNTIME_WALK_CODE_REGIONS_H
#define CN_RUNTIME_WALK_CODE_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/stack.h>

/* A copy of what was registered, so that it may outlive the table it was found in. */
struct cn_region {
  uintptr_t start, end;
  const struct cairn_code_manager *manager;
  void *data;
};

/* The region with the call that returns to `pc`: pc is in (start, end]. False: there is none. Any
 * thread, any time, signal handlers included; takes no lock and never waits. */
bool cn_code_regions_find(uintptr_t pc, struct cn_region *region);

bool cn_code_regions_any(void);

/* Some region that has a part of [start, end). As above. */
bool cn_code_regions_overlap(uintptr_t start, uintptr_t end, struct cn_region *region);

/* Before and after each callback of a manager: while the thread is inside, the region is not
 * removed. If it is gone already, the program ends. These nest. */
void cn_code_regions_enter(const struct cn_region *region);
void cn_code_regions_leave(void);

/* What is wrong: the calling thread is inside and not counted as a reader; null: nothing. */
const char *cn_code_regions_wrong(void);

/* How many callbacks the calling thread is in. */
unsigned cn_code_regions_depth(void);

#endif
