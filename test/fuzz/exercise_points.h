/* SPDX-License-Identifier: Apache-2.0
 *
 * Read all points of some bytes, whatever they are, and write those again that the model accepts. Shared by the fuzz
 * target and by the unit test that changes bytes one by one.
 */
#ifndef CN_FUZZ_EXERCISE_POINTS_H
#define CN_FUZZ_EXERCISE_POINTS_H

#include <stdlib.h>
#include <string.h>
#include "framemap/framemap_format.h"
#include "framemap/points_format.h"

/* A point that was read has the properties that the reader's header promises. */
static inline void exercise_promises(const struct cn_points_function *f, const struct cn_point *p)
{
  if (p->start >= f->code_size || p->length > f->code_size - p->start || p->kind >= CN_POINT_KINDS ||
      cn_port_base_index_of(f->port, p->frame.cfa_reg) == CN_PORT_BASE_COUNT ||
      p->arguments + p->has_result > p->values)
    abort();
}

static inline void exercise_value(const struct cn_frame_port *port, const struct cn_point_value *v)
{
  if (v->value_class >= CN_POINT_CLASSES || v->bits < 1 || v->bits > 64 ||
      cn_point_mask_value(v->constant, v->bits) != v->constant)
    abort();
  if (v->kind == CN_POINT_REGISTER
          ? !cn_port_is_value_register(port, v->loc.reg)
          : v->kind != CN_POINT_CONSTANT && cn_port_base_index_of(port, v->loc.reg) == CN_PORT_BASE_COUNT)
    abort();
}

/* The model of one point; false: it cannot be read. */
static inline bool exercise_model_point(const struct cn_points_function *f, uint32_t index, struct cn_map_point *out)
{
  struct cn_point point, skipping;
  struct cn_point_value value;
  struct cn_point_live_out live_out;
  uint32_t start, length;
  int status;

  if (cn_points_read_region(f, index, &start, &length) || cn_points_read_point(f, index, &point))
    return false;
  if (start != point.start || length != point.length)
    abort();
  exercise_promises(f, &point);
  out->point = skipping = point;
  while (!(status = cn_points_next_value(&point, &value))) {
    exercise_value(f->port, &value);
    cn_push(&out->values, value);
  }
  while (status == CN_FRAMEMAP_NONE && !(status = cn_points_next_live_out(&point, &live_out))) {
    cn_push(&out->live_outs, live_out);
    status = CN_FRAMEMAP_NONE;
    if (cn_points_next_live_out(&skipping, &live_out) ||
        live_out.reg != out->live_outs.at[out->live_outs.count - 1].reg)
      abort();
  }
  return status == CN_FRAMEMAP_NONE;
}

static inline bool exercise_points_model(const struct cn_points_function *f, struct cn_function_points *model)
{
  bool good = true;

  *model = (struct cn_function_points){.port = f->port, .code_size = f->code_size};
  for (uint32_t i = 0; i < f->points && i < 1000; i++) {
    cn_push(&model->points, (struct cn_map_point){0});
    good &= exercise_model_point(f, i, &model->points.at[i]);
  }
  return good;
}

/* Points that were read, written and read again say the same: they are written as they were. */
static inline void exercise_points_writer(const struct cn_function_points *model)
{
  struct cn_function_points second;
  struct cn_points_function written;
  struct cn_bytes one = {0}, other = {0};

  cn_points_append_function(&one, model);
  const unsigned char *cursor = one.at;
  if (cn_points_encoding_wrong(one.at, one.count, model) ||
      cn_points_next_function(model->port, &cursor, one.at + one.count, &written) ||
      !exercise_points_model(&written, &second))
    abort();
  cn_points_append_function(&other, &second);
  if (one.count != other.count || memcmp(one.at, other.at, one.count) != 0)
    abort();
  cn_function_points_free(&second);
  cn_free(&one);
  cn_free(&other);
}

/* Zero if all of it makes sense. */
static inline int exercise_points_of(const struct cn_frame_port *port, const unsigned char *bytes, size_t size)
{
  const unsigned char *cursor = bytes;
  struct cn_points_function f;
  struct cn_function_points model;
  int status, bad = 0;

  while (!(status = cn_points_next_function(port, &cursor, bytes + size, &f))) {
    bool good = exercise_points_model(&f, &model);
    if (good && f.points <= 100 && !cn_function_points_wrong(&model))
      exercise_points_writer(&model);
    bad |= !good;
    cn_function_points_free(&model);
  }
  return bad || status != CN_FRAMEMAP_NONE;
}

static inline int exercise_points(const unsigned char *bytes, size_t size)
{
  return exercise_points_of(&cn_frame_port_x86_64, bytes, size);
}

static inline int exercise_points_aarch64(const unsigned char *bytes, size_t size)
{
  return exercise_points_of(&cn_frame_port_aarch64, bytes, size);
}

#endif
