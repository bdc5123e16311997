/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads one statepoint's locations as roots and areas (statepoints-later, "Stack Map Format"; abi.def, "Described
 * allocas"). Checks each location against the frame, and reports an uncertain root as an error. Runs once per safepoint
 * of frames_build.c, fills the safepoint's roots and areas, and holds no state.
 */
#include "object/build/statepoint.h"

#include <stdlib.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "object/build/frames_build.h"

/* LLVM's value of an undefined reference. */
#define UNDEF_PATTERN UINT64_C(0xFEFEFEFE)

struct roots_reader {
  struct cn_statepoint_record record;
  struct cn_map_safepoint *out;
  CN_VECTOR(struct cn_root) roots;
  CN_VECTOR(struct cn_described_area) areas;
};

static struct cairn_stackmap_location location_at_index(const struct roots_reader *r, uint32_t index)
{
  return cn_record_location_at(&r->record, index);
}

/* True if the location is null, undefined, or an immediate of a language's words, which has other last bits than an
 * object. Other constants would be references to immovable objects, which no pass makes. */
static bool is_no_object(struct cairn_stackmap_location l)
{
  return l.kind == CAIRN_STACKMAP_CONSTANT && (l.value == 0 || l.value & 7 || (uint32_t)l.value == UNDEF_PATTERN);
}

static const char *check_register_is_kept(const struct roots_reader *r, unsigned reg)
{
  static const char *const why[] = {[CN_KEEPS_NEVER] = "a reference is in a register that no call preserves",
                                    [CN_KEEPS_NOT_HERE] =
                                        "a reference is in a register that the call does not preserve",
                                    [CN_KEEPS_NOT_GENERAL] = "a reference is not in a general register"};

  return why[cn_record_keeps_register(&r->record, reg)];
}

static const char *read_reference_place(const struct roots_reader *r, struct cairn_stackmap_location l,
                                        struct cn_frame_place *out)
{
  if (l.kind == CAIRN_STACKMAP_CONSTANT)
    return "a reference is a constant other than null";
  CN_CHECK(l.kind == CAIRN_STACKMAP_REGISTER || l.kind == CAIRN_STACKMAP_INDIRECT);
  if (l.size != 8)
    return "a reference's location is not 8 bytes wide (a vector of references?)";
  *out = (struct cn_frame_place){.is_register = l.kind == CAIRN_STACKMAP_REGISTER, .reg = (uint8_t)l.reg};
  if (l.kind == CAIRN_STACKMAP_REGISTER && cn_record_is_frame_register(&r->record, l.reg))
    return "a reference is in the register that its frame address is based on";
  if (l.kind == CAIRN_STACKMAP_REGISTER)
    return l.offset ? "a register location has an offset" : check_register_is_kept(r, l.reg);
  out->offset = l.offset;
  if (!cn_record_is_frame_base(&r->record, l.reg))
    return r->record.port->other_location_base;
  if (l.offset % 8)
    return "a reference's slot is not aligned";
  if (!cn_record_lies_in_frame(&r->record, l.reg, l.offset, 8))
    return "a reference's slot lies outside the frame or on a saved register";
  return NULL;
}

static const char *read_base_derived_pair(struct roots_reader *r, uint32_t index)
{
  struct cairn_stackmap_location base = location_at_index(r, index), derived = location_at_index(r, index + 1);
  struct cn_root root = {0};

  if (is_no_object(base)) /* references derived from null are immovable, too */
    return NULL;
  const char *why = read_reference_place(r, base, &root.base);
  if (why)
    return why;
  root.derived = root.base;
  cn_push(&r->roots, root);
  if (is_no_object(derived))
    return NULL;
  why = read_reference_place(r, derived, &root.derived);
  root.is_derived = true;
  if (!why)
    cn_push(&r->roots, root);
  return why;
}

static int by_derived_place(const void *x, const void *y)
{
  const struct cn_root *a = x, *b = y;
  int order = cn_frame_place_compare(a->derived, b->derived);

  if (!order)
    order = (int)a->is_derived - (int)b->is_derived;
  return order ? order : cn_frame_place_compare(a->base, b->base);
}

static int by_bases_first(const void *x, const void *y)
{
  const struct cn_root *a = x, *b = y;

  return a->is_derived != b->is_derived ? (int)a->is_derived - (int)b->is_derived : by_derived_place(x, y);
}

/* Keep one root for each place, because the collector would otherwise update the place twice. A place that is the base
 * of a root contains a base pointer, so drop its entry as a derived reference. Two bases of one derived reference are
 * equal, so keep the first one. */
static void keep_unique_places(struct roots_reader *r)
{
  size_t kept = 0;

  if (r->roots.count)
    qsort(r->roots.at, r->roots.count, sizeof *r->roots.at, by_derived_place);
  for (size_t i = 0; i < r->roots.count; i++)
    if (!kept || cn_frame_place_compare(r->roots.at[kept - 1].derived, r->roots.at[i].derived) != 0)
      r->roots.at[kept++] = r->roots.at[i];
  r->roots.count = kept;
  if (kept)
    qsort(r->roots.at, kept, sizeof *r->roots.at, by_bases_first);
}

/* ---- described allocas ---- */

/* Compute the size from the first reference to the end of the last one. False if the size exceeds every frame. */
static bool size_of_area(const struct cn_described_area *a, uint64_t *size)
{
  uint64_t most = INT32_MAX;

  if (a->count == 0 || a->ref_offset > most || a->stride > most || a->count - 1 > most / (a->stride ? a->stride : 1))
    return false;
  if (a->count > 1 && a->stride < 8)
    return false;
  *size = (a->count - 1) * a->stride + 8;
  return true;
}

static const char *add_area_in_frame(struct roots_reader *r, struct cn_described_area area)
{
  uint64_t size;

  if (area.count == 0)
    return NULL;
  if (!size_of_area(&area, &size) || area.offset > INT32_MAX - (int64_t)area.ref_offset)
    return "a described alloca is larger than a frame";
  CN_CHECK(size >= 8 && size <= (uint64_t)INT32_MAX + 8);
  area.offset += (int32_t)area.ref_offset;
  area.ref_offset = 0;
  if (!cn_record_lies_in_frame(&r->record, area.reg, area.offset, size))
    return "a described alloca lies outside the frame or on a saved register";
  cn_push(&r->areas, area);
  return NULL;
}

static const char *add_areas_of_alloca(struct roots_reader *r, const struct cairn_stackmap_area *from)
{
  struct cairn_stackmap_location place = cn_record_rebase_location(&r->record, from->place);
  struct cn_described_area area = {
      .reg = (uint8_t)place.reg, .offset = place.offset, .count = from->count, .stride = from->stride};

  if (!cn_record_is_frame_base(&r->record, place.reg))
    return "a described alloca has no fixed place in the frame";
  if (!from->references) {
    area.ref_offset = from->offset;
    area.tag = (uint32_t)from->tag;
    area.parameter = from->parameter;
    return add_area_in_frame(r, area);
  }
  for (uint32_t i = 0; i < from->references; i++) {
    area.ref_offset = cairn_stackmap_area_offset(r->record.map, r->record.record, from, i);
    const char *why = add_area_in_frame(r, area);
    if (why)
      return why;
  }
  return NULL;
}

static const char *add_described_areas(struct roots_reader *r)
{
  const struct cn_statepoint_record *record = &r->record;
  struct cairn_stackmap_area area = {0};
  const char *why = NULL;

  while (!why && cairn_stackmap_area(record->map, record->record, &record->described, &area))
    why = add_areas_of_alloca(r, &area);
  return why;
}

static const char *read_base_derived_pairs(struct roots_reader *r)
{
  const struct cairn_stackmap_statepoint *s = &r->record.statepoint;

  CN_CHECK(s->pairs_first + 2 * (uint64_t)s->pairs <= r->record.record->locations);
  for (uint32_t i = 0; i < s->pairs; i++) {
    const char *why = read_base_derived_pair(r, s->pairs_first + 2 * i);
    if (why)
      return why;
  }
  keep_unique_places(r);
  return NULL;
}

/* Check that each reference among the deopt values is also a root, so that it is valid after the objects have moved.
 * Constants are null, undefined, or immediates. */
static const char *check_deopt_references(const struct roots_reader *r)
{
  for (size_t i = 0; i < r->out->detail.deopts.count; i++) {
    const struct cn_deopt_value *v = &r->out->detail.deopts.at[i];
    bool listed = v->value_class != CAIRN_ABI_POINT_REFERENCE || v->kind == CN_DEOPT_CONSTANT;
    for (size_t k = 0; !listed && k < r->roots.count; k++)
      listed = v->kind == CN_DEOPT_VALUE && cn_frame_place_compare(r->roots.at[k].derived, v->loc) == 0;
    if (!listed)
      return "a reference among the deopt values is not a root";
  }
  return NULL;
}

static const char *read_roots_and_details(struct roots_reader *r)
{
  struct cairn_stackmap_error error;

  if (cairn_stackmap_statepoint(r->record.map, r->record.record, &r->record.statepoint, &error) < 0)
    return error.reason;
  if (r->record.statepoint.allocas)
    return "an alloca is listed in gc-live, which does not tell the places of references in it";
  cn_record_base_frame_on_sp(&r->record, &r->out->frame);
  const char *why = read_base_derived_pairs(r);
  if (why)
    return why;
  if (cairn_stackmap_described(r->record.map, r->record.record, &r->record.statepoint, &r->record.described, &error) <
      0)
    return error.reason;
  why = add_described_areas(r);
  if (!why)
    why = cn_statepoint_deopt_build(&r->record, &r->out->detail);
  return why ? why : check_deopt_references(r);
}

const char *cn_statepoint_roots_build(const struct cn_frame_port *port, const struct cairn_stackmap *map,
                                      const struct cairn_stackmap_record *record, uint32_t spans,
                                      struct cn_map_safepoint *out)
{
  struct roots_reader r = {.record = {.port = port,
                                      .map = map,
                                      .record = record,
                                      .frame = &out->frame,
                                      .stack_size = cairn_stackmap_function(map, record->function).stack_size,
                                      .spans = spans},
                           .out = out};
  const char *why = read_roots_and_details(&r);

  CN_CHECK(r.roots.count <= UINT32_MAX && r.areas.count <= UINT32_MAX);
  out->frame.id = record->id;
  out->frame.roots = (uint32_t)r.roots.count;
  out->frame.areas = (uint32_t)r.areas.count;
  out->roots = r.roots.at;
  out->areas = r.areas.at;
  return why;
}
