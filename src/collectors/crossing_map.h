/* SPDX-License-Identifier: Apache-2.0
 *
 * Crossing maps find the object that an interior pointer belongs to. C passes pointers into objects as arguments and
 * results, and a callee's stack map can only name the argument itself as the base; so a root on a stack may be an
 * interior pointer, one past the end included.
 *
 * For heaps of a single range of blocks without gaps. While the program runs, the start of each buffer is noted, where
 * a block starts. When a collection meets interior pointers, a walk over the blocks from these places makes the map, as
 * far as the pointers reach. The map is forgotten after that collection.
 */
#ifndef CN_COLLECTORS_CROSSING_MAP_H
#define CN_COLLECTORS_CROSSING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address just after the block at `block`; its payload goes to `payload`. In a damaged heap it calls
 * cairn_fatal(). */
typedef uintptr_t cn_crossing_step_over_block(uintptr_t block, uintptr_t *payload);

/* Sets *bytes to the size of the payload of the object at `at`, whose header is `header`. Headers are checked. False:
 * it is no header of an object that is `indexed`, or of one that is not. */
bool cn_crossing_measure_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes);

/* Bytes between places that are worth noting: a walk over so many is short. */
#define CN_CROSSING_APART ((size_t)256 << 10)
/* Bytes between places if collections look up object starts: the walk for each root is shorter. */
#define CN_CROSSING_NEAR ((size_t)32 << 10)

/* INIT or STOP: the range of blocks begins here, and all other places are forgotten. Noted places will be at least
 * `apart` bytes apart. */
void cn_crossing_set_heap_start(uintptr_t start, size_t apart);

/* Any phase, under the collector's lock: a block starts here, now or later, and no earlier block will reach beyond, as
 * at the start of a buffer (cairn_buffer_give()). `block` is at or after the place noted last. */
void cn_crossing_note_block_start(uintptr_t block);

/* Any phase, under the collector's lock: buffers were returned, so blocks behind `end` will start elsewhere. */
void cn_crossing_forget_starts_after(uintptr_t end);

/* Phase STOP. Begin a map of all blocks up to `end`. False: there is no memory for it. */
bool cn_crossing_begin_map(uintptr_t end, cn_crossing_step_over_block *step);

/* The payload of the object that `address` points into or just past, or 0. */
uintptr_t cn_crossing_find_object(uintptr_t address);

/* The number of maps that were begun. */
uint64_t cn_crossing_map_count(void);

/* Forget the map; it may be built again. */
void cn_crossing_drop_map(void);

#endif
