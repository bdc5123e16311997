/* SPDX-License-Identifier: Apache-2.0
 *
 * Assumptions of compiled code: that a class has no subclass, that a global is constant, that a debugger is absent.
 * Code that relies on an assumption has points (<cairn/patch.h>), and hands over the patches that turn the code away
 * when the assumption becomes invalid. An invalidation makes all of these patches, with one stop of all threads for any
 * number of sites (docs/patching.md, "Assumptions").
 *
 *   struct cairn_assumption *no_subclass = cairn_assumption_new();
 *   struct cairn_patch *patch = cairn_patch_begin();
 *
 *   cairn_patch_jump(patch, &guard, slow_path);
 *   cairn_assumption_depend(no_subclass, patch, &failure);     the code may run from now on
 *   ...
 *   cairn_assumption_invalidate(&no_subclass, 1, &failure);    the guard now jumps to the slow path
 *
 * Functions run on any thread, in native code, as those of <cairn/patch.h> do.
 */
#ifndef CAIRN_ASSUMPTION_H
#define CAIRN_ASSUMPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <cairn/patch.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_assumption;

#pragma GCC visibility push(default)

/* Make an assumption, which holds. Null: memory is exhausted, or the caller is a signal handler; the functions below
 * accept null, and those with a status return MEMORY. */
struct cairn_assumption *cairn_assumption_new(void);

/* Free an assumption, valid or invalid. Its sites stay as they are. No other thread uses the assumption any more. */
void cairn_assumption_free(struct cairn_assumption *assumption);

/* False once cairn_assumption_invalidate() has made the patches. Any phase, also in signal handlers. */
bool cairn_assumption_holds(const struct cairn_assumption *assumption);

/* Hand over a batch of patches, which the invalidation of the assumption will make, and free the batch. If the
 * assumption is invalid already, the patches are made at once, as by cairn_patch_commit(). So after CAIRN_OK the sites
 * follow the assumption, whichever of two threads was first: call this function when the code is loaded, and run the
 * code afterwards. After a failure, of which *failure has the details unless it is null, nothing has changed, and the
 * code must not run.
 *
 * Statuses are those of cairn_patch_commit(). The pages of the code get their second mapping now, so that CODE comes
 * here. A site may depend on several assumptions: each invalidation makes its patch. Patches of code that is unloaded
 * are forgotten. Takes time in proportion to the batch, on average. */
enum cairn_status cairn_assumption_depend(struct cairn_assumption *assumption, struct cairn_patch *patch,
                                          struct cairn_patch_failure *failure);

/* Make all patches that depend on `count` assumptions, with at most one stop of all threads; the assumptions become
 * invalid for good. If a site depends on several of them, it gets the patch of the first in the array. Invalid
 * assumptions are left as they are. When the call returns, every thread runs the new code. After a failure all
 * assumptions hold that held before, no code has changed, and *failure, unless it is null, has the details.
 *
 * SHARED, BUSY, REFUSED, MEMORY, CODE as for cairn_patch_commit(). */
enum cairn_status cairn_assumption_invalidate(struct cairn_assumption *const *assumptions, size_t count,
                                              struct cairn_patch_failure *failure);

/* The number of patches that wait for the invalidation, without those of code that was unloaded. Linear. */
size_t cairn_assumption_sites(const struct cairn_assumption *assumption);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
