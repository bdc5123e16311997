#ifndef VECTOR_H
#define VECTOR_H

#include <cairn/cairn.h>

struct item;
struct vector {
  long count;
  struct items managed *items;
};
struct items {
  long room;
  struct item managed *at[];
};

struct vector managed *vector_new(void);
void vector_push(struct vector managed *vector, struct item managed *item);

#endif
