/* SPDX-License-Identifier: Apache-2.0
 *
 * Second mappings of code. What would go wrong: a mapping is made where there is no plain code; a system that denies a
 * step gets half a patch; a child of fork() changes its parent's code, or the other way round.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit/patch/module.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

/* Code that the program itself may write is no plain code. */
static void writable_code(void **state)
{
  struct module m;
  struct cairn_patch_failure failure;

  (void)state;
  module_with_one_site(&m);
  assert_int_equal(mprotect(m.code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_1), CAIRN_E_CODE);
  assert_int_equal(mprotect(m.code, 4096, PROT_READ), 0);
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_1), CAIRN_E_CODE);
  assert_true(module_has_nops(&m, SITE));
  assert_int_equal(mprotect(m.code, 4096, PROT_READ | PROT_EXEC), 0);
  assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_1), CAIRN_OK);
  (void)failure;
  module_unload(&m);
}

static _Atomic uintptr_t function_run; /* 0: the thread runs no module's code; 1: it ends */
static atomic_long calls_run;

static void *run_function(void *unused)
{
  uintptr_t address;

  while ((address = function_run) != 1) {
    int (*function)(void) = (int (*)(void))address;
    if (address != 0 && function() != 1)
      abort();
    calls_run++;
  }
  return unused;
}

/* Wait until the thread has begun and ended a call. */
static void await_calls(void)
{
  long before = calls_run;

  while (calls_run < before + 2)
    ;
}

/* A second mapping is made of pages that a thread runs. */
static void running_code(void **state)
{
  enum { MODULES = 200 };
  struct module m;
  pthread_t thread;

  (void)state;
  assert_int_equal(pthread_create(&thread, NULL, run_function, NULL), 0);
  for (int i = 0; i < MODULES; i++) {
    module_with_one_site(&m);
    function_run = (uintptr_t)m.code + RETURNS_1;
    await_calls();
    assert_int_equal(module_call(&m, SITE, (uintptr_t)m.code + RETURNS_2), CAIRN_OK);
    assert_int_equal(module_run(&m, SITE), 2);
    await_calls();
    function_run = 0;
    await_calls();
    module_unload(&m);
  }
  function_run = 1;
  assert_int_equal(pthread_join(thread, NULL), 0);
}

/* The program brings both mappings, as JIT compilers do. */
static void own_aliases(void **state)
{
  struct module m;
  int file = (int)syscall(SYS_memfd_create, "test", 0);

  (void)state;
  module_begin(&m, 4096);
  module_site(&m, SITE, CALL_BYTES);
  module_point(&m, SITE, CALL_BYTES, 1, CN_POINT_PATCHPOINT);
  uintptr_t one = module_return(&m, RETURNS_1, 1), two = module_return(&m, RETURNS_2, 2);
  module_write_section(&m);
  assert_int_equal(write(file, m.code, 4096), 4096);
  char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert_true(mmap(m.code, 4096, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, file, 0) == m.code);
  close(file);
  uintptr_t start = (uintptr_t)m.code;
  assert_int_equal(cairn_code_alias_add(start, start, writable), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_code_alias_add(start + 1, start + 4096, writable), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_code_alias_add(start, start + 4096, NULL), CAIRN_E_BOUNDS);
  assert_int_equal(cairn_code_alias_add(start, start + 4096, writable), CAIRN_OK);
  assert_int_equal(cairn_code_alias_add(start, start + 8192, writable), CAIRN_E_OVERLAP);
  cn_patch_note_image(&m.image);
  assert_int_equal(module_call(&m, SITE, one), CAIRN_OK);
  assert_int_equal(module_run(&m, SITE), 1);
  assert_memory_equal(writable + SITE, m.code + SITE, CALL_BYTES);
  assert_false(module_has_nops(&m, SITE));
  pid_t child = fork();
  if (child == 0) {
    bool good = module_call(&m, SITE, two) == CAIRN_OK && module_run(&m, SITE) == 2;
    _exit(good ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(module_run(&m, SITE), 1);
  assert_int_equal(cairn_code_alias_remove(start + 4096), CAIRN_E_UNKNOWN);
  assert_int_equal(cairn_code_alias_remove(start), CAIRN_OK);
  assert_int_equal(cairn_code_alias_remove(start), CAIRN_E_UNKNOWN);
  munmap(writable, 4096);
  assert_int_equal(module_call(&m, SITE, two), CAIRN_OK); /* an own alias now */
  assert_int_equal(module_run(&m, SITE), 2);
  module_unload(&m);
}

/* ---- fork() ---- */

/* Parent and child patch one site, each unseen by the other. */
static void forks(void **state)
{
  struct module m;
  int to_child[2], status;
  char byte = 0;

  (void)state;
  module_with_one_site(&m);
  uintptr_t one = (uintptr_t)m.code + RETURNS_1, two = (uintptr_t)m.code + RETURNS_2;
  assert_int_equal(module_call(&m, SITE, one), CAIRN_OK);
  assert_int_equal(pipe(to_child), 0);
  pid_t child = fork();
  if (child == 0) {
    if (read(to_child[0], &byte, 1) != 1 || module_run(&m, SITE) != 1) /* the parent has patched */
      _exit(1);
    if (module_call(&m, SITE, two) != CAIRN_OK || module_run(&m, SITE) != 2)
      _exit(2);
    struct cairn_point point = module_point_at(&m, SITE);
    struct cairn_patch *patch = cairn_patch_begin();
    cairn_patch_restore(patch, &point);
    if (module_commit(patch) != CAIRN_OK || !module_has_nops(&m, SITE))
      _exit(3);
    pid_t grandchild = fork();
    if (grandchild == 0)
      _exit(module_call(&m, SITE, two) == CAIRN_OK && module_run(&m, SITE) == 2 ? 0 : 4);
    if (waitpid(grandchild, &status, 0) != grandchild || status != 0 || !module_has_nops(&m, SITE))
      _exit(5);
    _exit(0);
  }
  assert_int_equal(module_call(&m, SITE, two), CAIRN_OK);
  assert_int_equal(write(to_child[1], &byte, 1), 1);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(module_run(&m, SITE), 2);
  assert_int_equal(module_call(&m, SITE, one), CAIRN_OK);
  assert_int_equal(module_run(&m, SITE), 1);
  module_unload(&m);
}

/* Deny a system call, or answer an errno. */
static void deny(int number)
{
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {4, rules};

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(99);
}

/* Run a function in a child; its result must be 0. */
static void in_child(int (*function)(struct module *m))
{
  struct module m;
  int status;

  module_with_one_site(&m);
  pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(function(&m));
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  module_unload(&m);
}

static int without_memfd(struct module *m)
{
  struct cairn_point point = module_point_at(m, SITE);
  struct cairn_patch_failure failure;
  struct cairn_patch *patch;

  deny(SYS_memfd_create);
  patch = cairn_patch_begin();
  cairn_patch_call(patch, &point, (uintptr_t)m->code + RETURNS_1);
  if (cairn_patch_commit(patch, &failure) != CAIRN_E_CODE || strstr(failure.text, strerror(EPERM)) == NULL)
    return 1;
  return module_has_nops(m, SITE) ? 0 : 2;
}

/* The second mapping is there when memfd_create() becomes impossible: patches go on, but after a fork() both processes
 * share the code. */
static int without_memfd_at_fork(struct module *m)
{
  int status;

  if (module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) != CAIRN_OK)
    return 1;
  deny(SYS_memfd_create);
  if (module_call(m, SITE, (uintptr_t)m->code + RETURNS_2) != CAIRN_OK)
    return 2;
  pid_t child = fork();
  if (child == 0)
    _exit(module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) == CAIRN_E_SHARED ? 0 : 1);
  if (waitpid(child, &status, 0) != child || status != 0)
    return 3;
  return module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) == CAIRN_E_SHARED && module_run(m, SITE) == 2 ? 0 : 4;
}

/* The kernel's interrupts stand in for membarrier(). */
static int without_membarrier(struct module *m)
{
  deny(SYS_membarrier);
  return module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) == CAIRN_OK && module_run(m, SITE) == 1 ? 0 : 1;
}

static int under_mdwe(struct module *m)
{
  if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
    return 1;
  if (module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) != CAIRN_OK || module_run(m, SITE) != 1)
    return 2;
  return mprotect(m->code, 4096, PROT_READ) == 0 && mprotect(m->code, 4096, PROT_READ | PROT_EXEC) != 0 ? 0 : 3;
}

/* A child of clone() has no handlers of fork(): its first batch makes a copy. */
static int in_unseen_child(struct module *m)
{
  int status;

  if (module_call(m, SITE, (uintptr_t)m->code + RETURNS_1) != CAIRN_OK)
    return 1;
  pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0)
    _exit(module_call(m, SITE, (uintptr_t)m->code + RETURNS_2) == CAIRN_OK && module_run(m, SITE) == 2 ? 0 : 1);
  if (waitpid(child, &status, 0) != child || status != 0)
    return 2;
  return module_run(m, SITE) == 1 ? 0 : 3;
}

static void restricted(void **state)
{
  (void)state;
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) < 0)
    skip(); /* an emulator without filters */
  cn_os_prepare_thread_fence(true);
  in_child(without_memfd);
  in_child(without_memfd_at_fork);
  in_child(without_membarrier);
  in_child(under_mdwe);
  in_child(in_unseen_child);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writable_code), cmocka_unit_test(running_code), cmocka_unit_test(own_aliases),
      cmocka_unit_test(forks),         cmocka_unit_test(restricted),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
