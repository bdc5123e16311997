/* SPDX-License-Identifier: Apache-2.0
 *
 * Notices the ends of threads, for glibc. Each thread, for itself.
 */
#include "runtime/libc/thread_end.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

/* glibc has its function under another name in static programs. */
typedef int set_function(pthread_key_t key, const void *value);
extern set_function __pthread_setspecific __attribute__((weak));
static set_function *next;

/* Brings the C library's function into a static program. */
__attribute__((used)) static int (*const brings_it)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                                    void *) = pthread_create;

static pthread_key_t ending;
static bool has_key;
static cn_thread_end_round *tell;
static _Thread_local unsigned rounds;
static _Thread_local bool awaited; /* `ending` has a value, or the rounds are over */

static void find_next(void)
{
  void *symbol = cn_os_library_next_symbol("pthread_setspecific");

  if (symbol != NULL)
    memcpy(&next, &symbol, sizeof next);
  else
    next = __pthread_setspecific;
}

static bool set_ending_key(void)
{
  return next(ending, &rounds) == 0;
}

static void end_destructor_round(void *value)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);
  bool last = ++rounds == PTHREAD_DESTRUCTOR_ITERATIONS;

  (void)value;
  if (!last && !set_ending_key())
    cn_report_fatal(pc, "no memory to notice the end of the thread");
  tell(last, pc);
}

void cn_thread_end_init(cn_thread_end_round *round)
{
  CN_CHECK(round != NULL && tell == NULL);
  tell = round;
  if (next == NULL)
    find_next();
  has_key = pthread_key_create(&ending, end_destructor_round) == 0;
}

void cn_thread_end_await(uintptr_t pc)
{
  if (!has_key)
    cn_report_fatal(pc, "there was no key for thread-specific data left, so the end of the thread "
                        "would not be noticed");
  if (rounds == PTHREAD_DESTRUCTOR_ITERATIONS && cn_thread_delivers())
    return; /* the end of the handler detaches it */
  if (rounds == PTHREAD_DESTRUCTOR_ITERATIONS)
    cn_report_fatal(pc, "a destructor of thread-specific data runs managed code, and no round of "
                        "destructors is left that would detach the thread");
  if (!awaited && !set_ending_key())
    cn_report_fatal(pc, "no memory to notice the end of the thread");
  awaited = true;
}

/* ---- the C library's functions ---- */

#define PUBLIC __attribute__((visibility("default")))

PUBLIC __attribute__((weak)) int pthread_setspecific(pthread_key_t key, const void *value)
{
  if (next == NULL) /* a sanitizer's runtime starts before this one */
    find_next();
  if (value != NULL && has_key && !awaited)
    awaited = set_ending_key();
  return next(key, value);
}

PUBLIC __attribute__((weak)) int tss_set(tss_t key, void *value)
{
  return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}
