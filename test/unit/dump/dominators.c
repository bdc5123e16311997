/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap dumps made here: what the reader takes, what each object retains, beside a search for each
 * object that leaves it out. What would go wrong: bytes that are counted twice or belong to nobody,
 * a dump cut short that passes for whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "fuzz/exercise_dump.h"

enum { MOST = 24 };

struct bytes {
  CN_VECTOR(unsigned char) v;
};

static void put(struct bytes *b, uint64_t number)
{
  for (; number >= 128; number >>= 7)
    cn_push(&b->v, (unsigned char)(number | 128));
  cn_push(&b->v, (unsigned char)number);
}

static void put_difference(struct bytes *b, int64_t n)
{
  put(b, n < 0 ? ~((uint64_t)n << 1) : (uint64_t)n << 1);
}

static void put_text(struct bytes *b, const char *text)
{
  put(b, strlen(text));
  for (; *text; text++)
    cn_push(&b->v, (unsigned char)*text);
}

static void put_head(struct bytes *b)
{
  const char *head = CN_DUMP_MAGIC "\1\0\0\0\0\0\0\0";

  for (int i = 0; i < CN_DUMP_HEADER_BYTES; i++)
    cn_push(&b->v, (unsigned char)head[i]);
  put(b, CN_DUMP_RECORD_INFO);
  put_text(b, "program");
  put_text(b, "collector");
  put(b, 3);
  put(b, 1 << 20);
}

/* Objects with a flexible array of references, `address` apart by 1000 units. */
static void put_type(struct bytes *b, const char *name)
{
  put(b, CN_DUMP_RECORD_TYPE);
  put_text(b, name);
  put(b, 0);
  put(b, 8);
  put(b, 8);
  put(b, 1);
  put(b, 0);
  put_text(b, "to[]");
}

struct graph {
  unsigned count;
  bool edge[MOST][MOST], root[MOST];
};

static void put_object(struct bytes *b, const struct graph *g, unsigned i, uint64_t *references)
{
  unsigned count = 0;
  int64_t last = 0;

  for (unsigned j = 0; j < g->count; j++)
    count += g->edge[i][j];
  put(b, CN_DUMP_RECORD_OBJECT);
  put(b, i % 2);
  put(b, 1000);
  put(b, 2 + MOST + i);
  put(b, count);
  for (unsigned j = 0; j < g->count; j++)
    if (g->edge[i][j]) {
      put_difference(b, 1 + (int64_t)j - last);
      put_difference(b, 1000 * ((int64_t)j - (int64_t)i));
      last = 1 + (int64_t)j;
    }
  *references += count;
}

static void put_graph(struct bytes *b, const struct graph *g)
{
  uint64_t references = 0, roots = 0;

  put_head(b);
  put_type(b, "struct even");
  put_type(b, "struct odd");
  for (unsigned i = 0; i < g->count; i++)
    put_object(b, g, i, &references);
  put(b, CN_DUMP_RECORD_PLACE);
  put_text(b, "global \x01 table");
  for (unsigned i = 0; i < g->count; i++)
    if (g->root[i]) {
      put(b, CN_DUMP_RECORD_ROOT);
      put(b, CN_DUMP_ROOT_GLOBAL);
      put(b, 0);
      put(b, 8000 * (i + 1));
      roots++;
    }
  put(b, CN_DUMP_RECORD_END);
  put(b, g->count);
  put(b, references);
  put(b, roots);
}

/* Bytes that are reached without passing an object that `left` has. */
static uint64_t live_without(const struct graph *g, const bool left[MOST])
{
  bool reached[MOST] = {false};
  uint64_t bytes = 0;

  for (unsigned i = 0; i < g->count; i++)
    reached[i] = g->root[i] && !left[i];
  for (unsigned round = 0; round < g->count; round++)
    for (unsigned i = 0; i < g->count; i++)
      for (unsigned j = 0; j < g->count; j++)
        if (reached[i] && g->edge[i][j] && !left[j])
          reached[j] = true;
  for (unsigned i = 0; i < g->count; i++)
    bytes += reached[i] ? 8 * (2 + MOST + i) : 0;
  return bytes;
}

/* Is the object alive, and only because of `without`, or so if that is MOST? */
static bool needs(const struct graph *g, unsigned object, unsigned without)
{
  bool left[MOST] = {false};
  struct graph alone = *g;

  for (unsigned j = 0; j < MOST; j++)
    alone.edge[object][j] = false;
  uint64_t with = live_without(&alone, left);
  left[object] = true;
  if (live_without(&alone, left) == with) /* it is garbage */
    return false;
  if (without == MOST)
    return true;
  left[object] = false;
  left[without] = true;
  uint64_t rest = live_without(&alone, left);
  left[object] = true;
  return live_without(&alone, left) == rest;
}

static void check_kinds(const struct cn_graph *graph, const struct graph *g)
{
  uint64_t *retained = cn_graph_sum_retained_by_kind(graph), expected[2] = {0};

  assert_int_equal(graph->dump->kinds.count, 2);
  for (unsigned i = 0; i < g->count; i++) {
    bool outermost = needs(g, i, MOST);
    for (unsigned k = i % 2; k < g->count; k += 2)
      outermost = outermost && (k == i || !needs(g, i, k));
    if (outermost)
      expected[i % 2] += graph->retained[i];
  }
  assert_int_equal(retained[0], expected[0]);
  assert_int_equal(retained[1], expected[1]);
  free(retained);
}

static void check(const struct graph *g)
{
  struct bytes b = {0};
  struct cn_dump dump;
  struct cn_graph graph;
  char *error = NULL;
  uint64_t all = live_without(g, (bool[MOST]){0});

  put_graph(&b, g);
  if (cn_dump_read(&dump, b.v.at, b.v.count, &error) != 0)
    fail_msg("%s", error);
  cn_graph_make(&graph, &dump);
  assert_int_equal(graph.live, all);
  for (unsigned i = 0; i < g->count; i++) {
    bool left[MOST] = {false};
    left[i] = true;
    assert_int_equal(graph.retained[i], all - live_without(g, left));
  }
  check_kinds(&graph, g);
  exercise_retained(&graph);
  cn_graph_free(&graph);
  cn_dump_free(&dump);
  cn_free(&b.v);
}

static uint64_t random_state = 1;

static unsigned random_below(unsigned n)
{
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(random_state >> 33) % n;
}

static void random_graph(struct graph *g)
{
  unsigned edges = random_below(3) == 0 ? random_below(200) : random_below(40);

  *g = (struct graph){.count = 1 + random_below(MOST)};
  for (unsigned i = 0; i < edges; i++)
    g->edge[random_below(g->count)][random_below(g->count)] = true;
  for (unsigned i = random_below(4); i > 0; i--)
    g->root[random_below(g->count)] = true;
}

static void random_graphs(void **state)
{
  struct graph g;

  (void)state;
  for (int i = 0; i < 1000; i++) {
    random_graph(&g);
    check(&g);
  }
}

/* The case that takes the iterative algorithm quadratic time, and recursion the stack. */
static void long_list(void **state)
{
  enum { LENGTH = 300000 };
  struct bytes b = {0};
  struct cn_dump dump;
  struct cn_graph graph;
  char *error = NULL;

  (void)state;
  put_head(&b);
  put_type(&b, "struct list");
  for (unsigned i = 0; i < LENGTH; i++) {
    put(&b, CN_DUMP_RECORD_OBJECT);
    put(&b, 0);
    put(&b, 4);
    put(&b, 4);
    put(&b, 2);
    put_difference(&b, 1);
    put_difference(&b, i + 2 < LENGTH ? 4 : 0);
    put_difference(&b, 1);
    put_difference(&b, 4 * (LENGTH - 1 - (int64_t)i)); /* all to the last one */
  }
  put(&b, CN_DUMP_RECORD_PLACE);
  put_text(&b, "handle");
  put(&b, CN_DUMP_RECORD_ROOT);
  put(&b, CN_DUMP_ROOT_HANDLE);
  put(&b, 0);
  put(&b, 32);
  put(&b, CN_DUMP_RECORD_END);
  put(&b, LENGTH);
  put(&b, 2 * LENGTH);
  put(&b, 1);
  assert_int_equal(cn_dump_read(&dump, b.v.at, b.v.count, &error), 0);
  cn_graph_make(&graph, &dump);
  assert_int_equal(graph.retained[0], 32 * (uint64_t)LENGTH);
  assert_int_equal(graph.retained[LENGTH - 1], 32);
  assert_int_equal(graph.dominator[LENGTH - 1], 0);
  assert_int_equal(graph.retained[1], 32 * (uint64_t)(LENGTH - 2));
  cn_graph_free(&graph);
  cn_dump_free(&dump);
  cn_free(&b.v);
}

/* Every shorter one is refused, and so is a longer one; no changed byte does harm. */
static void cut_and_changed(void **state)
{
  struct graph g;
  struct bytes b = {0};

  (void)state;
  random_state = 7;
  random_graph(&g);
  put_graph(&b, &g);
  assert_int_equal(exercise_dump(b.v.at, b.v.count), 0);
  for (size_t size = 0; size < b.v.count; size++)
    assert_int_equal(exercise_dump(b.v.at, size), -1);
  for (size_t i = 0; i < b.v.count; i++) {
    unsigned char was = b.v.at[i];
    for (unsigned flip = 1; flip < 256; flip = flip * 2 + 1) {
      b.v.at[i] = (unsigned char)(was ^ flip);
      exercise_dump(b.v.at, b.v.count);
    }
    b.v.at[i] = was;
  }
  put(&b, 0);
  assert_int_equal(exercise_dump(b.v.at, b.v.count), -1);
  cn_free(&b.v);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_graphs), cmocka_unit_test(long_list),
                                     cmocka_unit_test(cut_and_changed)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
