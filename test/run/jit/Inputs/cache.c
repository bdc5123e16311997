/* A session with a cache: cache DIRECTORY MODULES [quick|old|newer|level|bound|- [FIRST]]. Adds modules whose functions
 * allocate and call each other, and prints their sum and the counts of the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>

static const char text[] =
    "declare i64 @static_value(ptr addrspace(1))\n"
    "define i64 @value_%d(ptr addrspace(1) %%p) gc \"statepoint-example\" {\n"
    "  %%a = call i64 @static_value(ptr addrspace(1) %%p)\n"
    "  %%b = load i64, ptr addrspace(1) %%p\n"
    "  %%c = add i64 %%a, %%b\n"
    "  %%d = add i64 %%c, %d\n"
    "  ret i64 %%d\n"
    "}\n";

struct box {
  long value;
};

/* Allocates, so that the caller's reference has to be found and may move. */
long static_value(struct box managed *p)
{
  struct box managed *other = cairn_new(struct box);

  other->value = p->value;
  return other->value;
}

cairn_unmanaged static void check(enum cairn_status status, char *error)
{
  if (status == CAIRN_OK)
    return;
  printf("%s: %s\n", cairn_status_text(status), error);
  exit(1);
}

static long call(void *address)
{
  struct box managed *box = cairn_new(struct box);

  box->value = 1;
  return ((long (*)(struct box managed *))address)(box);
}

static long run(struct cairn_jit *session, int number)
{
  char ir[sizeof text + 64], name[32], *error;
  uint64_t module;
  void *address;

  snprintf(ir, sizeof ir, text, number, number);
  snprintf(name, sizeof name, "value_%d", number);
  check(cairn_jit_add_ir(session, ir, strlen(ir), &module, &error), error);
  check(cairn_jit_look_up(session, name, &address, &error), error);
  return call(address);
}

int main(int argc, char **argv)
{
  const char *other = argc > 3 ? argv[3] : "";
  struct cairn_jit_options options = {.compile = {.opt_level = strcmp(other, "level") == 0 ? 1 : 2}};
  struct cairn_jit_cache_counts counts;
  struct cairn_jit *session;
  char *error;
  long sum = 0;

  if (strcmp(other, "quick") == 0)
    options.compile.tier = CAIRN_TIER_QUICK;
  if (strcmp(other, "old") == 0)
    options.cpu = "x86-64-v2";
  if (strcmp(other, "newer") == 0)
    options.cpu = "x86-64-v3";
  check(cairn_jit_new(&options, &session, &error), error);
  check(cairn_jit_cache(session, argv[1], strcmp(other, "bound") == 0 ? 20000 : 0, &error), error);
  for (int i = 0; i < atoi(argv[2]); i++)
    sum += run(session, i + (argc > 4 ? atoi(argv[4]) : 0));
  cairn_jit_cache_count(session, &counts);
  printf("sum %ld: %lu hits, %lu misses, %lu damaged, %lu stored\n", sum, counts.hits, counts.misses, counts.damaged,
         counts.stored);
  cairn_jit_dispose(session);
  return 0;
}
