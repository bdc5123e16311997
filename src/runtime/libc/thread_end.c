/* SPDX-License-Identifier: Apache-2.0
 *
 * Notices the ends of threads, for glibc: defines pthread_setspecific() and tss_set(), and calls back in each round of
 * destructors. Runs on each thread for itself. pthread_setspecific() and tss_set() run in any phase, even before the
 * start; rounds and requests run in phase MUTATE. The key, the callback and the C library's function are set once, at
 * the start; the count of rounds and the mark of a watched thread are thread-local.
 */
#include "runtime/libc/libc.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

/* the name of glibc's pthread_setspecific() in static programs */
typedef int setspecific_function(pthread_key_t key, const void *value);
extern setspecific_function __pthread_setspecific __attribute__((weak));
static setspecific_function *libc_setspecific;

/* This reference links glibc's function into a static program. */
__attribute__((used)) static int (*const libc_link_reference)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                                                              void *) = pthread_create;

static pthread_key_t end_key;
static bool has_end_key;
static cn_thread_end_callback *round_callback;
static _Thread_local unsigned destructor_rounds;
static _Thread_local bool end_watched; /* `end_key` has a value, or the rounds are over */

static void find_libc_setspecific(void)
{
  void *symbol = cn_os_find_next_symbol("pthread_setspecific");

  if (symbol != NULL)
    memcpy(&libc_setspecific, &symbol, sizeof libc_setspecific);
  else
    libc_setspecific = __pthread_setspecific;
}

static bool set_end_key(void)
{
  return libc_setspecific(end_key, &destructor_rounds) == 0;
}

static void report_destructor_round(void *value)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);
  bool last = ++destructor_rounds == PTHREAD_DESTRUCTOR_ITERATIONS;

  (void)value;
  if (!last && !set_end_key())
    cn_report_fatal(pc, "no memory to notice the end of the thread");
  round_callback(last, pc);
}

void cn_thread_end_init(cn_thread_end_callback *round)
{
  CN_CHECK(round != NULL && round_callback == NULL);
  round_callback = round;
  if (libc_setspecific == NULL)
    find_libc_setspecific();
  has_end_key = pthread_key_create(&end_key, report_destructor_round) == 0;
}

void cn_thread_end_watch(uintptr_t pc)
{
  if (!has_end_key)
    cn_report_fatal(pc, "there was no key for thread-specific data left, so the end of the thread "
                        "would not be noticed");
  if (destructor_rounds == PTHREAD_DESTRUCTOR_ITERATIONS && cn_thread_is_in_handler())
    return; /* cn_detach_at_handler_end() detaches the thread */
  if (destructor_rounds == PTHREAD_DESTRUCTOR_ITERATIONS)
    cn_report_fatal(pc, "a destructor of thread-specific data runs managed code, and no round of "
                        "destructors is left that would detach the thread");
  if (!end_watched && !set_end_key())
    cn_report_fatal(pc, "no memory to notice the end of the thread");
  end_watched = true;
}

/* ---- the C library's functions ---- */

#define PUBLIC __attribute__((visibility("default")))

PUBLIC __attribute__((weak)) int pthread_setspecific(pthread_key_t key, const void *value)
{
  if (libc_setspecific == NULL) /* a sanitizer's runtime starts before Cairn's */
    find_libc_setspecific();
  if (value != NULL && has_end_key && !end_watched)
    end_watched = set_end_key();
  return libc_setspecific(key, value);
}

PUBLIC __attribute__((weak)) int tss_set(tss_t key, void *value)
{
  return pthread_setspecific(key, value) == 0 ? thrd_success : thrd_error;
}
