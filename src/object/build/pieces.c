/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits sections `cairn_frames`, `cairn_details` and `cairn_points` that `ld -r` joined from the sections of several
 * code sections. Runs while an object is rewritten. Only reads the object; the pieces own their bytes. Holds no state.
 * Errors are returned as text.
 */
#include "object/build/pieces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"

static const uint64_t hash_prime = UINT64_C(0x100000001b3);

const char *const cn_section_kind_names[CN_SECTION_KINDS] = {"cairn_frames", "cairn_details", "cairn_points"};

/* Find the target of a relocated field, which contains the distance to the target. False if the relocation has another
 * type, or if its symbol is outside the object. */
static bool find_relocation_target(const struct cn_elf_file *elf, const Elf64_Rela *r, struct cn_section_distance *out)
{
  uint64_t symbol = ELF64_R_SYM(r->r_info), type = ELF64_R_TYPE(r->r_info);

  if (symbol >= elf->symbol_count || (type != elf->port->pc32 && type != elf->port->call))
    return false;
  out->section = elf->symbols[symbol].section;
  out->offset = elf->symbols[symbol].sym.st_value + (uint64_t)r->r_addend;
  return out->section != 0;
}

static Elf64_Rela read_relocation(const struct cn_elf_section *rela, size_t index)
{
  Elf64_Rela r;

  memcpy(&r, rela->data + index * sizeof r, sizeof r);
  return r;
}

static const struct cn_elf_section *relocation_section_of(const struct cn_elf_file *elf, uint32_t section)
{
  uint32_t rela = cn_elf_find_rela_section(elf, elf->sections[section].relocations);

  return rela ? &elf->sections[rela] : NULL;
}

static size_t relocation_count_of(const struct cn_elf_section *rela)
{
  return rela && rela->data ? rela->head.sh_size / sizeof(Elf64_Rela) : 0;
}

static uint32_t load_u32(const unsigned char *at)
{
  uint32_t value;

  memcpy(&value, at, sizeof value);
  return value;
}

/* The length of the next piece at or after *at. 0 if *at is the end or the place of malformed bytes. */
static size_t next_piece_length(const struct cn_elf_section *s, size_t *at)
{
  size_t size = s->data ? s->head.sh_size : 0;

  CN_CHECK(*at <= size);
  while (size - *at >= 4 && load_u32(s->data + *at) == 0)
    *at += 4;
  if (size - *at < CN_PIECE_HEADER_BYTES)
    return 0;
  size_t length = load_u32(s->data + *at + CN_PIECE_LENGTH_OFFSET);
  return length >= CN_PIECE_HEADER_BYTES && length % 4 == 0 && length <= size - *at ? length : 0;
}

/* Make an array that has, for each 4 bytes of the section, 1 + the index of the relocation at these bytes, or 0. */
static uint32_t *index_relocations(const struct cn_elf_section *s, const struct cn_elf_section *rela)
{
  uint32_t *index = cn_alloc((s->head.sh_size / 4 + 1) * sizeof *index);

  for (size_t i = 0; i < relocation_count_of(rela); i++) {
    uint64_t at = read_relocation(rela, i).r_offset;
    if (at < s->head.sh_size)
      index[at / 4] = (uint32_t)i + 1;
  }
  return index;
}

uint32_t cn_pieces_find_mixed_section(const struct cn_elf_file *elf, enum cn_kind kind)
{
  uint32_t target = 0;

  while ((target = cn_elf_find_section(elf, cn_section_kind_names[kind], target + 1)) != 0) {
    const struct cn_elf_section *s = &elf->sections[target];
    const struct cn_elf_section *rela = relocation_section_of(elf, target);
    if (elf->head.e_type != ET_REL || !rela)
      continue;
    if (!s->data) /* without bytes, the section's size is arbitrary; cn_pieces_split_section() refuses the section */
      return target;
    uint32_t *index = index_relocations(s, rela);
    bool mixed = false;
    for (size_t at = 0, length; !mixed && (length = next_piece_length(s, &at)) != 0; at += length) {
      uint32_t found = index[(at + CN_PIECE_CODE_OFFSET) / 4];
      Elf64_Rela r = found ? read_relocation(rela, found - 1) : (Elf64_Rela){0};
      struct cn_section_distance code = {0};
      mixed = !find_relocation_target(elf, &r, &code) || code.section != s->head.sh_link;
    }
    free(index);
    if (mixed)
      return target;
  }
  return 0;
}

static bool append_piece(const struct cn_elf_file *elf, const struct cn_elf_section *s,
                         const struct cn_elf_section *rela, const uint32_t *index, size_t at, size_t length,
                         struct cn_section_pieces *out)
{
  struct cn_section_piece piece = {.start = out->bytes.count, .length = length};

  CN_CHECK(length % 4 == 0 && at <= s->head.sh_size && length <= s->head.sh_size - at);
  for (size_t i = 0; i < length; i += 4) {
    uint32_t found = index[(at + i) / 4];
    struct cn_section_distance distance = {.at = piece.start + i};
    if (!found && i != CN_PIECE_CODE_OFFSET)
      continue;
    Elf64_Rela r = found ? read_relocation(rela, found - 1) : (Elf64_Rela){0};
    if (i == CN_PIECE_LENGTH_OFFSET || r.r_offset != at + i || !find_relocation_target(elf, &r, &distance))
      return false;
    cn_push(&out->distances, distance);
    if (i == CN_PIECE_CODE_OFFSET) {
      piece.section = distance.section;
      piece.offset = distance.offset;
    }
  }
  for (size_t i = 0; i < length; i++)
    cn_push(&out->bytes, s->data[at + i]);
  piece.identity = cn_pieces_hash_bytes(out->bytes.at + piece.start, length);
  cn_push(&out->pieces, piece);
  return true;
}

static int split_into_pieces(const struct cn_elf_file *elf, const struct cn_elf_section *s,
                             const struct cn_elf_section *rela, const uint32_t *index, struct cn_section_pieces *out,
                             char **error)
{
  size_t at = 0, length;

  for (; (length = next_piece_length(s, &at)) != 0; at += length)
    if (!append_piece(elf, s, rela, index, at, length, out))
      return CN_FAIL(error, "section %s, offset %zu: about code that the object does not have", s->name, at);
  return at == s->head.sh_size ? 0 : CN_FAIL(error, "section %s, offset %zu: malformed", s->name, at);
}

static int by_section_and_offset(const void *x, const void *y)
{
  const struct cn_section_piece *a = x, *b = y;

  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a->start < b->start ? -1 : a->start > b->start;
}

const struct cn_section_distance *cn_pieces_distances_of(const struct cn_section_pieces *p,
                                                         const struct cn_section_piece *piece, size_t *count)
{
  size_t low = 0;

  if (p->distances.count)
    low = cn_sorted_count_below(&p->distances.at->at, p->distances.count, sizeof *p->distances.at, piece->start);
  for (*count = 0;
       low + *count < p->distances.count && p->distances.at[low + *count].at < piece->start + piece->length;)
    ++*count;
  CN_CHECK(low + *count <= p->distances.count);
  return p->distances.at + low;
}

/* True if both pieces are equal outside their relocated fields, and these fields refer to the same places. */
static bool is_same_piece(const struct cn_section_pieces *p, const struct cn_section_piece *a,
                          const struct cn_section_piece *b)
{
  size_t count, other, at = 0;
  const struct cn_section_distance *x = cn_pieces_distances_of(p, a, &count);
  const struct cn_section_distance *y = cn_pieces_distances_of(p, b, &other);

  if (a->length != b->length || count != other)
    return false;
  for (size_t i = 0; i <= count; i++) {
    size_t end = i < count ? x[i].at - a->start : a->length;
    CN_CHECK(at <= end && end <= a->length);
    if (memcmp(p->bytes.at + a->start + at, p->bytes.at + b->start + at, end - at) != 0)
      return false;
    if (i < count && (y[i].at - b->start != end || x[i].section != y[i].section || x[i].offset != y[i].offset))
      return false;
    at = end + 4;
  }
  return true;
}

static const char *function_name_at(const struct cn_elf_file *elf, const struct cn_section_piece *piece)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section == piece->section && elf->symbols[i].sym.st_value == piece->offset &&
        ELF64_ST_TYPE(elf->symbols[i].sym.st_info) == STT_FUNC)
      return elf->symbols[i].name;
  return elf->sections[piece->section].name;
}

static int sort_unique_pieces(const struct cn_elf_file *elf, const char *name, struct cn_section_pieces *out,
                              char **error)
{
  size_t kept = 0;

  if (out->pieces.count)
    qsort(out->pieces.at, out->pieces.count, sizeof *out->pieces.at, by_section_and_offset);
  for (size_t i = 0; i < out->pieces.count; i++) {
    struct cn_section_piece *piece = &out->pieces.at[i], *last = kept ? &out->pieces.at[kept - 1] : NULL;
    if (!last || last->section != piece->section || last->offset != piece->offset)
      out->pieces.at[kept++] = *piece;
    else if (!is_same_piece(out, last, piece))
      return CN_FAIL(error, "section %s: function '%s' is in it twice, and differs", name,
                     function_name_at(elf, piece));
  }
  out->pieces.count = kept;
  return 0;
}

int cn_pieces_split_section(const struct cn_elf_file *elf, uint32_t section, struct cn_section_pieces *out,
                            char **error)
{
  const struct cn_elf_section *s = &elf->sections[section];
  const struct cn_elf_section *rela = relocation_section_of(elf, section);

  *out = (struct cn_section_pieces){0};
  if (!s->data || !rela)
    return CN_FAIL(error, "section %s: malformed", s->name);
  uint32_t *index = index_relocations(s, rela);
  int status = split_into_pieces(elf, s, rela, index, out, error);
  free(index);
  if (!status)
    status = sort_unique_pieces(elf, s->name, out, error);
  if (status)
    cn_pieces_free(out);
  CN_ASSERT_VALID(cn_pieces_wrong(out));
  return status;
}

uint64_t cn_pieces_hash_bytes(const unsigned char *bytes, size_t size)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);

  for (size_t i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * hash_prime;
  return hash;
}

void cn_pieces_hash(const struct cn_section_pieces *pieces, uint64_t object, uint64_t *identities)
{
  for (size_t i = 0; i < pieces->pieces.count; i++) {
    const struct cn_section_piece *piece = &pieces->pieces.at[i];
    uint64_t *identity = &identities[piece->section];
    size_t count;
    const struct cn_section_distance *d = cn_pieces_distances_of(pieces, piece, &count);
    *identity = *identity * hash_prime + piece->identity;
    for (size_t k = 1; k < count; k++) /* the first distance is to the code */
      *identity = (*identity * hash_prime + d[k].offset) * hash_prime + object;
  }
}

int cn_pieces_hash_sections(const struct cn_elf_file *elf, enum cn_kind kind, uint64_t *identities, char **error)
{
  uint64_t object = cn_pieces_hash_bytes(elf->bytes, elf->size);
  struct cn_section_pieces pieces;

  for (uint32_t i = 0; (i = cn_elf_find_section(elf, cn_section_kind_names[kind], i + 1)) != 0;) {
    if (!elf->sections[i].head.sh_size)
      continue;
    if (cn_pieces_split_section(elf, i, &pieces, error))
      return -1;
    cn_pieces_hash(&pieces, object, identities);
    cn_pieces_free(&pieces);
  }
  return 0;
}

void cn_pieces_free(struct cn_section_pieces *pieces)
{
  cn_free(&pieces->pieces);
  cn_free(&pieces->distances);
  cn_free(&pieces->bytes);
}
