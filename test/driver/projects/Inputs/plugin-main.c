#include <dlfcn.h>
#include <stdio.h>
#include "plugin.h"

static struct cell managed *cons(struct cell managed *next, long value)
{
  struct cell managed *cell = cairn_new(struct cell);

  cell->next = next;
  cell->value = value;
  return cell;
}

int main(int argc, char **argv)
{
  for (int round = 1; argc > 1 && round <= 3; round++) {
    void *plugin = dlopen(argv[1], RTLD_NOW);
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    plugin_run *sum = (plugin_run *)dlsym(plugin, "plugin_sum");
    long (*length)(void) = (long (*)(void))dlsym(plugin, "plugin_length");
    long first = sum(cons);
    printf("round %d: %ld %ld\n", round, first, length());
    dlclose(plugin);
    cairn_collect();
  }
  return 0;
}
