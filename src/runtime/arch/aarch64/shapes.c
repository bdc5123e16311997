/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the table of the places of saved registers on AArch64 (registers.h has the picture). The table is constant:
 * stack walks read it on any thread, in any phase, without locks.
 */
#include "runtime/arch/arch.h"

#define RECORD_OFFSET(n) ((uintptr_t)0 - ((n) + 1) / 2 * 16 - 16)
#define HAS(n, reg) ((reg) == CN_X29 || (reg) < (n))
/* The last register of an odd number lies in the lower half of its pair. */
#define PLACE_OFFSET(n, reg) \
  ((reg) == CN_X29 ? RECORD_OFFSET(n) : (uintptr_t)0 - 8 * ((reg) + 1 + ((reg) + 1 == (n) && (n) % 2)))
#define KEEP_MASK(n, reg) (HAS(n, reg) ? 0 : UINTPTR_MAX)
#define OFFSET(n, reg) (HAS(n, reg) ? PLACE_OFFSET(n, reg) : 0)
#define FOR_EACH_SAVED(what, n) \
  {what(n, CN_X19), what(n, CN_X20), what(n, CN_X21), what(n, CN_X22), what(n, CN_X23), what(n, CN_X24), \
   what(n, CN_X25), what(n, CN_X26), what(n, CN_X27), what(n, CN_X28), what(n, CN_X29)}
#define PROLOGUE_SHAPE(n) {.keep = FOR_EACH_SAVED(KEEP_MASK, n), .offset = FOR_EACH_SAVED(OFFSET, n)}

const struct cn_prologue_shape cn_arch_prologue_shapes[CN_ARCH_SHAPES] = {
    PROLOGUE_SHAPE(0), PROLOGUE_SHAPE(1), PROLOGUE_SHAPE(2), PROLOGUE_SHAPE(3), PROLOGUE_SHAPE(4), PROLOGUE_SHAPE(5),
    PROLOGUE_SHAPE(6), PROLOGUE_SHAPE(7), PROLOGUE_SHAPE(8), PROLOGUE_SHAPE(9), PROLOGUE_SHAPE(10)};
