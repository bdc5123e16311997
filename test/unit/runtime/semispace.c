/* SPDX-License-Identifier: Apache-2.0
 *
 * The semispace collector over a root set of our own (this file's cairn_visit_roots() takes the
 * place of the runtime's). What would go wrong: a reference keeps its old value, an object is
 * copied twice or cut short, a damaged heap is copied on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "aborts.h"
#include "objects.h"
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/mutator.h"
#include "runtime/inspect/inspect.h"

/* pair {ref, ref, long}; array of refs; flexible {ref, long, struct {long, ref} [n]}; bytes;
 * nothing */
static struct layouts {
  struct cairn_layout pair;
  uint32_t pair_offsets[2];
  struct cairn_layout refs;
  uint32_t refs_offsets[2];
  struct cairn_layout flex;
  uint32_t flex_offsets[2];
  struct cairn_layout bytes;
  struct cairn_layout empty;
} layouts = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 2, .base_size = 24},
    {0, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .elem_refs = 1},
    {0},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC,
     .base_refs = 1,
     .base_size = 16,
     .elem_size = 16,
     .elem_offset = 16,
     .elem_refs = 1},
    {0, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 1},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC},
};
static const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                         .size = sizeof(struct cairn_image),
                                         .layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};

/* The default collector, of which nothing is called here: the library's has the roots visited by
 * functions beside the one that this file replaces. */
const struct cairn_collector cairn_collector_generational = {.name = "none"};

static ref roots[16];
static uintptr_t buffer, buffer_end;
static const struct cairn_collector *const collector = &cairn_collector_semispace;

static void run(size_t bytes_needed, bool move_all)
{
  collector->collect(&(struct cairn_collection){CAIRN_CAUSE_ASKED, move_all ? CAIRN_EXTENT_MOVE_ALL : CAIRN_EXTENT_FULL,
                                                bytes_needed});
}

void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap)
{
  (void)heap;
}

void cn_verify_heap(bool after, uint64_t collection, bool with_roots)
{
  (void)after;
  (void)collection;
  (void)with_roots;
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  for (int twice = 0; twice < 2; twice++)
    for (int i = 0; i < 16; i++)
      visit(env, (struct cairn_slot){&roots[i]});
}

static uintptr_t *block(size_t bytes)
{
  collector->refill(&cairn_mutator, bytes); /* has been, but for the first time */
  buffer = cairn_buffer_take(&cairn_mutator, &buffer_end);
  cairn_buffer_give(&cairn_mutator, buffer + bytes <= buffer_end ? buffer + bytes : buffer, buffer_end);
  if (buffer + bytes > buffer_end)
    return NULL;
  return memset((void *)buffer, 0, bytes);
}

static void shapes_survive(bool move_all)
{
  int outside;

  memset(roots, 0, sizeof roots);
  ref a = roots[0] = object(&layouts.pair);
  ref b = object(&layouts.pair);
  roots[1] = indexed(&layouts.refs, 3);
  roots[2] = indexed(&layouts.flex, 2);
  roots[3] = indexed(&layouts.bytes, 13);
  roots[4] = object(&layouts.empty);
  roots[5] = (ref)&outside;
  words(a)[0] = b;
  words(a)[1] = a;
  words(b)[1] = a;
  words(b)[2] = 42;
  words(roots[1])[0] = words(roots[1])[2] = b;
  words(roots[2])[0] = roots[4];
  words(roots[2])[2] = 7;
  words(roots[2])[3] = a;
  words(roots[2])[5] = roots[3];
  memcpy(words(roots[3]), "hello, world", 13);

  for (int i = 0; i < 100; i++)
    run(0, move_all);
  a = roots[0];
  b = words(a)[0];
  assert_int_equal(words(a)[1], a);
  assert_int_equal(words(b)[1], a);
  assert_int_equal(words(b)[0], 0);
  assert_int_equal(words(b)[2], 42);
  assert_int_equal(words(roots[1])[0], b);
  assert_int_equal(words(roots[1])[1], 0);
  assert_int_equal(words(roots[1])[2], b);
  assert_int_equal(words(roots[2])[0], roots[4]);
  assert_int_equal(words(roots[2])[2], 7);
  assert_int_equal(words(roots[2])[3], a);
  assert_int_equal(words(roots[2])[5], roots[3]);
  assert_int_equal(words(roots[3])[-2], 13 << 1 | 1);
  assert_string_equal((char *)roots[3], "hello, world");
  assert_int_equal(words(roots[4])[-1], (uintptr_t)&layouts.empty);
  assert_ptr_equal(roots[5], &outside);
}

static void shapes(void **state)
{
  (void)state;
  shapes_survive(false);
}

static void shapes_in_stress_mode(void **state)
{
  uint64_t collection;

  (void)state;
  memset(roots, 0, sizeof roots);
  roots[0] = object(&layouts.pair);
  ref old = roots[0];
  run(0, true);
  assert_int_not_equal(roots[0], old);
  assert_true(collector->was_unmapped(old, &collection));
  assert_int_not_equal(collection, 0);
  assert_false(collector->was_unmapped(roots[0], &collection));
  assert_false(collector->was_unmapped((uintptr_t)&collection, &collection));
  shapes_survive(true);
}

/* A root may point into an object or just past it. What would go wrong: it keeps the old object,
 * takes the next one with it, or data that looks like a header is taken for one. */
static void roots_into_objects(bool move_all)
{
  memset(roots, 0, sizeof roots);
  for (int i = 0; i < 40; i++)
    (void)object(&layouts.pair);
  ref array = indexed(&layouts.refs, 200);
  ref next = object(&layouts.pair);
  ref nothing = object(&layouts.empty);
  words(array)[7] = next;
  words(array)[8] = array;
  words(next)[2] = 77;
  roots[0] = array + 64;   /* the word before is a reference, to an object that moves */
  roots[1] = array + 1600; /* one past the end: the header of `next` */
  roots[2] = array + 13;
  roots[3] = next + 24; /* the header of `nothing` */
  roots[4] = nothing;
  roots[5] = array;
  roots[6] = (ref)buffer + 8; /* just past all that there is */
  for (int i = 0; i < 5; i++) {
    run(0, move_all);
    assert_int_not_equal(roots[5], array);
    array = roots[5];
    next = words(array)[7];
    assert_int_equal(roots[0], array + 64);
    assert_int_equal(roots[1], array + 1600);
    assert_int_equal(roots[2], array + 13);
    assert_int_equal(roots[3], next + 24);
    assert_int_equal(words(roots[4])[-1], (uintptr_t)&layouts.empty);
    assert_int_equal(roots[6], roots[4]);
    assert_int_equal(words(array)[8], array);
    assert_int_equal(words(next)[2], 77);
  }
}

static void interior_roots(void **state)
{
  (void)state;
  roots_into_objects(false);
}

static void interior_roots_in_stress_mode(void **state)
{
  (void)state;
  roots_into_objects(true);
}

/* A list that fills the heap again and again: the heap is [4 MB, 64 MB]. */
static void grows_and_is_bounded(void **state)
{
  size_t length = 0;

  (void)state;
  memset(roots, 0, sizeof roots);
  for (;; length++) {
    ref pair = object(&layouts.pair);
    if (pair == 0) {
      run(32, false);
      if ((pair = object(&layouts.pair)) == 0)
        break;
    }
    words(pair)[0] = roots[0];
    words(pair)[2] = length;
    roots[0] = pair;
  }
  /* All but the garbage of nothing: 32 bytes an object. */
  assert_in_range(length, (64 << 20) / 32 - 2, (64 << 20) / 32);
  for (ref r = roots[0]; r != 0; r = words(r)[0])
    assert_int_equal(words(r)[2], --length);
  roots[0] = 0;
  run(48 << 20, false);
  assert_true((roots[0] = indexed(&layouts.bytes, (48 << 20) - 64)) != 0);
  memset(words(roots[0]), 0x5a, (48 << 20) - 64);
  run(0, false);
  assert_int_equal(((unsigned char *)roots[0])[(48 << 20) - 65], 0x5a);
  assert_int_equal(collector->grow(&cairn_mutator, 32 << 20), CAIRN_E_MEMORY);
  roots[0] = 0;
  run(0, false);
  assert_int_equal(collector->grow(&cairn_mutator, 60 << 20), CAIRN_OK);
  assert_true((roots[0] = indexed(&layouts.bytes, 59 << 20)) != 0);
  roots[0] = 0;
  run(0, false);
}

/* How much the only mutator may allocate after a collection that kept `live` bytes. */
static size_t room_after(size_t live, size_t bytes_needed)
{
  uintptr_t end;

  roots[0] = live != 0 ? indexed(&layouts.bytes, live - 16) : 0;
  assert_true(live == 0 || roots[0] != 0);
  run(bytes_needed, false);
  uintptr_t start = cairn_buffer_take(&cairn_mutator, &end);
  cairn_buffer_give(&cairn_mutator, start, end);
  return end - start;
}

/* Where little survives the capacity is small, so that both spaces stay in the cache, but large
 * enough that copying takes a small part of the time: the heap begins with 4 MB. */
static void is_small_where_little_survives(void **state)
{
  (void)state;
  memset(roots, 0, sizeof roots);
  assert_int_equal(room_after(0, 0), 512 << 10);
  assert_int_equal(room_after(16 << 10, 0), (512 - 16) << 10);
  assert_int_equal(room_after(100 << 10, 0), 15 * (100 << 10));
  assert_int_equal(room_after(1 << 20, 0), 3 << 20);
  assert_int_equal(room_after(2 << 20, 0), 6 << 20);
  assert_int_equal(room_after(0, 64 << 10), 16 * (64 << 10)); /* room for several such blocks */
  assert_int_equal(room_after(0, 5 << 20), 5 << 20);
  assert_int_equal(room_after(0, 0), 512 << 10);
}

/* The root that must be found to be none. */
static ref bad_root;

static void collect_bad_root(void)
{
  roots[7] = bad_root;
  run(0, true);
}

static void bad_root_aborts(ref bad, const char *message)
{
  bad_root = bad;
  aborts(collect_bad_root, message);
}

/* With assertions the validator sees a damaged block before a root leads to it. */
static const char *with_assertions(const char *validator, const char *collection)
{
#ifdef NDEBUG
  (void)validator;
  return collection;
#else
  (void)collection;
  return validator;
#endif
}

static void damage_is_found(void **state)
{
  (void)state;
  memset(roots, 0, sizeof roots);
  roots[0] = object(&layouts.pair);
  roots[1] = indexed(&layouts.bytes, 8);
  words(roots[0])[0] = roots[1] + 8;
  bad_root_aborts(0, "is not the start of an object: its header is no layout");
  words(roots[0])[0] = roots[1] + 1;
  bad_root_aborts(0, "is not the start of an object: it is not aligned");
  words(roots[0])[0] = 0;
  bad_root_aborts(roots[0] - 4, "is not the start of an object: no object reaches there");
  ref old = roots[0];
  run(0, true);
  bad_root_aborts(old, "an earlier collection moved everything away from there");
  words(roots[1])[-2] = (UINT64_C(1) << 40) | 1;
  bad_root_aborts(roots[1], with_assertions("a block does not end where one can", "it ends outside the heap"));
  words(roots[1])[-2] = 16;
  bad_root_aborts(roots[1], with_assertions("or not one of its kind", "its element count is damaged"));
}

/* How many bytes of the first `bytes` of the next buffer are to be cleared? */
static size_t to_clear(size_t bytes)
{
  assert_int_equal(collector->grow(&cairn_mutator, bytes), CAIRN_OK);
  uintptr_t from = cairn_mutator.buffer_start, zero = cairn_mutator.zeroed;

  assert_true(zero >= from);
  return zero - from < bytes ? zero - from : bytes;
}

/* Memory fresh from the system is not cleared again. Where objects were, all is. */
static void fresh_memory_is_zero(void **state)
{
  enum { BYTES = 64 << 10 };

  (void)state;
  memset(roots, 0, sizeof roots);
  assert_int_equal(to_clear(BYTES), 0);
  assert_true((roots[0] = indexed(&layouts.bytes, 2 * BYTES)) != 0);
  assert_int_equal(to_clear(BYTES), 0);
  roots[0] = 0;
  run(BYTES, false);
  run(BYTES, false);
  assert_int_equal(to_clear(BYTES), BYTES);
}

static int start(void **state)
{
  (void)state;
  cairn_image_register(&image);
  cairn_image_register(&image);
  return collector->init(4 << 20, 64 << 20) == CAIRN_OK ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fresh_memory_is_zero), /* first: there is none later */
      cmocka_unit_test(shapes),
      cmocka_unit_test(grows_and_is_bounded),
      cmocka_unit_test(is_small_where_little_survives),
      cmocka_unit_test(interior_roots),
      cmocka_unit_test(interior_roots_in_stress_mode),
      cmocka_unit_test(shapes_in_stress_mode),
      cmocka_unit_test(damage_is_found),
  };

  return cmocka_run_group_tests(tests, start, NULL);
}
