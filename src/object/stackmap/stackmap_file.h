/* SPDX-License-Identifier: Apache-2.0
 *
 * The contents of struct cairn_stackmap_file. Private to src/object.
 */
#ifndef CN_OBJECT_STACKMAP_STACKMAP_FILE_H
#define CN_OBJECT_STACKMAP_STACKMAP_FILE_H

#include <cairn/stackmap.h>
#include "base/vector.h"
#include "object/elf/elf_file.h"

struct cairn_stackmap_file {
  struct cn_elf_file elf;       /* the file with assigned addresses and relocated stack maps */
  CN_VECTOR(uint32_t) sections; /* indices of the sections of stack maps */
};

#endif
