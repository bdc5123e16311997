/* SPDX-License-Identifier: Apache-2.0
 *
 * An allocator for small parts of tables, in memory straight from the system. Blocks have sizes of powers of two from
 * CN_BLOCKS_MIN_BYTES to CN_BLOCKS_MAX_BYTES, and freed blocks are used again; a larger block is its own mapping.
 */
#ifndef CN_RUNTIME_TABLES_BLOCKS_H
#define CN_RUNTIME_TABLES_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { CN_BLOCKS_MIN_BYTES = 64, CN_BLOCKS_CLASSES = 10, CN_BLOCKS_MAX_BYTES = CN_BLOCKS_MIN_BYTES << 9 };

/* A zero-initialised struct is empty. One thread at a time uses it: its owner has a lock. In the child of a fork() that
 * interrupted another thread's call, the struct is valid. */
struct cn_blocks {
  void *free[CN_BLOCKS_CLASSES];
  unsigned char *fresh, *fresh_end; /* memory before its first use */
  size_t mapped_bytes;              /* all memory from the system */
};

/* Allocate a block of at least `bytes` bytes with any contents. Null: out of memory. */
void *cn_blocks_take(struct cn_blocks *blocks, size_t bytes);

/* Free a block that was taken with the same number of bytes. */
void cn_blocks_give(struct cn_blocks *blocks, void *block, size_t bytes);

/* Provide memory for small blocks of together `bytes` bytes, so that taking them succeeds. False: out of memory. */
bool cn_blocks_reserve(struct cn_blocks *blocks, size_t bytes);

#endif
