/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's malloc: blocks of all sizes keep what is written to them while others come, grow and
 * go, in several threads; addresses are aligned as asked; what cannot be had is null.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 300, ROUNDS = 30000, LARGE = 300000 };

struct block {
  unsigned char *bytes, mark;
  size_t size;
};

static size_t random_size(unsigned dice)
{
  return (dice >> 8) % (dice % 16 == 0 ? LARGE : dice % 4 ? 200 : 5000);
}

/* Does it hold its mark, as far as it reaches now? */
static bool is_whole(const struct block *b, size_t size)
{
  for (size_t i = 0; i < size; i += size / 8 + 1)
    if (b->bytes[i] != b->mark)
      return false;
  return size == 0 || b->bytes[size - 1] == b->mark;
}

static bool take(struct block *b, unsigned dice)
{
  size_t alignment = dice & 64 ? (size_t)16 << dice % 8 : 16;

  b->size = random_size(dice);
  b->mark = (unsigned char)(dice >> 20);
  b->bytes = alignment > 16 ? aligned_alloc(alignment, b->size) : malloc(b->size);
  if (!b->bytes || (uintptr_t)b->bytes % alignment || malloc_usable_size(b->bytes) < b->size)
    return false;
  memset(b->bytes, b->mark, b->size);
  return true;
}

static bool resize(struct block *b, unsigned dice)
{
  size_t size = random_size(dice), least = size < b->size ? size : b->size;
  unsigned char *bytes = realloc(b->bytes, size + 1);

  if (!bytes)
    return false;
  b->bytes = bytes;
  bool ok = is_whole(b, least);
  b->size = size;
  memset(bytes, b->mark, size);
  return ok;
}

/* Null if all was well; or the seed, which is not. */
static void *work(void *seed)
{
  struct block blocks[BLOCKS] = {0};
  unsigned dice = (unsigned)(uintptr_t)seed;

  for (int i = 0; i < ROUNDS; i++) {
    dice = dice * 1103515245 + 12345;
    struct block *b = &blocks[(dice >> 12) % BLOCKS];
    if (b->bytes && !is_whole(b, b->size))
      return seed;
    if (b->bytes && dice & 1024 && !resize(b, dice >> 3))
      return seed;
    if (!b->bytes || !(dice & 1024)) {
      free(b->bytes);
      if (!take(b, dice >> 3))
        return seed;
    }
  }
  for (int i = 0; i < BLOCKS; i++)
    free(blocks[i].bytes);
  return NULL;
}

static void keeps_blocks(void **state)
{
  pthread_t threads[2];

  (void)state;
  for (uintptr_t i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)(i + 7)), 0);
  assert_null(work((void *)3));
  for (int i = 0; i < 2; i++) {
    void *wrong;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
}

/* Sanitizers bring their own, which ends the process instead. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
enum { OWN = true };
#else
enum { OWN = false };
#endif

/* The smallest of the C library's is larger. */
static void is_the_drivers(void **state)
{
  void *small = malloc(1);

  (void)state;
  assert_true(!OWN || malloc_usable_size(small) == 8);
  free(small);
}

/* The compiler must not see that nobody can have so much. */
static volatile size_t huge = SIZE_MAX, quarter = SIZE_MAX / 4;

static void refuses_what_cannot_be_had(void **state)
{
  (void)state;
  if (!OWN)
    return;
  errno = 0;
  assert_null(malloc(huge));
  assert_int_equal(errno, ENOMEM);
  assert_null(malloc(quarter));
  assert_null(calloc(quarter, quarter));
  assert_null(aligned_alloc(64, huge - 5));
  void *none = malloc(huge - huge), *other = NULL;
  assert_non_null(none);
  assert_int_equal(posix_memalign(&other, 4096, huge), ENOMEM);
  free(none);
  free(NULL);
}

static void zeroes_what_it_takes_again(void **state)
{
  (void)state;
  for (size_t size = 1; size < 100000; size = 3 * size + 1) {
    unsigned char *dirty = malloc(size);
    memset(dirty, 255, size);
    free(dirty);
    unsigned char *zero = calloc(1, size);
    for (size_t i = 0; i < size; i++)
      assert_int_equal(zero[i], 0);
    free(zero);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_the_drivers),
      cmocka_unit_test(keeps_blocks),
      cmocka_unit_test(refuses_what_cannot_be_had),
      cmocka_unit_test(zeroes_what_it_takes_again),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
