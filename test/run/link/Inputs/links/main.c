/* Prints the same numbers however it was linked. With LOADED the parts come from the shared objects
 * that the command line names, at least two; the first is loaded, unloaded and loaded again. */
#include <stdio.h>
#include "part.h"

static const struct part *part;

static long visit(ref node, ref state)
{
  ref extra = cairn_new(struct node);

  extra->value = node->value;
  long count = native_activations(); /* not the last: this activation is one of them */
  state->value += extra->value;
  return count;
}

__attribute__((noinline)) static long down(long depth, ref node)
{
  ref extra = cairn_new(struct node);

  extra->value = depth;
  long below = depth > 0 ? part->down(depth, node, down) : native_activations();
  return below + extra->value;
}

__attribute__((noinline)) static void work(const char *what)
{
  ref state = cairn_new(struct node), list = part->make(50);
  long sum = part->each(list, visit, state);

  printf("%s: each %ld, visited %ld\n", what, sum, state->value);
  list = part->two(part->one(part->reverse(list), 100), 200);
  sum = 0;
  for (ref node = list; node; node = node->next)
    sum = sum * 3 % 1000003 + node->value;
  printf("%s: hash %ld, down %ld\n", what, sum, down(20, list));
}

#ifdef LOADED
#include <dlfcn.h>

static void *load(const char *path)
{
  void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

  if (!object) {
    puts(dlerror());
    return 0;
  }
  part = ((const struct part *(*)(void))dlsym(object, "part_get"))();
  return object;
}

int main(int argc, char **argv)
{
  void *first = load(argv[1]);

  if (!first || argc < 3)
    return 1;
  work("part");
  dlclose(first);
  if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD))
    return 1;
  cairn_collect();
  first = load(argv[1]);
  const struct part *ours = part;
  void *second = load(argv[2]);
  if (!first || !second || part == ours)
    return 1;
  work("part");
  part = ours;
  dlclose(second);
  work("part");
  return 0;
}
#else
int main(void)
{
  part = part_get();
  for (int i = 0; i < 3; i++)
    work("part");
  ref list = comdat_two(comdat_one(pool_reverse(list_make(10)), 1), 2);
  return list->value == 2 && list_each(list, visit, list) > 0 ? 0 : 1;
}
#endif
