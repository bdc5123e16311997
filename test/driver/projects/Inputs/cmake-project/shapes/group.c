#include <stddef.h>
#include "shapes.h"
#include "vector.h"

/* In a vector that knows only items. */
struct item {
  struct shape managed *shape;
};

struct group {
  const char *name;
  struct vector managed *members;
};

struct group managed *group_last;

struct group managed *group_new(const char *name)
{
  struct group managed *group = cairn_new(struct group);

  group->name = name;
  group->members = vector_new();
  group_last = group;
  return group;
}

void group_add(struct group managed *group, struct shape managed *shape)
{
  struct item managed *item = cairn_new(struct item);

  item->shape = shape;
  vector_push(group->members, item);
}

long group_area(struct group managed *group)
{
  long total = 0;

  for (long i = 0; i < group->members->count; i++) {
    struct shape managed *shape = group->members->items->at[i]->shape;
    total += shape->area(shape);
  }
  return total;
}

void group_visit(struct group managed *group, shape_visitor *visit, void *env)
{
  for (long i = 0; i < group->members->count; i++)
    visit(group->members->items->at[i]->shape, env);
}
