/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for patches: the code of whole regions, and the operands that one store may change while
 * other threads run there. Pure functions.
 */
#ifndef CN_PATCH_MACHINE_H
#define CN_PATCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/inline_cache.h>
#include <cairn/patch.h>

/* Bytes of a jump or call of a near target, and of a call of any target. */
extern const size_t cn_machine_branch_bytes, cn_machine_far_call_bytes;

/* Fill a region of `length` bytes at `address` with code: nops; a jump and nops; nops and a call that ends at the
 * region's end. `any_target` permits a form that changes the register that LLVM leaves to calls. ROOM, FAR: `bytes` may
 * have changed. */
enum cairn_status cn_machine_fill_nops(unsigned char *bytes, size_t length);
enum cairn_status cn_machine_fill_jump(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target);
enum cairn_status cn_machine_fill_call(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target,
                                       bool any_target);

/* The entries that the code of an inline cache has. */
struct cn_cache_entries {
  unsigned count;
  struct cairn_inline_cache_entry entry[CAIRN_INLINE_CACHE_ENTRIES];
};

/* Fill a region with the code of an inline cache: the register `result`, by its DWARF number, becomes the first word of
 * the entry with the key, or 0. `key` is a register or a constant. Changes the register that LLVM leaves to calls. */
enum cairn_status cn_machine_fill_cache(unsigned char *bytes, size_t length, const struct cn_cache_entries *entries,
                                        const struct cairn_point_value *key, unsigned result);

/* True if the code consists of nops. */
bool cn_machine_is_nops(const unsigned char *code, size_t length);

/* True if the code ends with a call, or consists of nops, or of nops and a jump. */
bool cn_machine_fits_statepoint(const unsigned char *code, size_t length);

/* True if the bytes from index `first` to index `last` lie in the operand of one instruction that the port knows, so
 * that a store may change the operand while other threads run the instruction. The code begins at an instruction, and
 * only these bytes of it change. */
bool cn_machine_is_operand(const unsigned char *code, size_t length, size_t first, size_t last);

#endif
