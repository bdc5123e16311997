/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads section `cairn_points`: functions, their points, and the values and live-outs of a point. points_format.h
 * describes the encoding. This file is part of the runtime, allocates no memory, and compares every read with the end
 * of the function. The readers keep no state and run on any thread in any phase. Points are input, so malformed points
 * are reported as CN_FRAMEMAP_BAD; checks are for defects of Cairn.
 */
#include "framemap/points.h"

#include "framemap/framemap_format.h"
#include "framemap/points_format.h"

int cn_points_next_function(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                            struct cn_points_function *f)
{
  struct cn_map_header h;
  int status = cn_framemap_next_header(cursor, end, &h);

  if (status)
    return status;
  uint32_t count = h.packed & CN_POINTS_MAX_POINTS;
  unsigned a = h.packed >> 28 & 3, b = h.packed >> 30;
  if (a > 2 || b > 2 || !count ||
      count > (size_t)(h.end - h.data - CN_FRAMEMAP_HEADER_BYTES) / ((1u << a) + 2 + (1u << b)))
    return CN_FRAMEMAP_BAD;
  *f = (struct cn_points_function){
      .entry = h.entry, .code_size = h.code_size, .points = count, .data = h.data, .end = h.end, .port = port};
  *cursor = h.end;
  return CN_FRAMEMAP_OK;
}

/* The three arrays of a function, and the records after them. */
struct point_arrays {
  const unsigned char *starts, *lengths, *offsets, *records;
  unsigned start_width, offset_width;
};

static struct point_arrays arrays_of(const struct cn_points_function *f)
{
  uint32_t packed = cn_load_little_endian(f->data + CN_FRAMEMAP_COUNT_OFFSET, 4);
  unsigned a = packed >> 28 & 3, b = packed >> 30;
  struct point_arrays arrays = {
      .starts = f->data + CN_FRAMEMAP_HEADER_BYTES, .start_width = 1u << a, .offset_width = 1u << b};

  arrays.lengths = arrays.starts + ((size_t)f->points << a);
  arrays.offsets = arrays.lengths + (size_t)f->points * 2;
  arrays.records = arrays.offsets + ((size_t)f->points << b);
  return arrays;
}

static uint32_t load_start(const struct point_arrays *arrays, uint32_t index)
{
  return cn_load_little_endian(arrays->starts + (size_t)index * arrays->start_width, arrays->start_width);
}

static uint32_t load_length(const struct point_arrays *arrays, uint32_t index)
{
  return cn_load_little_endian(arrays->lengths + (size_t)index * 2, 2);
}

int cn_points_read_region(const struct cn_points_function *f, uint32_t index, uint32_t *start, uint32_t *length)
{
  if (index >= f->points)
    return CN_FRAMEMAP_BAD;
  struct point_arrays arrays = arrays_of(f);
  *start = load_start(&arrays, index);
  *length = load_length(&arrays, index);
  if (*start >= f->code_size || *length > f->code_size - *start)
    return CN_FRAMEMAP_BAD;
  if (index && (uint64_t)load_start(&arrays, index - 1) + load_length(&arrays, index - 1) > *start)
    return CN_FRAMEMAP_BAD;
  return CN_FRAMEMAP_OK;
}

/* Read a uleb that is at most `most`. */
static bool get_number(const unsigned char **cursor, const unsigned char *end, uint64_t most, uint64_t *value)
{
  return cn_uleb_get(cursor, end, value) && *value <= most;
}

static bool get_value(struct cn_point *p, struct cn_point_value *out);

/* Read the values, because the number of live-outs follows the last value. */
static bool get_live_out_count(const struct cn_point *point, uint32_t *count)
{
  struct cn_point rest = *point;
  struct cn_point_value skipped;
  uint64_t value;

  for (; rest.values; rest.values--)
    if (!get_value(&rest, &skipped))
      return false;
  if (!get_number(&rest.cursor, rest.end, UINT16_MAX - 1, &value))
    return false;
  *count = (uint32_t)value + 1;
  return true;
}

/* Read a record after its head. */
static bool get_record(const struct cn_frame_port *port, const unsigned char *at, unsigned char head,
                       struct cn_point *out)
{
  const unsigned char *end = out->end;
  uint64_t convention = 0, arguments = 0, values;

  if ((head >> CN_POINT_KIND_SHIFT & 3) >= CN_POINT_KINDS)
    return false;
  out->kind = (enum cn_point_kind)(head >> CN_POINT_KIND_SHIFT & 3);
  out->has_result = head & CN_POINT_HAS_RESULT;
  out->has_target = head & CN_POINT_HAS_TARGET;
  if (out->kind != CN_POINT_PATCHPOINT && (out->has_result || out->has_target))
    return false;
  if (!cn_framemap_get_frame_row(port, &at, end, head & 3, &out->frame, NULL) || !cn_uleb_get(&at, end, &out->id))
    return false;
  if ((head & CN_POINT_HAS_CONVENTION) &&
      (!get_number(&at, end, UINT16_MAX, &convention) || !get_number(&at, end, UINT16_MAX, &arguments)))
    return false;
  if (!get_number(&at, end, (uint64_t)(end - at), &values) || values < arguments + out->has_result)
    return false;
  out->convention = (uint16_t)convention;
  out->arguments = (uint32_t)arguments;
  out->values = (uint32_t)values;
  out->cursor = at;
  return !(head & CN_POINT_HAS_LIVE_OUTS) || get_live_out_count(out, &out->live_outs);
}

int cn_points_read_point(const struct cn_points_function *f, uint32_t index, struct cn_point *out)
{
  *out = (struct cn_point){.end = f->end};
  if (cn_points_read_region(f, index, &out->start, &out->length))
    return CN_FRAMEMAP_BAD;
  struct point_arrays arrays = arrays_of(f);
  size_t offset = cn_load_little_endian(arrays.offsets + (size_t)index * arrays.offset_width, arrays.offset_width);
  if (offset >= (size_t)(f->end - arrays.records))
    return CN_FRAMEMAP_BAD;
  const unsigned char *at = arrays.records + offset;
  return get_record(f->port, at + 1, *at, out) ? CN_FRAMEMAP_OK : CN_FRAMEMAP_BAD;
}

static bool get_width(struct cn_point *p, unsigned code, uint8_t *bits)
{
  uint64_t width = 0;

  if (code >= CN_POINT_WIDTH_CODES)
    return false;
  if (code)
    width = cn_point_widths[code];
  else if (!get_number(&p->cursor, p->end, 64, &width))
    return false;
  *bits = (uint8_t)width;
  return width != 0;
}

static bool get_memory_place(struct cn_point *p, struct cn_frame_place *loc)
{
  uint64_t value;

  if (!cn_uleb_get(&p->cursor, p->end, &value) || (value & 3) >= CN_PORT_BASE_COUNT)
    return false;
  int64_t offset = cn_zigzag_decode(value >> 2);
  *loc = (struct cn_frame_place){.reg = p->frame.port->base[value & 3], .offset = (int32_t)offset};
  return offset >= INT32_MIN && offset <= INT32_MAX;
}

static bool get_value(struct cn_point *p, struct cn_point_value *out)
{
  uint64_t value;

  if (p->cursor == p->end)
    return false;
  unsigned char head = *p->cursor++;
  *out = (struct cn_point_value){.value_class = head & 7};
  if (out->value_class >= CN_POINT_CLASSES || !get_width(p, head >> CN_POINT_VALUE_WIDTH_SHIFT, &out->bits))
    return false;
  out->kind = head >> CN_POINT_VALUE_KIND_SHIFT & 3;
  switch (out->kind) {
  case CN_POINT_CONSTANT:
    if (!cn_uleb_get(&p->cursor, p->end, &value))
      return false;
    out->constant = cn_point_mask_value((uint64_t)cn_zigzag_decode(value), out->bits);
    return true;
  case CN_POINT_REGISTER:
    if (!get_number(&p->cursor, p->end, UINT8_MAX, &value) ||
        !cn_port_is_value_register(p->frame.port, (unsigned)value))
      return false;
    out->loc = (struct cn_frame_place){.is_register = 1, .reg = (uint8_t)value};
    return true;
  case CN_POINT_MEMORY:
  case CN_POINT_ADDRESS:
    return get_memory_place(p, &out->loc);
  }
  return false;
}

int cn_points_next_value(struct cn_point *p, struct cn_point_value *out)
{
  if (!p->values)
    return CN_FRAMEMAP_NONE;
  if (!get_value(p, out))
    return CN_FRAMEMAP_BAD;
  p->values--;
  return CN_FRAMEMAP_OK;
}

int cn_points_next_live_out(struct cn_point *p, struct cn_point_live_out *out)
{
  struct cn_point_value skipped;
  uint64_t reg, size;

  if (!p->live_outs)
    return CN_FRAMEMAP_NONE;
  for (; p->values; p->values--) /* skip the values that the caller has not read */
    if (!get_value(p, &skipped))
      return CN_FRAMEMAP_BAD;
  if (!p->in_live_outs && !cn_uleb_get(&p->cursor, p->end, &size)) /* their number, which is known */
    return CN_FRAMEMAP_BAD;
  p->in_live_outs = true;
  if (!get_number(&p->cursor, p->end, UINT8_MAX, &reg) ||
      !get_number(&p->cursor, p->end, CN_POINT_MAX_LIVE_OUT_BYTES, &size) ||
      !cn_port_is_live_out_register(p->frame.port, (unsigned)reg))
    return CN_FRAMEMAP_BAD;
  *out = (struct cn_point_live_out){.reg = (uint8_t)reg, .size = (uint8_t)size};
  p->live_outs--;
  return CN_FRAMEMAP_OK;
}
