/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers code of the program's own loaders (<cairn/code.h>): checks its sections, then gives the image to the
 * runtime, the call-frame information to the platform's unwinder, and the names to backtraces and tools. Owns the
 * memory of registrations, under `registration_lock`, which also keeps two loaders from registering the same code. Runs
 * on any thread in phase MUTATE, with signals held; a withdrawal stops the program.
 */
#include <pthread.h>
#include <stdio.h>
#include <cairn/code.h>
#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/lifecycle/attach.h"
#include "runtime/os/os.h"
#include "runtime/tables/blocks.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"

/* The address of the image identifies it. */
struct cairn_registered_code {
  struct cairn_image image;
  const void *eh_frame;
  struct cairn_named_code *named;
};

static pthread_mutex_t registration_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cn_blocks registrations;

static void reset_lock_in_child(void)
{
  pthread_mutex_init(&registration_lock, NULL);
}

static void take_lock(void)
{
  static bool prepared;

  cn_defer_signals();
  pthread_mutex_lock(&registration_lock);
  if (!prepared)
    cn_os_register_child_handler(reset_lock_in_child);
  prepared = true;
}

static void release_lock(void)
{
  pthread_mutex_unlock(&registration_lock);
  cn_undefer_signals();
}

/* ---- registration ---- */

static bool is_code_taken(const struct cairn_code *code)
{
  uintptr_t stubs_end, stubs_start = cn_arch_stubs_range(&stubs_end);
  struct cn_code_region region;

  return (code->start < stubs_end && code->end > stubs_start) ||
         cn_code_regions_find_overlap(code->start, code->end, &region) || cn_index_has_code_in(code->start, code->end);
}

static enum cairn_status check(const struct cairn_code *code, char *fault, size_t size)
{
  const struct cn_code_check check = {code, fault, size};
  enum cairn_status status = cairn_image_check(&code->image, NULL, code->name, fault, size);

  if (status)
    return status;
  CN_ASSERT(code->start < code->end && code->image.frames_start <= code->image.frames_stop);
  if (!cn_code_check_sections(&check) || !cn_code_check_unwind(&check))
    return CAIRN_E_REFUSED;
  if (!cn_image_overlaps(&code->image) && !is_code_taken(code))
    return CAIRN_OK;
  snprintf(fault, size, "%s: a part of the code, or of its sections, is registered", code->name);
  return CAIRN_E_OVERLAP;
}

/* Register what may fail first, so that a failure leaves nothing behind. */
static enum cairn_status add(const struct cairn_code *code, struct cairn_registered_code *made, char *fault,
                             size_t size)
{
  enum cairn_status status = CAIRN_OK;

  *made = (struct cairn_registered_code){.image = code->image, .eh_frame = code->eh_frame};
  if (code->names.count != 0 || code->names.debug_file != NULL)
    status = cairn_code_name(&code->names, &made->named);
  if (status)
    return status;
  if (code->eh_frame != NULL && !cn_os_register_frames(code->eh_frame)) {
    snprintf(fault, size, "%s: the program has no unwinder that takes call-frame information", code->name);
    cairn_code_unname(made->named);
    return CAIRN_E_REFUSED;
  }
  cairn_image_register(&made->image);
  return CAIRN_OK;
}

static enum cairn_status check_and_add(const struct cairn_code *code, struct cairn_registered_code **registered,
                                       char *fault, size_t size)
{
  enum cairn_status status = check(code, fault, size);
  struct cairn_registered_code *made = status ? NULL : cn_blocks_take(&registrations, sizeof *made);

  CN_ASSERT(*registered == NULL);
  if (status || made == NULL)
    return status ? status : CAIRN_E_MEMORY;
  status = add(code, made, fault, size);
  if (status)
    cn_blocks_give(&registrations, made, sizeof *made);
  else
    *registered = made;
  return status;
}

enum cairn_status cairn_code_register(const struct cairn_code *code, struct cairn_registered_code **registered,
                                      char *fault, size_t size)
{
  *registered = NULL;
  if (size != 0)
    *fault = 0;
  if (code->start >= code->end) {
    snprintf(fault, size, "%s: the code is empty", code->name);
    return CAIRN_E_BOUNDS;
  }
  take_lock();
  enum cairn_status status = check_and_add(code, registered, fault, size);
  release_lock();
  return status;
}

/* ---- withdrawal ---- */

enum cairn_status cairn_code_withdraw(struct cairn_registered_code *registered)
{
  CN_CHECK(registered != NULL);
  struct cairn_image_use use = {.image = &registered->image};
  enum cairn_status status = cairn_image_count_uses(&use, 1);

  if (status)
    return status;
  if (use.frames != 0 || use.objects != 0)
    return CAIRN_E_BUSY;
  CN_ASSERT(use.image == &registered->image);
  cairn_image_unregister(&registered->image);
  if (registered->eh_frame != NULL)
    cn_os_withdraw_frames(registered->eh_frame);
  cairn_code_unname(registered->named);
  take_lock();
  cn_blocks_give(&registrations, registered, sizeof *registered);
  release_lock();
  return CAIRN_OK;
}
