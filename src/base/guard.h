/* SPDX-License-Identifier: Apache-2.0
 *
 * The guard that keeps an object with managed code from being linked before its stack maps are frame maps: a reference
 * to a hidden, undefined symbol. Shared by compile and object side.
 *
 *   the compile side   lets the image's list of frame maps begin at that symbol, which loaders of
 *                      objects in memory look up; and emits a section with its address, which every
 *                      linker keeps and reads
 *   the object side    gives the symbol its right name, __start_cairn_frames, which linkers define,
 *                      and takes the section out
 */
#ifndef CN_BASE_GUARD_H
#define CN_BASE_GUARD_H

/* Linkers complain of the symbol by name: the name tells the remedy. */
#define CN_GUARD_SYMBOL "cairn_object_that_needs_cairn_frames_rewrite"
/* The name is a C identifier: gold and mold keep sections of such names, other linkers keep the contents of llvm.used.
 */
#define CN_GUARD_SECTION "cairn_guard"
/* The symbol's name afterwards. */
#define CN_GUARD_BOUND "__start_cairn_frames"

#endif
