/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of addresses out of one large reservation, for collectors that copy; independent of objects. Phases INIT and
 * STOP, except cn_spaces_was_unmapped().
 */
#ifndef CN_COLLECTORS_SPACES_H
#define CN_COLLECTORS_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_space {
  uintptr_t base;
  size_t room;      /* bytes of addresses */
  size_t committed; /* bytes with memory, from the base on */
  size_t touched;   /* bytes that may be nonzero, from the base on */
};

/* Reserve addresses for two spaces of `bytes` each, and for many more. False: there are too few. */
bool cn_spaces_init(size_t bytes, struct cn_space *first, struct cn_space *second);

/* True if `address` lies in the reservation. */
bool cn_spaces_contain(uintptr_t address);
/* The bounds of the reservation. */
void cn_spaces_bounds(uintptr_t *start, uintptr_t *end);

/* Give the space memory for `bytes` from its base on. */
bool cn_space_commit_memory(struct cn_space *space, size_t bytes);

/* Extend the space's addresses to `bytes`. `other`, which may lie behind it and has no objects, moves to other
 * addresses, and loses its memory. False: there are too few addresses. */
bool cn_space_widen(struct cn_space *space, struct cn_space *other, size_t bytes);

/* Release memory beyond `bytes`. */
void cn_space_release_beyond(struct cn_space *space, size_t bytes);

/* Collection `number` has left `space`: make its addresses inaccessible, and leave them unused for long. If enough
 * addresses are reserved, `space` moves to fresh ones, with its memory, whose contents are undefined. `used` is another
 * space, in use. */
void cn_space_hide_and_renew(struct cn_space *space, const struct cn_space *used, uint64_t number);

/* Give a renewed or unused space memory for `bytes` or somewhat more; it may move. False: there is too little memory,
 * or too few addresses; the space is empty then, or unchanged. */
bool cn_space_fit_memory(struct cn_space *space, const struct cn_space *used, size_t bytes);

/* Async-signal-safe. True if cn_space_hide_and_renew() made `address` inaccessible: `*number` is the collection, the
 * last one if there are several, or 0 if that is too long ago. */
bool cn_spaces_was_unmapped(uintptr_t address, uint64_t *number);

#endif
