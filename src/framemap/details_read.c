/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the source places, deopt values and spans of safepoints from section `cairn_details`, and finds functions there
 * by address. Backtraces and deoptimisation need these facts; a stack walk does not. details_format.h describes the
 * encoding. This file is part of the runtime, allocates no memory, calls only memcpy() of the C library, and compares
 * every read with the end of the function or block. The readers keep no state and run on any thread in any phase.
 * Details are input, so malformed details are reported as CN_FRAMEMAP_BAD; checks are for defects of Cairn.
 */
#include "framemap/details_format.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"

/* ---- functions ---- */

/* Read the function at f->index of a block that find_next_block() has checked. */
static int read_block_function(struct cn_details_function *f)
{
  const unsigned char *b = f->block;
  const unsigned char *at = b + CN_DETAILS_BLOCK_HEADER_BYTES + (size_t)f->index * CN_DETAILS_FUNCTION_BYTES;
  uint32_t count = cn_load_little_endian(b + CN_DETAILS_BLOCK_COUNT_OFFSET, 4),
           strings = cn_load_little_endian(b + CN_DETAILS_BLOCK_STRINGS_OFFSET, 4);
  uint32_t start = cn_load_little_endian(at + CN_DETAILS_DATA_OFFSET, 4), end = strings;
  int32_t distance;

  CN_ASSERT(f->index < count);
  if (f->index + 1 < count)
    end = cn_load_little_endian(at + CN_DETAILS_FUNCTION_BYTES + CN_DETAILS_DATA_OFFSET, 4);
  if (start < CN_DETAILS_BLOCK_HEADER_BYTES + count * (uint64_t)CN_DETAILS_FUNCTION_BYTES || end > strings || end < 4 ||
      start > end - 4)
    return CN_FRAMEMAP_BAD;
  memcpy(&distance, b + CN_DETAILS_BLOCK_ENTRY_OFFSET, 4);
  f->entry = (uintptr_t)(b + CN_DETAILS_BLOCK_ENTRY_OFFSET) + (uintptr_t)(intptr_t)distance +
             cn_load_little_endian(at + CN_DETAILS_ENTRY_OFFSET, 4);
  f->code_size = cn_load_little_endian(at + CN_DETAILS_CODE_SIZE_OFFSET, 4);
  f->data = b + start;
  f->end = b + end;
  uint32_t packed = cn_load_little_endian(f->data, 4);
  unsigned a = packed >> 28 & 3, c = packed >> 30;
  f->safepoints = packed & CN_DETAILS_MAX_SAFEPOINTS;
  if (a > 2 || c > 2 || f->safepoints > (end - start - 4) / ((1u << a) + (1u << c)))
    return CN_FRAMEMAP_BAD;
  return CN_FRAMEMAP_OK;
}

static int find_next_block(const unsigned char **cursor, const unsigned char *end, struct cn_details_function *f)
{
  CN_ASSERT(*cursor <= end);
  while (end - *cursor >= 4 && cn_load_little_endian(*cursor, 4) == 0)
    *cursor += 4;
  if (*cursor == end)
    return CN_FRAMEMAP_NONE;
  const unsigned char *b = *cursor;
  if (end - b < CN_DETAILS_BLOCK_HEADER_BYTES)
    return CN_FRAMEMAP_BAD;
  uint32_t length = cn_load_little_endian(b + CN_DETAILS_BLOCK_LENGTH_OFFSET, 4),
           count = cn_load_little_endian(b + CN_DETAILS_BLOCK_COUNT_OFFSET, 4);
  uint32_t strings = cn_load_little_endian(b + CN_DETAILS_BLOCK_STRINGS_OFFSET, 4);
  if (length % 4 || length > (size_t)(end - b) || !count || strings < CN_DETAILS_BLOCK_HEADER_BYTES ||
      strings >= length || count > (strings - CN_DETAILS_BLOCK_HEADER_BYTES) / CN_DETAILS_FUNCTION_BYTES ||
      b[length - 1])
    return CN_FRAMEMAP_BAD;
  *f = (struct cn_details_function){.block = b};
  return CN_FRAMEMAP_OK;
}

int cn_details_next_function(const unsigned char **cursor, const unsigned char *end, struct cn_details_function *f)
{
  if (f->block && f->index + 1 < cn_load_little_endian(f->block + CN_DETAILS_BLOCK_COUNT_OFFSET, 4)) {
    f->index++;
    return read_block_function(f);
  }
  if (f->block)
    *cursor = f->block + cn_load_little_endian(f->block + CN_DETAILS_BLOCK_LENGTH_OFFSET, 4);
  int status = find_next_block(cursor, end, f);
  return status ? status : read_block_function(f);
}

/* ---- safepoints ---- */

int cn_details_read_return_offset(const struct cn_details_function *f, uint32_t index, uint32_t *offset)
{
  unsigned a = cn_load_little_endian(f->data, 4) >> 28 & 3;
  const unsigned char *at = f->data + 4 + ((size_t)index << a);

  if (index >= f->safepoints)
    return CN_FRAMEMAP_BAD;
  *offset = cn_load_little_endian(at, 1u << a);
  if (*offset == 0 || *offset > f->code_size)
    return CN_FRAMEMAP_BAD;
  return index && cn_load_little_endian(at - (1u << a), 1u << a) >= *offset ? CN_FRAMEMAP_BAD : CN_FRAMEMAP_OK;
}

/* Set *at to a place in the area. False if the place lies beyond the end. */
static bool seek_place(const struct cn_details *d, uint64_t place, const unsigned char **at)
{
  if (place >= (uint64_t)(d->function.end - d->area))
    return false;
  *at = d->area + place;
  return true;
}

static bool get_uleb_u32(const unsigned char **at, const unsigned char *end, uint32_t *value)
{
  uint64_t wide;

  if (!cn_uleb_get(at, end, &wide) || wide > UINT32_MAX)
    return false;
  *value = (uint32_t)wide;
  return true;
}

static bool get_relative_line(const unsigned char **at, const unsigned char *end, uint32_t from, uint32_t *line)
{
  uint64_t zigzag;

  if (!cn_uleb_get(at, end, &zigzag) || zigzag >> 33)
    return false;
  int64_t value = from + cn_zigzag_decode(zigzag);
  *line = (uint32_t)value;
  return value >= 0 && value <= UINT32_MAX;
}

struct inline_scope {
  uint32_t name, file, line, parent_distance;
  const unsigned char *call; /* encoding of the call, if the scope has a parent */
};

static bool read_inline_scope(const struct cn_details *d, uint32_t place, struct inline_scope *s)
{
  const unsigned char *at, *end = d->function.end;

  if (!seek_place(d, place, &at) || !get_uleb_u32(&at, end, &s->name) || !get_uleb_u32(&at, end, &s->file) ||
      !get_uleb_u32(&at, end, &s->line) || !get_uleb_u32(&at, end, &s->parent_distance))
    return false;
  s->call = at;
  return s->parent_distance <= place;
}

/* Count the virtual frames of the scope at `place` and its ancestors. */
static bool count_inline_scopes(const struct cn_details *d, uint32_t place, uint32_t *count)
{
  struct inline_scope s;

  *count = 0;
  do {
    if (!read_inline_scope(d, place, &s) || *count == CN_MAX_VIRTUAL_FRAMES)
      return false;
    ++*count;
    place -= s.parent_distance;
  } while (s.parent_distance);
  return true;
}

static int read_details_record(struct cn_details *d, const unsigned char *at)
{
  const unsigned char *end = d->function.end;
  struct inline_scope s;
  unsigned char head = *at++;

  if (head & (unsigned char)~(CN_RECORD_HAS_SOURCES | CN_RECORD_HAS_DEOPTS | CN_RECORD_HAS_SPANS))
    return CN_FRAMEMAP_BAD;
  if ((head & CN_RECORD_HAS_SOURCES) &&
      (!get_uleb_u32(&at, end, &d->scope) || !read_inline_scope(d, d->scope, &s) ||
       !count_inline_scopes(d, d->scope, &d->sources) || !get_relative_line(&at, end, s.line, &d->line) ||
       !get_uleb_u32(&at, end, &d->column)))
    return CN_FRAMEMAP_BAD;
  if ((head & CN_RECORD_HAS_DEOPTS) && (!get_uleb_u32(&at, end, &d->deopts) || d->deopts >= (size_t)(end - at)))
    return CN_FRAMEMAP_BAD;
  if (head & CN_RECORD_HAS_DEOPTS)
    d->deopts++;
  d->cursor = at;
  d->spans = head & CN_RECORD_HAS_SPANS ? 1 : 0; /* the number of spans follows the deopt values */
  return CN_FRAMEMAP_OK;
}

static bool read_deopt_value(struct cn_details *d, struct cn_deopt_value *out);

static int count_spans(struct cn_details *d)
{
  struct cn_details rest = *d;
  struct cn_deopt_value skipped;
  uint32_t spans;

  if (!d->spans)
    return CN_FRAMEMAP_OK;
  for (; rest.deopts; rest.deopts--)
    if (!read_deopt_value(&rest, &skipped))
      return CN_FRAMEMAP_BAD;
  if (!get_uleb_u32(&rest.cursor, d->function.end, &spans) || spans >= (size_t)(d->function.end - rest.cursor))
    return CN_FRAMEMAP_BAD;
  d->spans = spans + 1;
  return CN_FRAMEMAP_OK;
}

int cn_details_find(const struct cn_details_function *f, uint32_t return_offset, struct cn_details *out)
{
  uint32_t packed = cn_load_little_endian(f->data, 4), low = 0, high = f->safepoints, offset;
  unsigned a = packed >> 28 & 3, b = packed >> 30;
  const unsigned char *places = f->data + 4 + ((size_t)f->safepoints << a), *at;

  *out = (struct cn_details){.function = *f, .area = places + ((size_t)f->safepoints << b)};
  CN_ASSERT(f->block);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (cn_details_read_return_offset(f, middle, &offset))
      return CN_FRAMEMAP_BAD;
    if (offset < return_offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == f->safepoints || cn_details_read_return_offset(f, low, &offset) || offset != return_offset)
    return CN_FRAMEMAP_NONE;
  if (!seek_place(out, cn_load_little_endian(places + ((size_t)low << b), 1u << b), &at))
    return CN_FRAMEMAP_BAD;
  int status = read_details_record(out, at);
  return status ? status : count_spans(out);
}

/* ---- their parts ---- */

static const char *string_at(const struct cn_details *d, uint32_t place)
{
  const unsigned char *b = d->function.block;
  uint32_t strings = cn_load_little_endian(b + CN_DETAILS_BLOCK_STRINGS_OFFSET, 4),
           length = cn_load_little_endian(b + CN_DETAILS_BLOCK_LENGTH_OFFSET, 4);

  return place < length - strings ? (const char *)b + strings + place : NULL;
}

int cn_details_next_source(struct cn_details *d, struct cn_source_place *out)
{
  const unsigned char *end = d->function.end;
  struct inline_scope s, parent;

  if (!d->sources)
    return CN_FRAMEMAP_NONE;
  if (!read_inline_scope(d, d->scope, &s))
    return CN_FRAMEMAP_BAD;
  *out = (struct cn_source_place){.function = string_at(d, s.name),
                                  .file = s.file ? string_at(d, s.file) : NULL,
                                  .line = d->line,
                                  .column = d->column};
  if (!out->function || (s.file && !out->file))
    return CN_FRAMEMAP_BAD;
  d->sources--;
  d->scope -= s.parent_distance;
  if (s.parent_distance &&
      (!read_inline_scope(d, d->scope, &parent) || !get_relative_line(&s.call, end, parent.line, &d->line) ||
       !get_uleb_u32(&s.call, end, &d->column)))
    return CN_FRAMEMAP_BAD;
  return CN_FRAMEMAP_OK;
}

const char *cn_deopt_type_wrong(const struct cn_deopt_value *v)
{
  bool constant = v->kind == CN_DEOPT_CONSTANT, word = v->bits == 64;

  if (v->value_class > CAIRN_ABI_POINT_UNKNOWN || v->bits > CAIRN_ABI_DEOPT_BITS_MAX ||
      (v->value_class == CAIRN_ABI_POINT_UNKNOWN) != !v->bits)
    return "details: a deopt value has an unknown class or width";
  if ((constant && v->value_class != CAIRN_ABI_POINT_UNDEFINED && v->bits > 64) ||
      (!constant && v->value_class == CAIRN_ABI_POINT_UNDEFINED))
    return "details: a deopt value is a constant, and must be in a place, or the reverse";
  if (v->value_class == CAIRN_ABI_POINT_POINTER || v->value_class == CAIRN_ABI_POINT_REFERENCE ||
      v->value_class == CAIRN_ABI_POINT_LOCAL)
    return word ? NULL : "details: an address has another width than 64 bits";
  return NULL;
}

static bool read_value_type(struct cn_details *d, unsigned code, struct cn_deopt_value *out)
{
  const unsigned char *end = d->function.end;
  struct cn_value_type type;
  uint32_t size;

  if (code >= CN_VALUE_TYPES)
    return false;
  type = cn_value_types[code];
  if (!code) {
    if (end - d->cursor < 2)
      return false;
    type.value_class = *d->cursor++;
    type.bits = *d->cursor++;
    if (!get_uleb_u32(&d->cursor, end, &size) || size > UINT16_MAX)
      return false;
    type.size = (uint16_t)size;
  }
  out->value_class = type.value_class;
  out->bits = type.bits;
  out->size = type.size;
  return true;
}

static bool read_constant(struct cn_details *d, enum cn_value_kind kind, struct cn_deopt_value *out)
{
  uint64_t value;

  if (kind == CN_VALUE_LARGE_CONSTANT) {
    if (d->function.end - d->cursor < 8)
      return false;
    value = cn_load_u64(d->cursor);
    d->cursor += 8;
  } else {
    if (!cn_uleb_get(&d->cursor, d->function.end, &value))
      return false;
    value = (uint64_t)cn_zigzag_decode(value);
  }
  out->constant = cn_deopt_mask_constant(value, out->bits);
  return true;
}

static bool read_place(struct cn_details *d, struct cn_frame_place *out)
{
  const unsigned char *end = d->function.end;
  uint64_t value;

  if (!cn_uleb_get(&d->cursor, end, &value) || value > UINT8_MAX)
    return false;
  out->reg = (uint8_t)value;
  if (out->is_register)
    return true;
  if (!cn_uleb_get(&d->cursor, end, &value) || value >> 32)
    return false;
  out->offset = (int32_t)cn_zigzag_decode(value);
  return true;
}

static bool read_deopt_value(struct cn_details *d, struct cn_deopt_value *out)
{
  static const uint8_t kinds[CN_VALUE_KINDS] = {CN_DEOPT_CONSTANT, CN_DEOPT_CONSTANT, CN_DEOPT_VALUE,
                                                CN_DEOPT_VALUE,    CN_DEOPT_ADDRESS,  CN_DEOPT_REGISTER_AT_CALL};

  if (d->cursor == d->function.end)
    return false;
  unsigned char head = *d->cursor++;
  enum cn_value_kind kind = head & CN_VALUE_KIND_MASK;
  *out = (struct cn_deopt_value){0};
  if (kind >= CN_VALUE_KINDS || !read_value_type(d, head >> CN_VALUE_TYPE_SHIFT, out))
    return false;
  out->kind = kinds[kind];
  if (cn_deopt_type_wrong(out))
    return false;
  if (out->kind == CN_DEOPT_CONSTANT)
    return read_constant(d, kind, out);
  out->loc.is_register = kind == CN_VALUE_IN_REGISTER || kind == CN_VALUE_REGISTER_AT_CALL;
  return read_place(d, &out->loc);
}

int cn_details_next_deopt(struct cn_details *d, struct cn_deopt_value *out)
{
  if (!d->deopts)
    return CN_FRAMEMAP_NONE;
  if (!read_deopt_value(d, out))
    return CN_FRAMEMAP_BAD;
  d->deopts--;
  return CN_FRAMEMAP_OK;
}

int cn_details_next_span_use(struct cn_details *d, struct cn_span_use *out)
{
  const unsigned char *end = d->function.end;
  struct cn_deopt_value skipped;
  uint32_t number;

  if (!d->spans)
    return CN_FRAMEMAP_NONE;
  for (; d->deopts; d->deopts--)
    if (!read_deopt_value(d, &skipped))
      return CN_FRAMEMAP_BAD;
  if (!d->in_spans && !get_uleb_u32(&d->cursor, end, &number))
    return CN_FRAMEMAP_BAD;
  d->in_spans = true;
  if (!get_uleb_u32(&d->cursor, end, &out->index) || !get_uleb_u32(&d->cursor, end, &out->depth))
    return CN_FRAMEMAP_BAD;
  d->spans--;
  return CN_FRAMEMAP_OK;
}

uintptr_t cn_details_span_table(const struct cn_details *d)
{
  const unsigned char *at = d->function.block + CN_DETAILS_BLOCK_SPANS_OFFSET;
  int32_t distance;

  memcpy(&distance, at, 4);
  return distance ? (uintptr_t)at + (uintptr_t)(intptr_t)distance : 0;
}

int cn_details_next_span(struct cn_details *d, struct cn_span *out)
{
  struct cn_span_use use;
  struct cairn_span span;
  int status = cn_details_next_span_use(d, &use);
  uintptr_t table = cn_details_span_table(d);

  if (status)
    return status;
  if (!table)
    return CN_FRAMEMAP_BAD;
  const unsigned char *at = (const unsigned char *)table + use.index * sizeof span;
  memcpy(&span, at, sizeof span);
  *out = (struct cn_span){.key = span.key, .value = (uintptr_t)span.integer, .depth = use.depth};
  if (span.distance)
    out->value = (uintptr_t)at + offsetof(struct cairn_span, distance) + (uintptr_t)(intptr_t)span.distance;
  return CN_FRAMEMAP_OK;
}
