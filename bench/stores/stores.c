/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that store references through ordinary pointers, for bench/stores/run. `stores ROUNDS REPEATS` prints for
 * each kernel its name, the shortest time of a step in nanoseconds, and a checksum. The functions that store are static
 * with -DCALLEE=static; without it another unit might call them; with -DAPART they are in another unit, callees.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "callees.h"

#ifdef APART
node_ref nodes[NODES];
node_ref table[TABLE + 1];
struct ring ring;
struct machine machine;
#else
#include "callees.c"
#endif

static unsigned long seed = 1;

static unsigned long draw(void)
{
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return seed >> 33;
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
