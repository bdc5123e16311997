/* SPDX-License-Identifier: Apache-2.0
 *
 * Collects the patches of a batch: checks new code against its point, and keeps it until the commit. A batch belongs to
 * one thread. Runs on any thread, in native code. Owns the last batch that was freed, with its memory, under
 * CN_LOCK_PATCH, which also guards the allocator: most batches then need no memory from the system.
 */
#include "patch/batch.h"

#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "patch/machine.h"
#include "patch/memory.h"
#include "runtime/core/defer.h"
#include "runtime/core/lock.h"
#include "runtime/os/os.h"

enum { MAX_SPARE_BYTES = 4 << 20 };
static struct cairn_patch *spare_batch;

/* ---- memory ---- */

/* Grow an array of `*room` bytes to at least `needed` bytes. False: memory is exhausted, and the array is unchanged. */
static bool grow_bytes(void **at, size_t *room, size_t needed)
{
  enum { MIN_ROOM_BYTES = 256 };
  size_t bytes = *room < MIN_ROOM_BYTES ? MIN_ROOM_BYTES : 2 * *room;

  if (!cn_lock_take(CN_LOCK_PATCH))
    return false;
  void *grown = cn_patch_allocate(bytes < needed ? needed : bytes);
  if (grown != NULL) {
    if (*room != 0)
      memcpy(grown, *at, *room);
    cn_patch_free(*at, *room);
    *at = grown;
    *room = bytes < needed ? needed : bytes;
  }
  cn_lock_release(CN_LOCK_PATCH);
  return grown != NULL;
}

static bool reserve(struct cairn_patch *patch, size_t bytes)
{
  size_t edit_bytes = (patch->edit_count + 1) * sizeof *patch->edits, byte_count = patch->byte_count + bytes;

  return (edit_bytes <= patch->edit_room || grow_bytes((void **)&patch->edits, &patch->edit_room, edit_bytes)) &&
         (byte_count <= patch->byte_room || grow_bytes((void **)&patch->bytes, &patch->byte_room, byte_count));
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

/* Keep the batch as the spare one, or free it. The caller holds CN_LOCK_PATCH. */
static void free_batch(struct cairn_patch *patch)
{
  if (spare_batch == NULL && patch->edit_room + patch->byte_room <= MAX_SPARE_BYTES) {
    patch->edit_count = patch->byte_count = 0;
    patch->failure = (struct cairn_patch_failure){0};
    spare_batch = patch;
    return;
  }
  cn_patch_free(patch->edits, patch->edit_room);
  cn_patch_free(patch->bytes, patch->byte_room);
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

enum cairn_status cn_batch_fail(struct cairn_patch *patch, enum cairn_status status, uintptr_t address,
                                const char *reason)
{
  struct cairn_patch_failure *failure = &patch->failure;

  if (failure->status != CAIRN_OK)
    return status;
  failure->status = status;
  failure->address = address;
  snprintf(failure->text, sizeof failure->text, "%s%s%s", cairn_status_text(status), reason != NULL ? ": " : "",
           reason != NULL ? reason : "");
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
    *status = cn_batch_fail(patch, CAIRN_E_UNKNOWN, point->address, "the point was not filled by a look-up");
  else if (point->length == 0)
    *status = cn_batch_fail(patch, CAIRN_E_ROOM, point->address, NULL);
  else if (!reserve(patch, point->length))
    *status = cn_batch_fail(patch, CAIRN_E_MEMORY, point->address, NULL);
  return *status == CAIRN_OK ? patch->bytes + patch->byte_count : NULL;
}

static enum cairn_status end_edit(struct cairn_patch *patch, const struct cairn_point *point, enum cairn_status status,
                                  bool restores)
{
  if (status != CAIRN_OK)
    return cn_batch_fail(patch, status, point->address, NULL);
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

static enum cairn_status check_code(const struct cairn_point *point, const void *bytes, size_t length)
{
  if (length != point->length)
    return CAIRN_E_LENGTH;
  if (point->kind == CAIRN_POINT_STATEPOINT && !cn_machine_fits_statepoint(bytes, length))
    return CAIRN_E_SHAPE;
  return CAIRN_OK;
}

enum cairn_status cairn_patch_add(struct cairn_patch *patch, const struct cairn_point *point, const void *bytes,
                                  size_t length)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  status = check_code(point, bytes, length);
  if (status == CAIRN_OK)
    memcpy(code, bytes, length);
  return end_edit(patch, point, status, false);
}

enum cairn_status cairn_patch_restore(struct cairn_patch *patch, const struct cairn_point *point)
{
  enum cairn_status status;

  if (begin_edit(patch, point, &status) == NULL)
    return status;
  return end_edit(patch, point, CAIRN_OK, true);
}

enum cairn_status cairn_patch_nops(struct cairn_patch *patch, const struct cairn_point *point)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  return end_edit(patch, point, cn_machine_fill_nops(code, point->length), false);
}

enum cairn_status cairn_patch_jump(struct cairn_patch *patch, const struct cairn_point *point, uintptr_t target)
{
  enum cairn_status status;
  unsigned char *code = begin_edit(patch, point, &status);

  if (code == NULL)
    return status;
  return end_edit(patch, point, cn_machine_fill_jump(code, point->length, point->address, target), false);
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
      return cn_batch_fail(patch, CAIRN_E_REFUSED, point->address,
                           "only a statepoint calls a managed function, which may collect");
    target += CAIRN_ABI_ENTRY_SIZE; /* managed code calls the body */
  }
  bool any_target = point->kind != CAIRN_POINT_SHADOW;
  return end_edit(patch, point, cn_machine_fill_call(code, point->length, point->address, target, any_target), false);
}

enum cairn_status cairn_patch_commit(struct cairn_patch *patch, struct cairn_patch_failure *failure)
{
  struct cairn_patch_failure outcome = {.status = CAIRN_E_MEMORY, .text = "memory is exhausted"};

  if (patch != NULL) {
    cn_defer_signals(); /* a handler that jumped out would leave other threads stopped */
    if (patch->failure.status == CAIRN_OK)
      cn_batch_write(patch);
    outcome = patch->failure;
    cairn_patch_abandon(patch);
    cn_undefer_signals();
  }
  if (failure != NULL)
    *failure = outcome;
  return outcome.status;
}
