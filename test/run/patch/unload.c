// A library with points comes and goes, with its code patched and unpatched, while a thread collects. What would go
// wrong: a point of code that is gone is found or patched; a second mapping stays; points of the next library at the
// same address are taken for those of the last.
// RUN: rm -rf %t && mkdir %t && cd %t && python3 %S/Inputs/sites.py 4 > sites.ll && \
// RUN:   clang -O2 -fPIC -c %S/Inputs/leaves.c -o leaves.o
// RUN: %cairn-cc -O2 -fPIC -shared -I%S/Inputs %S/Inputs/library.c sites.ll leaves.o -o library.so
// RUN: %cairn-cc -O2 %s -o main && %if emulated %{./main 20%} %else %{./main 300%} && env CAIRN_STRESS=13 ./main 20
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/patch.h>

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

struct cell { struct cell managed *next; };
static atomic_bool ends;

static void *run(void *unused)
{
  while (!ends)
    cairn_new(struct cell)->next = NULL;
  return unused;
}

cairn_unmanaged static int count_mappings(const char *name)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[1000];
  int count = 0;

  EXPECT(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL)
    count += strstr(line, name) != NULL;
  fclose(maps);
  return count;
}

cairn_unmanaged static void check_gone(const struct cairn_point *point)
{
  struct cairn_point_value value;
  struct cairn_patch_failure failure;
  struct cairn_patch *patch = cairn_patch_begin();
  struct cairn_point found;

  EXPECT(cairn_points_with_id(1, NULL, 0) == 0);
  EXPECT(cairn_point_at(point->address, &found) == CAIRN_E_UNKNOWN);
  EXPECT(cairn_point_read_value(point, 0, &value) == CAIRN_E_GONE);
  EXPECT(cairn_patch_nops(patch, point) == CAIRN_OK);
  EXPECT(cairn_patch_commit(patch, &failure) == CAIRN_E_GONE);
  EXPECT(failure.address == point->address && failure.status == CAIRN_E_GONE);
  EXPECT(count_mappings("cairn-code") == 0);
}

cairn_unmanaged static void load_once(int round)
{
  void *library = dlopen("./library.so", RTLD_NOW | RTLD_LOCAL);
  struct cairn_point point;

  EXPECT(library != NULL);
  void (*patch)(int) = (void (*)(int))dlsym(library, "library_patch");
  long (*check)(long) = (long (*)(long))dlsym(library, "library_check");
  EXPECT(cairn_points_with_id(1, &point, 1) == 1 && point.kind == CAIRN_POINT_PATCHPOINT);
  long target = round % 2 + 1;
  if (round % 3 != 0) {
    patch((int)target);
    EXPECT(check(1) == (target << 32 | target));
    EXPECT(check(2) == (1L << 32 | 1));
    EXPECT(count_mappings("cairn-code") == 2);
  }
  EXPECT(dlclose(library) == 0);
  check_gone(&point);
}

int main(int argc, char **argv)
{
  pthread_t runner;
  int before = 0;

  EXPECT(argc == 2);
  EXPECT(pthread_create(&runner, NULL, run, NULL) == 0);
  for (int i = 0; i < atoi(argv[1]); i++) {
    load_once(i);
    if (i == 10)
      before = count_mappings("");
  }
  EXPECT(count_mappings("") <= before + 5);
  ends = true;
  EXPECT(pthread_join(runner, NULL) == 0);
  return 0;
}
