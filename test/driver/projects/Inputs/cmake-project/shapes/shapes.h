#ifndef SHAPES_H
#define SHAPES_H

#include <cairn/cairn.h>

struct shape {
  long (*area)(struct shape managed *shape);
  long width, height;
};

struct group;
typedef void shape_visitor(struct shape managed *shape, void *env);

struct shape managed *shape_rectangle(long width, long height);
struct group managed *group_new(const char *name);
void group_add(struct group managed *group, struct shape managed *shape);
long group_area(struct group managed *group);
void group_visit(struct group managed *group, shape_visitor *visit, void *env);

/* The last group that was made: a root in a shared object. */
extern struct group managed *group_last;

#endif
