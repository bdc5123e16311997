#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A tagged union that shares the place of a reference with numbers. */
typedef struct value value;
struct value {
  enum { NUMBER, REAL, PAIR, TEXT } kind;
  union {
    long number;
    double real;
    value *first;
    const char *text;
  } as;
  value *rest;
};

/* A union without a name, with a struct that leaves it. */
typedef struct shape {
  int kind;
  union {
    double radius;
    /* the corners */
    struct { struct shape *from, *to; } line;
    int sides;
  };
} shape;

/* The program takes the address of a member: an ordinary union, and ordinary memory. */
struct held {
  union {
    struct held *next;
    long number;
  };
};

static value *number(long n)
{
  value *v = malloc(sizeof *v);
  v->kind = NUMBER;
  v->as.number = n;
  v->rest = NULL;
  return v;
}

static value *pair(value *first, value *rest)
{
  value *v = calloc(1, sizeof(value));
  *v = (value){.kind = PAIR, .as.first = first, .rest = rest};
  return v;
}

static double sum(const value *v)
{
  double total = 0;
  for (; v; v = v->rest)
    switch (v->kind) {
    case NUMBER: total += (double)v->as.number; break;
    case REAL: total += v->as.real; break;
    case PAIR: total += sum(v->as.first); break;
    default: total += v->as.text[0];
    }
  return total;
}

static shape *circle(double radius)
{
  shape *s = malloc(sizeof(shape));
  s->kind = 0;
  s->radius = radius;
  return s;
}

static shape *line(shape *from, shape *to)
{
  shape *s = malloc(sizeof(shape));
  s->kind = 1;
  s->line.from = from;
  s->line.to = to;
  return s;
}

static double size(shape *s)
{
  return s->kind == 2 ? s->sides : s->kind ? size(s->line.from) + size(s->line.to) : s->radius;
}

static void set(long *at, long n)
{
  *at = n;
}

int main(void)
{
  value *list = pair(number(1), pair(number(2), number(3)));
  list->rest->rest->kind = REAL;
  list->rest->rest->as.real = 0.5;
  value *text = number(0);
  text->kind = TEXT;
  text->as.text = "a";
  shape *odd = circle(1);
  odd->kind = 2;
  odd->sides = 5;
  struct held *other = malloc(sizeof *other), *held = malloc(sizeof *held);
  held->next = other;
  set(&held->next->number, 7);
  printf("%g %g %g ", sum(list), sum(pair(text, list)), size(line(circle(2), line(odd, circle(3)))));
  printf("%ld\n", other->number);
  free(other);
  free(held);
  return 0;
}
