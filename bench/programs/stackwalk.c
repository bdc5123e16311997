/* SPDX-License-Identifier: Apache-2.0
 *
 * Walks one stack in many ways (bench/stackwalk). Native code, beside the managed frames that the
 * script makes. Arguments: depth, number of frame functions and of call sites in each, seed,
 * milliseconds for each way. A line of output for each way: its name, nanoseconds per frame (median
 * of the rounds), frames, roots per frame.
 *
 * The ways are taken in turns. unw_backtrace() and its like come from their own libraries, by
 * dlopen(): linking libunwind would replace the C library's and libgcc's.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/entry.h>
#include <cairn/stack.h>
#include "stackwalk.h"

typedef long frame(void *list, long depth);
extern frame *const bench_functions[];
extern frame bench_leaf_native, bench_leaf_marked, bench_leaf_collect;
long bench_start(long depth);
extern frame **bench_plan;
extern unsigned char *bench_site;
void bench_measure(uintptr_t *frame_pointer);

enum { ROUNDS = 9, MOST_STEPS = 10000 };

static long depth;
static long budget; /* nanoseconds */
static volatile uintptr_t sink;
static uint64_t frames, roots;
extern const char __start_cairn_frames[], __stop_cairn_frames[];
extern const char __start_cairn_details[] __attribute__((weak)), __stop_cairn_details[] __attribute__((weak));

static uint64_t now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* other work on the machine does not count */
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* ---- the ways ---- */

static uintptr_t *youngest_frame_pointer;
static void **addresses;
static int (*unwind_backtrace)(void *(*)(void *, void *), void *);
static int (*unw_backtrace)(void **, int);
static int (*unw_init_local)(void *, void *);
static int (*unw_step)(void *);

static void chain(void)
{
  uintptr_t sum = 0, *at = youngest_frame_pointer;

  for (frames = 0; frames < (uint64_t)depth; frames++, at = (uintptr_t *)*at)
    sum += at[1];
  sink = sum;
}

static void iterator_only(void)
{
  struct cairn_stack_iterator it;

  frames = 0;
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it))
    frames++;
}

static void iterator_registers(void)
{
  struct cairn_stack_iterator it;
  struct cairn_stack_state state;

  frames = 0;
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it), frames++)
    cairn_stack_get(&it, &state);
  sink = (uintptr_t)state.reg[3];
}

static void count_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  (void)slot, (void)tag, (void)parameter;
  ++*(uint64_t *)env;
}

static void iterator_roots(void)
{
  struct cairn_stack_iterator it;

  frames = roots = 0;
  for (cairn_stack_youngest(&it); !cairn_stack_past_end(&it); cairn_stack_next(&it), frames++)
    cairn_stack_enumerate(&it, count_root, &roots);
}

static void count_slot(void *env, struct cairn_slot slot)
{
  (void)slot;
  ++*(uint64_t *)env;
}

/* In a collection only. */
static void collector_calls(void)
{
  roots = 0;
  cairn_visit_roots(count_slot, &roots);
  frames = (uint64_t)depth;
}

static void count_slots(void *env, uintptr_t *const *slots, size_t count)
{
  uintptr_t all = 0;

  for (size_t i = 0; i < count; i++)
    all |= (uintptr_t)slots[i];
  sink = all;
  *(uint64_t *)env += count;
}

static void collector_arrays(void)
{
  roots = 0;
  cairn_visit_root_arrays(count_slots, &roots);
  frames = (uint64_t)depth;
}

static void use_unw_backtrace(void)
{
  frames = (uint64_t)unw_backtrace(addresses, (int)depth);
}

static void *count_frame(void *context, void *env)
{
  (void)context;
  ++*(uint64_t *)env;
  return NULL;
}

static void use_unwind_backtrace(void)
{
  frames = 0;
  unwind_backtrace(count_frame, &frames);
}

static void use_unw_step(void)
{
  ucontext_t context;
  uintptr_t cursor[256];

  getcontext(&context);
  frames = 0;
  for (unw_init_local(cursor, &context); unw_step(cursor) > 0 && frames < MOST_STEPS; frames++)
    ;
}

static uintptr_t youngest_pc, youngest_sp;

static void use_raw_maps(void)
{
  frames = raw_walk(youngest_pc, youngest_sp, &roots);
}

/* ---- rounds ---- */

struct way {
  const char *name;
  void (*walk)(void);
  double best[ROUNDS];
};

static int ascending(const void *a, const void *b)
{
  double difference = *(const double *)a - *(const double *)b;

  return difference < 0 ? -1 : difference > 0;
}

/* Nanoseconds of one walk. */
static double time_walk(void (*walk)(void), long repetitions)
{
  uint64_t start = now();

  for (long i = 0; i < repetitions; i++)
    walk();
  return (double)(now() - start) / (double)repetitions;
}

static void measure(struct way *ways, size_t count)
{
  long repetitions[16];

  for (size_t i = 0; i < count; i++) {
    double once = time_walk(ways[i].walk, 1);
    if (ways[i].walk == collector_arrays)
      printf("cold %s\t%.2f\t%lu\t0\n", ways[i].name, once / (double)(frames ? frames : 1), (unsigned long)frames);
    once = time_walk(ways[i].walk, 1);
    repetitions[i] = 1 + (long)((double)budget / ROUNDS / once);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (size_t i = 0; i < count; i++)
      ways[i].best[round] = time_walk(ways[i].walk, repetitions[i]);
  for (size_t i = 0; i < count; i++) {
    roots = 0;
    ways[i].walk();
    qsort(ways[i].best, ROUNDS, sizeof ways[i].best[0], ascending);
    printf("%s\t%.2f\t%lu\t%.2f\n", ways[i].name, frames ? ways[i].best[ROUNDS / 2] / (double)frames : 0,
           (unsigned long)frames, frames ? (double)roots / (double)frames : 0);
  }
  fflush(stdout);
}

static void *library(const char *name)
{
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

  if (!handle) {
    fprintf(stderr, "stackwalk: %s\n", dlerror());
    exit(2);
  }
  return handle;
}

static void find(void *function, void *handle, const char *name)
{
  void *symbol = dlsym(handle, name);

  if (!symbol) {
    fprintf(stderr, "stackwalk: no %s\n", name);
    exit(2);
  }
  memcpy(function, &symbol, sizeof symbol);
}

static void load_peers(void)
{
  void *libunwind = library("libunwind.so.8"), *libgcc = library("libgcc_s.so.1");

  find(&unw_backtrace, libunwind, "unw_backtrace");
  find(&unw_init_local, libunwind, "_ULx86_64_init_local");
  find(&unw_step, libunwind, "_ULx86_64_step");
  find(&unwind_backtrace, libgcc, "_Unwind_Backtrace");
}

/* ---- where the stack calls ---- */

/* Reached by a call with an anchor. */
void bench_native(void)
{
  struct way ways[] = {{"iterator", iterator_only, {0}},
                       {"iterator+registers", iterator_registers, {0}},
                       {"iterator+roots", iterator_roots, {0}}};

  measure(ways, 3);
}

/* Reached by bench_marked, which stands for managed code: there is nothing on the stack that an
 * unwinder's fast path does not know. */
__attribute__((noinline)) void bench_peers(void)
{
  struct way ways[] = {{"chain", chain, {0}},
                       {"unw_backtrace", use_unw_backtrace, {0}},
                       {"_Unwind_Backtrace", use_unwind_backtrace, {0}},
                       {"unw_step", use_unw_step, {0}},
                       {"raw maps", use_raw_maps, {0}}};
  bool chained = getenv("STACKWALK_CHAIN") != NULL;

  youngest_frame_pointer = (uintptr_t *)*(uintptr_t *)__builtin_frame_address(0);
  youngest_pc = (uintptr_t)__builtin_return_address(0);
  youngest_sp = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof youngest_sp;
  measure(ways + !chained, 5 - !chained);
}

__asm__(".text\n"
        ".globl bench_marked\n" /* native code, without the transition */
        CAIRN_ENTRY_STRING(bench_marked) "jmp bench_peers\n");

static struct cairn_collector collector;

static void collect(const struct cairn_collection *collection)
{
  struct way ways[] = {{"collector", collector_arrays, {0}}, {"collector+calls", collector_calls, {0}}};

  if (collection->cause != CAIRN_CAUSE_ASKED) {
    cairn_collector_semispace.collect(collection);
    return;
  }
  measure(ways, 2);
}

static void print_bytes(const char *what, size_t bytes, size_t safepoints)
{
  printf("bytes %s\t%zu\t%zu\t0\n", what, bytes, safepoints);
}

static void load_raw_maps(void)
{
  struct raw_size size = raw_load(getenv("STACKWALK_RAW"));

  print_bytes("cairn_frames", (size_t)(__stop_cairn_frames - __start_cairn_frames), size.records);
  print_bytes("cairn_details", (size_t)(__stop_cairn_details - __start_cairn_details), size.records);
  print_bytes("raw", size.section, size.records);
  print_bytes("raw table", size.table, size.records);
}

static void make_plan(long functions, long sites, uint64_t random)
{
  bench_plan = malloc(((size_t)depth + 1) * sizeof *bench_plan);
  bench_site = malloc((size_t)depth + 1);
  addresses = malloc(((size_t)depth + 64) * sizeof *addresses);
  if (!bench_plan || !bench_site || !addresses)
    exit(2);
  for (long i = 1; i <= depth; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    bench_plan[i] = bench_functions[(random >> 33) % (uint64_t)functions];
    bench_site[i] = (unsigned char)((random >> 20) % (uint64_t)sites);
  }
}

int main(int argc, char **argv)
{
  if (argc != 6)
    return 2;
  depth = atol(argv[1]);
  budget = atol(argv[5]) * 1000000;
  collector = cairn_collector_semispace;
  collector.name = "stackwalk";
  collector.collect = collect;
  cairn_set_collector(&collector);
  load_peers();
  load_raw_maps();
  make_plan(atol(argv[2]), atol(argv[3]), strtoull(argv[4], NULL, 10));
  for (frame **leaf = (frame *[]){bench_leaf_collect, bench_leaf_native, bench_leaf_marked, NULL}; *leaf; leaf++) {
    bench_plan[0] = *leaf;
    sink = (uintptr_t)bench_start(depth);
  }
  return 0;
}
