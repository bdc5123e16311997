/* C++ exceptions go through frames of many modules, while modules come and go. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "check.h"

typedef long managed_function(long);
void native_throw(long value);
long native_catch(managed_function *called, long argument);

static struct cairn_jit *session;

/* f_N(n) calls f_(N - 1)(n + N), and f_0 throws. */
static uint64_t add(int number)
{
  char text[512], *error = NULL;
  uint64_t module;
  int length = number == 0 ? snprintf(text, sizeof text,
                                      "declare void @native_throw(i64)\n"
                                      "define i64 @f_0(i64 %%n) gc \"statepoint-example\" {\n"
                                      "  call void @native_throw(i64 %%n)\n  ret i64 0\n}\n")
                           : snprintf(text, sizeof text,
                                      "declare i64 @f_%1$d(i64)\n"
                                      "define i64 @f_%2$d(i64 %%n) gc \"statepoint-example\" {\n"
                                      "  %%m = add i64 %%n, %2$d\n  %%x = call i64 @f_%1$d(i64 %%m)\n"
                                      "  %%y = add i64 %%x, 1\n  ret i64 %%y\n}\n",
                                      number - 1, number);

  check(cairn_jit_add_ir(session, text, (size_t)length, &module, &error), error);
  return module;
}

static managed_function *find(int number)
{
  char name[32], *error = NULL;
  void *address;

  snprintf(name, sizeof name, "f_%d", number);
  check(cairn_jit_look_up(session, name, &address, &error), error);
  return (managed_function *)address;
}

static double nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void throw_with(int modules)
{
  enum { THROWS = 1000 };
  managed_function *deep = find(8);
  double least = 1e18;

  for (int round = 0; round < 5; round++) {
    double start = nanoseconds();
    for (int i = 0; i < THROWS; i++)
      if (native_catch(deep, i) != i + 36)
        abort();
    double each = (nanoseconds() - start) / THROWS;
    least = each < least ? each : least;
  }
  fprintf(stderr, "%d modules: %.0f ns a throw through 9 managed frames\n", modules, least);
}

/* A thread throws through frames of modules, while tables of call-frame information come and go. */
static atomic_bool over;

static void *throw_all_the_time(void *deep)
{
  while (!atomic_load(&over))
    if (native_catch((managed_function *)deep, 0) != 36)
      abort();
  return NULL;
}

static void throw_while_modules_come_and_go(int rounds)
{
  pthread_t threads[2];
  char *error = NULL;

  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, throw_all_the_time, (void *)find(8)))
      abort();
  for (int i = 0; i < rounds; i++) {
    uint64_t number = add(9);
    find(9);
    check(cairn_jit_remove(session, number, &error), error);
    cairn_jit_pending(session, NULL, NULL);
  }
  atomic_store(&over, true);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 0}};
  int modules = argc > 1 ? atoi(argv[1]) : 100;
  uint64_t *numbers = calloc((size_t)modules + 1, sizeof *numbers);
  char *error = NULL;
  long sum = 0;

  check(cairn_jit_new(&options, &session, &error), error);
  check(cairn_jit_define(session, "native_throw", (void *)native_throw, &error), error);
  for (int i = 0; i <= modules; i++) {
    numbers[i] = add(i);
    sum += native_catch(find(i), 0); /* the newest module's frames are known at once */
    if (i == 8)
      throw_with(9);
  }
  printf("sum: %ld\n", sum);
  throw_with(modules + 1);
  for (int i = modules; i > 8; i--) {
    check(cairn_jit_remove(session, numbers[i], &error), error);
    if (i % 16 == 0)
      cairn_jit_pending(session, NULL, NULL);
  }
  printf("left: %zu\n", cairn_jit_pending(session, NULL, NULL));
  throw_while_modules_come_and_go(4 * modules);
  printf("again: %ld\n", native_catch(find(8), 0));
  cairn_jit_dispose(session);
  return 0;
}
