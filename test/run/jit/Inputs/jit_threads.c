/* Threads that add, look up, replace, remove and queue modules in one session at the same time. The modules' code does
 * not run, so that the program can run under ThreadSanitizer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/jit.h>
#include "check.h"

static struct cairn_jit *session;
static atomic_long ended;

static size_t write_version(char *text, int thread, long version)
{
  return (size_t)sprintf(text, "define i64 @own_%1$d() gc \"statepoint-example\" {\n  ret i64 %2$ld\n}\n"
                               "declare i64 @shared()\n"
                               "define i64 @call_%1$d() gc \"statepoint-example\" {\n  %%n = call i64 @shared()\n"
                                "  ret i64 %%n\n}\n",
                         thread, version);
}

static void *work(void *number)
{
  int thread = (int)(long)number;
  char text[1024], name[32], *error = NULL;
  uint64_t module, version, ticket;
  void *address;

  for (long round = 0; round < 12; round++) {
    sprintf(name, "own_%d", thread);
    size_t size = write_version(text, thread, round);
    check(cairn_jit_add_ir(session, text, size, &module, &error), error);
    check(cairn_jit_look_up(session, name, &address, &error), error);
    sprintf(name, "call_%d", thread);
    check(cairn_jit_look_up(session, name, &address, &error), error);
    check(cairn_jit_replace_ir(session, name, text, size, &version, &error), error);
    size = (size_t)sprintf(text, "define i64 @shared() gc \"statepoint-example\" {\n  ret i64 %ld\n}\n", round);
    check(cairn_jit_compile_later(session, "shared", text, size, thread, &ticket, &error), error);
    if (round % 3 == 0 && cairn_jit_cancel(session, ticket, &error))
      free(error);
    check(cairn_jit_remove(session, version, &error), error);
    if (round % 4 == 3)
      cairn_jit_pending(session, NULL, NULL);
  }
  return NULL;
}

static void count(void *env, uint64_t ticket, enum cairn_status status, uint64_t module, const char *error)
{
  (void)env, (void)ticket, (void)module, (void)error;
  if (status == CAIRN_OK)
    atomic_fetch_add(&ended, 1);
}

int main(void)
{
  const struct cairn_jit_options options = {
      .compile = {.tier = CAIRN_TIER_QUICK}, .threads = 2, .waiting = 1000, .compiled = count};
  static const char text[] = "define i64 @shared() gc \"statepoint-example\" {\n  ret i64 0\n}\n";
  pthread_t threads[3];
  uint64_t module;
  char *error = NULL;

  check(cairn_jit_new(&options, &session, &error), error);
  check(cairn_jit_add_ir(session, text, strlen(text), &module, &error), error);
  for (long i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, work, (void *)i);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  cairn_jit_finish(session);
  cairn_jit_dispose(session);
  printf("compiled: %s\n", atomic_load(&ended) ? "some" : "none");
  return 0;
}
