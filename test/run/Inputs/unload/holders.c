/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's own objects lead to those of a library that is unloaded: all of these are dead, or
 * led to by weak references and dead objects alone.
 *
 *   main LIBRARY MODE      a sum of the constants below
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>
#include <cairn/weak.h>

enum {
  OLD = 1,      /* the holders are old when they get objects of the library */
  COLLECT = 2,  /* collect before dlclose(), */
  COLLECTS = 4, /* and after it; else allocations will */
  KEEP = 8      /* an old object keeps one of the library's: an error */
};

struct item;
typedef struct item managed *maker(long count, void (*back)(void));
struct holder {
  struct item managed *item, *weak cairn_weak;
  struct holder managed *next;
};

static struct holder managed *dead, *live, *sink;

static void back(void)
{
}

static __attribute__((noinline)) struct holder managed *add(struct holder managed *list)
{
  struct holder managed *holder = cairn_new(struct holder);

  holder->next = list;
  return holder;
}

static __attribute__((noinline)) void fill(maker *make, int mode)
{
  for (int i = 0; i < 50; i++) {
    dead = add(dead);
    live = add(live);
  }
  if (mode & OLD)
    cairn_collect();
  for (struct holder managed *holder = dead; holder; holder = holder->next)
    holder->item = make(1, back);
  for (struct holder managed *holder = live; holder; holder = holder->next)
    holder->weak = make(1, back);
  if (mode & KEEP)
    live->item = make(1, back);
  dead = NULL;
}

static __attribute__((noinline)) void allocate(void)
{
  for (long i = 0; i < 150000; i++)
    sink = add(i % 16 != 0 ? sink : NULL);
}

int main(int count, char **arguments)
{
  int mode = count > 2 ? atoi(arguments[2]) : 0;

  for (int round = 0; round < 2; round++) {
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    fill((maker *)dlsym(library, "make"), mode);
    if (mode & COLLECT)
      cairn_collect();
    dlclose(library);
    if (mode & COLLECTS)
      cairn_collect();
    allocate();
    cairn_collect();
    for (struct holder managed *holder = live; holder; holder = holder->next)
      if (holder->weak != NULL)
        puts("a weak reference to what is gone");
  }
  puts("done");
  return 0;
}
