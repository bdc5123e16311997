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

/* An ephemeron whose key is of the library, with a value of the program. */
struct cairn_ephemeron entry {
  struct item managed *key cairn_weak;
  struct holder managed *value;
};
static struct entry managed *entry;

static void back(void)
{
}

static void check_weak_references(const char *when)
{
  int any = entry->key != NULL || entry->value != NULL;

  for (struct holder managed *holder = live; holder != NULL; holder = holder->next)
    any |= holder->weak != NULL;
  if (any)
    printf("a weak reference to what is gone, %s\n", when);
}

static __attribute__((noinline)) struct holder managed *add(struct holder managed *list)
{
  struct holder managed *holder = cairn_new(struct holder);

  holder->next = list;
  return holder;
}

static __attribute__((noinline)) void fill(maker *make, int mode)
{
  entry = cairn_new(struct entry);
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
  entry->key = live->weak;
  entry->value = live;
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
    check_weak_references("after dlclose()");
    if (mode & COLLECTS)
      cairn_collect();
    allocate();
    cairn_collect();
    check_weak_references("after a collection");
  }
  puts("done");
  return 0;
}
