/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes the tails that Cairn appends to a statepoint's deopt operands (abi.def, "Described allocas", "Spans"): areas
 * of the frame with references, roots by tag, and open spans; skips the description of a point. Runs on maps that
 * stackmap_read.c has checked, only reads them, and holds no state. An error has a status and an offset.
 */
#include <cairn/abi.h>
#include "base/check.h"
#include "object/stackmap/stackmap_tail.h"

/* Read the area whose first location has index `at`. False if the area is malformed. */
static bool read_area(const struct cn_record_reader *r, uint32_t at, uint32_t end, struct cairn_stackmap_area *area)
{
  uint64_t references, value;

  if (end - at < 4)
    return false;
  *area =
      (struct cairn_stackmap_area){.place = cairn_stackmap_location(r->map, r->record, at), .offsets_first = at + 4};
  if (area->place.kind == CAIRN_STACKMAP_CONSTANT || !cn_stackmap_read_constant(r, at + 1, &area->count) ||
      !cn_stackmap_read_constant(r, at + 2, &area->stride) || !cn_stackmap_read_constant(r, at + 3, &references))
    return false;
  at += 4;
  if (references == 0) {
    area->end = at + 3;
    return end - at >= 3 && cn_stackmap_read_constant(r, at, &area->offset) &&
           cn_stackmap_read_constant(r, at + 1, &area->tag) && cn_stackmap_read_constant(r, at + 2, &area->parameter) &&
           area->tag >= CAIRN_ABI_ROOT_USER && area->tag <= UINT32_MAX;
  }
  if (references > end - at)
    return false;
  area->references = (uint32_t)references;
  area->end = at + area->references;
  for (uint32_t i = at; i < area->end; i++)
    if (!cn_stackmap_read_constant(r, i, &value))
      return false;
  return true;
}

static enum cairn_status check_areas(const struct cn_record_reader *r, struct cairn_stackmap_described *d)
{
  uint32_t at = d->areas_first, end = d->areas_end;
  struct cairn_stackmap_area area;
  uint64_t areas = 0;

  if (end && (at == end || !cn_stackmap_read_constant(r, at++, &areas)))
    return CAIRN_E_DESCRIBED;
  d->areas_first = at;
  for (; at < end; at = area.end, d->areas++) {
    if (d->areas == areas || !read_area(r, at, end, &area))
      return CAIRN_E_DESCRIBED;
    if (area.place.kind != CAIRN_STACKMAP_DIRECT)
      return CAIRN_E_PLACE;
  }
  return d->areas == areas ? CAIRN_OK : CAIRN_E_DESCRIBED;
}

static bool check_spans(const struct cn_record_reader *r, struct cairn_stackmap_described *d, uint32_t end)
{
  uint64_t count, value;

  if (!end)
    return true;
  if (d->spans_first == end || !cn_stackmap_read_constant(r, d->spans_first++, &count) ||
      count > end - d->spans_first || count * 2 != end - d->spans_first)
    return false;
  d->spans = (uint32_t)count;
  for (uint32_t i = d->spans_first; i < end; i++)
    if (!cn_stackmap_read_constant(r, i, &value) || value > UINT32_MAX)
      return false;
  return true;
}

enum cairn_status cairn_stackmap_described(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                           const struct cairn_stackmap_statepoint *statepoint,
                                           struct cairn_stackmap_described *described,
                                           struct cairn_stackmap_error *error)
{
  const struct cn_record_reader r = {map, record};
  CN_CHECK(statepoint->deopt_first + (uint64_t)statepoint->deopt_count <= record->locations);
  uint32_t first = statepoint->deopt_first, end = first + statepoint->deopt_count, spans_end = 0;
  struct cairn_stackmap_described d = {0};
  uint32_t from, to;

  cn_stackmap_cut_tail(&r, CAIRN_ABI_SPAN_MARK, first, &end, &d.spans_first, &spans_end);
  cn_stackmap_cut_tail(&r, CAIRN_ABI_ALLOCA_MARK, first, &end, &d.areas_first, &d.areas_end);
  cn_stackmap_cut_tail(&r, CAIRN_ABI_POINT_MARK, first, &end, &from, &to);
  d.deopt_count = end - first;
  if (cn_stackmap_has_mark(&r, CAIRN_ABI_ALLOCA_MARK, first, end))
    return cn_stackmap_fail_at_record(&r, CAIRN_E_DESCRIBED, error);
  if (cn_stackmap_has_mark(&r, CAIRN_ABI_SPAN_MARK, first, end))
    return cn_stackmap_fail_at_record(&r, CAIRN_E_SPANS, error);
  if (cn_stackmap_has_mark(&r, CAIRN_ABI_POINT_MARK, first, end))
    return cn_stackmap_fail_at_record(&r, CAIRN_E_POINT, error);
  enum cairn_status status = check_areas(&r, &d);
  if (status < 0)
    return cn_stackmap_fail_at_record(&r, status, error);
  if (!check_spans(&r, &d, spans_end))
    return cn_stackmap_fail_at_record(&r, CAIRN_E_SPANS, error);
  *described = d;
  return CAIRN_OK;
}

bool cairn_stackmap_area(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                         const struct cairn_stackmap_described *described, struct cairn_stackmap_area *area)
{
  const struct cn_record_reader r = {map, record};
  uint32_t at = area->end ? area->end : described->areas_first;

  return at < described->areas_end && read_area(&r, at, described->areas_end, area);
}

uint64_t cairn_stackmap_area_offset(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                    const struct cairn_stackmap_area *area, uint32_t index)
{
  CN_CHECK(index < area->references);
  return cairn_stackmap_location(map, record, area->offsets_first + index).value;
}

struct cairn_stackmap_span cairn_stackmap_span(const struct cairn_stackmap *map,
                                               const struct cairn_stackmap_record *record,
                                               const struct cairn_stackmap_described *described, uint32_t index)
{
  uint32_t at = described->spans_first + 2 * index;

  CN_CHECK(index < described->spans);
  return (struct cairn_stackmap_span){.index = (uint32_t)cairn_stackmap_location(map, record, at).value,
                                      .depth = (uint32_t)cairn_stackmap_location(map, record, at + 1).value};
}
