#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW(type) ((type *)malloc(sizeof(type)))
#define FREE(p) do { free(p); (p) = NULL; } while (0)

struct good { int n; struct good *next; };
struct argument { int n; struct argument *next; };
struct by_macro { int n; };
struct freed_by_macro { int n; };
struct hashed { int n; };
struct native { int n; };
struct held { int n; };
struct holder { struct held *held; };
union either { struct good2 *g; long n; };
struct good2 { int n; };
struct tail { int n; char text[1]; };
struct shown { int n; };

static void *worker(void *env)
{
  struct native *n = env;
  n->n++;
  return NULL;
}

static int total(const struct argument *s)
{
  int sum = 0;
  for (; s; s = s->next)
    sum += s->n;
  return sum;
}

static int add(struct argument first)
{
  struct argument *second = malloc(sizeof *second);
  int sum;
  second->n = 2;
  second->next = &first;
  sum = total(second);
  free(second);
  return sum;
}

static struct good *good_list(int n)
{
  struct good *list = NULL;
  while (n-- > 0) {
    struct good *g = malloc(sizeof *g);
    g->n = n;
    g->next = list;
    list = g;
  }
  return list;
}

int main(void)
{
  struct by_macro *b = NEW(struct by_macro);
  b->n = 3;
  struct freed_by_macro *f = malloc(sizeof *f);
  f->n = 4;
  struct hashed *h = malloc(sizeof *h);
  h->n = ((uintptr_t)h & 1) + 5;
  struct native *n = malloc(sizeof *n);
  n->n = 6;
  pthread_t thread;
  pthread_create(&thread, NULL, worker, n);
  pthread_join(thread, NULL);
  union either e;
  e.g = malloc(sizeof *e.g);
  e.g->n = 8;
  struct tail *t = malloc(sizeof *t + 10);
  strcpy(t->text, "tail");
  struct shown *s = malloc(sizeof *s);
  s->n = 9;
  if (!s)
    printf("%p\n", (void *)s);
  int *raw = malloc(400);
  raw[0] = 10;
  struct good *good = good_list(4);
  struct holder *holder = malloc(128);
  holder->held = malloc(sizeof *holder->held);
  holder->held->n = good->n;
  printf("%d %d %d %d %d %d %s %d %d %d\n", add((struct argument){1, NULL}), b->n, f->n, h->n, n->n, e.g->n, t->text,
         s->n, raw[0], good->next->n + holder->held->n);
  if (b) free(b), b = NULL;
  FREE(f);
  free(h);
  free(n);
  free(e.g);
  free(t);
  free(s);
  free(holder->held);
  free(holder);
  free(raw);
  return 0;
}
