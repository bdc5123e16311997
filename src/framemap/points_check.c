/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks a function's points (struct cn_function_points) against the invariant in points_format.h, and checks that
 * their bytes decode to the same facts. Debug builds of the tools run the checks when a model is complete and when it
 * is written. The checks change and print nothing, and return the fault as text. All state is local.
 */
#include "framemap/points_format.h"

#include "framemap/framemap_format.h"

/* ---- the model ---- */

/* True for the widths of the class's types. */
static bool is_width_of_class(enum cn_point_class value_class, unsigned bits)
{
  switch (value_class) {
  case CN_POINT_INTEGER:
  case CN_POINT_UNDEFINED:
    return bits >= 1 && bits <= 64;
  case CN_POINT_FLOAT:
    return bits == 16 || bits == 32 || bits == 64;
  case CN_POINT_POINTER:
  case CN_POINT_REFERENCE:
  case CN_POINT_LOCAL:
    return bits == 64;
  case CN_POINT_CLASSES:
    break;
  }
  return false;
}

static const char *value_wrong(const struct cn_frame_port *port, const struct cn_point_value *v,
                               const struct cn_safepoint *frame)
{
  if (!is_width_of_class(v->value_class, v->bits))
    return "points: a value has a width of another class";
  if (v->kind != CN_POINT_CONSTANT && v->value_class == CN_POINT_UNDEFINED)
    return "points: an undefined value has a place";
  if (v->kind != CN_POINT_CONSTANT && v->constant)
    return "points: a place has a constant";
  switch (v->kind) {
  case CN_POINT_CONSTANT:
    return cn_point_mask_value(v->constant, v->bits) == v->constant && !v->loc.reg && !v->loc.offset
               ? NULL
               : "points: a constant is wider than its class, or has a place";
  case CN_POINT_REGISTER:
    return v->loc.is_register && !v->loc.offset && cn_port_is_value_register(port, v->loc.reg)
               ? NULL
               : "points: a value is in a strange register";
  case CN_POINT_ADDRESS:
    if (v->bits != 64 || v->value_class == CN_POINT_REFERENCE || v->value_class == CN_POINT_FLOAT)
      return "points: a value of another class is an address";
    break;
  case CN_POINT_MEMORY:
    break;
  }
  return !v->loc.is_register && cn_framemap_is_frame_base(port, frame, v->loc.reg)
             ? NULL
             : "points: a place is not based on a base of the frame";
}

static const char *live_out_wrong(const struct cn_frame_port *port, const struct cn_point_live_out *l)
{
  if (!cn_port_is_live_out_register(port, l->reg))
    return "points: a live-out is in a strange register";
  return l->size <= CN_POINT_MAX_LIVE_OUT_BYTES ? NULL : "points: a live-out is wider than registers are";
}

static const char *point_wrong(const struct cn_frame_port *port, const struct cn_map_point *m)
{
  const struct cn_point *p = &m->point;
  const char *wrong = cn_framemap_frame_wrong(port, &p->frame);

  if (p->values != m->values.count || p->live_outs != m->live_outs.count || p->live_outs > UINT16_MAX)
    return "points: a point has other counts than its values and live-outs";
  if (p->kind >= CN_POINT_KINDS || p->frame.roots || p->frame.areas)
    return "points: a point is of no kind, or has roots";
  if (p->kind != CN_POINT_PATCHPOINT && (p->has_result || p->has_target || p->arguments || p->live_outs))
    return "points: a point has parts of a patchpoint";
  if (p->arguments > UINT16_MAX || (uint64_t)p->arguments + p->has_result > p->values)
    return "points: a point has more arguments than values";
  if (p->has_result && m->values.at[0].kind != CN_POINT_REGISTER)
    return "points: a result is not in a register";
  for (size_t i = 0; !wrong && i < m->values.count; i++)
    wrong = value_wrong(port, &m->values.at[i], &p->frame);
  for (size_t i = 0; !wrong && i < m->live_outs.count; i++)
    wrong = live_out_wrong(port, &m->live_outs.at[i]);
  return wrong;
}

const char *cn_function_points_wrong(const struct cn_function_points *f)
{
  const char *wrong = NULL;
  uint64_t end = 0;

  if (!f->port)
    return "points: a function has no port";
  if (f->points.count > CN_POINTS_MAX_POINTS)
    return "points: a function has too many points";
  for (size_t i = 0; !wrong && i < f->points.count; i++) {
    const struct cn_point *p = &f->points.at[i].point;
    if (p->start < end)
      return "points: the regions do not ascend, or share bytes";
    if (p->length > CN_POINTS_MAX_REGION_BYTES || p->start >= f->code_size || p->length > f->code_size - p->start)
      return "points: a region lies outside the function";
    end = (uint64_t)p->start + p->length;
    wrong = point_wrong(f->port, &f->points.at[i]);
  }
  return wrong;
}

/* ---- its bytes ---- */

static bool is_same_point(const struct cn_frame_port *port, const struct cn_point *a, const struct cn_point *b)
{
  return a->start == b->start && a->length == b->length && a->id == b->id && a->kind == b->kind &&
         a->convention == b->convention && a->has_target == b->has_target && a->has_result == b->has_result &&
         a->arguments == b->arguments && a->values == b->values && a->live_outs == b->live_outs &&
         cn_framemap_is_same_frame(port, &a->frame, &b->frame);
}

static bool is_same_value(const struct cn_point_value *a, const struct cn_point_value *b)
{
  return a->value_class == b->value_class && a->bits == b->bits && a->kind == b->kind && a->constant == b->constant &&
         cn_frame_place_compare(a->loc, b->loc) == 0;
}

static bool reads_back_as_written(const struct cn_points_function *read, uint32_t index,
                                  const struct cn_map_point *want)
{
  struct cn_point point;
  struct cn_point_value value;
  struct cn_point_live_out live_out;

  if (cn_points_read_point(read, index, &point) || !is_same_point(read->port, &want->point, &point))
    return false;
  for (size_t i = 0; i < want->values.count; i++)
    if (cn_points_next_value(&point, &value) || !is_same_value(&want->values.at[i], &value))
      return false;
  for (size_t i = 0; i < want->live_outs.count; i++)
    if (cn_points_next_live_out(&point, &live_out) || live_out.reg != want->live_outs.at[i].reg ||
        live_out.size != want->live_outs.at[i].size)
      return false;
  return cn_points_next_value(&point, &value) == CN_FRAMEMAP_NONE &&
         cn_points_next_live_out(&point, &live_out) == CN_FRAMEMAP_NONE;
}

const char *cn_points_encoding_wrong(const unsigned char *bytes, size_t length, const struct cn_function_points *f)
{
  const unsigned char *cursor = bytes;
  struct cn_points_function read;

  if (cn_points_next_function(f->port, &cursor, bytes + length, &read) || cursor != bytes + length)
    return "points: the bytes are not one function's";
  if (read.code_size != f->code_size || read.points != f->points.count)
    return "points: the bytes have another header";
  for (uint32_t i = 0; i < read.points; i++)
    if (!reads_back_as_written(&read, i, &f->points.at[i]))
      return "points: the bytes say something else of a point";
  return NULL;
}
