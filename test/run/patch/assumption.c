// Threads run sites of the program and of a library that comes and goes, while assumptions that the sites depend on
// become invalid, several at once, and all objects move. What would go wrong: a site keeps the target of an invalid
// assumption, or gets it too early; some of the sites of an invalidation change and others stay; a site of a library
// that is gone is patched.
// RUN: rm -rf %t && mkdir %t && cd %t && python3 %S/Inputs/sites.py 16 > sites.ll && \
// RUN:   clang -O2 -fPIC -c %S/Inputs/leaves.c -o leaves.o
// RUN: %cairn-cc -O2 -fPIC -shared -I%S/Inputs %S/Inputs/library.c sites.ll leaves.o -o library.so
// RUN: %cairn-cc -O2 -I%S/Inputs %s sites.ll leaves.o -o main && %if emulated %{./main 30%} %else %{./main 600%}
// RUN: env CAIRN_STRESS=3 CAIRN_VERIFY=frames ./main %if emulated %{3%} %else %{25%}
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include "sites.h"
#include <cairn/assumption.h>

enum { SITES = 16, RUNNERS = 2, PARTS = 4 };

static atomic_bool ends;
static atomic_long rounds_run;

/* Both targets are valid results at any time: the threads show that each call reaches one of them. */
static void *run(void *unused)
{
  struct cell managed *cell = make_cell(1000);
  long bad = 0;

  for (long n = 0; !ends; n++, rounds_run++)
    bad += run_sites(cell, n);
  EXPECT(bad == 0);
  return unused;
}

cairn_unmanaged static void depend(struct cairn_assumption *assumption, uint64_t id, int target)
{
  struct cairn_point points[2]; /* of the program and of the library */
  struct cairn_patch *patch = cairn_patch_begin();
  size_t count = cairn_points_with_id(id, points, 2);

  for (size_t i = 0; i < count; i++)
    add_target(patch, &points[i], target, false);
  EXPECT(cairn_assumption_depend(assumption, patch, NULL) == CAIRN_OK);
}

/* All sites of the program depend on one of PARTS assumptions, and get the other target when it is invalid. */
cairn_unmanaged static void register_sites(struct cairn_assumption *assumptions[PARTS], int target)
{
  for (int i = 0; i < PARTS; i++)
    EXPECT((assumptions[i] = cairn_assumption_new()) != NULL);
  for (uint64_t id = 0; id < 2 * SITES; id++)
    depend(assumptions[id % PARTS], id, target);
}

cairn_unmanaged static void invalidate_pair(struct cairn_assumption *const *pair)
{
  struct cairn_patch_failure failure;

  if (cairn_assumption_invalidate(pair, 2, &failure) != CAIRN_OK)
    fprintf(stderr, "%s\n", failure.text), abort();
  EXPECT(!cairn_assumption_holds(pair[0]) && !cairn_assumption_holds(pair[1]));
}

/* Site k and its statepoint belong to the same part. */
static void check_sites(int old, int new, int changed_parts)
{
  for (long k = 0; k < SITES; k++) {
    int target = k % PARTS < changed_parts ? new : old;
    EXPECT(check_site(k) == ((long)target << 32 | target));
  }
}

cairn_unmanaged static void one_round(int round)
{
  struct cairn_assumption *assumptions[PARTS];
  int old = round % 2 + 1, new = 3 - old;
  void *library = round % 3 != 0 ? dlopen("./library.so", RTLD_NOW | RTLD_LOCAL) : NULL;

  register_sites(assumptions, new);
  EXPECT(cairn_assumption_sites(assumptions[0]) == 2 * SITES / PARTS * (library != NULL ? 2 : 1));
  check_sites(old, new, 0);
  if (round % 3 == 1) {
    EXPECT(dlclose(library) == 0);
    EXPECT(cairn_assumption_sites(assumptions[0]) == 2 * SITES / PARTS);
  }
  invalidate_pair(&assumptions[0]);
  check_sites(old, new, 2);
  invalidate_pair(&assumptions[2]);
  check_sites(old, new, PARTS);
  if (round % 3 == 2) {
    long (*check)(long) = (long (*)(long))dlsym(library, "library_check");
    EXPECT(check(1) == ((long)new << 32 | new));
    EXPECT(dlclose(library) == 0);
  }
  for (int i = 0; i < PARTS; i++)
    cairn_assumption_free(assumptions[i]);
}

int main(int argc, char **argv)
{
  pthread_t threads[RUNNERS];

  EXPECT(argc == 2);
  patch_all(SITES);
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_create(&threads[i], NULL, run, NULL) == 0);
  for (int i = 0; i < atoi(argv[1]); i++)
    one_round(i);
  while (rounds_run < RUNNERS)
    ;
  ends = true;
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  return 0;
}
