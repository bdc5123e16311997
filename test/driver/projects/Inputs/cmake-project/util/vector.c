#include "vector.h"

struct vector managed *vector_new(void)
{
  struct vector managed *vector = cairn_new(struct vector);

  vector->items = cairn_new_flex(struct items, 1);
  vector->items->room = 1;
  return vector;
}

void vector_push(struct vector managed *vector, struct item managed *item)
{
  if (vector->count == vector->items->room) {
    long room = 2 * vector->items->room;
    struct items managed *items = cairn_new_flex(struct items, room);
    items->room = room;
    for (long i = 0; i < vector->count; i++)
      items->at[i] = vector->items->at[i];
    vector->items = items;
  }
  vector->items->at[vector->count++] = item;
}
