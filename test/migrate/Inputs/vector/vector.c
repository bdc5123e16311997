#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Vectors by realloc(): of structures, of pointers, of arrays in a structure by value. */
struct point {
  double x, y;
};

struct shape {
  struct point *points;
  unsigned count, room;
};

typedef struct {
  struct shape **shapes;
  size_t count, room;
  struct shape inner;
} Drawing;

static void *check(void *memory)
{
  if (!memory)
    exit(3);
  return memory;
}

static void *resize(void *old, size_t bytes)
{
  void *memory = realloc(old, bytes);
  return check(memory);
}

static void add_point(struct shape *shape, double x, double y)
{
  struct point *points = shape->points, *last;
  if (shape->count == shape->room) {
    shape->room = shape->room ? shape->room * 2 : 1;
    points = (struct point *)resize(points, shape->room * sizeof(struct point));
    shape->points = points;
  }
  last = points + shape->count++;
  last->x = x;
  last->y = y;
}

static bool remove_point(struct shape *shape, unsigned index)
{
  if (index >= shape->count)
    return false;
  memmove(&shape->points[index], &shape->points[index + 1], (shape->count - index - 1) * sizeof *shape->points);
  shape->count--;
  return true;
}

static struct shape *add_shape(Drawing *drawing)
{
  if (drawing->count >= drawing->room)
    drawing->shapes = resize(drawing->shapes, sizeof *drawing->shapes * (drawing->room = drawing->room * 2 + 1));
  return drawing->shapes[drawing->count++] = calloc(sizeof(struct shape), 1);
}

static double (*weigh)(const struct point *point);

static double plain(const struct point *point)
{
  return point->x * point->y;
}

static double area(const struct shape *shape)
{
  double sum = 0;
  for (const struct point *p = shape->points; p < shape->points + shape->count; p++)
    sum += weigh(p);
  return sum;
}

int main(void)
{
  Drawing *drawing = calloc(1, sizeof(Drawing));
  double sum = 0;
  weigh = plain;
  for (int i = 0; i < 20; i++) {
    struct shape *shape = add_shape(drawing);
    for (int k = 0; k <= i; k++)
      add_point(shape, i, k);
    add_point(&drawing->inner, 1, i);
    remove_point(shape, 3);
  }
  for (size_t i = 0; i < drawing->count; i++)
    sum += area(drawing->shapes[i]);
  printf("%.1f %.1f %zu\n", sum, area(&drawing->inner), drawing->count);
  for (size_t i = 0; i < drawing->count; i++)
    if (drawing->shapes[i]) {
      free(drawing->shapes[i]->points);
      free(drawing->shapes[i]);
    }
  free(drawing->inner.points);
  free(drawing->shapes);
  free(drawing);
  return 0;
}
