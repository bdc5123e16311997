/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults on memory that a collection left. What would go wrong: a stale reference in stress mode
 * ends in a bare segmentation fault, or another fault of the program is blamed on the collector or
 * swallowed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cairn/collector.h>
#include "runtime/core/mutator.h"
#include "runtime/inspect/inspect.h"
#include "runtime/signals/signals.h"

/* The default collector, of which nothing is called here: the library's has the roots visited by
 * functions beside the one that this file replaces. */
const struct cairn_collector cairn_collector_generational = {.name = "none"};

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  (void)visit;
  (void)env;
}

void cn_verify_heap(bool after, uint64_t collection, bool roots)
{
  (void)after;
  (void)collection;
  (void)roots;
}

void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap)
{
  (void)heap;
}

/* Read `address` in a child that has the handler; what it writes to the standard error stream. */
static int fault_at(uintptr_t address, void (*before)(int), char text[512])
{
  int pipes[2], status;

  assert_int_equal(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, before);
    dup2(pipes[1], STDERR_FILENO);
    cn_fault_watch_signals();
    _exit(*(volatile char *)address);
  }
  close(pipes[1]);
  ssize_t n = read(pipes[0], text, 511);
  text[n > 0 ? n : 0] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  return status;
}

static void own_handler(int number)
{
  (void)number;
  _exit(77);
}

static void stale_reference_is_explained(void **state)
{
  char text[512];
  uintptr_t end;

  (void)state;
  cairn_set_collector(&cairn_collector_semispace);
  assert_int_equal(cairn_collector_semispace.init(1 << 20, 1 << 20), CAIRN_OK);
  assert_int_equal(cairn_collector_semispace.refill(&cairn_mutator, 8), CAIRN_OK);
  uintptr_t old = cairn_buffer_take(&cairn_mutator, &end);
  cairn_buffer_give(&cairn_mutator, old, end);
  cairn_collector_semispace.collect(&(struct cairn_collection){CAIRN_CAUSE_STRESS, CAIRN_EXTENT_MOVE_ALL, 0});
  int status = fault_at(old + 64, SIG_DFL, text);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  assert_non_null(strstr(text, "cairn: stale reference: address 0x"));
  assert_non_null(strstr(text, "was moved by collection 1, used at pc 0x"));
  assert_non_null(strstr(text, "(fault_at+0x"));
}

static void other_faults_are_left_alone(void **state)
{
  char text[512];
  int status = fault_at(8, SIG_DFL, text);

  (void)state;
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  assert_string_equal(text, "");
  status = fault_at(8, own_handler, text);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 77);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stale_reference_is_explained),
      cmocka_unit_test(other_faults_are_left_alone),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
