/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependents of an assumption: work of a room above that the assumption's invalidation does in the same stop as its
 * patches.
 */
#ifndef CN_PATCH_DEPENDENTS_H
#define CN_PATCH_DEPENDENTS_H

#include <cairn/assumption.h>
#include <stdbool.h>
#include <stddef.h>

/* The work. All functions run on the thread that invalidates, in its stop. Several invalid assumptions have one work.
 */
struct cn_dependents_work {
  void (*begin)(void);
  /* Add a dependent's data, which live up to `end`. Called under CN_LOCK_PATCH; takes no lock. */
  void (*add)(const void *data);
  /* Prepare the work of all dependents, without a lock. False: a failure is noted, and nothing has changed. */
  bool (*prepare)(struct cairn_patch_failure *failure);
  /* Do the work, which cannot fail. Called under CN_LOCK_PATCH; takes no lock. */
  void (*apply)(void);
  void (*end)(void);
};

/* Add a dependent with a copy of `bytes` bytes of data. All dependents have the same work. If the assumption is invalid
 * already, `*is_invalid` is true, and nothing is added. MEMORY, BUSY. */
enum cairn_status cn_assumption_add_dependent(struct cairn_assumption *assumption,
                                              const struct cn_dependents_work *work, const void *data, size_t bytes,
                                              bool *is_invalid);

#endif
