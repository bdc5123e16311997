#include <stdio.h>
#include <stdlib.h>
#include "map.h"

static int by_value(const void *a, const void *b)
{
  const entry_t *x = *(entry_t *const *)a, *y = *(entry_t *const *)b;
  return x->value < y->value ? -1 : x->value > y->value;
}

static int add(entry_t *entry, void *env)
{
  *(long *)env += entry->value;
  return 0;
}

int main(void)
{
  Map *map = map_new(4);
  char key[16];
  long total = 0;
  for (int i = 0; i < 3000; i++) {
    snprintf(key, sizeof key, "k%d", i * i % 101);
    *map_at(map, key) += i;
  }
  map_visit(map, add, &total);
  entry_t **all = malloc(map->count * sizeof(*all));
  map_sorted(map, all, map->count);
  printf("%zu %ld %s\n", map->count, total, all[0]->key);
  qsort(all, map->count, sizeof *all, by_value);
  for (size_t i = 0; i < map->count; i++)
    printf("%s=%ld\n", all[i]->key, all[i]->value);
  free(all);
  map_free(map);
}
