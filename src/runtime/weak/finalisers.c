/* SPDX-License-Identifier: Apache-2.0
 *
 * Finalisers: the registered objects, and queues of those that a collection found unreachable. The program takes
 * objects from a queue when and where it likes, so managed code never runs within a collection. A handle keeps each
 * queued object alive.
 */
#include "runtime/weak/finalisers.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/weak/order.h"

enum { MAX_QUEUES = 64 };

struct cairn_handle;

#pragma GCC visibility push(default)
/* <cairn/handle.h> */
struct cairn_handle *cairn_handle_new(uintptr_t reference);
uintptr_t cairn_handle_get(struct cairn_handle *handle);
void cairn_handle_free(struct cairn_handle *handle);
/* <cairn/weak.h> */
void cairn_finalise(uintptr_t reference, unsigned queue);
uintptr_t cairn_finalise_next(unsigned queue);
#pragma GCC visibility pop

/* The registered objects: their words are weak references. The objects before `old` survived the last collection. */
static struct {
  CN_GROW(struct cn_dead) registered;
  size_t old;
  CN_GROW(struct cn_dead) dead; /* the dead objects of this collection */
} objects;

static struct queue {
  CN_GROW(struct cairn_handle *) handles;
  size_t first; /* the first object that waits to be taken */
} queues[MAX_QUEUES];

static void take_weak_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_WEAK);

  CN_CHECK(taken);
}

static void register_finalisable(uintptr_t reference, unsigned queue)
{
  take_weak_lock();
  cn_grow_push(&objects.registered, (struct cn_dead){.word = reference, .queue = queue});
  CN_ASSERT(objects.old < objects.registered.count);
  cn_lock_release(CN_LOCK_WEAK);
}

void cn_finalisers_add(uintptr_t reference)
{
  register_finalisable(reference, 0);
}

static void check_queue(unsigned queue, uintptr_t pc)
{
  if (queue >= MAX_QUEUES)
    cn_report_fatal(pc, "%u is no queue of finalisers: they are numbered 0 to %d", queue, MAX_QUEUES - 1);
}

void cairn_finalise(uintptr_t reference, unsigned queue)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);
  const struct cairn_collector *collector = cn_heap_collector();

  check_queue(queue, pc);
  if ((collector->traits & CAIRN_COLLECTOR_FINALISES) == 0)
    cn_report_fatal(pc, "the collector %s does not provide for finalisers", collector->name);
  if (reference == 0 || !cn_heap_is_object(reference - cairn_words.reference))
    cn_report_fatal(pc, "0x%lx is to be finalised, which is not the start of an object", (unsigned long)reference);
  register_finalisable(reference, queue);
}

uintptr_t cairn_finalise_next(unsigned number)
{
  uintptr_t reference = 0;

  check_queue(number, (uintptr_t)__builtin_return_address(0));
  struct queue *queue = &queues[number];
  if (__atomic_load_n(&queue->handles.count, __ATOMIC_RELAXED) == 0)
    return 0;
  take_weak_lock();
  if (queue->first != queue->handles.count) {
    struct cairn_handle *handle = queue->handles.at[queue->first++];
    reference = cairn_handle_get(handle);
    cairn_handle_free(handle);
  }
  if (queue->first == queue->handles.count)
    queue->first = queue->handles.count = 0;
  cn_lock_release(CN_LOCK_WEAK);
  return reference;
}

/* ---- a collection ---- */

/* Keep the reached objects in the list. */
static void sort_out(const struct cairn_closure *closure)
{
  struct cn_dead *all = objects.registered.at;
  size_t from = closure->young ? objects.old : 0, kept = from;

  CN_ASSERT(from <= objects.registered.count && objects.dead.count == 0);
  for (size_t i = from; i < objects.registered.count; i++)
    if (closure->is_reached(closure->env, (struct cairn_slot){&all[i].word}))
      all[kept++] = all[i];
    else
      cn_grow_push(&objects.dead, all[i]);
  objects.registered.count = objects.old = kept;
}

/* Move the rest of a queue to its front, once its first part has been taken. */
static void close_up(struct queue *queue)
{
  size_t left = queue->handles.count - queue->first;

  CN_CHECK(queue->first <= queue->handles.count);
  if (queue->first < left)
    return;
  memmove(queue->handles.at, queue->handles.at + queue->first, left * sizeof *queue->handles.at);
  queue->handles.count = left;
  queue->first = 0;
}

bool cn_finalisers_process(const struct cairn_closure *closure)
{
  sort_out(closure);
  size_t count = objects.dead.count;
  if (count == 0)
    return false;
  cn_order(objects.dead.at, count, closure);
  for (size_t i = 0; i < count; i++)
    closure->reach(closure->env, (struct cairn_slot){&objects.dead.at[i].word});
  closure->close(closure->env);
  for (size_t i = 0; i < count; i++) {
    CN_CHECK(objects.dead.at[i].queue < MAX_QUEUES);
    struct queue *queue = &queues[objects.dead.at[i].queue];
    close_up(queue);
    cn_grow_push(&queue->handles, cairn_handle_new(objects.dead.at[i].word));
  }
  objects.dead.count = 0;
  return true;
}

/* ---- images that go ---- */

static bool is_of(uintptr_t word, const struct cairn_image *image)
{
  uintptr_t layout = (uintptr_t)cairn_object_layout(word - cairn_words.reference);

  return layout >= (uintptr_t)image->layouts_start && layout < (uintptr_t)image->layouts_stop;
}

static void forget_registered(const struct cairn_image *image)
{
  struct cn_dead *all = objects.registered.at;
  size_t kept = 0, old = 0;

  for (size_t i = 0; i < objects.registered.count; i++)
    if (!is_of(all[i].word, image)) {
      old += i < objects.old;
      all[kept++] = all[i];
    }
  CN_ASSERT(old <= kept);
  objects.registered.count = kept;
  objects.old = old;
}

static void forget_queued(const struct cairn_image *image, struct queue *queue)
{
  size_t kept = 0;

  for (size_t i = queue->first; i < queue->handles.count; i++) {
    struct cairn_handle *handle = queue->handles.at[i];
    if (is_of(cairn_handle_get(handle), image))
      cairn_handle_free(handle);
    else
      queue->handles.at[kept++] = handle;
  }
  queue->handles.count = kept;
  queue->first = 0;
}

void cn_finalisers_forget(const struct cairn_image *image)
{
  if (image->layouts_start == image->layouts_stop)
    return;
  take_weak_lock();
  forget_registered(image);
  for (size_t i = 0; i < MAX_QUEUES; i++)
    forget_queued(image, &queues[i]);
  cn_lock_release(CN_LOCK_WEAK);
}
