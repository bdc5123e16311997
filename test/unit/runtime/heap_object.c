/* SPDX-License-Identifier: Apache-2.0
 *
 * The header's bits, and the functions of <cairn/heap_object.h>. What would go wrong: two names
 * share a bit; the bits of a collector are read as part of the layout's address; two threads that
 * copy one object both believe that they were first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <cairn/heap_object.h>

enum { OBJECTS = 20000, THREADS = 4 };

static const struct cairn_layout plain = {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 12};

static void names_cover_the_word(void **state)
{
  static const uintptr_t names[] = {
      CAIRN_ABI_HEADER_STATE,   CAIRN_ABI_HEADER_LAYOUT, CAIRN_ABI_HEADER_AGE,  CAIRN_ABI_HEADER_PINNED,
      CAIRN_ABI_HEADER_LOGGED,  CAIRN_ABI_HEADER_HASH,   CAIRN_ABI_HEADER_MARK, CAIRN_ABI_HEADER_STATIC,
      CAIRN_ABI_HEADER_AWAITED, CAIRN_ABI_HEADER_UNUSED,
  };
  uintptr_t all = 0;

  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    assert_int_equal(all & names[i], 0);
    all |= names[i];
  }
  assert_true(all == UINTPTR_MAX);
  assert_true((CAIRN_ABI_HEADER_HASH_ASKED | CAIRN_ABI_HEADER_HASH_MOVED) == CAIRN_ABI_HEADER_HASH);
  assert_int_not_equal(CAIRN_ABI_HEADER_FORWARDED, CAIRN_ABI_HEADER_GONE);
  assert_int_equal(cairn_header_forwarded_to(CAIRN_ABI_HEADER_FORWARDED), 0);
}

/* Every single bit beside a layout's address: the layout stays, or the word is none. */
static void bits_beside_a_layout(void **state)
{
  const uintptr_t none = CAIRN_ABI_HEADER_STATE | CAIRN_ABI_HEADER_UNUSED;

  (void)state;
  for (int i = 0; i < 64; i++) {
    uintptr_t bit = (uintptr_t)1 << i, words[3] = {(uintptr_t)&plain | bit};
    if ((bit & CAIRN_ABI_HEADER_LAYOUT) == 0)
      assert_ptr_equal(cairn_object_layout((uintptr_t)(words + 1)), bit & none ? NULL : &plain);
  }
}

static void states(void **state)
{
  uintptr_t object = (uintptr_t)&plain + 40;

  (void)state;
  assert_true(cairn_header_is_forwarded(cairn_header_to(object)));
  assert_false(cairn_header_is_gone(cairn_header_to(object)));
  assert_int_equal(cairn_header_forwarded_to(cairn_header_to(object)), object);
  assert_null(cairn_header_layout(cairn_header_to(object)));
  for (uint64_t bytes = 0; bytes < UINT64_C(1) << 40; bytes = bytes * 3 / 8 * 8 + 8) {
    assert_true(cairn_header_is_gone(cairn_header_gone(bytes)));
    assert_false(cairn_header_is_forwarded(cairn_header_gone(bytes)));
    assert_true(cairn_header_gone_bytes(cairn_header_gone(bytes)) == bytes);
    assert_null(cairn_header_layout(cairn_header_gone(bytes)));
  }
}

/* ---- fields ---- */

static uintptr_t *seen[8];
static size_t seen_count;

static void see(void *env, struct cairn_slot slot)
{
  assert_ptr_equal(env, seen);
  seen[seen_count++] = slot.address;
}

/* { ref, i64 } and then elements of { i64, ref, ref }. */
static void fields(void **state)
{
  static const struct {
    struct cairn_layout layout;
    uint32_t offsets[3];
  } indexed = {{.magic = CAIRN_ABI_LAYOUT_MAGIC,
                .base_refs = 1,
                .base_size = 16,
                .elem_size = 24,
                .elem_offset = 16,
                .elem_refs = 2},
               {0, 8, 16}};
  uintptr_t words[20] = {2 << 1 | 1, (uintptr_t)&indexed};
  uintptr_t object = (uintptr_t)(words + 2);
  const int at[] = {2, 5, 6, 8, 9};
  uint64_t bytes;

  (void)state;
  cairn_object_visit(object, cairn_object_layout(object), see, seen);
  assert_int_equal(seen_count, 5);
  for (size_t i = 0; i < seen_count; i++)
    assert_ptr_equal(seen[i], &words[at[i]]);
  assert_int_equal(cairn_object_payload(object, &indexed.layout, &bytes), CAIRN_OK);
  assert_int_equal(bytes, 16 + 2 * 24);
  assert_int_equal(cairn_object_block(object, &indexed.layout), (uintptr_t)words);
  words[0] = UINTPTR_MAX;
  assert_int_equal(cairn_object_payload(object, &indexed.layout, &bytes), CAIRN_E_OVERFLOW);
  assert_int_equal(cairn_object_payload(object, &plain, &bytes), CAIRN_OK);
  assert_int_equal(bytes, 16);
  assert_int_equal(cairn_object_block(object, &plain), (uintptr_t)(words + 1));
}

/* { ref, weak } and then elements of { weak, ref }. */
static void weak_fields(void **state)
{
  static const struct {
    struct cairn_layout layout;
    uint32_t offsets[4];
  } indexed = {{.magic = CAIRN_ABI_LAYOUT_MAGIC,
                .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS,
                .base_refs = 2,
                .base_size = 16,
                .elem_size = 16,
                .elem_offset = 16,
                .elem_refs = 2},
               {0, 8 | CAIRN_ABI_LAYOUT_WEAK_OFFSET, CAIRN_ABI_LAYOUT_WEAK_OFFSET, 8}};
  uintptr_t words[20] = {2 << 1 | 1, (uintptr_t)&indexed};
  uintptr_t object = (uintptr_t)(words + 2);
  const int at[] = {2, 5, 7}, weak_at[] = {3, 4, 6};

  (void)state;
  seen_count = 0;
  cairn_object_visit(object, cairn_object_layout(object), see, seen);
  assert_int_equal(seen_count, 3);
  for (size_t i = 0; i < seen_count; i++)
    assert_ptr_equal(seen[i], &words[at[i]]);
  seen_count = 0;
  cairn_object_visit_weak(object, cairn_object_layout(object), see, seen);
  assert_int_equal(seen_count, 3);
  for (size_t i = 0; i < seen_count; i++)
    assert_ptr_equal(seen[i], &words[weak_at[i]]);
}

/* ---- threads that copy the same objects ---- */

static uintptr_t headers[OBJECTS], copies[THREADS][OBJECTS], places[THREADS][OBJECTS];
static pthread_barrier_t start;

static void *copy_all(void *which)
{
  uintptr_t *mine = which;
  size_t thread = (size_t)(mine - copies[0]) / OBJECTS;

  pthread_barrier_wait(&start);
  for (size_t i = 0; i < OBJECTS; i++) {
    uintptr_t object = (uintptr_t)(headers + i + 1);
    uintptr_t header = __atomic_load_n(cairn_object_header(object), __ATOMIC_ACQUIRE);
    mine[i] = i;
    places[thread][i] = cairn_header_is_forwarded(header) ? cairn_header_forwarded_to(header)
                                                          : cairn_object_forward(object, header, (uintptr_t)&mine[i]);
    assert_int_equal(*(uintptr_t *)places[thread][i], i);
  }
  return NULL;
}

static void many_copy(void **state)
{
  pthread_t threads[THREADS];

  (void)state;
  pthread_barrier_init(&start, NULL, THREADS);
  for (size_t i = 0; i < OBJECTS; i++)
    headers[i] = (uintptr_t)&plain;
  for (size_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, copy_all, copies[i]), 0);
  for (size_t i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (size_t t = 0; t < THREADS; t++)
    for (size_t i = 0; i < OBJECTS; i++) {
      assert_int_equal(places[t][i], places[0][i]);
      assert_int_equal(headers[i], cairn_header_to(places[0][i]));
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_cover_the_word),
      cmocka_unit_test(bits_beside_a_layout),
      cmocka_unit_test(states),
      cmocka_unit_test(fields),
      cmocka_unit_test(weak_fields),
      cmocka_unit_test(many_copy),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
