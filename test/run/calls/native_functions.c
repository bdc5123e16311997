// In a managed unit, functions that handle no reference are native by themselves if their names are those of leaves
// of the C library, which other units call without a record; and if nobody managed calls them and they call nobody managed.
// The rest stays managed.
// RUN: %cairn-cc -O0 %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O2 -flto %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// RUN: %cairn-cc -O3 -fcairn-manage=all %s -o %t && env CAIRN_STRESS=1 %t | FileCheck %s
// CHECK: a long na 11 -2 251739 6
// RUN: %cairn-cc -O0 -S -emit-llvm %s -o - | FileCheck --check-prefix=OWN --implicit-check-not='@{{random|mix|memcpy|strlen|strlcpy|floor|on_signal|on_action|usage|report}}({{.*}} gc ' %s
// RUN: %cairn-cc -O0 -fcairn-manage=all -S -emit-llvm %s -o - | FileCheck --check-prefix=ALL --implicit-check-not='@{{random|mix|memcpy|strlen|strlcpy|floor}}({{.*}} gc ' %s
// OWN-DAG: define {{.*}}@work({{.*}} gc "statepoint-example"
// OWN-DAG: define {{.*}}@helper({{.*}} gc "statepoint-example"
// OWN-DAG: define {{.*}}@main({{.*}} gc "statepoint-example"
// ALL-DAG: define {{.*}}@on_signal({{.*}} gc "statepoint-example"
// ALL-DAG: define {{.*}}@on_action({{.*}} gc "statepoint-example"
// ALL-DAG: define {{.*}}@usage({{.*}} gc "statepoint-example"
//
// What is no leaf, whatever its name is, cannot be.
// RUN: not %cairn-cc -DHOOK -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: not %cairn-cc -DCALLS -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REFUSED %s
// RUN: not %cairn-cc -DHOLDS -c %s -o %t.o 2>&1 | FileCheck --check-prefix=REFUSED %s
// REFUSED: error: {{.*}}managed function @rand has the name of a C library function {{.*}}mark it cairn_unmanaged if{{.*}}[leaf-name-defined]
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};
typedef struct node managed *ref;

static unsigned long state = 1;
static volatile int hits;

static unsigned long mix(unsigned long x)
{
  return x * 6364136223846793005ul + 1442695040888963407ul;
}

long random(void)
{
  state = mix(state);
  return (long)(state >> 33);
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
  char *t = to;
  const char *f = from;

  for (size_t i = 0; i < n; i++)
    t[i] = f[i];
  return to;
}

size_t strlen(const char *text)
{
  size_t n = 0;

  while (text[n])
    n++;
  return n;
}

size_t strlcpy(char *to, const char *from, size_t size)
{
  size_t length = strlen(from), n = length < size ? length : size - 1;

  memcpy(to, from, n);
  to[n] = 0;
  return length;
}

double floor(double x)
{
  long n = (long)x;

  return (double)(n > x ? n - 1 : n);
}

#ifdef HOOK
int (*hook)(void);
int rand(void)
{
  return hook();
}
#elif defined CALLS
int other(void);
int rand(void)
{
  return other();
}
#elif defined HOLDS
static ref kept;
int rand(void)
{
  kept = NULL;
  return 0;
}
#endif

static ref build(long n)
{
  ref list = NULL;

  for (long i = 0; i < n; i++) {
    ref node = cairn_new(struct node);
    node->next = list;
    node->value = random() % 100;
    list = node;
  }
  return list;
}

static long helper(long n)
{
  return n + 0;
}

static long work(void)
{
  long total = 0;

  for (int i = 0; i < 50; i++)
    for (ref node = build(100); node; node = node->next)
      total += helper(node->value);
  return total;
}

static void report(int by)
{
  hits += by;
}

static void on_signal(int number)
{
  report(number == SIGUSR1);
}

static void on_action(int number)
{
  report(5 * (number == SIGUSR2));
}

static int usage(void)
{
  return puts("usage");
}

__attribute__((constructor)) static void native_start(void)
{
}

cairn_unmanaged static void handlers(int count)
{
  if (count > 5)
    usage();
}

int main(int count, char **words)
{
  struct sigaction action = {0};
  char text[10];

  (void)words;
  handlers(count);
  signal(SIGUSR1, on_signal);
  action.sa_handler = on_action;
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR1);
  raise(SIGUSR2);
  size_t length = strlcpy(text, "a long name", sizeof text);
  printf("%s %zu %g %ld %d\n", text, length, floor(-1.5), work(), hits);
  return 0;
}
