/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes LLVM stack maps: the section `.llvm_stackmaps` (ELF) or `__llvm_stackmaps` (Mach-O), versions 1 to
 * 3. The functions are in libcairn-object.a, and need only the C library (neither libelf nor libdw). There are three
 * parts:
 *   - the decoder reads `length` bytes, without allocating or changing memory;
 *   - the functions for ELF files find the stack maps of a file, and apply relocations;
 *   - the encoder turns a model into bytes.
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
 * A linker concatenates the maps of its inputs; the loop above steps from map to map. cairn_stackmap_open() checks
 * every length, count, kind, index and reserved byte of one map, so that the other functions of the decoder always
 * succeed. The caller must pass indices in the range that the structure of the map or the record gives.
 * cairn_stackmap_write() writes an accepted map again byte for byte. The decoder has no state, and the caller keeps
 * ownership of the bytes: any number of threads may read. stackmaps-v2 describes version 2 of the format.
 *
 * In a relocatable object the function addresses are zero until cairn_stackmap_file_open() applies relocations.
 */
#ifndef CAIRN_STACKMAP_H
#define CAIRN_STACKMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error in a map. */
struct cairn_stackmap_error {
  size_t offset; /* bytes to the error from the start of the map, or from the start of the file for errors of files */
  const char *reason; /* static text */
};

/* A map: a header, functions, constants and records. */
struct cairn_stackmap {
  const unsigned char *bytes;
  size_t length; /* bytes of this map; the next map of the section begins after them */
  unsigned version;
  uint32_t functions, constants, records;
  size_t functions_offset, constants_offset, records_offset;
};

/* The values of unknown facts. The stack size of a frame with dynamic or over-aligned allocas is UNKNOWN_SIZE. Version
 * 1 lacks the functions' record counts, which are UNKNOWN_COUNT; in such a map of several functions a record's function
 * is UNKNOWN_FUNCTION. */
#define CAIRN_STACKMAP_UNKNOWN_SIZE UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_COUNT UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_FUNCTION UINT32_MAX

struct cairn_stackmap_function {
  uint64_t address;
  uint64_t stack_size;
  uint64_t records;
  size_t
      offset; /* offset of this entry, which begins with the address and so is the offset of the address's relocation */
};

struct cairn_stackmap_record {
  uint64_t id;
  uint32_t function; /* index */
  uint32_t
      instruction_offset; /* bytes from the function's entry to the record's place; for a call, to the return address */
  uint16_t flags;
  uint16_t locations, live_outs;
  size_t offset, locations_offset, live_outs_offset;
};

enum cairn_stackmap_kind {
  CAIRN_STACKMAP_REGISTER = 1,   /* the value is in the register */
  CAIRN_STACKMAP_DIRECT,         /* the value is register + offset, the address of a stack object */
  CAIRN_STACKMAP_INDIRECT,       /* the value is in memory at register + offset */
  CAIRN_STACKMAP_CONSTANT,       /* the value is in the map */
  CAIRN_STACKMAP_CONSTANT_INDEX, /* the encoded map refers to a constant of the pool; the decoded location is CONSTANT
                                  * with `pooled` */
};

struct cairn_stackmap_location {
  enum cairn_stackmap_kind kind; /* never CONSTANT_INDEX */
  bool pooled;    /* the constant comes from the pool and has 64 bits; otherwise 32 bits, sign-extended */
  uint16_t size;  /* bytes of the value */
  uint16_t reg;   /* DWARF number */
  int32_t offset; /* bytes from the register, or the index in the pool */
  uint64_t value; /* the value of a constant */
};

struct cairn_stackmap_live_out {
  uint16_t reg; /* DWARF number */
  uint8_t size; /* in bytes */
};

/* Checks and opens the map at the start of `bytes`. After the failures TRUNCATED, VERSION, RESERVED, COUNT, KIND and
 * CONSTANT, *error, unless `error` is null, has the reason and its offset. */
enum cairn_status cairn_stackmap_open(const void *bytes, size_t length, struct cairn_stackmap *map,
                                      struct cairn_stackmap_error *error);
/* Entry number `index`, below map->functions, of the list of functions. */
struct cairn_stackmap_function cairn_stackmap_function(const struct cairn_stackmap *map, uint32_t index);
/* Constant number `index`, below map->constants, of the pool. */
uint64_t cairn_stackmap_constant(const struct cairn_stackmap *map, uint32_t index);

/* A position in a map's records; a zero-initialised cursor is before the first record. */
struct cairn_stackmap_cursor {
  size_t offset;
  uint32_t next, function;
  uint64_t in_function;
};
/* Reads the next record, in the order of the functions; returns false at the end. */
bool cairn_stackmap_next(const struct cairn_stackmap *map, struct cairn_stackmap_cursor *cursor,
                         struct cairn_stackmap_record *record);
/* Location number `index`, below record->locations. */
struct cairn_stackmap_location cairn_stackmap_location(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record, uint32_t index);
/* Live-out register number `index`, below record->live_outs. */
struct cairn_stackmap_live_out cairn_stackmap_live_out(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record, uint32_t index);

/* ---- Statepoints ---- */

/* The parts of a statepoint's record (statepoints-later, "Stack Map Format"): calling convention, flags, number of
 * deopt locations; the deopt locations; pairs of a base and a derived reference; the allocas of "gc-live". The record
 * lacks the number of allocas: only their kind, Direct, distinguishes them from pairs. The format does not mark the
 * records of statepoints: a record counts as one if it begins with three constants that LLVM could write for a
 * statepoint (calling convention up to 1023, flags up to 3). Members `first` are location numbers, for
 * cairn_stackmap_location(). */
struct cairn_stackmap_statepoint {
  uint64_t calling_convention, flags;
  uint32_t deopt_first, deopt_count;
  uint32_t pairs_first, pairs;
  uint32_t allocas_first, allocas;
};
/* Finds the parts of a statepoint's record. The failures are NOT_STATEPOINT, DEOPT and PAIRS, with *error as for
 * cairn_stackmap_open(). */
enum cairn_status cairn_stackmap_statepoint(const struct cairn_stackmap *map,
                                            const struct cairn_stackmap_record *record,
                                            struct cairn_stackmap_statepoint *statepoint,
                                            struct cairn_stackmap_error *error);

/* ---- Cairn's additions to statepoints ----
 *
 * A function that rewrite-statepoints made has roots besides the pairs. References in locals whose address is taken,
 * references that are live into an unwind pad, and all references of a function in slot mode (docs/relocation.md) lie
 * in memory of the frame. Cairn describes their places in constants and Direct locations after the program's own deopt
 * locations. A decoder that reads only pairs misses these roots, and a decoder that reads all deopt locations sees too
 * many values.
 *
 *   struct cairn_stackmap_described described;
 *   struct cairn_stackmap_area area = {0};
 *   if (cairn_stackmap_described(&map, &record, &statepoint, &described, &error) < 0)
 *     ...
 *   while (cairn_stackmap_area(&map, &record, &described, &area))
 *     for (uint64_t e = 0; e < area.count; e++)
 *       for (uint32_t i = 0; i < area.references; i++)
 *         root(register area.place.reg + area.place.offset + e * area.stride +
 *              cairn_stackmap_area_offset(&map, &record, &area, i));
 *
 * With `--roots=pairs` Cairn lists roots only in pairs. */
struct cairn_stackmap_described {
  uint32_t deopt_count; /* number of the program's own deopt locations, the first of statepoint.deopt_count */
  uint32_t areas;       /* number of described areas */
  uint32_t spans;       /* number of open spans (docs/spans.md) */
  uint32_t areas_first, areas_end, spans_first; /* location numbers, for the functions below */
};
/* An area in the frame: `count` elements of `stride` bytes. Each element has `references` references, which are null or
 * the address of an object. The references are up to date at the safepoint, and the program reads them again after the
 * safepoint, so a collector updates them in place. An area without references is one word that holds a root of the
 * language's own form. */
struct cairn_stackmap_area {
  struct cairn_stackmap_location place; /* a Direct location: the area's address is register + offset */
  uint64_t count, stride;
  uint32_t references;
  uint64_t offset, tag,
      parameter;               /* for a word of the language's own form: bytes from the address, tag and parameter */
  uint32_t offsets_first, end; /* location numbers, for the functions below */
};
/* Finds the described areas and open spans of a record, and checks all of their locations; deopt_count also excludes
 * the description of a point ("Points", below). The failures are DESCRIBED, SPANS, POINT and PLACE, with *error as for
 * cairn_stackmap_open(). */
enum cairn_status cairn_stackmap_described(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                           const struct cairn_stackmap_statepoint *statepoint,
                                           struct cairn_stackmap_described *described,
                                           struct cairn_stackmap_error *error);
/* Steps to the area after *area, or to the first area if *area is zero-initialised; returns false at the end. */
bool cairn_stackmap_area(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                         const struct cairn_stackmap_described *described, struct cairn_stackmap_area *area);
/* Bytes from an element's start to its reference number `index`, below area->references. */
uint64_t cairn_stackmap_area_offset(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                    const struct cairn_stackmap_area *area, uint32_t index);
/* An open span: the index of its entry in the object's section cairn_spans, and the depth of the function that opened
 * the span, which is the number of functions that it was inlined into. */
struct cairn_stackmap_span {
  uint32_t index, depth;
};
/* Span number `index`, below described->spans; the smallest span has number 0. */
struct cairn_stackmap_span cairn_stackmap_span(const struct cairn_stackmap *map,
                                               const struct cairn_stackmap_record *record,
                                               const struct cairn_stackmap_described *described, uint32_t index);

/* ---- Points ----
 *
 * A point is a place of managed code that a runtime may patch (docs/patching.md): the shadow of an
 * llvm.experimental.stackmap, a patchpoint, or a statepoint with patch bytes. LLVM's record of a point lacks the kind,
 * the length of the region and the types of the values; Cairn adds them in constants (abi.def, POINT_MARK). The region
 * of a shadow and a patchpoint begins at the record's offset, the region of a statepoint ends there. */
enum cairn_stackmap_point_kind {
  CAIRN_STACKMAP_SHADOW,
  CAIRN_STACKMAP_PATCHPOINT,
  CAIRN_STACKMAP_PATCHABLE_STATEPOINT,
  CAIRN_STACKMAP_FENCE, /* not a point: a record of Cairn's that ends the shadow before it; without bytes and values */
};
struct cairn_stackmap_point {
  enum cairn_stackmap_point_kind kind;
  uint32_t calling_convention; /* LLVM's number */
  uint32_t bytes;              /* length of the region; 0 at PATCHABLE_STATEPOINT: the statepoint has no patch bytes, is
                                * not a point, and its description has only the classes of its deopt values */
  bool has_result;             /* value 0 is the result: the place that the patched code writes (anyregcc) */
  bool has_target;             /* the region has a call of a target; otherwise it has only no-ops, or for a shadow the
                                * code that follows */
  uint32_t arguments;          /* number of arguments with places (anyregcc), after the result */
  uint32_t values;             /* number of all values: the result, the arguments and the live values */
  uint32_t values_first, classes_first; /* location numbers, for cairn_stackmap_point_value() */
};
enum cairn_stackmap_value_class {
  CAIRN_STACKMAP_INTEGER,
  CAIRN_STACKMAP_FLOAT,     /* of 16, 32 or 64 bits; as a deopt value also of 80 and 128 */
  CAIRN_STACKMAP_POINTER,   /* an ordinary pointer */
  CAIRN_STACKMAP_REFERENCE, /* null, an object, or an address in an object */
  CAIRN_STACKMAP_UNDEFINED, /* the program left the value undefined; the place is meaningless */
  CAIRN_STACKMAP_LOCAL,     /* the address of a local of the frame */
  CAIRN_STACKMAP_VECTOR,    /* a deopt value: the lanes from the lowest address on */
};
/* A value: the low `bits` bits (1 to 64, of a deopt value 1 to 128) of its place, or of the location's constant. LLVM
 * leaves the other bits undefined. */
struct cairn_stackmap_point_value {
  enum cairn_stackmap_value_class value_class;
  uint32_t bits;
  struct cairn_stackmap_location place;
};
/* Finds the parts of a point's record, or the classes of a statepoint's deopt values, and checks all of the
 * description. NOT_POINT: the record lacks a description, like the record of a statepoint without deopt values. POINT:
 * the description is malformed. *error is as for cairn_stackmap_open(). */
enum cairn_status cairn_stackmap_point(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                       struct cairn_stackmap_point *point, struct cairn_stackmap_error *error);
/* Value number `index`, below point->values. */
struct cairn_stackmap_point_value cairn_stackmap_point_value(const struct cairn_stackmap *map,
                                                             const struct cairn_stackmap_record *record,
                                                             const struct cairn_stackmap_point *point, uint32_t index);

/* ---- ELF files ---- */

/* The stack maps of an ELF file for x86-64, AArch64 or 64-bit RISC-V: a relocatable object, such as a member of an
 * archive, an executable or a shared object. The structure owns a copy of the stack maps, so the caller may free the
 * file's bytes. Opening applies the relocations of an object, and the dynamic relocations of an image that was linked
 * with text relocations or a writable copy of the section.
 *
 * In a relocatable object functions have no addresses yet. Opening gives each section a unique address other than 0,
 * and relocates the function addresses of stack maps by this address; cairn_stackmap_file_function() takes such
 * addresses. In an image the addresses are the addresses in the file, before the loader moves the image. Address zero
 * means that the function is undefined in the file, or that the linker dropped it.
 *
 * After opening, several threads may read at once. The process ends with a message if memory is exhausted. */
struct cairn_stackmap_file;

/* Opens a file of `length` bytes; the caller closes *file by cairn_stackmap_file_close(). ELF: the file is damaged.
 * NO_MAPS: the file lacks a section .llvm_stackmaps, and would otherwise look like a file without roots. After a
 * failure *file is null, and *error, unless `error` is null, has the reason and an offset in the file. */
enum cairn_status cairn_stackmap_file_open(const void *bytes, size_t length, struct cairn_stackmap_file **file,
                                           struct cairn_stackmap_error *error);
/* Closes a file, which may be null. */
void cairn_stackmap_file_close(struct cairn_stackmap_file *file);

/* e_machine of the file's header, such as EM_X86_64; it determines the DWARF numbers of registers. */
unsigned cairn_stackmap_file_machine(const struct cairn_stackmap_file *file);
/* True for a relocatable object, whose addresses are made up. */
bool cairn_stackmap_file_is_object(const struct cairn_stackmap_file *file);

struct cairn_stackmap_section {
  const unsigned char *bytes; /* relocated maps, one after the other, valid until the file is closed */
  size_t length;
  size_t file_offset; /* offset of the first byte in the file; to find an error in the file, add the error's offset */
  unsigned index;     /* in the section table */
};
/* Reads section number `index`, from 0, of the sections with stack maps, in the order of the section table; returns
 * false at the end. */
bool cairn_stackmap_file_section(const struct cairn_stackmap_file *file, unsigned index,
                                 struct cairn_stackmap_section *section);

struct cairn_stackmap_symbol {
  const char *name;    /* until the file is closed */
  const char *section; /* name of the section that holds the symbol */
  unsigned section_index;
  uint64_t address, size;  /* of the symbol */
  uint64_t section_offset; /* of the symbol */
};
/* Finds the function symbol whose extent includes the address; returns false if the file lacks such a symbol. */
bool cairn_stackmap_file_function(const struct cairn_stackmap_file *file, uint64_t address,
                                  struct cairn_stackmap_symbol *symbol);

/* The name of a register by its DWARF number: "rsp" of x86-64, "x19" of AArch64, "s0" of RISC-V; null if the machine or
 * the number is unknown. Static text. */
const char *cairn_stackmap_register_name(unsigned machine, unsigned reg);

/* ---- The encoder ---- */

/* A record to write. `function` and the offsets of struct cairn_stackmap_record are ignored. */
struct cairn_stackmap_record_model {
  struct cairn_stackmap_record record;            /* id, instruction_offset, flags, locations, live_outs */
  const struct cairn_stackmap_location *location; /* record.locations of them */
  const struct cairn_stackmap_live_out *live_out; /* record.live_outs of them */
};

/* A map to write, in the decoder's structures. Records must be in the order of the functions, and the functions' record
 * counts assign the records to functions. Version 1 omits the counts. */
struct cairn_stackmap_model {
  unsigned version; /* 1 to 3 */
  uint32_t functions, constants, records;
  const struct cairn_stackmap_function *function;
  const uint64_t *constant;
  const struct cairn_stackmap_record_model *record;
};

/* Writes the map into `bytes`, a buffer of `room` bytes. *length becomes the size of the map. ROOM: the map exceeds the
 * buffer, which may be null. After the other failures *length is 0, and *error is as for cairn_stackmap_open(), with
 * the offset of the wrong field in the map. VERSION, COUNT and KIND are as for cairn_stackmap_open(). CONSTANT: a
 * pooled constant's index is outside the pool. VALUE: a constant's value differs from its pool entry, or from its
 * sign-extended offset. SIZE: a size exceeds 255 in version 1 or 2. After all failures the buffer is unchanged.
 *
 * A written map decodes to the model, and a decoded map is written as the same bytes. Any thread may call. */
enum cairn_status cairn_stackmap_write(const struct cairn_stackmap_model *model, void *bytes, size_t room,
                                       size_t *length, struct cairn_stackmap_error *error);

#ifdef __cplusplus
}
#endif
#endif
