/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code that calls managed functions of a random program: on the caller's thread, and on its
 * own threads, which Cairn has not seen before.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

typedef unsigned long ulong;
typedef ulong (*function)(ulong);

struct job {
  function run;
  ulong x, answer;
};

ulong native_twice(function run, ulong x);
ulong native_threads(function run, ulong x, unsigned count);

ulong native_twice(function run, ulong x)
{
  return run(x) + 3 * run(x / 2);
}

static void *work(void *argument)
{
  struct job *job = argument;

  job->answer = native_twice(job->run, job->x);
  return NULL;
}

ulong native_threads(function run, ulong x, unsigned count)
{
  struct job jobs[8];
  pthread_t threads[8];
  ulong sum = 0;

  for (unsigned i = 0; i < count; i++) {
    jobs[i] = (struct job){run, x + i, 0};
    if (pthread_create(&threads[i], NULL, work, &jobs[i]) != 0)
      abort();
  }
  for (unsigned i = 0; i < count; i++) {
    pthread_join(threads[i], NULL);
    sum = sum * 5 + jobs[i].answer;
  }
  return sum;
}
