/* SPDX-License-Identifier: Apache-2.0
 *
 * Declares the reader of section `cairn_points`. A point is a place of managed code that a runtime may patch: the
 * shadow of a stackmap, a patchpoint, or a statepoint with patch bytes (docs/frame-maps.md). The object side writes the
 * section, and patching reads it; a stack walk needs no points. src/framemap/points_format.h describes the encoding.
 */
#ifndef CN_FRAMEMAP_POINTS_H
#define CN_FRAMEMAP_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/framemap.h"

/* The kinds of points and the classes of values have the numbers of abi.def, POINT_SHADOW and POINT_INTEGER. */
enum cn_point_kind { CN_POINT_SHADOW, CN_POINT_PATCHPOINT, CN_POINT_STATEPOINT, CN_POINT_KINDS };

enum cn_point_class {
  CN_POINT_INTEGER,
  CN_POINT_FLOAT,   /* of 16, 32 or 64 bits */
  CN_POINT_POINTER, /* an address outside the heap */
  CN_POINT_REFERENCE,
  CN_POINT_UNDEFINED, /* the program has no value; the reader gives the constant 0 */
  CN_POINT_LOCAL,     /* the address of an alloca */
  CN_POINT_CLASSES
};

/* A function of a section. `entry` is its address, computed from the section's position. An entry occurs again, with
 * equal points, if a linker folded equal functions and kept the points of each. */
struct cn_points_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t points;
  const unsigned char *data, *end; /* private to the reader, like `port` */
  const struct cn_frame_port *port;
};

/* A point, decoded. The region is the code that may be patched, as a whole; several points with empty regions may have
 * one place. The counts are the numbers of items that are still to be read. */
struct cn_point {
  uint32_t start, length; /* the region: its offset from the entry, and its bytes */
  uint64_t id;            /* the program's number, which may repeat */
  enum cn_point_kind kind;
  uint16_t convention;       /* LLVM's number of the calling convention */
  bool has_target;           /* the region contains a call of the program's target */
  bool has_result;           /* the first value is the place of the result (anyregcc) */
  uint32_t arguments;        /* number of values after the result that are arguments of the call (anyregcc) */
  struct cn_safepoint frame; /* frame address and saved registers at the region's start; no roots and no areas */
  uint32_t values, live_outs;
  const unsigned char *cursor, *end; /* private to the reader, like all later members */
  bool in_live_outs;
};

/* A value at the region's start: the result's place, then the arguments, then the live values. */
struct cn_point_value {
  enum cn_point_class value_class;
  uint8_t bits; /* the value's width, 1 to 64; the place's higher bits have no meaning */
  enum { CN_POINT_CONSTANT, CN_POINT_REGISTER, CN_POINT_MEMORY, CN_POINT_ADDRESS } kind;
  struct cn_frame_place loc; /* REGISTER and MEMORY: the value's place; ADDRESS: the value is loc.reg + loc.offset */
  uint64_t constant;         /* without the bits above `bits` */
};

/* A register whose value the code after the region needs. */
struct cn_point_live_out {
  uint8_t reg; /* DWARF number */
  uint8_t size;
};

/* The functions below return an enum cn_framemap_status. Read the next function of [*cursor, end), in a file of the
 * port. CN_FRAMEMAP_NONE at the end. With CN_FRAMEMAP_BAD, *cursor is the start of the malformed bytes. The section
 * must be linked and mapped, because addresses are position-relative. */
int cn_points_next_function(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                            struct cn_points_function *function);
/* Read the region of point `index`. Regions ascend, lie in the code, and share no byte. */
int cn_points_read_region(const struct cn_points_function *function, uint32_t index, uint32_t *start, uint32_t *length);
/* Decode point `index`. */
int cn_points_read_point(const struct cn_points_function *function, uint32_t index, struct cn_point *out);
/* Decode the next value of the point; after the values, cn_points_next_live_out() decodes the live-outs. Callers may
 * skip values. Each call takes the struct that cn_points_read_point() filled. CN_FRAMEMAP_NONE at the end. */
int cn_points_next_value(struct cn_point *point, struct cn_point_value *out);
int cn_points_next_live_out(struct cn_point *point, struct cn_point_live_out *out);

#endif
