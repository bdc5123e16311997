/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds points from the records of an object: the regions that a runtime may patch, with their values and live-outs
 * (abi.def, "Points"). Checks each region against the code and the safepoints of its function, and each value against
 * the frame; a value whose place is uncertain is refused. Runs for each function that frames_build.c reads, and holds
 * no state.
 */
#include "object/build/instructions.h"
#include "object/build/statepoint.h"

#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "base/sorted.h"
#include "object/build/frames_build.h"
#include "object/dwarf/cfi.h"

_Static_assert((int)CN_POINT_SHADOW == CAIRN_ABI_POINT_SHADOW &&
                   (int)CN_POINT_PATCHPOINT == CAIRN_ABI_POINT_PATCHPOINT &&
                   (int)CN_POINT_STATEPOINT == CAIRN_ABI_POINT_STATEPOINT,
               "kinds of points are numbered in abi.def");
_Static_assert((int)CN_POINT_INTEGER == CAIRN_ABI_POINT_INTEGER && (int)CN_POINT_FLOAT == CAIRN_ABI_POINT_FLOAT &&
                   (int)CN_POINT_POINTER == CAIRN_ABI_POINT_POINTER &&
                   (int)CN_POINT_REFERENCE == CAIRN_ABI_POINT_REFERENCE &&
                   (int)CN_POINT_UNDEFINED == CAIRN_ABI_POINT_UNDEFINED && (int)CN_POINT_LOCAL == CAIRN_ABI_POINT_LOCAL,
               "classes of values are numbered in abi.def");

/* ---- values ---- */

static const char *read_value_register(const struct cn_frame_port *port, struct cairn_stackmap_location l,
                                       struct cn_point_value *out)
{
  bool is_address = out->value_class == CN_POINT_POINTER || out->value_class == CN_POINT_REFERENCE ||
                    out->value_class == CN_POINT_LOCAL;

  if (l.offset)
    return "a register location has an offset";
  if (l.reg > UINT8_MAX || !cn_port_is_value_register(port, l.reg))
    return "a value of a point is neither in a general nor in a vector register";
  if (is_address && l.reg > port->last_general)
    return "a pointer of a point is not in a general register";
  out->kind = CN_POINT_REGISTER;
  out->loc = (struct cn_frame_place){.is_register = 1, .reg = (uint8_t)l.reg};
  return NULL;
}

/* True for a zero of an argument of anyregcc: LLVM gives the zero register the stack pointer's number. The stack
 * pointer itself is never a value there. Code that reads it copies it to a register, and the copy remains, because the
 * call sequence of the point, which LLVM begins between the copy and the point, defines the stack pointer. Frames of
 * unknown size define it in more places; there the record is refused. */
static bool is_zero_register(const struct cn_statepoint_record *r, struct cairn_stackmap_location l)
{
  return r->port->has_zero_at_sp && l.kind == CAIRN_STACKMAP_REGISTER && !l.offset && cn_port_is_sp(r->port, l.reg) &&
         r->stack_size <= INT32_MAX;
}

static const char *read_value_memory(const struct cn_statepoint_record *r, struct cairn_stackmap_location l,
                                     struct cn_point_value *out)
{
  if (!cn_record_is_frame_base(r, l.reg))
    return r->port->other_location_base;
  if (l.kind == CAIRN_STACKMAP_DIRECT &&
      (out->bits != 64 || out->value_class == CN_POINT_REFERENCE || out->value_class == CN_POINT_FLOAT))
    return "a value of a point is the address of a local, and has another type";
  if (l.kind == CAIRN_STACKMAP_INDIRECT && !cn_record_lies_in_frame(r, l.reg, l.offset, l.size) &&
      !cn_record_is_argument(r, l.reg, l.offset))
    return "a value of a point lies outside the frame or on a saved register";
  out->kind = l.kind == CAIRN_STACKMAP_DIRECT ? CN_POINT_ADDRESS : CN_POINT_MEMORY;
  out->loc = (struct cn_frame_place){.reg = (uint8_t)l.reg, .offset = l.offset};
  return NULL;
}

static const char *read_value(const struct cn_statepoint_record *r, const struct cairn_stackmap_point_value *from,
                              struct cn_point_value *out)
{
  *out = (struct cn_point_value){.value_class = (enum cn_point_class)from->value_class, .bits = (uint8_t)from->bits};
  CN_CHECK(from->bits >= 1 && from->bits <= 64); /* cairn_stackmap_point() has checked the description */
  if (out->value_class == CN_POINT_UNDEFINED)
    return NULL;
  if (from->place.kind == CAIRN_STACKMAP_CONSTANT) {
    out->constant = cn_point_mask_value(from->place.value, out->bits);
    return NULL;
  }
  if ((uint64_t)from->place.size * 8 < out->bits)
    return "a value of a point is wider than its place";
  if (is_zero_register(r, from->place))
    return NULL; /* the constant 0 */
  return from->place.kind == CAIRN_STACKMAP_REGISTER ? read_value_register(r->port, from->place, out)
                                                     : read_value_memory(r, from->place, out);
}

static const char *read_values(const struct cn_statepoint_record *r, const struct cairn_stackmap_point *point,
                               struct cn_map_point *out)
{
  for (uint32_t i = 0; i < point->values; i++) {
    struct cairn_stackmap_point_value from = cairn_stackmap_point_value(r->map, r->record, point, i);
    struct cn_point_value value;
    const char *why = read_value(r, &from, &value);
    if (why)
      return why;
    cn_push(&out->values, value);
  }
  if (point->has_result && out->values.at[0].kind != CN_POINT_REGISTER)
    return "the result of a patchpoint is not in a register";
  return NULL;
}

static const char *read_live_outs(const struct cn_statepoint_record *r, struct cn_map_point *out)
{
  if (r->record->live_outs && out->point.kind != CN_POINT_PATCHPOINT)
    return "a record has live-outs, and is not a patchpoint's";
  for (uint32_t i = 0; i < r->record->live_outs; i++) {
    struct cairn_stackmap_live_out from = cairn_stackmap_live_out(r->map, r->record, i);
    if (cn_port_is_constant_register(r->port, from.reg))
      continue;
    if (from.reg > UINT8_MAX || !cn_port_is_live_out_register(r->port, from.reg))
      return "a live-out is neither in a general nor in a vector register";
    if (from.size > CN_POINT_MAX_LIVE_OUT_BYTES)
      return "a live-out is wider than a register";
    cn_push(&out->live_outs, (struct cn_point_live_out){(uint8_t)from.reg, from.size});
  }
  return NULL;
}

/* ---- regions ---- */

/* Check the bytes of a region. Shadows contain any code. */
static const char *check_region_code(const struct cn_instructions *code, const struct cairn_stackmap_point *point,
                                     const unsigned char *start)
{
  const unsigned char *end = start + point->bytes;
  unsigned call = code->target_call_length(start, end);

  if (point->kind == CAIRN_STACKMAP_SHADOW)
    return NULL;
  if (point->has_target && !call)
    return "the region of a patchpoint does not begin with a call of its target";
  if (!point->has_target && call)
    return "the region of a point without a target has a call";
  return code->is_nops(start + call, end) ? NULL : "the region of a point has other instructions than no-ops";
}

const char *cn_point_build(const struct cn_point_source *source, const struct cairn_stackmap_point *point,
                           struct cn_map_function *function)
{
  const struct cairn_stackmap_record *record = source->record;
  uint64_t end = record->instruction_offset + (uint64_t)point->bytes;
  struct cn_map_point out = {.point = {.id = record->id,
                                       .kind = (enum cn_point_kind)point->kind,
                                       .length = point->bytes,
                                       .convention = (uint16_t)point->calling_convention,
                                       .has_target = point->has_target,
                                       .has_result = point->has_result,
                                       .arguments = point->arguments}};

  if (point->kind == CAIRN_STACKMAP_PATCHABLE_STATEPOINT)
    end = record->instruction_offset;
  if (end > function->code_size || end < point->bytes)
    return "the region of the point lies outside the function";
  out.point.start = (uint32_t)(end - point->bytes);
  if (out.point.start == function->code_size)
    return NULL; /* a record without bytes, before `unreachable`: no thread gets there */
  const char *why = check_region_code(cn_instructions_of(function->port), point, source->entry + out.point.start);
  /* The row of the instruction at the region's start */
  if (!why)
    why = cn_cfi_read_row(source->cfi, source->address + out.point.start + 1, 1, &out.point.frame);
  struct cn_statepoint_record r = {.port = function->port,
                                   .map = source->map,
                                   .record = record,
                                   .frame = &out.point.frame,
                                   .stack_size = cairn_stackmap_function(source->map, record->function).stack_size};
  if (!why)
    why = read_values(&r, point, &out);
  if (!why)
    why = read_live_outs(&r, &out);
  out.point.values = (uint32_t)out.values.count;
  out.point.live_outs = (uint32_t)out.live_outs.count;
  cn_push(&function->points.points, out);
  return why;
}

const char *cn_points_check_fences(const struct cairn_stackmap *map, struct cairn_stackmap_cursor cursor,
                                   uint64_t records, uint32_t *offset)
{
  struct cairn_stackmap_record record;
  struct cairn_stackmap_point point;
  uint64_t end = 0; /* of the shadow before the record */

  for (; records && cairn_stackmap_next(map, &cursor, &record); records--) {
    bool described = cairn_stackmap_point(map, &record, &point, NULL) == CAIRN_OK;
    if (end && !(described && point.kind == CAIRN_STACKMAP_FENCE))
      return "the shadow has no fence (compile with cairn-cc)";
    if (record.instruction_offset < end)
      return "the shadow of a stackmap reaches beyond its fence (LLVM miscounts its instructions)";
    *offset = record.instruction_offset;
    end = described && point.kind == CAIRN_STACKMAP_SHADOW && point.bytes ? *offset + (uint64_t)point.bytes : 0;
  }
  return end ? "the shadow has no fence (compile with cairn-cc)" : NULL;
}

struct ordered_point {
  struct cn_map_point point;
  size_t index;
};

static int by_region(const void *x, const void *y)
{
  const struct ordered_point *a = x, *b = y;

  if (a->point.point.start != b->point.point.start)
    return a->point.point.start < b->point.point.start ? -1 : 1;
  if (a->point.point.length != b->point.point.length)
    return a->point.point.length < b->point.point.length ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Sort by region. Points with equal regions, which are empty, keep the order of their records. */
static void sort_points(struct cn_function_points *f)
{
  size_t count = f->points.count;
  struct ordered_point *order = cn_alloc(count * sizeof *order);

  for (size_t i = 0; i < count; i++)
    order[i] = (struct ordered_point){f->points.at[i], i};
  qsort(order, count, sizeof *order, by_region);
  for (size_t i = 0; i < count; i++)
    f->points.at[i] = order[i].point;
  free(order);
}

/* True if a safepoint returns to a place within (start, end): its frame would return into patched code. */
static bool has_return_between(const struct cn_map_function *f, uint32_t start, uint32_t end)
{
  size_t low = 0;

  CN_BISECT(low, f->safepoints.count, middle, f->safepoints.at[middle].return_offset <= start);
  return low < f->safepoints.count && f->safepoints.at[low].return_offset < end;
}

const char *cn_points_sort_and_check(struct cn_map_function *f, uint32_t *offset)
{
  uint32_t end = 0;

  if (!f->points.points.count)
    return NULL;
  if (f->points.points.count > CN_POINTS_MAX_POINTS)
    return "the function has too many points";
  sort_points(&f->points);
  f->points.port = f->port;
  f->points.code_size = f->code_size;
  for (size_t i = 0; i < f->points.points.count; i++) {
    const struct cn_point *p = &f->points.points.at[i].point;
    *offset = p->start;
    if (p->start < end)
      return "the regions of two points share bytes";
    end = p->start + p->length;
    if (has_return_between(f, p->start, end))
      return "a call that may collect returns into the region of a point";
  }
  return NULL;
}

bool cn_points_are_same(const struct cn_map_function *a, const struct cn_map_function *b)
{
  struct cn_bytes x = {0}, y = {0};

  if (a->points.points.count != b->points.points.count)
    return false;
  if (!a->points.points.count)
    return true;
  cn_points_append_function(&x, &a->points);
  cn_points_append_function(&y, &b->points);
  bool same = x.count == y.count && memcmp(x.at, y.at, x.count) == 0;
  cn_free(&x);
  cn_free(&y);
  return same;
}
