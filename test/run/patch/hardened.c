// Services forbid memory that becomes executable. A commit that is denied a system call says so, and leaves all code as
// it was, while threads run it; so does a dependency. What would go wrong: a part of a batch is written; a later commit
// of the same process fails where its code has a second mapping already.
// RUN: rm -rf %t && mkdir %t && cd %t && python3 %S/Inputs/sites.py 4 > sites.ll && \
// RUN:   clang -O2 -fPIC -c %S/Inputs/leaves.c -o leaves.o
// RUN: %cairn-cc -O2 -fPIC -shared -I%S/Inputs %S/Inputs/library.c sites.ll leaves.o -o library.so
// RUN: %cairn-cc -O2 -I%S/Inputs %s sites.ll leaves.o -o main
// RUN: ./main memfd 2>&1 | FileCheck --check-prefix=MEMFD %s && env CAIRN_STRESS=5 ./main memfd >/dev/null 2>&1
// RUN: ./main exec 2>&1 | FileCheck --check-prefix=EXEC %s && env CAIRN_STRESS=5 ./main exec >/dev/null 2>&1
// RUN: ./main mdwe 2>&1 | FileCheck --check-prefix=MDWE %s
// MEMFD: commit: -84 the code's pages cannot be mapped twice: Operation not permitted, at a site
// MEMFD: depend: -84 the code's pages cannot be mapped twice: Operation not permitted, at a site
// MEMFD: after a patch: 0
// EXEC: commit: -84 the code's pages cannot be mapped twice: Operation not permitted, at a site
// EXEC: depend: -84 the code's pages cannot be mapped twice: Operation not permitted, at a site
// EXEC: after a patch: 0
// MDWE: commit: 0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sites.h"
#include <cairn/assumption.h>

enum { SITES = 4, ALLOWED, DENIED };

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

cairn_unmanaged static void install(struct sock_filter *rules, unsigned short count)
{
  struct sock_fprog program = {count, rules};

  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

#define NUMBER_TO_ACCUMULATOR BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)
#define UNLESS(number, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, skipped)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define DENY BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */)

cairn_unmanaged static void deny_memfd(void)
{
  struct sock_filter rules[] = {NUMBER_TO_ACCUMULATOR, UNLESS(SYS_memfd_create, 1), DENY, ALLOW};

  install(rules, sizeof rules / sizeof *rules);
}

/* As systemd's MemoryDenyWriteExecute does: mprotect() and mmap() with PROT_EXEC. The third argument has the rights. */
cairn_unmanaged static void deny_exec(void)
{
  struct sock_filter rules[] = {
      NUMBER_TO_ACCUMULATOR,
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
      UNLESS(SYS_mprotect, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 32),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      DENY,
      ALLOW,
  };

  install(rules, sizeof rules / sizeof *rules);
}

cairn_unmanaged static void report(const char *what, const struct cairn_patch_failure *failure)
{
  printf("%s: %d %s%s\n", what, (int)failure->status, failure->text, failure->address != 0 ? ", at a site" : "");
}

/* The sites of the program, and of the library, if `count` is 2. */
cairn_unmanaged static struct cairn_patch *begin_patches(int count, int target)
{
  struct cairn_patch *patch = cairn_patch_begin();

  for (int library = 0; library < count; library++)
    for (uint64_t id = 0; id < 2 * SITES; id++) {
      struct cairn_point points[2];
      if (cairn_points_with_id(id, points, 2) == 2)
        add_target(patch, &points[library], target, true);
    }
  return patch;
}

/* The program's sites have target 1. */
cairn_unmanaged static void check_unchanged(void)
{
  for (long k = 0; k < SITES; k++)
    EXPECT(check_site(k) == (1L << 32 | 1));
}

cairn_unmanaged static void try_all(void)
{
  struct cairn_patch_failure failure;
  struct cairn_assumption *assumption = cairn_assumption_new();

  cairn_patch_commit(begin_patches(2, 2), &failure);
  report("commit", &failure);
  if (failure.status == CAIRN_OK)
    return;
  check_unchanged();
  EXPECT(cairn_assumption_depend(assumption, begin_patches(2, 2), &failure) == failure.status);
  report("depend", &failure);
  EXPECT(cairn_assumption_sites(assumption) == 0 && cairn_assumption_holds(assumption));
  check_unchanged();
  cairn_assumption_free(assumption);
  commit(begin_patches(1, 2)); /* the program's code has its second mapping */
  EXPECT(check_site(0) == (2L << 32 | 2));
  printf("after a patch: 0\n");
}

int main(int argc, char **argv)
{
  pthread_t runner;

  EXPECT(argc == 2);
  patch_all(SITES);
  EXPECT(dlopen("./library.so", RTLD_NOW | RTLD_LOCAL) != NULL);
  EXPECT(pthread_create(&runner, NULL, run, NULL) == 0);
  if (strcmp(argv[1], "memfd") == 0)
    deny_memfd();
  else if (strcmp(argv[1], "exec") == 0)
    deny_exec();
  else
    EXPECT(prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) == 0);
  try_all();
  ends = true;
  EXPECT(pthread_join(runner, NULL) == 0);
  return 0;
}
