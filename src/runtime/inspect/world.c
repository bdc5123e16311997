/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops the world for a reader of the heap, walks over objects, and implements cairn_heap_walk(). The caller's thread,
 * which may be unattached, sets the heap up and stops the world in phase MUTATE; then it walks in phase STOP. Until the
 * world runs again, signals are deferred and the thread holds the lock of stops. The caller's struct cn_stopped_world
 * has all state.
 */
#include "runtime/inspect/inspect.h"

#include <cairn/abi.h>
#include <cairn/heap.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/threads/stop.h"

static struct cairn_mutator *own_mutator(void)
{
  return cairn_mutator.attached ? &cairn_mutator : NULL;
}

/* A handler that interrupted managed code must not stop the world, because the interrupted frame is not at a safepoint.
 * Code without safepoints makes stops impossible. */
static bool may_stop_world(void)
{
  return !cn_stop_is_own_stop() && cairn_mutator.interruptions % 2 == 0 && cairn_mutator.busy == 0 &&
         (cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0;
}

enum cairn_status cn_world_stop(struct cn_stopped_world *world, const char *what, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();

  if (!may_stop_world())
    return CAIRN_E_BUSY;
  if (collector->ranges == NULL || collector->forget == NULL)
    return CAIRN_E_UNSEEN;
  if (own_mutator() && cairn_mutator.state == CAIRN_ABI_MANAGED)
    cn_report_fatal(pc, "%s() was called as a leaf function, without an anchor", what);
  cn_defer_signals();
  cn_heap_set_up();
  if (!cn_stop_begin(own_mutator())) {
    cn_undefer_signals();
    return CAIRN_E_BUSY;
  }
  world->entered = cn_image_begin_reading();
  world->walk = (struct cn_heap_walk){.what = what, .collection = cn_stats.collections};
  cn_heap_walk_open(&world->walk);
  cn_heap_clear_unfilled_objects(&world->walk);
  return CAIRN_OK;
}

void cn_world_resume(struct cn_stopped_world *world)
{
  CN_CHECK(cn_stop_is_own_stop());
  cn_heap_walk_close(&world->walk);
  cn_image_end_reading(world->entered);
  cn_stop_end(own_mutator());
  cn_undefer_signals();
}

struct object_visit {
  cn_heap_object_visitor *visit;
  void *env;
};

static void visit_unless_filler(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  const struct object_visit *visit = env;

  CN_ASSERT(object->end <= range->end);
  if (object->layout == NULL || !cn_is_filler_layout(object->layout))
    visit->visit(visit->env, object, range);
}

void cn_world_walk_objects(const struct cn_stopped_world *world, cn_heap_object_visitor *visit, void *env)
{
  const struct cn_heap_walk *walk = &world->walk;
  struct object_visit each = {visit, env};

  for (size_t i = 0; i < walk->ranges.count; i++)
    if (walk->ranges.at[i].blocks)
      cn_heap_walk_visit_range(walk, &walk->ranges.at[i], visit_unless_filler, &each);
}

struct cn_heap_object cn_world_object_at(const struct cn_stopped_world *world, uintptr_t payload)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(&world->walk, payload - CAIRN_ABI_HEADER_SIZE);
  const struct cairn_layout *layout = cairn_object_layout(payload);

  CN_CHECK(range != NULL && range->blocks);
  bool indexed = cairn_layout_is_known(layout) && layout->elem_size != 0;
  return cn_heap_walk_read_object(&world->walk, payload, indexed, range->end);
}

/* ---- cairn_heap_walk() ---- */

struct public_visit {
  cairn_heap_visitor *visit;
  void *env;
};

static void visit_public_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  const struct public_visit *plain = env;
  struct cairn_heap_object shown = {object->payload, object->layout, object->end - object->block};

  CN_ASSERT(range->blocks);
  plain->visit(plain->env, &shown);
}

enum cairn_status cairn_heap_walk(cairn_heap_visitor *visit, void *env)
{
  struct public_visit plain = {visit, env};
  struct cn_stopped_world world;
  enum cairn_status status = cn_world_stop(&world, "cairn_heap_walk", (uintptr_t)__builtin_return_address(0));

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  cn_world_walk_objects(&world, visit_public_object, &plain);
  cn_world_resume(&world);
  return CAIRN_OK;
}
