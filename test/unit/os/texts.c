/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that read managed texts (texts.c and texts_wide.c of each machine), beside the C library's: texts of
 * all lengths that end at the last byte of readable memory, or lie anywhere before it, with limits around the length.
 * Wrong: a read beyond the page of a text, a stop that is missed between two vectors, a result that the limit should
 * hide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>
#ifdef __x86_64__
#include "runtime/arch/x86_64/texts.h"
#define WIDE(name) (__builtin_cpu_supports("avx2") ? cn_text_##name##_wide : cairn_text_##name)
#else
#define WIDE(name) cairn_text_##name
#endif

size_t cairn_text_length(const char *text, size_t limit);
int64_t cairn_text_compare(const char *a, const char *b, size_t limit);
size_t cairn_text_find(const char *text, int c, size_t limit);

enum { PAGE_BYTES = 4096, ROOM = 2 * PAGE_BYTES, LONGEST = 300, LEAST_LIMIT = 32 };

/* Two pages, and after them one that cannot be read. */
static char *make_pages(void)
{
  char *pages = mmap(NULL, ROOM + PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  assert_ptr_not_equal(pages, MAP_FAILED);
  assert_int_equal(mprotect(pages + ROOM, PAGE_BYTES, PROT_NONE), 0);
  memset(pages, '-', ROOM);
  return pages;
}

/* A text of `length` bytes, `after` bytes before the end of the pages. */
static char *put(char *pages, size_t length, size_t after)
{
  char *text = pages + ROOM - 1 - after - length;

  for (size_t i = 0; i < length; i++)
    text[i] = (char)('a' + i * 7 % 23);
  text[length] = 0;
  return text;
}

/* The functions for processors with AVX2; without it, and on other machines, the usual ones. */
static size_t wide_length(const char *text, size_t limit)
{
  return WIDE(length)(text, limit);
}

static size_t wide_find(const char *text, int c, size_t limit)
{
  return WIDE(find)(text, c, limit);
}

static int64_t wide_compare(const char *a, const char *b, size_t limit)
{
  return WIDE(compare)(a, b, limit);
}

static int sign(int64_t n)
{
  return n < 0 ? -1 : n > 0;
}

static void check_one(const char *text, size_t limit)
{
  size_t length = strlen(text), expected = length < limit ? length : SIZE_MAX;
  size_t found = cairn_text_length(text, limit), wide = wide_length(text, limit);

  assert_true(found == expected || (found == length && length <= limit));
  assert_true(wide == expected || (wide == length && length <= limit));
  for (const char *c = "aqz-"; *c; c++) {
    const char *place = memchr(text, *c, length);
    expected = place && (size_t)(place - text) < limit ? (size_t)(place - text) : length < limit ? SIZE_MAX : limit;
    found = cairn_text_find(text, *c, limit);
    assert_true(found == expected || (limit < LEAST_LIMIT && expected == limit));
    assert_int_equal(wide_find(text, *c, limit), expected);
  }
  assert_int_equal(wide_find(text, 0, limit), length < limit ? length : limit);
}

static void check_two(const char *a, const char *b, size_t limit)
{
  int expected = sign(strncmp(a, b, limit));
  bool known = expected != 0 || strlen(a) < limit;
  int64_t found = cairn_text_compare(a, b, limit), wide = wide_compare(a, b, limit);

  if (known) {
    assert_int_equal(sign(found), expected);
    assert_int_equal(sign(wide), expected);
    assert_true(found > INT32_MIN && wide > INT32_MIN);
  } else {
    assert_true(wide == INT64_MIN);
    assert_true(found == INT64_MIN);
  }
}

static void texts_at_the_end(void **state)
{
  char *pages = make_pages(), *others = make_pages();

  (void)state;
  for (size_t length = 0; length < LONGEST; length++)
    for (size_t after = 0; after < 40; after += 1 + after / 8) {
      char *text = put(pages, length, after);
      check_one(text, ROOM);
      check_one(text, length + 1 > LEAST_LIMIT ? length + 1 : LEAST_LIMIT);
      check_one(text, length > LEAST_LIMIT ? length - 1 : LEAST_LIMIT);
      for (size_t other = 0; other < 3; other++) {
        char *second = put(others, length, other * 13 + 5);
        check_two(text, second, ROOM);
        check_two(text, second, length > LEAST_LIMIT ? length : LEAST_LIMIT);
        second[length / (other + 1)] ^= 2;
        check_two(text, second, ROOM);
        check_two(second, text, ROOM);
      }
      memset(text, '-', length + 1);
      memset(others, '-', ROOM);
    }
  munmap(pages, ROOM + PAGE_BYTES);
  munmap(others, ROOM + PAGE_BYTES);
}

/* Texts over the boundary of two pages, whose first vectors may not be probed. */
static void texts_on_two_pages(void **state)
{
  char *pages = make_pages(), *others = make_pages();

  (void)state;
  for (size_t after = PAGE_BYTES - 140; after < PAGE_BYTES; after++)
    for (size_t length = 0; length < 200; length += 3) {
      char *text = put(pages, length, after), *second = put(others, length, PAGE_BYTES - length);
      check_one(text, 150);
      check_two(text, second, 150);
      check_two(second, text, ROOM);
      second[length / 2] = '~';
      check_two(text, second, 150);
      memset(text, '-', length + 1);
      memset(second, '-', length + 1);
    }
  munmap(pages, ROOM + PAGE_BYTES);
  munmap(others, ROOM + PAGE_BYTES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(texts_at_the_end), cmocka_unit_test(texts_on_two_pages)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
