/* SPDX-License-Identifier: Apache-2.0
 *
 * What keeps an object with managed code from being linked before its stack maps are frame maps: a
 * reference to a hidden symbol that nothing defines. Shared by compile and object side.
 *
 *   the compile side   lets the image's list of frame maps begin at that symbol, which loaders of
 *                      objects in memory look up; and emits a section with its address, which every
 *                      linker keeps and reads
 *   the object side    gives the symbol its right name, __start_cairn_frames, which linkers define,
 *                      and takes the section out
 */
#ifndef CN_BASE_GUARD_H
#define CN_BASE_GUARD_H

/* Linkers complain of it by name: it says what to do. */
#define CN_GUARD_SYMBOL "cairn_object_that_needs_cairn_frames_rewrite"
/* A C identifier: gold and mold keep sections of such names, the others what is in llvm.used. */
#define CN_GUARD_SECTION "cairn_guard"
/* What the symbol is called afterwards. */
#define CN_GUARD_BOUND "__start_cairn_frames"

#endif
