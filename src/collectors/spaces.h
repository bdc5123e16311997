/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of addresses out of one large reservation, for collectors that copy. Knows nothing of
 * objects. Phases INIT and STOP, but for cn_spaces_unmapped().
 */
#ifndef CN_COLLECTORS_SPACES_H
#define CN_COLLECTORS_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cn_space {
  uintptr_t base;
  size_t room;      /* addresses */
  size_t committed; /* of them, from base on, have memory */
  size_t touched;   /* bytes of that, from base on, that may be other than zero */
};

/* Reserve addresses for two spaces of `bytes` each, and for many more. False: there are none. */
bool cn_spaces_init(size_t bytes, struct cn_space *first, struct cn_space *second);

/* True if `address` lies in the reservation. */
bool cn_spaces_contain(uintptr_t address);
/* Where they are. */
void cn_spaces_bounds(uintptr_t *start, uintptr_t *end);

/* Give the space memory for `bytes` from its base on. */
bool cn_space_commit(struct cn_space *space, size_t bytes);

/* Give it addresses for `bytes`, behind those that it has. `other`, which may lie there, has no
 * objects; it gets other addresses, and no memory. False: there are none. */
bool cn_space_widen(struct cn_space *space, struct cn_space *other, size_t bytes);

/* Take memory beyond `bytes` away again. */
void cn_space_trim(struct cn_space *space, size_t bytes);

/* Collection `number` emptied `space`: make its addresses inaccessible, and do not use them again
 * for long. If enough addresses are reserved, `space` is now at fresh ones, with its memory, whose
 * contents are anything. `used` is another space, in use. */
void cn_space_renew(struct cn_space *space, const struct cn_space *used, uint64_t number);

/* Give a space that was renewed, or was not used yet, memory for `bytes` and not very much more; it
 * may get other addresses. False: no memory, or too few addresses; the space is empty then, or as
 * it was. */
bool cn_space_fit(struct cn_space *space, const struct cn_space *used, size_t bytes);

/* Async-signal-safe. True if cn_space_renew() made `address` inaccessible: `*number` is the
 * collection, the last if there are several, or 0 if that was too long ago to know. */
bool cn_spaces_unmapped(uintptr_t address, uint64_t *number);

#endif
