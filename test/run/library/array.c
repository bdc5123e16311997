// RUN: %root/test/run/Inputs/same %build --args 3000 --small 14 --many 20000 %s
// RUN: clang -O1 -w -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain 3000 > %t.expected
// RUN: %cairn-cc -O2 -I%root/include -fcairn-barriers=cards -fcairn-collector=generational %s -o %t
// RUN: %t 3000 | diff %t.expected - && env CAIRN_STRESS=97 CAIRN_VERIFY=heap %t 3000 | diff %t.expected -
// RUN: for w in pop insert remove; do not %t 10 $w 2>&1 | FileCheck %s --check-prefix=OUTSIDE || exit 1; done
// OUTSIDE: {{^}}cairn: cairn_{{pop: index 0 of 0|insert: index 5 of 1|remove: index -1 of 0}}{{$}}
// Sorts, searches, slices and vectors of numbers, references and structs with both; comparators that allocate. Wrong:
// an order that is not stable, a lost element, an old reference in an array that the collector has moved.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/array.h>

struct node {
  long key, number;
};
typedef struct node managed *ref;
struct pair {
  short tag;
  ref node;
};

static unsigned long hash, seed = 42;

static void note(long value)
{
  hash = hash * 31 + (unsigned long)value;
}

static long pick(long below)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (long)(seed >> 33) % below;
}

static ref node(long key, long number)
{
  ref n = cairn_new(struct node);

  n->key = key;
  n->number = number;
  return n;
}

static int by_value(const long managed *a, const long managed *b)
{
  return *a < *b ? -1 : *a > *b;
}

/* Allocates: a collection may move both arrays during the sort. */
static int by_key(const ref managed *a, const ref managed *b)
{
  ref x = node((*a)->key, 0), y = node((*b)->key, 1);

  return x->key < y->key ? -1 : x->key > y->key;
}

static int by_node(const struct pair managed *a, const struct pair managed *b)
{
  return by_key(&a->node, &b->node);
}

static int to_key(long key, const ref managed *b)
{
  return key < (*b)->key ? -1 : key > (*b)->key;
}

static void sort_numbers(long n)
{
  long managed *a = cairn_new_array(long, n);
  long sum = 0, misplaced = 0;

  for (long i = 0; i < n; i++)
    sum += a[i] = pick(n * 2);
  cairn_sort(a, n, by_value);
  for (long i = 0; i < n; i++) {
    sum -= a[i];
    misplaced += i > 0 && a[i - 1] > a[i];
    long managed *found = cairn_search(&a[i], a, n, by_value);
    misplaced += *found != a[i] || (found > a && found[-1] == a[i]);
  }
  note(sum == 0 && misplaced == 0);
  note(n > 3 ? a[3] : 0);
}

static void sort_references(long n)
{
  ref managed *a = cairn_new_array(ref, n + 2);
  long misplaced = 0, seen = 0;

  for (long i = 0; i < n + 2; i++)
    a[i] = node(pick(n / 3 + 1), i);
  a[0]->key = 1000000; /* outside of the part that is sorted */
  a[n + 1]->key = -1;
  cairn_sort(&a[1], n, by_key);
  note(a[0]->key + a[n + 1]->key);
  for (long i = 1; i <= n; i++) {
    seen += a[i]->number;
    misplaced += i > 1 &&
                 (a[i - 1]->key > a[i]->key || (a[i - 1]->key == a[i]->key && a[i - 1]->number > a[i]->number));
    ref managed *found = cairn_search(a[i]->key, &a[1], n, to_key);
    misplaced += !found || (*found)->key != a[i]->key;
  }
  note(misplaced + (seen == n * (n + 1) / 2) + (cairn_search(-7L, &a[1], n, to_key) == NULL));
  ref managed *slice = cairn_array_slice(a, n / 2, n / 4);
  for (long i = 0; i < n / 4; i++)
    misplaced += slice[i] != a[n / 2 + i];
  note(misplaced * 1000 + cairn_length(slice));
}

static void sort_structs(long n)
{
  struct pair managed *a = cairn_new_array(struct pair, n);

  for (long i = 0; i < n; i++)
    a[i] = (struct pair){(short)i, node(pick(50), i)};
  cairn_sort(a, n, by_node);
  for (long i = 0; i < n; i++)
    note(a[i].tag * 3 + a[i].node->key + (a[i].tag == (short)a[i].node->number));
}

CAIRN_VECTOR(refs, ref);
CAIRN_VECTOR(longs, long);
struct editor {
  struct refs lines;
  struct longs marks;
};

static void fill_vectors(long n)
{
  struct editor managed *editor = cairn_new(struct editor);
  struct refs managed *lines = cairn_new(struct refs);
  struct longs local = {0};

  for (long i = 0; i < n; i++) {
    cairn_push(lines, node(i, i));
    cairn_push(&editor->lines, lines->at[i / 2]);
    cairn_insert(&editor->marks, pick(i + 1), i);
    cairn_push(&local, 3 * i);
    if (i % 3 == 2) {
      cairn_remove(&editor->lines, pick(editor->lines.length));
      note(cairn_pop(lines)->number);
      cairn_insert(lines, pick(lines->length + 1), node(-i, i));
    }
    if (i % 64 == 63)
      cairn_collect();
  }
  cairn_reserve(lines, 100);
  note(cairn_length(lines->at) >= lines->length + 100);
  for (long i = 0; i < lines->length; i++)
    note(lines->at[i]->key);
  for (long i = 0; i < editor->lines.length; i++)
    note(editor->lines.at[i]->key);
  for (long i = 0; i < n; i++)
    note(editor->marks.at[i] + local.at[i]);
  while (lines->length)
    note(cairn_pop(lines)->number);
  note(lines->at[0] == NULL); /* a removed place keeps no object alive */
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 10;
  struct longs managed *empty = cairn_new(struct longs);

  if (argc > 2 && strcmp(argv[2], "pop") == 0)
    return (int)cairn_pop(empty);
  if (argc > 2 && strcmp(argv[2], "insert") == 0)
    cairn_insert(empty, 5, 1);
  if (argc > 2)
    cairn_remove(empty, -1);
  for (long size = 0; size < 40 && size <= n; size++) {
    sort_numbers(size);
    sort_references(size);
    sort_structs(size);
  }
  printf("%lx\n", hash);
  sort_numbers(n);
  sort_references(n);
  sort_structs(n);
  printf("%lx\n", hash);
  fill_vectors(n);
  printf("%lx\n", hash);
  return 0;
}
