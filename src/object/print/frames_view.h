/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds, joins and checks the frame maps and details of a file, for printing and counting. Private to src/object.
 */
#ifndef CN_OBJECT_PRINT_FRAMES_VIEW_H
#define CN_OBJECT_PRINT_FRAMES_VIEW_H

#include "base/vector.h"
#include "framemap/details.h"
#include "framemap/details_format.h"
#include "framemap/framemap.h"
#include "object/elf/elf_file.h"

struct cn_frames_function {
  const char *name; /* null: unknown */
  uint64_t address; /* in an image; of an object made up, but always within its section */
  uint32_t section; /* the code's; 0: unknown */
  struct cn_framemap_function map;
  struct cn_details_function details; /* `safepoints` is 0 if the function lacks details */
};

/* A thing with its place, and its number in the file, which orders those with equal places. */
struct cn_frames_indexed_place {
  uint64_t at;
  uint32_t index;
};
struct cn_frames_place_table {
  CN_VECTOR(struct cn_frames_indexed_place) list; /* sorted */
};

struct cn_frames_view {
  struct cn_elf_file elf;                         /* placed */
  CN_VECTOR(struct cn_frames_function) functions; /* in the order of their maps in the file */
  /* Made when the first span is looked up: sections by their place in our copy, and symbols by
   * address, section symbols excepted. */
  struct cn_frames_place_table copies, symbols;
};

/* Read all of the file's maps, so that later reads succeed. Negative on error, or if section cairn_frames is missing;
 * *error is then a message to free. */
int cn_frames_view_open(struct cn_frames_view *view, const void *bytes, size_t size, char **error);
void cn_frames_view_close(struct cn_frames_view *view);

/* Read the details of a function's safepoint into *out. False: the safepoint has none. */
bool cn_frames_view_read_details(const struct cn_frames_function *entry, uint32_t return_offset,
                                 struct cn_details *out);

/* Look up an entry of the span table. An address is that of `symbol` (in an object also the name of a section; null:
 * unknown) plus `value`; a number is `value`. False: the file lacks the entry. */
struct cn_frames_span {
  uint64_t key, value;
  bool is_address;
  const char *symbol;
};
bool cn_frames_view_find_span(struct cn_frames_view *view, const struct cn_details *details, uint32_t index,
                              struct cn_frames_span *out);

/* The name of a register by DWARF number; the buffer holds 16 bytes. */
const char *cn_frames_register_name(unsigned dwarf, char *buffer);

#endif
