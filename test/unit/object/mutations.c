/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects cut short and changed at random places (the same in every run) go through the rewriter
 * and the reader of stack maps: an error or a result, never a crash. Without arguments the subject
 * is this program's own file, whose headers, symbols and groups are read;
 * test/object/mutations.test gives real objects with stack maps.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "fuzz/exercise.h"
#include "object/elf/input.h"

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
    case 0:
      *at = (unsigned char)any(256);
      break;
    case 1:
      *at ^= (unsigned char)(1u << any(8));
      break;
    case 2:
      *at = 0xff;
      break;
    case 3:
      *at = 0;
      break;
    case 4:
      *at = (unsigned char)(*at + 1);
      break;
    }
  }
}

static void mutations(void **state)
{
  struct cn_input_file file;
  char *error;

  (void)state;
  assert_int_equal(cn_input_open(&file, subject, cn_input_is_binary, &error), 0);
  unsigned char *copy = malloc(file.size);
  for (int i = 0; i < rounds; i++) {
    memcpy(copy, file.bytes, file.size);
    /* Headers stand at the ends of the file; they are hit more often than their share. */
    if (i % 4 == 0)
      change(copy, file.size < 64 ? file.size : 64);
    else if (i % 4 == 1)
      change(copy + file.size / 2, file.size - file.size / 2);
    else
      change(copy, file.size);
    exercise_object(copy, file.size);
    exercise_stackmap_file(copy, file.size);
  }
  free(copy);
  cn_input_close(&file);
}

static void truncations(void **state)
{
  struct cn_input_file file;
  char *error;

  (void)state;
  assert_int_equal(cn_input_open(&file, subject, cn_input_is_binary, &error), 0);
  for (size_t length = 0; length < file.size; length += length < 200 ? 1 : 1 + file.size / 97) {
    assert_int_not_equal(exercise_object(file.bytes, length), 0);
    assert_int_not_equal(exercise_stackmap_file(file.bytes, length), 0);
  }
  cn_input_close(&file);
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
