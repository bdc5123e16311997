// RUN: %cairn-cc -O2 -fcairn-collector=generational %s -o %t -pthread
// RUN: env CAIRN_PAUSE=10us CAIRN_HEAP_INITIAL=1m CAIRN_STATS=1 %t 8000 2>&1 | FileCheck %s
// RUN: env CAIRN_PAUSE=10us CAIRN_HEAP_INITIAL=1m CAIRN_VERIFY=heap %t 200 | FileCheck %s --check-prefix=SAME
// RUN: %cairn-cc -O2 -fcairn-collector=semispace %s -o %t -pthread
// RUN: env CAIRN_STRESS=1 %t 2 | FileCheck %s --check-prefix=SAME
// Two threads turn the unions of old objects from numbers with the bits of addresses into references and back, while
// the collector marks concurrently. Tag and member change one after the other. Wrong: the marker follows a number.
// CHECK-DAG: all 4000 values are right
// SAME: all 4000 values are right
// CHECK-DAG: {{^}}concurrent markings: {{[1-9]}}
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

enum { COUNT = 2000 };
enum kind { NUMBER, BOX, LONG };
struct box {
  long n;
  struct box managed *more[12];
};
struct value {
  enum kind kind;
  cairn_union(struct box managed *box; double number; long n;) as;
};
struct table {
  struct value values[COUNT];
};

static struct table managed *tables[2];
static long rounds;

__attribute__((noinline)) static void change(struct value managed *v, long n)
{
  v->kind = (enum kind)((unsigned long)n % 3);
  if (v->kind == NUMBER)
    v->as.number = (double)n * 1e-320;
  else if (v->kind == LONG)
    v->as.n = 0x7f0000000000 + n * 8;
  else
    v->as.box = cairn_new(struct box);
  if (v->kind == BOX)
    v->as.box->n = n;
}

static _Bool right(const struct value managed *v, long n)
{
  switch ((unsigned long)n % 3) {
  case NUMBER:
    return v->as.number == (double)n * 1e-320;
  case LONG:
    return v->as.n == 0x7f0000000000 + n * 8;
  default:
    return v->as.box->n == n;
  }
}

static void *work(void *number)
{
  long me = (long)number;

  tables[me] = cairn_new(struct table);
  for (long r = 0; r < rounds; r++)
    for (long i = 0; i < COUNT; i += 100)
      for (long k = 0; k < 10; k++)
        change(&tables[me]->values[i + (r * 7 + k) % 100], r + i + k);
  for (long i = 0; i < COUNT; i++)
    change(&tables[me]->values[i], i);
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t other;
  long sum = 0;

  rounds = argc > 1 ? atol(argv[1]) : 100;
  if (pthread_create(&other, NULL, work, (void *)1) != 0)
    return 1;
  work((void *)0);
  pthread_join(other, NULL);
  for (int t = 0; t < 2; t++)
    for (long i = 0; i < COUNT; i++)
      sum += right(&tables[t]->values[i], i);
  printf(sum == 2L * COUNT ? "all %ld values are right\n" : "only %ld values are right\n", sum);
  return 0;
}
