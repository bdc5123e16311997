/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the reader of frame maps, which the object side writes into section `cairn_frames` and the stack walk reads.
 * src/framemap/framemap_format.h describes the encoding.
 *
 * SP of a frame at its safepoint is the canonical frame address (CFA) of its callee (docs/llvm-22.md, "the callee's
 * CFA").
 */
#ifndef CN_FRAMEMAP_FRAMEMAP_H
#define CN_FRAMEMAP_FRAMEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/port.h"

/* A place in a frame: memory or a register, by DWARF number. At a preserve_all call, the register may be
 * caller-saved. */
struct cn_frame_place {
  uint8_t is_register; /* if set, `reg` contains the value; else memory at reg + offset */
  uint8_t reg;         /* DWARF number of the register or base (for SP, its value at the safepoint) */
  int32_t offset;
};

/* The place where a call goes on if an exception without a type arrives. All zero: the exception passes. */
struct cn_landing {
  uint32_t pad;      /* the landing pad's offset from the function's entry, or 0 */
  uint32_t selector; /* the number that the pad gets: of its clause for all exceptions, or 0 for a cleanup */
  uint32_t popped;   /* bytes of arguments on the stack that the pad expects to be removed */
  bool barred;       /* only an unwinder knows: the function lists the exceptions that may pass, or none may pass */
};

/* A safepoint, decoded. */
struct cn_safepoint {
  uint8_t cfa_reg;                    /* DWARF number of a base of the port */
  int32_t cfa_offset;                 /* CFA = reg + offset */
  uint32_t saved;                     /* bits of callee-saved registers that the prologue has saved */
  int32_t saved_offset[CN_SAVED_MAX]; /* the registers' offsets from the CFA (negative) */
  int32_t return_address_offset;      /* the return address's offset from the CFA (negative) */
  uint64_t id;                        /* statepoint id */
  struct cn_landing landing;
  uint32_t roots;              /* number of cn_root */
  uint32_t areas;              /* number of cn_described_area */
  const unsigned char *cursor; /* private to the reader, like all later members: start of the roots */
  const unsigned char *end;
  const struct cn_frame_port *port;
  bool in_areas; /* the number of areas has been read */
};

/* A live reference. Base pointers come first, one for each place with a base pointer. Each derived reference has its
 * base pointer in the same list. Each place occurs once. */
struct cn_root {
  struct cn_frame_place base, derived;
  bool is_derived; /* false for a base pointer, whose two places are equal */
};

/* An area of a described alloca: `count` elements of `stride` bytes from reg + offset on, each with a reference at
 * `ref_offset`. An alloca whose elements have several references has several areas. The reader gives `ref_offset` 0,
 * because an encoded area starts at its first reference. */
struct cn_described_area {
  uint8_t reg;
  int32_t offset;
  uint32_t tag; /* 0, or at least CAIRN_ROOT_USER for roots by tag */
  uint64_t count, stride, ref_offset;
  uint64_t parameter; /* of the tag */
};

/* The statuses of readers: 0, or negative. */
enum cn_framemap_status { CN_FRAMEMAP_OK = 0, CN_FRAMEMAP_BAD = -1, CN_FRAMEMAP_NONE = -2 };

/* A function of a section. `entry` is its address, computed from the section's position. */
struct cn_framemap_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t safepoints;
  bool no_barriers;          /* its object does not state its kind of barriers */
  const unsigned char *data; /* private to the reader, like all later members */
  const unsigned char *end;
  const struct cn_frame_port *port;
};

/* Read the next function of [*cursor, end), in a file of the port. CN_FRAMEMAP_NONE at the end. With CN_FRAMEMAP_BAD,
 * *cursor is the start of the malformed bytes. The section must be linked and mapped, because addresses are
 * position-relative. */
int cn_framemap_next_function(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                              struct cn_framemap_function *function);
/* Read the return address of safepoint `index` as an offset from the entry. Return offsets ascend. */
int cn_framemap_read_return_offset(const struct cn_framemap_function *function, uint32_t index, uint32_t *offset);
/* True if the maps of both functions are equal except for their entries. */
bool cn_framemap_is_same(const struct cn_framemap_function *one, const struct cn_framemap_function *other);
/* Decode safepoint `index`. */
int cn_framemap_read_safepoint(const struct cn_framemap_function *function, uint32_t index, struct cn_safepoint *out);
/* Decode the next root of the safepoint; after the roots, cn_framemap_next_area() decodes the areas. Callers may skip
 * roots. Each call takes the struct that cn_framemap_read_safepoint() filled. CN_FRAMEMAP_NONE at the end. */
int cn_framemap_next_root(struct cn_safepoint *safepoint, struct cn_root *out);
int cn_framemap_next_area(struct cn_safepoint *safepoint, struct cn_described_area *out);

#endif
