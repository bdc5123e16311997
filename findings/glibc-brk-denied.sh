#!/bin/sh
# glibc 2.36: sbrk() reports success where the kernel refuses brk() with an error other than a lower break.
#
# Expected: a system call that a seccomp filter denies with EPERM fails: sbrk() gives (void *)-1 and ENOMEM. Observed:
# sbrk(4096) gives the old break as new memory, and sbrk(0) gives (void *)-1 from then on. Nothing is mapped there, so
# the next malloc() that extends the heap ends in a fault. Source: sysdeps/unix/sysv/linux/brk.c stores the result of
# the system call as the break and compares it, unsigned, with the wanted address. A filter that denies brk() answers 0.
# No package but a C compiler is needed. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/deny.c" <<'END'
#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_brk, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  void *before = sbrk(0), *given, *after;
  char told[200];
  int length;

  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    return 2;
  given = sbrk(4096);
  after = sbrk(0);
  length = snprintf(told, sizeof told, "glibc %s: break %p, sbrk(4096) %p, sbrk(0) %p\n", gnu_get_libc_version(),
                    before, given, after);
  return write(1, told, (size_t)length) == length && given == before && after == (void *)-1 ? 0 : 1;
}
END
cc -o "$folder/deny" "$folder/deny.c"
"$folder/deny"
