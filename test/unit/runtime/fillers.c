/* SPDX-License-Identifier: Apache-2.0
 *
 * Fillers (cairn_fill()), and walks over them from block to block. What would go wrong: a filler of
 * some size ends early or late, or writes beyond its end, and the walk takes data for headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include <stdlib.h>
#include <string.h>
#include <cairn/heap_object.h>
#include "runtime/core/mutator.h"
#include "runtime/heap/buffer.h"

enum { WORDS = 64 << 10, ROUNDS = 30 };

static struct layouts {
  struct cairn_layout object, array;
} layouts = {{.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 20}, {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 3}};
static const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                         .size = sizeof(struct cairn_image),
                                         .layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};

static uintptr_t heap[WORDS];
static const uintptr_t junk = 0x5a5a5a5a5a5a5a5b; /* odd: a count, by its looks */

static void clear_away(void)
{
  for (size_t i = 0; i < WORDS; i++)
    heap[i] = junk;
}

/* The word where the block ends that begins at `word`; its layout must be known, and have no
 * references. */
static size_t next(size_t word)
{
  uintptr_t object = cairn_block_object((uintptr_t)&heap[word]);
  const struct cairn_layout *layout = cairn_object_layout(object);
  uint64_t bytes = 0;

  assert_true(cairn_layout_is_known(layout));
  assert_int_equal(layout->base_refs + layout->elem_refs, 0);
  assert_ptr_equal(cairn_object_block(object, layout), &heap[word]);
  assert_int_equal(cairn_object_payload(object, layout, &bytes), CAIRN_OK);
  return (size_t)((object + bytes - (uintptr_t)heap) / sizeof *heap);
}

/* Every length, with and without a block after it. At most two words are written. */
static void every_size(void **state)
{
  (void)state;
  for (size_t words = 1; words < WORDS; words += words < 2000 ? 1 : 977) {
    clear_away();
    cairn_fill((uintptr_t)&heap[0], (uintptr_t)&heap[words]);
    assert_int_equal(next(0), words);
    for (size_t i = words < 2 ? words : 2; i < words + 2 && i < WORDS; i++)
      assert_true(heap[i] == junk);
  }
}

static void none_is_written(void **state)
{
  (void)state;
  clear_away();
  cairn_fill((uintptr_t)&heap[3], (uintptr_t)&heap[3]);
  assert_true(heap[2] == junk && heap[3] == junk);
}

/* Put an object or an array at `word`; returns the word after it. */
static size_t put_object(size_t word, unsigned long chance)
{
  if (chance % 2) {
    heap[word] = (uintptr_t)&layouts.object;
    return word + 4;
  }
  uintptr_t count = chance / 2 % 40;
  heap[word] = count << 1 | 1;
  heap[word + 1] = (uintptr_t)&layouts.array;
  return word + 2 + (count * 3 + 7) / 8;
}

/* Objects and fillers by turns of chance; the walk must find each boundary, and nothing else. */
static void random_heaps(void **state)
{
  static bool starts[WORDS + 1];
  size_t word, fillers = 0;

  (void)state;
  srandom(1);
  for (int round = 0; round < ROUNDS; round++) {
    clear_away();
    memset(starts, 0, sizeof starts);
    for (word = 0; word < WORDS;) {
      unsigned long chance = (unsigned long)random();
      starts[word] = true;
      size_t room = WORDS - word, length = chance % 8 ? 1 + chance / 64 % 9 : 1 + chance / 64 % 900;
      if (chance % 3 != 0 && room > 20) {
        word = put_object(word, chance / 64);
        continue;
      }
      length = length < room ? length : room;
      cairn_fill((uintptr_t)&heap[word], (uintptr_t)&heap[word + length]);
      word += length;
      fillers++;
    }
    starts[WORDS] = true;
    for (word = 0; word < WORDS;) {
      size_t end = next(word);
      for (size_t i = word + 1; i < end; i++)
        assert_false(starts[i]);
      assert_true(starts[end]);
      word = end;
    }
  }
  assert_true(fillers > 1000);
}

static void from_a_byte(void)
{
  cairn_fill((uintptr_t)heap + 4, (uintptr_t)&heap[9]);
}

static void to_a_byte(void)
{
  cairn_fill((uintptr_t)heap, (uintptr_t)heap + 12);
}

static void both_by_a_byte(void)
{
  cairn_fill((uintptr_t)heap + 1, (uintptr_t)heap + 17);
}

static void backwards(void)
{
  cairn_fill((uintptr_t)&heap[2], (uintptr_t)&heap[1]);
}

static void refusals(void **state)
{
  (void)state;
  aborts(from_a_byte, "are no whole words");
  aborts(to_a_byte, "are no whole words");
  aborts(both_by_a_byte, "are no whole words");
  aborts(backwards, "are no whole words");
}

/* A thread is gone: an object whose header has a collector's bits is whole, and what follows it
 * never got a header. */
static void mended(void **state)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  (void)state;
  clear_away();
  cairn_buffer_give(mutator, (uintptr_t)&heap[0], (uintptr_t)&heap[100]);
  heap[0] = (uintptr_t)&layouts.object | CAIRN_ABI_HEADER_AGE | CAIRN_ABI_HEADER_MARK;
  mutator->alloc = (uintptr_t)&heap[10];
  cn_buffer_fill_unfinished(mutator);
  assert_int_equal(heap[0], (uintptr_t)&layouts.object | CAIRN_ABI_HEADER_AGE | CAIRN_ABI_HEADER_MARK);
  assert_int_equal(next(0), 4);
  assert_int_equal(next(4), 10);
  assert_ptr_equal(cairn_buffer_take(mutator, NULL), &heap[10]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_size), cmocka_unit_test(none_is_written),
                                     cmocka_unit_test(random_heaps), cmocka_unit_test(mended),
                                     cmocka_unit_test(refusals)};

  cairn_image_register(&image);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
