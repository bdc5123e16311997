/* SPDX-License-Identifier: Apache-2.0
 *
 * What an object costs, for bench/allocation: `objects COUNT`. Prints a line per kind: its name,
 * nanoseconds of the processor per object (the least of REPEATS), and a checksum. Objects are made
 * in lists of LENGTH, which are read once and dropped. -DMALLOC is C as usual, which frees them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef MALLOC
#define managed
#define make(type) ((type *)malloc(sizeof(type)))
#define drop(object) free(object)
#else
#include <cairn/cairn.h>
#define make(type) cairn_new(type)
#define drop(object) ((void)(object))
#endif

enum { LENGTH = 1000, REPEATS = 7 };

struct bytes16 {
  long a;
  struct bytes16 managed *next;
};
struct bytes32 {
  long a, b, c;
  struct bytes32 managed *next;
};
struct bytes64 {
  long a, b, c, d, e, f, g;
  struct bytes64 managed *next;
};

#define FILL16(o, i) ((o)->a = (i))
#define FILL32(o, i) ((o)->a = (i), (o)->b = (i) + 1, (o)->c = (i) + 2)
#define FILL64(o, i) (FILL32(o, i), (o)->d = (i) + 3, (o)->e = (i) + 4, (o)->f = (i) + 5, (o)->g = (i) + 6)

#define READ(type, list, sum) \
  for (struct type managed *at = (list), *after; at; at = after) { \
    (sum) += at->a; \
    after = at->next; \
    drop(at); \
  }

#define SINGLE(type, fill) \
  static long type(long count) \
  { \
    long sum = 0; \
    for (long i = 0; i < count;) { \
      struct type managed *list = NULL; \
      for (long n = 0; n < LENGTH; n++, i++) { \
        struct type managed *o = make(struct type); \
        fill(o, i); \
        o->next = list; \
        list = o; \
      } \
      READ(type, list, sum) \
    } \
    return sum; \
  }
SINGLE(bytes16, FILL16)
SINGLE(bytes32, FILL32)
SINGLE(bytes64, FILL64)

static long two(long count)
{
  long sum = 0;

  for (long i = 0; i < count;) {
    struct bytes16 managed *list = NULL;
    for (long n = 0; n < LENGTH; n += 2, i += 2) {
      struct bytes16 managed *first = make(struct bytes16), *second = make(struct bytes16);
      FILL16(first, i);
      FILL16(second, i + 1);
      first->next = list;
      second->next = first;
      list = second;
    }
    READ(bytes16, list, sum)
  }
  return sum;
}

static long dies(long count)
{
  long sum = 0;

  for (long i = 0; i < count; i++) {
    struct bytes16 managed *o = make(struct bytes16);
    FILL16(o, sum ^ i);
    o->next = NULL;
    sum += o->a;
    drop(o);
  }
  return sum;
}

static double seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    long (*run)(long);
  } kinds[] = {{"bytes16", bytes16}, {"bytes32", bytes32}, {"bytes64", bytes64}, {"two", two}, {"dies", dies}};
  long count = argc > 1 ? atol(argv[1]) : 10000000;

  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double least = 1e9;
    long sum = 0;
    for (int r = 0; r < REPEATS; r++) {
      double start = seconds();
      sum = kinds[k].run(count);
      double took = seconds() - start;
      least = took < least ? took : least;
    }
    printf("%s %.3f %ld\n", kinds[k].name, least * 1e9 / (double)count, sum);
  }
  return 0;
}
