/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the live objects of a dump, their dominators, the bytes that they retain, and shortest paths. Dominators come
 * from the simple form of Lengauer's and Tarjan's algorithm (1979). The iterative algorithm of Cooper, Harvey and
 * Kennedy would take quadratic time if each node of a long list pointed to one object. All steps use the numbers of a
 * depth-first search, where the root is 1, and 0 means no node.
 *
 * Runs in `cairn heap`, after the dump is read. The struct cn_graph owns the dominators, numbers and retained bytes;
 * the caller owns the sums by kind and the shortest paths. The dump stays unchanged, and the file prints nothing and
 * holds no state.
 */
#include "dump/graph.h"

#include <stdlib.h>
#include <string.h>
#include "base/check.h"

struct search_position {
  uint32_t object;
  uint64_t edge; /* the next edge to follow */
};

/* Tables by number. */
struct dominator_tables {
  uint32_t count; /* the highest number */
  uint32_t *parent, *semi, *label, *ancestor, *idom, *bucket, *next;
  uint64_t *before; /* the index of each number's first predecessor */
  uint32_t *predecessor;
  CN_VECTOR(uint32_t) path;
};

static void *make_table(uint64_t count, size_t size)
{
  return cn_alloc((count + 2) * size);
}

/* ---- the depth-first search ---- */

static void number_object(struct cn_graph *graph, struct dominator_tables *t, uint32_t object, uint32_t parent)
{
  graph->number[object] = ++t->count;
  graph->order[t->count] = object;
  t->parent[t->count] = parent;
}

static void search_depth_first(struct cn_graph *graph, struct dominator_tables *t, uint32_t start)
{
  const struct cn_dump *dump = graph->dump;
  CN_VECTOR(struct search_position) stack = {0};

  number_object(graph, t, start, 1);
  cn_push(&stack, (struct search_position){start, dump->objects.at[start].edges});
  while (stack.count > 0) {
    struct search_position *top = &stack.at[stack.count - 1];
    if (top->edge == cn_dump_edges_end_of(dump, top->object)) {
      stack.count--;
      continue;
    }
    uint32_t to = (uint32_t)dump->edges.at[top->edge++].to;
    if (graph->number[to] != 0)
      continue;
    number_object(graph, t, to, graph->number[top->object]);
    cn_push(&stack, (struct search_position){to, dump->objects.at[to].edges});
  }
  cn_free(&stack);
}

static void search_from_roots(struct cn_graph *graph, struct dominator_tables *t)
{
  const struct cn_dump *dump = graph->dump;

  t->count = 1;
  graph->order[1] = graph->root;
  for (size_t i = 0; i < dump->roots.count; i++)
    if (graph->number[dump->roots.at[i].to] == 0)
      search_depth_first(graph, t, dump->roots.at[i].to);
  graph->reached = t->count;
}

/* ---- predecessors ---- */

static void count_or_add_predecessor(struct dominator_tables *t, uint32_t number, uint32_t from, bool counts)
{
  if (counts)
    t->before[number + 1]++;
  else
    t->predecessor[t->before[number]++] = from;
}

static void visit_predecessors(struct cn_graph *graph, struct dominator_tables *t, bool counts)
{
  const struct cn_dump *dump = graph->dump;

  for (size_t i = 0; i < dump->roots.count; i++)
    count_or_add_predecessor(t, graph->number[dump->roots.at[i].to], 1, counts);
  for (uint32_t n = 2; n <= t->count; n++) {
    uint32_t object = graph->order[n];
    uint64_t end = cn_dump_edges_end_of(dump, object);
    for (uint64_t e = dump->objects.at[object].edges; e < end; e++)
      count_or_add_predecessor(t, graph->number[dump->edges.at[e].to], n, counts);
  }
}

/* Fill the table of predecessors by a counting sort. Afterwards before[n] is the end of the predecessors of n. */
static void find_predecessors(struct cn_graph *graph, struct dominator_tables *t)
{
  t->before = make_table((uint64_t)t->count + 1, sizeof *t->before);
  visit_predecessors(graph, t, true);
  for (uint32_t n = 1; n <= t->count; n++)
    t->before[n + 1] += t->before[n];
  t->predecessor = make_table(t->before[t->count + 1], sizeof *t->predecessor);
  visit_predecessors(graph, t, false);
}

/* ---- Lengauer and Tarjan ---- */

static void compress_path(struct dominator_tables *t, uint32_t number)
{
  t->path.count = 0;
  for (; t->ancestor[t->ancestor[number]] != 0; number = t->ancestor[number])
    cn_push(&t->path, number);
  while (t->path.count > 0) {
    uint32_t n = t->path.at[--t->path.count], above = t->ancestor[n];
    if (t->semi[t->label[above]] < t->semi[t->label[n]])
      t->label[n] = t->label[above];
    t->ancestor[n] = t->ancestor[above];
  }
}

static uint32_t evaluate_label(struct dominator_tables *t, uint32_t number)
{
  if (t->ancestor[number] != 0)
    compress_path(t, number);
  return t->label[number];
}

static void empty_bucket(struct dominator_tables *t, uint32_t parent)
{
  for (uint32_t n = t->bucket[parent]; n != 0; n = t->next[n]) {
    uint32_t best = evaluate_label(t, n);
    t->idom[n] = t->semi[best] < t->semi[n] ? best : parent;
  }
  t->bucket[parent] = 0;
}

static void find_dominators(struct dominator_tables *t)
{
  for (uint32_t n = 1; n <= t->count; n++)
    t->semi[n] = t->label[n] = n;
  for (uint32_t n = t->count; n > 1; n--) {
    for (uint64_t p = t->before[n - 1]; p < t->before[n]; p++) {
      uint32_t best = t->semi[evaluate_label(t, t->predecessor[p])];
      if (best < t->semi[n])
        t->semi[n] = best;
    }
    CN_ASSERT(t->semi[n] < n);
    t->next[n] = t->bucket[t->semi[n]];
    t->bucket[t->semi[n]] = n;
    t->ancestor[n] = t->parent[n];
    empty_bucket(t, t->parent[n]);
  }
  for (uint32_t n = 2; n <= t->count; n++)
    if (t->idom[n] != t->semi[n])
      t->idom[n] = t->idom[t->idom[n]];
}

/* ---- the graph ---- */

static void make_tables(struct dominator_tables *t, uint64_t count)
{
  uint32_t **all[] = {&t->parent, &t->semi, &t->label, &t->ancestor, &t->idom, &t->bucket, &t->next};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i] = make_table(count, sizeof **all[i]);
}

static void free_tables(struct dominator_tables *t)
{
  uint32_t *all[] = {t->parent, t->semi, t->label, t->ancestor, t->idom, t->bucket, t->next};

  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  free(t->before);
  free(t->predecessor);
  cn_free(&t->path);
}

/* Sum the retained bytes. A dominator has a lower number than the objects that it dominates. */
static void add_up_retained_bytes(struct cn_graph *graph, const struct dominator_tables *t)
{
  const struct cn_dump *dump = graph->dump;

  for (uint32_t n = 2; n <= t->count; n++) {
    uint32_t object = graph->order[n];
    CN_CHECK(t->idom[n] != 0 && t->idom[n] < n);
    graph->dominator[object] = graph->order[t->idom[n]];
    graph->retained[object] = dump->objects.at[object].bytes;
    graph->live += dump->objects.at[object].bytes;
  }
  for (uint32_t n = t->count; n > 1; n--)
    if (t->idom[n] != 1)
      graph->retained[graph->order[t->idom[n]]] += graph->retained[graph->order[n]];
}

void cn_graph_make(struct cn_graph *graph, const struct cn_dump *dump)
{
  struct dominator_tables t = {0};
  uint64_t count = dump->objects.count;

  CN_CHECK(count < UINT32_MAX - 2);
  *graph = (struct cn_graph){.dump = dump, .root = (uint32_t)count};
  graph->order = make_table(count, sizeof *graph->order);
  graph->number = make_table(count, sizeof *graph->number);
  graph->dominator = make_table(count, sizeof *graph->dominator);
  graph->retained = make_table(count, sizeof *graph->retained);
  memset(graph->dominator, 0xff, count * sizeof *graph->dominator);
  make_tables(&t, count);
  search_from_roots(graph, &t);
  find_predecessors(graph, &t);
  find_dominators(&t);
  add_up_retained_bytes(graph, &t);
  free_tables(&t);
}

void cn_graph_free(struct cn_graph *graph)
{
  free(graph->order);
  free(graph->number);
  free(graph->dominator);
  free(graph->retained);
}

/* ---- kinds ---- */

static uint32_t kind_of_object(const struct cn_dump *dump, uint32_t object)
{
  return dump->types.at[dump->objects.at[object].type].kind;
}

/* Sum the bytes of the outermost objects of each kind in the dominator tree, because the bytes that an object retains
 * include the bytes that its descendants retain. `child` and `next` have an element for each object. */
static void add_up_retained_by_kind(const struct cn_graph *graph, const uint32_t *child, const uint32_t *next,
                                    uint64_t *retained)
{
  const struct cn_dump *dump = graph->dump;
  uint32_t *above = make_table(dump->kinds.count, sizeof *above);
  uint32_t at = child[graph->root];

  while (at != CN_GRAPH_NONE) {
    if (above[kind_of_object(dump, at)]++ == 0)
      retained[kind_of_object(dump, at)] += graph->retained[at];
    if (child[at] != CN_GRAPH_NONE) {
      at = child[at];
      continue;
    }
    for (above[kind_of_object(dump, at)]--; next[at] == CN_GRAPH_NONE; above[kind_of_object(dump, at)]--) {
      at = graph->dominator[at];
      if (at == graph->root)
        break;
    }
    at = at == graph->root ? CN_GRAPH_NONE : next[at];
  }
  free(above);
}

uint64_t *cn_graph_sum_retained_by_kind(const struct cn_graph *graph)
{
  uint64_t count = graph->dump->objects.count;
  uint32_t *child = make_table(count, sizeof *child), *next = make_table(count, sizeof *next);
  uint64_t *retained = make_table(graph->dump->kinds.count, sizeof *retained);

  memset(child, 0xff, (count + 1) * sizeof *child);
  memset(next, 0xff, (count + 1) * sizeof *next);
  for (uint32_t n = graph->reached; n > 1; n--) {
    uint32_t object = graph->order[n], dominator = graph->dominator[object];
    next[object] = child[dominator];
    child[dominator] = object;
  }
  add_up_retained_by_kind(graph, child, next, retained);
  free(child);
  free(next);
  return retained;
}

/* ---- paths ---- */

uint32_t *cn_graph_find_shortest_paths(const struct cn_dump *dump)
{
  uint64_t count = dump->objects.count, reached = 0;
  uint32_t *from = make_table(count, sizeof *from), *queue = make_table(count, sizeof *queue);

  memset(from, 0xff, count * sizeof *from);
  for (size_t i = 0; i < dump->roots.count; i++)
    if (from[dump->roots.at[i].to] == CN_GRAPH_NONE) {
      from[dump->roots.at[i].to] = (uint32_t)count;
      queue[reached++] = dump->roots.at[i].to;
    }
  for (uint64_t done = 0; done < reached; done++) {
    uint64_t end = cn_dump_edges_end_of(dump, queue[done]);
    for (uint64_t e = dump->objects.at[queue[done]].edges; e < end; e++) {
      uint32_t to = (uint32_t)dump->edges.at[e].to;
      if (from[to] != CN_GRAPH_NONE)
        continue;
      from[to] = queue[done];
      queue[reached++] = to;
    }
  }
  CN_CHECK(reached <= count);
  free(queue);
  return from;
}
