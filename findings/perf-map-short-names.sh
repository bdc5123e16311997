#!/bin/sh
# perf 6.1: leaves out the functions of a /tmp/perf-PID.map whose names have one or two characters.
#
# Expected, by tools/perf/Documentation/jit-interface.txt: each line "START SIZE symbolname" names a function. Observed:
# samples in a function f12 have its name, those in a function f1 of the same file have a bare address; perf prints no
# warning. Source: tools/perf/util/symbol.c, dso__load_perf_map(), skips a line whose name is at most two characters
# long, by the test that is meant for a truncated line. Takes linux-perf of Debian into a folder; its libraries
# (libdw1, libunwind8, ...) and the right to count the event cpu-clock are the system's. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download linux-perf=6.1.192-3 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
perf=$(find root -type f -name 'perf*' -path '*bin*' -perm -1 | head -n 1)
cat > jit.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
  static const char loop[] = "\x48\xff\xcf\x75\xfb\xc3"; /* decq %rdi; jne; ret */
  char name[64], *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (code == MAP_FAILED)
    return 2;
  memcpy(code, loop, sizeof loop);
  memcpy(code + 4096, loop, sizeof loop);
  snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
  FILE *map = fopen(name, "w");
  if (map == NULL)
    return 2;
  fprintf(map, "%lx 10 f1\n%lx 10 f12\n", (unsigned long)code, (unsigned long)code + 4096);
  fclose(map);
  puts(name);
  fflush(stdout);
  ((void (*)(long))code)(300000000);
  ((void (*)(long))(code + 4096))(300000000);
  return 0;
}
END
cc jit.c -o jit
$perf record -q -e cpu-clock -F 200 -o samples ./jit > name 2>log || { cat log; exit 2; }
$perf report -i samples --stdio -F symbol 2>/dev/null | sed -n 's/^ *\[\.\] //p' > symbols
rm -f "$(cat name)"
short=$(grep -cw f1 symbols || true) long=$(grep -cw f12 symbols || true)
bare=$(grep -c '^0x' symbols || true)
echo "$($perf --version): rows of f1: $short, of f12: $long, of bare addresses: $bare"
[ "$short" = 0 ] && [ "$long" -gt 0 ] && [ "$bare" -gt 0 ]
