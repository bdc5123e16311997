/* SPDX-License-Identifier: Apache-2.0
 *
 * For jit_storm.test: threads run sites of the program and of modules of a session, while one thread adds modules,
 * patches both kinds of sites, invalidates assumptions over both, and replaces and removes modules. Each call reaches
 * target 1 or 2.
 */
#include <pthread.h>
#include <string.h>
#include <cairn/thread.h>
#include "sites.h"
#include <cairn/assumption.h>
#include <cairn/jit.h>

enum { SITES = 8, SLOTS = 6, RUNNERS = 2, TEXT_BYTES = 2000 };

typedef long site_function(struct cell managed *object, long n);

static atomic_bool ends;
static atomic_long rounds_run;
static site_function *_Atomic current[SLOTS]; /* the functions of the modules */
static uint64_t modules[SLOTS];
static uintptr_t codes[SLOTS];

/* True if both targets of the site were 1 or 2. */
static bool is_right(long result)
{
  long leaf = result >> 32, call = result & 0xffffffff;

  return leaf >= 1 && leaf <= 2 && call >= 1 && call <= 2;
}

/* A module leaves `current` before its removal, and each thread passes a safepoint in between: there is none between
 * the load of the function's address and the call. */
static void *run(void *unused)
{
  struct cell managed *cell = make_cell(1000);
  long bad = 0;

  for (long n = 0; !ends; n++, rounds_run++) {
    for (int slot = 0; slot < SLOTS; slot++) {
      site_function *function = current[slot];
      bad += !is_right(function(cell, n));
    }
    bad += run_sites(cell, n);
  }
  EXPECT(bad == 0);
  return unused;
}

cairn_unmanaged static void check(enum cairn_status status, const char *text)
{
  if (status == CAIRN_OK)
    return;
  fprintf(stderr, "%s\n", text);
  abort();
}

cairn_unmanaged static uint64_t next_random(void)
{
  static uint64_t state = 88172645463325252;

  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

/* A shadow of random length before the points gives them different alignments. All modules have the same ids. */
cairn_unmanaged static void write_module(char text[TEXT_BYTES], long number)
{
  snprintf(text, TEXT_BYTES,
           "declare void @llvm.experimental.stackmap(i64, i32, ...)\n"
           "declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)\n"
           "declare i64 @absent(ptr addrspace(1), i64)\n"
           "define i64 @site_%ld(ptr addrspace(1) %%o, i64 %%n) noinline gc \"statepoint-example\" {\n"
           "  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 9999, i32 %d)\n"
           "  %%leaf = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 1000, i32 13, ptr null,"
           " i32 2, ptr addrspace(1) %%o, i64 %%n, i64 %%n)\n"
           "  %%call = call i64 @absent(ptr addrspace(1) %%o, i64 %%n) \"statepoint-id\"=\"1001\" "
           "\"statepoint-num-patch-bytes\"=\"13\"\n"
           "  %%number = load i64, ptr addrspace(1) %%o\n"
           "  %%sum = add i64 %%number, %%n\n"
           "  %%a = sub i64 %%leaf, %%sum\n"
           "  %%b = sub i64 %%call, %%sum\n"
           "  %%high = shl i64 %%a, 32\n"
           "  %%both = add i64 %%high, %%b\n"
           "  ret i64 %%both\n"
           "}\n",
           number, (int)(next_random() % 64));
}

/* Give the points of a module's function a target. */
cairn_unmanaged static void patch_function(struct cairn_patch *patch, uintptr_t code, int target)
{
  struct cairn_point points[4];
  size_t count = cairn_points_of_function(code, points, 4);

  EXPECT(count >= 2 && count <= 4);
  for (size_t i = 0; i < count; i++)
    if (points[i].kind != CAIRN_POINT_SHADOW)
      add_target(patch, &points[i], target, next_random() % 4 == 0);
}

cairn_unmanaged static void nothing(int thread, void *env)
{
  (void)thread;
  (void)env;
}

cairn_unmanaged static void *look_up(struct cairn_jit *session, const char *name)
{
  char *error = NULL;
  void *address;

  check(cairn_jit_look_up(session, name, &address, &error), error);
  return address;
}

/* Callers reach the function `name` of the slot by a pointer. */
cairn_unmanaged static void exchange_pointer(struct cairn_jit *session, int slot, const char *name)
{
  current[slot] = (site_function *)look_up(session, name);
  EXPECT(cairn_handshake_all(nothing, NULL, UINT64_MAX) == CAIRN_OK);
}

/* Callers reach the function `name` by a function that calls it, which is replaced by another version. */
cairn_unmanaged static void replace_caller(struct cairn_jit *session, int slot, const char *name)
{
  char text[TEXT_BYTES], caller[32], *error = NULL;
  uint64_t module;

  snprintf(caller, sizeof caller, "caller_%d", slot);
  int length = snprintf(text, sizeof text,
                        "declare i64 @%s(ptr addrspace(1), i64)\n"
                        "define i64 @%s(ptr addrspace(1) %%o, i64 %%n) noinline gc \"statepoint-example\" {\n"
                        "  %%r = call i64 @%s(ptr addrspace(1) %%o, i64 %%n)\n"
                        "  ret i64 %%r\n"
                        "}\n",
                        name, caller, name);
  if (current[slot] != NULL) {
    check(cairn_jit_replace_ir(session, caller, text, (size_t)length, &module, &error), error);
    return;
  }
  check(cairn_jit_add_ir(session, text, (size_t)length, &module, &error), error);
  current[slot] = (site_function *)look_up(session, caller);
}

/* Replace the module of a slot, in one of two ways. */
cairn_unmanaged static void add_module(struct cairn_jit *session, int slot, long number)
{
  char text[TEXT_BYTES], name[32], *error = NULL;
  uint64_t old = modules[slot];

  write_module(text, number);
  snprintf(name, sizeof name, "site_%ld", number);
  check(cairn_jit_add_ir(session, text, strlen(text), &modules[slot], &error), error);
  check(cairn_jit_find_code(session, name, &codes[slot], &error), error);
  struct cairn_patch *patch = cairn_patch_begin();
  patch_function(patch, codes[slot], 1);
  commit(patch);
  if (slot % 2 == 0)
    exchange_pointer(session, slot, name);
  else
    replace_caller(session, slot, name);
  if (old != 0)
    check(cairn_jit_remove(session, old, &error), error);
}

/* An assumption over a site of the program and a module becomes invalid, before or after the module is replaced. */
cairn_unmanaged static void invalidate_one(struct cairn_jit *session, int slot, long number)
{
  struct cairn_assumption *assumption = cairn_assumption_new();
  struct cairn_patch *patch = cairn_patch_begin();
  struct cairn_patch_failure failure;
  struct cairn_point point = find_point((uint64_t)slot);
  int target = (int)(next_random() % 2) + 1;

  add_target(patch, &point, target, false);
  patch_function(patch, codes[slot], target);
  check(cairn_assumption_depend(assumption, patch, &failure), failure.text);
  if (number % 2 != 0)
    add_module(session, slot, number);
  check(cairn_assumption_invalidate(&assumption, 1, &failure), failure.text);
  EXPECT(check_site(slot) >> 32 == target);
  cairn_assumption_free(assumption);
}

cairn_unmanaged static void storm(struct cairn_jit *session, long rounds)
{
  for (long round = SLOTS; round < rounds; round++) {
    int slot = (int)(next_random() % SLOTS);
    for (int i = 0; i < 20; i++) {
      struct cairn_patch *patch = cairn_patch_begin();
      patch_function(patch, codes[next_random() % SLOTS], (int)(next_random() % 2) + 1);
      commit(patch);
      patch_one(next_random() % (2 * SITES), (int)(next_random() % 2) + 1, next_random() % 4 == 0);
    }
    invalidate_one(session, slot, round);
  }
}

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 1}};
  struct cairn_jit *session;
  pthread_t threads[RUNNERS];
  char *error = NULL;

  EXPECT(argc == 2);
  check(cairn_jit_new(&options, &session, &error), error);
  check(cairn_jit_define(session, "absent", (void *)absent, &error), error);
  patch_all(SITES);
  for (int slot = 0; slot < SLOTS; slot++)
    add_module(session, slot, slot);
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_create(&threads[i], NULL, run, NULL) == 0);
  storm(session, atol(argv[1]));
  while (rounds_run < RUNNERS)
    ;
  ends = true;
  for (int i = 0; i < RUNNERS; i++)
    EXPECT(pthread_join(threads[i], NULL) == 0);
  EXPECT(getenv("CAIRN_STRESS") == NULL || objects_moved > 100);
  cairn_jit_dispose(session);
  printf("right\n");
  return 0;
}
