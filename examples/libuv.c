/* SPDX-License-Identifier: Apache-2.0
 *
 * libuv runs managed code on its own threads: work on those of its pool, timers and what follows
 * the work on that of the loop, and a thread of the program's that wakes the loop. A request is
 * native memory, so it holds a handle of its managed data; the handle stays while the object moves.
 *
 *   cairn-cc -O2 libuv.c -luv -o libuv
 *   libuv [requests [words of each]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>
#include <cairn/handle.h>
#include <uv.h>

struct tree {
  struct tree managed *left, *right;
  unsigned long key;
};

struct job {
  struct tree managed *tree;
  unsigned long seed;
  long count, kept;
};

struct loop {
  uv_loop_t uv;
  uv_timer_t timer;
  uv_async_t wake;
  long left, kept, ticks, wakes;
};

static struct loop loop;
static long words;

static void check(int status)
{
  if (status == 0)
    return;
  fprintf(stderr, "libuv: %s\n", uv_strerror(status));
  exit(1);
}

static struct tree managed *insert(struct tree managed *tree, unsigned long key)
{
  struct tree managed *node = cairn_new(struct tree), *at = tree;

  node->key = key;
  while (at) {
    struct tree managed *next = key < at->key ? at->left : at->right;
    if (!next && key < at->key)
      at->left = node;
    else if (!next)
      at->right = node;
    at = next;
  }
  return tree ? tree : node;
}

static long size_of(struct tree managed *tree)
{
  return tree ? 1 + size_of(tree->left) + size_of(tree->right) : 0;
}

/* On a thread of libuv's pool. */
static void work(uv_work_t *request)
{
  struct job managed *job = cairn_handle_get(request->data);

  for (long i = 0; i < job->count; i++) {
    struct tree managed *tree;
    job->seed = job->seed * 6364136223846793005ul + 1442695040888963407ul;
    tree = insert(job->tree, job->seed >> 32);
    job->tree = tree;
  }
}

static void finish(void)
{
  uv_close((uv_handle_t *)&loop.timer, NULL);
  uv_close((uv_handle_t *)&loop.wake, NULL);
}

/* On the thread of the loop, after work(). */
static void after_work(uv_work_t *request, int status)
{
  struct job managed *job = cairn_handle_get(request->data);

  check(status);
  loop.kept += size_of(job->tree);
  cairn_handle_free(request->data);
  free(request);
  if (--loop.left == 0 && loop.wakes)
    finish();
}

static void tick(uv_timer_t *timer)
{
  (void)timer;
  cairn_collect();
  loop.ticks++;
}

/* On the thread of the loop: uv_async_send() asked for it. */
static void woken(uv_async_t *wake)
{
  struct job managed *job = cairn_handle_get(wake->data);

  if (job->tree->key != 42)
    abort();
  cairn_collect();
  loop.wakes++;
  if (loop.left == 0)
    finish();
}

/* A thread of the program's, by uv_thread_create(). */
static void wake(void *handle)
{
  struct job managed *job = cairn_handle_get(handle);

  job->tree = insert(NULL, 42);
  cairn_collect();
  check(uv_async_send(&loop.wake));
}

static void queue(unsigned long seed)
{
  uv_work_t *request = malloc(sizeof *request);
  struct job managed *job = cairn_new(struct job);

  job->seed = seed;
  job->count = words;
  request->data = cairn_handle_new(job);
  check(uv_queue_work(&loop.uv, request, work, after_work));
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: libuv [requests [words of each]]") < 0;

  long requests = argc > 1 ? atol(argv[1]) : 40;
  uv_thread_t waker;

  words = argc > 2 ? atol(argv[2]) : 20000;
  check(uv_loop_init(&loop.uv));
  check(uv_timer_init(&loop.uv, &loop.timer));
  check(uv_timer_start(&loop.timer, tick, 0, 1));
  check(uv_async_init(&loop.uv, &loop.wake, woken));
  loop.wake.data = cairn_handle_new(cairn_new(struct job));
  loop.left = requests;
  for (long i = 0; i < requests; i++)
    queue((unsigned long)i);
  check(uv_thread_create(&waker, wake, loop.wake.data));
  check(uv_run(&loop.uv, UV_RUN_DEFAULT));
  check(uv_thread_join(&waker));
  cairn_handle_free(loop.wake.data);
  check(uv_loop_close(&loop.uv));
  printf("%ld requests: %ld nodes, timer %s, woken %s\n", requests, loop.kept,
         loop.ticks ? "yes" : "no", loop.wakes ? "yes" : "no");
  return 0;
}
