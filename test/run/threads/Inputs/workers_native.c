/* SPDX-License-Identifier: Apache-2.0
 *
 * For workers.c: the last thread of the process, in native code, which detaches itself and looks how many threads
 * there are.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <cairn/thread.h>

long work_for_native(long rounds);

static int tasks(void)
{
  DIR *directory = opendir("/proc/self/task");
  int count = 0;

  while (readdir(directory))
    count++;
  closedir(directory);
  return count - 2;
}

void *last(void *main_thread)
{
  pthread_join((pthread_t)main_thread, 0);
  work_for_native(3);
  int before = tasks();
  cairn_thread_detach();
  for (int i = 0; i < 10000 && tasks() != 2; i++) /* the kernel lists a joined thread for a moment */
    usleep(1000);
  int after = tasks();
  work_for_native(3);
  printf("the last thread: %d threads of the process before, %d after, %d again\n", before, after, tasks());
  return 0;
}
