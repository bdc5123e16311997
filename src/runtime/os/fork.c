/* SPDX-License-Identifier: Apache-2.0
 *
 * Follows fork(), and detects children that are made otherwise. Any thread.
 */
#include "runtime/os/os.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include "base/check.h"

/* The function behind pthread_atfork(). The latter adds a symbol of crtbegin.o that tells the handler's owner, and a
 * program linked with -nostartfiles lacks that file. The runtime is in the executable: the owner is null. */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *image);

enum { MAX_HANDLERS = 16 };
static void (*children[MAX_HANDLERS])(void); /* called after each fork(), in this order */
static _Atomic unsigned child_count;

static void note_child(void (*child)(void))
{
  CN_ASSERT(child != NULL);
  for (unsigned i = 0; i < atomic_load(&child_count); i++)
    if (children[i] == child)
      return;
  unsigned at = atomic_fetch_add(&child_count, 1);
  CN_CHECK(at < MAX_HANDLERS);
  children[at] = child;
}

void cn_os_forks(void (*before)(void), void (*parent)(void), void (*child)(void))
{
  if (child != NULL)
    note_child(child);
  __register_atfork(before, parent, child, NULL);
}

void cn_os_forked(void (*child)(void))
{
  cn_os_forks(NULL, NULL, child);
}

/* In a page that a child finds empty. Null: the kernel lacks such pages. */
static _Atomic uint32_t *process;
enum { NEW, TAKEN, KNOWN };

static void mark_process_known(void)
{
  if (process != NULL)
    atomic_store(process, KNOWN);
}

void cn_os_forks_watch(void)
{
  CN_ASSERT(process == NULL); /* watched once */
  void *page = cn_os_resize(NULL, 0, cn_os_page());

  if (page != NULL && madvise(page, cn_os_page(), MADV_WIPEONFORK) == 0)
    process = page;
  else if (page != NULL)
    cn_os_free(page, cn_os_page());
  mark_process_known();
  __register_atfork(NULL, NULL, mark_process_known, NULL);
}

bool cn_os_is_new_process(void)
{
  return process != NULL && atomic_load_explicit(process, memory_order_acquire) != KNOWN;
}

bool cn_os_new_process_take(void)
{
  uint32_t expected = NEW;

  CN_CHECK(process != NULL);
  return atomic_compare_exchange_strong(process, &expected, TAKEN);
}

void cn_os_new_process_settle(bool call)
{
  CN_CHECK(process != NULL && atomic_load(process) == TAKEN);
  for (unsigned i = 0; call && i < atomic_load(&child_count); i++)
    children[i]();
  mark_process_known();
}
