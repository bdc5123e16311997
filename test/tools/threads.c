/* SPDX-License-Identifier: Apache-2.0
 *
 * To be preloaded: what the program's main() does runs on a second thread (TEST_THREADS=main), or
 * beside a thread that collects all the time (=collect). Programs without the runtime are left alone.
 * The other thread is native code that knows nothing of Cairn but cairn_collect().
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef int program(int, char **, char **);
typedef int starter(program *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static program *programs_main;
static int count;
static char **arguments, **environment;

static void *run_main(void *unused)
{
  (void)unused;
  exit(programs_main(count, arguments, environment));
}

static pthread_attr_t *large_stack(void)
{
  static pthread_attr_t attributes;
  struct rlimit limit;

  pthread_attr_init(&attributes);
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    pthread_attr_setstacksize(&attributes, limit.rlim_cur);
  return &attributes;
}

/* Signals to the process are for the thread that runs main(). */
static void leave_signals_to_others(void)
{
  sigset_t all;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

/* The main thread waits in pthread_join(): in native code. */
static int main_on_a_thread(int argc, char **argv, char **env)
{
  pthread_t thread;

  count = argc;
  arguments = argv;
  environment = env;
  if (pthread_create(&thread, large_stack(), run_main, NULL) != 0)
    abort();
  leave_signals_to_others();
  pthread_join(thread, NULL);
  return 0;
}

static void (*collect)(void);

static void *collect_all_the_time(void *unused)
{
  leave_signals_to_others();
  for (;;) {
    collect();
    usleep(200);
  }
  return unused;
}

static int main_beside_a_collector(int argc, char **argv, char **env)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, collect_all_the_time, NULL) != 0)
    abort();
  return programs_main(argc, argv, env);
}

static program *instead(void)
{
  const char *what = getenv("TEST_THREADS");

  collect = (void (*)(void))dlsym(RTLD_DEFAULT, "cairn_collect");
  if (what == NULL || collect == NULL)
    return NULL;
  return strcmp(what, "main") == 0 ? main_on_a_thread : main_beside_a_collector;
}

int __libc_start_main(program *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*linker_fini)(void), void *stack_end)
{
  starter *start = (starter *)dlsym(RTLD_NEXT, "__libc_start_main");
  program *ours = instead();

  programs_main = main;
  return start(ours ? ours : main, argc, argv, init, fini, linker_fini, stack_end);
}
