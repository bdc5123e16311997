/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes safepoints from the frame map into the form for walks.
 */
#ifndef CN_RUNTIME_WALK_DECODE_H
#define CN_RUNTIME_WALK_DECODE_H

#include "runtime/tables/blocks.h"
#include "runtime/walk/index.h"

/* The memory of an image's decoded safepoints; zero-initialised is empty. Chunks double in size. */
struct cn_map_chunk;
struct cn_map_memory {
  struct cn_map_chunk *newest;
};

/* Decode the function's safepoint `index`, which returns to `pc`, into memory of `blocks`. A malformed frame map ends
 * the program. */
const struct cn_frame_map *cn_maps_decode_safepoint(struct cn_map_memory *maps, struct cn_blocks *blocks,
                                                    const struct cn_framemap_function *function, uint32_t index,
                                                    uintptr_t pc);

/* True if a safepoint's frame saves a register outside of the frame, which makes its map malformed. */
bool cn_maps_save_outside(const struct cn_safepoint *safepoint);

uint64_t cn_maps_entry_key(const struct cn_frame_map *map, uintptr_t pc);
uint64_t cn_maps_entry_value(const struct cn_frame_map *map);
void cn_maps_copy_codes(const struct cn_frame_map *map, uint16_t code[CN_ENTRY_CODES]);

/* Call `visit` for each map. */
typedef void cn_maps_visitor(const struct cn_frame_map *map, uintptr_t pc);
void cn_maps_visit(const struct cn_map_memory *maps, cn_maps_visitor *visit);

/* True if the map lies in this memory. */
bool cn_maps_have(const struct cn_map_memory *maps, const struct cn_frame_map *map);

void cn_maps_free(struct cn_map_memory *maps, struct cn_blocks *blocks);

#endif
