/* SPDX-License-Identifier: Apache-2.0
 *
 * Stubs, for commits of patches (<cairn/patch_stub.h>).
 */
#ifndef CN_PATCH_STUB_H
#define CN_PATCH_STUB_H

#include <stdbool.h>

/* True if many freed stubs wait for a stop. The caller holds CN_LOCK_PATCH. */
bool cn_stubs_want_stop(void);

/* Let new stubs take the places of freed stubs. No thread is in a stub: called in a stop, under CN_LOCK_PATCH. */
void cn_stubs_reuse_freed(void);

#endif
