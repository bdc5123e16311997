/* SPDX-License-Identifier: Apache-2.0
 *
 * A heap beside a model (model.h), which says at any time what must be in it:
 *
 *   shadow SEED THREADS STEPS [LIBRARY]
 *
 * Each thread makes objects of all forms and sizes, links, copies, resizes and forgets them, at
 * random, at any depth of its stack and on coroutines; keeps pointers into them over collections;
 * takes signals whose handler allocates; gives lists to other threads; and writes to slots of
 * objects that other threads write to as well. After some steps it walks all that it has. The first
 * difference ends the program by SIGABRT.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>
#include "shadow.h"

enum { LIMIT = 60000, GIVEN = 4, GARBAGE_BYTES = 60000 };

enum step {
  MAKE, LINK, FOLLOW, CLEAR, FORGET, COPY, RESIZE, LIST, GARBAGE, INSIDE, DEEPER, RESUME, SIGNAL,
  LOAD, GIVE, SHARE, HANDLE, COLLECT, LOOK, WALK, WEAK, PAIR, LAST, TAKE, PIN, HASH, STEPS
};
static const char *const names[STEPS] = {
    "make",   "link",   "follow", "clear", "forget", "copy", "resize", "list",   "garbage", "inside",
    "deeper", "resume", "signal", "load",  "give",   "share", "handle", "collect", "look",   "walk",
    "weak",   "pair",   "last",   "take",  "pin",   "hash"};
/* A full collection that is asked for is rare: young ones come between. */
static const unsigned often[STEPS] = {600, 800, 500, 100, 10,  200, 120, 30,  100, 100, 80, 60, 30,
                                      10,  40,  120, 60,  5,  300, 10,  200, 200, 100, 20, 50, 100};

static struct owner owners[THREADS];
static ref managed *tables[THREADS]; /* of each thread ROOTS + ARRAYS */
static ref managed *stacks[THREADS]; /* of what waits to be looked at */
static ref managed *shared;          /* small ones and large ones, of many slots */
static long threads, steps_wanted, walk_every;
static const char *library;
static _Thread_local struct owner *mine;
static _Thread_local ref local_root; /* it is also in the table, at 0 */
static _Atomic long checked;

_Noreturn void wrong(struct owner *me, const char *what, const struct thing *thing)
{
  fprintf(stderr, "shadow: %s: thread %ld, step %ld, kind %d, number %lx, count %ld\n", what, me->number,
          me->steps, thing ? (int)thing->kind : -1, thing ? thing->number : 0, thing ? thing->count : 0);
  abort();
}

/* ---- looking ---- */

ref root(struct owner *me, long i)
{
  return tables[me->number][i];
}

void set_root(struct owner *me, long i, ref object, struct thing *thing)
{
  tables[me->number][i] = object;
  me->roots[i] = thing;
  if (i == 0)
    local_root = object;
}

/* A path from a root. */
static void look(struct owner *me)
{
  long i = draw(me, ROOTS);
  ref object = root(me, i);
  struct thing *thing = me->roots[i];

  if (local_root != root(me, 0))
    wrong(me, "a thread-local reference", me->roots[0]);
  for (int k = 0; k < 20; k++) {
    look_at(me, object, thing);
    if (thing == NULL || thing->slot_count == 0)
      return;
    long slot = draw(me, thing->slot_count);
    object = load(object, thing->kind, slot);
    thing = thing->slots[slot];
  }
}

/* One that has been seen in this walk was written to. */
static int was_seen(struct owner *me, ref object, struct thing *thing)
{
  long managed *walk = thing->kind == MIXED ? &((struct mixed managed *)object)->walk : &object->walk;

  if (!has_number(thing->kind)) {
    int seen = thing->seen == me->epoch;
    thing->seen = me->epoch;
    return seen;
  }
  if ((thing->seen == me->epoch) != (*walk == (long)me->epoch))
    wrong(me, "two copies of an object", thing);
  thing->seen = me->epoch;
  if (*walk == (long)me->epoch)
    return 1;
  *walk = (long)me->epoch;
  return 0;
}

static long waiting(struct owner *me, long at, ref object, struct thing *thing, long capacity)
{
  look_at(me, object, thing);
  if (thing == NULL || was_seen(me, object, thing))
    return at;
  if (at == capacity)
    wrong(me, "more objects than there are", thing);
  stacks[me->number][at] = object;
  wait_for(me, thing, at);
  return at + 1;
}

void walk_from(struct owner *me, ref object, struct thing *thing, long capacity)
{
  long at = waiting(me, 0, object, thing, capacity);

  while (at != 0) {
    at--;
    object = stacks[me->number][at];
    thing = me->waiting[at];
    stacks[me->number][at] = NULL;
    look_at_data(me, object, thing);
    for (long i = 0; i < thing->slot_count; i++)
      at = waiting(me, at, load(object, thing->kind, i), thing->slots[i], capacity);
    checked++;
  }
}

static void walk_shared(struct owner *me, long capacity);

static void walk(struct owner *me)
{
  long live = sweep(me) + 10;

  if (live > LIMIT / threads) {
    for (long i = draw(me, 2); i < ROOTS; i += 2)
      set_root(me, i, NULL, NULL);
    live = sweep(me) + 10;
  }
  if (stacks[me->number] == NULL)
    stacks[me->number] = cairn_new_array(ref, 16);
  /* a resize, as everywhere, may give another array */
  stacks[me->number] = cairn_resize_array(stacks[me->number], live);
  me->epoch++;
  for (long i = 0; i < ROOTS; i++)
    walk_from(me, root(me, i), me->roots[i], live);
  for (long i = 0; i < ARRAYS; i++)
    walk_from(me, root(me, ROOTS + i), me->arrays[i], live);
  for (long i = 0; i < HANDLES; i++)
    if (me->handles[i] != NULL)
      walk_from(me, (ref)cairn_handle_get(me->handles[i]), me->handled[i], live);
  walk_shared(me, live);
  watch_look(me, 0, live);
}

/* ---- steps ---- */

static long some_count(struct owner *me)
{
  unsigned long which = draw(me, 256);

  return (long)draw(me, which == 0 ? 12000 : which < 4 ? 2000 : which < 30 ? 120 : 9);
}

static void step_make(struct owner *me)
{
  long at = draw(me, ROOTS);
  enum kind kind = draw(me, 2) ? NODE : draw(me, KINDS);
  struct thing *thing = thing_new(me, kind, some_count(me));
  ref object;

  hold(me, thing);
  object = make_object(thing);
  release(me, 1);
  long links = thing->slot_count < 6 ? thing->slot_count : 6;
  for (long i = 0; i < links; i++) {
    long slot = draw(me, thing->slot_count), from = draw(me, ROOTS);
    store(object, kind, slot, root(me, from));
    thing->slots[slot] = me->roots[from];
  }
  set_root(me, at, object, thing);
}

static void step_link(struct owner *me)
{
  long from = draw(me, ROOTS), to = draw(me, ROOTS);
  struct thing *thing = me->roots[from];

  if (thing == NULL || thing->slot_count == 0)
    return;
  long slot = draw(me, thing->slot_count);
  store(root(me, from), thing->kind, slot, root(me, to));
  thing->slots[slot] = me->roots[to];
}

static void step_follow(struct owner *me)
{
  long from = draw(me, ROOTS), to = draw(me, ROOTS);
  struct thing *thing = me->roots[from];

  if (thing == NULL || thing->slot_count == 0)
    return;
  long slot = draw(me, thing->slot_count);
  ref object = load(root(me, from), thing->kind, slot);
  look_at(me, object, thing->slots[slot]);
  set_root(me, to, object, thing->slots[slot]);
}

static void step_forget(struct owner *me)
{
  for (long i = 0; i < ROOTS; i++)
    if (draw(me, 3) == 0)
      set_root(me, i, NULL, NULL);
}

/* A struct from one object to another; and a whole one, but for what it is known by. */
static void step_copy(struct owner *me)
{
  long from = draw(me, ROOTS), to = draw(me, ROOTS);
  struct thing *a = me->roots[from], *b = me->roots[to];

  if (a == NULL || b == NULL || a->kind != b->kind)
    return;
  if (a->kind == NODE) {
    struct node managed *node = (struct node managed *)root(me, to);
    *node = *(struct node managed *)root(me, from);
    node->number = b->number;
    node->walk = 0;
    memcpy(b->slots, a->slots, 3 * sizeof *a->slots);
  } else if (a->kind == MIXED) {
    long i = draw(me, 3), k = draw(me, 3);
    struct part local = *part_of(root(me, from), i);
    local.letter = (char)b->number;
    *part_of(root(me, to), k) = local;
    memcpy(&b->slots[2 * k], &a->slots[2 * i], 2 * sizeof *a->slots);
  } else if (a->kind == ITEMS && a->count > 0 && b->count > 0) {
    long i = draw(me, a->count), k = draw(me, b->count);
    struct item managed *items = (struct item managed *)root(me, to);
    items[k] = ((struct item managed *)root(me, from))[i];
    items[k].value = value_of(b, k);
    items[k].letters[2] = (char)k;
    memcpy(&b->slots[2 * k], &a->slots[2 * i], 2 * sizeof *a->slots);
  }
}

/* Arrays to which one place leads. */
static void step_resize(struct owner *me)
{
  long at = draw(me, ARRAYS), had;
  struct thing *thing = me->arrays[at];

  if (thing == NULL || draw(me, 20) == 0) {
    thing = me->arrays[at] = thing_new(me, at % 2 ? LONGS : REFS, some_count(me));
    tables[me->number][ROOTS + at] = make_object(thing);
    return;
  }
  had = thing->count;
  thing_resize(thing, draw(me, 3) ? had + (long)draw(me, 9) : some_count(me));
  if (thing->kind == LONGS) {
    long managed *longs = (long managed *)root(me, ROOTS + at);
    longs = draw(me, 2) ? cairn_resize_array(longs, thing->count) : cairn_resize_array_uninit(longs, thing->count);
    for (; had < thing->count; had++)
      longs[had] = value_of(thing, had);
    tables[me->number][ROOTS + at] = (ref)longs;
    return;
  }
  ref managed *refs = cairn_resize_array((ref managed *)root(me, ROOTS + at), thing->count);
  tables[me->number][ROOTS + at] = (ref)refs;
  if (thing->count > 0) {
    long slot = draw(me, thing->count), from = draw(me, ROOTS);
    look_at(me, refs[slot], thing->slots[slot]);
    refs[slot] = root(me, from);
    thing->slots[slot] = me->roots[from];
  }
}

/* Of nodes that nothing else leads to. */
static struct node managed *make_list(struct owner *me, long length, struct thing **first)
{
  struct node managed *list = NULL;

  *first = NULL;
  for (long i = 0; i < length; i++) {
    struct thing *thing = thing_new(me, NODE, 0);
    thing->slots[0] = *first;
    *first = thing;
    struct node managed *node = (struct node managed *)make_node(thing);
    node->slots[0] = (ref)list;
    list = node;
  }
  return list;
}

static void step_list(struct owner *me)
{
  struct thing *first;
  struct node managed *list = make_list(me, (long)draw(me, draw(me, 8) == 0 ? 6000 : 300), &first);

  set_root(me, draw(me, ROOTS), (ref)list, first);
}

/* Enough that the nursery is full now and then. */
static void step_garbage(struct owner *me)
{
  long sum = 0;

  for (long bytes = 0; bytes < GARBAGE_BYTES;) {
    long count = 4 * some_count(me);
    char managed *some = cairn_new_array(char, count);
    ref managed *refs = cairn_new_array(ref, count / 8);
    for (long k = 0; k < count; k += 64)
      sum += some[k];
    for (long k = 0; k < count / 8; k += 16)
      sum += refs[k] != NULL;
    if (count > 0)
      some[count - 1] = 1;
    if (count >= 8)
      refs[count / 8 - 1] = root(me, 0);
    bytes += 2 * count + 64;
  }
  if (sum != 0)
    wrong(me, "memory that is not clear", NULL);
}

/* Pointers into an object are all that a frame has of it. */
__attribute__((noinline)) static void with_inside(struct owner *me, char managed *byte, ref managed *slot,
                                                  long managed *number, const struct thing *thing, long at)
{
  char was = byte ? *byte : 0;

  some_steps(me, 6);
  if (byte && *byte != was)
    wrong(me, "a byte behind a pointer into an object", thing);
  if (number && *number != value_of(thing, at))
    wrong(me, "a number behind a pointer into an array", thing);
  if (slot)
    look_at(me, *slot, thing->slots[at]);
}

static void step_inside(struct owner *me)
{
  long from = draw(me, ROOTS), at;
  struct thing *thing = me->roots[from];

  if (thing == NULL || thing->count == 0 || me->depth >= DEEPEST)
    return;
  at = draw(me, thing->count);
  ref object = root(me, from);
  hold(me, thing);
  me->depth++;
  if (thing->kind == TEXT)
    with_inside(me, &((struct text managed *)object)->bytes[at], NULL, NULL, thing, at);
  else if (thing->kind == FLEX)
    with_inside(me, NULL, &((struct flex managed *)object)->slots[at], NULL, thing, at);
  else if (thing->kind == REFS)
    with_inside(me, NULL, &((ref managed *)object)[at], NULL, thing, at);
  else if (thing->kind == LONGS)
    with_inside(me, NULL, NULL, &((long managed *)object)[at], thing, at);
  else if (thing->kind == ITEMS)
    with_inside(me, NULL, NULL, &((struct item managed *)object)[at].value, thing, at);
  me->depth--;
  release(me, 1);
}

__attribute__((noinline)) static void exchange(ref *one, ref *other)
{
  ref was = *one;

  *one = *other;
  *other = was;
}

/* A frame with references, an array of them and a struct whose address is taken. */
__attribute__((noinline)) static void step_deeper(struct owner *me)
{
  ref held[3];
  struct part part = {'x', NULL, NULL};
  struct thing *things[4];

  if (me->depth >= DEEPEST)
    return;
  for (int i = 0; i < 3; i++) {
    long from = draw(me, ROOTS);
    held[i] = root(me, from);
    hold(me, things[i] = me->roots[from]);
  }
  long from = draw(me, ROOTS);
  part.other = root(me, from);
  hold(me, things[3] = me->roots[from]);
  me->depth++;
  exchange(&held[0], &held[2]);
  some_steps(me, 12);
  exchange(&held[2], &held[0]);
  me->depth--;
  for (int i = 0; i < 3; i++) {
    look_at(me, held[i], things[i]);
    set_root(me, draw(me, ROOTS), held[i], things[i]);
  }
  look_at(me, part.other, things[3]);
  release(me, 4);
}

/* ---- coroutines ---- */

typedef void coroutine_body(long argument);
void *coroutine_new(coroutine_body *body, long argument);
void coroutine_free(void *coroutine);
int coroutine_resume(void *coroutine);
void coroutine_yield(void);

struct kept {
  struct owner *me;
  struct thing *list;
};

static void body(long argument)
{
  struct owner *me = (struct owner *)argument;
  struct node managed *list = NULL;
  long length = 5 + (long)draw(me, 40);

  for (long i = 0; i < length; i++) {
    struct node managed *node = cairn_new(struct node);
    node->number = i;
    node->slots[0] = (ref)list;
    node->slots[1] = (ref)node;
    list = node;
    coroutine_yield();
    if (i % 7 == 3)
      cairn_new_array(long, 100);
  }
  for (; list; list = (struct node managed *)list->slots[0])
    if (list->number != --length || list->slots[1] != (ref)list)
      wrong(me, "a list of a coroutine", NULL);
  if (length != 0)
    wrong(me, "the length of a coroutine's list", NULL);
}

static void step_resume(struct owner *me)
{
  void **coroutine = &me->coroutines[draw(me, 3)];

  if (*coroutine == NULL)
    *coroutine = coroutine_new(body, (long)me);
  if (coroutine_resume(*coroutine)) {
    coroutine_free(*coroutine);
    *coroutine = NULL;
  }
}

/* ---- signals, libraries, threads ---- */

static _Atomic long handled;

static void on_signal(int number)
{
  struct node managed *list = NULL;
  long sum = 0;

  for (long i = 0; i < 20; i++) {
    struct node managed *node = cairn_new(struct node);
    node->number = i;
    node->slots[2] = (ref)list;
    list = node;
  }
  for (; list; list = (struct node managed *)list->slots[2])
    sum += list->number;
  if (sum != 190)
    wrong(mine, "a list of a signal handler", NULL);
  handled++;
}

struct item_of_library;
typedef struct item_of_library managed *maker(long count, void (*back)(void));

static void back(void)
{
  some_steps(mine, 6);
}

static void step_load(struct owner *me)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

  if (library == NULL || me->depth >= DEEPEST || pthread_mutex_trylock(&lock) != 0)
    return;
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (loaded == NULL)
    wrong(me, dlerror(), NULL);
  maker *make = (maker *)dlsym(loaded, "make");
  me->depth += DEEPEST;
  if (make(1 + (long)draw(me, 300), back) == NULL)
    wrong(me, "a list of a library", NULL);
  me->depth -= DEEPEST;
  dlclose(loaded);
  pthread_mutex_unlock(&lock);
}

static struct given {
  struct thing *first, *things;
} given[GIVEN];
static struct node managed *given_lists[GIVEN];
static pthread_mutex_t given_lock = PTHREAD_MUTEX_INITIALIZER;

/* A list of a thread becomes another's. */
static void step_give(struct owner *me)
{
  long at = draw(me, GIVEN);
  struct thing *first, *things;
  struct node managed *list = make_list(me, (long)draw(me, 400), &first);
  struct node managed *got;
  struct given was;

  things = detach(me, first);
  pthread_mutex_lock(&given_lock);
  got = given_lists[at];
  was = given[at];
  given_lists[at] = list;
  given[at] = (struct given){first, things};
  pthread_mutex_unlock(&given_lock);
  adopt(me, was.things);
  set_root(me, draw(me, ROOTS), (ref)got, was.first);
}

/* Objects that all threads write to, each to slots of its own that lie between those of others. */
enum { SHARED_OBJECTS = 6 };
static const long shared_sizes[SHARED_OBJECTS] = {16, 64, 300, 1000, 5000, 40000};

static long shared_slot(struct owner *me, long i)
{
  long size = shared_sizes[i % SHARED_OBJECTS];
  long at = i / SHARED_OBJECTS * (size / (SHARED / SHARED_OBJECTS * threads)) * threads;

  return (at + me->number) % size;
}

static void step_share(struct owner *me)
{
  long i = draw(me, SHARED), slot = shared_slot(me, i), from = draw(me, ROOTS);
  ref managed *object = (ref managed *)shared[i % SHARED_OBJECTS];

  look_at(me, object[slot], me->shared[i]);
  object[slot] = root(me, from);
  me->shared[i] = me->roots[from];
}

static void walk_shared(struct owner *me, long capacity)
{
  for (long i = 0; i < SHARED; i++) {
    ref managed *object = (ref managed *)shared[i % SHARED_OBJECTS];
    walk_from(me, object[shared_slot(me, i)], me->shared[i], capacity);
  }
}

static void step_handle(struct owner *me)
{
  long i = draw(me, HANDLES), from = draw(me, ROOTS);

  if (me->handles[i] != NULL) {
    look_at(me, (ref)cairn_handle_get(me->handles[i]), me->handled[i]);
    set_root(me, from, (ref)cairn_handle_get(me->handles[i]), me->handled[i]);
    cairn_handle_free(me->handles[i]);
    me->handles[i] = NULL;
    me->handled[i] = NULL;
    return;
  }
  me->handles[i] = cairn_handle_new(root(me, from));
  me->handled[i] = me->roots[from];
}

/* ---- all of it ---- */

static void step(struct owner *me, enum step which)
{
  me->counts[which]++;
  switch (which) {
  case MAKE:
    return step_make(me);
  case LINK:
    return step_link(me);
  case FOLLOW:
    return step_follow(me);
  case CLEAR:
    return set_root(me, draw(me, ROOTS), NULL, NULL);
  case FORGET:
    return step_forget(me);
  case COPY:
    return step_copy(me);
  case RESIZE:
    return step_resize(me);
  case LIST:
    return step_list(me);
  case GARBAGE:
    return step_garbage(me);
  case INSIDE:
    return step_inside(me);
  case DEEPER:
    return step_deeper(me);
  case RESUME:
    return step_resume(me);
  case SIGNAL:
    raise(SIGUSR1);
    return;
  case LOAD:
    return step_load(me);
  case GIVE:
    return step_give(me);
  case SHARE:
    return step_share(me);
  case HANDLE:
    return step_handle(me);
  case COLLECT:
    sweep(me);
    cairn_collect();
    return watch_look(me, 1, 0);
  case WEAK:
    return watch_weak(me);
  case PAIR:
    return watch_pair(me);
  case LAST:
    return watch_last(me);
  case TAKE:
    return watch_take(me);
  case PIN:
    return watch_pin(me);
  case HASH:
    return watch_hash(me);
  case LOOK:
    return look(me);
  default:
    return walk(me);
  }
}

static enum step choose(struct owner *me)
{
  unsigned all = 0, at;
  enum step which = 0;

  for (int i = 0; i < STEPS; i++)
    all += often[i];
  for (at = (unsigned)draw(me, all); at >= often[which]; which++)
    at -= often[which];
  return which;
}

void some_steps(struct owner *me, long most)
{
  for (long left = (long)draw(me, most + 1); left > 0; left--) {
    enum step which = choose(me);
    me->steps++;
    step(me, which);
  }
}

static void *run(void *argument)
{
  struct owner *me = mine = argument;
  long next = 0;

  tables[me->number] = cairn_new_array(ref, ROOTS + ARRAYS);
  watch_begin(me);
  while (me->steps < steps_wanted) {
    some_steps(me, 20);
    if (me->steps >= next) {
      walk(me);
      next = me->steps + walk_every;
    }
  }
  for (int i = 0; i < 3; i++)
    while (me->coroutines[i] != NULL)
      if (coroutine_resume(me->coroutines[i])) {
        coroutine_free(me->coroutines[i]);
        me->coroutines[i] = NULL;
      }
  walk(me);
  local_root = NULL;
  return NULL;
}

static void report(void)
{
  long all[STEPS] = {0}, taken = 0;

  for (long t = 0; t < threads; t++)
    for (int i = 0; i < STEPS; i++)
      all[i] += owners[t].counts[i];
  for (long t = 0; t < threads; t++)
    taken += owners[t].taken;
  for (int i = 0; i < STEPS; i++)
    fprintf(stderr, "%s %ld%s", names[i], all[i], i + 1 < STEPS ? ", " : "\n");
  for (int i = 0; i < STEPS; i++)
    if (all[i] == 0 && (i != LOAD || library != NULL) && (i != COLLECT || threads * steps_wanted > 10000))
      printf("never: %s\n", names[i]);
  if (taken == 0)
    puts("never: an object in a queue");
  printf("as the model: %s, signals %s\n", checked > 0 ? "yes" : "nothing was looked at",
         handled > 0 ? "handled" : "missed");
}

int main(int argc, char **argv)
{
  struct sigaction action = {.sa_handler = on_signal};
  pthread_t ids[THREADS];

  threads = atol(argv[2]);
  steps_wanted = atol(argv[3]);
  walk_every = steps_wanted / 20 < 4000 ? steps_wanted / 20 : 4000;
  library = argc > 4 ? argv[4] : NULL;
  sigaction(SIGUSR1, &action, NULL);
  shared = cairn_new_array(ref, SHARED_OBJECTS);
  for (int i = 0; i < SHARED_OBJECTS; i++)
    shared[i] = (ref)cairn_new_array(ref, shared_sizes[i]);
  for (long t = 0; t < threads; t++) {
    owners[t].number = t;
    owners[t].random = strtoul(argv[1], NULL, 10) * 1000 + (unsigned long)t;
    pthread_create(&ids[t], NULL, run, &owners[t]);
  }
  for (long t = 0; t < threads; t++)
    pthread_join(ids[t], NULL);
  report();
  return 0;
}
