/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the edits of one batch, or of several: all of them, or, after a failure, no edit. test/model/patch.pml is the
 * protocol's model.
 *
 *     no stop needed                                stop needed
 *       lock                                          lock, find the sites and second mappings, unlock
 *       find the sites and second mappings            stop the world
 *       each edit changes one aligned word as         lock
 *         the port permits: store the words           find the sites again, if an image has gone
 *       publish the code, unlock                      write all regions, publish the code
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
#include "runtime/threads/stop.h"

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

typedef bool edit_visitor(const struct cn_write *write, struct cairn_patch *patch, struct cn_edit *edit);

/* True if the visitor returns true for all edits; the first false ends the visit. A batch that the write has several
 * times is visited once. */
static bool visit_edits(const struct cn_write *write, edit_visitor *visit)
{
  for (size_t k = 0; k < write->count; k++) {
    struct cairn_patch *patch = write->batch(write->env, k);
    for (size_t i = 0; i < patch->edit_count && patch->place == k; i++)
      if (!visit(write, patch, &patch->edits[i]))
        return false;
  }
  return true;
}

static bool find_site(const struct cn_write *write, struct cairn_patch *patch, struct cn_edit *edit)
{
  int error = 0;
  enum cairn_status status = check_edit(edit, &error);

  (void)patch;
  edit->is_left_out = write->leaves_out && (status == CAIRN_E_GONE || status == CAIRN_E_TWICE);
  if (status == CAIRN_OK || edit->is_left_out)
    return true;
  if (error != 0)
    cn_patch_fail(write->failure, status, edit->address, "the code's pages cannot be mapped twice: %s",
                  cn_os_describe_open_error(error));
  else
    cn_patch_fail(write->failure, status, edit->address, NULL);
  return false;
}

bool cn_write_find_sites(const struct cn_write *write)
{
  if (write->begin != NULL && !write->begin(write))
    return false;
  last_batch++;
  for (size_t k = write->count; k-- > 0;)
    write->batch(write->env, k)->place = k;
  return visit_edits(write, find_site);
}

static const unsigned char *new_code(const struct cairn_patch *patch, const struct cn_edit *edit)
{
  if (edit->bytes == CN_EDIT_RESTORES)
    return cn_patch_site_original(edit->image, site_of(edit));
  return patch->bytes + edit->bytes;
}

/* ---- one word ---- */

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

static bool needs_no_stop(const struct cn_write *write, struct cairn_patch *patch, struct cn_edit *edit)
{
  const unsigned char *old = (const unsigned char *)edit->address;
  size_t first, last;

  (void)write;
  if (edit->is_left_out || !find_change(old, new_code(patch, edit), edit->length, &first, &last))
    return true;
  return (edit->address + first) / cn_machine_store_bytes == (edit->address + last) / cn_machine_store_bytes &&
         cn_machine_may_store(old, new_code(patch, edit), edit->length, first, last);
}

/* Store the word with the change. The other bytes of the word stay, because only the lock's holder changes code. */
static bool store_word(const struct cn_write *write, struct cairn_patch *patch, struct cn_edit *edit)
{
  const unsigned char *old = (const unsigned char *)edit->address;
  unsigned char word[CN_MACHINE_WORD_BYTES];
  size_t first, last;

  (void)write;
  if (edit->is_left_out || !find_change(old, new_code(patch, edit), edit->length, &first, &last))
    return true;
  const unsigned char *new = new_code(patch, edit);
  uintptr_t place = (edit->address + first) / cn_machine_store_bytes * cn_machine_store_bytes;
  char *to = cn_code_alias_at(edit->image->alias, place);
  memcpy(word, to, cn_machine_store_bytes);
  memcpy(word + (edit->address + first - place), new + first, last - first + 1);
  cn_machine_store(to, word);
  return true;
}

/* ---- whole regions, in a stop ---- */

static bool write_region(const struct cn_write *write, struct cairn_patch *patch, struct cn_edit *edit)
{
  (void)write;
  if (!edit->is_left_out)
    memcpy(cn_code_alias_at(edit->image->alias, edit->address), new_code(patch, edit), edit->length);
  return true;
}

/* Note that the caller cannot stop the world. */
static void fail_refused(const struct cn_write *write, enum cn_native_stop_refusal refusal)
{
  static const char *const reasons[] = {
      [CN_NATIVE_STOP_WITHOUT_SAFEPOINTS] = "code without safepoints is loaded",
      [CN_NATIVE_STOP_AT_EXIT] = "the thread runs exit handlers at a safepoint",
      [CN_NATIVE_STOP_OWN] = "the thread has stopped the others, or works for a thread that has",
      [CN_NATIVE_STOP_HANDLER] = "the caller is a signal handler, which has interrupted managed code",
      [CN_NATIVE_STOP_LEAF] = "managed code has called the function as a leaf",
  };
  bool refused = refusal == CN_NATIVE_STOP_WITHOUT_SAFEPOINTS;

  cn_patch_fail(write->failure, refused ? CAIRN_E_REFUSED : CAIRN_E_BUSY, 0, "%s", reasons[refusal]);
}

static void fail_in_handler(const struct cn_write *write)
{
  cn_patch_fail(write->failure, CAIRN_E_BUSY, 0, "the caller is a signal handler");
}

static bool begin_stop(const struct cn_write *write)
{
  enum cn_native_stop_refusal refusal = write->is_stopped ? CN_NATIVE_STOP_ALLOWED : cn_native_stop_check();

  if (refusal != CN_NATIVE_STOP_ALLOWED)
    fail_refused(write, refusal);
  else if (write->is_stopped || cn_native_stop_begin())
    return true;
  else
    fail_in_handler(write); /* another thread forks */
  return false;
}

static void take_lock_again(void)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    CN_UNREACHABLE(); /* the thread took it before */
}

/* Prepare the other work, and take the lock. False: the lock is free, and a failure is noted. */
static bool prepare_work(const struct cn_write *write)
{
  for (;;) {
    if (write->prepare != NULL && !write->prepare(write))
      return false;
    take_lock_again();
    if (write->prepare == NULL || write->is_prepared(write))
      return true;
    cn_lock_release(CN_LOCK_PATCH);
  }
}

static void publish_edits(const void *env, struct cn_publication *publication)
{
  const struct cn_write *write = env;

  for (size_t k = 0; k < write->count; k++) {
    const struct cairn_patch *patch = write->batch(write->env, k);
    for (size_t i = 0; i < patch->edit_count && patch->place == k; i++)
      if (!patch->edits[i].is_left_out)
        cn_machine_publish_range(publication, patch->edits[i].address, patch->edits[i].length);
  }
}

/* The caller holds the lock, and synchronises the processors when it has released the lock. */
static void note_written(const struct cn_write *write)
{
  cn_machine_publish(publish_edits, write);
  if (write->done != NULL)
    write->done(write);
}

/* Between the first search for sites and the stop, an image may have gone, or its second mapping, and an assumption may
 * have got edits; then search again. */
static void write_all(const struct cn_write *write, uint64_t aliases)
{
  if (!prepare_work(write))
    return;
  bool found = (aliases == cn_code_alias_removals() && !write->leaves_out) || cn_write_find_sites(write);
  if (found) {
    visit_edits(write, write_region);
    note_written(write);
  }
  cn_stubs_reuse_freed();
  cn_lock_release(CN_LOCK_PATCH);
  if (found)
    cn_os_synchronise_code();
}

static void write_in_stop(const struct cn_write *write, uint64_t aliases)
{
  if (!begin_stop(write))
    return;
  write_all(write, aliases);
  if (write->end != NULL)
    write->end(write);
  if (!write->is_stopped)
    cn_native_stop_end();
}

/* ---- writes ---- */

static struct cairn_patch *only_batch(const void *env, size_t index)
{
  (void)index;
  return (struct cairn_patch *)(uintptr_t)env;
}

struct cn_write cn_write_of_batch(struct cairn_patch *patch)
{
  return (struct cn_write){.batch = only_batch, .env = patch, .count = 1, .failure = &patch->failure};
}

/* True if a stop has other work than the edits. Freed stubs are no reason for a stop that would be refused. */
static bool has_work(const struct cn_write *write, enum cn_native_stop_refusal refusal)
{
  return (write->has_work != NULL && write->has_work(write)) ||
         (refusal == CN_NATIVE_STOP_ALLOWED && cn_stubs_want_stop());
}

void cn_write_batches(const struct cn_write *write)
{
  enum cn_native_stop_refusal refusal = write->is_stopped ? CN_NATIVE_STOP_ALLOWED : cn_native_stop_check();

  cn_unseen_check_process();
  /* Even if no stop is needed: the result then does not depend on the places of operands. */
  if (refusal != CN_NATIVE_STOP_ALLOWED && refusal != CN_NATIVE_STOP_WITHOUT_SAFEPOINTS) {
    fail_refused(write, refusal);
    return;
  }
  if (!cn_lock_take(CN_LOCK_PATCH)) {
    fail_in_handler(write);
    return;
  }
  bool found = cn_write_find_sites(write);
  bool stops = found && (has_work(write, refusal) || !visit_edits(write, needs_no_stop));
  uint64_t aliases = cn_code_alias_removals();
  if (found && !stops) {
    visit_edits(write, store_word);
    note_written(write);
  }
  cn_lock_release(CN_LOCK_PATCH);
  if (stops)
    write_in_stop(write, aliases);
  else if (found)
    cn_os_synchronise_code();
}
