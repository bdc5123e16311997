/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the frame maps of functions to the caller's buffer, and frees the model of a function; framemap_format.h
 * describes the encoding. frames_build.c refuses maps that the encoding cannot express, so the writer only asserts
 * this. Runs in the tools, once a model is complete; leaves the model unchanged and prints nothing. All state is local.
 */
#include "framemap/framemap_format.h"
#include "framemap/intern.h"

#include <cairn/abi.h>

unsigned cn_framemap_base_code_of(const struct cn_frame_port *port, unsigned dwarf)
{
  unsigned base = cn_port_base_index_of(port, dwarf);

  CN_CHECK(base < CN_PORT_BASE_COUNT);
  return base;
}

static uint64_t place_code_of(const struct cn_frame_port *port, struct cn_frame_place loc)
{
  if (loc.is_register) {
    unsigned number = (unsigned)loc.reg ^ port->register_flip;
    CN_CHECK(loc.reg <= port->last_general);
    return (number & 15) << 1 | 1 | (number >> 4) << CN_PLACE_HIGH_SHIFT;
  }
  CN_CHECK(loc.offset % 8 == 0);
  unsigned base = cn_framemap_base_code_of(port, loc.reg);
  if (base == 0) {
    CN_CHECK(loc.offset >= 0);
    return (uint64_t)(loc.offset / 8) << 1;
  }
  return cn_zigzag_encode(loc.offset / 8) << 6 | CN_PLACE_ON_OTHER_BASE | (base - 1) << 1 | 1;
}

static unsigned statepoint_id_code_of(uint64_t id)
{
  switch (id) {
  case CAIRN_ABI_STATEPOINT_ID_DEFAULT:
    return 0;
  case CAIRN_ABI_STATEPOINT_ID_POLL:
    return 1;
  case CAIRN_ABI_STATEPOINT_ID_ALLOC:
    return 2;
  default:
    return CN_STATEPOINT_ID_EXPLICIT;
  }
}

unsigned cn_framemap_shape_of(const struct cn_frame_port *port, const struct cn_safepoint *frame)
{
  unsigned shape = port->find_shape(frame->saved);
  struct cn_saved_places places;

  if (shape == CN_NO_SHAPE)
    return CN_NO_SHAPE;
  CN_CHECK(port->fill_shape(shape, &places) && places.saved == frame->saved);
  if (places.return_address != frame->return_address_offset)
    return CN_NO_SHAPE;
  for (unsigned r = 0; r < port->tracked_count; r++)
    if ((frame->saved >> r & 1) && places.offset[r] != frame->saved_offset[r])
      return CN_NO_SHAPE;
  return shape;
}

static void put_place_in_frame(struct cn_bytes *out, int32_t offset)
{
  CN_CHECK(offset < 0 && offset % 8 == 0);
  cn_uleb_put(out, (uint64_t)(-(int64_t)offset / 8));
}

static void put_saved_registers(struct cn_bytes *out, const struct cn_frame_port *port,
                                const struct cn_safepoint *frame)
{
  unsigned landing = cn_landing_exists(&frame->landing) ? CN_SAVED_HAS_LANDING : 0;
  unsigned shape = cn_framemap_shape_of(port, frame);

  if (shape != CN_NO_SHAPE) {
    cn_push(out, (unsigned char)(shape | landing | CN_SAVED_AS_SHAPE));
    return;
  }
  cn_push(out, (unsigned char)((port->has_link_register ? 0u : frame->saved) | landing));
  if (port->has_link_register) {
    cn_uleb_put(out, frame->saved);
    put_place_in_frame(out, frame->return_address_offset);
  }
  for (unsigned r = 0; r < port->saved_count; r++)
    if (frame->saved >> r & 1)
      put_place_in_frame(out, frame->saved_offset[r]);
}

void cn_framemap_put_frame_row(struct cn_bytes *out, const struct cn_frame_port *port, const struct cn_safepoint *frame)
{
  CN_CHECK(frame->cfa_offset >= 0 && frame->cfa_offset % 8 == 0);
  CN_CHECK(frame->saved >> port->saved_count == 0);
  CN_CHECK(port->has_link_register || frame->return_address_offset == -port->pushed_bytes);
  cn_uleb_put(out, (uint64_t)frame->cfa_offset / 8);
  put_saved_registers(out, port, frame);
}

static void put_landing(struct cn_bytes *out, const struct cn_landing *landing)
{
  if (!cn_landing_exists(landing))
    return;
  cn_uleb_put(out, landing->pad);
  if (landing->pad == 0)
    return;
  CN_CHECK(landing->popped % 8 == 0);
  cn_uleb_put(out, (uint64_t)landing->selector << 1 | (landing->popped != 0));
  if (landing->popped)
    cn_uleb_put(out, landing->popped / 8);
}

static void put_areas(struct cn_bytes *out, const struct cn_frame_port *port, const struct cn_map_safepoint *s)
{
  CN_CHECK(!s->frame.areas || s->areas);
  if (!s->frame.areas)
    return;
  cn_uleb_put(out, s->frame.areas - 1);
  for (uint32_t i = 0; i < s->frame.areas; i++) {
    const struct cn_described_area *a = &s->areas[i];
    unsigned base = cn_framemap_base_code_of(port, a->reg);
    cn_uleb_put(out, cn_zigzag_encode(a->offset + (int64_t)a->ref_offset) << 2 | (a->tag ? CN_AREA_TAG_FOLLOWS : base));
    CN_CHECK(a->tag == 0 || a->tag >= CAIRN_ABI_ROOT_USER);
    if (a->tag) {
      cn_uleb_put(out, (uint64_t)a->tag << 2 | base);
      cn_uleb_put(out, a->parameter);
    }
    cn_uleb_put(out, a->count);
    cn_uleb_put(out, a->stride);
  }
}

static void put_descriptor(struct cn_bytes *out, const struct cn_frame_port *port, const struct cn_map_safepoint *s)
{
  const struct cn_safepoint *frame = &s->frame;
  unsigned few = frame->roots < CN_DESCRIPTOR_MANY_ROOTS ? frame->roots : CN_DESCRIPTOR_MANY_ROOTS;
  unsigned id = statepoint_id_code_of(frame->id);

  CN_CHECK(!frame->roots || s->roots);
  cn_push(out, (unsigned char)(cn_framemap_base_code_of(port, frame->cfa_reg) |
                               (frame->areas ? CN_DESCRIPTOR_HAS_AREAS : 0) | id << CN_DESCRIPTOR_ID_SHIFT |
                               few << CN_DESCRIPTOR_ROOTS_SHIFT));
  if (few == CN_DESCRIPTOR_MANY_ROOTS)
    cn_uleb_put(out, frame->roots - CN_DESCRIPTOR_MANY_ROOTS);
  cn_framemap_put_frame_row(out, port, frame);
  if (id == CN_STATEPOINT_ID_EXPLICIT)
    cn_put_little_endian(out, frame->id, 8);
  put_landing(out, &frame->landing);
  for (uint32_t i = 0; i < frame->roots; i++) {
    cn_uleb_put(out, place_code_of(port, s->roots[i].base) << 1 | s->roots[i].is_derived);
    if (s->roots[i].is_derived)
      cn_uleb_put(out, place_code_of(port, s->roots[i].derived));
  }
  put_areas(out, port, s);
}

/* Encode all distinct descriptors into `bytes`. The result has the offset of each safepoint's descriptor; the caller
 * frees the result. */
static size_t *encode_descriptors(const struct cn_map_function *f, struct cn_bytes *bytes)
{
  size_t count = f->safepoints.count;
  size_t *starts = cn_alloc(count * sizeof *starts);
  struct cn_intern known = {0};

  for (size_t i = 0; i < count; i++) {
    size_t start = bytes->count;
    put_descriptor(bytes, f->port, &f->safepoints.at[i]);
    starts[i] = cn_intern_keep_record(&known, bytes, start);
  }
  cn_intern_free(&known);
  return starts;
}

void cn_framemap_put_header(struct cn_bytes *out, uint32_t code_size, uint32_t packed)
{
  CN_CHECK(out->count % 4 == 0);
  cn_put_little_endian(out, 0, 8); /* cn_framemap_end_function() sets the length, and the linker sets the entry */
  cn_put_little_endian(out, code_size, 4);
  cn_put_little_endian(out, packed, 4);
}

void cn_framemap_end_function(struct cn_bytes *out, size_t begin, const struct cn_bytes *records)
{
  for (size_t i = 0; i < records->count; i++)
    cn_push(out, records->at[i]);
  while (out->count % 4)
    cn_push(out, 0);
  CN_CHECK(out->count - begin <= UINT32_MAX);
  cn_set_u32(out, begin + CN_FRAMEMAP_LENGTH_OFFSET, (uint32_t)(out->count - begin));
}

void cn_framemap_append_function(struct cn_bytes *out, const struct cn_map_function *f)
{
  CN_ASSERT_VALID(cn_map_function_wrong(f));
  struct cn_bytes descriptors = {0};
  size_t begin = out->count, count = f->safepoints.count;
  size_t *starts = encode_descriptors(f, &descriptors);
  unsigned a = cn_log2_width_of(count ? f->safepoints.at[count - 1].return_offset : 0);
  unsigned b = cn_log2_width_of(descriptors.count);

  CN_CHECK(count <= CN_FRAMEMAP_MAX_SAFEPOINTS && begin % 4 == 0);
  cn_framemap_put_header(out, f->code_size,
                         (uint32_t)count | (f->no_barriers ? CN_FRAMEMAP_NO_BARRIERS_FLAG : 0) | a << 28 | b << 30);
  for (size_t i = 0; i < count; i++)
    cn_put_little_endian(out, f->safepoints.at[i].return_offset, 1u << a);
  for (size_t i = 0; i < count; i++)
    cn_put_little_endian(out, starts[i], 1u << b);
  cn_framemap_end_function(out, begin, &descriptors);
  CN_ASSERT_VALID(cn_framemap_encoding_wrong(out->at + begin, out->count - begin, f));
  free(starts);
  cn_free(&descriptors);
}

void cn_map_function_free(struct cn_map_function *function)
{
  for (size_t i = 0; i < function->safepoints.count; i++) {
    free(function->safepoints.at[i].roots);
    free(function->safepoints.at[i].areas);
    cn_safepoint_details_free(&function->safepoints.at[i].detail);
  }
  cn_free(&function->safepoints);
  cn_function_points_free(&function->points);
}
