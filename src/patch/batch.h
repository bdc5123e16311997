/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches of patches. batch.c collects edits, and commit.c writes them.
 */
#ifndef CN_PATCH_BATCH_H
#define CN_PATCH_BATCH_H

#include <cairn/patch.h>
#include "patch/images.h"

/* A new content for a region. */
struct cn_edit {
  struct cn_patch_image *image; /* readable under CN_LOCK_PATCH; compare `image_id` first */
  uint64_t image_id;
  const struct cn_patch_function *function;
  uintptr_t address;
  uint32_t index, length; /* of the point in its function; of the region */
  size_t bytes;           /* index of the new code in the batch's bytes, or CN_EDIT_RESTORES */
};
#define CN_EDIT_RESTORES SIZE_MAX

struct cairn_patch {
  struct cn_edit *edits;
  size_t edit_count, edit_room;
  unsigned char *bytes;
  size_t byte_count, byte_room;
  struct cairn_patch_failure failure; /* the first */
};

/* Note a failure, unless the batch has failed before. `reason` follows the status's text; it may be null. Returns
 * `status`. */
enum cairn_status cn_batch_fail(struct cairn_patch *patch, enum cairn_status status, uintptr_t address,
                                const char *reason);

/* Write all edits, or note the failure. */
void cn_batch_write(struct cairn_patch *patch);

#endif
