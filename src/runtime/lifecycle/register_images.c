/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks, registers and removes images, for the constructors and destructors that the compiler emits. Owns
 * `program_ended`, an atomic flag; from the end of the program on, images stay registered.
 *
 * Runs on any thread, with signals held; image.c changes the list of images under CN_LOCK_IMAGES. An image is added in
 * phase MUTATE, and the heap and the fault handlers are prepared for it. An image is removed in a stop of the world,
 * outside collections. If code without safepoints or an exit handler at a safepoint makes a stop impossible, the image
 * is removed while other threads run.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "framemap/framemap.h"
#include "patch/images.h"
#include "patch/inline_cache.h"
#include "runtime/lifecycle/attach.h"
#include "runtime/core/defer.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"
#include "runtime/signals/signals.h"
#include "runtime/roots/roots.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/code_regions.h"
#include "runtime/walk/index.h"
#include "runtime/weak/finalisers.h"

static _Atomic bool program_ended; /* images stay registered */

/* ---- registration ---- */

_Static_assert(sizeof(struct cairn_image) == CAIRN_ABI_IMAGE_SIZE, "<cairn/abi.def>");

/* An object file from before version numbers has half an address in each of these fields. */
static bool has_other_version(const struct cairn_image *image, const char *name, char *fault, size_t size)
{
  char file[CN_REPORT_PC];

  if (image->version == CAIRN_ABI_IMAGE_VERSION && image->size == CAIRN_ABI_IMAGE_SIZE)
    return false;
  snprintf(fault, size,
           "%s registers an image of version %u and %u bytes, and this runtime has version %u "
           "of %u bytes: compile and link all parts of the program with one version of Cairn",
           cn_image_name(name, (uintptr_t)image, file), image->version, image->size, CAIRN_ABI_IMAGE_VERSION,
           CAIRN_ABI_IMAGE_SIZE);
  return true;
}

/* The fault of the sections' bounds: each section has both, in order. Null: the bounds are right. */
static const char *bounds_fault(const struct cairn_image *image)
{
  if ((image->frames_start == NULL) != (image->frames_stop == NULL) ||
      (image->roots_start == NULL) != (image->roots_stop == NULL) ||
      (image->layouts_start == NULL) != (image->layouts_stop == NULL) ||
      (image->details_start == NULL) != (image->details_stop == NULL) ||
      (image->points_start == NULL) != (image->points_stop == NULL) || image->frames_start > image->frames_stop ||
      image->roots_start > image->roots_stop || image->layouts_start > image->layouts_stop ||
      image->details_start > image->details_stop || image->points_start > image->points_stop)
    return "an image registers a section without both bounds";
  if (((uintptr_t)image->roots_stop - (uintptr_t)image->roots_start) % sizeof *image->roots_start)
    return "an image registers a damaged section of global roots";
  return NULL;
}

static bool is_form_wrong(const struct cairn_image *image, const char *name, char *fault, size_t size)
{
  if (has_other_version(image, name, fault, size))
    return true;
  const char *bounds = bounds_fault(image);
  if (bounds != NULL)
    snprintf(fault, size, "%s", bounds);
  return bounds != NULL;
}

enum cairn_status cairn_image_check(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                                    char *fault, size_t size)
{
  bool wrong = is_form_wrong(image, name, fault, size) || cn_image_has_other_words(image, first, name, fault, size) ||
               cn_layouts_are_wrong(image, name, fault, size) || cn_heap_image_misfits(image, name, fault, size) ||
               cn_shared_layouts_misfit(image, first, name, fault, size);

  return wrong ? CAIRN_E_REFUSED : CAIRN_OK;
}

/* Refuse new code in a code region: the program should have removed the region with its code. */
static void check_region_overlap(const struct cairn_image *image)
{
  const unsigned char *cursor = image->frames_start;
  struct cn_framemap_function function;
  struct cn_code_region region;

  while (cn_code_regions_exist() && cursor != NULL &&
         cn_framemap_next_function(CN_ARCH_FRAME_PORT, &cursor, image->frames_stop, &function) == CN_FRAMEMAP_OK)
    if (cn_code_regions_find_overlap(function.entry, function.entry + function.code_size, &region))
      cairn_fatal("compiled code at 0x%lx is loaded into the code region [0x%lx, 0x%lx)", (unsigned long)function.entry,
                  (unsigned long)region.start, (unsigned long)region.end);
}

static void prepare_for_image(const struct cairn_image *image)
{
  cn_layouts_check_image(image);
  cn_shared_layouts_enter(image);
  /* The program unmaps code that belongs to no file, maybe too early (fault.c). */
  if ((image->flags & CAIRN_ABI_IMAGE_STACK_POLLS) != 0 || !cn_os_is_loaded_from_file((uintptr_t)image))
    cn_fault_watch_signals();
  /* Loads the unwinder early. The handler of a fault under stress prints a backtrace, and a handler must not load
   * libraries; a thread that has stopped another thread during the loading of a library must not load libraries,
   * either. */
  if (cn_options.stress != 0 || (cn_options.verify & CN_VERIFY_FRAMES) != 0)
    cn_os_has_unwinder(true);
  check_region_overlap(image);
  cn_heap_check_image(image, image);
  cn_index_note_new_image();
  cn_patch_note_image(image);
}

/* Holds signals, because a handler that jumped out would leave the dynamic linker in the middle of its work. */
void cairn_image_register(const struct cairn_image *image)
{
  char fault[CN_IMAGE_FAULT_BYTES];

  cn_defer_signals();
  if (is_form_wrong(image, NULL, fault, sizeof fault))
    cairn_fatal("%s", fault);
  if (cn_image_add(image))
    prepare_for_image(image);
  cn_undefer_signals();
}

#ifndef CN_SHARED_RUNTIME
#pragma GCC visibility push(default)
void cairn_code_that_needs_libcairn_a_or_fpic(void);
#pragma GCC visibility pop

/* CN_STATIC_RUNTIME of base/kind_symbols.h: the constructor that code lists if libcairn.so does not suit it. */
void cairn_code_that_needs_libcairn_a_or_fpic(void)
{
}
#endif

/* ---- removal ---- */

/* Layouts stay known while another image has them, too. */
static void forget_image(const struct cairn_image *image)
{
  cn_noted_stores_forget_all();
  if (cn_image_shares_layouts(image))
    return;
  cn_finalisers_forget_image(image);
  if (cn_heap_may_have_layouts_of(image))
    cn_heap_forget_layouts_of(image);
}

/* Stop the world; false if code without safepoints, or an exit handler at a safepoint, makes a stop impossible. */
static bool stop_world(uintptr_t pc)
{
  switch (cn_native_stop_check()) {
  case CN_NATIVE_STOP_WITHOUT_SAFEPOINTS:
  case CN_NATIVE_STOP_AT_EXIT:
    return false;
  case CN_NATIVE_STOP_OWN:
    cn_stop_refuse_thread(pc);
  case CN_NATIVE_STOP_HANDLER:
    cn_report_fatal(pc, "a signal handler that interrupted managed code unloads a shared object");
  case CN_NATIVE_STOP_LEAF:
    cn_report_fatal(pc, "dlclose() was called as a leaf function, without an anchor");
  case CN_NATIVE_STOP_ALLOWED:
    break;
  }
  if (!cn_native_stop_begin())
    cn_report_fatal(pc, "a signal handler unloads a shared object while another thread forks");
  return true;
}

/* Called at the program's end, as the executable's last destructor, before the destructors of shared objects. From now
 * on all images stay registered: they stay mapped, and other threads may still run their code. */
#ifndef CN_SHARED_RUNTIME
__attribute__((destructor(101)))
#endif
static void note_program_end(void)
{
  atomic_store(&program_ended, true);
}

#ifdef CN_SHARED_RUNTIME
/* glibc's functions; the address identifies this shared object */
extern int __cxa_thread_atexit_impl(void (*destructor)(void *object), void *object, void *library);
extern char __dso_handle __attribute__((visibility("hidden")));

static _Atomic bool end_is_watched;

/* The destructors of a shared object run after those of the images that need it, so an exit handler notes the end.
 * Exit handlers that run later, because they were registered earlier, must not unload images. */
static void watch_program_end(void *object)
{
  CN_ASSERT(object == NULL);
  (void)object;
  if (!atomic_exchange(&end_is_watched, true) && atexit(note_program_end) != 0)
    cairn_fatal("no memory to notice the end of the program");
}

/* exit() first calls the thread's destructors. An exit handler of a constructor could be too early: if the program is
 * linked with the runtime, the C library then runs all destructors before it. */
void cn_images_watch_exit_of_thread(void)
{
  if (__cxa_thread_atexit_impl(watch_program_end, NULL, &__dso_handle) != 0)
    cairn_fatal("no memory to notice the end of the program");
}
#endif

/* Ends the program if the collecting thread calls this function, in an exit handler after memory is exhausted: the
 * removal would unmap data that the collection reads. */
static void unregister_images(const struct cairn_image *const *images, size_t count, uintptr_t pc)
{
  if (atomic_load(&program_ended))
    return;
  if (cn_image_is_reading() && cairn_mutator.busy)
    cairn_fatal("an image is unloaded by the thread that collects");
  cn_defer_signals();
  CN_GROW(uint64_t) removed = {0};
  bool stopped = stop_world(pc);
  for (size_t i = 0; i < count; i++) {
    uint64_t id;
    cn_patch_forget_image(images[i]);
    cn_inline_caches_forget_image(images[i], stopped);
    if (cn_image_remove(images[i], stopped ? forget_image : NULL, &id))
      cn_grow_push(&removed, id);
    cn_known_places_forget_image(images[i]);
  }
  if (stopped)
    cn_native_stop_end();
  for (size_t i = 0; i < removed.count; i++)
    cn_index_forget_image(removed.at[i]);
  cn_grow_free_array(&removed);
  cn_undefer_signals();
}

void cairn_image_unregister(const struct cairn_image *image)
{
  unregister_images(&image, 1, (uintptr_t)__builtin_return_address(0));
}

void cairn_image_unregister_all(const struct cairn_image *const *images, size_t count)
{
  if (count != 0)
    unregister_images(images, count, (uintptr_t)__builtin_return_address(0));
}
