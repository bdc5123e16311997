// The end of memory during concurrent phases: the heap's limit, and a system that refuses memory (RLIMIT_DATA) from
// a moment on, while the runtime marks, sweeps, evacuates or reserves memory concurrently. The program ends with status
// 0, or with status 1 and one line that says why. What would go wrong: a lost object, an end by a signal, a program
// that waits for ever.
// RUN: %cairn-cc -O2 -fcairn-collector=generational -I%root/include %s -o %t -pthread
// RUN: for max in 2m 3m 6m %if soak %{4m 5m 7m 8m 9m 10m 12m 16m 24m%}; do for threads in 1 3; do \
// RUN:   %S/Inputs/end_or_reason env CAIRN_PAUSE=10us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=$max %t $threads 50000 \
// RUN:   || exit 1; done; done >%t.max
// RUN: FileCheck --check-prefix=MARKED %s --input-file %t.max && FileCheck --check-prefix=OUT %s --input-file %t.max
// RUN: for kib in $(seq %if soak %{0 160%} %else %{100 6400%} 64100); do for threads in 1 3; do \
// RUN:   %S/Inputs/end_or_reason env CAIRN_PAUSE=10us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=256m \
// RUN:   %t $threads 20000 $kib || exit 1; done; done >%t.data
// RUN: FileCheck --check-prefix=MARKED %s --input-file %t.data && FileCheck --check-prefix=OUT %s --input-file %t.data
// RUN: env CAIRN_LOG=gc CAIRN_STATS=1 CAIRN_PAUSE=10us CAIRN_HEAP_INITIAL=1m CAIRN_HEAP_MAX=3m %t 1 50000 2>&1 \
// RUN:   | FileCheck --check-prefix=LINES %s
// LINES-DAG: cairn: gc: {{.*}}: allocation, young, {{.*}}; full instead; {{[0-9.]+}} us
// LINES-DAG: cairn: gc: {{.*}}: allocation, young, {{.*}}; marking ended; {{[0-9.]+}} us
// LINES-DAG: {{^}}full collections: {{[1-9]}}
// LINES-DAG: {{^}}concurrent markings: {{[1-9]}}
// MARKED: {{^}}done, {{[1-9]}}
// OUT: {{^}}out of memory
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cairn/events.h>
#include "../Inputs/wandering_lists.h"

enum { NODES = 2000, THREADS = 8 };

static reference managed *all_tables[THREADS]; // roots, for the check at the end
static long markings;

static long check_table(long owner)
{
  reference managed *table = all_tables[owner];
  long wrong = 0;

  for (long i = 0; table && i < NODES; i++)
    wrong += table[i] && check(table[i], owner, i);
  return wrong;
}

// The heap grows slowly: each list is made anew or moves, and one in a hundred changes leaves an array behind.
static void work(long owner, long steps)
{
  unsigned long seed = (unsigned long)owner;
  struct node managed *extra = 0;

  all_tables[owner] = cairn_new_array(reference, NODES);
  for (; steps > 0; steps--) {
    long i = (long)draw(&seed, NODES), k = (long)draw(&seed, NODES);
    all_tables[owner][i] = list(owner, i, LONG);
    if (all_tables[owner][k] && all_tables[owner][k]->next == 0)
      abort();
    if (steps % 100 == 0) {
      struct node managed *n = cairn_new(struct node);
      n->next = extra;
      extra = n;
    }
  }
}

static long steps;

static void *work_on(void *owner)
{
  work((long)owner, steps);
  return 0;
}

static void check_at_exit(void)
{
  long wrong = 0;

  for (long i = 0; i < THREADS; i++)
    wrong += check_table(i);
  if (wrong) {
    printf("%ld wrong\n", wrong);
    fflush(stdout);
    abort();
  }
}

cairn_unmanaged static void listen_to(void *unused, const struct cairn_event *event)
{
  static const char *last = "";

  (void)unused;
  if (event->kind != CAIRN_EVENT_PHASE_BEGINS)
    return;
  markings += strcmp(event->phase, "sweep") == 0 && strcmp(last, "remark") == 0;
  last = event->phase;
}

// Private writable memory of the process, in KiB.
cairn_unmanaged static long data_kib(void)
{
  char line[256];
  FILE *file = fopen("/proc/self/status", "r");
  long kib = -1;

  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmData: %ld", &kib) == 1)
      break;
  if (file)
    fclose(file);
  return kib;
}

cairn_unmanaged static void refuse_after(long more)
{
  rlim_t bytes = (rlim_t)(data_kib() + more) << 10;
  struct rlimit limit = {bytes, bytes};

  setrlimit(RLIMIT_DATA, &limit);
}

int main(int argc, char **argv)
{
  pthread_t threads[THREADS];
  long count = atol(argv[1]);

  steps = atol(argv[2]);
  cairn_listen(listen_to, 0);
  atexit(check_at_exit);
  work(0, NODES);
  for (long i = 1; i < count; i++)
    if (pthread_create(&threads[i], 0, work_on, (void *)i) != 0)
      abort();
  if (argc > 3)
    refuse_after(atol(argv[3]));
  work(0, steps);
  for (long i = 1; i < count; i++)
    pthread_join(threads[i], 0);
  printf("done, %ld markings\n", markings);
  return 0;
}
