/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the object that an interior pointer belongs to. C passes pointers into objects as arguments
 * and results, and a callee's stack map can only name the argument itself as the base; so a root on
 * a stack may be an interior pointer, one past the end included.
 *
 * For heaps that are one run of blocks without gaps. While the program runs, it is noted where a
 * buffer begins, for a block starts there. A walk over the blocks from there makes the map when a
 * collection meets such roots, as far as these reach, and the map is forgotten after that
 * collection.
 */
#ifndef CN_COLLECTORS_CROSSING_MAP_H
#define CN_COLLECTORS_CROSSING_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address just after the block at `block`, and its payload through `payload`. Never fails:
 * calls cairn_fatal(). */
typedef uintptr_t cn_crossing_step(uintptr_t block, uintptr_t *payload);

/* The bytes of payload of the object at `at`, of which `header` is the header, into *bytes. Headers
 * are not trusted. False: it is none of an object that is `indexed`, or of one that is not. */
bool cn_crossing_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes);

/* Bytes between places that are worth noting: a walk over as many is short. */
#define CN_CROSSING_APART ((size_t)256 << 10)
/* Bytes between them where collections look starts up: a walk for each root is shorter. */
#define CN_CROSSING_NEAR ((size_t)32 << 10)

/* INIT or STOP: the run of blocks begins here, and nothing else is known of it. Places that are
 * noted will lie `apart` bytes apart, at least. */
void cn_crossing_from(uintptr_t start, size_t apart);

/* Any phase, under the collector's lock: a block starts here, or will, and none before it will
 * reach beyond, as at the start of a buffer (cairn_buffer_give()). At or after what was noted last.
 */
void cn_crossing_note(uintptr_t block);

/* The same: no block lies from here on any more, since buffers were given back. Blocks that will
 * lie there start elsewhere. */
void cn_crossing_forget(uintptr_t end);

/* Phase STOP. Begin a map of all blocks up to `end`. False: no memory for it. */
bool cn_crossing_begin(uintptr_t end, cn_crossing_step *step);

/* The payload address of the object that `address` points into or just past; 0 if it lies in none.
 */
uintptr_t cn_crossing_find(uintptr_t address);

/* So many maps were begun. */
uint64_t cn_crossing_maps(void);

/* Forget the map; it may be built again. */
void cn_crossing_drop(void);

#endif
