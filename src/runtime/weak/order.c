/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts dead objects by a depth-first walk over their references: except on cycles, the walk leaves an object after the
 * objects that it refers to. CAIRN_ABI_HEADER_AWAITED marks the objects that the walk has entered; the collector clears
 * the mark when it reaches the object for the finaliser. The walk does not enter the references of ephemerons. Runs in
 * phase STOP, on the collecting thread. All state is local.
 */
#include "runtime/weak/finalisers.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/os/os.h"

/* The position of the walk in an object. Part 0 is the object's fixed part; other parts are elements `part` - 1. */
struct object_cursor {
  uintptr_t object;
  const struct cairn_layout *layout;
  uint64_t part, parts;
  uint32_t field;
};

struct depth_first_walk {
  const struct cairn_closure *closure;
  struct cn_waiting_table left; /* the rank of each dead object: the number of ranks before it */
  size_t count;
  struct object_cursor *steps;
  size_t depth, room;
};

/* The slot of the object's next strong reference; null after the last reference. */
static uintptr_t *next_strong_slot(struct object_cursor *step)
{
  const struct cairn_layout *layout = step->layout;

  for (;;) {
    bool fixed = step->part == 0;
    if (step->field == (fixed ? layout->base_refs : layout->elem_refs)) {
      if (step->part == step->parts)
        return NULL;
      step->part++;
      step->field = 0;
      continue;
    }
    uint32_t offset = layout->offsets[step->field + (fixed ? 0 : layout->base_refs)];
    step->field++;
    if ((offset & CAIRN_ABI_LAYOUT_WEAK_OFFSET) == 0)
      return (uintptr_t *)(step->object + offset +
                           (fixed ? 0 : layout->elem_offset + (step->part - 1) * layout->elem_size));
  }
}

static bool grow_steps(struct depth_first_walk *walk)
{
  size_t room = walk->room != 0 ? 2 * walk->room : cn_os_page_bytes() / sizeof *walk->steps;
  struct object_cursor *steps = cn_os_resize_mapping(walk->steps, walk->room * sizeof *steps, room * sizeof *steps);

  if (steps == NULL)
    return false;
  walk->steps = steps;
  walk->room = room;
  return true;
}

/* Enters the slot's object, unless it is reached or was entered before. False: memory is exhausted. */
static bool enter_object(struct depth_first_walk *walk, uintptr_t *slot)
{
  struct cairn_slot to = {slot};

  if (walk->closure->is_reached(walk->closure->env, to))
    return true;
  uintptr_t object = cairn_slot_object(to), *header = cairn_object_header(object);
  if ((*header & CAIRN_ABI_HEADER_AWAITED) != 0)
    return true;
  const struct cairn_layout *layout = cairn_object_layout(object);
  bool leads = cairn_layout_is_known(layout) && cairn_layout_has_references(layout) &&
               (layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) == 0;
  if (walk->depth == walk->room && !grow_steps(walk))
    return false;
  *header |= CAIRN_ABI_HEADER_AWAITED;
  CN_CHECK(walk->depth < walk->room);
  walk->steps[walk->depth++] = (struct object_cursor){.object = object, .layout = leads ? layout : NULL};
  if (leads && layout->elem_refs != 0)
    walk->steps[walk->depth - 1].parts = cairn_object_count(object);
  return true;
}

static bool walk_from_root(struct depth_first_walk *walk, uintptr_t *root)
{
  if (!enter_object(walk, root))
    return false;
  while (walk->depth != 0) {
    struct object_cursor *step = &walk->steps[walk->depth - 1];
    uintptr_t *slot = step->layout != NULL ? next_strong_slot(step) : NULL;
    if (slot != NULL) {
      if (!enter_object(walk, slot))
        return false;
      continue;
    }
    size_t *number = cn_waiting_find_list(&walk->left, step->object, false);
    if (number != NULL)
      *number = walk->count++;
    walk->depth--;
  }
  return true;
}

/* Walks from all dead objects in reverse: the object that the walk leaves last comes first, so that unrelated objects
 * keep their order. */
static bool walk_from_dead_objects(struct depth_first_walk *walk, struct cn_dead_object *dead, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!cn_waiting_find_list(&walk->left, dead[i].word - cairn_words.reference, true))
      return false;
  for (size_t i = count; i-- > 0;)
    if (!walk_from_root(walk, &dead[i].word))
      return false;
  return true;
}

void cn_order_dead_objects(struct cn_dead_object *dead, size_t count, const struct cairn_closure *closure)
{
  struct depth_first_walk walk = {.closure = closure};

  if (count > 1 && walk_from_dead_objects(&walk, dead, count)) {
    for (size_t i = 0; i < count; i++) {
      size_t *number = cn_waiting_find_list(&walk.left, dead[i].word - cairn_words.reference, false);
      CN_CHECK(number != NULL && *number < walk.count);
      dead[i].place = walk.count - *number;
    }
    cn_sort_by_address(dead, count, sizeof *dead);
  }
  cn_waiting_free_table(&walk.left);
  if (walk.steps != NULL)
    cn_os_free_mapping(walk.steps, walk.room * sizeof *walk.steps);
}
