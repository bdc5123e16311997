/* SPDX-License-Identifier: Apache-2.0
 *
 * Assumptions of compiled code: each keeps the patches of its sites as a batch, and an invalidation writes the batches
 * of several assumptions at once. CN_LOCK_PATCH guards all assumptions; the store of `is_invalid` and the patches of
 * the sites happen under the lock, so that cairn_assumption_depend() meets either none or all of an invalidation. Runs
 * on any thread, in native code. Owns the work of dependents, and the numbers of dependents that were added, and that
 * the invalidation under way has prepared; all under the lock.
 */
#include <cairn/assumption.h>

#include <string.h>
#include "base/check.h"
#include "patch/batch.h"
#include "patch/dependents.h"
#include "patch/memory.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"
#include "runtime/threads/stop.h"

struct dependent {
  struct dependent *next;
  size_t bytes; /* of the structure */
  _Alignas(8) unsigned char data[];
};

struct cairn_assumption {
  struct cairn_patch sites;     /* empty from the invalidation on */
  struct dependent *dependents; /* likewise */
  bool is_invalid;              /* atomic */
};

static const struct cn_dependents_work *dependents_work;
static uint64_t dependents_added, dependents_prepared;

static void free_dependents(struct cairn_assumption *assumption)
{
  while (assumption->dependents != NULL) {
    struct dependent *dependent = assumption->dependents;
    assumption->dependents = dependent->next;
    cn_patch_free(dependent, dependent->bytes);
  }
}

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
  free_dependents(assumption);
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

enum cairn_status cn_assumption_add_dependent(struct cairn_assumption *assumption,
                                              const struct cn_dependents_work *work, const void *data, size_t bytes,
                                              bool *is_invalid)
{
  size_t all = sizeof(struct dependent) + bytes;

  CN_ASSERT(dependents_work == NULL || dependents_work == work);
  if (assumption == NULL)
    return CAIRN_E_MEMORY;
  if (!cn_lock_take(CN_LOCK_PATCH))
    return CAIRN_E_BUSY;
  *is_invalid = assumption->is_invalid;
  struct dependent *dependent = *is_invalid ? NULL : cn_patch_allocate(all);
  if (dependent != NULL) {
    *dependent = (struct dependent){.next = assumption->dependents, .bytes = all};
    memcpy(dependent->data, data, bytes);
    assumption->dependents = dependent;
    dependents_work = work;
    dependents_added++;
  }
  cn_lock_release(CN_LOCK_PATCH);
  return dependent != NULL || *is_invalid ? CAIRN_OK : CAIRN_E_MEMORY;
}

/* ---- invalidation ---- */

static struct cairn_patch *batch_of(const void *env, size_t index)
{
  struct cairn_assumption *const *assumptions = env;

  return &assumptions[index]->sites;
}

static bool has_dependents(const struct cn_write *write)
{
  struct cairn_assumption *const *assumptions = write->env;
  size_t i = 0;

  while (i < write->count && assumptions[i]->dependents == NULL)
    i++;
  return i < write->count;
}

/* Between the preparation and the writing of code, other threads may add dependents. */
static bool prepare_dependents(const struct cn_write *write)
{
  struct cairn_assumption *const *assumptions = write->env;
  bool taken = cn_lock_take(CN_LOCK_PATCH);

  CN_CHECK(taken);
  const struct cn_dependents_work *work = dependents_work;
  dependents_prepared = dependents_added;
  if (work != NULL)
    work->begin();
  for (size_t i = 0; i < write->count; i++)
    for (const struct dependent *at = assumptions[i]->dependents; at != NULL; at = at->next)
      work->add(at->data);
  cn_lock_release(CN_LOCK_PATCH);
  return work == NULL || work->prepare(write->failure);
}

static bool are_dependents_prepared(const struct cn_write *write)
{
  (void)write;
  return dependents_prepared == dependents_added;
}

static void end_dependents(const struct cn_write *write)
{
  bool taken = cn_lock_take(CN_LOCK_PATCH);
  const struct cn_dependents_work *work = dependents_work;

  (void)write;
  CN_CHECK(taken);
  cn_lock_release(CN_LOCK_PATCH);
  if (work != NULL)
    work->end();
}

static void note_invalid(const struct cn_write *write)
{
  struct cairn_assumption *const *assumptions = write->env;

  if (has_dependents(write))
    dependents_work->apply();
  for (size_t i = 0; i < write->count; i++) {
    cn_batch_clear(&assumptions[i]->sites);
    free_dependents(assumptions[i]);
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
                                 .has_work = has_dependents,
                                 .prepare = prepare_dependents,
                                 .is_prepared = are_dependents_prepared,
                                 .end = end_dependents,
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
