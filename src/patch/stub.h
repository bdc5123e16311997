/* SPDX-License-Identifier: Apache-2.0
 *
 * Stubs (<cairn/patch_stub.h>) and islands, for batches and commits of patches. An island is a jump to a target that
 * branches of a region do not reach.
 */
#ifndef CN_PATCH_STUB_H
#define CN_PATCH_STUB_H

#include <stdbool.h>
#include <stdint.h>

/* The address of an island for `target` within reach of a branch near `near`. 0: the system refuses memory there, or
 * the caller is in a signal handler. Takes CN_LOCK_PATCH. */
uintptr_t cn_island_near(uintptr_t near, uintptr_t target);

/* True if many freed stubs wait for a stop. The caller holds CN_LOCK_PATCH. */
bool cn_stubs_want_stop(void);

/* Let new stubs take the places of freed stubs. No thread is in a stub: called in a stop, under CN_LOCK_PATCH. */
void cn_stubs_reuse_freed(void);

#endif
