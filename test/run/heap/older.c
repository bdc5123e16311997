// A deep stack and marking beside the program (docs/generational.md): each activation has the only reference to an
// object, and some hold it in a register alone; the stack grows and shrinks while the marker is at work, and what an
// activation lost is given to others. What would go wrong: the object of an activation that has not run for long is
// not marked.
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=2m CAIRN_HEAP_MAX=64m CAIRN_TRACE=%t.json %t 3000 \
// RUN:   %if soak %{3000%} %else %{1500%} | FileCheck %s
// RUN: grep -c '"sweep"' %t.json | FileCheck --check-prefix=ENDED %s
// RUN: env CAIRN_PAUSE=1us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=48m CAIRN_VERIFY=heap %t 1000 100 | FileCheck %s
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=2m CAIRN_HEAP_MAX=64m %t 30000 \
// RUN:   %if soak %{3000%} %else %{1000%} | FileCheck %s
// RUN: %if soak %{env CAIRN_PAUSE=500us CAIRN_HEAP_INITIAL=2m CAIRN_HEAP_MAX=64m %t 200000 1000 | FileCheck %s%}
// RUN: env CAIRN_PAUSE=1us CAIRN_STRESS=500 %t 300 200 | FileCheck %s
// RUN: env CAIRN_PAUSE=1us CAIRN_STRESS=1 %t 20 2 | FileCheck %s
// RUN: %cairn-cc -O0 -fcairn-collector=generational -I%root/include %s -o %t.plain
// RUN: env CAIRN_PAUSE=100us CAIRN_HEAP_INITIAL=2m CAIRN_HEAP_MAX=64m %t.plain 20000 \
// RUN:   %if soak %{2000%} %else %{700%} | FileCheck %s
// CHECK: 0 wrong
// ENDED: {{[1-9]}}
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cairn/cairn.h>

enum { TABLE = 20000, SOME = 400 };

struct node {
  struct node managed *next;
  long depth, twice;
};

static unsigned long seed = 1;
static long wrong, deepest;

static long draw(long below)
{
  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  return (long)((seed >> 33) % (unsigned long)below);
}

static __attribute__((noinline)) struct node managed *node(long depth)
{
  struct node managed *made = cairn_new(struct node);

  made->depth = depth;
  made->twice = 2 * depth;
  return made;
}

// Nodes of the table die and are made anew, so that a marking is due again and again.
static __attribute__((noinline)) void churn(struct node managed *managed *table, long count)
{
  for (; count > 0; count--) {
    long i = draw(TABLE);
    wrong += table[i] && table[i]->twice != 2 * table[i]->depth;
    table[i] = node(i);
  }
}

// Descend to `depth`, and come back from there; on the way back go down again now and then.
static __attribute__((noinline)) void descend(struct node managed *managed *table, long here, long depth, long rounds)
{
  struct node managed *mine = node(here), *second = node(-here);

  if (here < depth)
    descend(table, here + 1, depth, rounds);
  else
    for (; rounds > 0; rounds--) {
      churn(table, SOME);
      if (draw(2) == 0)
        descend(table, here + 1, here + draw(deepest / 8 + 1), 1);
    }
  if (draw(deepest / 10 + 1) == 0)
    churn(table, SOME);
  wrong += mine->depth != here || mine->twice != 2 * here || second->depth != -here || second->twice != -2 * here;
}

int main(int argc, char **argv)
{
  struct node managed *managed *table = cairn_new_array(struct node managed *, TABLE);
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

  if (argc != 3)
    return 2;
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur < 256 << 20 && limit.rlim_cur != limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_STACK, &limit);
    execv("/proc/self/exe", argv);
  }
  deepest = atol(argv[1]);
  descend(table, 1, deepest, atol(argv[2]));
  printf("%ld wrong\n", wrong);
  return 0;
}
