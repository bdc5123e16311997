/* Compilation in the background: priorities, the bound of the queue, cancellation, failures; functions of the quick
 * tier that get code of the full tier while threads call them, in two sessions. Prints a line per part. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

static struct cairn_jit *begin(unsigned threads, unsigned waiting, cairn_jit_compiled *compiled, void *env)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 2, .tier = CAIRN_TIER_QUICK},
                                            .threads = threads,
                                            .waiting = waiting,
                                            .compiled = compiled,
                                            .compiled_env = env};
  struct cairn_jit *session;
  char *error = NULL;

  check(cairn_jit_new(&options, &session, &error), error);
  return session;
}

/* The sum of 1 to n, times `factor`. The full tier has no stores to its locals. */
static size_t write_function(char *text, size_t size, int number, int factor)
{
  return (size_t)snprintf(text, size,
                          "define i64 @f%d(i64 %%n) gc \"statepoint-example\" {\n"
                          "  %%i = alloca i64\n  %%s = alloca i64\n  store i64 0, ptr %%i\n  store i64 0, ptr %%s\n"
                          "  br label %%loop\n"
                          "loop:\n  %%a = load i64, ptr %%i\n  %%b = add i64 %%a, 1\n  store i64 %%b, ptr %%i\n"
                          "  %%c = load i64, ptr %%s\n  %%d = add i64 %%c, %%b\n  store i64 %%d, ptr %%s\n"
                          "  %%e = icmp slt i64 %%b, %%n\n  br i1 %%e, label %%loop, label %%end\n"
                          "end:\n  %%r = load i64, ptr %%s\n  %%t = mul i64 %%r, %d\n  ret i64 %%t\n}\n",
                          number, factor);
}

static void add(struct cairn_jit *session, int number, int factor)
{
  char text[2048], *error = NULL;
  uint64_t module;

  check(cairn_jit_add_ir(session, text, write_function(text, sizeof text, number, factor), &module, &error), error);
}

static enum cairn_status later(struct cairn_jit *session, int number, int factor, int priority, uint64_t *ticket)
{
  char text[2048], name[16], *error = NULL;

  snprintf(name, sizeof name, "f%d", number);
  enum cairn_status status = cairn_jit_compile_later(
      session, name, text, write_function(text, sizeof text, number, factor), priority, ticket, &error);
  if ((status == CAIRN_OK) != (error == NULL))
    abort();
  free(error);
  return status;
}

typedef long function(long n);

static function *find(struct cairn_jit *session, int number)
{
  char name[16], *error = NULL;
  void *address;

  snprintf(name, sizeof name, "f%d", number);
  check(cairn_jit_look_up(session, name, &address, &error), error);
  return (function *)address;
}

/* ---- the queue ---- */

struct record {
  sem_t begun, go;
  uint64_t tickets[16];
  int count;
  char last_error[256];
  int last_status;
};

static void note(void *env, uint64_t ticket, enum cairn_status status, uint64_t module, const char *error)
{
  struct record *record = env;

  if ((status == CAIRN_OK) != (module != 0) || (status == CAIRN_OK) != (error == NULL))
    abort();
  record->tickets[record->count++] = ticket;
  record->last_status = status;
  snprintf(record->last_error, sizeof record->last_error, "%s", error ? error : "-");
  if (record->count == 1) {
    sem_post(&record->begun);
    sem_wait(&record->go);
  }
}

static void queue_has_an_order_and_a_bound(void)
{
  struct record record = {.count = 0};
  uint64_t first, low, high, cancelled, refused, bad;
  char *error = NULL;

  sem_init(&record.begun, 0, 0);
  sem_init(&record.go, 0, 0);
  struct cairn_jit *session = begin(1, 3, note, &record);
  add(session, 1, 1);
  function *f = find(session, 1);
  check(later(session, 1, 2, 0, &first), "first");
  sem_wait(&record.begun);
  printf("first: %ld\n", f(10));
  check(later(session, 1, 3, -1, &low), "low");
  check(later(session, 1, 4, 0, &cancelled), "cancelled");
  check(later(session, 1, 5, 7, &high), "high");
  printf("full: %s\n", later(session, 1, 6, 9, &refused) == CAIRN_E_BUSY ? "busy" : "taken");
  check(cairn_jit_cancel(session, cancelled, &error), error);
  printf("cancelled: %s\n", cairn_jit_cancel(session, cancelled, &error) == CAIRN_E_UNKNOWN ? error : "twice");
  free(error);
  sem_post(&record.go);
  cairn_jit_finish(session);
  printf("order: %s, then %ld\n",
         record.count == 3 && record.tickets[1] == high && record.tickets[2] == low ? "by priority" : "wrong", f(10));
  check(cairn_jit_compile_later(session, "f1", "define", 6, 0, &bad, &error), error);
  cairn_jit_finish(session);
  printf("bad: %.22s, still %ld\n", record.last_error, f(10));
  cairn_jit_dispose(session);
}

/* A definition by the program is newer than compilations that were asked for before it, and older than later ones. */
static void newer_versions_stay(void)
{
  struct record record = {.count = 0};
  uint64_t ticket, module;
  char text[2048], *error = NULL;
  struct cairn_jit *session = begin(1, 3, note, &record);

  add(session, 1, 1);
  function *f = find(session, 1);
  sem_init(&record.begun, 0, 0);
  sem_init(&record.go, 0, 0);
  check(later(session, 1, 1, 0, &ticket), "first");
  sem_wait(&record.begun); /* the thread waits, so that the next compilation does, too */
  check(later(session, 1, 2, 0, &ticket), "stale");
  check(cairn_jit_replace_ir(session, "f1", text, write_function(text, sizeof text, 1, 3), &module, &error), error);
  sem_post(&record.go);
  cairn_jit_finish(session);
  long after = f(1);
  int status = record.last_status;
  check(later(session, 1, 1, 0, &ticket), "last");
  cairn_jit_finish(session);
  printf("newer: %ld %ld %d\n", after, f(1), status);
  cairn_jit_dispose(session);
}

static void sessions_without_threads_refuse(void)
{
  struct cairn_jit *session = begin(0, 0, NULL, NULL);
  uint64_t ticket;

  printf("no threads: %s\n", later(session, 1, 1, 0, &ticket) == CAIRN_E_REFUSED ? "refused" : "taken");
  cairn_jit_finish(session);
  cairn_jit_dispose(session);
}

/* ---- tiers ---- */

enum { FUNCTIONS = 8 };

static atomic_bool over;
static atomic_long wrong;

struct caller {
  struct cairn_jit *session;
  long factor;
};

static void *call(void *argument)
{
  const struct caller *caller = argument;
  function *functions[FUNCTIONS];

  for (int i = 0; i < FUNCTIONS; i++)
    functions[i] = find(caller->session, i);
  while (!atomic_load(&over))
    for (int i = 0; i < FUNCTIONS; i++)
      if (functions[i](100) != 5050 * caller->factor)
        atomic_fetch_add(&wrong, 1);
  return NULL;
}

static void functions_get_the_full_tier(void)
{
  struct caller callers[2] = {{begin(2, 0, NULL, NULL), 3}, {begin(1, 0, NULL, NULL), 5}};
  uintptr_t quick[2];
  pthread_t threads[2];
  uint64_t ticket;
  char *error = NULL;

  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < FUNCTIONS; i++)
      add(callers[k].session, i, (int)callers[k].factor);
    check(cairn_jit_find_code(callers[k].session, "f0", &quick[k], &error), error);
    pthread_create(&threads[k], NULL, call, &callers[k]);
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < FUNCTIONS; i++)
      check(later(callers[k].session, i, (int)callers[k].factor, i, &ticket), "tier");
  for (int k = 0; k < 2; k++) {
    uintptr_t full;
    cairn_jit_finish(callers[k].session);
    check(cairn_jit_find_code(callers[k].session, "f0", &full, &error), error);
    printf("tier: %s\n", full != quick[k] ? "full" : "quick");
  }
  atomic_store(&over, true);
  for (int k = 0; k < 2; k++)
    pthread_join(threads[k], NULL);
  cairn_collect();
  printf("calls: %ld wrong, pending: %zu %zu\n", atomic_load(&wrong),
         cairn_jit_pending(callers[0].session, NULL, NULL), cairn_jit_pending(callers[1].session, NULL, NULL));
  check(later(callers[0].session, 0, 3, 0, &ticket), "last");
  check(later(callers[0].session, 1, 3, 0, &ticket), "last");
  cairn_jit_dispose(callers[0].session);
  cairn_jit_dispose(callers[1].session);
}

/* A forked child has the session without its threads. */
static void a_child_lacks_the_threads(void)
{
  struct cairn_jit *session = begin(2, 0, NULL, NULL);
  int status = -1;

  add(session, 0, 1);
  find(session, 0);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    uint64_t ticket;
    alarm(60);
    status = later(session, 0, 2, 0, &ticket) ? 0 : 1;
    cairn_jit_dispose(session);
    _exit(status);
  }
  printf("child: %s\n", waitpid(child, &status, 0) == child && status == 0 ? "refused" : "wrong");
  cairn_jit_dispose(session);
}

int main(void)
{
  queue_has_an_order_and_a_bound();
  newer_versions_stay();
  sessions_without_threads_refuse();
  functions_get_the_full_tier();
  a_child_lacks_the_threads();
  return 0;
}
