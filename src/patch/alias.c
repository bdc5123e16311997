/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes, declares and drops code aliases, and gives a child of fork() its own memory for each. Owns the list of
 * aliases, the list of unused ones, the last number of an alias, the number of removals, and a flag that a fork() is
 * prepared, all under CN_LOCK_PATCH, which the forking thread holds over a fork(). Runs on any thread, in any phase.
 * The holder of the lock waits for no other lock and for no stop, so a stop may take it.
 */
#include "patch/alias.h"

#include <cairn/patch.h>
#include "base/check.h"
#include "patch/memory.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"

static struct cn_code_alias *all_aliases, *unused_aliases;
static uint64_t last_alias_number;
static bool fork_is_prepared;
static uint64_t removal_count;

/* ---- the list ---- */

struct cn_code_alias *cn_code_alias_find(uintptr_t start, uintptr_t end)
{
  struct cn_code_alias *alias = all_aliases;

  while (alias != NULL && (end <= alias->start || start >= alias->end))
    alias = alias->next;
  return alias;
}

static struct cn_code_alias *add_alias(uintptr_t start, uintptr_t end, char *writable, bool is_own)
{
  struct cn_code_alias *alias = unused_aliases;

  if (alias != NULL)
    unused_aliases = alias->next;
  else if ((alias = cn_patch_allocate(sizeof *alias)) == NULL)
    return NULL;
  *alias = (struct cn_code_alias){.number = ++last_alias_number,
                                  .start = start,
                                  .end = end,
                                  .writable = writable,
                                  .is_own = is_own,
                                  .copy = -1,
                                  .next = all_aliases};
  all_aliases = alias;
  return alias;
}

uint64_t cn_code_alias_removals(void)
{
  return removal_count;
}

void cn_code_alias_note_removal(void)
{
  removal_count++;
}

static void remove_alias(struct cn_code_alias *alias)
{
  struct cn_code_alias **at = &all_aliases;

  removal_count++;
  while (*at != alias) {
    CN_CHECK(*at != NULL);
    at = &(*at)->next;
  }
  *at = alias->next;
  *alias = (struct cn_code_alias){.next = unused_aliases};
  unused_aliases = alias;
}

/* ---- aliases over images ---- */

static enum cairn_status make_alias(uintptr_t start, uintptr_t end, struct cn_code_alias **alias, int *error)
{
  *alias = add_alias(start, end, NULL, true);
  if (*alias == NULL)
    return CAIRN_E_MEMORY;
  (*alias)->writable = cn_os_alias_code(start, end - start, error);
  if ((*alias)->writable != NULL)
    return CAIRN_OK;
  remove_alias(*alias);
  *alias = NULL;
  return CAIRN_E_CODE;
}

enum cairn_status cn_code_alias_get(uintptr_t start, uintptr_t end, struct cn_code_alias **alias, int *error)
{
  uintptr_t page = cn_os_page_bytes();

  *error = 0;
  *alias = cn_code_alias_find(start, end);
  if (*alias != NULL)
    return (*alias)->start <= start && end <= (*alias)->end ? CAIRN_OK : CAIRN_E_OVERLAP;
  start = start / page * page;
  end = (end + page - 1) / page * page;
  if (cn_code_alias_find(start, end) != NULL)
    return CAIRN_E_OVERLAP;
  return make_alias(start, end, alias, error);
}

void cn_code_alias_drop(struct cn_code_alias *alias)
{
  CN_ASSERT(alias->is_own);
  cn_os_free_mapping(alias->writable, alias->end - alias->start);
  remove_alias(alias);
}

/* ---- aliases of programs ---- */

static void take_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PATCH);

  CN_CHECK(taken);
}

enum cairn_status cairn_code_alias_add(uintptr_t start, uintptr_t end, void *writable)
{
  enum cairn_status status = CAIRN_OK;

  if (end <= start || (start | end | (uintptr_t)writable) % cn_os_page_bytes() != 0 || writable == NULL)
    return CAIRN_E_BOUNDS;
  take_lock();
  if (cn_code_alias_find(start, end) != NULL)
    status = CAIRN_E_OVERLAP;
  else if (add_alias(start, end, writable, false) == NULL)
    status = CAIRN_E_MEMORY;
  cn_lock_release(CN_LOCK_PATCH);
  return status;
}

enum cairn_status cairn_code_alias_remove(uintptr_t start)
{
  take_lock();
  struct cn_code_alias *alias = cn_code_alias_find(start, start + 1);
  bool found = alias != NULL && alias->start == start && !alias->is_own;
  if (found)
    remove_alias(alias);
  cn_lock_release(CN_LOCK_PATCH);
  return found ? CAIRN_OK : CAIRN_E_UNKNOWN;
}

/* ---- fork() ---- */

/* If the copy fails, parent and child will share the memory: both then refuse patches there. */
void cn_code_alias_prepare_fork(void)
{
  int error;

  take_lock();
  removal_count++;
  for (struct cn_code_alias *alias = all_aliases; alias != NULL; alias = alias->next) {
    alias->copy = cn_os_copy_code(alias->start, alias->end - alias->start, &error);
    alias->is_shared |= alias->copy < 0;
  }
  fork_is_prepared = true;
}

static void close_copy(struct cn_code_alias *alias)
{
  if (alias->copy >= 0)
    cn_os_file_close(alias->copy);
  alias->copy = -1;
}

void cn_code_alias_finish_fork(void)
{
  for (struct cn_code_alias *alias = all_aliases; alias != NULL; alias = alias->next)
    close_copy(alias);
  fork_is_prepared = false;
  cn_lock_release(CN_LOCK_PATCH);
}

static void map_copy(struct cn_code_alias *alias)
{
  int error;

  if (alias->copy < 0)
    alias->copy = cn_os_copy_code(alias->start, alias->end - alias->start, &error);
  alias->is_shared =
      alias->copy < 0 || !cn_os_map_code_copy(alias->copy, alias->start, alias->end - alias->start, alias->writable);
  close_copy(alias);
}

/* A child made without handlers uses no copies: another thread of the parent may be making them for a fork(). */
void cn_code_alias_reset_in_child(void)
{
  bool holds_lock = (cn_locks_held_by_thread() >> CN_LOCK_PATCH & 1) != 0;

  CN_CHECK(!holds_lock || fork_is_prepared);
  fork_is_prepared = false;
  for (struct cn_code_alias *alias = all_aliases; alias != NULL; alias = alias->next) {
    if (!holds_lock)
      close_copy(alias);
    map_copy(alias);
  }
  if (holds_lock)
    cn_lock_release(CN_LOCK_PATCH);
}
