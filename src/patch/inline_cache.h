/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline caches, for the rest of the runtime (<cairn/inline_cache.h>).
 */
#ifndef CN_PATCH_INLINE_CACHE_H
#define CN_PATCH_INLINE_CACHE_H

#include <cairn/inline_cache.h>
#include <cairn/patch.h>

struct cairn_image;

/* Clear the entries with an address of the image's layouts, before the image is removed. `is_stopped`: the caller has
 * stopped the world. */
void cn_inline_caches_forget_image(const struct cairn_image *image, bool is_stopped);

/* Patch the code of all caches whose data have changed (patched_cache.c). `failure` may be null. */
enum cairn_status cn_patched_caches_follow(bool is_stopped, struct cairn_patch_failure *failure);

/* The table of the megamorphic caches (shared_cache.c). Callers hold CN_LOCK_PATCH, except of
 * cairn_inline_cache_find_shared(). False: memory is exhausted. */
bool cn_shared_cache_fill(uintptr_t name, uintptr_t key, const uintptr_t word[2]);

/* Remove the entries of the table that `must_go` selects. */
typedef bool cn_cache_predicate(const void *env, uintptr_t name, uintptr_t key, const uintptr_t word[2]);
void cn_shared_cache_clear(cn_cache_predicate *must_go, const void *env);

/* A change of data that readers check by a version, under the lock: the version is odd in between. */
void cn_cache_begin_change(uint64_t *version);
void cn_cache_end_change(uint64_t *version);

#endif
