/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of addresses out of one large reservation, for collectors that copy; independent of objects. All functions run
 * in phases INIT and STOP. cn_space_commit_memory() and cn_space_widen() also run in phase MUTATE, under the
 * collector's lock. Signal handlers may call cn_spaces_was_unmapped().
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

/* Reserve addresses for two spaces of `bytes` each, and for many more spaces. False if too few addresses are free. */
bool cn_spaces_init(size_t bytes, struct cn_space *first, struct cn_space *second);

/* True if `address` lies in the reservation. */
bool cn_spaces_contain(uintptr_t address);
/* The bounds of the reservation. */
void cn_spaces_bounds(uintptr_t *start, uintptr_t *end);

/* Commit memory for the first `bytes` of the space. */
bool cn_space_commit_memory(struct cn_space *space, size_t bytes);

/* Extend the space's addresses to `bytes`. The space `other`, which has no objects, loses its memory and moves to other
 * addresses. False if too few addresses are left. */
bool cn_space_widen(struct cn_space *space, struct cn_space *other, size_t bytes);

/* Release memory beyond `bytes`. */
void cn_space_release_beyond(struct cn_space *space, size_t bytes);

/* After collection `number` has left `space`, make the addresses of `space` inaccessible, and leave them unused for
 * long. If enough addresses are reserved, `space` moves to fresh addresses with its memory, whose contents are
 * undefined. The fresh addresses lie outside of the space `used`. */
void cn_space_hide_and_renew(struct cn_space *space, const struct cn_space *used, uint64_t number);

/* Give a renewed or unused space memory for at least `bytes`; the space may move. False if memory is short, and the
 * space is then empty. False if addresses are short, and the space is then unchanged. */
bool cn_space_fit_memory(struct cn_space *space, const struct cn_space *used, size_t bytes);

/* Async-signal-safe. True if cn_space_hide_and_renew() may have made `address` inaccessible. `*number` is then the last
 * collection that hid `address`, or 0 if the log lacks that collection. */
bool cn_spaces_was_unmapped(uintptr_t address, uint64_t *number);

#endif
