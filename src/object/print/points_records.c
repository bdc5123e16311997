/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints points as text or as JSON. docs/man/cairn.1 documents the JSON members, which are stable. Runs once per
 * object, after all points have been checked; prints to the caller's stream, and holds no state.
 */
#include <inttypes.h>
#include "base/check.h"
#include "object/print/frames_print.h"
#include "object/print/frames_view.h"

static const char *const kind_names[CN_POINT_KINDS] = {"shadow", "patchpoint", "statepoint"};
static const char *const class_names[] = {"integer",   "float", "pointer", "reference",
                                          "undefined", "local", "vector",  "unknown"};

const char *cn_frames_class_name(unsigned value_class)
{
  CN_CHECK(value_class < sizeof class_names / sizeof *class_names);
  return class_names[value_class];
}

/* Print the line of a point, and in JSON all members before the values. */
static void print_point_line(const struct cn_frames_printer *p, const struct cn_point *point)
{
  if (p->json) {
    CN_MEMBERS(p->json, CN_NUMBER("start", point->start), CN_NUMBER("length", point->length),
               CN_STRING("kind", kind_names[point->kind]), CN_NUMBER("id", point->id),
               CN_NUMBER("calling_convention", point->convention), CN_BOOL("has_target", point->has_target));
    cn_frames_print_row(p, &point->frame);
    return;
  }
  fprintf(p->out, "  +0x%" PRIx32 ": %s of %" PRIu32 " bytes, id %" PRIu64, point->start, kind_names[point->kind],
          point->length, point->id);
  if (point->convention)
    fprintf(p->out, ", convention %u", point->convention);
  fputs(point->has_target ? ", with a target\n    " : "\n    ", p->out);
  cn_frames_print_row(p, &point->frame);
  fputc('\n', p->out);
}

static void print_value_json(const struct cn_frames_printer *p, const char *role, const struct cn_point_value *v)
{
  static const char *const kinds[] = {"constant", "register", "memory", "address"};

  cn_json_out_open_on_line(p->json, NULL, '{');
  CN_MEMBERS(p->json, CN_STRING("role", role), CN_STRING("class", class_names[v->value_class]),
             CN_NUMBER("bits", v->bits), CN_STRING("kind", kinds[v->kind]));
  if (v->kind == CN_POINT_CONSTANT)
    cn_json_out_write_number(p->json, "value", v->constant);
  else
    cn_frames_print_place(p, "place", "", v->loc);
  cn_json_out_close_bracket(p->json);
}

static void print_value(const struct cn_frames_printer *p, const char *role, const struct cn_point_value *v)
{
  if (p->json) {
    print_value_json(p, role, v);
    return;
  }
  fprintf(p->out, "    %s %s", role, class_names[v->value_class]);
  if (v->value_class == CN_POINT_INTEGER || v->value_class == CN_POINT_FLOAT)
    fprintf(p->out, " of %u bits", v->bits);
  if (v->value_class != CN_POINT_UNDEFINED)
    fputs(": ", p->out);
  if (v->kind == CN_POINT_ADDRESS)
    cn_frames_print_sum(p, v->loc.reg, v->loc.offset);
  else if (v->kind != CN_POINT_CONSTANT)
    cn_frames_print_place(p, NULL, "", v->loc);
  else if (v->value_class != CN_POINT_UNDEFINED)
    fprintf(p->out, "constant %" PRIu64, v->constant);
  fputc('\n', p->out);
}

static void print_values(const struct cn_frames_printer *p, struct cn_point *point)
{
  struct cn_point_value value;
  uint32_t results = point->has_result, arguments = point->arguments;

  cn_frames_open_json(p, "values", '[');
  for (uint32_t i = 0; !cn_points_next_value(point, &value); i++)
    print_value(p, i < results ? "result" : i < results + arguments ? "argument" : "value", &value);
  cn_frames_close_json(p);
}

static void print_live_outs(const struct cn_frames_printer *p, struct cn_point *point)
{
  struct cn_point_live_out live_out;
  const char *before = "    live-outs ";
  char name[16];

  cn_frames_open_json(p, "live_outs", '[');
  for (; !cn_points_next_live_out(point, &live_out); before = ", ") {
    const char *reg = cn_frames_printed_register(p, live_out.reg, name);
    if (p->json)
      CN_ROW(p->json, NULL, CN_STRING("register", reg), CN_NUMBER("size", live_out.size));
    else
      fprintf(p->out, "%s%s (%u bytes)", before, reg, live_out.size);
  }
  cn_frames_close_json(p);
  if (!p->json && before[0] == ',')
    fputc('\n', p->out);
}

static void print_function_points(const struct cn_frames_printer *p, const struct cn_frames_function *f)
{
  struct cn_point point;

  cn_frames_open_function(p, f, "points", f->points.points);
  for (uint32_t i = 0; i < f->points.points; i++) {
    if (cn_points_read_point(&f->points, i, &point))
      CN_UNREACHABLE(); /* cn_frames_view_open() has already read the point */
    cn_frames_open_json(p, NULL, '{');
    print_point_line(p, &point);
    print_values(p, &point);
    print_live_outs(p, &point);
    cn_frames_close_json(p);
  }
  cn_frames_close_json(p);
  cn_frames_close_json(p);
}

void cn_points_print_object(FILE *out, struct cn_json_writer *json, const char *member, struct cn_frames_view *view)
{
  struct cn_frames_printer p = {out, json, view};

  cn_frames_open_object(&p, member);
  for (size_t i = 0; i < view->functions.count; i++)
    if (view->functions.at[i].points.points)
      print_function_points(&p, &view->functions.at[i]);
  cn_frames_close_json(&p);
  cn_frames_close_json(&p);
}
