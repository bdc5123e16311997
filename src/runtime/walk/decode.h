/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoints, decoded from the frame map into what a walk reads.
 */
#ifndef CN_RUNTIME_WALK_DECODE_H
#define CN_RUNTIME_WALK_DECODE_H

#include "runtime/core/grow.h"
#include "runtime/walk/index.h"

/* The memory of an image's decoded safepoints; zero-initialised is empty. */
struct cn_maps_chunk {
  unsigned char *at;
  size_t bytes, used;
};
struct cn_maps {
  CN_GROW(struct cn_maps_chunk) chunks;
};

/* Decode the function's safepoint `index`. A malformed frame map ends the program. */
const struct cn_map *cn_maps_decode(struct cn_maps *maps, const struct cn_framemap_function *function, uint32_t index);

/* Key, value and codes of its entry in the table. */
uint64_t cn_maps_key(const struct cn_map *map, uintptr_t pc);
uint64_t cn_maps_value(const struct cn_map *map);
void cn_maps_codes(const struct cn_map *map, uint16_t code[CN_ENTRY_CODES]);

void cn_maps_forget(struct cn_maps *maps);
size_t cn_maps_memory(const struct cn_maps *maps);

#endif
