// Code that stores through a pointer knows the globals of a library that is loaded. Once the library is unloaded, a
// store to other memory at the same address ends the program.
// RUN: %cairn-cc -O2 -shared -fPIC -DLIBRARY %s -o %t.so && %cairn-cc -O2 %s -o %t
// RUN: %t %t.so | FileCheck %s && env CAIRN_STRESS=1 %t %t.so | FileCheck %s
// RUN: not --crash %t %t.so again 2>&1 | FileCheck %s --check-prefix=LOST
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cairn/cairn.h>

typedef struct node managed *node_ref;
struct node {
  long value;
};

#ifdef LIBRARY
static struct {
  long padding[1024];
  node_ref nodes[64];
  long more[1024];
} of_library;

node_ref *place(int i)
{
  of_library.padding[0] = of_library.more[0] = i;
  return &of_library.nodes[i];
}
#else
typedef node_ref *place_function(int i);

void store(node_ref *to, node_ref node);

__attribute__((noinline)) void store(node_ref *to, node_ref node)
{
  *to = node;
}

int main(int argc, char **argv)
{
  node_ref node = cairn_new(struct node);
  long sum = 0;

  for (int round = 0; round < 3; round++) {
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    place_function *place = library ? (place_function *)dlsym(library, "place") : NULL;
    if (!place)
      return 1;
    node->value = round;
    for (int i = 0; i < 64; i++)
      store(place(i), node);
    cairn_collect();
    sum += (*place(63))->value;
    uintptr_t last = (uintptr_t)place(0), page = last & ~4095ul;
    if (dlclose(library) != 0)
      return 1;
    if (argc < 3)
      continue;
    if (mmap((void *)page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
        (void *)page)
      return 1;
    store((node_ref *)last, node);
  }
  printf("sum %ld\n", sum);
  return 0;
}
#endif
// CHECK: sum 3
// LOST: fatal: a reference is stored at 0x{{.*}}, which is neither a local nor a global that holds references:
