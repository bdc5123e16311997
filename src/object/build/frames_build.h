/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the stack maps and the call-frame information of one object. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_FRAMES_BUILD_H
#define CN_OBJECT_BUILD_FRAMES_BUILD_H

#include "framemap/framemap_format.h"
#include "object/elf/elf_file.h"

/* The functions of an object with their maps. cn_frames_wrong() checks that each function's code lies in a code section
 * of the object, that each function's map is well formed (cn_map_function_wrong()), and that spans are entries of the
 * span table. */
struct cn_frames {
  CN_VECTOR(struct cn_map_function) functions; /* sorted by section, then by offset */
  uint32_t span_table;                         /* the object's section `cairn_spans`, or 0 */
  struct cn_inline_chains *sources;            /* owns the strings of details, or null */
};

/* Read the stack maps of an open relocatable object that has no addresses yet. Negative on error. Records that frame
 * maps cannot express, or that contradict the code, are errors with the function's name. */
int cn_frames_build(struct cn_elf_file *elf, struct cn_frames *frames, char **error);
void cn_frames_free(struct cn_frames *frames);

/* frames_check.c */
const char *cn_frames_wrong(const struct cn_elf_file *elf, const struct cn_frames *frames);

/* details_build.c: append the blocks of section `cairn_details`, and compare the details of two functions. */
struct cn_section_pieces;
bool cn_details_are_same(const struct cn_map_function *a, const struct cn_map_function *b);
void cn_details_encode(const struct cn_frames *frames, struct cn_section_pieces *out);

/* statepoint_roots.c: set the roots, areas, id and details of `out` from one statepoint's record. `out->frame` already
 * has the frame address and saved registers by the call-frame information; the frame address may get another base. The
 * object's span table has `spans` entries. Null, or the reason of a refusal. */
struct cairn_stackmap;
struct cairn_stackmap_record;
const char *cn_statepoint_roots_build(const struct cn_frame_port *port, const struct cairn_stackmap *map,
                                      const struct cairn_stackmap_record *record, uint32_t spans,
                                      struct cn_map_safepoint *out);

/* points_build.c: append the point that a record describes to the points of the function, whose code begins at `entry`,
 * with address `address`. Null, or the reason of a refusal. */
struct cn_point_source {
  const struct cairn_stackmap *map;
  const struct cairn_stackmap_record *record;
  struct cn_cfi *cfi;
  const unsigned char *entry;
  uint64_t address;
};
struct cairn_stackmap_point;
const char *cn_point_build(const struct cn_point_source *source, const struct cairn_stackmap_point *point,
                           struct cn_map_function *function);

/* Check that a fence ends each shadow of a function, whose `records` records begin at the cursor, on a port with
 * fences_shadows. Null, or the reason of a refusal, with the offset of the shadow's record. */
struct cairn_stackmap_cursor;
const char *cn_points_check_fences(const struct cairn_stackmap *map, struct cairn_stackmap_cursor cursor,
                                   uint64_t records, uint32_t *offset);

/* Sort the points of a function, whose safepoints are complete, and check regions against each other and against the
 * safepoints. Null, or the reason of a refusal, with the offset of the point. */
const char *cn_points_sort_and_check(struct cn_map_function *function, uint32_t *offset);

bool cn_points_are_same(const struct cn_map_function *a, const struct cn_map_function *b);

/* inline_chains.c: finds the source locations of safepoints, with inlined functions. */

/* Set the sources of the safepoints that the object's debug information covers. Null if the information is missing. The
 * result owns the strings of the sources; close it after their last use and before the object. */
struct cn_inline_chains *cn_inline_chains_find(struct cn_elf_file *elf, struct cn_frames *frames);
void cn_inline_chains_close(struct cn_inline_chains *sources);

#endif
