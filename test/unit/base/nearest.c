/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest name to a mistyped word. What would go wrong: the distance counts an edit twice or not at all; a name is
 * suggested that has nothing to do with the word; a long word is read beyond the rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/nearest.h"

static size_t distance(const char *one, const char *other)
{
  return cn_edit_distance(one, strlen(one), other, strlen(other));
}

static void each_edit_counts_once(void **state)
{
  (void)state;
  assert_int_equal(distance("", ""), 0);
  assert_int_equal(distance("frames", "frames"), 0);
  assert_int_equal(distance("", "abc"), 3);
  assert_int_equal(distance("abc", ""), 3);
  assert_int_equal(distance("frmes", "frames"), 1);
  assert_int_equal(distance("frames", "frmes"), 1);
  assert_int_equal(distance("frimes", "frames"), 1);
  assert_int_equal(distance("farmes", "frames"), 1);
  assert_int_equal(distance("ab", "ba"), 1);
  assert_int_equal(distance("kitten", "sitting"), 3);
  assert_int_equal(distance("CA", "ABC"), 3); /* no byte is edited after a swap */
}

/* The same distance, by recursion over all edits. */
static size_t slow_distance(const char *one, size_t i, const char *other, size_t k)
{
  size_t best, next;

  if (i == 0 || k == 0)
    return i + k;
  best = slow_distance(one, i - 1, other, k - 1) + (one[i - 1] != other[k - 1]);
  if ((next = slow_distance(one, i - 1, other, k) + 1) < best)
    best = next;
  if ((next = slow_distance(one, i, other, k - 1) + 1) < best)
    best = next;
  if (i > 1 && k > 1 && one[i - 1] == other[k - 2] && one[i - 2] == other[k - 1] &&
      (next = slow_distance(one, i - 2, other, k - 2) + 1) < best)
    best = next;
  return best;
}

static void random_words(void **state)
{
  char one[7] = "", other[7] = "";

  (void)state;
  srand(11);
  for (size_t n = 0; n < 2000; n++) {
    size_t one_length = (size_t)rand() % 7, other_length = (size_t)rand() % 7;
    for (size_t i = 0; i < 6; i++) {
      one[i] = (char)('a' + rand() % 3);
      other[i] = (char)('a' + rand() % 3);
    }
    assert_int_equal(cn_edit_distance(one, one_length, other, other_length),
                     slow_distance(one, one_length, other, other_length));
  }
}

static const char *nearest(const char *word)
{
  static const char *const names[] = {"opt", "verify", "stackmap", "frames", "size", "heap", "layouts", "layout="};
  struct cn_nearest found = cn_nearest_to(word, strlen(word));

  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    cn_nearest_offer(&found, names[i], strcspn(names[i], "="));
  return found.name;
}

static void names(void **state)
{
  char longest[CN_NEAREST_MAX_BYTES + 2];

  (void)state;
  assert_string_equal(nearest("frmes"), "frames");
  assert_string_equal(nearest("farmes"), "frames");
  assert_string_equal(nearest("ot"), "opt");
  assert_string_equal(nearest("stack-map"), "stackmap");
  assert_string_equal(nearest("layotu"), "layout="); /* the value's mark does not count */
  assert_string_equal(nearest("layouts"), "layouts");
  assert_string_equal(nearest("frame2x"), "frames"); /* two edits of seven letters are near */
  assert_null(nearest("framing"));                   /* three are not */
  assert_null(nearest("frobnicate"));
  assert_string_equal(nearest("help"), "heap");
  assert_null(nearest("status"));
  assert_null(nearest("x"));
  assert_null(nearest(""));
  memset(longest, 'a', sizeof longest);
  longest[sizeof longest - 1] = 0;
  assert_null(nearest(longest));
  struct cn_nearest same = cn_nearest_to(longest, CN_NEAREST_MAX_BYTES);
  cn_nearest_offer(&same, longest, CN_NEAREST_MAX_BYTES + 1);
  assert_null(same.name);
  cn_nearest_offer(&same, longest, CN_NEAREST_MAX_BYTES);
  assert_ptr_equal(same.name, longest);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_edit_counts_once),
      cmocka_unit_test(random_words),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
