/* SPDX-License-Identifier: Apache-2.0
 *
 * Read and write LLVM stack maps: the section `.llvm_stackmaps` (ELF) or `__llvm_stackmaps`
 * (Mach-O), versions 1 to 3. Usable alone: of libcairn-object.a this header needs nothing but the
 * C library (no libelf, no libdw). Three parts:
 *   - the decoder: (bytes, length) in, allocates nothing, changes nothing;
 *   - ELF files: where in a file the stack maps are, with relocations applied;
 *   - the encoder: a model in, bytes out.
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
 * cairn_stackmap_open() checks every length, count, kind, index and reserved byte of one map, so
 * what follows it cannot fail: an index out of the range that the struct before it gives is the
 * caller's defect. What it accepts, cairn_stackmap_write() writes again byte for byte.
 * Nothing is owned or kept: any thread may read, as long as the bytes stay. The format is that of
 * stackmaps-v2, with what versions 1 and 3 have otherwise.
 *
 * In a relocatable object the function addresses are zero until relocations are applied, which
 * cairn_stackmap_file_open() does.
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

/* What is wrong with a map. */
struct cairn_stackmap_error {
  size_t offset;      /* of what is wrong, from the start of this map; of a file, from its start */
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
  CAIRN_STACKMAP_REGISTER = 1,   /* the value is in the register */
  CAIRN_STACKMAP_DIRECT,         /* the value is register + offset: a stack object's address */
  CAIRN_STACKMAP_INDIRECT,       /* the value is in memory at register + offset */
  CAIRN_STACKMAP_CONSTANT,       /* the value is in the map */
  CAIRN_STACKMAP_CONSTANT_INDEX, /* but for cairn_stackmap_location.pooled */
};

struct cairn_stackmap_location {
  enum cairn_stackmap_kind kind; /* never CONSTANT_INDEX */
  bool pooled;                   /* the constant comes from the pool: 64 bits; else 32, sign-extended */
  uint16_t size;                 /* of the value in bytes */
  uint16_t reg;                  /* DWARF number */
  int32_t offset;                /* or the pool index */
  uint64_t value;                /* of a constant */
};

struct cairn_stackmap_live_out {
  uint16_t reg; /* DWARF number */
  uint8_t size; /* in bytes */
};

/* Check the map at the start of `bytes` and open it. TRUNCATED, VERSION, RESERVED, COUNT, KIND or
 * CONSTANT: `*error` (which may be null) says what is wrong and where. */
enum cairn_status cairn_stackmap_open(const void *bytes, size_t length, struct cairn_stackmap *map,
                                      struct cairn_stackmap_error *error);
/* Entry number `index`, below map->functions, of the list of functions. */
struct cairn_stackmap_function cairn_stackmap_function(const struct cairn_stackmap *map, uint32_t index);
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
                                                       const struct cairn_stackmap_record *record, uint32_t index);
/* Live-out register number `index`, below record->live_outs. */
struct cairn_stackmap_live_out cairn_stackmap_live_out(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record, uint32_t index);

/* ---- Statepoints ---- */

/* A statepoint's record taken apart: which locations are what (statepoints-later, "Stack Map
 * Format"): calling convention, flags, number of deopt locations; the deopt locations; pairs of a
 * base and a derived reference; allocas. The allocas of "gc-live" come last, unpaired and
 * uncounted; they are told apart by being Direct. The format does not mark such records: three
 * constants that LLVM could have for a statepoint begin one (calling convention up to 1023, flags
 * up to 3). Location numbers as of cairn_stackmap_location(). */
struct cairn_stackmap_statepoint {
  uint64_t calling_convention, flags;
  uint32_t deopt_first, deopt_count;
  uint32_t pairs_first, pairs;
  uint32_t allocas_first, allocas;
};
/* Status and `*error` as of cairn_stackmap_open(): NOT_STATEPOINT, DEOPT or PAIRS. */
enum cairn_status cairn_stackmap_statepoint(const struct cairn_stackmap *map,
                                            const struct cairn_stackmap_record *record,
                                            struct cairn_stackmap_statepoint *statepoint,
                                            struct cairn_stackmap_error *error);

/* ---- What Cairn's rewriter says besides ----
 *
 * Not all roots of a function that rewrite-statepoints made are pairs. References in locals whose
 * address is taken, those that live into an unwind pad, and all of a function in slot mode
 * (docs/relocation.md) lie in memory of the frame. Where, Cairn says in constants and Direct
 * locations after the program's own deopt locations; so a reader that knows only of pairs misses
 * these roots, and one of deopt values sees too many. (`--roots=pairs` makes none of them.)
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
 */
struct cairn_stackmap_described {
  uint32_t deopt_count; /* of statepoint.deopt_count, how many are the program's: the first ones */
  uint32_t areas;       /* how many areas are described */
  uint32_t spans;       /* how many spans are open (docs/spans.md) */
  uint32_t areas_first, areas_end, spans_first; /* location numbers, for the functions below */
};
/* Memory of the frame: `count` elements of `stride` bytes, each with `references` references, null
 * or the address of an object. They are up to date at the safepoint and read again after it, so a
 * collector updates them in place. With no references it is one word of the language's own. */
struct cairn_stackmap_area {
  struct cairn_stackmap_location place; /* Direct: register + offset is the address */
  uint64_t count, stride;
  uint32_t references;
  uint64_t offset, tag, parameter; /* of a word: bytes from the address; what the program said */
  uint32_t offsets_first, end;     /* location numbers, for the functions below */
};
/* Status and `*error` as of cairn_stackmap_open(): DESCRIBED, SPANS or PLACE. Everything is checked
 * here. */
enum cairn_status cairn_stackmap_described(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                           const struct cairn_stackmap_statepoint *statepoint,
                                           struct cairn_stackmap_described *described,
                                           struct cairn_stackmap_error *error);
/* The area after `*area` (zero-initialised: the first); false if there is none. */
bool cairn_stackmap_area(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                         const struct cairn_stackmap_described *described, struct cairn_stackmap_area *area);
/* Bytes from an element's start to its reference number `index`, below area->references. */
uint64_t cairn_stackmap_area_offset(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                    const struct cairn_stackmap_area *area, uint32_t index);
/* An open span: its entry in the object's section cairn_spans, and how many functions the one that
 * opened it was inlined into. */
struct cairn_stackmap_span {
  uint32_t index, depth;
};
/* Span number `index`, below described->spans; the smallest is number 0. */
struct cairn_stackmap_span cairn_stackmap_span(const struct cairn_stackmap *map,
                                               const struct cairn_stackmap_record *record,
                                               const struct cairn_stackmap_described *described, uint32_t index);

/* ---- ELF files ---- */

/* The stack maps of an ELF file for x86-64, AArch64 or 64-bit RISC-V: relocatable object,
 * executable or shared object (not an archive: its members are files). The file's bytes are copied
 * and may go; each section's bytes belong to the struct, with the relocations applied that the
 * file still has for them: those of an object, and the dynamic ones of an image that was linked
 * with text relocations or a writable copy of the section.
 *
 * In a relocatable object no function has an address yet. Each section is given a made-up one, none
 * of them zero, none twice: that is what the function addresses of its stack maps refer to, and
 * what cairn_stackmap_file_function() takes. In an image they are those of the file, before the
 * loader moves it. Address zero is a function that is not in the file: undefined, or dropped by
 * the linker.
 *
 * Reading is free of races after opening. Where memory is exhausted the process ends with a
 * message. */
struct cairn_stackmap_file;

/* Open a file of `length` bytes; *file is to be closed with cairn_stackmap_file_close(). ELF, or
 * NO_MAPS: a file without a section .llvm_stackmaps is an error, lest it look like one without
 * roots. *file is null then, and `*error` (which may be null) has the reason and an offset in the
 * file. */
enum cairn_status cairn_stackmap_file_open(const void *bytes, size_t length, struct cairn_stackmap_file **file,
                                           struct cairn_stackmap_error *error);
/* Null is allowed. */
void cairn_stackmap_file_close(struct cairn_stackmap_file *file);

/* e_machine of the file's header (EM_X86_64 and so on), which says whose DWARF numbers registers
 * have. */
unsigned cairn_stackmap_file_machine(const struct cairn_stackmap_file *file);
/* Is it a relocatable object, with made-up addresses? */
bool cairn_stackmap_file_is_object(const struct cairn_stackmap_file *file);

struct cairn_stackmap_section {
  const unsigned char *bytes; /* maps, one after the other; relocated; until the file is closed */
  size_t length;
  size_t file_offset; /* of the first byte in the file: of what an error is about, add these */
  unsigned index;     /* in the section table */
};
/* Section number `index`, from 0, of those that hold stack maps, in the order of the section
 * table; false if there are fewer. */
bool cairn_stackmap_file_section(const struct cairn_stackmap_file *file, unsigned index,
                                 struct cairn_stackmap_section *section);

struct cairn_stackmap_symbol {
  const char *name;    /* until the file is closed */
  const char *section; /* name of the section that holds it */
  unsigned section_index;
  uint64_t address, size;  /* of the symbol */
  uint64_t section_offset; /* of the symbol */
};
/* The function symbol whose extent holds the address; false if none does. */
bool cairn_stackmap_file_function(const struct cairn_stackmap_file *file, uint64_t address,
                                  struct cairn_stackmap_symbol *symbol);

/* The name of a register by its DWARF number: "rsp" of x86-64, "x19" of AArch64, "s0" of RISC-V;
 * null if the machine or the number is unknown. Static text. */
const char *cairn_stackmap_register_name(unsigned machine, unsigned reg);

/* ---- The encoder ---- */

/* A record to write. `function` and the offsets of struct cairn_stackmap_record are not used. */
struct cairn_stackmap_record_model {
  struct cairn_stackmap_record record;            /* id, instruction_offset, flags, locations, live_outs */
  const struct cairn_stackmap_location *location; /* record.locations of them */
  const struct cairn_stackmap_live_out *live_out; /* record.live_outs of them */
};

/* A map to write, in the decoder's own structs; records stand in the order of the functions, and
 * the functions' record counts say whose each is. In version 1 the counts are not written. */
struct cairn_stackmap_model {
  unsigned version; /* 1 to 3 */
  uint32_t functions, constants, records;
  const struct cairn_stackmap_function *function;
  const uint64_t *constant;
  const struct cairn_stackmap_record_model *record;
};

/* Write the map into `bytes`, which has room for `room` bytes; *length becomes how many it takes,
 * also if that is more (ROOM; `bytes` may be null then). A status as of cairn_stackmap_open(), with
 * the offset at which the wrong field would stand: VERSION; COUNT; KIND; CONSTANT: a pooled
 * constant's index is not one of the pool; VALUE: a constant's value is not that of its pool entry,
 * or not its sign-extended offset; SIZE: above 255 in versions 1 and 2. Nothing is written then.
 *
 * Decoding gives the model back, and of a decoded map the same bytes come out. Any thread may
 * call. */
enum cairn_status cairn_stackmap_write(const struct cairn_stackmap_model *model, void *bytes, size_t room,
                                       size_t *length, struct cairn_stackmap_error *error);

#ifdef __cplusplus
}
#endif
#endif
