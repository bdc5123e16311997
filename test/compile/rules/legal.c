// What managed C may do. A rule that refuses one of these is wrong.
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules,prepare -S %t.bc -o /dev/null 2>&1 | count 0
// RUN: clang -g -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: %cairn opt --manage-all -p rules,prepare -S %t.bc -o /dev/null 2>&1 | count 0
#include <cairn/cairn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  struct node managed *left, *right;
  long key;
};
struct shape {
  int kind;
  union { // no references
    double radius;
    struct {
      int w, h;
    } box;
  } u;
  union { // nothing but references
    struct node managed *node;
    struct shape managed *shape;
  } r;
  union { // the same reference in each, at the same place
    struct {
      long a;
      struct node managed *n;
    } x;
    struct {
      double b;
      struct node managed *m;
    } y;
    char tag; // does not reach the reference
  } z;
  int (*compare)(struct node managed *, struct node managed *);
  struct node inside[3];
  struct node managed *list[4];
  unsigned bits : 3, more : 7;
};
struct buffer {
  long length;
  char text[];
};
static struct node managed *root;
static struct {
  struct node managed *slot[8];
} table = {{NULL}};

static int by_key(struct node managed *a, struct node managed *b)
{
  return a->key < b->key ? -1 : a->key > b->key;
}

int comparisons(struct node managed *p, struct node managed *q)
{
  return !p + (p == NULL) + (p < q) + (p != q) + (p ? 1 : 2) + (p && q) + (NULL != q);
}

long differences(struct node managed *p, struct node managed *q, char managed *a, char managed *b)
{
  return (p - q) + (b - a) + (int)(p - q);
}

struct node managed *choice(int c, struct node managed *p)
{
  struct node managed *q = c ? p : NULL;
  return q ? q : (c > 1 ? p->left : root);
}

struct node by_value(struct shape managed *s, int i)
{
  struct node n = s->inside[i];
  n.key++;
  s->inside[0] = n;
  s->inside[1] = s->inside[2];
  *s = *s;
  return n;
}

struct shape managed *fields(struct node managed *n)
{
  struct shape managed *s = cairn_new(struct shape);
  s->u.radius = 1.5;
  s->u.box.w = 3;
  s->r.node = n;
  s->r.shape = s;
  s->z.x.n = n;
  s->z.tag = 1;
  s->z.y.m = s->z.x.n;
  s->compare = by_key;
  s->bits = 5;
  s->more = 100;
  s->list[2] = s->list[1];
  table.slot[s->kind] = n;
  root = n;
  return s;
}

// Interior pointers in locals, and arithmetic on them.
long interior(struct node managed *managed *v, long n)
{
  struct node managed *managed *end = v + n;
  long sum = 0;
  for (struct node managed *managed *p = v; p != end; p++)
    sum += (*p)->key;
  long managed *k = &v[0]->key;
  return sum + *k;
}

// The start of an array is the start of its object; so is the first member.
void starts(struct node managed *managed *v, struct shape managed *s)
{
  v[0] = cairn_new_array(struct node, 4) + 0;
  root = (struct node managed *)&v[0]->left;
  s->list[0] = (struct node managed *)&s->kind;
}

// Addresses of locals that hold references.
static void swap(struct node managed **a, struct node managed **b)
{
  struct node managed *t = *a;
  *a = *b;
  *b = t;
}
void locals(struct node managed *p, struct node managed *q)
{
  struct node managed *local[3] = {p, q};
  swap(&local[0], &local[2]);
  swap(&p, &q);
  root = local[1];
}

// Native memory and calls without references.
char *native(struct buffer managed *b)
{
  char *copy = malloc((size_t)b->length + 1);
  if (!copy)
    abort();
  cairn_copy_out(copy, b->text, (size_t)b->length);
  copy[b->length] = 0;
  printf("%s %ld %g\n", copy, b->length, 1.0);
  cairn_copy_in(b->text, copy, strlen(copy));
  return copy;
}

long sum(int n, ...)
{
  va_list list;
  long s = 0;
  va_start(list, n);
  while (n-- > 0)
    s += va_arg(list, long);
  va_end(list);
  return s;
}

int native_asm(struct buffer managed *b)
{
  int n = (int)b->length;
  __asm__("incl %0" : "+r"(n));
  return n;
}

long text(long n)
{
  struct buffer managed *b = cairn_new_flex(struct buffer, n, text);
  char managed *p = b->text;
  while (*p)
    p++;
  return p - b->text;
}
