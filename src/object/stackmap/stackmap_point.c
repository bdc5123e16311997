/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes the description of points (abi.def, "Points") from the records of stackmap, patchpoint and statepoint. The
 * description's kind tells these records apart, because LLVM leaves them unmarked. Runs on maps that stackmap_read.c
 * has checked, only reads them, and holds no state. An error has a status and an offset.
 */
#include <cairn/abi.h>
#include "base/check.h"
#include "object/stackmap/stackmap_tail.h"

enum { MAX_CONVENTION = 1023 /* llvm/IR/CallingConv.h */ };

/* A description: the numbers of its locations from the one after the mark to its end, and the numbers of the values'
 * locations. */
struct point_tail {
  uint32_t from, end, values_first, values_end;
};

/* Reads the three words before the classes. False if a field has an impossible value. */
static bool read_point_words(const struct cn_record_reader *r, const struct point_tail *tail,
                             struct cairn_stackmap_point *point)
{
  uint64_t word, bytes, arguments;

  if (tail->end - tail->from < 3 || !cn_stackmap_read_constant(r, tail->from, &word) ||
      !cn_stackmap_read_constant(r, tail->from + 1, &bytes) ||
      !cn_stackmap_read_constant(r, tail->from + 2, &arguments))
    return false;
  uint64_t kind = word & 0xff, convention = word >> CAIRN_ABI_POINT_CONVENTION_SHIFT & 0xffffff,
           flags = word >> CAIRN_ABI_POINT_FLAGS_SHIFT;
  uint64_t longest = kind == CAIRN_ABI_POINT_SHADOW  ? CAIRN_ABI_POINT_SHADOW_MAX
                     : kind == CAIRN_ABI_POINT_FENCE ? 0
                                                     : CAIRN_ABI_POINT_REGION_MAX;
  if (kind > CAIRN_ABI_POINT_FENCE || convention > MAX_CONVENTION || bytes > longest ||
      flags > (CAIRN_ABI_POINT_HAS_RESULT | CAIRN_ABI_POINT_HAS_TARGET) || arguments > UINT16_MAX)
    return false;
  *point = (struct cairn_stackmap_point){.kind = (enum cairn_stackmap_point_kind)kind,
                                         .calling_convention = (uint32_t)convention,
                                         .bytes = (uint32_t)bytes,
                                         .has_result = flags & CAIRN_ABI_POINT_HAS_RESULT,
                                         .has_target = flags & CAIRN_ABI_POINT_HAS_TARGET,
                                         .arguments = (uint32_t)arguments,
                                         .values = tail->values_end - tail->values_first,
                                         .values_first = tail->values_first,
                                         .classes_first = tail->from + 3};
  return true;
}

/* True if the word is a class and a width. Only deopt values (`is_deopt`) may be wider than 64 bits. */
static bool is_possible_class(uint64_t word, bool is_deopt)
{
  uint64_t value_class = word & 0xff, bits = word >> CAIRN_ABI_POINT_BITS_SHIFT;

  if (value_class > (is_deopt ? CAIRN_ABI_POINT_VECTOR : CAIRN_ABI_POINT_LOCAL) || bits < 1 ||
      bits > (is_deopt ? CAIRN_ABI_DEOPT_BITS_MAX : 64))
    return false;
  if (value_class == CAIRN_ABI_POINT_POINTER || value_class == CAIRN_ABI_POINT_REFERENCE ||
      value_class == CAIRN_ABI_POINT_LOCAL)
    return bits == 64 || !is_deopt;
  return value_class != CAIRN_ABI_POINT_FLOAT || bits == 16 || bits == 32 || bits >= 64;
}

/* True if the description has a class for each value, and its kind may have its other parts. */
static bool is_consistent(const struct cn_record_reader *r, const struct point_tail *tail,
                          const struct cairn_stackmap_point *point)
{
  bool is_deopt = point->kind == CAIRN_STACKMAP_PATCHABLE_STATEPOINT && !point->bytes;
  uint64_t word;

  if (tail->end - point->classes_first != point->values || point->values < point->arguments + point->has_result)
    return false;
  if (point->kind != CAIRN_STACKMAP_PATCHPOINT && (point->arguments || point->has_result || point->has_target))
    return false;
  if (point->kind == CAIRN_STACKMAP_FENCE && point->values)
    return false;
  for (uint32_t i = point->classes_first; i < tail->end; i++)
    if (!cn_stackmap_read_constant(r, i, &word) || !is_possible_class(word, is_deopt))
      return false;
  return !cn_stackmap_has_mark(r, CAIRN_ABI_POINT_MARK, tail->values_first, tail->values_end);
}

/* Finds the description among the locations [first, end), whose last ones it is. */
static bool find_point_tail(const struct cn_record_reader *r, uint32_t first, uint32_t end, struct point_tail *tail)
{
  tail->values_first = first;
  tail->values_end = end;
  return cn_stackmap_cut_tail(r, CAIRN_ABI_POINT_MARK, first, &tail->values_end, &tail->from, &tail->end);
}

/* Finds the description in a statepoint's deopt locations, before the lists of spans and of described allocas. */
static bool find_statepoint_tail(const struct cn_record_reader *r, struct point_tail *tail)
{
  struct cairn_stackmap_statepoint statepoint;
  uint32_t from, to;

  if (cairn_stackmap_statepoint(r->map, r->record, &statepoint, NULL) < 0)
    return false;
  uint32_t first = statepoint.deopt_first, end = first + statepoint.deopt_count;
  cn_stackmap_cut_tail(r, CAIRN_ABI_SPAN_MARK, first, &end, &from, &to);
  cn_stackmap_cut_tail(r, CAIRN_ABI_ALLOCA_MARK, first, &end, &from, &to);
  return find_point_tail(r, first, end, tail);
}

enum cairn_status cairn_stackmap_point(const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                                       struct cairn_stackmap_point *point, struct cairn_stackmap_error *error)
{
  const struct cn_record_reader r = {map, record};
  struct point_tail tail;

  /* The description of a statepoint may also end the record; its kind says that it is one. */
  bool last = find_point_tail(&r, 0, record->locations, &tail) && read_point_words(&r, &tail, point) &&
              point->kind != CAIRN_STACKMAP_PATCHABLE_STATEPOINT;
  if (!last && !find_statepoint_tail(&r, &tail)) {
    bool marked = cn_stackmap_has_mark(&r, CAIRN_ABI_POINT_MARK, 0, record->locations);
    return cn_stackmap_fail_at_record(&r, marked ? CAIRN_E_POINT : CAIRN_E_NOT_POINT, error);
  }
  if (!read_point_words(&r, &tail, point) || (!last && point->kind != CAIRN_STACKMAP_PATCHABLE_STATEPOINT) ||
      !is_consistent(&r, &tail, point))
    return cn_stackmap_fail_at_record(&r, CAIRN_E_POINT, error);
  return CAIRN_OK;
}

struct cairn_stackmap_point_value cairn_stackmap_point_value(const struct cairn_stackmap *map,
                                                             const struct cairn_stackmap_record *record,
                                                             const struct cairn_stackmap_point *point, uint32_t index)
{
  CN_CHECK(index < point->values);
  uint64_t word = cairn_stackmap_location(map, record, point->classes_first + index).value;
  return (struct cairn_stackmap_point_value){
      .value_class = (enum cairn_stackmap_value_class)(word & 0xff),
      .bits = (uint32_t)(word >> CAIRN_ABI_POINT_BITS_SHIFT),
      .place = cairn_stackmap_location(map, record, point->values_first + index),
  };
}
