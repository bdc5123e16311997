/* SPDX-License-Identifier: Apache-2.0
 *
 * Read LLVM stack maps: the section `.llvm_stackmaps` (ELF) or `__llvm_stackmaps` (Mach-O),
 * versions 1 to 3. Usable alone: (bytes, length) in, needs nothing but the C library, allocates
 * nothing, changes nothing.
 *
 *   struct cairn_stackmap map;
 *   struct cairn_stackmap_error error;
 *   for (size_t at = 0; at < length; at += map.length) {
 *     if (cairn_stackmap_open(bytes + at, length - at, &map, &error) < 0)
 *       fprintf(stderr, "offset %zu: %s\n", at + error.offset, error.reason);
 *     struct cairn_stackmap_cursor cursor = {0};
 *     struct cairn_stackmap_record record;
 *     while (cairn_stackmap_next(&map, &cursor, &record))
 *       ...
 *   }
 *
 * A linker concatenates the maps of its inputs: the loop above steps through them.
 * cairn_stackmap_open() checks every length, count, kind and index of one map, so what follows it
 * cannot fail: an index out of the range that the struct before it gives is the caller's defect.
 * Nothing is owned or kept: any thread may read, as long as the bytes stay. The format is that of
 * the seeds' stackmaps-v2, with what versions 1 and 3 have otherwise.
 *
 * In a relocatable object the function addresses are zero until relocations are applied.
 */
#ifndef CAIRN_STACKMAP_H
#define CAIRN_STACKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every way to fail: (name, status, text). */
#define CAIRN_STACKMAP_STATUSES(X)                                                    \
  X(OK, 0, "no error")                                                                \
  X(TRUNCATED, -1, "the stack map ends too early")                                    \
  X(VERSION, -2, "unknown stack map version")                                         \
  X(RESERVED, -3, "reserved header bytes are not zero")                               \
  X(COUNT, -4, "the functions' record counts do not add up to the number of records") \
  X(KIND, -5, "unknown location kind")                                                \
  X(CONSTANT, -6, "constant index out of range")                                      \
  X(NOT_STATEPOINT, -7, "the record is not one of a statepoint")                      \
  X(DEOPT, -8, "more deopt locations announced than there are locations")             \
  X(PAIRS, -9, "base and derived locations do not come in pairs")

enum cairn_stackmap_status {
#define X(name, value, text) CAIRN_STACKMAP_E_##name = value,
  CAIRN_STACKMAP_STATUSES(X)
#undef X
};

struct cairn_stackmap_error {
  size_t offset;      /* of the byte that is wrong, from the start of this map */
  const char *reason; /* static text */
};

/* One map: a header, functions, constants and records. */
struct cairn_stackmap {
  const unsigned char *bytes;
  size_t length; /* of this map; the next one, if any, begins here */
  unsigned version;
  uint32_t functions, constants, records;
  size_t functions_offset, constants_offset, records_offset;
};

/* A stack size of this is a frame with dynamic or over-aligned allocas. Version 1 does not say
 * which record is whose. */
#define CAIRN_STACKMAP_UNKNOWN_SIZE UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_COUNT UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_FUNCTION UINT32_MAX

struct cairn_stackmap_function {
  uint64_t address;
  uint64_t stack_size;
  uint64_t records;
  size_t offset; /* of this entry, which begins with the address: what a relocation names */
};

struct cairn_stackmap_record {
  uint64_t id;
  uint32_t function;           /* index */
  uint32_t instruction_offset; /* from the function's entry: the return address, for a call */
  uint16_t flags;
  uint16_t locations, live_outs;
  size_t offset, locations_offset, live_outs_offset;
};

enum cairn_stackmap_kind {
  CAIRN_STACKMAP_REGISTER = 1, /* the value is in the register */
  CAIRN_STACKMAP_DIRECT,       /* the value is register + offset: a stack object's address */
  CAIRN_STACKMAP_INDIRECT,     /* the value is in memory at register + offset */
  CAIRN_STACKMAP_CONSTANT,     /* the value is in the map */
  CAIRN_STACKMAP_CONSTANT_INDEX, /* but for cairn_stackmap_location.pooled */
};

struct cairn_stackmap_location {
  enum cairn_stackmap_kind kind; /* never CONSTANT_INDEX */
  bool pooled;    /* the constant comes from the pool: 64 bits; else 32, sign-extended */
  uint16_t size;  /* of the value in bytes */
  uint16_t reg;   /* DWARF number */
  int32_t offset; /* or the pool index */
  uint64_t value; /* of a constant */
};

struct cairn_stackmap_live_out {
  uint16_t reg; /* DWARF number */
  uint8_t size; /* in bytes */
};

/* Check the map at the start of `bytes` and open it. CAIRN_STACKMAP_E_OK, or a negative status:
 * `*error` (which may be null) then says what is wrong and where. */
int cairn_stackmap_open(const void *bytes, size_t length, struct cairn_stackmap *map,
                        struct cairn_stackmap_error *error);
/* Entry number `index`, below map->functions, of the list of functions. */
struct cairn_stackmap_function cairn_stackmap_function(const struct cairn_stackmap *map,
                                                       uint32_t index);
/* Constant number `index`, below map->constants, of the pool. */
uint64_t cairn_stackmap_constant(const struct cairn_stackmap *map, uint32_t index);

/* Zero-initialised: before the first record. */
struct cairn_stackmap_cursor {
  size_t offset;
  uint32_t next, function;
  uint64_t in_function;
};
/* The next record, in the order of the functions; false at the end. */
bool cairn_stackmap_next(const struct cairn_stackmap *map, struct cairn_stackmap_cursor *cursor,
                         struct cairn_stackmap_record *record);
/* Location number `index`, below record->locations. */
struct cairn_stackmap_location cairn_stackmap_location(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record,
                                                       uint32_t index);
/* Live-out register number `index`, below record->live_outs. */
struct cairn_stackmap_live_out cairn_stackmap_live_out(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record,
                                                       uint32_t index);

/* A statepoint's record taken apart: which locations are what (statepoints-later, "Stack Map
 * Format"): calling convention, flags, number of deopt locations; the deopt locations; pairs of a
 * base and a derived reference; allocas. The allocas of "gc-live" come last, unpaired and
 * uncounted; they are told apart by being Direct. */
struct cairn_stackmap_statepoint {
  uint64_t calling_convention, flags;
  uint32_t deopt_first, deopt_count;
  uint32_t pairs_first, pairs;
  uint32_t allocas_first, allocas;
};
/* Status and `*error` as of cairn_stackmap_open(): NOT_STATEPOINT, DEOPT or PAIRS. */
int cairn_stackmap_statepoint(const struct cairn_stackmap *map,
                              const struct cairn_stackmap_record *record,
                              struct cairn_stackmap_statepoint *statepoint,
                              struct cairn_stackmap_error *error);

#ifdef __cplusplus
}
#endif
#endif
