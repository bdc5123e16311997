// RUN: rm -rf %t && mkdir %t
// RUN: %cairn-cc -O2 -fPIC -shared -I%root/include %S/Inputs/plugin.c -o %t/plugin.so
// RUN: %cairn-cc -O2 -I%root/include %s -ldl -o %t/load
// RUN: %t/load %t/plugin.so | FileCheck %s
// RUN: env CAIRN_STRESS=1 %t/load %t/plugin.so | FileCheck %s
// A shared object that comes and goes: its maps and roots come with it, and nothing of it is looked
// at once it is gone.
// CHECK: 11 23
// CHECK: 11 23
// CHECK: 11 23
// CHECK: 3
#include <dlfcn.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
};
typedef struct box managed *ref;

int main(int argc, char **argv)
{
  ref first = cairn_new(struct box);

  first->value = 5;
  for (int i = 0; i < 3; i++) {
    void *plugin = dlopen(argv[argc - 1], RTLD_NOW);
    if (!plugin) {
      puts(dlerror());
      return 1;
    }
    ref (*step)(ref) = (ref(*)(ref))dlsym(plugin, "step");
    ref second = step(first), third = step(second);
    printf("%ld %ld\n", second->value, third->value - 4);
    first->value = 5;
    dlclose(plugin);
    cairn_collect();
  }
  printf("%ld\n", first->value - 2);
  return 0;
}
