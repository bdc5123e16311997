/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes, reads, frees and enumerates handles. A handle is a cell of a chunk; chunks never move and are never freed, so
 * a handle is a constant address. Unused cells are in a list. A cell in use has a seal, a word derived from its
 * address, which detects freed and invalid handles. CN_LOCK_HANDLES guards the list of chunks and the list of unused
 * cells; a handle's reference is read without a lock. The file also owns the position of the enumeration, and each
 * thread's list of scoped handles. Managed code makes and reads handles in phase MUTATE, finalisers.c makes handles in
 * phase STOP, and any thread frees handles in any phase. Enumerations run in phase STOP, on one thread at a time.
 */
#include "runtime/roots/roots.h"

#include <stdbool.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

struct cairn_handle {
  uintptr_t reference;
  uintptr_t seal;            /* seal_of() the cell while it is in use */
  struct cairn_handle *next; /* in the list of unused cells */
  uint64_t scoped;
};

enum { CHUNK_CELLS = 4096 / sizeof(struct cairn_handle) - 1 };

struct handle_chunk {
  struct handle_chunk *next;
  struct cairn_handle cells[CHUNK_CELLS];
};

static struct handle_chunk *handle_chunks;
static struct cairn_handle *unused_handles;
static _Thread_local CN_GROW(struct cairn_handle *) scoped;

#pragma GCC visibility push(default)
struct cairn_handle *cairn_handle_scoped(uintptr_t reference);
size_t cairn_handle_scope_begin(void);
void cairn_handle_scope_end(size_t scope);
#pragma GCC visibility pop

static uintptr_t seal_of(const struct cairn_handle *handle)
{
  return (uintptr_t)handle ^ (uintptr_t)0x68616e646c65;
}

_Noreturn static void report_invalid_handle(const struct cairn_handle *handle, uintptr_t pc)
{
  cn_report_fatal(pc, "%p is no handle, or has been freed", (const void *)handle);
}

bool cn_handles_is_live(const struct cairn_handle *handle)
{
  return handle != NULL && (uintptr_t)handle % sizeof(uintptr_t) == 0 && handle->seal == seal_of(handle);
}

static void check_handle(const struct cairn_handle *handle, uintptr_t pc)
{
  if (!cn_handles_is_live(handle))
    report_invalid_handle(handle, pc);
}

static size_t count_sealed_cells(size_t *cells)
{
  size_t sealed = 0;

  *cells = 0;
  for (const struct handle_chunk *chunk = handle_chunks; chunk; chunk = chunk->next, *cells += CHUNK_CELLS)
    for (size_t i = 0; i < CHUNK_CELLS; i++)
      sealed += chunk->cells[i].seal == seal_of(&chunk->cells[i]);
  return sealed;
}

const char *cn_handles_wrong(void)
{
  size_t cells, sealed = count_sealed_cells(&cells), free = 0;

  for (const struct cairn_handle *handle = unused_handles; handle; handle = handle->next)
    if (handle->seal == seal_of(handle) || ++free > cells)
      return "handles: the list of unused ones has one that is in use, or a cycle";
  return sealed + free == cells ? NULL : "handles: a cell is neither in use nor in the list";
}

/* The caller holds CN_LOCK_HANDLES. */
static bool add_chunk(void)
{
  CN_ASSERT_VALID(cn_handles_wrong());
  struct handle_chunk *chunk = cn_os_resize_mapping(NULL, 0, sizeof *chunk);

  if (chunk == NULL)
    return false;
  for (size_t i = CHUNK_CELLS; i-- > 0;) {
    chunk->cells[i].next = unused_handles;
    unused_handles = &chunk->cells[i];
  }
  chunk->next = handle_chunks;
  handle_chunks = chunk;
  CN_ASSERT_VALID(cn_handles_wrong());
  return true;
}

static struct cairn_handle *make_handle(uintptr_t reference)
{
  cn_lock_take(CN_LOCK_HANDLES);
  if (unused_handles == NULL && !add_chunk()) {
    cn_lock_release(CN_LOCK_HANDLES);
    cairn_out_of_memory(false, "no memory for a handle");
  }
  struct cairn_handle *handle = unused_handles;
  CN_CHECK(handle->seal != seal_of(handle)); /* fails if the cell is in use */
  unused_handles = handle->next;
  handle->reference = reference;
  handle->seal = seal_of(handle);
  handle->scoped = 0;
  cn_lock_release(CN_LOCK_HANDLES);
  return handle;
}

/* Leaves the reference unchanged, because a collection may be updating it. */
static void free_handle(struct cairn_handle *handle)
{
  bool taken = cn_lock_take(CN_LOCK_HANDLES);

  CN_CHECK(taken);
  handle->seal = 0;
  handle->next = unused_handles;
  unused_handles = handle;
  cn_lock_release(CN_LOCK_HANDLES);
}

struct cairn_handle *cairn_handle_new(uintptr_t reference)
{
  return make_handle(reference);
}

uintptr_t cairn_handle_get(struct cairn_handle *handle)
{
  check_handle(handle, (uintptr_t)__builtin_return_address(0));
  return handle->reference;
}

struct cairn_slot cn_handles_slot_of(struct cairn_handle *handle)
{
  check_handle(handle, (uintptr_t)__builtin_return_address(0));
  return (struct cairn_slot){&handle->reference};
}

void cairn_handle_free(struct cairn_handle *handle)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);

  check_handle(handle, pc);
  if (handle->scoped)
    report_invalid_handle(handle, pc); /* the scope's end would free the cell again */
  free_handle(handle);
}

/* ---- scopes ---- */

struct cairn_handle *cairn_handle_scoped(uintptr_t reference)
{
  struct cairn_handle *handle = make_handle(reference);

  handle->scoped = 1;
  CN_ASSERT(scoped.count == 0 || scoped.at[scoped.count - 1]->scoped);
  cn_grow_push(&scoped, handle);
  return handle;
}

size_t cairn_handle_scope_begin(void)
{
  return scoped.count;
}

void cairn_handle_scope_end(size_t scope)
{
  if (scope > scoped.count)
    cn_report_fatal((uintptr_t)__builtin_return_address(0), "a scope of handles ends that has "
                                                            "ended");
  while (scoped.count > scope)
    free_handle(scoped.at[--scoped.count]);
}

/* ---- collections ---- */

static struct handle_chunk *next_chunk;

static void take_handle_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_HANDLES); /* native threads may free handles during the enumeration */

  CN_CHECK(taken);
}

void cn_handles_begin(void)
{
  take_handle_lock();
  CN_ASSERT_VALID(cn_handles_wrong());
  next_chunk = handle_chunks;
  cn_lock_release(CN_LOCK_HANDLES);
}

bool cn_handles_fetch_next(struct cn_root_slots *slots, size_t most)
{
  CN_CHECK(slots->count == 0 && most >= CHUNK_CELLS);
  cn_root_slots_reserve(slots, most);
  take_handle_lock();
  for (; next_chunk != NULL && slots->count + CHUNK_CELLS <= most; next_chunk = next_chunk->next)
    for (size_t i = 0; i < CHUNK_CELLS; i++) {
      struct cairn_handle *handle = &next_chunk->cells[i];
      if (handle->seal == seal_of(handle))
        slots->at[slots->count++] = &handle->reference;
    }
  cn_lock_release(CN_LOCK_HANDLES);
  return slots->count != 0;
}
