#!/bin/sh
# qemu-user 7.2: code written through one mapping of a memory file runs as it was through another, for ever.
#
# Expected: a program that maps a memfd twice, once writable and once executable, runs the new code after
# __builtin___clear_cache() and membarrier(SYNC_CORE), as on a processor. Observed: both succeed, and the translation of
# the old code runs, on each call. Code that is changed through the executable mapping itself is noticed. Source: the
# emulator protects the pages that it has translated against writes at their own addresses (accel/tcg/user-exec.c); a
# store through another address is not seen. A just-in-time compiler under W^X works on a machine and fails in an
# emulated test of its port. Packages: qemu-user-static of Debian, into a folder. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download 'qemu-user-static=1:7.2+dfsg-7+deb12u18+b3' 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
cat > twice.c <<'END'
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
  static const char code[] = "\xb8\x01\0\0\0\xc3"; /* movl $1, %eax; ret */
  int file = memfd_create("code", 0);

  if (file < 0 || ftruncate(file, 4096) != 0)
    return 2;
  char *writable = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  char *executable = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
  if (writable == MAP_FAILED || executable == MAP_FAILED)
    return 2;
  memcpy(writable, code, sizeof code);
  int (*run)(void) = (int (*)(void))executable;
  int first = run();
  writable[1] = 2;
  __builtin___clear_cache(executable, executable + sizeof code);
  long registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
  long fenced = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
  int second = run(), third = run();
  printf("%d, after the write of 2: %d and %d; bytes read: %d; membarrier: %ld, %ld\n", first, second, third,
         executable[1], registered, fenced);
  return second;
}
END
cc -static twice.c -o twice
emulator=root/usr/bin/qemu-x86_64-static
direct=0 emulated=0
echo "the processor:"
./twice || direct=$?
echo "$($emulator --version | head -n 1):"
$emulator ./twice || emulated=$?
[ "$direct" = 2 ] && [ "$emulated" = 1 ]
