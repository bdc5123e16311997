/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes the details from frames_build.c as pieces of section `cairn_details`, with one block for each code section.
 * Runs after frames_build.c, reads the model, and appends to the caller's pieces. Holds no state.
 */
#include "object/build/frames_build.h"

#include <string.h>
#include "base/check.h"
#include "object/build/pieces.h"

/* The writer's view of a function, which still owns its details. */
static struct cn_function_details details_view_of(const struct cn_map_function *from)
{
  CN_CHECK(from->offset <= UINT32_MAX);
  struct cn_function_details f = {.entry = (uint32_t)from->offset, .code_size = from->code_size};

  for (size_t k = 0; k < from->safepoints.count; k++)
    cn_push(&f.details, from->safepoints.at[k].detail);
  return f;
}

bool cn_details_are_same(const struct cn_map_function *a, const struct cn_map_function *b)
{
  struct cn_function_details x = details_view_of(a), y = details_view_of(b);
  struct cn_bytes one = {0}, other = {0};
  bool spans;

  cn_details_append_block(&one, &x, 1, &spans);
  cn_details_append_block(&other, &y, 1, &spans);
  bool same = one.count == other.count && (!one.count || !memcmp(one.at, other.at, one.count));
  cn_free(&one);
  cn_free(&other);
  cn_free(&x.details);
  cn_free(&y.details);
  return same;
}

static void encode_details_block(const struct cn_frames *frames, size_t first, size_t end,
                                 struct cn_section_pieces *out)
{
  CN_CHECK(first < end && end <= frames->functions.count);
  struct cn_section_piece piece = {.section = frames->functions.at[first].section, .start = out->bytes.count};
  CN_VECTOR(struct cn_function_details) functions = {0};
  bool spans;

  for (size_t i = first; i < end; i++)
    cn_push(&functions, details_view_of(&frames->functions.at[i]));
  int64_t entry = cn_details_append_block(&out->bytes, functions.at, functions.count, &spans);
  for (size_t i = 0; i < functions.count; i++)
    cn_free(&functions.at[i].details);
  cn_free(&functions);
  if (entry < 0)
    return;
  piece.offset = (uint64_t)entry;
  piece.length = out->bytes.count - piece.start;
  cn_push(&out->pieces, piece);
  cn_push(&out->distances,
          (struct cn_section_distance){piece.start + CN_DETAILS_BLOCK_ENTRY_OFFSET, piece.section, piece.offset});
  CN_CHECK(!spans || frames->span_table);
  if (spans)
    cn_push(&out->distances,
            (struct cn_section_distance){piece.start + CN_DETAILS_BLOCK_SPANS_OFFSET, frames->span_table, 0});
}

void cn_details_encode(const struct cn_frames *frames, struct cn_section_pieces *out)
{
  size_t count = frames->functions.count;

  for (size_t first = 0, end; first < count; first = end) {
    uint32_t section = frames->functions.at[first].section;
    for (end = first; end < count && frames->functions.at[end].section == section; end++)
      ;
    encode_details_block(frames, first, end, out);
  }
  CN_ASSERT_VALID(cn_pieces_wrong(out));
}
