/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes entries, and ends them. Thunks lie in slabs of executable memory, which are written through a second mapping.
 * An ended entry waits in a queue, so that a late call meets a message rather than another function. The session's lock
 * covers the state; threads that run a thunk read its words meanwhile, and each word changes by one store.
 */
#include "jit/entry/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "base/near_memory.h"

enum {
  SLAB_BYTES = 64 << 10,
  SLAB_PLACES = SLAB_BYTES / CN_JIT_THUNK_BYTES,
  GONE_BEFORE_REUSE = 4096, /* ended entries that wait */
  REACH_BYTES = 1 << 30     /* of a slab from the program's code; modules lie as near */
};

/* Of the unwinder. */
void __register_frame(void *frames);
void __deregister_frame(void *frames);

/* The runtime's stub for calls of native code to a body. */
void cairn_enter(void);

/* Called by a thunk whose function is gone, in place of the function. */
static void end_program(const struct cn_jit_thunk *thunk)
{
  const struct cn_jit_entry *entry = thunk->data;

  cairn_fatal("the JIT function '%s' is called after its removal", entry->name);
}

/* ---- slabs ---- */

static char *map_twice(uintptr_t *code)
{
  char *writable = cn_map_code_near((uintptr_t)cairn_enter, REACH_BYTES, SLAB_BYTES, code);

  if (!writable || cairn_code_alias_add(*code, *code + SLAB_BYTES, writable) == CAIRN_OK)
    return writable;
  munmap((void *)*code, SLAB_BYTES);
  munmap(writable, SLAB_BYTES);
  return NULL;
}

/* Let threads run code that was written through the other mapping. The places have had no code before. */
static void show_code(uintptr_t code, size_t bytes)
{
  __builtin___clear_cache((char *)code, (char *)code + bytes);
}

static void *frames_of(uintptr_t slab)
{
  return (void *)(slab + offsetof(struct cn_jit_thunk_head, frames));
}

static bool add_slab(struct cn_jit_entries *entries, char **error)
{
  uintptr_t code;
  char *slab = map_twice(&code);

  if (!slab) {
    *error = cn_format("the system refuses %d bytes of executable memory for entries: %s", SLAB_BYTES, strerror(errno));
    return false;
  }
  struct cn_jit_thunk_head *head = (struct cn_jit_thunk_head *)(void *)slab;
  cn_jit_thunk_write_head(head, code, SLAB_BYTES);
  show_code(code, sizeof *head);
  head->enter = (uintptr_t)cairn_enter;
  head->gone = end_program;
  cn_push(&entries->slabs, slab);
  cn_push(&entries->slab_code, code);
  entries->used = CN_JIT_THUNK_HEAD_PLACES;
  __register_frame(frames_of(code));
  return true;
}

/* ---- entries ---- */

static uintptr_t service_code_of(const struct cn_jit_entry *entry)
{
  return entry->thunk + offsetof(struct cn_jit_thunk, service_code);
}

static void set_target(struct cn_jit_entry *entry, uintptr_t target)
{
  __atomic_store_n(&entry->writable->target, target, __ATOMIC_RELEASE);
}

/* An entry at a new place, or null. */
static struct cn_jit_entry *take_place(struct cn_jit_entries *entries, char **error)
{
  if ((!entries->slabs.count || entries->used == SLAB_PLACES) && !add_slab(entries, error))
    return NULL;
  struct cn_jit_entry *entry = cn_alloc(sizeof *entry);
  uintptr_t head = entries->slab_code.at[entries->slab_code.count - 1];
  size_t offset = entries->used++ * CN_JIT_THUNK_BYTES;
  entry->thunk = head + offset;
  entry->writable = (struct cn_jit_thunk *)(void *)(entries->slabs.at[entries->slabs.count - 1] + offset);
  cn_jit_thunk_write(entry->writable, entry->thunk, head);
  show_code(entry->thunk, CN_JIT_THUNK_BYTES);
  entry->writable->service = head + offsetof(struct cn_jit_thunk_head, gone_code);
  entry->writable->data = entry;
  return entry;
}

struct cn_jit_entry *cn_jit_entry_of_body(uintptr_t body)
{
  return ((const struct cn_jit_thunk *)(body - offsetof(struct cn_jit_thunk, body)))->data;
}

static struct cn_jit_entry *take_oldest_gone(struct cn_jit_entries *entries)
{
  struct cn_jit_entry *entry = entries->oldest_gone;

  entries->oldest_gone = entry->next;
  entries->gone_count--;
  free(entry->name);
  return entry;
}

struct cn_jit_entry *cn_jit_entry_new(struct cn_jit_entries *entries, const char *name, char **error)
{
  struct cn_jit_entry *entry =
      entries->gone_count > GONE_BEFORE_REUSE ? take_oldest_gone(entries) : take_place(entries, error);

  if (!entry)
    return NULL;
  entry->name = cn_strdup(name);
  entry->body = 0;
  entry->users = 0;
  set_target(entry, service_code_of(entry));
  return entry;
}

void cn_jit_entry_bind(struct cn_jit_entry *entry)
{
  CN_CHECK(entry->body != 0);
  set_target(entry, entry->body);
}

struct cairn_code_store cn_jit_entry_switch(const struct cn_jit_entry *entry, uintptr_t body)
{
  return (struct cairn_code_store){entry->thunk + offsetof(struct cn_jit_thunk, target), body, sizeof body};
}

void cn_jit_entry_end(struct cn_jit_entries *entries, struct cn_jit_entry *entry)
{
  set_target(entry, service_code_of(entry));
  entry->owner = NULL;
  entry->next = NULL;
  if (entries->gone_count++)
    entries->newest_gone->next = entry;
  else
    entries->oldest_gone = entry;
  entries->newest_gone = entry;
}

void cn_jit_entries_free(struct cn_jit_entries *entries)
{
  while (entries->gone_count)
    free(take_oldest_gone(entries));
  for (size_t i = 0; i < entries->slabs.count; i++) {
    __deregister_frame(frames_of(entries->slab_code.at[i]));
    cairn_code_alias_remove(entries->slab_code.at[i]);
    munmap((void *)entries->slab_code.at[i], SLAB_BYTES);
    munmap(entries->slabs.at[i], SLAB_BYTES);
  }
  cn_free(&entries->slabs);
  cn_free(&entries->slab_code);
}
