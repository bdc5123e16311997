/* SPDX-License-Identifier: Apache-2.0
 *
 * Assumptions of compiled code: each keeps the patches of its sites as a batch, and an invalidation writes the batches
 * of several assumptions at once. CN_LOCK_PATCH guards all assumptions; the store of `is_invalid` and the patches of
 * the sites happen under the lock, so that cairn_assumption_depend() meets either none or all of an invalidation. Runs
 * on any thread, in native code. The file has no state.
 */
#include <cairn/assumption.h>

#include "patch/batch.h"
#include "patch/memory.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"
#include "runtime/threads/stop.h"

struct cairn_assumption {
  struct cairn_patch sites; /* empty from the invalidation on */
  bool is_invalid;          /* atomic */
};

struct cairn_assumption *cairn_assumption_new(void)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return NULL;
  struct cairn_assumption *assumption = cn_patch_allocate(sizeof *assumption);
  cn_lock_release(CN_LOCK_PATCH);
  return assumption;
}

void cairn_assumption_free(struct cairn_assumption *assumption)
{
  if (assumption == NULL || !cn_lock_take(CN_LOCK_PATCH))
    return;
  cn_batch_clear(&assumption->sites);
  cn_patch_free(assumption, sizeof *assumption);
  cn_lock_release(CN_LOCK_PATCH);
}

bool cairn_assumption_holds(const struct cairn_assumption *assumption)
{
  return assumption != NULL && !__atomic_load_n(&assumption->is_invalid, __ATOMIC_ACQUIRE);
}

size_t cairn_assumption_sites(const struct cairn_assumption *assumption)
{
  size_t count = 0;

  if (assumption == NULL || !cn_lock_take(CN_LOCK_PATCH))
    return 0;
  for (size_t i = 0; i < assumption->sites.edit_count; i++)
    count += assumption->sites.edits[i].image->id == assumption->sites.edits[i].image_id;
  cn_lock_release(CN_LOCK_PATCH);
  return count;
}

/* ---- dependencies ---- */

/* Checks the sites and maps their code twice, so that an invalidation has little left that can fail. */
static void add_sites(struct cairn_assumption *assumption, struct cairn_patch *patch)
{
  struct cn_write write = cn_write_of_batch(patch);

  if (cn_write_find_sites(&write) && !cn_batch_append(&assumption->sites, patch))
    cn_patch_fail(&patch->failure, CAIRN_E_MEMORY, 0, NULL);
}

enum cairn_status cairn_assumption_depend(struct cairn_assumption *assumption, struct cairn_patch *patch,
                                          struct cairn_patch_failure *failure)
{
  if (patch == NULL || patch->failure.status != CAIRN_OK)
    return cn_batch_finish(patch, failure);
  cn_unseen_check_process();
  if (assumption == NULL) {
    cn_patch_fail(&patch->failure, CAIRN_E_MEMORY, 0, "there is no assumption");
  } else if (!cn_lock_take(CN_LOCK_PATCH)) {
    cn_patch_fail(&patch->failure, CAIRN_E_BUSY, 0, "the caller is a signal handler");
  } else {
    bool is_invalid = assumption->is_invalid;
    if (!is_invalid)
      add_sites(assumption, patch);
    cn_lock_release(CN_LOCK_PATCH);
    if (is_invalid)
      return cairn_patch_commit(patch, failure);
  }
  return cn_batch_finish(patch, failure);
}

/* ---- invalidation ---- */

static struct cairn_patch *batch_of(const void *env, size_t index)
{
  struct cairn_assumption *const *assumptions = env;

  return &assumptions[index]->sites;
}

static void note_invalid(const struct cn_write *write)
{
  struct cairn_assumption *const *assumptions = write->env;

  for (size_t i = 0; i < write->count; i++) {
    cn_batch_clear(&assumptions[i]->sites);
    __atomic_store_n(&assumptions[i]->is_invalid, true, __ATOMIC_RELEASE);
  }
}

static bool has_null(struct cairn_assumption *const *assumptions, size_t count)
{
  size_t i = 0;

  while (i < count && assumptions[i] != NULL)
    i++;
  return i < count;
}

enum cairn_status cairn_assumption_invalidate(struct cairn_assumption *const *assumptions, size_t count,
                                              struct cairn_patch_failure *failure)
{
  struct cairn_patch_failure outcome = {0};
  const struct cn_write write = {.batch = batch_of,
                                 .env = assumptions,
                                 .count = count,
                                 .leaves_out = true,
                                 .done = note_invalid,
                                 .failure = &outcome};

  if (has_null(assumptions, count)) {
    cn_patch_fail(&outcome, CAIRN_E_MEMORY, 0, "there is no assumption");
  } else {
    cn_defer_signals();
    cn_write_batches(&write);
    cn_undefer_signals();
  }
  if (failure != NULL)
    *failure = outcome;
  return outcome.status;
}
