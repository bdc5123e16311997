/* Rounds of load, call and remove, with flat memory, mappings and tables: rounds ROUNDS. */
#include <time.h>
#include <unistd.h>
#include "programs/jit/copies.h"

struct state {
  long mappings, kib;
  size_t names, removed, modules, slabs;
};

static struct state look(void)
{
  const struct cn_slabs *slabs = cn_linking_layer_slabs(session->layer);
  struct state s = {
      .names = session->names.count, .removed = session->removed.count, .modules = session->modules.count};
  FILE *maps = fopen("/proc/self/maps", "r"), *statm = fopen("/proc/self/statm", "r");

  for (int c; (c = getc(maps)) != EOF;)
    s.mappings += c == '\n';
  if (fscanf(statm, "%*d %ld", &s.kib) != 1)
    abort();
  s.kib *= sysconf(_SC_PAGESIZE) / 1024;
  fclose(maps);
  fclose(statm);
  for (int kind = 0; kind < CN_SLAB_KINDS; kind++)
    s.slabs += slabs->stores[kind].count;
  if (cn_slabs_wrong(slabs))
    stop(cn_slabs_wrong(slabs));
  return s;
}

static void run(const struct cn_jit_module *model, long rounds)
{
  char *error;

  for (long i = 0; i < rounds; i++) {
    struct cn_jit_module *module = copy_model(model);
    uint64_t number = module->number;
    void *(*make)(long) = (void *(*)(long))link_module(module);
    if (!make(i))
      stop("no cell");
    if (cairn_jit_remove(session, number, &error))
      stop(error);
  }
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  long rounds = argc > 1 ? atol(argv[1]) : 1000;
  char *error;

  if (cairn_jit_new(&options, &session, &error))
    stop(error);
  const struct cn_jit_module *model = make_model(LLVMContextCreate(), 3);
  run(model, rounds / 4);
  struct state before = look();
  run(model, rounds - rounds / 4);
  struct state after = look();
  fprintf(stderr,
          "%ld rounds, %.0f s: mappings %ld, %ld; KiB %ld, %ld; names %zu, %zu; removed %zu, %zu; slabs %zu, %zu\n",
          rounds, (double)clock() / CLOCKS_PER_SEC, before.mappings, after.mappings, before.kib, after.kib,
          before.names, after.names, before.removed, after.removed, before.slabs, after.slabs);
  printf("mappings: %s\n", after.mappings <= before.mappings + 20 ? "flat" : "grow");
  printf("memory: %s\n", after.kib <= before.kib + 8192 ? "flat" : "grows");
  printf("tables: %s\n",
         after.names <= 20000 && after.removed <= 1000 && after.modules == 0 && after.slabs <= before.slabs + 1
             ? "flat"
             : "grow");
  cairn_jit_dispose(session);
  return 0;
}
