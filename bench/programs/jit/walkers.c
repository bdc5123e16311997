/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/jit: walks of a stack with frames of a session, alone, and while another thread links and removes modules
 * as fast as it can: walkers WALKS. Prints a line for each: nanoseconds of the median, of the 999th of 1,000, of the
 * 9,999th of 10,000 and of the longest walk, then the number of links in that time. Walks in which the thread lost the
 * processor are left out. The main thread walks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>
#include <cairn/stack.h>
#include "programs/jit/copies.h"

enum { DEPTH = 20 };

static const struct cn_jit_module *model;
static atomic_bool stormy, is_over;
static atomic_long links;
static long walks, lost;
static uint32_t *times;

static long now(void)
{
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000 + time.tv_nsec;
}

/* ---- the storm ---- */

static void *storm(void *unused)
{
  enum { TOGETHER = 16 };
  uint64_t numbers[TOGETHER];
  char *error;

  (void)unused;
  while (!is_over) {
    if (!stormy)
      continue;
    for (int i = 0; i < TOGETHER; i++) {
      struct cn_jit_module *module = copy_model(model);
      numbers[i] = module->number;
      link_module(module);
      links++;
    }
    for (int i = 0; i < TOGETHER; i++)
      if (cairn_jit_remove(session, numbers[i], &error))
        stop(error);
  }
  return NULL;
}

/* ---- walks ---- */

static long switches(void)
{
  struct rusage usage;

  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw + usage.ru_nvcsw;
}

static int compare(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

  return (x > y) - (x < y);
}

static void walk(void)
{
  struct cairn_stack_iterator at;
  int frames = 0;

  for (cairn_stack_youngest(&at); !cairn_stack_past_end(&at); cairn_stack_next(&at))
    frames++;
  if (frames < DEPTH)
    stop("frames are missing");
}

/* Only slow walks are worth the question whether the thread lost the processor. */
static void walk_often(void)
{
  long before = switches(), first_link = links, kept = 0;

  for (long i = 0; i < walks; i++) {
    long begin = now();
    walk();
    long time = now() - begin, after = time > 2000 ? switches() : before;
    if (after == before)
      times[kept++] = (uint32_t)time;
    lost += after != before;
    before = after;
  }
  qsort(times, (size_t)kept, sizeof *times, compare);
  printf("%u %u %u %u %ld\n", times[kept / 2], times[kept * 999 / 1000], times[kept * 9999 / 10000], times[kept - 1],
         links - first_link);
}

/* Called below the managed frames. */
static void walk_here(void)
{
  walk_often();
  walk_often();
  stormy = true;
  walk_often();
  stormy = false;
}

static const char text[] = "declare void @walk_here()\n"
                           "define i64 @deep(i64 %n) gc \"statepoint-example\" {\n"
                           "  %end = icmp eq i64 %n, 0\n  br i1 %end, label %last, label %more\n"
                           "more:\n  %less = sub i64 %n, 1\n  %x = call i64 @deep(i64 %less)\n"
                           "  %y = mul i64 %x, 3\n  %z = add i64 %y, %n\n  ret i64 %z\n"
                           "last:\n  call void @walk_here()\n  ret i64 1\n}\n";

int main(int argc, char **argv)
{
  const struct cairn_jit_options options = {.compile = {.opt_level = 0}};
  uint64_t number;
  pthread_t thread;
  void *deep = NULL;
  char *error;

  walks = argc > 1 ? atol(argv[1]) : 1000000;
  times = malloc((size_t)walks * sizeof *times);
  if (cairn_jit_new(&options, &session, &error) || cairn_jit_define(session, "walk_here", (void *)walk_here, &error) ||
      cairn_jit_add_ir(session, text, strlen(text), &number, &error) ||
      cairn_jit_look_up(session, "deep", &deep, &error))
    stop(error);
  model = make_model(LLVMContextCreate(), 1);
  pthread_create(&thread, NULL, storm, NULL);
  ((long (*)(long))deep)(DEPTH);
  is_over = true;
  pthread_join(thread, NULL);
  return 0;
}
