/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program, for bench/gc: `measure FILE PROGRAM ARGUMENT...`. Writes into FILE seconds of the
 * clock and of the processor, in user and in system mode, and the most KiB that the program had. A
 * stack may have a GiB, as far as that is allowed. This process is small: the kernel counts for a
 * program what its parent had when it was started.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(struct timeval time)
{
  return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
  struct rlimit stack;
  struct rusage usage;
  int status;

  if (argc < 3)
    return 2;
  getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = stack.rlim_max < 1UL << 30 ? stack.rlim_max : 1UL << 30;
  setrlimit(RLIMIT_STACK, &stack);
  double start = seconds();
  pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child)
    return 1;
  double took = seconds() - start;
  FILE *file = fopen(argv[1], "w");
  if (file == NULL)
    return 1;
  fprintf(file, "%.6f %.6f %.6f %ld\n", took, seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), usage.ru_maxrss);
  return fclose(file) != 0 || !WIFEXITED(status) ? 1 : WEXITSTATUS(status);
}
