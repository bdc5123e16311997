/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the table of the places of pushed registers on x86-64. The table is constant: stack walks read it on any
 * thread, in any phase, without locks. Compilers push in the order rbp r15 r14 r13 r12 rbx; the first push is at CFA -
 * 16.
 */
#include "runtime/arch/arch.h"

enum {
  BEFORE_RBP = 0,
  BEFORE_R15 = 1 << CN_RBP,
  BEFORE_R14 = BEFORE_R15 | 1 << CN_R15,
  BEFORE_R13 = BEFORE_R14 | 1 << CN_R14,
  BEFORE_R12 = BEFORE_R13 | 1 << CN_R13,
  BEFORE_RBX = BEFORE_R12 | 1 << CN_R12,
};

#define KEEP_MASK(mask, reg) ((mask) >> CN_##reg & 1 ? 0 : UINTPTR_MAX)
#define PUSH_OFFSET(mask, reg) \
  ((mask) >> CN_##reg & 1 ? (uintptr_t)0 - 16 - 8 * (uintptr_t)__builtin_popcount((mask) & BEFORE_##reg) : 0)
#define FOR_EACH_SAVED(what, mask) \
  {what(mask, RBX), what(mask, RBP), what(mask, R12), what(mask, R13), what(mask, R14), what(mask, R15)}
#define PROLOGUE_SHAPE(mask) {.keep = FOR_EACH_SAVED(KEEP_MASK, mask), .offset = FOR_EACH_SAVED(PUSH_OFFSET, mask)}
#define SHAPES4(mask) \
  PROLOGUE_SHAPE(mask), PROLOGUE_SHAPE((mask) + 1), PROLOGUE_SHAPE((mask) + 2), PROLOGUE_SHAPE((mask) + 3)
#define SHAPES16(mask) SHAPES4(mask), SHAPES4((mask) + 4), SHAPES4((mask) + 8), SHAPES4((mask) + 12)

const struct cn_prologue_shape cn_arch_prologue_shapes[CN_ARCH_SHAPES] = {SHAPES16(0), SHAPES16(16), SHAPES16(32),
                                                                          SHAPES16(48)};
