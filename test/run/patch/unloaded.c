/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches whose keys are layouts, one of them of a library that is unloaded, in data and in code. What would go wrong: a
 * cache still has the layout, and another library's type comes to lie there.
 */
// RUN: %cairn-cc -O1 -shared -fPIC -DWORDS=2 %S/../Inputs/unload/library.c -o %t.so
// RUN: clang -O2 -I%root/include -c %S/Inputs/layout_of.c -o %t.o && %cairn-cc -O2 %s %t.o -o %t
// RUN: %t %t.so | FileCheck %s && env CAIRN_STRESS=1 %t %t.so | FileCheck %s
// CHECK: loaded: own 1, library 1, value 1; code: 5 6 0
// CHECK: unloaded: own 1, library 0, value 0; code: 5 0 0
#include <cairn/cairn.h>
#include <cairn/patched_cache.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct own {
  long data[6];
};
struct item;
typedef struct item managed *maker(long count, void (*back)(void));

cairn_leaf uintptr_t layout_of(void managed *object);

CAIRN_INLINE_CACHE_GROUP(caches, 2)
CAIRN_PATCHED_CACHE(in_code, 3)

static void back(void)
{
}

static long find_in_code(uintptr_t key)
{
  return (long)cairn_patched_cache_find(in_code, 3, key);
}

static void report(const char *when, uintptr_t own, uintptr_t library)
{
  struct cairn_inline_cache_values found;
  int has_own = cairn_inline_cache_find(&caches[0], own, &found);
  int has_library = cairn_inline_cache_find(&caches[0], library, &found);

  printf("%s: own %d, library %d, value %d; ", when, has_own, has_library,
         cairn_inline_cache_find(&caches[1], 1, &found));
  printf("code: %ld %ld %ld\n", find_in_code(own), find_in_code(library), find_in_code(1));
}

int main(int argc, char **argv)
{
  void *library = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);

  if (!library)
    return puts(dlerror()) < 0 || 2;
  maker *make = (maker *)dlsym(library, "make");
  uintptr_t own = layout_of((void managed *)cairn_new(struct own)), item = layout_of((void managed *)make(3, back));
  cairn_inline_cache_fill(&caches[0], own, (struct cairn_inline_cache_values){{1, 2}});
  cairn_inline_cache_fill(&caches[0], item, (struct cairn_inline_cache_values){{3, 4}});
  cairn_inline_cache_fill(&caches[1], 1, (struct cairn_inline_cache_values){{0, item}});
  if (cairn_patched_cache_add(&in_code, NULL) || cairn_patched_cache_fill(&in_code, own, 5, NULL) ||
      cairn_patched_cache_fill(&in_code, item, 6, NULL))
    return 1;
  report("loaded", own, item);
  dlclose(library);
  report("unloaded", own, item);
  return 0;
}
