/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs functions of tiny within bounds: of loops, calls and memory. A run that reaches a bound ends by longjmp().
 */
#ifndef TEST_FUZZ_TINY_EXERCISE_H
#define TEST_FUZZ_TINY_EXERCISE_H

#include <setjmp.h>

#include "tiny/program/modules.h"
#include "tiny/core/object.h"

enum { EXERCISE_STEPS = 60, EXERCISE_BYTES = 1 << 20 };

/* ---- objects ---- */

struct exercise_block {
  struct exercise_block *next, *previous;
  size_t bytes;
  _Alignas(16) char memory[];
};

static struct exercise_block blocks = {.next = &blocks, .previous = &blocks};
static size_t block_bytes;
static jmp_buf bound;

static void exercise_remove(struct exercise_block *block)
{
  block->next->previous = block->previous;
  block->previous->next = block->next;
  block_bytes -= block->bytes;
}

static void *exercise_add(struct exercise_block *block, size_t bytes)
{
  if (!block)
    abort();
  *block = (struct exercise_block){&blocks, blocks.previous, bytes};
  blocks.previous->next = block;
  blocks.previous = block;
  block_bytes += bytes;
  return block->memory;
}

static void exercise_check_bytes(size_t bytes)
{
  if (bytes > EXERCISE_BYTES || block_bytes > EXERCISE_BYTES - bytes)
    longjmp(bound, 1);
}

void *cn_fuzz_calloc(size_t count, size_t size)
{
  exercise_check_bytes(count * size);
  return exercise_add(calloc(1, sizeof(struct exercise_block) + count * size), count * size);
}

void *cn_fuzz_malloc(size_t size)
{
  exercise_check_bytes(size);
  return exercise_add(malloc(sizeof(struct exercise_block) + size), size);
}

void *cn_fuzz_realloc(void *memory, size_t size)
{
  if (!memory)
    return cn_fuzz_malloc(size);
  struct exercise_block *block = (struct exercise_block *)((char *)memory - offsetof(struct exercise_block, memory));

  exercise_check_bytes(size);
  exercise_remove(block);
  return exercise_add(realloc(block, sizeof *block + size), size);
}

static void exercise_free_objects(void)
{
  while (blocks.next != &blocks) {
    struct exercise_block *block = blocks.next;
    exercise_remove(block);
    free(block);
  }
}

/* ---- runs ---- */

/* Without the library. */
const struct tiny_library_source {
  const char *name, *text;
  size_t length;
} tiny_library_sources[] = {{"empty", "", 0}, {NULL, NULL, 0}};

bool tiny_library(int count, char *const *words);

static value exercise_text(value *arguments, unsigned count)
{
  return count ? tiny_text(arguments[0]) : TINY_NIL;
}

static value exercise_push(value *arguments, unsigned count)
{
  (void)count;
  return tiny_array_push(arguments[0], arguments[1]);
}

static value exercise_map(value *arguments, unsigned count)
{
  (void)arguments;
  (void)count;
  return tiny_map_new();
}

bool tiny_library(int count, char *const *words)
{
  (void)count;
  (void)words;
  tiny_define_native("str", 0, 1, exercise_text);
  tiny_define_native("map", 0, 0, exercise_map);
  tiny_define_method(TINY_ARRAY, "push", 1, 1, exercise_push);
  return true;
}

static void exercise_called(struct tiny_function *function, value *arguments)
{
  (void)function;
  (void)arguments;
  longjmp(bound, 1);
}

static tiny_loop_code *exercise_looped(struct tiny_function *function, uint32_t target, value *registers)
{
  (void)function;
  (void)target;
  (void)registers;
  longjmp(bound, 1);
}

static void exercise_begin(void)
{
  tiny_hooks = (struct tiny_hooks){
      .calls = EXERCISE_STEPS, .loops = EXERCISE_STEPS, .called = exercise_called, .looped = exercise_looped};
  tiny_begin(0, NULL);
  tiny_stack_limit = NULL; /* locals lie elsewhere with sanitizers; EXERCISE_STEPS bounds the depth */
}

static void exercise_end(void)
{
  tiny_end();
  exercise_free_objects();
}

#endif
