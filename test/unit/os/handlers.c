/* SPDX-License-Identifier: Apache-2.0
 *
 * Is the calling thread in a handler that only the kernel knows? What would go wrong: the answer comes from memory that
 * lies above the stack by chance, after a search through all of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/os/os.h"

enum { STACK_BYTES = 256 << 10, HAS_RESTORER = 0x04000000 };

struct kernel_action {
  uintptr_t handler, flags, restorer;
  uint64_t mask;
};

static void handler(int signal)
{
  (void)signal;
}

static void restorer(void)
{
}

static void *ask(void *on_stack)
{
  volatile uintptr_t word = on_stack != NULL ? (uintptr_t)restorer : 0;
  bool answer = cn_os_may_be_in_handler();

  (void)word;
  return answer ? on_stack == NULL ? "yes" : on_stack : NULL;
}

static bool answer_on_thread(void *stack, bool on_stack)
{
  pthread_attr_t attributes;
  pthread_t thread;
  void *answer;

  assert_int_equal(pthread_attr_init(&attributes), 0);
  assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
  assert_int_equal(pthread_create(&thread, &attributes, ask, on_stack ? stack : NULL), 0);
  assert_int_equal(pthread_join(thread, &answer), 0);
  pthread_attr_destroy(&attributes);
  return answer != NULL;
}

static void restorer_above(void **state)
{
  struct kernel_action action = {(uintptr_t)handler, HAS_RESTORER, (uintptr_t)restorer, 0};
  char *stack = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uintptr_t *above = mmap(stack + STACK_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);

  (void)state;
  assert_ptr_not_equal(stack, MAP_FAILED);
  assert_ptr_equal(above, stack + STACK_BYTES);
  assert_int_equal(syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, sizeof action.mask), 0);
  above[0] = (uintptr_t)restorer;
  assert_false(answer_on_thread(stack, false));
  assert_true(answer_on_thread(stack, true));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(restorer_above)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
