/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that died where they were made (pass give-back): the next allocation of the thread gets
 * their memory, while it is in the cache.
 */
#ifndef CN_RUNTIME_HEAP_GIVE_BACK_H
#define CN_RUNTIME_HEAP_GIVE_BACK_H

#include <stddef.h>

/* The block of a large object that the thread gave back since the last collection, for an object of
 * `bytes` without references; or null. What it contains is anything. Phase MUTATE. */
void *cn_give_back_again(size_t bytes);

#endif
