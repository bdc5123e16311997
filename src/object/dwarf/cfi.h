/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads call-frame information: the places of the caller's frame and registers at one address. Private to src/object.
 */
#ifndef CN_OBJECT_DWARF_CFI_H
#define CN_OBJECT_DWARF_CFI_H

#include "base/vector.h"
#include "framemap/framemap.h"
#include "object/elf/elf_file.h"

struct cn_cfi;

/* Open .eh_frame of an object with assigned addresses, after relocation. If the section is missing, *cfi has no
 * rows. */
int cn_cfi_open(struct cn_cfi **cfi, struct cn_elf_file *elf, char **error);
void cn_cfi_close(struct cn_cfi *cfi);

/* Set cfa_reg, cfa_offset, saved and saved_offset of the zeroed `frame` for the instruction of `length` bytes that ends
 * at `end`. Null, or the reason of a refusal. */
const char *cn_cfi_read_row(struct cn_cfi *cfi, uint64_t end, unsigned length, struct cn_safepoint *frame);

/* True if the frame address is `offset` bytes above the stack pointer at some place in [start, end). */
bool cn_cfi_has_frame_offset(struct cn_cfi *cfi, uint64_t start, uint64_t end, uint64_t offset);
/* The largest distance of the frame address above the stack pointer at a place in [start, end), or 0. */
uint64_t cn_cfi_largest_frame(struct cn_cfi *cfi, uint64_t start, uint64_t end);

/* ---- cfi_signing.c ---- */

/* Replace the instructions of a relocated .eh_frame that say if the return address is signed by no-ops. */
void cn_cfi_hide_signing(struct cn_elf_section *eh_frame);

/* ---- cfi_undefined.c ---- */

/* Finds code whose call-frame information says that the caller's register `mistaken_by_libdw` of the port is lost. */

struct cn_code_range {
  uint64_t start, size;
};

struct cn_code_ranges {
  CN_VECTOR(struct cn_code_range) list;
};

/* Append the code of each function whose entry in a relocated .eh_frame has unknown instructions, or says that the
 * register is undefined. Appends all code if the function's place is unknown. */
void cn_cfi_find_undefined_code(const struct cn_frame_port *port, const struct cn_elf_section *eh_frame,
                                struct cn_code_ranges *out);
bool cn_cfi_is_register_undefined(const struct cn_code_ranges *ranges, uint64_t address);

#endif
