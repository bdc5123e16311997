#!/bin/sh
# gdb 13.1: a breakpoint in JIT code is lost when the code goes and other code comes to the same address.
#
# Expected: a program tells gdb by its JIT interface that code is gone, and writes other code there, which it registers.
# A pending breakpoint by line stops in the new code, too, since `info breakpoints` shows it there. Observed: the first
# code stops, the second runs on. Source: gdb removes inserted breakpoints only when it reports a stop to its user; the
# event of the interface is no such stop, and disable_breakpoints_in_freed_objfile() (gdb/breakpoint.c) leaves out files
# of the JIT interface, which lack OBJF_USERLOADED. So the location stays "inserted", though the program has written
# over it. LLVM's ORC never withdraws files. Packages: gdb of Debian, into a folder; gdb's libraries, the compiler and
# the linker are the system's. Exits non-zero if that changes.
set -eu
version=13.1-3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download "gdb=$version" 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root || exit 2; done
cat > f.c <<'END'
int f(int x)
{
  return x + 1;
}
END
cat > program.c <<'END'
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct entry { struct entry *next, *previous; const char *file; uint64_t size; };
struct { uint32_t version, action; struct entry *relevant, *first; } __jit_debug_descriptor = {1, 0, 0, 0};
__attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }

static char file[1 << 20];
static struct entry entry;

static void tell(uint32_t action)
{
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = &entry;
  __jit_debug_descriptor.first = action == 1 ? &entry : 0;
  __jit_debug_register_code();
}

int main(void)
{
  FILE *in = fopen("f.elf", "rb");
  entry.file = file;
  entry.size = fread(file, 1, sizeof file, in);
  const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(file + head->e_shoff), *text = sections;
  while (!(text->sh_flags & SHF_EXECINSTR))
    text++;
  mmap((void *)0x70000000, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  for (int i = 0; i < 2; i++) {
    memcpy((void *)0x70000000, file + text->sh_offset, text->sh_size);
    tell(1);
    printf("result %d\n", ((int (*)(int))0x70000000)(i));
    tell(2);
  }
  return 0;
}
END
cc -g -O0 -c f.c && ld -Ttext=0x70000000 -e f -o f.elf f.o && cc program.c -o program || exit 2
[ "$(./program | tail -n 1)" = "result 2" ] || exit 2
timeout 60 root/usr/bin/gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'set breakpoint pending on' \
  -ex 'break f.c:3' -ex run -ex continue --args ./program > answers 2>&1 || true
stops=$(grep -c 'reakpoint 1, f' answers || true) results=$(grep -c '^result' answers || true)
echo "$(root/usr/bin/gdb --version | head -n 1): a pending breakpoint stops in $stops of 2 codes at one address"
[ "$results" = 2 ] || { cat answers >&2; exit 2; }
[ "$stops" = 1 ]
