/* SPDX-License-Identifier: Apache-2.0
 *
 * Who has stopped others, or runs the operation of a handshake, wants what waits for stops:
 * wrong_stops WHO WHAT. The operation runs on a requester that is native, on one that is attached and
 * native, or on the thread that is meant, which is managed (or waits).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/collector.h>
#include <cairn/thread.h>

struct node {
  struct node managed *next;
};

static const char *who, *what;
static void *library;
static jmp_buf before;
static _Atomic int polls, over;

static void allocate(void)
{
  struct node managed *node = cairn_new(struct node);

  node->next = node;
  cairn_collect();
}

cairn_unmanaged static int is(const char *name)
{
  return strcmp(what, name) == 0;
}

cairn_unmanaged static void operation(int thread, void *function)
{
  (void)thread;
  if (is("collect"))
    cairn_collect();
  if (is("call"))
    ((void (*)(void))function)();
  if (is("attach"))
    cairn_thread_attach();
  if (is("detach"))
    cairn_thread_detach();
  if (is("fork") && fork() == 0)
    _exit(0);
  if (is("unload"))
    dlclose(library);
  if (is("exit"))
    exit(0);
  if (is("end"))
    pthread_exit(NULL);
  if (is("jump"))
    longjmp(before, 1);
}

cairn_unmanaged static void *request(void *function)
{
  int main_thread = getpid();

  if (who[0] != 'n')
    cairn_thread_attach();
  while (who[0] == 'm' && !polls)
    ;
  if (setjmp(before) == 0)
    printf("status %d\n", (int)cairn_handshake(main_thread, operation, function, CAIRN_ASK_FOREVER));
  over = 1;
  return NULL;
}

static long poll(void)
{
  long n = 0;

  polls = 1;
  while (!over)
    n++;
  return n;
}

int main(int argc, char **argv)
{
  pthread_t thread;

  (void)argc;
  who = argv[1];
  what = argv[2];
  if (is("unload"))
    library = dlopen(argv[3], RTLD_NOW);
  pthread_create(&thread, NULL, request, (void *)allocate);
  if (who[0] == 'm')
    poll();
  pthread_join(thread, NULL);
  allocate();
  puts("survived");
  return 0;
}
