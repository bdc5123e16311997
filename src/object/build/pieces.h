/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes apart the sections that are tied to code, `cairn_frames` and `cairn_details`. They consist of pieces, each
 * about one function or one code section. A piece begins with
 *
 *     u32  its length, a multiple of 4
 *     i32  the code that it is about, minus the address of this field
 *
 * These two words are enough to take sections apart that `ld -r` joined. Private to src/object.
 */
#ifndef CN_OBJECT_BUILD_PIECES_H
#define CN_OBJECT_BUILD_PIECES_H

#include "framemap/framemap_format.h"
#include "object/elf/elf_file.h"

/* The kinds of such sections. */
enum cn_kind { CN_SECTION_KIND_FRAMES, CN_SECTION_KIND_DETAILS, CN_SECTION_KINDS };
extern const char *const cn_section_kind_names[CN_SECTION_KINDS];

enum { CN_PIECE_LENGTH_OFFSET = 0, CN_PIECE_CODE_OFFSET = 4, CN_PIECE_HEADER_BYTES = 8 };

/* A piece, with the code that it is about. */
struct cn_section_piece {
  uint32_t section;
  uint64_t offset;      /* in that section */
  size_t start, length; /* in cn_section_pieces.bytes */
  uint64_t identity;    /* of a frame map: a hash of the facts that must survive when a linker folds
                         * identical code: the map, deopt values and spans */
};

/* The 4 bytes at `at`, a multiple of 4 in its piece, are the distance from themselves to a place in another section. */
struct cn_section_distance {
  size_t at;        /* in cn_section_pieces.bytes */
  uint32_t section; /* needs a local symbol */
  uint64_t offset;
};

/* Invariant (cn_pieces_wrong()): pieces and distances are in order and in the bytes, and each piece begins with its
 * length and a distance to its code. */
struct cn_section_pieces {
  CN_VECTOR(struct cn_section_piece) pieces;       /* by section, then offset */
  CN_VECTOR(struct cn_section_distance) distances; /* ascending `at`; CN_PIECE_CODE_OFFSET's too */
  struct cn_bytes bytes;
};

/* A section of that kind with a piece about other code than that of its sh_link, or 0. GNU ld makes such sections: `ld
 * -r` joins sections of one name, and the linker that reads the result drops the maps of all functions with the one
 * section that sh_link still names. */
uint32_t cn_pieces_find_mixed_section(const struct cn_elf_file *elf, enum cn_kind kind);

/* Take the section apart, keeping one of equal pieces about one place. Negative on error; two
 * pieces about one place that differ are an error. */
int cn_pieces_split_section(const struct cn_elf_file *elf, uint32_t section, struct cn_section_pieces *out,
                            char **error);

/* pieces_encode.c: append the frame maps of the model. */
struct cn_frames;
void cn_pieces_encode(struct cn_section_pieces *out, const struct cn_elf_file *elf, const struct cn_frames *frames);

/* A hash of bytes (FNV-1a), the same everywhere. */
uint64_t cn_pieces_hash_bytes(const unsigned char *bytes, size_t size);

/* The distances of a piece, *count of them. */
const struct cn_section_distance *cn_pieces_distances_of(const struct cn_section_pieces *p,
                                                         const struct cn_section_piece *piece, size_t *count);

/* frames_check.c */
const char *cn_pieces_wrong(const struct cn_section_pieces *pieces);

void cn_pieces_free(struct cn_section_pieces *pieces);

#endif
