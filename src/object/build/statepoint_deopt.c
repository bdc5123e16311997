/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the operands of a statepoint's deopt bundle (statepoints-later, "Stack Map Format"), which are values for
 * deoptimisers and the spans that Cairn adds. A value is refused if a stack walk cannot read its place. Runs once per
 * safepoint of frames_build.c, fills the safepoint's details, and holds no state.
 */
#include <cairn/abi.h>
#include "base/check.h"
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

static const char *read_deopt_value(const struct cn_statepoint_record *r, uint32_t index, struct cn_deopt_value *out)
{
  struct cairn_stackmap_location l = cn_record_location_at(r, index);

  *out = (struct cn_deopt_value){.kind = CN_DEOPT_VALUE, .size = l.size};
  switch (l.kind) {
  case CAIRN_STACKMAP_CONSTANT:
    out->kind = CN_DEOPT_CONSTANT;
    out->constant = l.value;
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
  if (!cn_record_is_frame_base(r->frame, l.reg))
    return "a location is not based on " CN_PORT_SP_NAME ", or on " CN_PORT_OTHER_BASE_NAMES " with the caller's saved";
  if (l.kind == CAIRN_STACKMAP_INDIRECT && !cn_record_lies_in_frame(r, l.reg, l.offset, l.size) &&
      !cn_record_is_argument(r, l.reg, l.offset))
    return "a deopt value lies outside the frame or on a saved register";
  out->loc.reg = (uint8_t)l.reg;
  out->loc.offset = l.offset;
  return NULL;
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
  uint32_t first = r->statepoint.deopt_first;

  CN_CHECK(r->described.deopt_count <= r->statepoint.deopt_count && !out->deopts.count);
  for (uint32_t i = first; i < first + r->described.deopt_count; i++) {
    struct cn_deopt_value value;
    const char *why = read_deopt_value(r, i, &value);
    if (why)
      return why;
    cn_push(&out->deopts, value);
  }
  return read_spans(r, out);
}
