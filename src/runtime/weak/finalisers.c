/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the list of objects registered for finalisers, and queues of registered objects that a collection found
 * unreachable. The program takes objects from a queue at any time, so managed code never runs within a collection. A
 * handle keeps each queued object alive. Runs in phase MUTATE on any managed thread, under CN_LOCK_WEAK; in phase STOP
 * on the collecting thread, without the lock; in a stop on a thread that unloads an image, under the lock. A check for
 * an empty queue reads its count without the lock.
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

/* The registered objects; their words are weak references. The objects before `old` survived the last collection. */
static struct {
  CN_GROW(struct cn_dead_object) registered;
  size_t old;
  CN_GROW(struct cn_dead_object) dead; /* the dead objects of this collection */
} finalisable_objects;

static struct finaliser_queue {
  CN_GROW(struct cairn_handle *) handles;
  size_t first; /* index of the first object in the queue */
} finaliser_queues[MAX_QUEUES];

static void take_weak_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_WEAK);

  CN_CHECK(taken);
}

static void register_finalisable(uintptr_t reference, unsigned queue)
{
  take_weak_lock();
  cn_grow_push(&finalisable_objects.registered, (struct cn_dead_object){.word = reference, .queue = queue});
  CN_ASSERT(finalisable_objects.old < finalisable_objects.registered.count);
  cn_lock_release(CN_LOCK_WEAK);
}

void cn_finalisers_add_object(uintptr_t reference)
{
  register_finalisable(reference, 0);
}

static void check_queue_number(unsigned queue, uintptr_t pc)
{
  if (queue >= MAX_QUEUES)
    cn_report_fatal(pc, "%u is no queue of finalisers: they are numbered 0 to %d", queue, MAX_QUEUES - 1);
}

void cairn_finalise(uintptr_t reference, unsigned queue)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);
  const struct cairn_collector *collector = cn_heap_collector();

  check_queue_number(queue, pc);
  if ((collector->traits & CAIRN_COLLECTOR_FINALISES) == 0)
    cn_report_fatal(pc, "the collector '%s' does not provide for finalisers", collector->name);
  if (reference == 0 || !cn_heap_is_object(reference - cairn_words.reference))
    cn_report_fatal(pc, "0x%lx is to be finalised, which is not the start of an object", (unsigned long)reference);
  register_finalisable(reference, queue);
}

uintptr_t cairn_finalise_next(unsigned number)
{
  uintptr_t reference = 0;

  check_queue_number(number, (uintptr_t)__builtin_return_address(0));
  struct finaliser_queue *queue = &finaliser_queues[number];
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

/* Moves the unreached objects from the registered objects to `dead`. */
static void split_off_dead_objects(const struct cairn_closure *closure)
{
  struct cn_dead_object *all = finalisable_objects.registered.at;
  size_t from = closure->young ? finalisable_objects.old : 0, kept = from;

  CN_ASSERT(from <= finalisable_objects.registered.count && finalisable_objects.dead.count == 0);
  for (size_t i = from; i < finalisable_objects.registered.count; i++)
    if (closure->is_reached(closure->env, (struct cairn_slot){&all[i].word}))
      all[kept++] = all[i];
    else
      cn_grow_push(&finalisable_objects.dead, all[i]);
  finalisable_objects.registered.count = finalisable_objects.old = kept;
}

/* Moves the rest of a queue to its front, if at least half of the queue has been taken. */
static void compact_queue(struct finaliser_queue *queue)
{
  size_t left = queue->handles.count - queue->first;

  CN_CHECK(queue->first <= queue->handles.count);
  if (queue->first < left)
    return;
  memmove(queue->handles.at, queue->handles.at + queue->first, left * sizeof *queue->handles.at);
  queue->handles.count = left;
  queue->first = 0;
}

bool cn_finalisers_queue_dead(const struct cairn_closure *closure)
{
  split_off_dead_objects(closure);
  size_t count = finalisable_objects.dead.count;
  if (count == 0)
    return false;
  cn_order_dead_objects(finalisable_objects.dead.at, count, closure);
  for (size_t i = 0; i < count; i++)
    closure->reach(closure->env, (struct cairn_slot){&finalisable_objects.dead.at[i].word});
  closure->close(closure->env);
  for (size_t i = 0; i < count; i++) {
    CN_CHECK(finalisable_objects.dead.at[i].queue < MAX_QUEUES);
    struct finaliser_queue *queue = &finaliser_queues[finalisable_objects.dead.at[i].queue];
    compact_queue(queue);
    cn_grow_push(&queue->handles, cairn_handle_new(finalisable_objects.dead.at[i].word));
  }
  finalisable_objects.dead.count = 0;
  return true;
}

/* ---- removed images ---- */

static bool is_object_of_image(uintptr_t word, const struct cairn_image *image)
{
  uintptr_t layout = (uintptr_t)cairn_object_layout(word - cairn_words.reference);

  return layout >= (uintptr_t)image->layouts_start && layout < (uintptr_t)image->layouts_stop;
}

static void forget_registered_objects(const struct cairn_image *image)
{
  struct cn_dead_object *all = finalisable_objects.registered.at;
  size_t kept = 0, old = 0;

  for (size_t i = 0; i < finalisable_objects.registered.count; i++)
    if (!is_object_of_image(all[i].word, image)) {
      old += i < finalisable_objects.old;
      all[kept++] = all[i];
    }
  CN_ASSERT(old <= kept);
  finalisable_objects.registered.count = kept;
  finalisable_objects.old = old;
}

static void forget_queued_objects(const struct cairn_image *image, struct finaliser_queue *queue)
{
  size_t kept = 0;

  for (size_t i = queue->first; i < queue->handles.count; i++) {
    struct cairn_handle *handle = queue->handles.at[i];
    if (is_object_of_image(cairn_handle_get(handle), image))
      cairn_handle_free(handle);
    else
      queue->handles.at[kept++] = handle;
  }
  queue->handles.count = kept;
  queue->first = 0;
}

void cn_finalisers_forget_image(const struct cairn_image *image)
{
  if (image->layouts_start == image->layouts_stop)
    return;
  take_weak_lock();
  forget_registered_objects(image);
  for (size_t i = 0; i < MAX_QUEUES; i++)
    forget_queued_objects(image, &finaliser_queues[i]);
  cn_lock_release(CN_LOCK_WEAK);
}
