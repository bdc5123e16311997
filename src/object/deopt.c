/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a statepoint's deopt bundle (statepoints-later, "Stack Map Format"): values for
 * whoever deoptimises, and Cairn's own tails (abi.def), which are found from the end. A value whose
 * place cannot be read when the frame is walked is refused.
 */
#include <cairn/abi.h>
#include "object/roots.h"

/* Locations before the operands: calling convention, flags, their number. A flag of statepoints:
 * the values are needed when the call is made, not while it lasts. */
enum { FIRST = 3, LIVE_IN = 2 };

/* If a tail with that mark ends at *end, take it off: its operands are [*from, *to). */
static bool take_tail(const struct cn_record *r, uint64_t mark, uint32_t *end, uint32_t *from,
                      uint32_t *to)
{
  uint64_t length, found;

  if (*end < FIRST + 2 || !cn_record_constant(r, *end - 1, &length) || length == 0 ||
      length > *end - 1 - FIRST)
    return false;
  uint32_t at = *end - 1 - (uint32_t)length;
  if (!cn_record_constant(r, at, &found) || found != mark)
    return false;
  *from = at + 1;
  *to = *end - 1;
  *end = at;
  return true;
}

const char *cn_deopt_split(const struct cn_record *r, struct cn_deopt_parts *out)
{
  uint64_t value;

  *out = (struct cn_deopt_parts){.user = FIRST, .user_end = FIRST + r->statepoint.deopt_count};
  take_tail(r, CAIRN_ABI_SPAN_MARK, &out->user_end, &out->spans, &out->spans_end);
  take_tail(r, CAIRN_ABI_ALLOCA_MARK, &out->user_end, &out->allocas, &out->allocas_end);
  for (uint32_t i = out->user; i < out->user_end; i++) {
    if (!cn_record_constant(r, i, &value))
      continue;
    if (value == CAIRN_ABI_ALLOCA_MARK)
      return "the description of its allocas is malformed";
    if (value == CAIRN_ABI_SPAN_MARK)
      return "the description of its spans is malformed";
  }
  return NULL;
}

static const char *read_register(const struct cn_record *r, struct cairn_stackmap_location l,
                                 struct cn_deopt *out)
{
  bool kept = l.size <= 8 && cn_record_keeps(r, l.reg) == CN_KEEPS;

  if (l.offset)
    return "a register location has an offset";
  if (l.reg > UINT8_MAX)
    return "a deopt value is in a strange register";
  if (!kept && !(r->statepoint.flags & LIVE_IN))
    return "a deopt value is in a register that the call does not preserve";
  out->kind = kept ? CN_DEOPT_VALUE : CN_DEOPT_AT_CALL;
  out->loc = (struct cn_loc){.is_register = 1, .reg = (uint8_t)l.reg};
  return NULL;
}

static const char *read_value(const struct cn_record *r, uint32_t index, struct cn_deopt *out)
{
  struct cairn_stackmap_location l = cn_record_location(r, index);

  *out = (struct cn_deopt){.kind = CN_DEOPT_VALUE, .size = l.size};
  switch (l.kind) {
  case CAIRN_STACKMAP_CONSTANT:
    out->kind = CN_DEOPT_CONSTANT;
    out->constant = l.value;
    return NULL;
  case CAIRN_STACKMAP_REGISTER:
    return read_register(r, l, out);
  case CAIRN_STACKMAP_DIRECT: out->kind = CN_DEOPT_ADDRESS; break;
  default: break;
  }
  if (!cn_record_is_base(r->frame, l.reg))
    return "a location is not based on rsp, or on rbp or rbx with the caller's saved";
  if (l.kind == CAIRN_STACKMAP_INDIRECT && !cn_record_in_frame(r, l.reg, l.offset, l.size) &&
      !cn_record_is_argument(r, l.reg, l.offset))
    return "a deopt value lies outside the frame or on a saved register";
  out->loc.reg = (uint8_t)l.reg;
  out->loc.offset = l.offset;
  return NULL;
}

static const char *read_spans(const struct cn_record *r, uint32_t at, uint32_t end,
                              struct cn_detail *out)
{
  static const char malformed[] = "the description of its spans is malformed";
  uint64_t count, index, depth;

  if (at == end)
    return end ? malformed : NULL;
  if (!cn_record_constant(r, at++, &count) || count * 2 != end - at || count > UINT32_MAX)
    return malformed;
  for (; at < end; at += 2) {
    if (!cn_record_constant(r, at, &index) || !cn_record_constant(r, at + 1, &depth) ||
        depth > UINT32_MAX)
      return malformed;
    if (index == 0 || index >= r->spans)
      return "one of its spans is not in section cairn_spans, or that is not one module's table";
    cn_push(&out->spans, (struct cn_span_use){(uint32_t)index, (uint32_t)depth});
  }
  return NULL;
}

const char *cn_deopt_build(const struct cn_record *r, const struct cn_deopt_parts *parts,
                           struct cn_detail *out)
{
  for (uint32_t i = parts->user; i < parts->user_end; i++) {
    struct cn_deopt value;
    const char *why = read_value(r, i, &value);
    if (why)
      return why;
    cn_push(&out->deopts, value);
  }
  return read_spans(r, parts->spans, parts->spans_end, out);
}
