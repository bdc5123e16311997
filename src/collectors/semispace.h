/* SPDX-License-Identifier: Apache-2.0
 *
 * What the semispace collector and its validator share.
 */
#ifndef CN_COLLECTORS_SEMISPACE_H
#define CN_COLLECTORS_SEMISPACE_H

#include <stdbool.h>
#include <stdint.h>
#include "collectors/spaces.h"

/* The low bits of a header whose layout is gone; above them is the size of the payload. A layout's
 * address has zeros there, that of a copy a one. */
enum { CN_GONE = 2, CN_GONE_BITS = 3 };

static inline bool cn_header_is_gone(uintptr_t header)
{
  return (header & ((1u << CN_GONE_BITS) - 1)) == CN_GONE;
}

/* The heap while the collector has the allocation buffer, [free, end). */
struct cn_semispace_view {
  const struct cn_space *current, *spare;
  size_t capacity; /* of current */
  uintptr_t free, end;
};

/* Phase STOP, before the first object is copied or after the last: what is wrong, or null. */
const char *cn_semispace_wrong(const struct cn_semispace_view *view);

#endif
