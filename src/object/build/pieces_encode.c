/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes frame maps and points as pieces. A frame map's piece has a hash of the facts about its function that a stack
 * walk, a deoptimiser and patching need. Runs after frames_build.c, and appends to the caller's pieces. Holds no state.
 */
#include "base/check.h"
#include "object/build/frames_build.h"
#include "object/build/pieces.h"

static uint64_t mix_hash(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* Hash deopt values and spans, without source locations. A span index is valid only in this object, so the hash also
 * includes the object's bytes. */
static uint64_t hash_deopts_and_spans(const struct cn_elf_file *elf, const struct cn_map_function *f)
{
  uint64_t hash = 0;
  bool spans = false;

  for (size_t i = 0; i < f->safepoints.count; i++) {
    const struct cn_map_safepoint *s = &f->safepoints.at[i];
    for (size_t k = 0; k < s->detail.deopts.count; k++) {
      const struct cn_deopt_value *d = &s->detail.deopts.at[k];
      hash = mix_hash(mix_hash(hash, s->return_offset), (uint64_t)d->kind << 32 | d->size);
      hash = mix_hash(hash, (uint64_t)d->value_class << 8 | d->bits);
      hash = mix_hash(mix_hash(hash, d->loc.is_register), d->loc.reg);
      hash = mix_hash(mix_hash(hash, (uint64_t)(int64_t)d->loc.offset), d->constant);
    }
    for (size_t k = 0; k < s->detail.spans.count; k++) {
      const struct cn_span_use *use = &s->detail.spans.at[k];
      hash = mix_hash(mix_hash(hash, s->return_offset), (uint64_t)use->index << 32 | use->depth);
      spans = true;
    }
  }
  return spans ? mix_hash(hash, cn_pieces_hash_bytes(elf->bytes, elf->size)) : hash;
}

static uint64_t hash_points(const struct cn_map_function *f)
{
  struct cn_bytes bytes = {0};

  if (!f->points.points.count)
    return 0;
  cn_points_append_function(&bytes, &f->points);
  uint64_t hash = cn_pieces_hash_bytes(bytes.at, bytes.count);
  cn_free(&bytes);
  return hash;
}

void cn_pieces_encode(struct cn_section_pieces *out, const struct cn_elf_file *elf, const struct cn_frames *frames)
{
  for (size_t i = 0; i < frames->functions.count; i++) {
    const struct cn_map_function *f = &frames->functions.at[i];
    struct cn_section_piece piece = {.section = f->section, .offset = f->offset, .start = out->bytes.count};
    cn_framemap_append_function(&out->bytes, f);
    piece.length = out->bytes.count - piece.start;
    piece.identity =
        mix_hash(cn_pieces_hash_bytes(out->bytes.at + piece.start, piece.length), hash_deopts_and_spans(elf, f)) +
        hash_points(f);
    cn_push(&out->pieces, piece);
    cn_push(&out->distances, (struct cn_section_distance){piece.start + CN_PIECE_CODE_OFFSET, f->section, f->offset});
  }
  CN_ASSERT_VALID(cn_pieces_wrong(out));
}

void cn_pieces_encode_points(struct cn_section_pieces *out, const struct cn_frames *frames)
{
  for (size_t i = 0; i < frames->functions.count; i++) {
    const struct cn_map_function *f = &frames->functions.at[i];
    struct cn_section_piece piece = {.section = f->section, .offset = f->offset, .start = out->bytes.count};
    if (!f->points.points.count)
      continue;
    cn_points_append_function(&out->bytes, &f->points);
    piece.length = out->bytes.count - piece.start;
    cn_push(&out->pieces, piece);
    cn_push(&out->distances, (struct cn_section_distance){piece.start + CN_PIECE_CODE_OFFSET, f->section, f->offset});
  }
  CN_ASSERT_VALID(cn_pieces_wrong(out));
}
