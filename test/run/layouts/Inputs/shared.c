/* Three modules make cells of a shared layout: a list of cells, and arrays of cells that refer to the list. Prints the
 * number of layouts that the cells have. The second and the third module may be libraries, which are closed before the
 * last collections. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *cons(long value, struct cell managed *next);
typedef struct cell managed *array(long count);
cons cons_a;
array array_a;
#ifndef LIBRARIES
cons cons_b, cons_c;
array array_b, array_c;
#endif

static struct cell managed *list, *arrays[3];

static void *library(int argc, char **argv, int number)
{
  void *opened = number < argc ? dlopen(argv[number], RTLD_NOW | RTLD_LOCAL) : NULL;

  if (!opened) {
    puts(dlerror());
    exit(2);
  }
  return opened;
}

static void fill(cons *const functions[3], array *const makers[3])
{
  for (long i = 0; i < 300; i++)
    list = functions[i % 3](i, list);
  for (int i = 0; i < 3; i++) {
    arrays[i] = makers[i](4);
    arrays[i][4].next = list;
    arrays[i][4].value = i;
  }
}

struct layouts {
  const struct cairn_layout *cells, *arrays;
  long count, array_count, others;
};

cairn_unmanaged static void look(void *env, const struct cairn_heap_object *object)
{
  struct layouts *l = env;
  char type[100];

  if (!object->layout)
    return;
  cairn_layout_type(object->layout, type, sizeof type);
  l->count += object->layout == l->cells;
  l->array_count += object->layout == l->arrays;
  l->others += strncmp(type, "cons cell", 9) == 0 && object->layout != l->cells && object->layout != l->arrays;
}

static void check(void)
{
  struct layouts l = {.cells = cairn_layout_find("cell.layout"), .arrays = cairn_layout_find("cell.layout[]")};
  char place[100];
  long sum = 0;

  cairn_collect();
  for (struct cell managed *c = list; c; c = c->next)
    sum += c->value;
  for (int i = 0; i < 3; i++)
    sum += arrays[i][4].value + (arrays[i][4].next == list);
  cairn_heap_walk(look, &l);
  cairn_layout_place(l.cells, 8, place, sizeof place);
  printf("sum %ld, cells %ld, arrays %ld, others %ld, %s\n", sum, l.count, l.array_count, l.others, place);
}

int main(int argc, char **argv)
{
#ifdef LIBRARIES
  void *b = library(argc, argv, 1), *c = library(argc, argv, 2);
  cons *functions[] = {cons_a, (cons *)dlsym(b, "cons_b"), (cons *)dlsym(c, "cons_c")};
  array *makers[] = {array_a, (array *)dlsym(b, "array_b"), (array *)dlsym(c, "array_c")};
#else
  cons *functions[] = {cons_a, cons_b, cons_c};
  array *makers[] = {array_a, array_b, array_c};
  (void)argc, (void)argv, (void)library;
#endif
  fill(functions, makers);
  check();
#ifdef LIBRARIES
  dlclose(b);
  dlclose(c);
#endif
  check();
  check();
  return 0;
}
