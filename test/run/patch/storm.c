// One thread patches sites between two targets and two shapes while two others run through them: patchpoints, which
// take references, and statepoints, whose targets collect; of every alignment within two cache lines. What would go
// wrong: a thread runs neither target, or the old one after the commit; a walk does not find the frame of a patched
// call; a reference is stale.
// RUN: rm -rf %t && mkdir %t && cd %t && python3 %S/Inputs/sites.py 128 > sites.ll && \
// RUN:   clang -O2 -c %S/Inputs/leaves.c -o leaves.o
// RUN: %cairn-cc -O2 -I%S/Inputs %s sites.ll leaves.o -o main
// RUN: %if soak %{./main 1000000%} %else %{./main %if emulated %{300%} %else %{20000%}%}
// RUN: env CAIRN_STRESS=1 ./main %if emulated %{10%} %else %{300%}
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=frames ./main %if emulated %{20%} %else %{300%} mdwe
// RUN: env CAIRN_VERIFY=heap ./main %if emulated %{100%} %else %{3000%} mdwe
// RUN: %cairn-cc -O1 -static -fcairn-collector=semispace -I%S/Inputs %s sites.ll leaves.o -o static \
// RUN:   && ./static %if emulated %{100%} %else %{2000%}
// Code without safepoints makes stops impossible: the first batch is refused.
// RUN: %cairn-cc -O2 -fcairn-safepoints=none -I%S/Inputs %s sites.ll leaves.o -o none && \
// RUN:   not --crash ./none 0 one 2>&1 | FileCheck %s
// CHECK: code without safepoints is loaded at 0
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include "sites.h"

enum { SITES = 128, LINE_PAIR = 128, RUNNERS = 2 };

static atomic_bool ends;
static atomic_long rounds_run, focus; /* the site that is patched and run most of the time */

/* The number of wrong results of one site. */
static long run_focus(struct cell managed *cell, long n)
{
  enum { TIMES = 300 };
  long bad = 0;

  for (int i = 0; i < TIMES; i++) {
    long result = run_site(cell, n, focus), leaf = result >> 32, call = result & 0xffffffff;
    bad += leaf < 1 || leaf > 2 || call < 1 || call > 2;
  }
  return bad;
}

static void *run(void *unused)
{
  struct cell managed *cell = make_cell(1000);
  long bad = 0;

  for (long n = 0; !ends; n++, rounds_run++)
    bad += run_sites(cell, n) + run_focus(cell, n);
  EXPECT(bad == 0);
  return unused;
}

cairn_unmanaged static uint64_t next_random(void)
{
  static uint64_t state = 88172645463325252;

  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* The patchpoints begin at every place for code of two cache lines. */
cairn_unmanaged static void check_alignments(void)
{
  bool seen[LINE_PAIR] = {0};
  unsigned count = 0;

  for (uint64_t k = 0; k < SITES; k++) {
    struct cairn_point point = find_point(k);
    EXPECT(point.kind == CAIRN_POINT_PATCHPOINT && point.length == SITE_BYTES);
    count += !seen[point.address % LINE_PAIR];
    seen[point.address % LINE_PAIR] = true;
  }
  EXPECT(count == LINE_PAIR / CODE_UNIT);
}

/* The target of a call whose last 4 bytes end at `end`. */
cairn_unmanaged static uintptr_t target_of_call(uintptr_t end)
{
  int32_t word;

  memcpy(&word, (const void *)(end - sizeof word), sizeof word);
#if defined(__aarch64__)
  return end - sizeof word + (uintptr_t)((int64_t)((uint64_t)word << 38) >> 36);
#else
  return end + (uintptr_t)(intptr_t)word;
#endif
}

/* A patched statepoint calls the body of its managed target, after the entry. */
cairn_unmanaged static void check_body(void)
{
  struct cairn_point point = find_point(SITES);

  EXPECT(target_of_call(point.address + point.length) == (uintptr_t)call_one + ENTRY_BYTES);
}

cairn_unmanaged static void storm(long rounds)
{
  int targets[2 * SITES];

  for (int i = 0; i < 2 * SITES; i++)
    targets[i] = 1;
  for (long i = 0; i < rounds; i++) {
    uint64_t choice = next_random(), id = choice % (2 * SITES);
    if (i % 200 == 0)
      focus = (long)(id % SITES);
    if (i % 8 != 0)
      id = (uint64_t)focus + (choice >> 48 & 1) * SITES;
    long k = (long)(id % SITES);
    targets[id] = (int)(choice >> 32 & 1) + 1;
    patch_one(id, targets[id], (choice >> 40 & 3) == 0);
    EXPECT(check_site(k) == ((long)targets[k] << 32 | targets[k + SITES]));
  }
}

int main(int argc, char **argv)
{
  pthread_t threads[RUNNERS];

  if (argc > 2 && strcmp(argv[2], "one") == 0)
    patch_one(0, 1, true); /* more than one instruction, so that threads must stop */
  if (argc > 2)
    EXPECT(prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) == 0 || getenv("TEST_EMULATOR") != NULL); /* which lacks it */
  check_alignments();
  patch_all(SITES);
  check_body();
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_create(&threads[i], NULL, run, NULL) == 0);
  storm(atol(argv[1]));
  while (rounds_run < RUNNERS)
    ;
  ends = true;
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(getenv("CAIRN_STRESS") == NULL || objects_moved > 100);
  return 0;
}
