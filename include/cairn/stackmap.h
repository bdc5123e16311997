/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes LLVM stack maps: the section `.llvm_stackmaps` (ELF) or `__llvm_stackmaps` (Mach-O), versions 1 to
 * 3. Usable alone: of libcairn-object.a this header needs only the C library (neither libelf nor libdw). Three parts:
 *   - the decoder takes (bytes, length); it allocates nothing and changes nothing;
 *   - ELF files: finds the stack maps in a file, with relocations applied;
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
 * A linker concatenates the maps of its inputs: the loop above steps through them. cairn_stackmap_open() checks every
 * length, count, kind, index and reserved byte of one map, so the functions after it always succeed: an index outside
 * the range that the preceding struct gives is the caller's defect. cairn_stackmap_write() writes an accepted map again
 * byte for byte. The decoder keeps no data and takes no ownership: any thread may read, as long as the bytes stay. The
 * format is that of stackmaps-v2, with the differences of versions 1 and 3.
 *
 * In a relocatable object the function addresses are zero until relocations are applied: cairn_stackmap_file_open()
 * applies them.
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
  size_t offset;      /* of the error, from the start of this map, or from the start of the file for errors of files */
  const char *reason; /* static text */
};

/* A map: a header, functions, constants and records. */
struct cairn_stackmap {
  const unsigned char *bytes;
  size_t length; /* of this map; the next map of the section, if any, begins here */
  unsigned version;
  uint32_t functions, constants, records;
  size_t functions_offset, constants_offset, records_offset;
};

/* The stack size of a frame with dynamic or over-aligned allocas is UNKNOWN_SIZE. Version 1 lacks the functions' record
 * counts: the counts are UNKNOWN_COUNT, and in a map of several functions a record's function is UNKNOWN_FUNCTION. */
#define CAIRN_STACKMAP_UNKNOWN_SIZE UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_COUNT UINT64_MAX
#define CAIRN_STACKMAP_UNKNOWN_FUNCTION UINT32_MAX

struct cairn_stackmap_function {
  uint64_t address;
  uint64_t stack_size;
  uint64_t records;
  size_t offset; /* of this entry, which begins with the address: relocations name this offset */
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
  CAIRN_STACKMAP_CONSTANT_INDEX, /* a constant of the pool, in the encoded map; decoded locations are CONSTANT with
                                  * `pooled` */
};

struct cairn_stackmap_location {
  enum cairn_stackmap_kind kind; /* never CONSTANT_INDEX */
  bool pooled;    /* the constant comes from the pool and has 64 bits; otherwise 32 bits, sign-extended */
  uint16_t size;  /* of the value in bytes */
  uint16_t reg;   /* DWARF number */
  int32_t offset; /* bytes from the register; or the pool index */
  uint64_t value; /* of a constant */
};

struct cairn_stackmap_live_out {
  uint16_t reg; /* DWARF number */
  uint8_t size; /* in bytes */
};

/* Check the map at the start of `bytes` and open it. TRUNCATED, VERSION, RESERVED, COUNT, KIND or CONSTANT: *error,
 * unless `error` is null, receives the reason and its offset. */
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

/* The parts of a statepoint's record (statepoints-later, "Stack Map Format"): calling convention, flags, number of
 * deopt locations; the deopt locations; pairs of a base and a derived reference; allocas. The allocas of "gc-live" come
 * last, unpaired and uncounted; only their kind, Direct, tells them apart. The format does not mark such records: a
 * record counts as a statepoint's if it begins with three constants that LLVM could write for one (calling convention
 * up to 1023, flags up to 3). Location numbers are those of cairn_stackmap_location(). */
struct cairn_stackmap_statepoint {
  uint64_t calling_convention, flags;
  uint32_t deopt_first, deopt_count;
  uint32_t pairs_first, pairs;
  uint32_t allocas_first, allocas;
};
/* Take a record apart. Status and *error as for cairn_stackmap_open(): NOT_STATEPOINT, DEOPT or PAIRS. */
enum cairn_status cairn_stackmap_statepoint(const struct cairn_stackmap *map,
                                            const struct cairn_stackmap_record *record,
                                            struct cairn_stackmap_statepoint *statepoint,
                                            struct cairn_stackmap_error *error);

/* ---- Cairn's additions to statepoints ----
 *
 * A function that rewrite-statepoints made has roots besides the pairs. References in locals whose address is taken,
 * references that are live into an unwind pad, and all references of a function in slot mode (docs/relocation.md) lie
 * in memory of the frame. Cairn describes their places in constants and Direct locations after the program's own deopt
 * locations. A reader that decodes only pairs misses these roots, and a reader of deopt values sees too many values.
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
 * With `--roots=pairs` Cairn makes only pairs. */
struct cairn_stackmap_described {
  uint32_t deopt_count; /* of statepoint.deopt_count, the number of the program's own: the first ones */
  uint32_t areas;       /* number of described areas */
  uint32_t spans;       /* number of open spans (docs/spans.md) */
  uint32_t areas_first, areas_end, spans_first; /* location numbers, for the functions below */
};
/* Memory of the frame: `count` elements of `stride` bytes, each with `references` references, null or the address of an
 * object. They are up to date at the safepoint, and the program reads them again after it, so a collector updates them
 * in place. An area without references is one word of the language's own. */
struct cairn_stackmap_area {
  struct cairn_stackmap_location place; /* Direct: register + offset is the address */
  uint64_t count, stride;
  uint32_t references;
  uint64_t offset, tag, parameter; /* of such a word: bytes from the address; the program's tag and parameter */
  uint32_t offsets_first, end;     /* location numbers, for the functions below */
};
/* Find the described areas and open spans of a record, and check all of their locations. Status and *error as for
 * cairn_stackmap_open(): DESCRIBED, SPANS or PLACE. */
enum cairn_status cairn_stackmap_described(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                           const struct cairn_stackmap_statepoint *statepoint,
                                           struct cairn_stackmap_described *described,
                                           struct cairn_stackmap_error *error);
/* Step to the area after *area (zero-initialised: to the first); false at the end. */
bool cairn_stackmap_area(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                         const struct cairn_stackmap_described *described, struct cairn_stackmap_area *area);
/* Bytes from an element's start to its reference number `index`, below area->references. */
uint64_t cairn_stackmap_area_offset(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                    const struct cairn_stackmap_area *area, uint32_t index);
/* An open span: its entry in the object's section cairn_spans, and the number of functions that the one that opened the
 * span was inlined into. */
struct cairn_stackmap_span {
  uint32_t index, depth;
};
/* Span number `index`, below described->spans; the smallest is number 0. */
struct cairn_stackmap_span cairn_stackmap_span(const struct cairn_stackmap *map,
                                               const struct cairn_stackmap_record *record,
                                               const struct cairn_stackmap_described *described, uint32_t index);

/* ---- ELF files ---- */

/* The stack maps of an ELF file for x86-64, AArch64 or 64-bit RISC-V: a relocatable object, executable or shared object
 * (the members of an archive are files of this kind). The file's bytes are copied and may go. Each section's bytes
 * belong to the struct. The relocations that the file still has for them are applied: those of an object, and the
 * dynamic ones of an image that was linked with text relocations or a writable copy of the section.
 *
 * In a relocatable object functions have no addresses yet. Each section is given a made-up address, nonzero and unique;
 * the function addresses of its stack maps refer to it, and cairn_stackmap_file_function() takes such addresses. In an
 * image the addresses are those of the file, before the loader moves it. Address zero means a function outside the
 * file: undefined, or dropped by the linker.
 *
 * After opening, several threads may read at once. The process ends with a message if memory is exhausted. */
struct cairn_stackmap_file;

/* Open a file of `length` bytes; the caller closes *file by cairn_stackmap_file_close(). ELF, or NO_MAPS: a file
 * without a section .llvm_stackmaps is an error, as it would look like a file without roots. *file is then null, and
 * *error, unless `error` is null, has the reason and an offset in the file. */
enum cairn_status cairn_stackmap_file_open(const void *bytes, size_t length, struct cairn_stackmap_file **file,
                                           struct cairn_stackmap_error *error);
/* Close a file, which may be null. */
void cairn_stackmap_file_close(struct cairn_stackmap_file *file);

/* e_machine of the file's header (EM_X86_64 and so on): the DWARF numbers of registers are those of this machine. */
unsigned cairn_stackmap_file_machine(const struct cairn_stackmap_file *file);
/* True for a relocatable object, with made-up addresses. */
bool cairn_stackmap_file_is_object(const struct cairn_stackmap_file *file);

struct cairn_stackmap_section {
  const unsigned char *bytes; /* maps, one after the other; relocated; until the file is closed */
  size_t length;
  size_t file_offset; /* of the first byte in the file; add the offset of an error */
  unsigned index;     /* in the section table */
};
/* Section number `index`, from 0, of the sections with stack maps, in the order of the section table; false at the end.
 */
bool cairn_stackmap_file_section(const struct cairn_stackmap_file *file, unsigned index,
                                 struct cairn_stackmap_section *section);

struct cairn_stackmap_symbol {
  const char *name;    /* until the file is closed */
  const char *section; /* name of the section that holds it */
  unsigned section_index;
  uint64_t address, size;  /* of the symbol */
  uint64_t section_offset; /* of the symbol */
};
/* The function symbol whose extent includes the address; false if the file lacks such a symbol. */
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

/* A map to write, in the decoder's structs. Records stand in the order of the functions, and the functions' record
 * counts assign the records to functions. Version 1 omits the counts. */
struct cairn_stackmap_model {
  unsigned version; /* 1 to 3 */
  uint32_t functions, constants, records;
  const struct cairn_stackmap_function *function;
  const uint64_t *constant;
  const struct cairn_stackmap_record_model *record;
};

/* Write the map into `bytes`, a buffer of `room` bytes. *length becomes the size of the map, also if that is larger
 * (ROOM; `bytes` may be null then). Other statuses are as for cairn_stackmap_open(), with the offset of the wrong field
 * in the map: VERSION; COUNT; KIND; CONSTANT: a pooled constant's index is outside the pool; VALUE: a constant's value
 * differs from its pool entry, or from its sign-extended offset; SIZE: above 255 in versions 1 and 2; *length is then
 * 0. All failures leave the buffer untouched.
 *
 * Decoding the written map yields the model, and writing a decoded map yields the same bytes. Any thread may call. */
enum cairn_status cairn_stackmap_write(const struct cairn_stackmap_model *model, void *bytes, size_t room,
                                       size_t *length, struct cairn_stackmap_error *error);

#ifdef __cplusplus
}
#endif
#endif
