/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads of a random program share (random_threads.py). A program includes this after the
 * types and thread-locals of random_program.py. Each function's result depends on its own thread
 * alone, or goes to `total`, a sum in any order; so the program prints the same in each run.
 * `wrong` counts what must not happen.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { OWNERS = 8, STORM = 7, SLOTS = 8, RING = 6 };

static _Thread_local ulong self; /* the thread's number; that of all short-lived ones is STORM */
static _Atomic ulong total;
static _Atomic ulong wrong;
static const char *part; /* the library that load() loads */

static ulong hash(ulong x)
{
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15ul;
  return x ^ x >> 29;
}

static void give(ulong x)
{
  atomic_fetch_add(&total, hash(x));
}

static void must(int right)
{
  if (!right)
    atomic_fetch_add(&wrong, 1);
}

/* A list of 1 to 8 nodes whose values follow from `x`, and the sum of one. */
static ref list(ulong x)
{
  ref all = NIL;

  for (ulong i = 0; i <= (x & 7); i++)
    all = make(x + i, all);
  return all;
}

static ulong sum_list(ref all)
{
  ulong sum = 1;

  for (int i = 0; all && i < 8; all = all->left, i++)
    sum = sum * 31 + all->value + all->numbers[all->value & 3];
  return sum;
}
#include "containers.h"

/* ---- a thread that serves the others, under a condition ---- */

struct request {
  struct request managed *next;
  ref question, answer;
  ulong done;
};
typedef struct request managed *request;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t asked, answered;
  request first;
  int stop;
} desk = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};

static void *serve(void *unused)
{
  pthread_mutex_lock(&desk.lock);
  while (desk.first || !desk.stop) {
    request r = desk.first;
    if (r == NULL) {
      pthread_cond_wait(&desk.asked, &desk.lock);
      continue;
    }
    desk.first = r->next;
    pthread_mutex_unlock(&desk.lock);
    ref answer = make(sum_list(r->question), list(value_of(r->question)));
    pthread_mutex_lock(&desk.lock);
    r->answer = answer;
    r->done = 1;
    pthread_cond_broadcast(&desk.answered);
  }
  pthread_mutex_unlock(&desk.lock);
  return unused;
}

static ref ask(ulong x)
{
  request r = cairn_new(struct request);

  r->question = list(x);
  pthread_mutex_lock(&desk.lock);
  r->next = desk.first;
  desk.first = r;
  pthread_cond_signal(&desk.asked);
  while (!r->done)
    pthread_cond_wait(&desk.answered, &desk.lock);
  pthread_mutex_unlock(&desk.lock);
  return r->answer;
}

/* ---- where all threads meet ---- */

static pthread_barrier_t barrier;
static struct {
  pthread_mutex_t lock;
  pthread_cond_t come;
  ulong here, turn;
} meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static ulong threads;
static _Atomic ulong arrived;
static ref shown[OWNERS];

static void meet_barrier(void)
{
  pthread_barrier_wait(&barrier);
}

static void meet_condition(void)
{
  pthread_mutex_lock(&meeting.lock);
  ulong turn = meeting.turn;
  if (++meeting.here == threads) {
    meeting.here = 0;
    meeting.turn++;
    pthread_cond_broadcast(&meeting.come);
  }
  while (meeting.turn == turn)
    pthread_cond_wait(&meeting.come, &meeting.lock);
  pthread_mutex_unlock(&meeting.lock);
}

/* Managed code that spins: its poll lets others stop it. */
static void meet_spinning(void)
{
  ulong until = (atomic_fetch_add(&arrived, 1) / threads + 1) * threads;

  for (ulong spins = 0; atomic_load(&arrived) < until; spins++) {
    if (spins < 20)
      must(make(spins, NIL)->value == spins);
    else if (spins % 4 == 0)
      sched_yield();
  }
}

static void exchange_lists(void (*meet)(void))
{
  shown[self] = list(sum);
  if (self == 0)
    pop_all();
  meet();
  ulong seen = 0;
  for (ulong i = 0; i < threads; i++)
    seen = seen * 5 + sum_list(shown[i]);
  mix(seen);
  meet();
}

/* ---- callbacks ---- */

ulong native_twice(ulong (*function)(ulong), ulong x);
ulong native_threads(ulong (*function)(ulong), ulong x, unsigned count);

static ulong called(ulong x)
{
  static _Thread_local ulong calls;
  ref kept = list(x);

  if (++calls % 64 == 3)
    cairn_collect();
  return sum_list(kept) + (x > 1 && x % 3 == 0 ? native_twice(called, x / 4) : 0);
}

static int compare_called(const void *a, const void *b)
{
  ulong x = called(*(const ulong *)a & 15), y = called(*(const ulong *)b & 15);

  return x < y ? -1 : x > y;
}

static _Thread_local ulong visited;

static void visit(const void *node, VISIT which, int depth)
{
  if (which == postorder || which == leaf)
    visited = visited * 7 + called(**(ulong *const *)node & 7);
}

static ulong sort(ulong x)
{
  ulong keys[6], *found;
  void *top = NULL;
  ref kept = list(x);

  for (int i = 0; i < 6; i++) {
    keys[i] = x = hash(x + (ulong)i);
    must(tsearch(&keys[i], &top, compare_called) != NULL);
  }
  visited = 0;
  twalk(top, visit);
  while (top)
    tdelete(*(ulong **)top, &top, compare_called);
  qsort(keys, 6, sizeof keys[0], compare_called);
  found = bsearch(&keys[2], keys, 6, sizeof keys[0], compare_called);
  must(found != NULL);
  return visited + keys[0] % 16 + sum_list(kept);
}

/* ---- signals ---- */

static _Thread_local struct node managed *volatile ticks; /* a handler's list, of values that go down by 1 */
static _Thread_local volatile ulong tick_count, raised;
/* A handler that attaches its thread detaches it, which empties `ticks`. Nothing does inside. */
static _Thread_local volatile enum { OUTSIDE, BEGINS, INSIDE } rounds_state;
static struct node managed *_Atomic last_tick; /* of any thread */

static void on_raise(int number)
{
  ref made = list(raised + (ulong)number);

  if (raised % 4 == 0)
    cairn_collect();
  raised += sum_list(made);
}

static ulong raise_one(ulong x)
{
  ref kept = list(x);

  raised = x;
  raise(SIGUSR2);
  return raised + sum_list(kept);
}

/* The period begins at the end of a handler, which stress may make longer than a period. */
static _Atomic long period;

static void next_tick(void)
{
  struct itimerval time = {{0, 0}, {0, atomic_load(&period)}};

  must(setitimer(ITIMER_REAL, &time, NULL) == 0);
}

static void on_tick(int number)
{
  int error = errno;

  if (rounds_state != INSIDE && ticks == NIL)
    tick_count = 0;
  if (rounds_state == BEGINS)
    rounds_state = INSIDE;
  ulong count = tick_count;
  for (ref p = ticks; p; p = p->left)
    must(p->value == count--);
  must(count == 0);
  ref other = atomic_exchange(&last_tick, make(hash(tick_count), ticks));
  must(other == NIL || other->numbers[other->value & 3] == 3 * other->value);
  if (tick_count == 40) {
    tick_count = 0;
    ticks = NIL;
  }
  ticks = make(tick_count + 1, ticks);
  tick_count++;
  if (tick_count % 5 == (ulong)number % 5)
    cairn_collect();
  next_tick();
  errno = error;
}

#ifdef CAIRN_PLAIN /* calloc() is not for handlers: who keeps no time prints the same */
static void start_timer(long microseconds)
{
}
#else
static void start_timer(long microseconds)
{
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};

  atomic_store(&period, microseconds);
  must(sigaction(SIGALRM, &action, NULL) == 0);
  next_tick();
}
#endif

static void stop_timer(void)
{
  start_timer(0);
}

/* ---- processes ---- */

static ulong child_of(ulong x, ref kept)
{
  ref made = list(x);
  ulong sum = 0;

  cairn_collect();
  for (ulong i = 0; i < 20; i++)
    sum = sum * 3 + sum_list(list(x + i));
  cairn_collect();
  return sum + sum_list(made) + sum_list(kept) + value_of(look_up(x)) + sum_list(global_ref);
}

static ulong read_all(int from)
{
  ulong answer = 0;
  ssize_t n;

  do
    n = read(from, &answer, sizeof answer);
  while (n < 0 && errno == EINTR);
  must(n == sizeof answer);
  return answer;
}

static ulong fork_one(ulong x, ref kept)
{
  static _Thread_local ulong forks;
  int ends[2], status = 0;
  pid_t child;

  if (++forks > 20)
    return 2 * child_of(x, kept);
  must(pipe(ends) == 0);
  child = fork();
  if (child == 0) {
    ulong answer = child_of(x, kept);
    _exit(write(ends[1], &answer, sizeof answer) != sizeof answer);
  }
  close(ends[1]);
  ulong answer = read_all(ends[0]);
  close(ends[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  must(child > 0 && status == 0);
  return answer + child_of(x, kept);
}

/* ---- threads that come and go ---- */

static pthread_key_t key;
static _Atomic ulong detached;
static _Thread_local struct pair briefly;

static void at_end(void *value)
{
  give((ulong)value + sum_list(list((ulong)value)));
}

static ulong live_briefly(ulong x)
{
  self = STORM;
  briefly = (struct pair){list(x), x, list(x + 1)};
  plant(x, NIL);
  swap_slot(x);
  if (x % 3 == 0)
    cairn_collect();
  return sum_list(briefly.first) + 3 * sum_list(briefly.second) + briefly.weight;
}

static void *returns(void *x)
{
  if ((ulong)x % 4 == 1)
    pthread_setspecific(key, (void *)((ulong)x + 1));
  return (void *)live_briefly((ulong)x);
}

static void *exits(void *x)
{
  ref kept = list((ulong)x);
  ulong lived = live_briefly((ulong)x);

  pthread_exit((void *)(lived - sum_list(kept) + sum_list(list((ulong)x))));
}

static void *is_detached(void *x)
{
  give(live_briefly((ulong)x));
  atomic_fetch_sub(&detached, 1);
  return NULL;
}

static int thrd_returns(void *x)
{
  return (int)(live_briefly((ulong)x) & 0xffff);
}

static ulong storm(ulong x)
{
  enum { MOST = 12 };
  pthread_t thread[MOST];
  thrd_t other;
  ulong count = 2 + x % (MOST - 1), sum = 0;
  int result = 0;
  void *value;

  for (ulong i = 0; i < count; i++)
    must(pthread_create(&thread[i], NULL, (x + i) % 3 ? returns : exits, (void *)(x % 100 + i)) == 0);
  must(thrd_create(&other, thrd_returns, (void *)(x % 100)) == thrd_success);
  ref kept = list(x);
  if (x % 2) {
    pthread_t alone;
    atomic_fetch_add(&detached, 1);
    must(pthread_create(&alone, NULL, is_detached, (void *)(x % 100)) == 0);
    pthread_detach(alone);
  }
  for (ulong i = 0; i < count; i++) {
    must(pthread_join(thread[i], &value) == 0);
    sum = sum * 3 + (ulong)value;
  }
  thrd_join(other, &result);
  return sum + (ulong)result + sum_list(kept);
}

static void *waits(void *x)
{
  ref kept = list((ulong)x);

  pthread_setspecific(key, (void *)((ulong)x + 1));
  live_briefly((ulong)x);
  for (;;) {
    must(sum_list(kept) == sum_list(list((ulong)x)));
    if ((ulong)x % 2)
      pthread_testcancel();
    else
      usleep(20);
  }
}

static void cancel(ulong x)
{
  pthread_t thread;
  void *value = NULL;

  must(pthread_create(&thread, NULL, waits, (void *)(x % 100)) == 0);
  ref kept = list(x);
  if (x % 3)
    sched_yield();
  must(pthread_cancel(thread) == 0);
  must(pthread_join(thread, &value) == 0 && value == PTHREAD_CANCELED);
  must(sum_list(kept) == sum_list(list(x)));
}

static void await_detached(void)
{
  while (atomic_load(&detached))
    usleep(100);
}

/* ---- a library of managed code, which comes and goes ---- */

static ulong load(ulong x)
{
  ref kept = list(x);
  void *library = dlopen(part, RTLD_NOW | RTLD_LOCAL);
  ulong (*run)(ulong), answer = 0;

  must(library != NULL);
  if (library == NULL)
    return 0;
  *(void **)&run = dlsym(library, "part_run");
  must(run != NULL);
  answer = run(x) + 3 * native_twice(run, x);
  must(dlclose(library) == 0);
  return answer + sum_list(kept);
}

/* ---- the program ---- */

static void prepare(ulong count, const char *library)
{
  struct sigaction action = {.sa_handler = on_raise};

  threads = count;
  part = library;
  must(pthread_barrier_init(&barrier, NULL, (unsigned)count) == 0);
  must(pthread_key_create(&key, at_end) == 0);
  must(sigaction(SIGUSR2, &action, NULL) == 0);
}

/* What all threads have made together. */
static void conclude(void)
{
  await_detached();
  drain();
  sum = 1;
  mix_tree(atomic_load(&root));
  mix_map();
  mix(atomic_load(&total));
  printf("together %lx, wrong %lu\n", sum, atomic_load(&wrong));
}
