/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the points of functions to the caller's buffer, and frees the model; points_format.h describes the encoding.
 * points_build.c refuses points that the encoding cannot express, so the writer only asserts this. Runs in the tools,
 * once a model is complete; leaves the model unchanged and prints nothing. All state is local.
 */
#include "framemap/points_format.h"

#include "framemap/framemap_format.h"
#include "framemap/intern.h"

/* The code of a width, or 0 if the width follows the head. */
static unsigned width_code_of(unsigned bits)
{
  unsigned code = 1;

  while (code < CN_POINT_WIDTH_CODES && cn_point_widths[code] != bits)
    code++;
  return code < CN_POINT_WIDTH_CODES ? code : 0;
}

static int64_t sign_extend_constant(const struct cn_point_value *v)
{
  uint64_t sign = UINT64_C(1) << (v->bits - 1);

  return (int64_t)((v->constant ^ sign) - sign);
}

static void put_value(struct cn_bytes *out, const struct cn_frame_port *port, const struct cn_point_value *v)
{
  unsigned width = width_code_of(v->bits);

  cn_push(out,
          (unsigned char)(v->value_class | v->kind << CN_POINT_VALUE_KIND_SHIFT | width << CN_POINT_VALUE_WIDTH_SHIFT));
  if (!width)
    cn_uleb_put(out, v->bits);
  switch (v->kind) {
  case CN_POINT_CONSTANT:
    cn_uleb_put(out, cn_zigzag_encode(sign_extend_constant(v)));
    break;
  case CN_POINT_REGISTER:
    cn_uleb_put(out, v->loc.reg);
    break;
  case CN_POINT_MEMORY:
  case CN_POINT_ADDRESS:
    cn_uleb_put(out, cn_zigzag_encode(v->loc.offset) << 2 | cn_framemap_base_code_of(port, v->loc.reg));
    break;
  }
}

static void put_record(struct cn_bytes *out, const struct cn_frame_port *port, const struct cn_map_point *m)
{
  const struct cn_point *p = &m->point;
  bool has_convention = p->convention || p->arguments;

  CN_CHECK(p->kind < CN_POINT_KINDS && p->values == m->values.count && p->live_outs == m->live_outs.count);
  cn_push(out,
          (unsigned char)(cn_framemap_base_code_of(port, p->frame.cfa_reg) | (unsigned)p->kind << CN_POINT_KIND_SHIFT |
                          (p->has_result ? CN_POINT_HAS_RESULT : 0u) | (p->has_target ? CN_POINT_HAS_TARGET : 0u) |
                          (has_convention ? CN_POINT_HAS_CONVENTION : 0u) |
                          (p->live_outs ? CN_POINT_HAS_LIVE_OUTS : 0u)));
  cn_framemap_put_frame_row(out, port, &p->frame);
  cn_uleb_put(out, p->id);
  if (has_convention) {
    cn_uleb_put(out, p->convention);
    cn_uleb_put(out, p->arguments);
  }
  cn_uleb_put(out, m->values.count);
  for (size_t i = 0; i < m->values.count; i++)
    put_value(out, port, &m->values.at[i]);
  if (m->live_outs.count)
    cn_uleb_put(out, m->live_outs.count - 1);
  for (size_t i = 0; i < m->live_outs.count; i++) {
    cn_uleb_put(out, m->live_outs.at[i].reg);
    cn_uleb_put(out, m->live_outs.at[i].size);
  }
}

/* Encode all distinct records into `bytes`. The result has the offset of each point's record; the caller frees it. */
static size_t *encode_records(const struct cn_function_points *f, struct cn_bytes *bytes)
{
  size_t *starts = cn_alloc(f->points.count * sizeof *starts);
  struct cn_intern known = {0};

  for (size_t i = 0; i < f->points.count; i++) {
    size_t start = bytes->count;
    put_record(bytes, f->port, &f->points.at[i]);
    starts[i] = cn_intern_keep_record(&known, bytes, start);
  }
  cn_intern_free(&known);
  return starts;
}

void cn_points_append_function(struct cn_bytes *out, const struct cn_function_points *f)
{
  CN_ASSERT_VALID(cn_function_points_wrong(f));
  struct cn_bytes records = {0};
  size_t begin = out->count, count = f->points.count;

  CN_CHECK(count && count <= CN_POINTS_MAX_POINTS && begin % 4 == 0);
  size_t *starts = encode_records(f, &records);
  unsigned a = cn_log2_width_of(f->points.at[count - 1].point.start), b = cn_log2_width_of(records.count);
  cn_framemap_put_header(out, f->code_size, (uint32_t)count | a << 28 | b << 30);
  for (size_t i = 0; i < count; i++)
    cn_put_little_endian(out, f->points.at[i].point.start, 1u << a);
  for (size_t i = 0; i < count; i++)
    cn_put_little_endian(out, f->points.at[i].point.length, 2);
  for (size_t i = 0; i < count; i++)
    cn_put_little_endian(out, starts[i], 1u << b);
  cn_framemap_end_function(out, begin, &records);
  CN_ASSERT_VALID(cn_points_encoding_wrong(out->at + begin, out->count - begin, f));
  free(starts);
  cn_free(&records);
}

void cn_map_point_free(struct cn_map_point *point)
{
  cn_free(&point->values);
  cn_free(&point->live_outs);
}

void cn_function_points_free(struct cn_function_points *function)
{
  for (size_t i = 0; i < function->points.count; i++)
    cn_map_point_free(&function->points.at[i]);
  cn_free(&function->points);
}
