/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the object that an interior pointer belongs to. C passes pointers into objects as arguments
 * and results, and a callee's stack map can only name the argument itself as the base; so a root on
 * a stack may be an interior pointer, one past the end included.
 *
 * For heaps that are one run of blocks without gaps. Nothing is kept up while the program runs: a
 * walk over the blocks makes the map when a collection meets such roots, as far as these reach, and
 * the map is forgotten after that collection.
 */
#ifndef CN_COLLECTORS_STARTS_H
#define CN_COLLECTORS_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address just after the block at `block`, and its payload through `payload`. Never fails:
 * calls cairn_fatal(). */
typedef uintptr_t cn_starts_step(uintptr_t block, uintptr_t *payload);

/* The bytes of payload of the object at `at`, of which `header` is the header, into *bytes. Headers
 * are not trusted. False: it is none of an object that is `indexed`, or of one that is not. */
bool cn_starts_payload(uintptr_t header, uintptr_t at, bool indexed, uint64_t *bytes);

/* Phase STOP. Begin a map of the blocks in [from, end). A block begins at `middle`, too, unless it
 * is `end`: roots beyond it do not ask for a walk over what lies before. False: no memory for it.
 */
bool cn_starts_begin(uintptr_t from, uintptr_t middle, uintptr_t end, cn_starts_step *step);

/* The payload address of the object that `address` points into or just past; 0 if it lies in none.
 */
uintptr_t cn_starts_find(uintptr_t address);

/* Forget the map; it may be built again. */
void cn_starts_drop(void);

#endif
