/* SPDX-License-Identifier: Apache-2.0
 *
 * What the semispace collector and its validator share.
 */
#ifndef CN_COLLECTORS_SEMISPACE_H
#define CN_COLLECTORS_SEMISPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <cairn/heap_object.h>
#include "collectors/spaces.h"

/* The heap while the collector has the allocation buffer, [free, end). */
struct cn_semispace_view {
  const struct cn_space *current, *spare;
  size_t capacity; /* of current */
  uintptr_t free, end;
};

/* Phase STOP, before the first object is copied or after the last: what is wrong, or null. */
const char *cn_semispace_wrong(const struct cn_semispace_view *view);

/* STOP. Visit the stretches of large objects, and what lies between them. */
void cn_semispace_large_stretches(cairn_stretch_visitor *visit, void *env);

#endif
