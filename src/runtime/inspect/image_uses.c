/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements cairn_image_count_uses(): counts the frames and the objects of images, for loaders that unmap code. Called
 * on any thread in phase MUTATE; the thread stops all others, and walks over stacks and heap in phase STOP. The caller
 * keeps the images registered. All state is local.
 */
#include <cairn/collector.h>
#include "base/check.h"
#include "base/sorted.h"
#include "framemap/framemap.h"
#include "runtime/core/grow.h"
#include "runtime/inspect/inspect.h"
#include "runtime/roots/roots.h"

/* A function's code, or a section of layouts. */
struct image_range {
  uintptr_t start, end;
  struct cairn_image_use *use;
};

struct use_count {
  CN_GROW(struct image_range) code, layouts; /* each sorted */
};

/* The range with start < address <= end, as for a return address, or null. */
static const struct image_range *find_range(const struct image_range *ranges, size_t count, uintptr_t address)
{
  size_t below = cn_sorted_count_below(ranges, count, sizeof *ranges, address);

  return below > 0 && address <= ranges[below - 1].end ? &ranges[below - 1] : NULL;
}

static void add_ranges(struct use_count *uses, struct cairn_image_use *use)
{
  const struct cairn_image *image = use->image;
  const unsigned char *cursor = image->frames_start;
  struct cn_framemap_function function;

  while (cursor != NULL &&
         cn_framemap_next_function(CN_ARCH_FRAME_PORT, &cursor, image->frames_stop, &function) == CN_FRAMEMAP_OK)
    cn_grow_push(&uses->code, (struct image_range){function.entry, function.entry + function.code_size, use});
  if (image->layouts_start != image->layouts_stop)
    cn_grow_push(&uses->layouts,
                 (struct image_range){(uintptr_t)image->layouts_start, (uintptr_t)image->layouts_stop, use});
}

static void count_frames(const struct use_count *uses)
{
  struct cn_root_task task;
  struct cn_walk walk;

  cn_root_tasks_begin();
  while (cn_root_tasks_take_next(&task)) {
    bool there = cn_root_tasks_begin_walk(&task, &walk);
    for (; there; there = cn_walk_next(&walk)) {
      const struct image_range *range = find_range(uses->code.at, uses->code.count, walk.frame.pc);
      if (range != NULL)
        range->use->frames++;
    }
    cn_root_tasks_end_walk(&task);
  }
  CN_CHECK(cn_root_tasks_are_done());
}

static void count_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  const struct use_count *uses = env;
  uintptr_t layout = (uintptr_t)object->layout;
  const struct image_range *found = layout != 0 ? find_range(uses->layouts.at, uses->layouts.count, layout + 1) : NULL;

  CN_ASSERT(object->end <= range->end);
  if (found != NULL)
    found->use->objects++;
}

enum cairn_status cairn_image_count_uses(struct cairn_image_use *uses, size_t count)
{
  struct cn_stopped_world world;
  struct use_count counted = {0};
  enum cairn_status status = cn_world_stop(&world, "cairn_image_count_uses", (uintptr_t)__builtin_return_address(0));

  if (status != CAIRN_OK)
    return status;
  for (size_t i = 0; i < count; i++) {
    uses[i].frames = uses[i].objects = 0;
    add_ranges(&counted, &uses[i]);
  }
  cn_sort_by_address(counted.code.at, counted.code.count, sizeof *counted.code.at);
  cn_sort_by_address(counted.layouts.at, counted.layouts.count, sizeof *counted.layouts.at);
  count_frames(&counted);
  if (counted.layouts.count != 0)
    cn_world_walk_objects(&world, count_object, &counted);
  cn_grow_free_array(&counted.code);
  cn_grow_free_array(&counted.layouts);
  cn_world_resume(&world);
  return CAIRN_OK;
}
