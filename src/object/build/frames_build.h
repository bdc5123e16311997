/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins stack maps and call-frame information of one object. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_FRAMES_BUILD_H
#define CN_OBJECT_BUILD_FRAMES_BUILD_H

#include "framemap/framemap_format.h"
#include "object/elf/elf_file.h"

/* Invariant (cn_frames_wrong()): the code of each function lies in a section of code of the object, each function's map
 * is well formed (cn_map_function_wrong()), and spans are entries of the span table. */
struct cn_frames {
  CN_VECTOR(struct cn_map_function) functions; /* by section, then offset */
  uint32_t span_table;                         /* the object's section `cairn_spans`, or 0 */
  struct cn_inline_chains *sources;            /* holds the strings of details, or null */
};

/* Read the stack maps of a relocatable object that was opened and is still to be placed. Negative on error: records
 * that frame maps cannot express, or that contradict the code, are refused with the function's name. */
int cn_frames_build(struct cn_elf_file *elf, struct cn_frames *frames, char **error);
void cn_frames_free(struct cn_frames *frames);

/* frames_check.c */
const char *cn_frames_wrong(const struct cn_elf_file *elf, const struct cn_frames *frames);

/* details_build.c: append the blocks of section `cairn_details`; compare the details of two functions. */
struct cn_section_pieces;
bool cn_details_are_same(const struct cn_map_function *a, const struct cn_map_function *b);
void cn_details_encode(const struct cn_frames *frames, struct cn_section_pieces *out);

/* statepoint_roots.c: fill roots, areas, id and details of `out` from one statepoint's record. `out->frame` has the
 * frame's shape already; the object's span table has `spans` entries. Null, or why the record is refused. */
struct cairn_stackmap;
struct cairn_stackmap_record;
const char *cn_statepoint_roots_build(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                      uint32_t spans, struct cn_map_safepoint *out);

/* inline_chains.c: finds source places of safepoints, with inlined functions. */

/* Fill in the sources of the safepoints that the object's debug information covers. Null: the object lacks it. The
 * result owns the strings of the sources and must be closed after their last use, before the object. */
struct cn_inline_chains *cn_inline_chains_find(struct cn_elf_file *elf, struct cn_frames *frames);
void cn_inline_chains_close(struct cn_inline_chains *sources);

#endif
