/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that are registered for a finaliser, and queues of those that were found unreachable.
 */
#ifndef CN_RUNTIME_WEAK_FINALISERS_H
#define CN_RUNTIME_WEAK_FINALISERS_H

#include <stdbool.h>
#include <cairn/collector.h>

/* MUTATE, the thread that allocated it: an object of a finalisable type, by a reference. */
void cn_finalisers_add(uintptr_t reference);

/* STOP. Queue the registered objects that have not been reached, and reach them, with all that they
 * lead to. False: there were none. */
bool cn_finalisers_process(const struct cairn_closure *closure);

/* STOP. Objects of this image's types are neither registered nor queued any more. */
void cn_finalisers_forget(const struct cairn_image *image);

#endif
