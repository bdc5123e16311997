/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes safepoints from the frame map into the form for walks.
 */
#ifndef CN_RUNTIME_WALK_DECODE_H
#define CN_RUNTIME_WALK_DECODE_H

#include "runtime/core/grow.h"
#include "runtime/walk/index.h"

/* The memory of an image's decoded safepoints; zero-initialised is empty. */
struct cn_map_memory_chunk {
  unsigned char *at;
  size_t bytes, used;
};
struct cn_map_memory {
  CN_GROW(struct cn_map_memory_chunk) chunks;
};

/* Decode the function's safepoint `index`. A malformed frame map ends the program. */
const struct cn_frame_map *cn_maps_decode_safepoint(struct cn_map_memory *maps,
                                                    const struct cn_framemap_function *function, uint32_t index);

uint64_t cn_maps_entry_key(const struct cn_frame_map *map, uintptr_t pc);
uint64_t cn_maps_entry_value(const struct cn_frame_map *map);
void cn_maps_copy_codes(const struct cn_frame_map *map, uint16_t code[CN_ENTRY_CODES]);

void cn_maps_free(struct cn_map_memory *maps);
size_t cn_maps_memory_bytes(const struct cn_map_memory *maps);

#endif
