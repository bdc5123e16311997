#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEW(type) ((type *)malloc(sizeof(type)))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct edge;
typedef struct vertex {
  int id, distance;
  struct edge **edges;
  int degree, room;
  struct vertex *previous;
} Vertex, *VertexPtr;

struct edge {
  VertexPtr from, to;
  int weight;
};

struct graph {
  VertexPtr *vertices;
  int count;
  void *user;
};

static struct graph *graph;
static VertexPtr queue[256];

static VertexPtr vertex_new(int id)
{
  VertexPtr v = malloc(sizeof(Vertex));
  memset(v, 0, sizeof *v);
  v->id = id;
  v->distance = 1 << 20;
  return v;
}

static void connect(VertexPtr a, VertexPtr b, int weight)
{
  struct edge *e = malloc(sizeof(struct edge));
  *e = (struct edge){.from = a, .to = b, weight};
  if (a->degree == a->room) {
    a->room = MAX(4, 2 * a->room);
    struct edge **bigger = realloc(a->edges, sizeof(struct edge *) * (size_t)a->room);
    if (!bigger)
      abort();
    a->edges = bigger;
  }
  a->edges[a->degree++] = e;
}

static int shortest(VertexPtr from)
{
  int head = 0, tail = 0, total = 0;
  from->distance = 0;
  queue[tail++] = from;
  while (head != tail) {
    VertexPtr v = queue[head++ & 255];
    for (int i = 0; i < v->degree; i++) {
      struct edge *e = v->edges[i], *best = NULL;
      if (v->distance + e->weight < e->to->distance) {
        best = e;
        e->to->distance = v->distance + best->weight;
        e->to->previous = v;
        queue[tail++ & 255] = e->to;
      }
    }
    head &= 255;
    tail &= 255;
  }
  for (VertexPtr *p = graph->vertices, *end = p + graph->count; p != end; ++p)
    total += (*p)->distance;
  return total;
}

int main(int argc, char *argv[])
{
  int n = argc > 1 ? atoi(argv[1]) : 60, *degrees = calloc(n, sizeof *degrees);
  graph = calloc(1, sizeof *graph);
  graph->count = n;
  graph->vertices = malloc(n * sizeof(VertexPtr));
  for (int i = 0; i < n; i++)
    graph->vertices[i] = vertex_new(i);
  for (int i = 0; i < 5 * n; i++)
    connect(graph->vertices[i % n], graph->vertices[(i * 7 + 3) % n], 1 + i % 11);
  graph->user = degrees;
  for (int i = 0; i < n; i++)
    ((int *)graph->user)[i] = graph->vertices[i]->degree;
  printf("%d %d\n", shortest(graph->vertices[0]), degrees[n - 1]);
  for (VertexPtr v = graph->vertices[n - 1]; v; v = v->previous)
    printf("%d ", v->id);
  puts("");
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < graph->vertices[i]->degree; k++)
      free(graph->vertices[i]->edges[k]);
    free(graph->vertices[i]->edges);
    free(graph->vertices[i]);
  }
  free(graph->vertices);
  free(graph);
  free(degrees);
}
