/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes LLVM's Stack Map section (stackmaps-v2.rst, "Stack Map Format"; version 3 by LLVM's documentation).
 *
 *   header   u8 version, u8 0, u16 0; u32 functions; u32 constants; u32 records
 *   function u64 address, u64 stack size; from version 2 on u64 record count
 *   constant u64
 *   record   u64 id, u32 instruction offset, u16 flags, u16 locations;
 *            the locations; in version 3 zeros up to 8 bytes;
 *            u16 padding, u16 live-outs; the live-outs; zeros up to 8 bytes
 *   location versions 1 and 2: u8 kind, u8 size, u16 register, i32 offset
 *            version 3: u8 kind, u8 0, u16 size, u16 register, u16 0, i32 offset
 *   live-out u16 register, u8 0, u8 size
 *
 * All numbers are little-endian. Padding aligns to offsets from the start of the section or, equivalently, of the map,
 * because the size of a map is a multiple of 8 bytes.
 *
 * The decoder runs for each reader of stack maps (frames_build.c, src/object/print), only reads the caller's bytes,
 * allocates no memory, and holds no state. An error has a status and an offset.
 */
#include <cairn/stackmap.h>

#include "base/check.h"

enum { HEADER_BYTES = 16, RECORD_BYTES = 16, LIVE_OUTS_HEADER_BYTES = 4, LIVE_OUT_BYTES = 4, CONSTANT_BYTES = 8 };
/* Limits of a statepoint's values (llvm/IR/CallingConv.h, llvm/IR/Statepoint.h). */
enum { MAX_CALLING_CONVENTION = 1023, MAX_STATEPOINT_FLAGS = 3 };

static size_t function_entry_bytes(unsigned version)
{
  return version == 1 ? 16 : 24;
}
static size_t location_entry_bytes(unsigned version)
{
  return version == 3 ? 12 : 8;
}
static size_t round_up_to_8(size_t n)
{
  return (n + 7) & ~(size_t)7;
}

static uint64_t load_little_endian(const unsigned char *at, unsigned bytes)
{
  uint64_t value = 0;

  for (unsigned i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << 8 * i;
  return value;
}

static enum cairn_status fail_at_offset(struct cairn_stackmap_error *error, enum cairn_status status, size_t offset)
{
  if (error)
    *error = (struct cairn_stackmap_error){offset, cairn_status_text(status)};
  return status;
}

/* Check the record at `offset`. Returns the record's end, or 0 if the record exceeds the map; `*wrong` is then the
 * offset of the field with the wrong size. */
static size_t read_record(const unsigned char *bytes, size_t length, unsigned version, size_t offset,
                          struct cairn_stackmap_record *record, size_t *wrong)
{
  *wrong = offset;
  if (length < RECORD_BYTES || offset > length - RECORD_BYTES)
    return 0;
  record->offset = offset;
  record->id = load_little_endian(bytes + offset, 8);
  record->instruction_offset = (uint32_t)load_little_endian(bytes + offset + 8, 4);
  record->flags = (uint16_t)load_little_endian(bytes + offset + 12, 2);
  record->locations = (uint16_t)load_little_endian(bytes + offset + 14, 2);
  record->locations_offset = offset + RECORD_BYTES;
  *wrong = offset + 14;
  size_t at = round_up_to_8(record->locations_offset + record->locations * location_entry_bytes(version));
  if (length < LIVE_OUTS_HEADER_BYTES || at > length - LIVE_OUTS_HEADER_BYTES)
    return 0;
  record->live_outs = (uint16_t)load_little_endian(bytes + at + 2, 2);
  record->live_outs_offset = at + LIVE_OUTS_HEADER_BYTES;
  *wrong = at + 2;
  at = round_up_to_8(record->live_outs_offset + (size_t)record->live_outs * LIVE_OUT_BYTES);
  return at > length ? 0 : at;
}

/* Check that the bytes in [from, to) are zero, because a later version may give them a meaning. */
static enum cairn_status check_reserved_zeros(const struct cairn_stackmap *map, size_t from, size_t to,
                                              struct cairn_stackmap_error *error)
{
  for (; from < to; from++)
    if (map->bytes[from])
      return fail_at_offset(error, CAIRN_E_RESERVED, from);
  return CAIRN_OK;
}

static enum cairn_status check_location(const struct cairn_stackmap *map, size_t at, struct cairn_stackmap_error *error)
{
  size_t index = at + location_entry_bytes(map->version) - 4;
  unsigned kind = map->bytes[at];

  if (kind < CAIRN_STACKMAP_REGISTER || kind > CAIRN_STACKMAP_CONSTANT_INDEX)
    return fail_at_offset(error, CAIRN_E_KIND, at);
  if (kind == CAIRN_STACKMAP_CONSTANT_INDEX && load_little_endian(map->bytes + index, 4) >= map->constants)
    return fail_at_offset(error, CAIRN_E_CONSTANT, index);
  if (map->version != 3)
    return CAIRN_OK;
  enum cairn_status status = check_reserved_zeros(map, at + 1, at + 2, error);
  return status < 0 ? status : check_reserved_zeros(map, at + 6, at + 8, error);
}

static enum cairn_status check_record(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                      size_t end, struct cairn_stackmap_error *error)
{
  size_t at = record->locations_offset;
  enum cairn_status status = CAIRN_OK;

  for (uint32_t i = 0; !status && i < record->locations; i++, at += location_entry_bytes(map->version))
    status = check_location(map, at, error);
  if (!status)
    status = check_reserved_zeros(map, at, record->live_outs_offset - 2, error);
  at = record->live_outs_offset;
  for (uint32_t i = 0; !status && i < record->live_outs; i++, at += LIVE_OUT_BYTES)
    status = check_reserved_zeros(map, at + 2, at + 3, error);
  return status ? status : check_reserved_zeros(map, at, end, error);
}

static enum cairn_status check_record_counts(const struct cairn_stackmap *map, struct cairn_stackmap_error *error)
{
  uint64_t sum = 0;

  if (map->version == 1)
    return CAIRN_OK;
  for (uint32_t i = 0; i < map->functions; i++) {
    struct cairn_stackmap_function f = cairn_stackmap_function(map, i);
    if (f.records > map->records - sum)
      return fail_at_offset(error, CAIRN_E_COUNT, f.offset + 16);
    sum += f.records;
  }
  return sum == map->records ? CAIRN_OK : fail_at_offset(error, CAIRN_E_COUNT, 12);
}

static enum cairn_status check_records(struct cairn_stackmap *map, size_t length, struct cairn_stackmap_error *error)
{
  size_t at = map->records_offset;

  for (uint32_t i = 0; i < map->records; i++) {
    struct cairn_stackmap_record record;
    size_t wrong, end = read_record(map->bytes, length, map->version, at, &record, &wrong);
    if (!end)
      return fail_at_offset(error, CAIRN_E_TRUNCATED, wrong);
    enum cairn_status status = check_record(map, &record, end, error);
    if (status < 0)
      return status;
    at = end;
  }
  map->length = at;
  return CAIRN_OK;
}

enum cairn_status cairn_stackmap_open(const void *bytes, size_t length, struct cairn_stackmap *map,
                                      struct cairn_stackmap_error *error)
{
  const unsigned char *p = bytes;

  *map = (struct cairn_stackmap){.bytes = bytes};
  if (length < HEADER_BYTES)
    return fail_at_offset(error, CAIRN_E_TRUNCATED, length);
  map->version = p[0];
  if (map->version < 1 || map->version > 3)
    return fail_at_offset(error, CAIRN_E_VERSION, 0);
  enum cairn_status status = check_reserved_zeros(map, 1, 4, error);
  if (status < 0)
    return status;
  map->functions = (uint32_t)load_little_endian(p + 4, 4);
  map->constants = (uint32_t)load_little_endian(p + 8, 4);
  map->records = (uint32_t)load_little_endian(p + 12, 4);
  map->functions_offset = HEADER_BYTES;
  size_t room = length - HEADER_BYTES;
  if (map->functions > room / function_entry_bytes(map->version))
    return fail_at_offset(error, CAIRN_E_TRUNCATED, 4);
  map->constants_offset = HEADER_BYTES + map->functions * function_entry_bytes(map->version);
  room = length - map->constants_offset;
  if (map->constants > room / CONSTANT_BYTES)
    return fail_at_offset(error, CAIRN_E_TRUNCATED, 8);
  map->records_offset = map->constants_offset + (size_t)map->constants * CONSTANT_BYTES;
  status = check_record_counts(map, error);
  return status < 0 ? status : check_records(map, length, error);
}

struct cairn_stackmap_function cairn_stackmap_function(const struct cairn_stackmap *map, uint32_t index)
{
  CN_CHECK(index < map->functions);
  size_t at = map->functions_offset + index * function_entry_bytes(map->version);

  return (struct cairn_stackmap_function){.address = load_little_endian(map->bytes + at, 8),
                                          .stack_size = load_little_endian(map->bytes + at + 8, 8),
                                          .records = map->version == 1 ? CAIRN_STACKMAP_UNKNOWN_COUNT
                                                                       : load_little_endian(map->bytes + at + 16, 8),
                                          .offset = at};
}

uint64_t cairn_stackmap_constant(const struct cairn_stackmap *map, uint32_t index)
{
  CN_CHECK(index < map->constants);
  return load_little_endian(map->bytes + map->constants_offset + (size_t)index * CONSTANT_BYTES, 8);
}

bool cairn_stackmap_next(const struct cairn_stackmap *map, struct cairn_stackmap_cursor *cursor,
                         struct cairn_stackmap_record *record)
{
  if (cursor->next == map->records)
    return false;
  if (cursor->next == 0)
    cursor->offset = map->records_offset;
  if (map->version != 1)
    while (cursor->in_function == cairn_stackmap_function(map, cursor->function).records) {
      CN_CHECK(cursor->function + 1 < map->functions); /* checked by check_record_counts() */
      cursor->function++;
      cursor->in_function = 0;
    }
  size_t wrong;
  cursor->offset = read_record(map->bytes, map->length, map->version, cursor->offset, record, &wrong);
  CN_CHECK(cursor->offset); /* cairn_stackmap_open() has read all records */
  record->function = map->version != 1 || map->functions == 1 ? cursor->function : CAIRN_STACKMAP_UNKNOWN_FUNCTION;
  cursor->in_function++;
  cursor->next++;
  return true;
}

struct cairn_stackmap_location cairn_stackmap_location(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record, uint32_t index)
{
  CN_CHECK(index < record->locations);
  const unsigned char *at = map->bytes + record->locations_offset + index * location_entry_bytes(map->version);
  bool wide = map->version == 3;
  uint32_t offset = (uint32_t)load_little_endian(at + (wide ? 8 : 4), 4);
  struct cairn_stackmap_location location = {.kind = (enum cairn_stackmap_kind)at[0],
                                             .size = wide ? (uint16_t)load_little_endian(at + 2, 2) : at[1],
                                             .reg = (uint16_t)load_little_endian(at + (wide ? 4 : 2), 2),
                                             .offset = (int32_t)offset};

  if (location.kind == CAIRN_STACKMAP_CONSTANT)
    location.value = (uint64_t)(int64_t)location.offset;
  if (location.kind == CAIRN_STACKMAP_CONSTANT_INDEX) {
    location.kind = CAIRN_STACKMAP_CONSTANT;
    location.pooled = true;
    location.value = cairn_stackmap_constant(map, offset);
  }
  return location;
}

struct cairn_stackmap_live_out cairn_stackmap_live_out(const struct cairn_stackmap *map,
                                                       const struct cairn_stackmap_record *record, uint32_t index)
{
  CN_CHECK(index < record->live_outs);
  const unsigned char *at = map->bytes + record->live_outs_offset + (size_t)index * LIVE_OUT_BYTES;

  return (struct cairn_stackmap_live_out){.reg = (uint16_t)load_little_endian(at, 2), .size = at[3]};
}

enum cairn_status cairn_stackmap_statepoint(const struct cairn_stackmap *map,
                                            const struct cairn_stackmap_record *record,
                                            struct cairn_stackmap_statepoint *statepoint,
                                            struct cairn_stackmap_error *error)
{
  struct cairn_stackmap_location fixed[3];
  uint32_t end = record->locations;

  for (uint32_t i = 0; i < 3; i++) {
    if (i < end)
      fixed[i] = cairn_stackmap_location(map, record, i);
    if (i >= end || fixed[i].kind != CAIRN_STACKMAP_CONSTANT)
      return fail_at_offset(error, CAIRN_E_NOT_STATEPOINT, record->offset);
  }
  if (fixed[0].value > MAX_CALLING_CONVENTION || fixed[1].value > MAX_STATEPOINT_FLAGS)
    return fail_at_offset(error, CAIRN_E_NOT_STATEPOINT, record->offset);
  if (fixed[2].value > end - 3)
    return fail_at_offset(error, CAIRN_E_DEOPT, record->offset);
  uint32_t first = 3 + (uint32_t)fixed[2].value;
  while (end > first && cairn_stackmap_location(map, record, end - 1).kind == CAIRN_STACKMAP_DIRECT)
    end--;
  for (uint32_t i = first; i < end; i++)
    if (cairn_stackmap_location(map, record, i).kind == CAIRN_STACKMAP_DIRECT)
      return fail_at_offset(error, CAIRN_E_PAIRS, record->offset);
  if ((end - first) % 2)
    return fail_at_offset(error, CAIRN_E_PAIRS, record->offset);
  *statepoint = (struct cairn_stackmap_statepoint){.calling_convention = fixed[0].value,
                                                   .flags = fixed[1].value,
                                                   .deopt_first = 3,
                                                   .deopt_count = first - 3,
                                                   .pairs_first = first,
                                                   .pairs = (end - first) / 2,
                                                   .allocas_first = end,
                                                   .allocas = record->locations - end};
  return CAIRN_OK;
}
