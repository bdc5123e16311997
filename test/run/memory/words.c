// RUN: clang -Wall -Wextra -Werror -O2 -I%root/include -c %S/Inputs/words.c -o %t.o
// RUN: for o in 0 1 2 3; do %cairn-cc -O$o -I%root/include %s %t.o -o %t && \
// RUN:   %t | FileCheck %s && env CAIRN_STRESS=1 %t | FileCheck %s || exit 1; done
// RUN: %cairn-cc -O2 -fcairn-safepoints=early -I%root/include %s %t.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-safepoints=none -I%root/include %s %t.o -o %t && %t | FileCheck %s
// RUN: %cairn-cc -O2 -flto -fuse-ld=lld -I%root/include %s %t.o -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: llvm-objdump -d %t | FileCheck --check-prefix=LEAVES %s
// LEAVES-NOT: {{call|bl}}{{.*}}<cairn.call.{{word_of|ref_of}}>
// LEAVES: {{call|bl}}{{.*}}<ref_of>
// RUN: clang -w -DCAIRN_PLAIN -O2 -I%root/include -c %S/Inputs/words.c -o %t.plain.o
// RUN: clang -w -DCAIRN_PLAIN -O2 -I%root/include %s %t.plain.o -o %t && %t | FileCheck %s
// Words of the language's own that are ordinary variables: read, written, copied and handed on without volatile, by
// leaves that promise what they can. Wrong: a word that stays in a register over a poll or an allocation, where
// the collector does not find it; a word made before a safepoint that is taken for one made after it.
// CHECK: 42 5150 50000 30000 7 66 3 10
#include <cairn/roots.h>
#include <cairn/stack.h>
#include <stdio.h>

struct cell {
  long value;
};
typedef struct cell managed *ref;

__attribute__((const)) cairn_leaf unsigned long word_of(ref r);
__attribute__((const)) cairn_leaf ref ref_of(unsigned long word);
#define OWN(word) cairn_tag_root(&(word), CAIRN_ROOT_USER + 1, 2)

static ref cell(long value)
{
  ref c = cairn_new(struct cell);

  c->value = value;
  return c;
}

__attribute__((noinline)) static long straight(void)
{
  unsigned long word;

  OWN(word);
  word = word_of(cell(42));
  cairn_collect();
  return ref_of(word)->value;
}

/* Allocations only. */
__attribute__((noinline)) static long allocating(long n)
{
  unsigned long word;
  long sum = 0;

  OWN(word);
  word = word_of(cell(1));
  for (long i = 0; i < n; i++) {
    word = word_of(cell(ref_of(word)->value + 1));
    sum += ref_of(word)->value;
  }
  return sum;
}

/* Polls only. */
__attribute__((noinline)) static long polling(long n)
{
  unsigned long word;
  volatile long sink = 0;
  long sum = 0;

  OWN(word);
  word = word_of(cell(5));
  for (long i = 0; i < n; i++) {
    sink = i;
    sum += ref_of(word)->value;
  }
  return sum + sink * 0;
}

/* Through the address, in a function that is inlined nowhere. */
__attribute__((noinline)) static long sum_of(const unsigned long *word, long n)
{
  volatile long sink = 0;
  long sum = 0;

  for (long i = 0; i < n; i++) {
    sink = i;
    sum += ref_of(*word)->value;
  }
  return sum + sink * 0;
}

__attribute__((noinline)) static long by_address(long n)
{
  unsigned long word;

  OWN(word);
  word = word_of(cell(3));
  return sum_of(&word, n);
}

/* One reference made a word twice. */
__attribute__((noinline)) static long twice(void)
{
  unsigned long first, second;
  ref r = cell(7);

  OWN(first);
  first = word_of(r);
  cairn_collect();
  OWN(second);
  second = word_of(r);
  cairn_collect();
  return first == second ? ref_of(second)->value : -1;
}

/* Words of an array and of a struct, copied as wholes. */
struct frame {
  unsigned long words[3];
  long other;
};

__attribute__((noinline)) static long frames(void)
{
  struct frame a = {{0}, 0}, b = {{0}, 0};
  long sum = 0;

  for (int i = 0; i < 3; i++)
    a.words[i] = b.words[i] = 0;
  OWN(a.words[0]);
  OWN(a.words[1]);
  OWN(a.words[2]);
  OWN(b.words[0]);
  OWN(b.words[1]);
  OWN(b.words[2]);
  for (int i = 0; i < 3; i++)
    a.words[i] = word_of(cell(11 * (i + 1)));
  b = a;
  cairn_collect();
  for (int i = 0; i < 3; i++)
    sum += ref_of(b.words[i])->value;
  return sum;
}

/* Written in a loop that polls, read after it. */
__attribute__((noinline)) static long last(long n)
{
  unsigned long word;
  ref cells[4];

  OWN(word);
  for (long i = 0; i < 4; i++)
    cells[i] = cell(i);
  for (long i = 0; i < n; i++)
    word = word_of(cells[i & 3]);
  return ref_of(word)->value;
}

/* A number in a word, which may be kept as long as one likes. */
__attribute__((noinline)) static long number(long n)
{
  unsigned long word, shifted;
  volatile long sink = 0;

  OWN(word);
  word = 0;
  shifted = word >> 1;
  for (long i = 0; i < n; i++)
    sink = i;
  return (long)shifted + sink + 1;
}

int main(void)
{
  printf("%ld %ld %ld %ld ", straight(), allocating(100), polling(10000), by_address(10000));
  printf("%ld %ld %ld %ld\n", twice(), frames(), last(10000), number(10));
  return 0;
}
