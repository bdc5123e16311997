/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects cut short and changed at random places (the same in every run) go through the rewriter
 * and the reader of stack maps: an error or a result, never a crash. Without arguments the subject is this program's own file,
 * whose headers, symbols and groups are read; test/object/mutations.test gives real objects with
 * stack maps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "fuzz/exercise.h"
#include "object/elf_file.h"

static const char *subject = "/proc/self/exe";
static int rounds = 40; /* large files take long to copy */

static uint64_t seed = 88172645463325252;

static uint64_t any(uint64_t below)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (seed >> 11) % below;
}

/* Change one to four places to a random, extreme or slightly different value. */
static void change(unsigned char *bytes, size_t size)
{
  for (uint64_t i = 1 + any(4); i > 0; i--) {
    unsigned char *at = bytes + any(size);
    switch (any(5)) {
    case 0: *at = (unsigned char)any(256); break;
    case 1: *at ^= (unsigned char)(1u << any(8)); break;
    case 2: *at = 0xff; break;
    case 3: *at = 0; break;
    case 4: *at = (unsigned char)(*at + 1); break;
    }
  }
}

static void mutations(void **state)
{
  void *bytes = NULL;
  size_t size;
  char *error;

  (void)state;
  assert_int_equal(cn_file_read(subject, &bytes, &size, &error), 0);
  unsigned char *copy = malloc(size);
  for (int i = 0; i < rounds; i++) {
    memcpy(copy, bytes, size);
    /* Headers stand at the ends of the file; they are hit more often than their share. */
    if (i % 4 == 0)
      change(copy, size < 64 ? size : 64);
    else if (i % 4 == 1)
      change(copy + size / 2, size - size / 2);
    else
      change(copy, size);
    exercise_object(copy, size);
    exercise_stackmap_file(copy, size);
  }
  free(copy);
  free(bytes);
}

static void truncations(void **state)
{
  void *bytes = NULL;
  size_t size;
  char *error;

  (void)state;
  assert_int_equal(cn_file_read(subject, &bytes, &size, &error), 0);
  for (size_t length = 0; length < size; length += length < 200 ? 1 : 1 + size / 97) {
      assert_int_not_equal(exercise_object(bytes, length), 0);
      assert_int_not_equal(exercise_stackmap_file(bytes, length), 0);
    }
  free(bytes);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(mutations), cmocka_unit_test(truncations)};

  if (argc > 1) {
    subject = argv[1];
    rounds = argc > 2 ? atoi(argv[2]) : 1000;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
