/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds code whose call-frame information says that the caller's CN_DWARF_MISTAKEN_BY_LIBDW is lost. Private to
 * src/object.
 */
#ifndef CN_OBJECT_DWARF_CFI_UNDEFINED_H
#define CN_OBJECT_DWARF_CFI_UNDEFINED_H

#include "base/vector.h"
#include "object/elf/elf_file.h"

struct cn_code_range {
  uint64_t start, size;
};

struct cn_code_ranges {
  CN_VECTOR(struct cn_code_range) list;
};

/* Append the code of each function whose entry in a relocated .eh_frame has unknown instructions, or says that
 * CN_DWARF_MISTAKEN_BY_LIBDW is undefined. Appends all code if the function's place is unknown. */
void cn_cfi_find_undefined_code(const struct cn_elf_section *eh_frame, struct cn_code_ranges *out);
bool cn_cfi_is_register_undefined(const struct cn_code_ranges *ranges, uint64_t address);

#endif
