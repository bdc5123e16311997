/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests of what ends the program: run it in a child. After cmocka.h.
 */
#ifndef CN_TEST_ABORTS_H
#define CN_TEST_ABORTS_H

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Run `broken` in a child; it must abort with `message` on its standard error stream. */
static inline void aborts(void (*broken)(void), const char *message)
{
  char text[512];
  int pipes[2], status;

  assert_int_equal(pipe(pipes), 0);
  pid_t child = fork();
  if (child == 0) {
    /* cmocka's handlers would go on with the tests in the child. */
    signal(SIGABRT, SIG_DFL);
    signal(SIGSEGV, SIG_DFL);
    dup2(pipes[1], STDERR_FILENO);
    alarm(20); /* a walk that never ends would outlive the test */
    broken();
    _exit(0);
  }
  close(pipes[1]);
  size_t length = 0;
  ssize_t n; /* a message may come in several parts */
  while ((n = read(pipes[0], text + length, sizeof text - 1 - length)) > 0)
    length += (size_t)n;
  text[length] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (strstr(text, message) == NULL)
    fail_msg("expected \"%s\" in: %s", message, text);
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

#endif
