/* SPDX-License-Identifier: Apache-2.0
 *
 * Chunks of anchors. What would go wrong: a walk misses anchors of an older chunk; two stacks have
 * one chunk; threads that come and go take memory each; a stack that calls too deeply, or has no
 * memory, goes on beyond its chunk.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>
#include "runtime/core/anchors.h"
#include "runtime/core/mutator.h"

static struct cairn_mutator mutator;

/* One more, as a stub takes it. */
static const char *push(uintptr_t sp)
{
  const char *full = cn_anchors_make_room(&mutator);

  if (full == NULL)
    mutator.anchor++->sp = sp;
  return full;
}

static void pop(void)
{
  mutator.anchor = cn_anchors_youngest(mutator.anchor);
}

/* Through several chunks, down and up again, with every anchor at its place. */
static void chunks(void **state)
{
  enum { COUNT = 3 * CN_ANCHORS_PER_CHUNK + 7 };
  const struct cn_anchor *anchor, *from = NULL;

  (void)state;
  cn_anchors_make_for_mutator(&mutator);
  assert_null(cn_anchors_youngest(mutator.anchor));
  assert_int_equal(cn_anchors_count(mutator.anchor), 0);
  for (int times = 0; times < 2; times++) {
    for (size_t i = 0; i < COUNT; i++) {
      assert_int_equal(cn_anchors_count(mutator.anchor), i);
      assert_null(push(i));
      assert_null(cn_anchors_wrong(mutator.anchors, mutator.anchor));
      if (i + 1 == 2 * CN_ANCHORS_PER_CHUNK)
        from = mutator.anchor;
    }
    anchor = mutator.anchor;
    for (size_t i = COUNT; i-- > 0;) {
      bool since = cn_anchors_youngest_since(from, anchor) != NULL;
      assert_int_equal(since, i >= 2 * CN_ANCHORS_PER_CHUNK);
      assert_non_null(anchor = cn_anchors_youngest(anchor));
      assert_int_equal(anchor->sp, i);
      assert_int_equal(cn_anchors_count(anchor), i);
      assert_true(cn_anchors_contain(mutator.anchors, mutator.anchor, anchor));
    }
    assert_null(cn_anchors_youngest(anchor));
    assert_false(cn_anchors_contain(mutator.anchors, mutator.anchor, mutator.anchor));
    assert_false(cn_anchors_contain(mutator.anchors, mutator.anchor, mutator.anchors - 1));
    assert_false(cn_anchors_contain(mutator.anchors, mutator.anchor, (struct cn_anchor *)&mutator));
    for (size_t i = 0; i < COUNT; i++)
      pop();
    assert_ptr_equal(mutator.anchor, mutator.anchors);
  }
  cn_anchors_free_of_mutator(&mutator);
}

/* Many at a time have no chunk in common; and one after another they have the same few. */
static void reused(void **state)
{
  enum { STACKS = 300, TIMES = 100000 };
  static struct cn_anchor *stacks[STACKS];
  uintptr_t low = UINTPTR_MAX, high = 0;

  (void)state;
  for (int i = 0; i < STACKS; i++) {
    stacks[i] = cn_anchors_allocate();
    assert_null(cn_anchors_wrong(stacks[i], stacks[i]));
    low = (uintptr_t)stacks[i] < low ? (uintptr_t)stacks[i] : low;
    high = (uintptr_t)stacks[i] > high ? (uintptr_t)stacks[i] : high;
    for (int j = 0; j < i; j++)
      assert_ptr_not_equal(stacks[i], stacks[j]);
  }
  for (int i = 0; i < STACKS; i++)
    cn_anchors_return_chunks(stacks[i]);
  for (int i = 0; i < TIMES; i++) {
    cn_anchors_make_for_mutator(&mutator);
    assert_in_range((uintptr_t)mutator.anchors, low, high);
    for (int j = 0; j < 2; j++) { /* some call deeply */
      mutator.anchor = cn_anchors_first_of_chunk(cn_anchors_chunk_of(mutator.anchor)) + CN_ANCHORS_PER_CHUNK;
      if (i % 100 == 0)
        assert_null(cn_anchors_make_room(&mutator));
    }
    cn_anchors_free_of_mutator(&mutator);
  }
  for (int i = 0; i < STACKS; i++)
    assert_in_range((uintptr_t)(stacks[i] = cn_anchors_allocate()), low, high);
}

static void too_many(void **state)
{
  const char *full = NULL;
  size_t count = 0;

  (void)state;
  cn_anchors_make_for_mutator(&mutator);
  while (full == NULL) {
    mutator.anchor = cn_anchors_first_of_chunk(cn_anchors_chunk_of(mutator.anchor + 1)) + CN_ANCHORS_PER_CHUNK;
    count++;
    full = cn_anchors_make_room(&mutator);
  }
  assert_int_equal(count, CN_ANCHORS_MAX_CHUNKS);
  assert_string_equal(full, "too many nested calls from managed to native code");
  assert_null(cn_anchors_wrong(mutator.anchors, mutator.anchor));
  cn_anchors_free_of_mutator(&mutator);
}

/* What there is already is used up. */
static void exhausted(void **state)
{
  struct rlimit before, none = {0, 0};
  const char *full = NULL;

  (void)state;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  none.rlim_max = before.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
  while (cn_anchors_allocate() != NULL)
    continue;
  setrlimit(RLIMIT_AS, &before);
  cn_anchors_make_for_mutator(&mutator);
  setrlimit(RLIMIT_AS, &none);
  while (full == NULL) {
    mutator.anchor = cn_anchors_first_of_chunk(cn_anchors_chunk_of(mutator.anchor + 1)) + CN_ANCHORS_PER_CHUNK;
    full = cn_anchors_make_room(&mutator);
  }
  setrlimit(RLIMIT_AS, &before);
  assert_string_equal(full, "no memory for another nested call from managed to native code");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks),
      cmocka_unit_test(reused),
      cmocka_unit_test(too_many),
      cmocka_unit_test(exhausted),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
