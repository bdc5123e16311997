/* SPDX-License-Identifier: Apache-2.0
 *
 * A directed graph with weights, in intrusive lists: nodes and edges begin with their links, so one set of functions
 * serves the lists of both. Each node is in one list at a time, and moves between lists as an algorithm goes on; a list
 * is an object of its own. Computes shortest paths from the first node, and an order in which edges lead forward.
 *
 *   graph [FILE]    a line of FILE or of standard input is an edge: FROM TO WEIGHT
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/array.h>
#include <cairn/map.h>
#include <cairn/string.h>

typedef const char managed text;
typedef struct link managed link_t;
typedef struct node managed node;
typedef struct edge managed edge;
typedef struct nodes managed nodes;
typedef struct queue managed queue;

/* The links of an item of a list. A list is a link, too: that before the first item and after the last one. */
struct link {
  link_t *previous, *next;
};

struct node {
  struct link link; /* first: a link_t * to it is a node * */
  text *name;
  link_t *edges;    /* the list of the edges that begin here */
  node *from;       /* the node before this one on the shortest path */
  long distance, incoming;
};

struct edge {
  struct link link;
  node *to;
  long weight;
};

CAIRN_MAP(nodes, text *, node *, cairn_hash_text, cairn_equal_texts)

/* ---- lists ---- */

static link_t *list_new(void)
{
  link_t *list = cairn_new(link_t);

  list->previous = list->next = list;
  return list;
}

static void append(link_t *list, link_t *item)
{
  item->previous = list->previous;
  item->next = list;
  list->previous->next = item;
  list->previous = item;
}

static void move(link_t *list, link_t *item)
{
  item->previous->next = item->next;
  item->next->previous = item->previous;
  append(list, item);
}

#define EACH(type, item, list) \
  (type *item = (type *)(list)->next; (link_t *)item != (list); item = (type *)((link_t *)item)->next)

/* ---- the graph ---- */

struct graph {
  link_t *list;
  nodes *by_name;
  long edges;
};

static node *node_at(struct graph *graph, text *name)
{
  node *managed *place = nodes_at(graph->by_name, name);

  if (*place)
    return *place;
  node *n = *place = cairn_new(node);
  n->name = name;
  n->edges = list_new();
  n->distance = LONG_MAX;
  append(graph->list, (link_t *)n);
  return n;
}

static void add_edge(struct graph *graph, node *from, node *to, long weight)
{
  edge *e = cairn_new(edge);

  e->to = to;
  e->weight = weight;
  to->incoming++;
  append(from->edges, (link_t *)e);
  graph->edges++;
}

/* ---- shortest paths ---- */

/* A node and its distance when it was queued, which may be out of date. */
struct waiting {
  long distance;
  node *node;
};

CAIRN_VECTOR(queue, struct waiting);

/* The queue is a heap: an element is at most as far as the two that follow it at twice its index. */
static void enqueue(queue *q, node *n)
{
  struct waiting item = {n->distance, n};
  long at = q->length;

  cairn_push(q, item);
  for (; at > 0 && q->at[(at - 1) / 2].distance > item.distance; at = (at - 1) / 2)
    q->at[at] = q->at[(at - 1) / 2];
  q->at[at] = item;
}

static struct waiting dequeue(queue *q)
{
  struct waiting first = q->at[0], item = cairn_pop(q);
  long at = 0, next;

  if (q->length == 0)
    return first;
  while ((next = 2 * at + 1) < q->length) {
    next += next + 1 < q->length && q->at[next + 1].distance < q->at[next].distance;
    if (item.distance <= q->at[next].distance)
      break;
    q->at[at] = q->at[next];
    at = next;
  }
  q->at[at] = item;
  return first;
}

static void find_paths(node *start)
{
  queue *q = cairn_new(queue);

  start->distance = 0;
  enqueue(q, start);
  while (q->length > 0) {
    struct waiting nearest = dequeue(q);
    if (nearest.distance > nearest.node->distance)
      continue;
    for EACH(edge, e, nearest.node->edges)
      if (nearest.distance + e->weight < e->to->distance) {
        e->to->distance = nearest.distance + e->weight;
        e->to->from = nearest.node;
        enqueue(q, e->to);
      }
  }
}

/* ---- order ---- */

/* Moves nodes to `sorted` in an order in which edges lead forward. Nodes of circles, and those after them, stay. */
static void sort(struct graph *graph, link_t *sorted)
{
  link_t *ready = list_new();

  for (link_t *l = graph->list->next, *next; l != graph->list; l = next) {
    next = l->next;
    if (((node *)l)->incoming == 0)
      move(ready, l);
  }
  while (ready->next != ready) {
    node *n = (node *)ready->next;
    move(sorted, (link_t *)n);
    for EACH(edge, e, n->edges)
      if (--e->to->incoming == 0)
        move(ready, (link_t *)e->to);
  }
}

/* ---- the command ---- */

static text *path_to(node *n)
{
  text *path = n->name;

  for (node *at = n->from; at; at = at->from)
    path = cairn_format("%s %s", at->name, path);
  return path;
}

static long print_list(const char *title, link_t *list)
{
  long count = 0;
  unsigned long digest = 1;

  for EACH(node, n, list) {
    digest = (digest ^ cairn_hash_text(n->name)) * 31 + (unsigned long)n->distance;
    if (count++ < 10 && n->distance < LONG_MAX)
      puts(cairn_format("%s: %ld: %s", n->name, n->distance, path_to(n)));
  }
  return printf("%s: %ld nodes, %016lx\n", title, count, digest);
}

static void read_graph(struct graph *graph, FILE *file)
{
  char from[64], to[64];
  long weight;

  while (fscanf(file, "%63s %63s %ld", from, to, &weight) == 3) {
    node *start = node_at(graph, cairn_text(from));
    add_edge(graph, start, node_at(graph, cairn_text(to)), weight < 0 ? 0 : weight);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: graph [FILE]") < 0;

  FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
  struct graph graph = {list_new(), nodes_new(), 0};
  link_t *sorted = list_new();

  if (!file) {
    perror(argv[1]);
    return 1;
  }
  read_graph(&graph, file);
  printf("%ld nodes, %ld edges\n", nodes_count(graph.by_name), graph.edges);
  if (graph.list->next != graph.list)
    find_paths((node *)graph.list->next);
  sort(&graph, sorted);
  print_list("in order", sorted);
  return print_list("in circles or after them", graph.list) < 0;
}
