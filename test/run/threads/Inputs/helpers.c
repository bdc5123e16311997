/* SPDX-License-Identifier: Apache-2.0
 *
 * Before each collection of the usual collector, helper threads walk the stopped thread's stack all
 * at once, over code that comes and goes; what they count must be what the thread's own walk counts.
 */
#include <cairn/collector.h>
#include <cairn/stack.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HELPERS = 3 };

struct count {
  unsigned long frames, roots, sum;
};

static struct cairn_collector helped;
static int thread;
static unsigned long collections;
static volatile int done;

static void add_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct count *count = env;

  (void)parameter;
  count->roots++;
  count->sum += (uintptr_t)slot + tag + *slot;
}

static struct count walk(struct cairn_stack_iterator *it)
{
  struct count count = {0, 0, 0};

  for (; !cairn_stack_past_end(it); cairn_stack_next(it)) {
    struct cairn_stack_iterator copy = *it;
    count.frames++;
    count.sum += cairn_stack_ip(it) + cairn_stack_sp(it);
    cairn_stack_enumerate(&copy, add_root, &count);
  }
  return count;
}

static void *help(void *result)
{
  struct cairn_stack_iterator it;

  if (cairn_stack_of_thread(&it, thread))
    abort();
  *(struct count *)result = walk(&it);
  return NULL;
}

static void compare(const struct count *a, const struct count *b)
{
  if (a->frames != b->frames || a->roots != b->roots || a->sum != b->sum) {
    fprintf(stderr, "a helper counts %lu frames, %lu roots; the thread %lu, %lu\n", a->frames,
            a->roots, b->frames, b->roots);
    abort();
  }
}

static void collect(const struct cairn_collection *collection)
{
  struct cairn_stack_iterator it;
  struct count count[HELPERS];
  pthread_t helper[HELPERS];

  if (collections++ % 8 == 0) {
    for (int i = 0; i < HELPERS; i++)
      if (pthread_create(&helper[i], NULL, help, &count[i]) != 0)
        abort();
    cairn_stack_youngest(&it);
    struct count own = walk(&it);
    for (int i = 0; i < HELPERS; i++) {
      pthread_join(helper[i], NULL);
      compare(&count[i], &own);
    }
  }
  cairn_collector_semispace.collect(collection);
}

/* Somebody else's code that nobody is in, registered and removed all the time. */
static void nowhere(struct cairn_stack_iterator *iterator, void *data)
{
  (void)iterator;
  (void)data;
  abort();
}

static void *disturb(void *unused)
{
  static const struct cairn_code_manager manager = {.name = "nowhere", .previous = nowhere};
  static char code[4096];

  (void)unused;
  while (!done) {
    uintptr_t start = (uintptr_t)code + (unsigned)rand() % 4000;
    if (cairn_code_region_add(&manager, start, start + 16, code) == CAIRN_OK)
      cairn_code_region_remove(start);
    usleep(50);
  }
  return NULL;
}

static pthread_t disturber;

__attribute__((destructor)) static void finish(void)
{
  done = 1;
  pthread_join(disturber, NULL);
  fprintf(stderr, "collections with helpers: %s\n", collections > 2 ? "several" : "few");
}

__attribute__((constructor)) static void begin(void)
{
  helped = cairn_collector_semispace;
  helped.name = "helped";
  helped.collect = collect;
  thread = gettid();
  cairn_set_collector(&helped);
  if (pthread_create(&disturber, NULL, disturb, NULL) != 0)
    abort();
}
