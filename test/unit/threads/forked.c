/* SPDX-License-Identifier: Apache-2.0
 *
 * The child of a fork() gives up the buffers of threads that it does not have, and notes their last
 * blocks. What would go wrong: such a thread held the lock of these notes, and the child waits for
 * it without end.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/collector.h>
#include <cairn/thread.h>
#include "runtime/core/lock.h"
#include "runtime/core/mutator.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"

static uintptr_t memory[512];
static _Atomic int held, over;

/* It has a block whose header is not written. */
static void *hold(void *none)
{
  cairn_thread_attach();
  cairn_buffer_give(&cairn_mutator, (uintptr_t)memory, (uintptr_t)(memory + 512));
  assert_non_null(cn_buffer_allocate_block(&cairn_mutator, 64));
  assert_true(cn_lock_take(CN_LOCK_UNFILLED));
  atomic_store(&held, 1);
  while (!atomic_load(&over))
    continue;
  cn_lock_release(CN_LOCK_UNFILLED);
  return none;
}

static void child_goes_on(void **state)
{
  pthread_t thread;
  int status;

  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, hold, NULL), 0);
  while (!atomic_load(&held))
    continue;

  pid_t child = fork();
  if (child == 0)
    _exit(cn_unfilled_exist() && cn_unfilled_has_object((uintptr_t)(memory + 1)) ? 0 : 1);
  atomic_store(&over, 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  pthread_join(thread, NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(child_goes_on)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
