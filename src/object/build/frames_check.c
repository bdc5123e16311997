/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that a struct cn_frames satisfies the invariant of its header, for the object that it was built from, and that
 * the pieces made of it, or of a joined section, satisfy theirs. Debug builds run the checks, which change nothing,
 * hold no state, and return the fault as text.
 */
#include <string.h>
#include <cairn/collector.h>
#include "object/build/frames_build.h"
#include "object/build/pieces.h"

static const char *detail_wrong(const struct cn_map_safepoint *s, uint64_t spans)
{
  if (s->detail.return_offset != s->return_offset)
    return "frames: details are of another safepoint";
  for (size_t i = 0; i < s->detail.spans.count; i++)
    if (!s->detail.spans.at[i].index || s->detail.spans.at[i].index >= spans)
      return "frames: a span is not in the table";
  return NULL;
}

static const char *function_wrong(const struct cn_elf_file *elf, const struct cn_map_function *f, uint64_t spans)
{
  const struct cn_elf_section *code = &elf->sections[f->section];
  const char *wrong = NULL;

  if (!f->name)
    return "frames: a function has no name";
  if (!f->section || f->section >= elf->section_count || !code->data || !(code->head.sh_flags & SHF_EXECINSTR))
    return "frames: a function is not in a section of code";
  if (f->offset > code->head.sh_size || f->code_size > code->head.sh_size - f->offset)
    return "frames: a function reaches beyond its section";
  for (size_t i = 0; !wrong && i < f->safepoints.count; i++)
    wrong = detail_wrong(&f->safepoints.at[i], spans);
  return wrong ? wrong : cn_map_function_wrong(f);
}

const char *cn_frames_wrong(const struct cn_elf_file *elf, const struct cn_frames *frames)
{
  const struct cn_elf_section *table = &elf->sections[frames->span_table];
  uint64_t spans = 0;
  const char *wrong = NULL;

  if (frames->span_table >= elf->section_count || (frames->span_table && strcmp(table->name, "cairn_spans") != 0))
    return "frames: the span table is another section";
  if (frames->span_table)
    spans = table->head.sh_size / sizeof(struct cairn_span);
  for (size_t i = 0; !wrong && i < frames->functions.count; i++) {
    const struct cn_map_function *f = &frames->functions.at[i];
    if (i && (f[-1].section > f->section || (f[-1].section == f->section && f[-1].offset >= f->offset)))
      return "frames: the functions do not ascend";
    wrong = function_wrong(elf, f, spans);
  }
  return wrong;
}

static const char *piece_wrong(const struct cn_section_pieces *p, const struct cn_section_piece *piece)
{
  size_t count;

  if (piece->start % 4 || piece->length % 4 || piece->length < CN_PIECE_HEADER_BYTES || piece->start > p->bytes.count ||
      piece->length > p->bytes.count - piece->start)
    return "pieces: a piece is not in the bytes";
  if (cn_load_little_endian(p->bytes.at + piece->start + CN_PIECE_LENGTH_OFFSET, 4) != piece->length)
    return "pieces: a piece begins with another length";
  const struct cn_section_distance *d = cn_pieces_distances_of(p, piece, &count);
  if (!count || d->at != piece->start + CN_PIECE_CODE_OFFSET || d->section != piece->section ||
      d->offset != piece->offset)
    return "pieces: a piece is not tied to its code";
  return NULL;
}

const char *cn_pieces_wrong(const struct cn_section_pieces *p)
{
  const char *wrong = NULL;

  for (size_t i = 0; i < p->distances.count; i++) {
    const struct cn_section_distance *d = &p->distances.at[i];
    if (d->at % 4 || d->at >= p->bytes.count || p->bytes.count - d->at < 4)
      return "pieces: a distance is not in the bytes";
    if (i && d[-1].at >= d->at)
      return "pieces: the distances do not ascend";
    if (!d->section)
      return "pieces: a distance leads nowhere";
  }
  for (size_t i = 0; !wrong && i < p->pieces.count; i++) {
    const struct cn_section_piece *piece = &p->pieces.at[i];
    if (i && (piece[-1].section > piece->section ||
              (piece[-1].section == piece->section && piece[-1].offset >= piece->offset)))
      return "pieces: the pieces do not ascend";
    wrong = piece_wrong(p, piece);
  }
  return wrong;
}
