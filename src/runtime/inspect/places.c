/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates roots frame by frame, so that the frame of each root is known, separately from the enumeration for
 * collections (roots.c). Phase STOP, on the thread that stopped the others.
 */
#include "runtime/inspect/places.h"

#include <stdio.h>
#include <string.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/debug/safepoint_text.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"
#include "runtime/roots/global_roots.h"
#include "runtime/roots/handles.h"
#include "runtime/roots/root_tasks.h"
#include "runtime/roots/user_roots.h"

enum { THREAD_LOCAL_BYTES = 1 << 16 }; /* at most, between a mutator and its thread's thread-locals */

struct search {
  cn_place_visitor *visit;
  void *env;
  struct cn_place place;
  struct cn_walk walk;
};

static void visit_found_slot(void *env, struct cairn_slot slot)
{
  struct search *search = env;
  uintptr_t address = cairn_slot_object(slot);

  CN_ASSERT(search->place.kind < CN_DUMP_ROOTS);
  if (search->place.kind != CN_DUMP_STACK)
    search->place.at = (uintptr_t)slot.address;
  if (address != 0)
    search->visit(search->env, &search->place, address);
}

/* A derived pointer's base is a root as well, and points to the same object. */
static void found_in_frame(void *env, uintptr_t *slot, unsigned tag, void *parameter)
{
  struct search *search = env;
  uintptr_t word;

  if (slot == NULL || (tag == CAIRN_ROOT_BASE && parameter == NULL))
    cn_frame_roots_bad(&search->walk, "a root that is not kept anywhere");
  switch (tag) {
  case CAIRN_ROOT_DEFAULT:
    visit_found_slot(search, (struct cairn_slot){slot});
    return;
  case CAIRN_ROOT_OFFSET:
    word = *slot - (uintptr_t)parameter;
    if (*slot != 0)
      visit_found_slot(search, (struct cairn_slot){&word});
    return;
  case CAIRN_ROOT_BASE:
    visit_found_slot(search, (struct cairn_slot){parameter});
    return;
  default:
    if (!cn_user_roots_any())
      cn_frame_roots_bad(&search->walk, "a user root, but the program has not called cairn_set_user_roots()");
    cn_user_roots_visit(slot, tag, parameter, visit_found_slot, search);
  }
}

static void search_stacks(struct search *search)
{
  struct cn_root_task source;

  cn_root_tasks_begin();
  while (cn_root_tasks_next(&source)) {
    bool there = cn_root_tasks_walk(&source, &search->walk);
    search->place.thread = source.mutator->thread;
    for (; there; there = cn_walk_next(&search->walk)) {
      search->place.at = search->walk.frame.pc;
      cn_frame_roots(&search->walk, found_in_frame, search);
    }
    cn_root_tasks_walked(&source);
  }
  CN_CHECK(cn_root_tasks_done());
}

/* The buffer is on the stack, because memory may have run out. */
static void search_table(struct search *search, bool (*next)(struct cn_root_slots *, size_t))
{
  enum { NAME_BYTES = 256 };
  uintptr_t *at[NAME_BYTES];
  struct cn_root_slots slots = {.at = at, .room = NAME_BYTES};

  for (; next(&slots, NAME_BYTES); slots.count = 0)
    for (size_t i = 0; i < slots.count; i++)
      visit_found_slot(search, (struct cairn_slot){at[i]});
}

void cn_places_visit(cn_place_visitor *visit, void *env)
{
  struct search search = {.visit = visit, .env = env};

  search.place.kind = CN_DUMP_STACK;
  search_stacks(&search);
  search.place = (struct cn_place){.kind = CN_DUMP_GLOBAL};
  cn_global_roots_begin();
  search_table(&search, cn_global_roots_next);
  search.place.kind = CN_DUMP_HANDLE;
  cn_handles_begin();
  search_table(&search, cn_handles_next);
}

static int stack_text(const struct cn_place *place, char *text, size_t size)
{
  char name[32], where[CN_REPORT_PC];

  cn_os_thread_name(place->thread, name, sizeof name);
  if (!cn_safepoint_text(place->at, where, sizeof where) && !cn_os_symbol(place->at - 1, where, sizeof where))
    snprintf(where, sizeof where, "0x%lx", (unsigned long)place->at);
  return snprintf(text, size, "thread %d \"%s\": %s", place->thread, name, where);
}

static int global_text(const struct cn_place *place, char *text, size_t size)
{
  char name[CN_PLACE_TEXT / 2];

  if (cn_os_symbol(place->at, name, sizeof name)) {
    char *plus = strrchr(name, '+');
    if (plus != NULL && strcmp(plus, "+0x0") == 0)
      *plus = 0;
    return snprintf(text, size, "global %s", name);
  }
  for (const struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    if (place->at - (uintptr_t)m + THREAD_LOCAL_BYTES < 2 * THREAD_LOCAL_BYTES)
      return snprintf(text, size, "thread-local of thread %d", m->thread);
  return snprintf(text, size, "global at 0x%lx", (unsigned long)place->at);
}

int cn_place_text(const struct cn_place *place, char *text, size_t size)
{
  CN_CHECK(place->kind < CN_DUMP_ROOTS);
  switch (place->kind) {
  case CN_DUMP_STACK:
    return stack_text(place, text, size);
  case CN_DUMP_GLOBAL:
    return global_text(place, text, size);
  default:
    return snprintf(text, size, "handle");
  }
}
