/* SPDX-License-Identifier: Apache-2.0
 *
 * Far below the leaf is an activation with a word of the language's own, to which the leaf writes. What
 * would go wrong: young collections stop at a barrier above it, and the object that the word leads to is
 * gone; or the word is shown as a plain reference, which it is not.
 */
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %root/examples/collectors/generational.c -o %t.o
// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %S/Inputs/young_user_roots.c -o %t.native.o
// RUN: %cairn-cc -O2 -I%root/include %s %t.native.o %t.o -o %t
// RUN: env GENERATIONAL_FULL=1000000 %t | FileCheck %s
// RUN: env CAIRN_STRESS=1 CAIRN_VERIFY=frames %t | FileCheck %s
// CHECK: 46141
#include <stdio.h>
#include <cairn/roots.h>
#include <cairn/stack.h>

struct cell {
  long value;
};
typedef struct cell managed *ref;

cairn_leaf void word_set(unsigned long *word, ref reference);
cairn_leaf ref word_get(const unsigned long *word);

static __attribute__((noinline)) ref cell(long value)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  return c;
}

static __attribute__((noinline)) long down(long n, unsigned long *word)
{
  ref mine = cell(n);
  long sum = 0;

  if (n > 0)
    return down(n - 1, word) + mine->value;
  for (long i = 0; i < 40; i++) {
    cairn_collect();
    sum += word_get(word)->value;
    word_set(word, cell(i));
  }
  return sum + mine->value;
}

int main(void)
{
  unsigned long word;

  cairn_tag_root(&word, CAIRN_ROOT_USER + 3, 9);
  word_set(&word, cell(211));
  long sum = down(300, &word);
  printf("%ld\n", sum + word_get(&word)->value);
  return 0;
}
