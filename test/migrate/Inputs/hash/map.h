#ifndef MAP_H
#define MAP_H

#include <stddef.h>

/* A map from words to numbers, with chains. */
typedef struct entry {
  struct entry *next;
  unsigned long hash;
  long value;
  char key[]; /* flexible */
} entry_t;

typedef struct {
  entry_t **slots;
  size_t room, count;
} Map;

typedef int (*visitor)(entry_t *entry, void *env);

Map *map_new(size_t room);
long *map_at(Map *map, const char *key);
int map_visit(const Map *map, visitor visit, void *env);
entry_t *map_sorted(Map *map, entry_t *out[], size_t room);
void map_free(Map *map);

#endif
