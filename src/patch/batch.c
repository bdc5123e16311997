/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the patches of a batch: checks new code against its point, and keeps it until the commit. A batch belongs to
 * one thread. Runs on any thread, in native code. Owns the last batch that was freed, with its memory, under
 * CN_LOCK_PATCH, which also guards the allocator: most batches then need no memory from the system.
 */
#include "patch/batch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "patch/machine.h"
#include "patch/memory.h"
#include "patch/stub.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"

enum { MAX_SPARE_BYTES = 4 << 20 };
static struct cairn_patch *spare_batch;

/* ---- memory ---- */

/* Grow an array of `*room` bytes to at least `needed` bytes. False: memory is exhausted, and the array is unchanged.
 * The caller holds CN_LOCK_PATCH. */
static bool grow_bytes(void **at, size_t *room, size_t needed)
{
  enum { MIN_ROOM_BYTES = 256 };
  size_t bytes = *room < MIN_ROOM_BYTES ? MIN_ROOM_BYTES : 2 * *room;

  if (needed <= *room)
    return true;
  void *grown = cn_patch_allocate(bytes < needed ? needed : bytes);
  if (grown == NULL)
    return false;
  if (*room != 0)
    memcpy(grown, *at, *room);
  cn_patch_free(*at, *room);
  *at = grown;
  *room = bytes < needed ? needed : bytes;
  return true;
}

static bool grow(struct cairn_patch *patch, size_t edit_count, size_t byte_count)
{
  return grow_bytes((void **)&patch->edits, &patch->edit_room, edit_count * sizeof *patch->edits) &&
         grow_bytes((void **)&patch->bytes, &patch->byte_room, byte_count);
}

static bool has_room(const struct cairn_patch *patch, size_t edit_count, size_t byte_count)
{
  return edit_count * sizeof *patch->edits <= patch->edit_room && byte_count <= patch->byte_room;
}

/* Make room for one edit with `bytes` bytes. */
static bool reserve(struct cairn_patch *patch, size_t bytes)
{
  size_t edit_count = patch->edit_count + 1, byte_count = patch->byte_count + bytes;

  if (has_room(patch, edit_count, byte_count))
    return true;
  if (!cn_lock_take(CN_LOCK_PATCH))
    return false;
  bool grown = grow(patch, edit_count, byte_count);
  cn_lock_release(CN_LOCK_PATCH);
  return grown;
}

struct cairn_patch *cairn_patch_begin(void)
{
  if (!cn_lock_take(CN_LOCK_PATCH))
    return NULL;
  struct cairn_patch *patch = spare_batch;
  spare_batch = NULL;
  if (patch == NULL)
    patch = cn_patch_allocate(sizeof *patch);
  cn_lock_release(CN_LOCK_PATCH);
  return patch;
}

void cn_batch_clear(struct cairn_patch *patch)
{
  cn_patch_free(patch->edits, patch->edit_room);
  cn_patch_free(patch->bytes, patch->byte_room);
  *patch = (struct cairn_patch){0};
}

/* Keep the batch as the spare one, or free it. The caller holds CN_LOCK_PATCH. */
static void free_batch(struct cairn_patch *patch)
{
  if (spare_batch == NULL && patch->edit_room + patch->byte_room <= MAX_SPARE_BYTES) {
    patch->edit_count = patch->byte_count = 0;
    patch->failure = (struct cairn_patch_failure){0};
    spare_batch = patch;
    return;
  }
  cn_batch_clear(patch);
  cn_patch_free(patch, sizeof *patch);
}

void cairn_patch_abandon(struct cairn_patch *patch)
{
  if (patch == NULL || !cn_lock_take(CN_LOCK_PATCH))
    return;
  free_batch(patch);
  cn_lock_release(CN_LOCK_PATCH);
}

/* ---- failures ---- */

enum cairn_status cn_patch_fail(struct cairn_patch_failure *failure, enum cairn_status status, uintptr_t address,
                                const char *format, ...)
{
  va_list values;

  if (failure->status != CAIRN_OK)
    return status;
  failure->status = status;
  failure->address = address;
  va_start(values, format);
  if (format != NULL)
    vsnprintf(failure->text, sizeof failure->text, format, values);
  else
    snprintf(failure->text, sizeof failure->text, "%s", cairn_status_text(status));
  va_end(values);
  return status;
}

/* ---- edits ---- */

/* Make room for the new code of a point, at the end of the batch's bytes. Null: the batch has failed. */
static unsigned char *begin_edit(struct cairn_patch *patch, const struct cairn_point *point, enum cairn_status *status)
{
  *status = CAIRN_OK;
  if (patch == NULL)
    *status = CAIRN_E_MEMORY;
  else if (point->private_data.image == NULL)
    *status = cn_patch_fail(&patch->failure, CAIRN_E_UNKNOWN, point->address, "the point was not filled by a look-up");
  else if (point->length == 0)
    *status = cn_patch_fail(&patch->failure, CAIRN_E_ROOM, point->address, "the region of the point is empty");
  else if (!reserve(patch, point->length))
    *status = cn_patch_fail(&patch->failure, CAIRN_E_MEMORY, point->address, NULL);
  return *status == CAIRN_OK ? patch->bytes + patch->byte_count : NULL;
}

static enum cairn_status end_edit(struct cairn_patch *patch, const struct cairn_point *point, bool restores)
{
  patch->edits[patch->edit_count++] = (struct cn_edit){.image = point->private_data.image,
                                                       .image_id = point->private_data.image_id,
                                                       .function = point->private_data.function,
                                                       .address = point->address,
                                                       .index = point->private_data.index,
                                                       .length = point->length,
                                                       .bytes = restores ? CN_EDIT_RESTORES : patch->byte_count};
  if (!restores)
    patch->byte_count += point->length;
  return CAIRN_OK;
}

enum cairn_status cairn_patch_add(struct cairn_patch *patch, const struct cairn_point *point, const void *bytes,
                                  size_t length)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  if (length != point->length)
    return cn_patch_fail(&patch->failure, CAIRN_E_LENGTH, point->address,
                         "the new code has %zu bytes, and the region has %zu", length, (size_t)point->length);
  if (point->kind == CAIRN_POINT_STATEPOINT && !cn_machine_fits_statepoint(bytes, length))
    return cn_patch_fail(&patch->failure, CAIRN_E_SHAPE, point->address, NULL);
  memcpy(code, bytes, length);
  return end_edit(patch, point, false);
}

enum cairn_status cairn_patch_restore(struct cairn_patch *patch, const struct cairn_point *point)
{
  enum cairn_status status;

  if (begin_edit(patch, point, &status) == NULL)
    return status;
  return end_edit(patch, point, true);
}

enum cairn_status cairn_patch_nops(struct cairn_patch *patch, const struct cairn_point *point)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  status = cn_machine_fill_nops(code, point->length);
  if (status != CAIRN_OK)
    return cn_patch_fail(&patch->failure, status, point->address, "no nops fill a region of %zu bytes",
                         (size_t)point->length);
  return end_edit(patch, point, false);
}

/* Note that a branch does not fit into a region, and that a target out of reach got no island. */
static enum cairn_status fail_branch(struct cairn_patch *patch, const struct cairn_point *point,
                                     enum cairn_status status, const char *branch, uintptr_t target)
{
  size_t length = point->length;
  long distance = (long)(target - (point->address + length));

  if (status != CAIRN_E_FAR)
    return cn_patch_fail(&patch->failure, status, point->address, "a %s needs %zu bytes, and the region has %zu",
                         branch, cn_machine_branch_bytes, length);
  return cn_patch_fail(&patch->failure, status, point->address,
                       "the target is %ld bytes away, a %s reaches %s, and the region's neighbourhood has no room for "
                       "an island",
                       distance, branch, cn_machine_reach_text);
}

enum cairn_status cairn_patch_jump(struct cairn_patch *patch, const struct cairn_point *point, uintptr_t target)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  status = cn_machine_fill_jump(code, point->length, point->address, target);
  uintptr_t island = status == CAIRN_E_FAR ? cn_island_near(point->address, target) : 0;
  if (island != 0)
    status = cn_machine_fill_jump(code, point->length, point->address, island);
  if (status != CAIRN_OK)
    return fail_branch(patch, point, status, "jump", target);
  return end_edit(patch, point, false);
}

/* True for the address of a managed function, which follows a mark. The mark lies in the same 16 bytes as the first
 * byte of the function, so it is readable for any target of this alignment. */
static bool is_managed(uintptr_t target)
{
  uint64_t mark;

  if (target % 16 != sizeof mark)
    return false;
  memcpy(&mark, (const void *)(target - sizeof mark), sizeof mark);
  return mark == CAIRN_ABI_MANAGED_MARK;
}

enum cairn_status cairn_patch_call(struct cairn_patch *patch, const struct cairn_point *point, uintptr_t target)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  if (is_managed(target)) {
    if (point->kind != CAIRN_POINT_STATEPOINT)
      return cn_patch_fail(&patch->failure, CAIRN_E_REFUSED, point->address,
                           "only a statepoint calls a managed function, which may collect");
    target += CAIRN_ABI_ENTRY_SIZE; /* managed code calls the body */
  }
  bool any_target = point->kind != CAIRN_POINT_SHADOW || cn_machine_shadow_has_scratch;
  status = cn_machine_fill_call(code, point->length, point->address, target, any_target);
  uintptr_t island = status == CAIRN_E_FAR ? cn_island_near(point->address, target) : 0;
  if (island != 0)
    status = cn_machine_fill_call(code, point->length, point->address, island, false);
  if (status != CAIRN_OK)
    return fail_branch(patch, point, status, "call", target);
  return end_edit(patch, point, false);
}

/* ---- ends of batches ---- */

/* Remove the edits of code that is gone; new code moves towards the front, in order. */
static void drop_gone(struct cairn_patch *patch)
{
  size_t kept = 0, kept_bytes = 0;

  for (size_t i = 0; i < patch->edit_count; i++) {
    struct cn_edit edit = patch->edits[i];
    if (edit.image->id != edit.image_id)
      continue;
    if (edit.bytes != CN_EDIT_RESTORES) {
      memmove(patch->bytes + kept_bytes, patch->bytes + edit.bytes, edit.length);
      edit.bytes = kept_bytes;
      kept_bytes += edit.length;
    }
    patch->edits[kept++] = edit;
  }
  CN_ASSERT(kept <= patch->edit_count && kept_bytes <= patch->byte_count);
  patch->edit_count = kept;
  patch->byte_count = kept_bytes;
}

/* After a search for edits of code that is gone at least half of the room is unused. */
bool cn_batch_append(struct cairn_patch *to, const struct cairn_patch *from)
{
  if (!has_room(to, to->edit_count + from->edit_count, to->byte_count + from->byte_count)) {
    drop_gone(to);
    if (!grow(to, 2 * (to->edit_count + from->edit_count), 2 * (to->byte_count + from->byte_count)))
      return false;
  }
  for (size_t i = 0; i < from->edit_count; i++) {
    struct cn_edit *edit = &to->edits[to->edit_count++];
    *edit = from->edits[i];
    if (edit->bytes != CN_EDIT_RESTORES)
      edit->bytes += to->byte_count;
  }
  if (from->byte_count != 0)
    memcpy(to->bytes + to->byte_count, from->bytes, from->byte_count);
  to->byte_count += from->byte_count;
  CN_ASSERT(has_room(to, to->edit_count, to->byte_count));
  return true;
}

enum cairn_status cn_batch_finish(struct cairn_patch *patch, struct cairn_patch_failure *failure)
{
  struct cairn_patch_failure outcome = {0};

  if (patch != NULL)
    outcome = patch->failure;
  else
    cn_patch_fail(&outcome, CAIRN_E_MEMORY, 0, "there is no batch: memory was exhausted when it began");
  cairn_patch_abandon(patch);
  if (failure != NULL)
    *failure = outcome;
  return outcome.status;
}

enum cairn_status cairn_patch_commit(struct cairn_patch *patch, struct cairn_patch_failure *failure)
{
  cn_defer_signals(); /* a handler that jumped out would leave other threads stopped */
  if (patch != NULL && patch->failure.status == CAIRN_OK) {
    struct cn_write write = cn_write_of_batch(patch);
    cn_write_batches(&write);
  }
  enum cairn_status status = cn_batch_finish(patch, failure);
  cn_undefer_signals();
  return status;
}
