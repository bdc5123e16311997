/* Rounds of load, call and remove, with flat memory, mappings and tables: rounds KIND ROUNDS. Of kind `objects` are
 * copies of one object; of `lazy`, modules whose functions are compiled at their first calls; of `replace`, versions of
 * one function. */
#include <malloc.h>
#include <time.h>
#include <unistd.h>
#include "programs/jit/copies.h"

enum { MOST_THUNK_SLABS = 8 }; /* for the entries that are gone and wait */

struct state {
  long mappings, kib;
  size_t allocated; /* KiB of malloc() */
  size_t names, removed, modules, slabs, thunks;
};

static struct state look(void)
{
  const struct cn_slabs *slabs = cn_linking_layer_slabs(session->layer);
  struct state s = {.allocated = mallinfo2().uordblks / 1024,
                    .names = session->names.count,
                    .removed = session->removed.count,
                    .modules = session->modules.count,
                    .thunks = session->entries.slabs.count};
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

static void remove_module(uint64_t number)
{
  char *error;

  if (cairn_jit_remove(session, number, &error))
    stop(error);
}

static void *find(const char *name)
{
  void *address;
  char *error;

  if (cairn_jit_look_up(session, name, &address, &error))
    stop(error);
  return address;
}

/* ---- the kinds ---- */

static const struct cn_jit_module *model;

static void make_objects(long round)
{
  struct cn_jit_module *module = copy_model(model);
  uint64_t number = module->number;
  void *(*make)(long) = (void *(*)(long))link_module(module);

  if (!make(round))
    stop("no cell");
  remove_module(number);
}

/* `number` is a constant of the function, so that a call tells the version. */
static size_t write_version(char *text, size_t room, long number)
{
  return (size_t)snprintf(text, room,
                          "%%cell = type { ptr addrspace(1), i64 }\n"
                          "@cell.layout = internal constant %%cell zeroinitializer\n"
                          "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
                          "define i64 @version() gc \"statepoint-example\" {\n"
                          "  %%cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
                          "  ret i64 %ld\n}\n",
                          number);
}

static void call_version(long number)
{
  if (((long (*)(void))find("version"))() != number)
    stop("another version");
}

static void compile_lazily(long round)
{
  char text[1024], *error;
  uint64_t number;

  if (cairn_jit_add_lazy_ir(session, text, write_version(text, sizeof text, round), &number, &error))
    stop(error);
  if (round % 4) /* the others go before their first call */
    call_version(round);
  remove_module(number);
}

static void replace_version(long round)
{
  char text[1024], *error;
  uint64_t number;
  size_t size = write_version(text, sizeof text, round);

  if (round ? cairn_jit_replace_ir(session, "version", text, size, &number, &error)
            : cairn_jit_add_ir(session, text, size, &number, &error))
    stop(error);
  call_version(round);
}

/* ---- rounds ---- */

static void run(const char *kind, long round, long end)
{
  for (; round < end; round++)
    if (strcmp(kind, "objects") == 0)
      make_objects(round);
    else if (strcmp(kind, "lazy") == 0)
      compile_lazily(round);
    else
      replace_version(round);
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  const char *kind = argc > 1 ? argv[1] : "objects";
  long rounds = argc > 2 ? atol(argv[2]) : 1000;
  char *error;

  if (cairn_jit_new(&options, &session, &error))
    stop(error);
  model = make_model(LLVMContextCreate(), 3);
  session->compile.tier = CAIRN_TIER_QUICK;
  run(kind, 0, rounds / 4);
  struct state before = look();
  run(kind, rounds / 4, rounds);
  struct state after = look();
  fprintf(stderr,
          "%ld rounds, %.0f s: mappings %ld, %ld; KiB %ld, %ld; allocated %zu, %zu; names %zu, %zu; removed %zu, %zu; "
          "slabs %zu, %zu; thunks %zu, %zu\n",
          rounds, (double)clock() / CLOCKS_PER_SEC, before.mappings, after.mappings, before.kib, after.kib,
          before.allocated, after.allocated, before.names, after.names, before.removed, after.removed, before.slabs,
          after.slabs, before.thunks, after.thunks);
  printf("mappings: %s\n", after.mappings <= before.mappings + 20 ? "flat" : "grow");
  printf("memory: %s\n",
         after.kib <= before.kib + 8192 && after.allocated <= before.allocated + 512 ? "flat" : "grows");
  printf("tables: %s\n", after.names <= 20000 && after.removed <= 1000 && after.modules <= 3 &&
                                 after.slabs <= before.slabs + 1 && after.thunks <= MOST_THUNK_SLABS
                             ? "flat"
                             : "grow");
  cairn_jit_dispose(session);
  return 0;
}
