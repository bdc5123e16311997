/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the edits of a batch: all of them, or, after a failure, no edit. test/model/patch.pml is the protocol's
 * model.
 *
 *     no stop needed                                stop needed
 *       lock                                          lock, find the sites and second mappings, unlock
 *       find the sites and second mappings            stop the world
 *       each edit changes one operand within          lock
 *         one aligned word: store the words           find the sites again, if an image has gone
 *       unlock                                        write all regions
 *       synchronise all processors                    unlock, synchronise all processors, resume
 *
 * In a stop no thread has its pc in a region: a thread at a safepoint has left its leaf calls, and return addresses lie
 * at ends of regions. Runs on the requester's thread, in native code. CN_LOCK_PATCH guards code and tables, so that a
 * fork() copies code between two edits; its holder waits for no stop, since threads that have stopped others take it.
 * Owns the number of the last batch, under the lock.
 */
#include "patch/batch.h"

#include <string.h>
#include "base/check.h"
#include "patch/alias.h"
#include "patch/machine.h"
#include "patch/sites.h"
#include "patch/stub.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"
#include "runtime/threads/native_stop.h"
#include "runtime/threads/unseen.h"

static uint64_t last_batch;

/* ---- sites ---- */

static struct cn_patch_site *site_of(const struct cn_edit *edit)
{
  return &edit->image->sites[edit->function->first + edit->index];
}

/* The image is compared first, because the function's memory goes with its image. */
static enum cairn_status check_edit(const struct cn_edit *edit, int *error)
{
  if (edit->image->id != edit->image_id)
    return CAIRN_E_GONE;
  enum cairn_status status = cn_patch_sites_prepare(edit->image, error);
  if (status != CAIRN_OK)
    return status;
  if (edit->index >= edit->function->points.points || site_of(edit)->length != edit->length)
    return CAIRN_E_UNKNOWN;
  if (site_of(edit)->batch == last_batch)
    return CAIRN_E_TWICE;
  site_of(edit)->batch = last_batch;
  return CAIRN_OK;
}

/* Find the sites of all edits. False: the batch has failed. */
static bool find_sites(struct cairn_patch *patch)
{
  last_batch++;
  for (size_t i = 0; i < patch->edit_count; i++) {
    int error = 0;
    enum cairn_status status = check_edit(&patch->edits[i], &error);
    if (status != CAIRN_OK) {
      cn_batch_fail(patch, status, patch->edits[i].address, error != 0 ? cn_os_describe_open_error(error) : NULL);
      return false;
    }
  }
  return true;
}

static const unsigned char *new_code(const struct cairn_patch *patch, const struct cn_edit *edit)
{
  if (edit->bytes == CN_EDIT_RESTORES)
    return cn_patch_site_original(edit->image, site_of(edit));
  return patch->bytes + edit->bytes;
}

/* ---- one word ---- */

enum { WORD_BYTES = 8 };

/* The first and the last byte that change. False: the code stays. */
static bool find_change(const unsigned char *old, const unsigned char *new, size_t length, size_t *first, size_t *last)
{
  *first = 0;
  *last = length;
  while (*first < length && old[*first] == new[*first])
    ++*first;
  while (*last > *first && old[*last - 1] == new[*last - 1])
    --*last;
  return (*last)-- > *first;
}

static bool needs_stop(const struct cairn_patch *patch, const struct cn_edit *edit)
{
  const unsigned char *old = (const unsigned char *)edit->address;
  size_t first, last;

  if (!find_change(old, new_code(patch, edit), edit->length, &first, &last))
    return false;
  return (edit->address + first) / WORD_BYTES != (edit->address + last) / WORD_BYTES ||
         !cn_machine_is_operand(old, edit->length, first, last);
}

static bool any_needs_stop(const struct cairn_patch *patch)
{
  for (size_t i = 0; i < patch->edit_count; i++)
    if (needs_stop(patch, &patch->edits[i]))
      return true;
  return false;
}

/* Store the word with the change. The other bytes of the word stay, because only the lock's holder changes code. */
static void store_word(const struct cairn_patch *patch, const struct cn_edit *edit)
{
  const unsigned char *old = (const unsigned char *)edit->address, *new = new_code(patch, edit);
  size_t first, last;
  uint64_t word;

  if (!find_change(old, new, edit->length, &first, &last))
    return;
  uintptr_t place = (edit->address + first) / WORD_BYTES * WORD_BYTES;
  uint64_t *to = (uint64_t *)(void *)cn_code_alias_at(edit->image->alias, place);
  memcpy(&word, to, sizeof word);
  memcpy((char *)&word + (edit->address + first - place), new + first, last - first + 1);
  __atomic_store_n(to, word, __ATOMIC_SEQ_CST);
}

static void store_words(const struct cairn_patch *patch)
{
  for (size_t i = 0; i < patch->edit_count; i++)
    store_word(patch, &patch->edits[i]);
}

/* ---- whole regions, in a stop ---- */

static void write_regions(const struct cairn_patch *patch)
{
  for (size_t i = 0; i < patch->edit_count; i++) {
    const struct cn_edit *edit = &patch->edits[i];
    memcpy(cn_code_alias_at(edit->image->alias, edit->address), new_code(patch, edit), edit->length);
  }
}

static enum cairn_status status_of_refusal(enum cn_native_stop_refusal refusal)
{
  switch (refusal) {
  case CN_NATIVE_STOP_ALLOWED:
    return CAIRN_OK;
  case CN_NATIVE_STOP_WITHOUT_SAFEPOINTS:
    return CAIRN_E_REFUSED;
  default:
    return CAIRN_E_BUSY;
  }
}

static bool begin_stop(struct cairn_patch *patch)
{
  enum cairn_status status = status_of_refusal(cn_native_stop_check());

  if (status == CAIRN_OK && !cn_native_stop_begin())
    status = CAIRN_E_BUSY;
  if (status != CAIRN_OK)
    cn_batch_fail(patch, status, 0, status == CAIRN_E_REFUSED ? "code without safepoints is loaded" : NULL);
  return status == CAIRN_OK;
}

/* Between the first search for sites and the stop, an image may have gone, or its second mapping; then search again. */
static void write_in_stop(struct cairn_patch *patch, uint64_t aliases)
{
  if (!begin_stop(patch))
    return;
  if (!cn_lock_take(CN_LOCK_PATCH))
    CN_UNREACHABLE(); /* the thread took it before */
  bool found = aliases == cn_code_alias_removals() || find_sites(patch);
  if (found)
    write_regions(patch);
  cn_stubs_reuse_freed();
  cn_lock_release(CN_LOCK_PATCH);
  if (found)
    cn_os_synchronise_code();
  cn_native_stop_end();
}

/* ---- the batch ---- */

/* Refuse a caller that could not stop the world, even if the batch needs no stop: the result then does not depend on
 * the places of operands. */
static bool is_caller_refused(void)
{
  enum cn_native_stop_refusal refusal = cn_native_stop_check();

  return refusal != CN_NATIVE_STOP_ALLOWED && refusal != CN_NATIVE_STOP_WITHOUT_SAFEPOINTS;
}

void cn_batch_write(struct cairn_patch *patch)
{
  cn_unseen_check_process();
  if (is_caller_refused() || !cn_lock_take(CN_LOCK_PATCH)) {
    cn_batch_fail(patch, CAIRN_E_BUSY, 0, NULL);
    return;
  }
  bool found = find_sites(patch);
  bool stops = found && any_needs_stop(patch);
  uint64_t aliases = cn_code_alias_removals();
  if (found && !stops)
    store_words(patch);
  cn_lock_release(CN_LOCK_PATCH);
  if (stops)
    write_in_stop(patch, aliases);
  else if (found)
    cn_os_synchronise_code();
}
