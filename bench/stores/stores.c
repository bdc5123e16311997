/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that store references through ordinary pointers, for bench/stores/run. `stores ROUNDS REPEATS` prints for
 * each kernel its name, the shortest time of a step in nanoseconds, and a checksum. The functions that store are static
 * with -DCALLEE=static; without it another unit might call them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <cairn/cairn.h>

#ifndef CALLEE
#define CALLEE
#endif
#define SEPARATE CALLEE __attribute__((noinline))

typedef struct node managed *node_ref;
struct node {
  node_ref next;
  long value;
};
struct item {
  node_ref node;
  long key;
};

enum { NODES = 64, SORTED = 16, RING = 256, DEPTH = 64, TABLE = 16 };

static node_ref nodes[NODES];
static node_ref table[TABLE + 1];
static struct {
  struct item slots[RING];
  unsigned long head, tail;
} ring;
static struct {
  long steps;
  node_ref stack[DEPTH];
  node_ref *top;
  unsigned long depth;
} machine;

static unsigned long seed = 1;

static unsigned long draw(void)
{
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return seed >> 33;
}

/* ---- the functions that store ---- */

CALLEE void find(unsigned long i, node_ref *out);
CALLEE void copy(struct item *to, const struct item *from);
CALLEE void sort(struct item *items, long count);
CALLEE void put(const struct item *from);
CALLEE void take(struct item *to);
CALLEE void set(node_ref *at, node_ref node);
CALLEE void insert(node_ref *start, node_ref *end, node_ref node);
CALLEE void push(node_ref node);
CALLEE void add(void);
CALLEE void push_at(node_ref node);
CALLEE void add_at(void);

SEPARATE void find(unsigned long i, node_ref *out)
{
  *out = nodes[i % NODES];
}

SEPARATE void copy(struct item *to, const struct item *from)
{
  *to = *from;
}

SEPARATE void sort(struct item *items, long count)
{
  for (struct item *i = items + 1; i < items + count; i++) {
    struct item moved = *i, *at = i;
    for (; at > items && at[-1].key > moved.key; at--)
      *at = at[-1];
    *at = moved;
  }
}

SEPARATE void put(const struct item *from)
{
  ring.slots[ring.head++ % RING] = *from;
}

SEPARATE void take(struct item *to)
{
  *to = ring.slots[ring.tail++ % RING];
}

SEPARATE void set(node_ref *at, node_ref node)
{
  *at = node;
}

/* Insert by a cursor into the sorted list of references that ends at `end`. */
SEPARATE void insert(node_ref *start, node_ref *end, node_ref node)
{
  node_ref *cursor = end;

  for (; cursor > start && cursor[-1]->value > node->value; cursor--)
    *cursor = cursor[-1];
  *cursor = node;
}

SEPARATE void push(node_ref node)
{
  *machine.top++ = node;
}

SEPARATE void add(void)
{
  node_ref *top = machine.top - 1;

  top[-1] = nodes[(unsigned long)(top[-1]->value + top[0]->value) % NODES];
  machine.top = top;
}

SEPARATE void push_at(node_ref node)
{
  machine.stack[machine.depth++ % DEPTH] = node;
}

SEPARATE void add_at(void)
{
  node_ref *stack = machine.stack;
  unsigned long top = machine.depth - 1;

  stack[(top - 1) % DEPTH] =
      nodes[(unsigned long)(stack[(top - 1) % DEPTH]->value + stack[top % DEPTH]->value) % NODES];
  machine.depth = top;
}

/* ---- the kernels ---- */

static long run_out(long rounds)
{
  long sum = 0;

  for (long i = 0; i < rounds; i++) {
    node_ref found;
    find((unsigned long)i, &found);
    sum += found->value;
  }
  return sum;
}

static long run_copy(long rounds)
{
  struct item from = {nodes[1], 1}, to = {0};
  long sum = 0;

  for (long i = 0; i < rounds; i++) {
    from.key = i;
    copy(&to, &from);
    sum += to.key + to.node->value;
  }
  return sum;
}

static long run_sort(long rounds)
{
  struct item items[SORTED];
  long sum = 0;

  for (long i = 0; i < rounds; i += SORTED) {
    for (int j = 0; j < SORTED; j++)
      items[j] = (struct item){nodes[j], (long)(draw() % 1000000)};
    sort(items, SORTED);
    sum += items[0].key + items[SORTED - 1].node->value;
  }
  return sum;
}

static long run_ring(long rounds)
{
  struct item item = {nodes[3], 0};
  long sum = 0;

  for (long i = 0; i < rounds; i++) {
    item.key = i;
    put(&item);
    take(&item);
    sum += item.key + item.node->value;
  }
  return sum;
}

static long run_element(long rounds)
{
  long sum = 0;

  for (long i = 0; i < rounds; i++) {
    set(&table[i % TABLE], nodes[i % NODES]);
    sum += table[(i * 7) % TABLE]->value;
  }
  return sum;
}

static long run_cursor(long rounds)
{
  long sum = 0;

  for (long i = 0; i < rounds; i += TABLE) {
    for (int j = 0; j < TABLE; j++)
      insert(table, table + j, nodes[draw() % NODES]);
    sum += table[0]->value + table[TABLE - 1]->value;
  }
  return sum;
}

/* A stack machine that pushes and adds, by a pointer to the top. */
static long run_machine(long rounds)
{
  machine.top = machine.stack;
  push(nodes[0]);
  for (long i = 0; i < rounds; i++) {
    push(nodes[i % NODES]);
    add();
  }
  return machine.stack[0]->value;
}

/* The same by an index. */
static long run_indexed(long rounds)
{
  machine.depth = 0;
  push_at(nodes[0]);
  for (long i = 0; i < rounds; i++) {
    push_at(nodes[i % NODES]);
    add_at();
  }
  return machine.stack[0]->value;
}

static long now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    long (*run)(long rounds);
  } kernels[] = {{"out", run_out},         {"copy", run_copy},     {"sort", run_sort},       {"ring", run_ring},
                 {"element", run_element}, {"cursor", run_cursor}, {"machine", run_machine}, {"indexed", run_indexed}};
  long rounds = argc > 1 ? atol(argv[1]) : 100000;
  int repeats = argc > 2 ? atoi(argv[2]) : 5;

  for (int i = 0; i < NODES; i++) {
    nodes[i] = cairn_new(struct node);
    nodes[i]->value = i;
  }
  for (int i = 0; i < TABLE; i++)
    table[i] = nodes[i];
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    long best = -1, sum = 0;
    for (int repeat = 0; repeat < repeats; repeat++) {
      long start = now();
      sum += kernels[k].run(rounds);
      long took = now() - start;
      if (best < 0 || took < best)
        best = took;
    }
    printf("%s %.4f %ld\n", kernels[k].name, (double)best / (double)rounds, sum);
  }
  return 0;
}
