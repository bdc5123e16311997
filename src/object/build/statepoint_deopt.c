/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the operands of a statepoint's deopt bundle (statepoints-later, "Stack Map Format"), which are values for
 * deoptimisers and the spans that Cairn adds. A value is refused if a stack walk cannot read its place. Runs once per
 * safepoint of frames_build.c, fills the safepoint's details, and holds no state.
 */
#include <cairn/abi.h>
#include "base/check.h"
#include "framemap/details_format.h"
#include "object/build/statepoint.h"

/* A flag of statepoints: the deopt values need to be live only at the start of the call. */
enum { LIVE_IN_FLAG = 2 };

static const char *read_deopt_register(const struct cn_statepoint_record *r, struct cairn_stackmap_location l,
                                       struct cn_deopt_value *out)
{
  bool kept = l.size <= 8 && cn_record_keeps_register(r, l.reg) == CN_KEEPS_VALUE;

  if (l.offset)
    return "a register location has an offset";
  if (l.reg > UINT8_MAX)
    return "a deopt value is in a strange register";
  if (!kept && !(r->statepoint.flags & LIVE_IN_FLAG))
    return "a deopt value is in a register that the call does not preserve";
  out->kind = kept ? CN_DEOPT_VALUE : CN_DEOPT_REGISTER_AT_CALL;
  out->loc = (struct cn_frame_place){.is_register = 1, .reg = (uint8_t)l.reg};
  return NULL;
}

/* Read the place of a value whose class and width are known. */
static const char *read_deopt_place(const struct cn_statepoint_record *r, struct cairn_stackmap_location l,
                                    struct cn_deopt_value *out)
{
  switch (l.kind) {
  case CAIRN_STACKMAP_CONSTANT:
    out->kind = CN_DEOPT_CONSTANT;
    out->constant = cn_deopt_mask_constant(l.value, out->bits);
    return NULL;
  case CAIRN_STACKMAP_REGISTER:
    return read_deopt_register(r, l, out);
  case CAIRN_STACKMAP_DIRECT:
    out->kind = CN_DEOPT_ADDRESS;
    break;
  case CAIRN_STACKMAP_INDIRECT:
    break;
  default:
    CN_UNREACHABLE(); /* the reader replaces pool indices by constants */
  }
  if (!cn_record_is_frame_base(r, l.reg))
    return r->port->other_location_base;
  if (l.kind == CAIRN_STACKMAP_INDIRECT && !cn_record_lies_in_frame(r, l.reg, l.offset, l.size) &&
      !cn_record_is_argument(r, l.reg, l.offset))
    return "a deopt value lies outside the frame or on a saved register";
  out->loc.reg = (uint8_t)l.reg;
  out->loc.offset = l.offset;
  return NULL;
}

static const char *read_deopt_value(const struct cn_statepoint_record *r, const struct cairn_stackmap_point *classes,
                                    uint32_t index, struct cn_deopt_value *out)
{
  struct cairn_stackmap_location l = cn_record_location_at(r, r->statepoint.deopt_first + index);

  *out = (struct cn_deopt_value){.kind = CN_DEOPT_VALUE, .value_class = CAIRN_ABI_POINT_UNKNOWN, .size = l.size};
  if (classes->values) {
    struct cairn_stackmap_point_value value = cairn_stackmap_point_value(r->map, r->record, classes, index);
    out->value_class = (uint8_t)value.value_class;
    out->bits = (uint8_t)value.bits;
    if (out->value_class == CAIRN_ABI_POINT_UNDEFINED) {
      out->kind = CN_DEOPT_CONSTANT;
      out->size = 8;
      return NULL;
    }
    if (l.kind != CAIRN_STACKMAP_CONSTANT && l.size * 8u < out->bits)
      return "a deopt value is wider than its place";
  }
  const char *why = read_deopt_place(r, l, out);
  return why || !cn_deopt_type_wrong(out) ? why : "the class of a deopt value does not fit its place";
}

/* Find the classes of the deopt values. A statepoint that Cairn did not make has no description of them; `classes` then
 * has no values. */
static const char *find_classes(const struct cn_statepoint_record *r, struct cairn_stackmap_point *classes)
{
  struct cairn_stackmap_error error;
  enum cairn_status status = cairn_stackmap_point(r->map, r->record, classes, &error);

  if (status == CAIRN_E_NOT_POINT) {
    *classes = (struct cairn_stackmap_point){0};
    return NULL;
  }
  if (status)
    return error.reason;
  return classes->kind == CAIRN_STACKMAP_PATCHABLE_STATEPOINT && classes->values == r->described.deopt_count
             ? NULL
             : "the description of its deopt values has another number of values";
}

static const char *read_spans(const struct cn_statepoint_record *r, struct cn_safepoint_details *out)
{
  for (uint32_t i = 0; i < r->described.spans; i++) {
    struct cairn_stackmap_span span = cairn_stackmap_span(r->map, r->record, &r->described, i);
    if (span.index == 0 || span.index >= r->spans)
      return "one of its spans is not in section cairn_spans, or the section is not one module's table";
    cn_push(&out->spans, (struct cn_span_use){span.index, span.depth});
  }
  return NULL;
}

const char *cn_statepoint_deopt_build(const struct cn_statepoint_record *r, struct cn_safepoint_details *out)
{
  struct cairn_stackmap_point classes;
  const char *why = find_classes(r, &classes);

  CN_CHECK(r->described.deopt_count <= r->statepoint.deopt_count && !out->deopts.count);
  for (uint32_t i = 0; !why && i < r->described.deopt_count; i++) {
    struct cn_deopt_value value;
    why = read_deopt_value(r, &classes, i, &value);
    if (why)
      return why;
    cn_push(&out->deopts, value);
  }
  return why ? why : read_spans(r, out);
}
