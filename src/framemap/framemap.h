/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame maps: the object side writes them into section `cairn_frames`, the walker reads them. This header is the
 * reader's interface; the encoding is drawn in src/framemap/framemap_format.h.
 *
 * SP of a frame at its safepoint is the canonical frame address (CFA) of its callee (docs/llvm-22.md, "the callee's
 * CFA").
 */
#ifndef CN_FRAMEMAP_FRAMEMAP_H
#define CN_FRAMEMAP_FRAMEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/frames_x86_64.h"

/* A place in a frame: a register (by DWARF number: at a preserve_all call, caller-saved ones too) or memory. */
struct cn_frame_place {
  uint8_t is_register; /* then `reg` holds the value; else the value is in memory at reg + offset */
  uint8_t reg;         /* DWARF number: the register, or the base (SP: at the safepoint) */
  int32_t offset;
};

/* A safepoint, decoded. */
struct cn_safepoint {
  uint8_t cfa_reg;                             /* DWARF number of a base (cn_port_base_registers) */
  int32_t cfa_offset;                          /* CFA = reg + offset */
  uint8_t saved;                               /* bits of enum cn_reg that the prologue has saved */
  int32_t saved_offset[CN_CALLEE_SAVED_COUNT]; /* at CFA + this (negative) */
  uint64_t id;                                 /* statepoint id */
  uint32_t roots;                              /* number of cn_root */
  uint32_t areas;                              /* number of cn_described_area */
  const unsigned char *cursor;                 /* reader's own: where the roots start */
  const unsigned char *end;
  bool in_areas; /* reader's own: the number of areas has been read */
};

/* A live reference. The bases come first: underived roots, one for each place that holds a base. The base of a derived
 * reference is listed at the same safepoint. Each place is listed once. */
struct cn_root {
  struct cn_frame_place base, derived;
  bool is_derived; /* false: a base; both places are the same */
};

/* A described alloca: `count` elements of `stride` bytes from reg + offset on, each with one reference `ref_offset`
 * bytes in. An alloca whose elements hold several references comes as several areas. The reader delivers `ref_offset`
 * 0: an area starts at its first reference. */
struct cn_described_area {
  uint8_t reg;
  int32_t offset;
  uint32_t tag; /* 0, or CAIRN_ROOT_USER and greater: words of the language's own */
  uint64_t count, stride, ref_offset;
  uint64_t parameter; /* of the tag */
};

/* Statuses: 0, or negative. */
enum cn_framemap_status { CN_FRAMEMAP_OK = 0, CN_FRAMEMAP_BAD = -1, CN_FRAMEMAP_NONE = -2 };

/* A function of a section. `entry` is its address, found from the section's own position. */
struct cn_framemap_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t safepoints;
  bool no_barriers;          /* its object leaves its barriers unstated */
  const unsigned char *data; /* reader's own */
  const unsigned char *end;
};

/* Step through the functions of [*cursor, end). CN_FRAMEMAP_NONE at the end. On CN_FRAMEMAP_BAD *cursor is where the
 * malformed bytes begin. Works on the section as linked and mapped (addresses are position-relative). */
int cn_framemap_next_function(const unsigned char **cursor, const unsigned char *end,
                              struct cn_framemap_function *function);
/* The i-th safepoint's return address as an offset from the entry; they ascend. */
int cn_framemap_read_return_offset(const struct cn_framemap_function *function, uint32_t index, uint32_t *offset);
/* True if the maps of both functions are equal, apart from their entries. */
bool cn_framemap_is_same(const struct cn_framemap_function *one, const struct cn_framemap_function *other);
/* Decode the i-th safepoint. */
int cn_framemap_read_safepoint(const struct cn_framemap_function *function, uint32_t index, struct cn_safepoint *out);
/* Decode the safepoint's roots in turn, then its areas; roots may be skipped. Each call takes the struct that
 * cn_framemap_read_safepoint() filled. CN_FRAMEMAP_NONE at the end. */
int cn_framemap_next_root(struct cn_safepoint *safepoint, struct cn_root *out);
int cn_framemap_next_area(struct cn_safepoint *safepoint, struct cn_described_area *out);

#endif
