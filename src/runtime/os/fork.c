/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers handlers of fork(), and detects child processes that the program makes by other means. Owns the list of the
 * child's handlers, whose count is atomic, and an atomic word in a page that the kernel clears in a child;
 * `process_state` points to the word. The start sets `process_state`, and libc knows one handler, which calls those of
 * the list; other functions run on any thread, in any phase.
 * A handler of the child runs once in each child, after fork() or by threads/unseen.c.
 */
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include "base/check.h"

/* The function that pthread_atfork() calls, used directly because pthread_atfork() needs crtbegin.o, which programs
 * linked with -nostartfiles lack. The owner is null: the runtime is in the executable. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *image);

enum { MAX_CHILD_HANDLERS = 16 };
typedef void child_handler(void);
static child_handler *_Atomic child_handlers[MAX_CHILD_HANDLERS]; /* called after each fork(), in this order */
static _Atomic unsigned child_handler_count;

/* A word in a page that the kernel clears in a child (MADV_WIPEONFORK). Null: the kernel does not support this. */
static _Atomic uint32_t *process_state;
enum { PROCESS_NEW, PROCESS_CLAIMED, PROCESS_KNOWN };

static void mark_process_known(void)
{
  if (process_state != NULL)
    atomic_store(process_state, PROCESS_KNOWN);
}

static void call_child_handlers(void)
{
  for (unsigned i = 0; i < atomic_load(&child_handler_count); i++) {
    child_handler *handler = atomic_load(&child_handlers[i]);
    if (handler != NULL) /* null: a thread of the parent was about to store it */
      handler();
  }
}

static void reset_child(void)
{
  mark_process_known();
  call_child_handlers();
}

/* libc learns of one handler, in the first call. Later calls need no lock of libc's, which a fork() of another thread
 * may hold (glibc before 2.36) while it waits for the calling thread. */
void cn_os_register_child_handler(void (*child)(void))
{
  static _Atomic bool registered;

  CN_ASSERT(child != NULL);
  if (!atomic_exchange(&registered, true))
    __register_atfork(NULL, NULL, reset_child, NULL);
  for (unsigned i = 0; i < atomic_load(&child_handler_count); i++)
    if (atomic_load(&child_handlers[i]) == child)
      return;
  unsigned at = atomic_fetch_add(&child_handler_count, 1);
  CN_CHECK(at < MAX_CHILD_HANDLERS);
  atomic_store(&child_handlers[at], child);
}

void cn_os_register_fork_handlers(void (*before)(void), void (*parent)(void), void (*child)(void))
{
  cn_os_register_child_handler(child);
  __register_atfork(before, parent, NULL, NULL);
}

void cn_os_watch_new_processes(void)
{
  CN_ASSERT(process_state == NULL); /* fails if called twice */
  void *page = cn_os_resize_mapping(NULL, 0, cn_os_page_bytes());

  if (page != NULL && madvise(page, cn_os_page_bytes(), MADV_WIPEONFORK) == 0)
    process_state = page;
  else if (page != NULL)
    cn_os_free_mapping(page, cn_os_page_bytes());
  mark_process_known();
}

bool cn_os_is_new_process(void)
{
  return process_state != NULL && atomic_load_explicit(process_state, memory_order_acquire) != PROCESS_KNOWN;
}

bool cn_os_claim_new_process(void)
{
  uint32_t expected = PROCESS_NEW;

  CN_CHECK(process_state != NULL);
  return atomic_compare_exchange_strong(process_state, &expected, PROCESS_CLAIMED);
}

void cn_os_finish_new_process(bool call)
{
  CN_CHECK(process_state != NULL && atomic_load(process_state) == PROCESS_CLAIMED);
  if (call)
    call_child_handlers();
  mark_process_known();
}
