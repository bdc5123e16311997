/* SPDX-License-Identifier: Apache-2.0
 *
 * Batches of patches. batch.c collects edits, and commit.c writes those of one batch, or of several.
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
  bool is_left_out;       /* of the write under way */
};
#define CN_EDIT_RESTORES SIZE_MAX

struct cairn_patch {
  struct cn_edit *edits;
  size_t edit_count, edit_room; /* the room is in bytes */
  unsigned char *bytes;
  size_t byte_count, byte_room;
  struct cairn_patch_failure failure; /* the first */
  size_t place;                       /* the first index of the batch in the write under way */
};

/* Note a failure, unless one was noted before. `format` and the values after it give the reason; if it is null, the
 * reason is the status's text. Returns `status`. */
__attribute__((format(printf, 4, 5))) enum cairn_status cn_patch_fail(struct cairn_patch_failure *failure,
                                                                      enum cairn_status status, uintptr_t address,
                                                                      const char *format, ...);

/* Copy the failure to `*failure`, unless it is null, free the batch, which may be null, and return the status. */
enum cairn_status cn_batch_finish(struct cairn_patch *patch, struct cairn_patch_failure *failure);

/* Append the edits of `from` to `to`, for which edits of code that is gone leave `to`. The number of bytes that are
 * moved and copied is in proportion to all that were appended. False: memory is exhausted, and `to` has lost at most
 * edits of code that is gone. The caller holds CN_LOCK_PATCH. */
bool cn_batch_append(struct cairn_patch *to, const struct cairn_patch *from);

/* Free the memory of all edits. The caller holds CN_LOCK_PATCH. */
void cn_batch_clear(struct cairn_patch *patch);

/* Batches that are written together. */
struct cn_write {
  struct cairn_patch *(*batch)(const void *env, size_t index);
  const void *env;
  size_t count;
  bool leaves_out; /* edits of code that is gone, and all but the first of a point; else they are failures */
  bool is_stopped; /* the caller has stopped the world */
  /* Called under CN_LOCK_PATCH before the search for sites, and when the code is written; may be null. A false from
   * `begin` ends the write. */
  bool (*begin)(const struct cn_write *write);
  void (*done)(const struct cn_write *write);
  /* Other work in the stop; all four are null or set. `has_work`, called under CN_LOCK_PATCH, makes the write stop the
   * world; `prepare`, called in the stop without a lock, may fail the write; `is_prepared`, called under CN_LOCK_PATCH,
   * is false if `prepare` has to be repeated. `end` is called at the end of the stop. */
  bool (*has_work)(const struct cn_write *write);
  bool (*prepare)(const struct cn_write *write);
  bool (*is_prepared)(const struct cn_write *write);
  void (*end)(const struct cn_write *write);
  struct cairn_patch_failure *failure;
};

/* Find the sites of all edits, and second mappings of their code. False: a failure was noted. The caller holds
 * CN_LOCK_PATCH. */
bool cn_write_find_sites(const struct cn_write *write);

/* Write all edits, or note the failure. */
void cn_write_batches(const struct cn_write *write);

/* The write of one batch, which fails if an edit cannot be made. */
struct cn_write cn_write_of_batch(struct cairn_patch *patch);

#endif
