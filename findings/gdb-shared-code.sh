#!/bin/sh
# gdb 13.1: a breakpoint in code that is mapped MAP_SHARED without the write right cannot be inserted; hbreak works.
#
# Expected: `break` works in all code of the process: "set breakpoint auto-hw" is on, and by gdb's help it takes
# hardware breakpoints for a `break` in read-only memory. Observed: a file of memfd_create() is mapped PROT_READ |
# PROT_EXEC. With MAP_PRIVATE the breakpoint stops the program; with MAP_SHARED gdb prints "Cannot insert breakpoint"
# and aborts `continue`, though `hbreak` stops the program there. Source: gdb writes by /proc/PID/mem (gdb/linux-nat.c),
# and Linux refuses a forced write unless the mapping can be copied (check_vma_flags() in mm/gup.c of Linux); auto-hw
# asks the target's memory map, and that of native Linux is empty (`info mem`). Packages: gdb of Debian, into a folder;
# gdb's libraries and the kernel are the system's. Exits non-zero if that changes.
set -eu
version=13.1-3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gdb=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root || exit 2; done
cat > program.c <<'END'
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

typedef int function(void);

/* movl $42, %eax; ret */
static const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3};
function *mapped;

/* Here the debugger stops first: the code is mapped, and nobody has called it. */
__attribute__((noinline)) void ready(void)
{
  __asm__ volatile("");
}

int main(int argc, char **argv)
{
  int file = memfd_create("code", 0), sharing = argc > 1 && argv[1][0] == 's' ? MAP_SHARED : MAP_PRIVATE;

  if (file < 0 || write(file, code, sizeof code) != (ssize_t)sizeof code)
    return 2;
  void *bytes = mmap(NULL, 4096, PROT_READ | PROT_EXEC, sharing, file, 0);
  if (bytes == MAP_FAILED)
    return 2;
  mapped = (function *)bytes;
  ready();
  return mapped() == 42 ? 0 : 1;
}
END
cc -g -O0 program.c -o program || exit 2
# Prints "stops", "refused", or "another": the program runs to ready(), then to a breakpoint in the mapped code.
try() {
  timeout 60 root/usr/bin/gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'break ready' -ex "run $1" \
    -ex "$2 *(char *)mapped" -ex continue --args ./program > answers 2>&1 || true
  if grep -q 'Cannot insert breakpoint' answers; then echo refused
  elif grep -q 'reakpoint 2, 0x' answers; then echo stops
  else cat answers >&2; echo another; fi
}
for sharing in private shared; do [ "$(./program $sharing; echo $?)" = 0 ] || exit 2; done
private=$(try private break) shared=$(try shared break) hardware=$(try shared hbreak)
echo "$(root/usr/bin/gdb --version | head -n 1), Linux $(uname -r): break in a private mapping: $private, in a shared" \
  "mapping of the same file: $shared, hbreak in the shared mapping: $hardware"
[ "$private" = stops ] && [ "$shared" = refused ] && [ "$hardware" = stops ]
