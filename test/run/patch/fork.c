// A child of fork() has the code of the fork(), and neither process sees the other's patches, while threads of the
// parent run the code. What would go wrong: the child runs the parent's later patch, or the other way round; the child,
// whose code is copied while a thread patches, has half a batch.
// RUN: rm -rf %t && mkdir %t && cd %t && python3 %S/Inputs/sites.py 16 > sites.ll && \
// RUN:   clang -O2 -c %S/Inputs/leaves.c -o leaves.o
// RUN: %cairn-cc -O2 -I%S/Inputs %s sites.ll leaves.o -o main
// Under stress the child starts a thread, which the emulator's children cannot.
// RUN: %if emulated %{./main 10%} %else %{./main 100 && env CAIRN_STRESS=11 ./main 20%}
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sites.h"

enum { SITES = 16 };

static atomic_bool ends;

static void *run(void *unused)
{
  struct cell managed *cell = make_cell(1000);
  long bad = 0;

  for (long n = 0; !ends; n++)
    bad += run_sites(cell, n);
  EXPECT(bad == 0);
  return unused;
}

/* Sites 1 and 2 change together, always. */
cairn_unmanaged static void *patch_pairs(void *unused)
{
  for (int target = 1; !ends; target = 3 - target) {
    struct cairn_point one = find_point(1), two = find_point(2);
    struct cairn_patch *patch = cairn_patch_begin();
    add_target(patch, &one, target, false);
    add_target(patch, &two, target, false);
    commit(patch);
  }
  return unused;
}

cairn_unmanaged static void check_child(int target)
{
  EXPECT(check_site(0) == ((long)target << 32 | 1));
  long one = check_site(1);
  EXPECT(one == check_site(2));
  patch_one(0, 3 - target, false);
  patch_one(1, 1, true);
  EXPECT(check_site(0) == ((long)(3 - target) << 32 | 1));
  EXPECT(check_site(1) == (1L << 32 | 1));
  EXPECT(check_site(2) == one);
}

cairn_unmanaged static void fork_once(int target)
{
  int pipes[2], status;
  char byte = 0;

  patch_one(0, target, target == 2);
  EXPECT(pipe(pipes) == 0);
  pid_t child = fork();
  if (child == 0) {
    alarm(100);
    EXPECT(read(pipes[0], &byte, 1) == 1); /* the parent has patched */
    check_child(target);
    _exit(0);
  }
  patch_one(0, 3 - target, false);
  EXPECT(check_site(0) == ((long)(3 - target) << 32 | 1));
  EXPECT(write(pipes[1], &byte, 1) == 1);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(check_site(0) == ((long)(3 - target) << 32 | 1));
  close(pipes[0]);
  close(pipes[1]);
}

int main(int argc, char **argv)
{
  pthread_t runner, patcher;

  EXPECT(argc == 2);
  patch_all(SITES);
  EXPECT(pthread_create(&runner, NULL, run, NULL) == 0);
  EXPECT(pthread_create(&patcher, NULL, patch_pairs, NULL) == 0);
  for (int i = 0; i < atoi(argv[1]); i++)
    fork_once(i % 2 + 1);
  ends = true;
  EXPECT(pthread_join(runner, NULL) == 0 && pthread_join(patcher, NULL) == 0);
  return 0;
}
