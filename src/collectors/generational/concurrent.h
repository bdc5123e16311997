/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent full collections: a marking, then a sweep. The collecting thread calls these functions in phase STOP.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_CONCURRENT_H
#define CN_COLLECTORS_GENERATIONAL_CONCURRENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The blocks that each stop sweeps, because the background thread hardly runs between collections that follow each
 * other fast. Tests change the number. */
extern size_t cn_concurrent_swept_per_stop;

/* Called once, at the start of a collection: sweeps some blocks. True if the sweep of all blocks has ended since the
 * previous collection. */
bool cn_concurrent_sweep_some(void);

/* True if a marking may begin, because neither a marking nor a sweep is running. */
bool cn_concurrent_may_begin_marking(void);
/* True if all blocks are swept. */
bool cn_concurrent_is_swept(void);

/* Begins a marking before a young collection, whose roots are the first roots of the marking. */
void cn_concurrent_begin_marking(void);

/* Called at the end of a young collection during marking. Both functions work until `deadline`, in processor time of
 * this thread. cn_concurrent_mark_roots() visits roots of deferred frames. cn_concurrent_finish_marking() scans, and
 * returns true if all reachable objects are marked; otherwise the marker continues concurrently. */
void cn_concurrent_mark_roots(uint64_t deadline);
bool cn_concurrent_finish_marking(uint64_t deadline);

/* Called after cn_concurrent_finish_marking() has returned true. Unmarked objects of the old space and unreached large
 * objects are gone. Returns the bytes of objects in the old space. A concurrent sweep begins; then the memory of free
 * blocks is released, except the bytes of cn_concurrent_set_kept_bytes(). */
size_t cn_concurrent_start_sweep(void);
void cn_concurrent_set_kept_bytes(size_t bytes);
/* Releases memory again, after more blocks have become free. */
void cn_concurrent_release_memory(void);

/* Abandons a marking, and completes a sweep, before a full collection in one stop. */
void cn_concurrent_abandon_work(void);

#endif
