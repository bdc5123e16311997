/* SPDX-License-Identifier: Apache-2.0
 *
 * Libraries are unloaded while their objects are garbage in the heap, others come to lie where they
 * were, and collections meet references into the middle of objects, whose starts are found by a
 * walk over the heap, garbage and all.
 *
 *   main LIBRARY LIBRARY [keep]      keep: an object outlives its library, which is wrong
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct own {
  struct own managed *next;
  long data[6];
};
struct item;
typedef struct item managed *maker(long count, void (*back)(void));

static struct item managed *kept;
static struct own managed *own;

/* `at` is a base here: nothing tells that it is no object's start. */
static __attribute__((noinline)) long collect_with(long managed *at)
{
  cairn_new(struct own);
  cairn_collect();
  return *at;
}

static void back(void)
{
  if (collect_with(&own->data[3]) != 77)
    abort();
}

static void *load(const char *path, maker **make)
{
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  if (!library) {
    puts(dlerror());
    exit(2);
  }
  *make = (maker *)dlsym(library, "make");
  return library;
}

int main(int argc, char **argv)
{
  long sum = 0;

  own = cairn_new(struct own);
  own->data[3] = 77;
  for (int round = 0; round < 40; round++) {
    maker *make, *other;
    void *first = load(argv[1 + round % 2], &make), *second = NULL;
    sum += make(20, back) != NULL;
    if (round % 4 == 1) {
      second = load(argv[2 - round % 2], &other);
      sum += other(3, back) != NULL;
    }
    if (argc > 3)
      kept = make(1, back);
    dlclose(first);
    sum += collect_with(&own->data[3]);
    if (second) {
      sum += other(5, back) != NULL;
      dlclose(second);
    }
  }
  printf("%ld\n", sum);
  return 0;
}
