/* Removal of modules whose frames, objects and names are in use. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cairn/cairn.h>
#include <cairn/jit.h>
#include "coroutines.h"
#include "check.h"

#ifndef TIER
#define TIER CAIRN_TIER_FULL
#endif

struct cell {
  struct cell managed *next;
  long value;
};
typedef struct cell managed *ref;

static struct cairn_jit *session;

static uint64_t add(const char *format, ...)
{
  char text[8192];
  uint64_t module;
  char *error = NULL;
  va_list arguments;

  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  check(cairn_jit_add_ir(session, text, (size_t)length, &module, &error), error);
  return module;
}

static void *find(const char *name)
{
  void *address;
  char *error = NULL;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return address;
}

static void drop(uint64_t module)
{
  char *error = NULL;

  check(cairn_jit_remove(session, module, &error), error);
}

static uint64_t shown;

static void show(void *env, const struct cairn_jit_pending *p)
{
  (void)env;
  if (p->module == shown)
    printf(" frames %s, objects %s, linked %s;", p->frames ? "yes" : "no", p->objects ? "yes" : "no",
           p->linked ? "yes" : "no");
}

static void tell(const char *what, uint64_t module)
{
  shown = module;
  cairn_collect();
  printf("%s:", what);
  size_t left = cairn_jit_pending(session, show, NULL);
  printf(" %zu left\n", left);
}

/* ---- what keeps a module ---- */

static const char maker[] =
    "%%cell = type { ptr addrspace(1), i64 }\n"
    "@cell.layout = internal constant %%cell zeroinitializer\n"
    "@kept_%1$d = internal global ptr addrspace(1) null\n"
    "declare ptr addrspace(1) @cairn_alloc(ptr, i64)\n"
    "declare void @call_back(ptr addrspace(1))\n"
    "define ptr addrspace(1) @make_%1$d(i64 %%value) noinline gc \"statepoint-example\" {\n"
    "  %%cell = call ptr addrspace(1) @cairn_alloc(ptr @cell.layout, i64 16)\n"
    "  %%field = getelementptr %%cell, ptr addrspace(1) %%cell, i64 0, i32 1\n"
    "  store i64 %%value, ptr addrspace(1) %%field\n"
    "  ret ptr addrspace(1) %%cell\n"
    "}\n"
    "define void @keep_%1$d() gc \"statepoint-example\" {\n"
    "  %%cell = call ptr addrspace(1) @make_%1$d(i64 1)\n"
    "  store ptr addrspace(1) %%cell, ptr @kept_%1$d\n"
    "  ret void\n"
    "}\n"
    "define i64 @deep_%1$d(i64 %%n) gc \"statepoint-example\" {\n"
    "  %%cell = call ptr addrspace(1) @make_%1$d(i64 %%n)\n"
    "  %%end = icmp eq i64 %%n, 0\n"
    "  br i1 %%end, label %%last, label %%more\n"
    "more:\n"
    "  %%less = sub i64 %%n, 1\n"
    "  %%x = call i64 @deep_%1$d(i64 %%less)\n"
    "  br label %%done\n"
    "last:\n"
    "  call void @call_back(ptr addrspace(1) %%cell)\n"
    "  br label %%done\n"
    "done:\n"
    "  %%sum = phi i64 [ %%x, %%more ], [ 0, %%last ]\n"
    "  %%field = getelementptr %%cell, ptr addrspace(1) %%cell, i64 0, i32 1\n"
    "  %%own = load i64, ptr addrspace(1) %%field\n"
    "  %%all = add i64 %%sum, %%own\n"
    "  ret i64 %%all\n"
    "}\n";

static uint64_t running;

/* Called below all frames of the module: its names are free at once, and its code runs on. */
static void call_back(ref cell)
{
  char *error;
  void *address;

  drop(running);
  bool gone = cairn_jit_look_up(session, "deep_1", &address, &error) == CAIRN_E_UNKNOWN;
  free(error);
  tell(gone ? "running, without a name" : "running", running);
  uint64_t other = add(maker, 1);
  printf("meanwhile another %s: %ld\n", "make_1", ((ref(*)(long))find("make_1"))(6)->value + cell->value);
  drop(other);
}

static void frames_keep_a_module(void)
{
  running = add(maker, 1);
  printf("sum: %ld\n", ((long (*)(long))find("deep_1"))(1000));
  tell("returned", running);
}

/* Code without layouts: unmapped, it would not return. */
static const char caller_of[] = "declare void @%1$s()\n"
                                "@done = external global i64\n"
                                "define void @body_%2$d(i64 %%n) gc \"statepoint-example\" {\n"
                                "  call void @%1$s()\n"
                                "  store i64 %%n, ptr @done\n"
                                "  ret void\n}\n";

static long done;

static void drop_caller(void)
{
  drop(running);
  tell("called", running);
}

static void frames_alone_keep_a_module(void)
{
  running = add(caller_of, "drop_caller", 1);
  ((void (*)(long))find("body_1"))(7);
  printf("done: %ld\n", done);
  tell("returned", running);
}

/* The only frame waits on the stack of a coroutine. */
static void a_coroutine_keeps_a_module(void)
{
  uint64_t module = add(caller_of, "coroutine_yield", 2);
  void *coroutine = coroutine_new((coroutine_body *)find("body_2"), 8);

  coroutine_resume(coroutine);
  drop(module);
  tell("waiting", module);
  coroutine_resume(coroutine);
  printf("done: %ld, over: %ld\n", done, coroutine_is_over(coroutine));
  coroutine_free(coroutine);
  tell("over", module);
}

static uint64_t frames;

static void count_frames(void *env, const struct cairn_jit_pending *p)
{
  (void)env;
  frames += p->frames;
}

/* A million frames on a thousand stacks: the module goes within the first collection after the last return. */
static void a_million_frames_keep_a_module(void)
{
  enum { STACKS = 1000, DEPTH = 999 };
  static void *coroutines[STACKS];
  uint64_t module = add("declare void @coroutine_yield()\n@done = external global i64\n"
                        "define i64 @dig(i64 %%n) noinline gc \"statepoint-example\" {\n"
                        "  %%end = icmp eq i64 %%n, 0\n  br i1 %%end, label %%last, label %%more\n"
                        "more:\n  %%less = sub i64 %%n, 1\n  %%x = call i64 @dig(i64 %%less)\n"
                        "  %%y = mul i64 %%x, 3\n  %%z = add i64 %%y, %%n\n  ret i64 %%z\n"
                        "last:\n  call void @coroutine_yield()\n"
                        "  %%done = load i64, ptr @done\n  %%plus = add i64 %%done, 1\n"
                        "  store i64 %%plus, ptr @done\n  ret i64 1\n}\n");
  coroutine_body *dig = (coroutine_body *)find("dig");

  done = 0;
  for (int i = 0; i < STACKS; i++) {
    coroutines[i] = coroutine_new(dig, DEPTH);
    coroutine_resume(coroutines[i]);
  }
  drop(module);
  cairn_collect();
  cairn_jit_pending(session, count_frames, NULL);
  printf("frames: %lu\n", frames);
  for (int i = 0; i < STACKS; i++) {
    coroutine_resume(coroutines[i]);
    coroutine_free(coroutines[i]);
  }
  printf("returned: %ld\n", done);
  tell("all", module);
}

static void objects_keep_a_module(void)
{
  uint64_t module = add(maker, 2);
  ref cell = ((ref(*)(long))find("make_2"))(5);

  drop(module);
  tell("object", module);
  printf("value: %ld\n", cell->value);
  cell = NULL;
  tell("no object", module);
}

/* Once the code is dead, so are its globals. */
static void globals_do_not_keep_a_module(void)
{
  uint64_t module = add(maker, 3);

  ((void (*)(void))find("keep_3"))();
  drop(module);
  tell("global", module);
  tell("global", module);
}

static const char caller[] = "declare i64 @h_%1$d()\n"
                             "define i64 @h_%2$d() gc \"statepoint-example\" {\n"
                             "  %%p = load volatile ptr, ptr @count_%2$d\n"
                             "  %%null = icmp eq ptr %%p, null\n"
                             "  br i1 %%null, label %%end, label %%more\n"
                             "more:\n  %%x = call i64 @h_%1$d()\n  ret i64 %%x\n"
                             "end:\n  ret i64 %2$d\n}\n"
                             "@count_%2$d = global ptr null\n";

static void links_keep_a_module(void)
{
  uint64_t first = add("define i64 @h_1() gc \"statepoint-example\" {\n  ret i64 1\n}\n");
  uint64_t second = add("declare i64 @h_1()\ndefine i64 @h_2() gc \"statepoint-example\" {\n"
                        "  %%x = call i64 @h_1()\n  %%y = add i64 %%x, 1\n  ret i64 %%y\n}\n");

  printf("h: %ld\n", ((long (*)(void))find("h_2"))());
  drop(first);
  tell("linked", first);
  printf("h: %ld\n", ((long (*)(void))find("h_2"))());
  drop(second);
  tell("not linked", first);
  first = add(caller, 4, 3);
  second = add(caller, 3, 4);
  printf("circle: %ld\n", ((long (*)(void))find("h_3"))());
  drop(first);
  tell("half a circle", first);
  drop(second);
  tell("no circle", first);
}

/* ---- the reclaimer ---- */

static void the_reclaimer_frees_a_module(void)
{
  uint64_t module = add("@data = global i64 5\n"
                        "define i64 @five() gc \"statepoint-example\" {\n"
                        "  %%n = load i64, ptr @data\n  ret i64 %%n\n}\n");
  const volatile long *data = find("data");

  if (((long (*)(void))find("five"))() != 5)
    abort();
  drop(module);
  while (*data) { /* freed memory of a slab is cleared, and the last slab stays */
    cairn_collect();
    usleep(1000);
  }
  printf("freed by itself\n");
}

/* ---- many ---- */

static long mappings(void)
{
  FILE *maps = fopen("/proc/self/maps", "r");
  long count = 0;
  char line[512];

  while (maps && fgets(line, sizeof line, maps))
    count++;
  fclose(maps);
  return count;
}

static long resident_kib(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  long size, resident = 0;

  if (fscanf(file, "%ld %ld", &size, &resident) != 2)
    abort();
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static long rounds;

static void *load_and_remove(void *argument)
{
  long number = *(long *)argument, before = 0, before_kib = 0;

  for (long i = 0; i < rounds; i++) {
    char name[32];
    uint64_t module = add(maker, (int)number);
    snprintf(name, sizeof name, "make_%ld", number);
    ref cell = ((ref(*)(long))find(name))(i);
    if (cell->value != i)
      abort();
    drop(module);
    if (number == 6 && i == rounds / 2) {
      before = mappings();
      before_kib = resident_kib();
    }
  }
  if (number != 6)
    return NULL;
  fprintf(stderr, "mappings: %ld at half, %ld at the end; KiB: %ld, %ld\n", before, mappings(), before_kib,
          resident_kib());
  if (mappings() > before + 20 || resident_kib() > before_kib + before_kib / 4 + 16384)
    printf("memory grows\n");
  return NULL;
}

static void modules_come_and_go(void)
{
  long numbers[] = {6, 7, 8};
  pthread_t threads[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, load_and_remove, &numbers[i + 1]);
  load_and_remove(&numbers[0]);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  tell("many", 0);
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.tier = TIER, .opt_level = 1}};
  char *error = NULL;

  rounds = argc > 1 ? atol(argv[1]) : 100;
  check(cairn_jit_new(&options, &session, &error), error);
  check(cairn_jit_define(session, "call_back", (void *)call_back, &error), error);
  check(cairn_jit_define(session, "done", &done, &error), error);
  check(cairn_jit_define(session, "drop_caller", (void *)drop_caller, &error), error);
  check(cairn_jit_define(session, "coroutine_yield", (void *)coroutine_yield, &error), error);
  frames_keep_a_module();
  frames_alone_keep_a_module();
  a_coroutine_keeps_a_module();
  if (!getenv("CAIRN_STRESS")) /* each resumption would walk a million frames */
    a_million_frames_keep_a_module();
  objects_keep_a_module();
  globals_do_not_keep_a_module();
  links_keep_a_module();
  the_reclaimer_frees_a_module();
  modules_come_and_go();
  cairn_jit_dispose(session);
  return 0;
}
