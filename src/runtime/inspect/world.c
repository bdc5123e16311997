/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops all threads for a reader of the heap, and walks over objects. The caller's thread, in phase MUTATE; the walk is
 * in phase STOP.
 */
#include "runtime/inspect/world.h"

#include <cairn/abi.h>
#include <cairn/heap.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/counts.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/verify_heap.h"
#include "runtime/threads/stop.h"

static struct cairn_mutator *own_mutator(void)
{
  return cairn_mutator.attached ? &cairn_mutator : NULL;
}

/* True if the thread may stop others. A handler that interrupted managed code must not, since its own stack is in no
 * state for a walk; and code without safepoints runs on. */
static bool may_stop(void)
{
  return !cn_stop_is_own() && cairn_mutator.interruptions % 2 == 0 && cairn_mutator.busy == 0 &&
         (cn_image_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0;
}

enum cairn_status cn_world_stop(struct cn_world *world, const char *what, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();

  if (!may_stop())
    return CAIRN_E_BUSY;
  if (collector->ranges == NULL || collector->forget == NULL)
    return CAIRN_E_UNSEEN;
  if (own_mutator() && cairn_mutator.state == CAIRN_ABI_MANAGED)
    cn_report_fatal(pc, "%s() was called as a leaf function, without an anchor", what);
  cn_defer_signals();
  cn_heap_set_up();
  if (!cn_stop_begin(own_mutator())) {
    cn_defer_let_signals();
    return CAIRN_E_BUSY;
  }
  world->entered = cn_image_enter();
  world->walk = (struct cn_heap_walk){.what = what, .collection = cn_stats.collections};
  cn_heap_walk_open(&world->walk);
  cn_heap_clear_unfilled(&world->walk);
  return CAIRN_OK;
}

void cn_world_go(struct cn_world *world)
{
  CN_CHECK(cn_stop_is_own());
  cn_heap_walk_close(&world->walk);
  cn_image_leave(world->entered);
  cn_stop_end(own_mutator());
  cn_defer_let_signals();
}

struct visit {
  cn_heap_visitor *visit;
  void *env;
};

static void pass_fillers(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  const struct visit *visit = env;

  CN_ASSERT(object->end <= range->end);
  if (object->layout == NULL || !cn_is_filler(object->layout))
    visit->visit(visit->env, object, range);
}

void cn_world_walk(const struct cn_world *world, cn_heap_visitor *visit, void *env)
{
  const struct cn_heap_walk *walk = &world->walk;
  struct visit each = {visit, env};

  for (size_t i = 0; i < walk->ranges.count; i++)
    if (walk->ranges.at[i].blocks)
      cn_heap_walk_range(walk, &walk->ranges.at[i], pass_fillers, &each);
}

struct cn_heap_object cn_world_object(const struct cn_world *world, uintptr_t payload)
{
  const struct cn_heap_range *range = cn_heap_walk_range_of(&world->walk, payload - CAIRN_ABI_HEADER_SIZE);
  const struct cairn_layout *layout = cairn_object_layout(payload);

  CN_CHECK(range != NULL && range->blocks);
  bool indexed = cairn_layout_is_known(layout) && layout->elem_size != 0;
  return cn_heap_walk_object(&world->walk, payload, indexed, range->end);
}

/* ---- the plain walk ---- */

struct plain {
  cairn_heap_visitor *visit;
  void *env;
};

static void visit_plain(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  const struct plain *plain = env;
  struct cairn_heap_object shown = {object->payload, object->layout, object->end - object->block};

  CN_ASSERT(range->blocks);
  plain->visit(plain->env, &shown);
}

enum cairn_status cairn_heap_walk(cairn_heap_visitor *visit, void *env)
{
  struct plain plain = {visit, env};
  struct cn_world world;
  enum cairn_status status = cn_world_stop(&world, "cairn_heap_walk", (uintptr_t)__builtin_return_address(0));

  CN_CHECK(visit != NULL);
  if (status != CAIRN_OK)
    return status;
  cn_world_walk(&world, visit_plain, &plain);
  cn_world_go(&world);
  return CAIRN_OK;
}
