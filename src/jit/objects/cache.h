/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache of a session: finished objects in files of a directory, by content. Private to src/jit. Any thread and
 * process at once; a failure to read or to write only costs a compilation.
 */
#ifndef CN_JIT_OBJECTS_CACHE_H
#define CN_JIT_OBJECTS_CACHE_H

#include <stdbool.h>
#include <cairn/jit.h>

struct cn_jit_cache;
struct cn_jit_machines;

enum { CN_CACHE_HASH_BYTES = 32 };
struct cn_cache_key {
  unsigned char bytes[CN_CACHE_HASH_BYTES];
};

/* Open the directory, and make it if it is missing. Null if it is refused; *error then has a message, from malloc(). */
struct cn_jit_cache *cn_jit_cache_open(const char *directory, uint64_t bound, char **error);
void cn_jit_cache_free(struct cn_jit_cache *cache);
void cn_jit_cache_read_counts(const struct cn_jit_cache *cache, struct cairn_jit_cache_counts *counts);

/* The object with this key, from malloc(), or null. */
void *cn_jit_cache_load(struct cn_jit_cache *cache, const struct cn_cache_key *key, size_t *size);
void cn_jit_cache_store(struct cn_jit_cache *cache, const struct cn_cache_key *key, const void *object, size_t size);

/* cache_key.c: the program's build: this code, and LLVM's. False if it is unknown. */
bool cn_cache_identify_build(struct cn_cache_key *build);

/* The key of a compilation: the build, the IR, the machine and all options that change code. */
struct cn_cache_key cn_cache_key_of(const struct cn_cache_key *build, LLVMModuleRef ir,
                                    const struct cn_jit_machines *machines,
                                    const struct cairn_compile_options *options);
const struct cn_cache_key *cn_jit_cache_build(const struct cn_jit_cache *cache);

/* True if the options let a compilation come from the cache. */
bool cn_cache_fits_options(const struct cairn_compile_options *options);

#endif
