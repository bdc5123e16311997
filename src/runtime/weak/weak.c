/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes weak fields and ephemerons after a collection has traced from the roots. References are processed in
 * groups: the references of an object's fixed part, or of one element. B. Hayes, "Ephemerons: a new finalization
 * mechanism" (1997). Runs in phase STOP: cairn_weak_note() and cairn_weak_reached() on any tracing thread, under
 * `weak_lock`; all other functions on the collecting thread, or on a thread that unloads an image, without the lock,
 * while no thread traces. Owns the noted parts of objects, the waiting groups and the current closure.
 *
 * The group of an ephemeron with an unreached key waits in a list for the key's address. During the wait the key's
 * header has CAIRN_ABI_HEADER_AWAITED, so that the collector reports when it reaches the key. Each group is thus
 * processed once for each of its keys, and once at the end. If memory for the lists is exhausted, all groups are
 * processed in rounds, until a round reaches no further object.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"
#include "runtime/weak/finalisers.h"

enum { MAX_PARTS_KEPT = 1 << 16 }; /* capacity that stays for the next collection */

/* A part of an object, with the weak fields in [from, to). */
struct object_part {
  uintptr_t object, from, to;
};

struct reference_group {
  uintptr_t at;
  const uint32_t *offsets;
  uint32_t count;
};

struct waiting_group {
  struct reference_group group;
  size_t next; /* next group of a key's list, or of the list of ready groups */
};

static CN_GROW(struct object_part) parts;
static struct cn_mutex weak_lock; /* taken by the threads that reach objects */
static struct {
  struct cn_waiting_table keys;
  struct waiting_group *at;
  size_t count, room;
  size_t ready; /* the list of groups whose key has been reached */
  bool lost;    /* memory for a group was exhausted */
} waiting_groups = {.ready = CN_WAITING_NONE};
static struct {
  const struct cairn_closure *closure;
  bool reached; /* an object was reached since the last round over all groups */
} closure_state;

void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from <= to);
  cn_mutex_take(&weak_lock, UINT64_MAX);
  cn_grow_push(&parts, (struct object_part){object, from, to});
  cn_mutex_release(&weak_lock);
}

/* ---- groups ---- */

typedef void group_visitor(struct reference_group group);

static void visit_elements(const struct object_part *part, const struct cairn_layout *layout, group_visitor *visit)
{
  uint64_t size = layout->elem_size, count = cairn_object_count(part->object);
  uintptr_t first = part->object + layout->elem_offset;
  uint64_t from = part->from > first ? (part->from - first) / size : 0;
  uint64_t to = part->to <= first ? 0 : (part->to - first - 1) / size + 1;

  CN_ASSERT(size != 0 && layout->elem_refs != 0);
  for (uint64_t i = from; i < to && i < count; i++)
    visit((struct reference_group){first + i * size, layout->offsets + layout->base_refs, layout->elem_refs});
}

static void visit_groups(const struct object_part *part, const struct cairn_layout *layout, group_visitor *visit)
{
  if (layout->base_refs != 0 && part->from < part->object + layout->base_size)
    visit((struct reference_group){part->object, layout->offsets, layout->base_refs});
  if (layout->elem_refs != 0)
    visit_elements(part, layout, visit);
}

static struct cairn_slot group_slot_at(const struct reference_group *group, uint32_t i)
{
  uint32_t offset = group->offsets[i] & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET;

  return (struct cairn_slot){(uintptr_t *)(group->at + offset)};
}

static bool is_weak_field(const struct reference_group *group, uint32_t i)
{
  return (group->offsets[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) != 0;
}

static bool is_slot_reached(struct cairn_slot slot)
{
  return closure_state.closure->is_reached(closure_state.closure->env, slot);
}

/* The index of the first weak field with an unreached target, or group->count. */
static uint32_t first_dead_field(const struct reference_group *group)
{
  uint32_t i = 0;

  while (i < group->count && (!is_weak_field(group, i) || is_slot_reached(group_slot_at(group, i))))
    i++;
  return i;
}

/* ---- ephemerons ---- */

/* False: memory is exhausted. */
static bool add_waiting_group(const struct reference_group *group, uintptr_t key)
{
  size_t room = waiting_groups.room != 0 ? 2 * waiting_groups.room : cn_os_page_bytes() / sizeof *waiting_groups.at;
  size_t *list = cn_waiting_find_list(&waiting_groups.keys, key, true);

  if (list == NULL)
    return false;
  if (waiting_groups.count == waiting_groups.room) {
    struct waiting_group *at =
        cn_os_resize_mapping(waiting_groups.at, waiting_groups.room * sizeof *at, room * sizeof *at);
    if (at == NULL)
      return false;
    waiting_groups.at = at;
    waiting_groups.room = room;
  }
  CN_CHECK(waiting_groups.count < waiting_groups.room);
  waiting_groups.at[waiting_groups.count] = (struct waiting_group){*group, *list};
  *list = waiting_groups.count++;
  __atomic_fetch_or(cairn_object_header(key), CAIRN_ABI_HEADER_AWAITED, __ATOMIC_RELAXED);
  return true;
}

static void reach_strong_fields(const struct reference_group *group)
{
  for (uint32_t i = 0; i < group->count; i++) {
    struct cairn_slot slot = group_slot_at(group, i);
    if (!is_weak_field(group, i) && !is_slot_reached(slot)) {
      closure_state.closure->reach(closure_state.closure->env, slot);
      closure_state.reached = true;
    }
  }
}

static void process_ephemeron_group(struct reference_group group)
{
  uint32_t dead = first_dead_field(&group);

  if (dead == group.count)
    reach_strong_fields(&group);
  else if (!add_waiting_group(&group, cairn_slot_object(group_slot_at(&group, dead))))
    waiting_groups.lost = true;
}

void cairn_weak_reached(uintptr_t was, uintptr_t now_at)
{
  __atomic_fetch_and(cairn_object_header(now_at), ~(uintptr_t)CAIRN_ABI_HEADER_AWAITED, __ATOMIC_RELAXED);
  cn_mutex_take(&weak_lock, UINT64_MAX);
  size_t *list = cn_waiting_find_list(&waiting_groups.keys, was, false), last;
  if (list != NULL && *list != CN_WAITING_NONE) {
    for (last = *list; waiting_groups.at[last].next != CN_WAITING_NONE;)
      last = waiting_groups.at[last].next;
    waiting_groups.at[last].next = waiting_groups.ready;
    waiting_groups.ready = *list;
    *list = CN_WAITING_NONE;
  }
  cn_mutex_release(&weak_lock);
}

/* Callers pass a copy of the part, because a visit may grow the vector of parts. */
static const struct cairn_layout *layout_of_part(const struct object_part *part)
{
  const struct cairn_layout *layout = cairn_object_layout(part->object);

  CN_CHECK(layout != NULL && (layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0);
  return layout;
}

static void visit_ephemerons(size_t from, group_visitor *visit)
{
  for (size_t i = from; i < parts.count; i++) {
    struct object_part part = parts.at[i];
    const struct cairn_layout *layout = layout_of_part(&part);
    if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0)
      visit_groups(&part, layout, visit);
  }
}

static void process_ready_groups(void)
{
  while (waiting_groups.ready != CN_WAITING_NONE) {
    struct waiting_group waiter = waiting_groups.at[waiting_groups.ready];
    waiting_groups.ready = waiter.next;
    process_ephemeron_group(waiter.group);
  }
}

/* Clear the marks of the unreached keys, and free the lists. */
static void free_waiting_groups(void)
{
  for (size_t i = 0; i < waiting_groups.keys.room; i++) {
    struct cn_waiting_cell *cell = &waiting_groups.keys.cells[i];
    if (cell->address != 0 && cell->first != CN_WAITING_NONE)
      *cairn_object_header(cell->address) &= ~(uintptr_t)CAIRN_ABI_HEADER_AWAITED;
  }
  cn_waiting_free_table(&waiting_groups.keys);
  if (waiting_groups.at != NULL)
    cn_os_free_mapping(waiting_groups.at, waiting_groups.room * sizeof *waiting_groups.at);
  waiting_groups.at = NULL;
  waiting_groups.count = waiting_groups.room = 0;
  waiting_groups.lost = false;
}

/* Reach the objects that the ephemerons of the parts from `first` on keep alive. */
static void reach_by_ephemerons(size_t first)
{
  CN_CHECK(first <= parts.count && waiting_groups.ready == CN_WAITING_NONE);
  do {
    waiting_groups.lost = closure_state.reached = false;
    for (size_t from = first, to; from != parts.count || waiting_groups.ready != CN_WAITING_NONE; from = to) {
      to = parts.count;
      visit_ephemerons(from, process_ephemeron_group);
      process_ready_groups();
      closure_state.closure->close(closure_state.closure->env);
    }
  } while (waiting_groups.lost && closure_state.reached);
  free_waiting_groups();
}

/* ---- unreachable objects ---- */

static void clear_dead_weak_fields(struct reference_group group)
{
  for (uint32_t i = 0; i < group.count; i++)
    if (is_weak_field(&group, i) && !is_slot_reached(group_slot_at(&group, i)))
      *group_slot_at(&group, i).address = 0;
}

static void clear_dead_ephemeron(struct reference_group group)
{
  if (first_dead_field(&group) == group.count)
    return;
  for (uint32_t i = 0; i < group.count; i++)
    *group_slot_at(&group, i).address = 0;
}

static void clear_weak_part(const struct object_part *part)
{
  const struct cairn_layout *layout = layout_of_part(part);
  bool ephemeron = (layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0;

  visit_groups(part, layout, ephemeron ? clear_dead_ephemeron : clear_dead_weak_fields);
}

static void clear_weak_parts(size_t first)
{
  for (size_t i = first; i < parts.count; i++)
    clear_weak_part(&parts.at[i]);
}

/* The second round processes the weak fields of the objects that finalisers keep alive. */
void cairn_weak_process(const struct cairn_closure *closure)
{
  bool any = parts.count != 0;

  CN_CHECK(closure->is_reached != NULL && closure->reach != NULL && closure->close != NULL);
  if (any)
    cairn_phase_begins("weak");
  closure_state.closure = closure;
  reach_by_ephemerons(0);
  clear_weak_parts(0);
  size_t first = parts.count;
  if (cn_finalisers_queue_dead(closure)) {
    reach_by_ephemerons(first);
    clear_weak_parts(first);
  }
  parts.count = 0;
  if (parts.room > MAX_PARTS_KEPT)
    cn_grow_free_array(&parts);
  closure_state.closure = NULL;
  if (any)
    cairn_phase_ends("weak");
}

/* ---- removed images ---- */

struct unloaded_layouts {
  const unsigned char *start, *stop;
  bool (*may_be_object)(uintptr_t address);
};

static bool is_target_kept(void *env, struct cairn_slot slot)
{
  const struct unloaded_layouts *unloaded = env;
  uintptr_t object = cairn_slot_object(slot);

  if (object == 0 || object % CAIRN_ABI_OBJECT_ALIGN != 0 || !unloaded->may_be_object(object))
    return true;
  uintptr_t header = *cairn_object_header(object);
  const unsigned char *layout = (const unsigned char *)cairn_header_layout(header);
  return !cairn_header_is_gone(header) && (layout < unloaded->start || layout >= unloaded->stop);
}

void cairn_weak_forget(uintptr_t object, const unsigned char *start, const unsigned char *stop,
                       bool (*may_be_object)(uintptr_t address))
{
  struct unloaded_layouts unloaded = {start, stop, may_be_object};
  const struct cairn_closure closure = {.is_reached = is_target_kept, .env = &unloaded};
  const struct object_part all = {object, 0, UINTPTR_MAX};

  CN_ASSERT(start <= stop && closure_state.closure == NULL);
  closure_state.closure = &closure;
  clear_weak_part(&all);
  closure_state.closure = NULL;
}
