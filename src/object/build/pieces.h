/* SPDX-License-Identifier: Apache-2.0
 *
 * Splits the sections `cairn_frames`, `cairn_details` and `cairn_points`, which are tied to code. These sections
 * consist of pieces, each for one function or one code section. A piece begins with
 *
 *     u32  its length, a multiple of 4
 *     i32  the address of its code, minus the address of this field
 *
 * These two words suffice to split sections that `ld -r` joined. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_PIECES_H
#define CN_OBJECT_BUILD_PIECES_H

#include "framemap/framemap_format.h"
#include "object/elf/elf_file.h"

/* The kinds of sections that consist of pieces. */
enum cn_kind { CN_SECTION_KIND_FRAMES, CN_SECTION_KIND_DETAILS, CN_SECTION_KIND_POINTS, CN_SECTION_KINDS };
extern const char *const cn_section_kind_names[CN_SECTION_KINDS];

enum { CN_PIECE_LENGTH_OFFSET = 0, CN_PIECE_CODE_OFFSET = 4, CN_PIECE_HEADER_BYTES = 8 };

/* A piece with the place of its code. */
struct cn_section_piece {
  uint32_t section;
  uint64_t offset;      /* in that section */
  size_t start, length; /* in cn_section_pieces.bytes */
  /* A hash of facts that must be equal if a linker folds identical code: of a frame map from a stack map, of its roots,
   * points, deopt values and spans; of a piece that was split off, of its bytes */
  uint64_t identity;
};

/* A field of 4 bytes with its distance to a place in another section. The field is at `at`, a multiple of 4 in its
 * piece. */
struct cn_section_distance {
  size_t at;        /* in cn_section_pieces.bytes */
  uint32_t section; /* the place's section, which needs a local symbol */
  uint64_t offset;
};

/* Pieces of one kind. cn_pieces_wrong() checks that pieces and distances are sorted and lie within the bytes, and that
 * each piece begins with its length and the distance to its code. */
struct cn_section_pieces {
  CN_VECTOR(struct cn_section_piece) pieces;       /* sorted by section, then by offset */
  CN_VECTOR(struct cn_section_distance) distances; /* sorted by `at`, with the distances at CN_PIECE_CODE_OFFSET */
  struct cn_bytes bytes;
};

/* A section of this kind with a piece for other code than its sh_link names, or 0. GNU ld makes such sections, because
 * `ld -r` joins sections of one name. A linker that reads the result would drop the maps of all functions with the
 * single section that sh_link names. */
uint32_t cn_pieces_find_mixed_section(const struct cn_elf_file *elf, enum cn_kind kind);

/* Split the section, and keep one of several equal pieces for one place. Negative on error; different pieces for one
 * place are an error. */
int cn_pieces_split_section(const struct cn_elf_file *elf, uint32_t section, struct cn_section_pieces *out,
                            char **error);

/* pieces_encode.c: append the frame maps, and the points, of `frames` as pieces. */
struct cn_frames;
void cn_pieces_encode(struct cn_section_pieces *out, const struct cn_elf_file *elf, const struct cn_frames *frames);
void cn_pieces_encode_points(struct cn_section_pieces *out, const struct cn_frames *frames);

/* Mix the identities of the pieces into identities[], by the section of their code. A distance to another section than
 * the code's, such as a span table, has a meaning only in this object, so `object`, a hash of it, is mixed in.
 * cn_pieces_hash_sections() splits each section of the kind to mix in its pieces; negative on error. */
void cn_pieces_hash(const struct cn_section_pieces *pieces, uint64_t object, uint64_t *identities);
int cn_pieces_hash_sections(const struct cn_elf_file *elf, enum cn_kind kind, uint64_t *identities, char **error);

/* A hash of bytes (FNV-1a) that is equal on all machines. */
uint64_t cn_pieces_hash_bytes(const unsigned char *bytes, size_t size);

/* The *count distances of a piece. */
const struct cn_section_distance *cn_pieces_distances_of(const struct cn_section_pieces *p,
                                                         const struct cn_section_piece *piece, size_t *count);

/* frames_check.c */
const char *cn_pieces_wrong(const struct cn_section_pieces *pieces);

void cn_pieces_free(struct cn_section_pieces *pieces);

#endif
