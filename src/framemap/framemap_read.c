/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads frame maps: functions, their safepoints, and the roots and described allocas of a safepoint. Also compares the
 * maps of two functions. framemap_format.h describes the encoding. This file is part of the runtime, allocates no
 * memory, calls only memcpy() and memcmp() of the C library, and compares every read with the end of the function. The
 * readers keep no state and run on any thread in any phase. Maps are input, so malformed maps are reported as
 * CN_FRAMEMAP_BAD; checks are for defects of Cairn.
 */
#include "framemap/framemap.h"

#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "framemap/framemap_format.h"

/* Compute 8 * `value`. False if the result is no 32-bit offset. */
static bool scale_word_offset(int64_t value, int32_t *offset)
{
  if (value > INT32_MAX / 8 || value < INT32_MIN / 8)
    return false;
  *offset = (int32_t)(value * 8);
  return true;
}

int cn_framemap_next_header(const unsigned char **cursor, const unsigned char *end, struct cn_map_header *h)
{
  CN_ASSERT(*cursor <= end);
  while (end - *cursor >= 4 && cn_load_little_endian(*cursor, 4) == 0)
    *cursor += 4;
  if (*cursor == end)
    return CN_FRAMEMAP_NONE;
  const unsigned char *p = *cursor;
  size_t room = (size_t)(end - p);
  if (room < CN_FRAMEMAP_HEADER_BYTES)
    return CN_FRAMEMAP_BAD;
  size_t length = cn_load_little_endian(p + CN_FRAMEMAP_LENGTH_OFFSET, 4);
  if (length < CN_FRAMEMAP_HEADER_BYTES || length > room || length % 4)
    return CN_FRAMEMAP_BAD;
  int32_t distance;
  memcpy(&distance, p + CN_FRAMEMAP_ENTRY_OFFSET, 4);
  h->entry = (uintptr_t)(p + CN_FRAMEMAP_ENTRY_OFFSET) + (uintptr_t)(intptr_t)distance;
  h->code_size = cn_load_little_endian(p + CN_FRAMEMAP_CODE_SIZE_OFFSET, 4);
  h->packed = cn_load_little_endian(p + CN_FRAMEMAP_COUNT_OFFSET, 4);
  h->data = p;
  h->end = p + length;
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_function(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                              struct cn_framemap_function *f)
{
  struct cn_map_header h;
  int status = cn_framemap_next_header(cursor, end, &h);

  if (status)
    return status;
  uint32_t count = h.packed & CN_FRAMEMAP_MAX_SAFEPOINTS;
  unsigned a = h.packed >> 28 & 3, b = h.packed >> 30;
  if (a > 2 || b > 2 || count > (size_t)(h.end - h.data - CN_FRAMEMAP_HEADER_BYTES) / ((1u << a) + (1u << b)))
    return CN_FRAMEMAP_BAD;
  *f = (struct cn_framemap_function){.entry = h.entry,
                                     .code_size = h.code_size,
                                     .safepoints = count,
                                     .no_barriers = h.packed & CN_FRAMEMAP_NO_BARRIERS_FLAG,
                                     .data = h.data,
                                     .end = h.end,
                                     .port = port};
  *cursor = h.end;
  return CN_FRAMEMAP_OK;
}

bool cn_framemap_is_same(const struct cn_framemap_function *one, const struct cn_framemap_function *other)
{
  size_t bytes = (size_t)(one->end - one->data);
  uint32_t packed = cn_load_little_endian(one->data + CN_FRAMEMAP_COUNT_OFFSET, 4) ^
                    cn_load_little_endian(other->data + CN_FRAMEMAP_COUNT_OFFSET, 4);

  return bytes == (size_t)(other->end - other->data) && one->code_size == other->code_size &&
         (packed & ~(uint32_t)CN_FRAMEMAP_NO_BARRIERS_FLAG) == 0 &&
         memcmp(one->data + CN_FRAMEMAP_HEADER_BYTES, other->data + CN_FRAMEMAP_HEADER_BYTES,
                bytes - CN_FRAMEMAP_HEADER_BYTES) == 0;
}

int cn_framemap_read_return_offset(const struct cn_framemap_function *f, uint32_t index, uint32_t *offset)
{
  unsigned a = cn_load_little_endian(f->data + CN_FRAMEMAP_COUNT_OFFSET, 4) >> 28 & 3;
  const unsigned char *at = f->data + CN_FRAMEMAP_HEADER_BYTES + ((size_t)index << a);

  if (index >= f->safepoints)
    return CN_FRAMEMAP_BAD;
  *offset = cn_load_little_endian(at, 1u << a);
  if (*offset == 0 || *offset > f->code_size)
    return CN_FRAMEMAP_BAD;
  if (index && cn_load_little_endian(at - (1u << a), 1u << a) >= *offset)
    return CN_FRAMEMAP_BAD;
  return CN_FRAMEMAP_OK;
}

static bool get_shape(const struct cn_frame_port *port, unsigned shape, struct cn_safepoint *out)
{
  struct cn_saved_places places;

  if (!port->fill_shape(shape, &places))
    return false;
  out->saved = places.saved;
  out->return_address_offset = places.return_address;
  for (unsigned r = 0; r < port->tracked_count; r++)
    out->saved_offset[r] = places.offset[r];
  return true;
}

/* Read the offset of a word of the frame. */
static bool get_place_in_frame(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                               int32_t *offset)
{
  uint64_t value;

  return cn_uleb_get(cursor, end, &value) && value >= 1 + port->pushed_bytes / 8u && value <= INT32_MAX &&
         scale_word_offset(-(int64_t)value, offset);
}

static bool get_saved_registers(const struct cn_frame_port *port, const unsigned char **cursor,
                                const unsigned char *end, struct cn_safepoint *out, bool *has_landing)
{
  uint64_t set;

  if (*cursor == end)
    return false;
  unsigned char saved = *(*cursor)++;
  if (has_landing)
    *has_landing = saved & CN_SAVED_HAS_LANDING;
  else if (saved & CN_SAVED_HAS_LANDING)
    return false;
  set = saved & CN_SAVED_MASK;
  if (saved & CN_SAVED_AS_SHAPE)
    return get_shape(port, (unsigned)set, out);
  out->return_address_offset = -port->pushed_bytes;
  if (port->has_link_register &&
      (set || !cn_uleb_get(cursor, end, &set) || !get_place_in_frame(port, cursor, end, &out->return_address_offset)))
    return false;
  if (set >> port->saved_count)
    return false;
  out->saved = (uint32_t)set;
  for (unsigned r = 0; r < port->saved_count; r++)
    if ((set >> r & 1) && !get_place_in_frame(port, cursor, end, &out->saved_offset[r]))
      return false;
  return true;
}

bool cn_framemap_get_frame_row(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                               unsigned base, struct cn_safepoint *out, bool *has_landing)
{
  uint64_t value;

  if (base >= CN_PORT_BASE_COUNT || !cn_uleb_get(cursor, end, &value) || value > INT32_MAX ||
      !scale_word_offset((int64_t)value, &out->cfa_offset))
    return false;
  out->port = port;
  out->cfa_reg = port->base[base];
  return get_saved_registers(port, cursor, end, out, has_landing);
}

static bool get_statepoint_id(const unsigned char **cursor, const unsigned char *end, unsigned code, uint64_t *id)
{
  static const uint64_t known[] = {CAIRN_ABI_STATEPOINT_ID_DEFAULT, CAIRN_ABI_STATEPOINT_ID_POLL,
                                   CAIRN_ABI_STATEPOINT_ID_ALLOC};

  if (code != CN_STATEPOINT_ID_EXPLICIT) {
    *id = known[code];
    return true;
  }
  if (end - *cursor < 8)
    return false;
  *id = cn_load_u64(*cursor);
  *cursor += 8;
  return true;
}

static bool get_landing(const unsigned char **cursor, const unsigned char *end, uint32_t code_size,
                        struct cn_landing *out)
{
  uint64_t pad, selector, popped = 0;

  if (!cn_uleb_get(cursor, end, &pad) || pad >= code_size)
    return false;
  *out = (struct cn_landing){.pad = (uint32_t)pad, .barred = pad == 0};
  if (pad == 0)
    return true;
  if (!cn_uleb_get(cursor, end, &selector) || selector >> 1 > INT32_MAX ||
      ((selector & 1) && (!cn_uleb_get(cursor, end, &popped) || popped > INT32_MAX / 8)))
    return false;
  out->selector = (uint32_t)(selector >> 1);
  out->popped = (uint32_t)popped * 8;
  return true;
}

/* Skip a root, because the number of areas follows the last root. */
static bool skip_root(const unsigned char **cursor, const unsigned char *end)
{
  uint64_t value;

  return cn_uleb_get(cursor, end, &value) && (!(value & 1) || cn_uleb_get(cursor, end, &value));
}

static bool get_area_count(const struct cn_safepoint *s, uint32_t *count)
{
  const unsigned char *cursor = s->cursor;
  uint64_t value;

  for (uint32_t i = 0; i < s->roots; i++)
    if (!skip_root(&cursor, s->end))
      return false;
  if (!cn_uleb_get(&cursor, s->end, &value) || value >= UINT32_MAX)
    return false;
  *count = (uint32_t)value + 1;
  return true;
}

int cn_framemap_read_safepoint(const struct cn_framemap_function *f, uint32_t index, struct cn_safepoint *out)
{
  uint32_t packed = cn_load_little_endian(f->data + CN_FRAMEMAP_COUNT_OFFSET, 4);
  unsigned a = packed >> 28 & 3, b = packed >> 30;
  const unsigned char *offsets = f->data + CN_FRAMEMAP_HEADER_BYTES + ((size_t)f->safepoints << a);
  const unsigned char *descriptors = offsets + ((size_t)f->safepoints << b), *p;
  uint64_t value;

  *out = (struct cn_safepoint){.end = f->end};
  if (index >= f->safepoints)
    return CN_FRAMEMAP_BAD;
  size_t start = cn_load_little_endian(offsets + ((size_t)index << b), 1u << b);
  if (start >= (size_t)(f->end - descriptors))
    return CN_FRAMEMAP_BAD;
  p = descriptors + start;
  unsigned char head = *p++;
  out->roots = head >> CN_DESCRIPTOR_ROOTS_SHIFT;
  if (out->roots == CN_DESCRIPTOR_MANY_ROOTS) {
    if (!cn_uleb_get(&p, f->end, &value) || value > (uint64_t)(f->end - p))
      return CN_FRAMEMAP_BAD;
    out->roots += (uint32_t)value;
  }
  bool has_landing;
  if (!cn_framemap_get_frame_row(f->port, &p, f->end, head & 3, out, &has_landing) ||
      !get_statepoint_id(&p, f->end, head >> CN_DESCRIPTOR_ID_SHIFT & 3, &out->id) ||
      (has_landing && !get_landing(&p, f->end, f->code_size, &out->landing)))
    return CN_FRAMEMAP_BAD;
  out->cursor = p;
  if ((head & CN_DESCRIPTOR_HAS_AREAS) && !get_area_count(out, &out->areas))
    return CN_FRAMEMAP_BAD;
  return CN_FRAMEMAP_OK;
}

static bool decode_place(const struct cn_frame_port *port, uint64_t value, struct cn_frame_place *loc)
{
  *loc = (struct cn_frame_place){0};
  if (!(value & 1)) {
    loc->reg = port->base[0];
    return scale_word_offset((int64_t)(value >> 1), &loc->offset);
  }
  if (!(value & CN_PLACE_ON_OTHER_BASE)) {
    uint64_t high = value >> CN_PLACE_HIGH_SHIFT;
    loc->is_register = 1;
    loc->reg = (uint8_t)((value >> 1 & 15) | (high & 1) << 4) ^ port->register_flip;
    return high <= port->last_general >> 4;
  }
  if (value >> 2 & 7)
    return false;
  loc->reg = port->base[1 + (value >> 1 & 1)];
  return scale_word_offset(cn_zigzag_decode(value >> 6), &loc->offset);
}

int cn_framemap_next_root(struct cn_safepoint *s, struct cn_root *out)
{
  uint64_t value;

  if (!s->roots)
    return CN_FRAMEMAP_NONE;
  if (!cn_uleb_get(&s->cursor, s->end, &value) || !decode_place(s->port, value >> 1, &out->base))
    return CN_FRAMEMAP_BAD;
  out->is_derived = value & 1;
  out->derived = out->base;
  if (out->is_derived && (!cn_uleb_get(&s->cursor, s->end, &value) || !decode_place(s->port, value, &out->derived)))
    return CN_FRAMEMAP_BAD;
  s->roots--;
  return CN_FRAMEMAP_OK;
}

/* Read a tag and its parameter; the two low bits of `value` become the code of the base. */
static bool get_area_tag(struct cn_safepoint *s, struct cn_described_area *out, uint64_t *value)
{
  if (!cn_uleb_get(&s->cursor, s->end, value) || !cn_uleb_get(&s->cursor, s->end, &out->parameter))
    return false;
  out->tag = (uint32_t)(*value >> 2);
  return *value >> 2 <= UINT32_MAX && out->tag >= CAIRN_ABI_ROOT_USER && (*value & 3) != CN_AREA_TAG_FOLLOWS;
}

int cn_framemap_next_area(struct cn_safepoint *s, struct cn_described_area *out)
{
  uint64_t value;

  CN_ASSERT(s->cursor && s->cursor <= s->end);
  if (!s->areas)
    return CN_FRAMEMAP_NONE;
  for (; s->roots; s->roots--) /* skip the roots that the caller has not read */
    if (!skip_root(&s->cursor, s->end))
      return CN_FRAMEMAP_BAD;
  if (!s->in_areas && !cn_uleb_get(&s->cursor, s->end, &value))
    return CN_FRAMEMAP_BAD;
  s->in_areas = true;
  if (!cn_uleb_get(&s->cursor, s->end, &value))
    return CN_FRAMEMAP_BAD;
  int64_t offset = cn_zigzag_decode(value >> 2);
  if (offset < INT32_MIN || offset > INT32_MAX)
    return CN_FRAMEMAP_BAD;
  *out = (struct cn_described_area){.offset = (int32_t)offset};
  if ((value & 3) == CN_AREA_TAG_FOLLOWS && !get_area_tag(s, out, &value))
    return CN_FRAMEMAP_BAD;
  out->reg = s->port->base[value & 3];
  if (!cn_uleb_get(&s->cursor, s->end, &out->count) || !cn_uleb_get(&s->cursor, s->end, &out->stride))
    return CN_FRAMEMAP_BAD;
  s->areas--;
  return CN_FRAMEMAP_OK;
}
