/* SPDX-License-Identifier: Apache-2.0
 *
 * The interface of a port for patches: the code of whole regions, the changes that one store may make while other
 * threads run there, and the caches of instructions. Pure functions, except for cn_machine_publish().
 */
#ifndef CN_PATCH_MACHINE_H
#define CN_PATCH_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/inline_cache.h>
#include <cairn/patch.h>

/* Bytes of a jump or call of a near target, and of a call of any target. */
extern const size_t cn_machine_branch_bytes;

/* A jump or call reaches targets up to nearly this distance, in both directions; and the distance as a text. */
extern const size_t cn_machine_reach_bytes;
extern const char cn_machine_reach_text[];

/* True if LLVM leaves a register to calls in shadows, too. */
extern const bool cn_machine_shadow_has_scratch;

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

/* The size of the aligned word that one store changes, at most CN_MACHINE_WORD_BYTES; and the store. */
enum { CN_MACHINE_WORD_BYTES = 8 };
extern const size_t cn_machine_store_bytes;
void cn_machine_store(void *to, const void *word);

/* True if a store may change the bytes from index `first` to index `last`, which lie in one aligned word, while other
 * threads run there: the threads run the old instruction or the new one. The code begins at an instruction, and only
 * these bytes change. */
bool cn_machine_may_store(const unsigned char *old, const unsigned char *new, size_t length, size_t first, size_t last);

/* Make written code visible to the instruction fetches of all processors, up to what they have fetched already
 * (cn_os_synchronise_code()). `visit` is called any number of times, and calls cn_machine_publish_range() for each
 * written range, by the addresses where threads run it. The caller holds CN_LOCK_PATCH. */
struct cn_publication;
typedef void cn_written_ranges(const void *env, struct cn_publication *publication);
void cn_machine_publish(cn_written_ranges *visit, const void *env);
void cn_machine_publish_range(struct cn_publication *publication, uintptr_t start, size_t bytes);

#endif
