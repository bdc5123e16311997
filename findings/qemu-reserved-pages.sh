#!/bin/sh
# qemu-user 7.2: reserved addresses take memory of the machine, 24 bytes for each page, also after munmap().
#
# Expected: mmap() of addresses with PROT_NONE and MAP_NORESERVE takes no memory in the emulator, as in the system.
# Observed: the emulator grows by 24 bytes for each 4 KiB of the reservation, 48 MiB for 8 GiB, and stays as large
# after munmap(). A program that reserves a terabyte, as runtimes with sparse heaps and sanitizers do, needs 6 GiB.
# `-R` bounds the guest's addresses, so that large reservations fail instead. Source: page_set_flags() writes a struct
# PageDesc for each page of a mapping (accel/tcg/translate-all.c); version 8 keeps ranges. Packages: qemu-user-static of
# Debian, into a folder. Exits non-zero if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -qq download 'qemu-user-static=1:7.2+dfsg-7+deb12u18+b3' 2>log || { cat log; exit 2; }
for package in *.deb; do dpkg -x "$package" root; done
cat > reserve.c <<'END'
#include <stdio.h>
#include <sys/mman.h>

/* The process's resident memory in KiB; in the emulator, the emulator's. */
static long resident(void)
{
  char line[256];
  long kib = -1;
  FILE *status = fopen("/proc/self/status", "r");

  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "VmRSS: %ld", &kib);
  if (status != NULL)
    fclose(status);
  return kib;
}

int main(void)
{
  const size_t bytes = (size_t)8 << 30;
  long before = resident();
  void *reserved = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  long during = resident();

  if (reserved == MAP_FAILED || munmap(reserved, bytes) != 0)
    return 2;
  long after = resident();
  printf("resident KiB: %ld, with a reservation of 8 GiB: %ld, after munmap(): %ld\n", before, during, after);
  return during - before > 32 << 10 && after - before > 32 << 10 ? 3 : 0;
}
END
cc -static reserve.c -o reserve
emulator=root/usr/bin/qemu-x86_64-static
direct=0 emulated=0
echo "the system:"
./reserve || direct=$?
echo "$($emulator --version | head -n 1):"
$emulator ./reserve || emulated=$?
[ "$direct" = 0 ] && [ "$emulated" = 3 ]
