#include "shapes.h"

static long area(struct shape managed *shape)
{
  return shape->width * shape->height;
}

struct shape managed *shape_rectangle(long width, long height)
{
  struct shape managed *shape = cairn_new(struct shape);

  shape->area = area;
  shape->width = width;
  shape->height = height;
  return shape;
}
