/* Runs modules for debuggers: debug FILE [ROUNDS [show]] adds the file's IR, calls its function, and removes the
 * module; debug FILE late calls it on a thread that is late for a stop. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/code.h>
#include <cairn/jit.h>
#include <cairn/stack.h>
#include "check.h"

struct cell {
  struct cell managed *next;
  long value;
};

static int prints;

struct cell managed *make(long value, struct cell managed *next)
{
  struct cell managed *cell = cairn_new(struct cell);
  cell->next = next;
  cell->value = value;
  return cell;
}

cairn_unmanaged void stop(void)
{
  if (prints)
    cairn_backtrace(1);
}

cairn_unmanaged static void run_once(struct cairn_jit *session, const char *text, size_t size)
{
  uint64_t module;
  void *work;
  char *error = NULL;

  check(cairn_jit_add_ir(session, text, size, &module, &error), error);
  check(cairn_jit_look_up(session, "work", &work, &error), error);
  printf("sum %ld\n", ((long (*)(long))work)(10));
  check(cairn_jit_remove(session, module, &error), error);
  cairn_jit_pending(session, NULL, NULL);
}

extern _Thread_local volatile unsigned long cairn_mutator; /* begins with the poll word */
static volatile int inside;

cairn_unmanaged static void *be_late(void *work)
{
  ((long (*)(volatile unsigned long *, volatile int *))work)(&cairn_mutator, &inside);
  return NULL;
}

cairn_unmanaged static void stop_late_thread(struct cairn_jit *session, const char *text, size_t size)
{
  uint64_t module;
  void *work;
  char *error = NULL;
  pthread_t thread;

  check(cairn_jit_add_ir(session, text, size, &module, &error), error);
  check(cairn_jit_look_up(session, "work", &work, &error), error);
  if (pthread_create(&thread, NULL, be_late, work))
    abort();
  while (!inside)
    usleep(100);
  cairn_collect();
  pthread_join(thread, NULL);
}

cairn_unmanaged int main(int argc, char **argv)
{
  int late = argc > 2 && strcmp(argv[2], "late") == 0;
  const struct cairn_jit_options options = {
      .compile = {.opt_level = 1, .manage_all = true, .polls = late ? CAIRN_POLLS_NONE : 0}};
  static char text[1 << 20];
  FILE *file = fopen(argv[1], "r");
  size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  struct cairn_jit *session;
  char *error = NULL;

  setvbuf(stdout, NULL, _IONBF, 0);
  prints = argc > 3;
  printf("process %d\n", (int)getpid());
  check(cairn_jit_new(&options, &session, &error), error);
  if (late)
    stop_late_thread(session, text, size);
  for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 1); i++)
    run_once(session, text, size);
  printf("debugged %d\n", cairn_code_is_debugged());
  cairn_jit_dispose(session);
  return 0;
}
