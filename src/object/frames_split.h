/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame maps that are to be written, whatever they come from; and those of an object in which they
 * no longer stand apart. Private to src/object.
 */
#ifndef CN_OBJECT_FRAMES_SPLIT_H
#define CN_OBJECT_FRAMES_SPLIT_H

#include "object/elf_file.h"
#include "object/framemap.h"

/* One function's map, encoded, with where its code is. */
struct cn_encoded {
  uint32_t section;
  uint64_t offset;      /* of the entry in the section */
  size_t start, length; /* in cn_encoded_frames.bytes */
};

struct cn_encoded_frames {
  CN_VECTOR(struct cn_encoded) functions; /* by section, then offset */
  struct cn_bytes bytes;
};

/* A section `cairn_frames` that speaks of other code than that of its sh_link, or 0. GNU ld makes
 * such sections: `ld -r` joins sections of one name, and the linker that reads the result drops the
 * maps of all functions with the one section that sh_link is left with. */
uint32_t cn_frames_find_mixed(const struct cn_elf *elf);

/* Take the section apart. Negative on error. */
int cn_frames_split(const struct cn_elf *elf, uint32_t section, struct cn_encoded_frames *out,
                    char **error);

void cn_encoded_free(struct cn_encoded_frames *frames);

#endif
