/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory runs out in a handler whose signal interrupted native code: the program ends without exit handlers, because
 * the interrupted code may hold a lock that they take. What would go wrong: the program never ends.
 */
// RUN: %cairn-cc -O2 -pthread %s -o %t
// RUN: (env CAIRN_HEAP_MAX=4m timeout 100 %t handler 2>&1 || echo "status $?") | FileCheck %s
// RUN: (env CAIRN_HEAP_MAX=4m timeout 100 %t plain 2>&1 || echo "status $?") | FileCheck --check-prefix=PLAIN %s
// CHECK: cairn: out of memory
// CHECK-NEXT: status 1
// PLAIN: cairn: out of memory
// PLAIN-NEXT: at exit
// PLAIN-NEXT: status 1
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long pad[9];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_exit(void)
{
  pthread_mutex_lock(&lock);
  printf("at exit\n");
}

static void exhaust(int signal)
{
  struct cell managed *list = NULL;

  (void)signal;
  for (;;) {
    struct cell managed *cell = cairn_new(struct cell);
    cell->next = list;
    list = cell;
  }
}

int main(int argc, char **argv)
{
  (void)argc;
  atexit(at_exit);
  if (strcmp(argv[1], "handler") != 0)
    exhaust(0);
  signal(SIGUSR1, exhaust);
  pthread_mutex_lock(&lock);
  raise(SIGUSR1);
  return 0;
}
