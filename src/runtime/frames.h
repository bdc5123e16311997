/* SPDX-License-Identifier: Apache-2.0
 *
 * The index over the frame maps of all images: return address to safepoint. Built at the first
 * question after an image came or went, in memory straight from the system; a frame map that cannot
 * be read ends the program.
 */
#ifndef CN_RUNTIME_FRAMES_H
#define CN_RUNTIME_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/framemap.h"

/* A safepoint, decoded: what the walk needs first, what only root enumeration needs behind it. Kept
 * until an image comes or goes. */
struct cn_map {
  uint8_t cfa_reg; /* DWARF number */
  uint8_t saves;
  int32_t cfa_offset;
  struct {
    uint8_t reg;    /* enum cn_reg */
    int32_t offset; /* from the CFA */
  } saved[CN_CALLEE_SAVED];
  uint32_t roots, areas;
  const struct cn_area *area;
  struct cn_root root[];
};

/* The safepoint that returns to `pc`. Null: there is no record of it. */
const struct cn_map *cn_frames_find(uintptr_t pc);

/* True if the call that returns to `pc` lies in a function that has frame maps. */
bool cn_frames_inside(uintptr_t pc);

#endif
