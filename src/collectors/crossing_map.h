/* SPDX-License-Identifier: Apache-2.0
 *
 * Crossing maps find the object that an interior pointer belongs to. C programs pass pointers into objects as arguments
 * and results, which the callee's stack map then lists as bases. So a root on a stack may be an interior pointer, or
 * point just past the object's end.
 *
 * The heap must be a single range of blocks without gaps. While the program runs, the collector notes the start of each
 * buffer as a block start. In a collection with interior pointers, a walk over the blocks from these starts makes the
 * map, up to the greatest interior pointer. The collector drops the map after the collection.
 */
#ifndef CN_COLLECTORS_CROSSING_MAP_H
#define CN_COLLECTORS_CROSSING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the end of the block at `block`, and stores the address of the block's payload in *payload. Calls
 * cairn_fatal() in a damaged heap. */
typedef uintptr_t cn_crossing_step_over_block(uintptr_t block, uintptr_t *payload);

/* Sets *bytes to the size of the payload of the object at `at`, whose header is `header`. Returns false if `header` is
 * not the header of an object, or if the object disagrees with `indexed`. */
bool cn_crossing_measure_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes);

/* The usual distance of noted block starts, in bytes; a walk over so many bytes is short. */
#define CN_CROSSING_APART ((size_t)256 << 10)
/* The distance of noted block starts if collections look up object starts, so that the walk for each root is
 * shorter. */
#define CN_CROSSING_NEAR ((size_t)32 << 10)

/* INIT or STOP. Sets the start of the range of blocks, and forgets all noted block starts. New noted block starts will
 * be at least `apart` bytes apart. */
void cn_crossing_set_heap_start(uintptr_t start, size_t apart);

/* MUTATE, under the collector's lock; or INIT or STOP. Notes that a block starts at `block`, now or later, and that
 * earlier blocks end at `block` or before, as at the start of a buffer (cairn_buffer_give()). `block` must be at or
 * after the last noted start. */
void cn_crossing_note_block_start(uintptr_t block);

/* MUTATE, under the collector's lock; or STOP. Forgets noted block starts behind `end`, after the return of buffers. */
void cn_crossing_forget_starts_after(uintptr_t end);

/* Phase STOP. Begins a map of all blocks up to `end`. Returns false if there is no memory for the map. */
bool cn_crossing_begin_map(uintptr_t end, cn_crossing_step_over_block *step);

/* Phase STOP. The payload of the object that `address` points into or just past, or 0. Changes the map, so only one
 * thread at a time calls the function. */
uintptr_t cn_crossing_find_object(uintptr_t address);

uint64_t cn_crossing_map_count(void);

void cn_crossing_drop_map(void);

#endif
