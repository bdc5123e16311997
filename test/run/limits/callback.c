/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program is asked where memory is exhausted (cairn_on_exhaustion()). What would go wrong: it is not asked, or
 * without end; what it frees is not found; what it does in between breaks the heap, or the registers of the allocation
 * that waits; the line says nothing of where memory is.
 */
// RUN: for c in semispace generational; do %cairn-cc -O2 -pthread -fcairn-collector=$c %s -o %t.$c || exit 1; done
// RUN: for c in semispace generational; do for s in 0 %if soak %{999%} %else %{9999%}; do \
// RUN:   for how in managed native collects allocates third; do \
// RUN:   env CAIRN_HEAP_MAX=4m CAIRN_STRESS=$s CAIRN_VERIFY=heap %t.$c $how || exit 1; done; done; done 2>&1 \
// RUN:   | FileCheck --check-prefix=DROPS %s
// DROPS-COUNT-20: whole: yes, calls: 2
// RUN: for c in semispace generational; do for how in managed native collects; do \
// RUN:   env CAIRN_HEAP_MAX=256k CAIRN_STRESS=%if soak %{1%} %else %{3%} %t.$c $how 1200 || exit 1; done; done \
// RUN:   | FileCheck --check-prefix=SMALL %s
// SMALL-COUNT-6: whole: yes, calls: 2
// RUN: for c in semispace generational; do for s in 0 500; do \
// RUN:   env CAIRN_HEAP_MAX=4m CAIRN_STRESS=$s %t.$c threads || exit 1; done; done \
// RUN:   | FileCheck --check-prefix=THREADS %s
// THREADS-COUNT-4: whole: yes, calls: {{[1-9]}}
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_MAX=4m CAIRN_LOG=gc not %t.$c nothing 2>&1 | FileCheck --check-prefix=NOTHING %s || exit 1; \
// RUN: done
// NOTHING: asked 0: 80 bytes of 4194304, live {{4[01][0-9]+}}, external 5000
// NOTHING-NEXT: emergency, full, 80 bytes wanted
// NOTHING-NEXT: asked 1:
// NOTHING: asked 7:
// NOTHING-NEXT: emergency, full, 80 bytes wanted
// NOTHING-NEXT: {{^}}cairn: out of memory: cannot allocate 80 bytes {{.*}} live {{4[01][0-9]+}}, external 5000)
// NOTHING-NOT: {{.}}
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_MAX=4m not %t.$c refuses 2>&1 | FileCheck --check-prefix=REFUSES %s || exit 1; \
// RUN: done
// REFUSES: asked 0:
// REFUSES-NEXT: {{^}}cairn: out of memory: cannot allocate 80 bytes{{.*}}
// REFUSES-NOT: {{.}}
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_MAX=4m not %t.$c much 2>&1 | FileCheck --check-prefix=MUCH %s || exit 1; \
// RUN: done
// MUCH: asked 0:
// MUCH-NEXT: {{^}}cairn: out of memory: cannot allocate 8000016 bytes {{.*}} what cairn_on_exhaustion() calls
// MUCH-NOT: {{.}}
// RUN: for c in semispace generational; do \
// RUN:   env CAIRN_HEAP_MAX=4m not %t.$c none 2>&1 | FileCheck --check-prefix=NONE %s || exit 1; \
// RUN: done
// NONE-NOT: asked
// NONE: {{^}}cairn: out of memory: cannot allocate 80 bytes
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/heap.h>

struct cell {
  struct cell managed *next;
  long number, pad[7];
};

enum { ROUNDS = 2, THREADS = 3, EACH = 12000, FEW = 10000, LARGE = 300000 };

struct cell managed *volatile cache;
static struct cairn_handle *volatile handle;
static const char *how;
static long many = 20000; /* objects of the cache */
static atomic_uint calls;
static long sum;
static pthread_barrier_t filled;

static bool is(const char *name)
{
  return strcmp(how, name) == 0;
}

static struct cell managed *make(struct cell managed *next, long number)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->next = next;
  cell->number = number;
  return cell;
}

cairn_unmanaged static bool drop_handle(void *env, const struct cairn_exhaustion *what)
{
  (void)what;
  calls++;
  cairn_handle_free(*(struct cairn_handle **)env);
  return true;
}

static bool drop(void *env, const struct cairn_exhaustion *what)
{
  struct cell managed *few = NULL;

  (void)env;
  if (is("third") && what->tries < 2)
    return true;
  calls++;
  if (is("collects"))
    cairn_collect();
  for (long i = 0; is("allocates") && i < 5; i++)
    few = make(few, i);
  for (struct cell managed *cell = few; cell; cell = cell->next)
    sum += cell->number;
  cache = NULL;
  return true;
}

static bool ask(void *env, const struct cairn_exhaustion *what)
{
  (void)env;
  fprintf(stderr, "asked %u: %zu bytes of %llu, live %llu, external %llu\n", what->tries, what->wanted,
          (unsigned long long)what->limit, (unsigned long long)what->live, (unsigned long long)what->external);
  if (is("much"))
    cairn_new_array(long, 1000000)[9] = 7;
  return !is("refuses");
}

static void fill_cache(void)
{
  struct cell managed *list = NULL;

  for (long i = 0; i < many; i++)
    list = make(list, i);
  if (is("native"))
    handle = cairn_handle_new(list);
  else
    cache = list;
}

/* What a callback allocates comes from what is left: so something large is wanted there. */
static bool fill(long count, unsigned until)
{
  struct cell managed *list = NULL;
  long i = 0, right = 0;

  for (; i < count && (until == 0 || calls < until); i++) {
    list = make(list, i);
    if (is("allocates") && i == FEW)
      cairn_new_array(long, LARGE)[9] = 7;
  }
  if (is("threads"))
    pthread_barrier_wait(&filled); /* all lists are there at a time */
  for (struct cell managed *cell = list; cell; cell = cell->next)
    right += cell->number == --i;
  return i == 0 && right != 0;
}

static void *run(void *env)
{
  if (!fill(EACH, 0))
    *(atomic_bool *)env = false;
  return NULL;
}

static bool run_threads(void)
{
  pthread_t thread[THREADS];
  atomic_bool whole = true;

  fill_cache();
  pthread_barrier_init(&filled, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, run, &whole);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  return whole;
}

int main(int argc, char **argv)
{
  bool whole = true;

  how = argc > 1 ? argv[1] : "";
  if (argc > 2)
    many = atol(argv[2]);
  cairn_external_bytes(5000);
  if (is("native"))
    cairn_on_exhaustion(drop_handle, (void *)&handle);
  else if (is("nothing") || is("refuses") || is("much"))
    cairn_on_exhaustion(ask, NULL);
  else
    cairn_on_exhaustion(drop, NULL);
  if (is("none"))
    cairn_on_exhaustion(NULL, NULL);
  if (is("threads"))
    whole = run_threads();
  else
    for (unsigned i = 1; i <= ROUNDS; i++) {
      fill_cache();
      whole &= fill(60000, i);
    }
  printf("whole: %s, calls: %u\n", whole ? "yes" : "no", calls);
  return whole && sum == (is("allocates") ? ROUNDS * 10 : 0) ? 0 : 1;
}
