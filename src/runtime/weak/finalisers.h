/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects that are registered for finalisers, and queues of registered objects that a collection found unreachable.
 */
#ifndef CN_RUNTIME_WEAK_FINALISERS_H
#define CN_RUNTIME_WEAK_FINALISERS_H

#include <stdbool.h>
#include <cairn/collector.h>

/* Register an object of a finalisable type. Phase MUTATE, on the thread that allocated the object. */
void cn_finalisers_add_object(uintptr_t reference);

/* Queue the registered objects that are still unreached, and reach them and all objects that they keep alive. True if
 * there was such an object. Phase STOP. */
bool cn_finalisers_queue_dead(const struct cairn_closure *closure);

/* Drop the registered and the queued objects of this image's types. Phase STOP. */
void cn_finalisers_forget_image(const struct cairn_image *image);

#endif
