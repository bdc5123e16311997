/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak fields and ephemerons: a collection processes them after it has traced from the roots. References are processed
 * in groups: those of an object's fixed part, or those of one element. B. Hayes, "Ephemerons: a new finalization
 * mechanism" (1997).
 *
 * The group of an ephemeron with an unreached key waits in a list under the key's address. Meanwhile the key's header
 * has CAIRN_ABI_HEADER_AWAITED, so that the collector tells when it reaches the key. So each group is processed once
 * for each of its keys, and once at the end. If memory for the lists is exhausted, all groups are processed in rounds,
 * until a round reaches no further object.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/mutex.h"
#include "runtime/os/os.h"
#include "runtime/weak/finalisers.h"
#include "runtime/weak/waiting.h"

enum { PARTS_KEPT = 1 << 16 }; /* from one collection to the next */

/* A part of an object: its weak fields in [from, to) count. */
struct part {
  uintptr_t object, from, to;
};

struct group {
  uintptr_t at;
  const uint32_t *offsets;
  uint32_t count;
};

struct waiter {
  struct group group;
  size_t next; /* in its list, or in the list of ready groups */
};

static CN_GROW(struct part) parts;
static struct cn_mutex changing; /* taken by the threads that reach objects */
static struct {
  struct cn_waiting keys;
  struct waiter *at;
  size_t count, room;
  size_t ready; /* the list of groups whose key has been reached */
  bool lost;    /* memory for a group was exhausted */
} waiters = {.ready = CN_WAITING_NONE};
static struct {
  const struct cairn_closure *closure;
  bool reached; /* an object was reached since the last round over all groups */
} now;

void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to)
{
  CN_ASSERT(from <= to);
  cn_mutex_take(&changing, UINT64_MAX);
  cn_grow_push(&parts, (struct part){object, from, to});
  cn_mutex_release(&changing);
}

/* ---- groups ---- */

typedef void group_visitor(struct group group);

static void visit_elements(const struct part *part, const struct cairn_layout *layout, group_visitor *visit)
{
  uint64_t size = layout->elem_size, count = cairn_object_count(part->object);
  uintptr_t first = part->object + layout->elem_offset;
  uint64_t from = part->from > first ? (part->from - first) / size : 0;
  uint64_t to = part->to <= first ? 0 : (part->to - first - 1) / size + 1;

  CN_ASSERT(size != 0 && layout->elem_refs != 0);
  for (uint64_t i = from; i < to && i < count; i++)
    visit((struct group){first + i * size, layout->offsets + layout->base_refs, layout->elem_refs});
}

static void visit_groups(const struct part *part, const struct cairn_layout *layout, group_visitor *visit)
{
  if (layout->base_refs != 0 && part->from < part->object + layout->base_size)
    visit((struct group){part->object, layout->offsets, layout->base_refs});
  if (layout->elem_refs != 0)
    visit_elements(part, layout, visit);
}

static struct cairn_slot slot_of(const struct group *group, uint32_t i)
{
  uint32_t offset = group->offsets[i] & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET;

  return (struct cairn_slot){(uintptr_t *)(group->at + offset)};
}

static bool is_weak(const struct group *group, uint32_t i)
{
  return (group->offsets[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) != 0;
}

static bool is_reached(struct cairn_slot slot)
{
  return now.closure->is_reached(now.closure->env, slot);
}

/* The number of the first weak field whose target is unreached, or group->count. */
static uint32_t first_dead(const struct group *group)
{
  uint32_t i = 0;

  while (i < group->count && (!is_weak(group, i) || is_reached(slot_of(group, i))))
    i++;
  return i;
}

/* ---- ephemerons ---- */

/* False if memory is exhausted. */
static bool wait_for(const struct group *group, uintptr_t key)
{
  size_t room = waiters.room != 0 ? 2 * waiters.room : cn_os_page() / sizeof *waiters.at;
  size_t *list = cn_waiting_list(&waiters.keys, key, true);

  if (list == NULL)
    return false;
  if (waiters.count == waiters.room) {
    struct waiter *at = cn_os_resize(waiters.at, waiters.room * sizeof *at, room * sizeof *at);
    if (at == NULL)
      return false;
    waiters.at = at;
    waiters.room = room;
  }
  CN_CHECK(waiters.count < waiters.room);
  waiters.at[waiters.count] = (struct waiter){*group, *list};
  *list = waiters.count++;
  __atomic_fetch_or(cairn_object_header(key), CAIRN_ABI_HEADER_AWAITED, __ATOMIC_RELAXED);
  return true;
}

static void reach_strong(const struct group *group)
{
  for (uint32_t i = 0; i < group->count; i++) {
    struct cairn_slot slot = slot_of(group, i);
    if (!is_weak(group, i) && !is_reached(slot)) {
      now.closure->reach(now.closure->env, slot);
      now.reached = true;
    }
  }
}

static void look_at(struct group group)
{
  uint32_t dead = first_dead(&group);

  if (dead == group.count)
    reach_strong(&group);
  else if (!wait_for(&group, cairn_slot_object(slot_of(&group, dead))))
    waiters.lost = true;
}

void cairn_weak_reached(uintptr_t was, uintptr_t now_at)
{
  __atomic_fetch_and(cairn_object_header(now_at), ~(uintptr_t)CAIRN_ABI_HEADER_AWAITED, __ATOMIC_RELAXED);
  cn_mutex_take(&changing, UINT64_MAX);
  size_t *list = cn_waiting_list(&waiters.keys, was, false), last;
  if (list != NULL && *list != CN_WAITING_NONE) {
    for (last = *list; waiters.at[last].next != CN_WAITING_NONE;)
      last = waiters.at[last].next;
    waiters.at[last].next = waiters.ready;
    waiters.ready = *list;
    *list = CN_WAITING_NONE;
  }
  cn_mutex_release(&changing);
}

/* The part's object may have been reached by a visit of another object: the vector of parts grows. */
static const struct cairn_layout *layout_of(const struct part *part)
{
  const struct cairn_layout *layout = cairn_object_layout(part->object);

  CN_CHECK(layout != NULL && (layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0);
  return layout;
}

static void visit_ephemerons(size_t from, group_visitor *visit)
{
  for (size_t i = from; i < parts.count; i++) {
    struct part part = parts.at[i];
    const struct cairn_layout *layout = layout_of(&part);
    if ((layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0)
      visit_groups(&part, layout, visit);
  }
}

static void look_at_ready(void)
{
  while (waiters.ready != CN_WAITING_NONE) {
    struct waiter waiter = waiters.at[waiters.ready];
    waiters.ready = waiter.next;
    look_at(waiter.group);
  }
}

/* Clear the marks of the keys that stay unreached. */
static void forget_waiters(void)
{
  for (size_t i = 0; i < waiters.keys.room; i++) {
    struct cn_waiting_cell *cell = &waiters.keys.cells[i];
    if (cell->address != 0 && cell->first != CN_WAITING_NONE)
      *cairn_object_header(cell->address) &= ~(uintptr_t)CAIRN_ABI_HEADER_AWAITED;
  }
  cn_waiting_free(&waiters.keys);
  if (waiters.at != NULL)
    cn_os_free(waiters.at, waiters.room * sizeof *waiters.at);
  waiters.at = NULL;
  waiters.count = waiters.room = 0;
  waiters.lost = false;
}

/* Reach the objects that the ephemerons of all parts keep alive. The parts before `first` are done. */
static void reach_by_ephemerons(size_t first)
{
  CN_CHECK(first <= parts.count && waiters.ready == CN_WAITING_NONE);
  do {
    waiters.lost = now.reached = false;
    for (size_t from = first, to; from != parts.count || waiters.ready != CN_WAITING_NONE; from = to) {
      to = parts.count;
      visit_ephemerons(from, look_at);
      look_at_ready();
      now.closure->close(now.closure->env);
    }
  } while (waiters.lost && now.reached);
  forget_waiters();
}

/* ---- unreachable objects ---- */

static void clear_weak(struct group group)
{
  for (uint32_t i = 0; i < group.count; i++)
    if (is_weak(&group, i) && !is_reached(slot_of(&group, i)))
      *slot_of(&group, i).address = 0;
}

static void clear_all(struct group group)
{
  if (first_dead(&group) == group.count)
    return;
  for (uint32_t i = 0; i < group.count; i++)
    *slot_of(&group, i).address = 0;
}

static void clear_weak_parts(size_t first)
{
  for (size_t i = first; i < parts.count; i++) {
    const struct cairn_layout *layout = layout_of(&parts.at[i]);
    bool ephemeron = (layout->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0;
    visit_groups(&parts.at[i], layout, ephemeron ? clear_all : clear_weak);
  }
}

/* Objects that finalisers bring back have weak fields, too: the second round processes those. */
void cairn_weak_process(const struct cairn_closure *closure)
{
  bool any = parts.count != 0;

  CN_CHECK(closure->is_reached != NULL && closure->reach != NULL && closure->close != NULL);
  if (any)
    cairn_phase_begins("weak");
  now.closure = closure;
  reach_by_ephemerons(0);
  clear_weak_parts(0);
  size_t first = parts.count;
  if (cn_finalisers_process(closure)) {
    reach_by_ephemerons(first);
    clear_weak_parts(first);
  }
  parts.count = 0;
  if (parts.room > PARTS_KEPT)
    cn_grow_free(&parts);
  now.closure = NULL;
  if (any)
    cairn_phase_ends("weak");
}
