/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard: a reference to a hidden, undefined symbol, so that an object with managed code does not link before its
 * stack maps have become frame maps. The compile side and the object side share these names.
 *
 *   the compile side   lets the image's list of frame maps begin at that symbol, which loaders of objects in memory
 *                      look up, and emits a section with the symbol's address, which every linker keeps and reads
 *   the object side    renames the symbol to __start_cairn_frames, which linkers define, and removes the section
 */
#ifndef CN_BASE_GUARD_H
#define CN_BASE_GUARD_H

/* The name states the remedy, because linkers report the symbol by name. */
#define CN_GUARD_SYMBOL "cairn_object_that_needs_cairn_frames_rewrite"
/* gold and mold keep this section for its name, a C identifier; other linkers keep it because it is in llvm.used. */
#define CN_GUARD_SECTION "cairn_guard"
/* The symbol's name after the object side has renamed it. */
#define CN_GUARD_BOUND "__start_cairn_frames"

#endif
