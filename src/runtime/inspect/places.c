/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates roots for reports, each with its frame, global or handle, and formats the place of a root as text.
 * Collections have a separate enumeration (roots.c). Runs in phase STOP, on the thread that stopped the others.
 * root_tasks.c, global_roots.c and handles.c own the positions of the enumeration; all other state is local.
 */
#include "runtime/inspect/inspect.h"

#include <stdio.h>
#include <string.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/roots.h"

enum { MAX_THREAD_LOCAL_DISTANCE = 1 << 16 }; /* between a mutator and a thread-local variable of its thread */

struct root_place_search {
  cn_root_place_visitor *visit;
  void *env;
  struct cn_root_place place;
  struct cn_walk walk;
};

static void visit_root_slot(void *env, struct cairn_slot slot)
{
  struct root_place_search *search = env;
  uintptr_t address = cairn_slot_object(slot);

  CN_ASSERT(search->place.kind < CN_DUMP_ROOT_KINDS);
  if (search->place.kind != CN_DUMP_ROOT_STACK)
    search->place.at = (uintptr_t)slot.address;
  if (address != 0)
    search->visit(search->env, &search->place, address);
}

/* Skips derived pointers: the base of each is a root, too, and points to the same object. */
static void visit_frame_root(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct root_place_search *search = env;
  uintptr_t word;

  if (slot == NULL || (tag == CAIRN_ROOT_BASE && parameter == NULL))
    cn_frame_roots_report_bad(&search->walk, "a root that is not kept anywhere");
  switch (tag) {
  case CAIRN_ROOT_DEFAULT:
    visit_root_slot(search, (struct cairn_slot){slot});
    return;
  case CAIRN_ROOT_OFFSET:
    word = *slot - (uintptr_t)parameter;
    if (*slot != 0)
      visit_root_slot(search, (struct cairn_slot){&word});
    return;
  case CAIRN_ROOT_BASE:
    visit_root_slot(search, (struct cairn_slot){parameter});
    return;
  default:
    if (!cn_user_roots_have_handler())
      cn_frame_roots_report_bad(&search->walk, "a user root, but the program has not called cairn_set_user_roots()");
    cn_user_roots_visit(slot, tag, parameter, visit_root_slot, search);
  }
}

static void visit_stack_roots(struct root_place_search *search)
{
  struct cn_root_task source;

  cn_root_tasks_begin();
  while (cn_root_tasks_take_next(&source)) {
    bool there = cn_root_tasks_begin_walk(&source, &search->walk);
    search->place.thread = source.mutator->thread;
    for (; there; there = cn_walk_next(&search->walk)) {
      search->place.at = search->walk.frame.pc;
      cn_frame_roots_visit_all(&search->walk, visit_frame_root, search);
    }
    cn_root_tasks_end_walk(&source);
  }
  CN_CHECK(cn_root_tasks_are_done());
}

/* Uses a buffer on the stack, because memory may be exhausted. */
static void visit_table_roots(struct root_place_search *search, bool (*next)(struct cn_root_slots *, size_t))
{
  enum { BUFFERED_SLOTS = 256 };
  uintptr_t *at[BUFFERED_SLOTS];
  struct cn_root_slots slots = {.at = at, .room = BUFFERED_SLOTS};

  for (; next(&slots, BUFFERED_SLOTS); slots.count = 0)
    for (size_t i = 0; i < slots.count; i++)
      visit_root_slot(search, (struct cairn_slot){at[i]});
}

void cn_places_visit_roots(cn_root_place_visitor *visit, void *env)
{
  struct root_place_search search = {.visit = visit, .env = env};

  search.place.kind = CN_DUMP_ROOT_STACK;
  visit_stack_roots(&search);
  search.place = (struct cn_root_place){.kind = CN_DUMP_ROOT_GLOBAL};
  cn_global_roots_begin();
  visit_table_roots(&search, cn_global_roots_fetch_next);
  search.place.kind = CN_DUMP_ROOT_HANDLE;
  cn_handles_begin();
  visit_table_roots(&search, cn_handles_fetch_next);
}

static int describe_stack_place(const struct cn_root_place *place, char *text, size_t size)
{
  char name[32], where[CN_REPORT_PC];

  cn_os_thread_read_name(place->thread, name, sizeof name);
  if (!cn_safepoint_format_source(place->at, where, sizeof where) &&
      !cn_os_describe_symbol(place->at - 1, where, sizeof where))
    snprintf(where, sizeof where, "0x%lx", (unsigned long)place->at);
  return snprintf(text, size, "thread %d \"%s\": %s", place->thread, name, where);
}

static int describe_global_place(const struct cn_root_place *place, char *text, size_t size)
{
  char name[CN_PLACE_TEXT_BYTES / 2];

  if (cn_os_describe_symbol(place->at, name, sizeof name)) {
    char *plus = strrchr(name, '+');
    if (plus != NULL && strcmp(plus, "+0x0") == 0)
      *plus = 0;
    return snprintf(text, size, "global %s", name);
  }
  for (const struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    if (place->at - (uintptr_t)m + MAX_THREAD_LOCAL_DISTANCE < 2 * MAX_THREAD_LOCAL_DISTANCE)
      return snprintf(text, size, "thread-local of thread %d", m->thread);
  return snprintf(text, size, "global at 0x%lx", (unsigned long)place->at);
}

int cn_describe_place(const struct cn_root_place *place, char *text, size_t size)
{
  CN_CHECK(place->kind < CN_DUMP_ROOT_KINDS);
  switch (place->kind) {
  case CN_DUMP_ROOT_STACK:
    return describe_stack_place(place, text, size);
  case CN_DUMP_ROOT_GLOBAL:
    return describe_global_place(place, text, size);
  default:
    return snprintf(text, size, "handle");
  }
}
