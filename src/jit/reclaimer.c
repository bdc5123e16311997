/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at the removed modules of all sessions after each full collection. The first removal starts a thread, which a
 * listener wakes (<cairn/events.h>). The thread holds `sessions_lock` while it works; it takes a session's lock within,
 * and no thread that holds a session's lock waits for `sessions_lock`. fork() waits for the end of a look. A
 * forked child has no such thread: there, removals and cairn_jit_pending() alone free modules.
 */
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <cairn/collector.h>
#include <cairn/events.h>
#include "base/check.h"
#include "jit/session.h"

static pthread_once_t started = PTHREAD_ONCE_INIT;
static sem_t collections;     /* posted after a full collection */
static atomic_bool is_posted; /* at most one post waits */
static pthread_mutex_t sessions_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t arrivals_lock = PTHREAD_MUTEX_INITIALIZER; /* innermost */
static CN_VECTOR(struct cairn_jit *) sessions;                    /* of the thread */
static CN_VECTOR(struct cairn_jit *) arrivals;                    /* sessions that the thread is to take over */

void cn_jit_reclaimer_wake(void)
{
  if (!atomic_exchange(&is_posted, true))
    sem_post(&collections);
}

/* Called in phase STOP. */
static void listen(void *env, const struct cairn_event *event)
{
  (void)env;
  if (event->kind == CAIRN_EVENT_COLLECTION_ENDS && event->asked->extent != CAIRN_EXTENT_YOUNG)
    cn_jit_reclaimer_wake();
}

static void take_arrivals(void)
{
  pthread_mutex_lock(&arrivals_lock);
  for (size_t i = 0; i < arrivals.count; i++)
    cn_push(&sessions, arrivals.at[i]);
  arrivals.count = 0;
  pthread_mutex_unlock(&arrivals_lock);
}

/* False: the session needs no more looks. Its owner may free it once `watched` is false and the lock is free. */
static bool look_at_session(struct cairn_jit *session)
{
  pthread_mutex_lock(&session->lock);
  cn_jit_reclaim(session);
  bool done = session->removed.count == 0, ended = session->ended;
  session->watched = !done;
  pthread_mutex_unlock(&session->lock);
  if (done && ended)
    cn_jit_free(session);
  return !done;
}

static void look_at_sessions(void)
{
  size_t kept = 0;

  pthread_mutex_lock(&sessions_lock);
  take_arrivals();
  for (size_t i = 0; i < sessions.count; i++)
    if (look_at_session(sessions.at[i]))
      sessions.at[kept++] = sessions.at[i];
  sessions.count = kept;
  pthread_mutex_unlock(&sessions_lock);
}

static void *run(void *unused)
{
  (void)unused;
  for (;;) {
    while (sem_wait(&collections) != 0)
      ;
    atomic_store(&is_posted, false);
    look_at_sessions();
  }
  return NULL;
}

/* A child has copies of the locks, which are free then. */
static void wait_for_thread(void)
{
  pthread_mutex_lock(&sessions_lock);
  pthread_mutex_lock(&arrivals_lock);
}

static void let_thread_go(void)
{
  pthread_mutex_unlock(&arrivals_lock);
  pthread_mutex_unlock(&sessions_lock);
}

/* The thread receives none of the program's signals. */
static void start(void)
{
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, old;

  CN_CHECK(sem_init(&collections, 0, 0) == 0 && pthread_atfork(wait_for_thread, let_thread_go, let_thread_go) == 0);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  if (pthread_create(&thread, &attributes, run, NULL) == 0) {
    pthread_setname_np(thread, "cairn-jit");
    cairn_listen(listen, NULL);
  }
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
}

void cn_jit_reclaimer_add(struct cairn_jit *session)
{
  if (session->watched)
    return;
  session->watched = true;
  pthread_once(&started, start);
  pthread_mutex_lock(&arrivals_lock);
  cn_push(&arrivals, session);
  pthread_mutex_unlock(&arrivals_lock);
}
