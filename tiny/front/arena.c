/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the compiler, freed all at once, and the growing tables of a program. Native code. Exhausted memory ends
 * the program with a message.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tiny/front/syntax.h"

enum { BLOCK_BYTES = 1 << 16 };

struct tiny_arena_block {
  struct tiny_arena_block *next;
  _Alignas(16) char bytes[];
};

void *tiny_allocate(void *old, size_t count, size_t size)
{
  void *memory = old ? reallocarray(old, count, size) : calloc(count ? count : 1, size);

  if (!memory) {
    fprintf(stderr, "tiny: out of memory\n");
    exit(1);
  }
  return memory;
}

void *tiny_arena_take(struct tiny_arena *arena, size_t bytes)
{
  bytes = (bytes + 15) & ~(size_t)15;
  if (!arena->blocks || bytes > BLOCK_BYTES - arena->used) {
    struct tiny_arena_block *block =
        tiny_allocate(NULL, 1, sizeof *block + (bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES));
    block->next = arena->blocks;
    arena->blocks = block;
    arena->used = 0;
  }
  char *taken = arena->blocks->bytes + arena->used;
  arena->used += bytes < BLOCK_BYTES ? bytes : BLOCK_BYTES;
  return taken;
}

void tiny_arena_free(struct tiny_arena *arena)
{
  while (arena->blocks) {
    struct tiny_arena_block *next = arena->blocks->next;
    free(arena->blocks);
    arena->blocks = next;
  }
  arena->used = 0;
}

void *tiny_table_add(struct tiny_table *table)
{
  uint32_t number = table->count, shifted = number + TINY_FIRST_CHUNK;
  unsigned chunk = (unsigned)(__builtin_clz(TINY_FIRST_CHUNK) - __builtin_clz(shifted));

  if (chunk == TINY_CHUNKS) {
    fprintf(stderr, "tiny: the program has too many names, shapes, functions or globals\n");
    exit(1);
  }
  if (!table->chunk[chunk])
    table->chunk[chunk] = tiny_allocate(NULL, (size_t)TINY_FIRST_CHUNK << chunk, table->size);
  /* Compilers on other threads read elements below the count. */
  __atomic_store_n(&table->count, number + 1, __ATOMIC_RELEASE);
  return tiny_table_at(table, number);
}
