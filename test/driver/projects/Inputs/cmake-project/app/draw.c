#include <stdio.h>
#include <stdlib.h>
#include "shapes.h"

/* Called by the shared object, from managed code there to managed code here. */
static void count(struct shape managed *shape, void *env)
{
  long *calls = env;
  struct shape managed *garbage = shape_rectangle(shape->width, 1);

  *calls += garbage->width == shape->width;
}

int main(int argc, char **argv)
{
  long shapes = argc > 1 ? atol(argv[1]) : 3, calls = 0;
  struct group managed *group = group_new("drawing");

  for (long i = 1; i <= shapes; i++)
    group_add(group, shape_rectangle(i, i));
  cairn_collect();
  group_visit(group_last, count, &calls);
  printf("%ld shapes, area %ld, callbacks %ld\n", shapes, group_area(group), calls);
  return group != group_last;
}
