/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiles in the background: threads of a session take compilations from a bounded queue, by priority. Each is a
 * replacement by code of the full tier. The queue's lock covers the queue, and is released during a compilation; no
 * other lock is taken within. The threads are native, receive none of the program's signals, and end with the session.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/check.h"
#include "jit/session.h"

enum { MAX_THREADS = 64, DEFAULT_WAITING = 256 };

struct cn_jit_queue {
  struct cairn_jit *session;
  cairn_jit_compiled *compiled;
  void *compiled_env;
  unsigned max_waiting, thread_count;
  pid_t process; /* a forked child lacks the threads */
  pthread_t threads[MAX_THREADS];
  pthread_mutex_t lock; /* of the rest */
  pthread_cond_t changed;
  CN_VECTOR(struct cn_jit_job) waiting; /* the oldest first */
  uint64_t tickets;
  unsigned running;
  bool ended;
};

static bool is_in_child(const struct cn_jit_queue *queue)
{
  return queue->process != getpid();
}

static void free_job(struct cn_jit_job *job)
{
  free(job->name);
  free(job->bytes);
}

static struct cn_jit_job take_at(struct cn_jit_queue *queue, size_t at)
{
  struct cn_jit_job job = queue->waiting.at[at];

  queue->waiting.count--;
  memmove(&queue->waiting.at[at], &queue->waiting.at[at + 1], (queue->waiting.count - at) * sizeof job);
  return job;
}

static struct cn_jit_job take_first(struct cn_jit_queue *queue)
{
  size_t first = 0;

  for (size_t i = 1; i < queue->waiting.count; i++)
    if (queue->waiting.at[i].priority > queue->waiting.at[first].priority)
      first = i;
  return take_at(queue, first);
}

/* ---- threads ---- */

static void compile(struct cn_jit_queue *queue, struct cn_jit_job *job)
{
  uint64_t module;
  char *error = NULL;
  enum cairn_status status = cn_jit_replace_later(queue->session, job, &module, &error);

  if (queue->compiled)
    queue->compiled(queue->compiled_env, job->ticket, status, module, error);
  free(error);
  free_job(job);
}

static void *run(void *argument)
{
  struct cn_jit_queue *queue = argument;

  pthread_mutex_lock(&queue->lock);
  for (;;) {
    while (!queue->ended && !queue->waiting.count)
      pthread_cond_wait(&queue->changed, &queue->lock);
    if (queue->ended)
      break;
    struct cn_jit_job job = take_first(queue);
    queue->running++;
    pthread_mutex_unlock(&queue->lock);
    compile(queue, &job);
    pthread_mutex_lock(&queue->lock);
    queue->running--;
    pthread_cond_broadcast(&queue->changed);
  }
  pthread_mutex_unlock(&queue->lock);
  return NULL;
}

static bool start_threads(struct cn_jit_queue *queue, unsigned count)
{
  sigset_t all, old;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  while (queue->thread_count < count && pthread_create(&queue->threads[queue->thread_count], NULL, run, queue) == 0)
    pthread_setname_np(queue->threads[queue->thread_count++], "cairn-compile");
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return queue->thread_count == count;
}

bool cn_jit_queue_begin(struct cairn_jit *session, const struct cairn_jit_options *options, char **error)
{
  if (options->threads > MAX_THREADS) {
    *error = cn_format("threads is above %d", MAX_THREADS);
    return false;
  }
  if (!options->threads)
    return true;
  struct cn_jit_queue *queue = session->queue = cn_alloc(sizeof *queue);
  queue->session = session;
  queue->compiled = options->compiled;
  queue->compiled_env = options->compiled_env;
  queue->process = getpid();
  queue->max_waiting = options->waiting ? options->waiting : DEFAULT_WAITING;
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->changed, NULL);
  if (start_threads(queue, options->threads))
    return true;
  *error = cn_format("the system refuses %u threads", options->threads);
  return false;
}

void cn_jit_queue_end(struct cairn_jit *session)
{
  struct cn_jit_queue *queue = session->queue;

  if (!queue)
    return;
  pthread_mutex_lock(&queue->lock);
  queue->ended = true;
  while (queue->waiting.count)
    free_job(&queue->waiting.at[--queue->waiting.count]);
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
  cn_free(&queue->waiting);
  if (is_in_child(queue)) { /* where the condition still counts the threads that waited */
    session->queue = NULL;
    return;
  }
  for (unsigned i = 0; i < queue->thread_count; i++)
    pthread_join(queue->threads[i], NULL);
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
  free(queue);
  session->queue = NULL;
}

/* ---- calls ---- */

static void push(struct cn_jit_queue *queue, const char *name, const void *bytes, size_t size, int priority,
                 uint64_t since)
{
  struct cn_jit_job job = {++queue->tickets, priority, cn_strdup(name), cn_alloc(size + 1), size, since};

  memcpy(job.bytes, bytes, size);
  cn_push(&queue->waiting, job);
  pthread_cond_broadcast(&queue->changed);
}

enum cairn_status cairn_jit_compile_later(struct cairn_jit *session, const char *name, const void *bytes, size_t size,
                                          int priority, uint64_t *ticket, char **error)
{
  struct cn_jit_queue *queue = session->queue;

  *ticket = 0;
  *error = queue && !is_in_child(queue) ? NULL : cn_strdup("the session has no threads that compile in the background");
  if (*error)
    return CAIRN_E_REFUSED;
  pthread_mutex_lock(&session->lock);
  uint64_t since = session->names.changes;
  pthread_mutex_unlock(&session->lock);
  pthread_mutex_lock(&queue->lock);
  if (queue->waiting.count >= queue->max_waiting) {
    *error = cn_format("%zu compilations wait already", queue->waiting.count);
  } else {
    push(queue, name, bytes, size, priority, since);
    *ticket = queue->tickets;
  }
  pthread_mutex_unlock(&queue->lock);
  return *ticket ? CAIRN_OK : CAIRN_E_BUSY;
}

enum cairn_status cairn_jit_cancel(struct cairn_jit *session, uint64_t ticket, char **error)
{
  struct cn_jit_queue *queue = session->queue;
  bool found = false;

  *error = NULL;
  if (queue)
    pthread_mutex_lock(&queue->lock);
  for (size_t i = 0; queue && !found && i < queue->waiting.count; i++)
    if (queue->waiting.at[i].ticket == ticket) {
      struct cn_jit_job job = take_at(queue, i);
      free_job(&job);
      pthread_cond_broadcast(&queue->changed);
      found = true;
    }
  if (queue)
    pthread_mutex_unlock(&queue->lock);
  if (!found)
    *error = cn_format("compilation %llu does not wait", (unsigned long long)ticket);
  return found ? CAIRN_OK : CAIRN_E_UNKNOWN;
}

void cairn_jit_finish(struct cairn_jit *session)
{
  struct cn_jit_queue *queue = session->queue;

  if (!queue)
    return;
  pthread_mutex_lock(&queue->lock);
  while (queue->waiting.count || queue->running)
    pthread_cond_wait(&queue->changed, &queue->lock);
  pthread_mutex_unlock(&queue->lock);
}
