/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that works beside the program, step by step: each step is a handshake with all threads
 * of the program. A collector includes this once.
 */
#include <unistd.h>
#include <cairn/thread.h>

static _Atomic bool steps_wanted;
static long steps;
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* several threads may answer at a time */

/* The collector's: some work; and what it does by handshakes of its own. */
static void step(void);
static enum cairn_status after_step(void);

static void step_of_thread(int thread, void *env)
{
  (void)thread;
  (void)env;
  pthread_mutex_lock(&one);
  if (steps_wanted) {
    steps++;
    step();
  }
  pthread_mutex_unlock(&one);
}

static void *take_steps(void *unused)
{
  enum cairn_status status = CAIRN_OK;

  (void)unused;
  while (status != CAIRN_E_ENDED) {
    if (steps_wanted)
      status = cairn_handshake_all(step_of_thread, NULL, CAIRN_ASK_FOREVER);
    if (status == CAIRN_OK && steps_wanted)
      status = after_step();
    usleep(20);
  }
  return NULL;
}

static void start_steps(void)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, take_steps, NULL) != 0)
    cairn_fatal("collector: no thread");
  pthread_detach(thread);
}
