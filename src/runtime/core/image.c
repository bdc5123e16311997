/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of images, and which addresses are layouts.
 */
#include "runtime/core/image.h"

#include <stdatomic.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "framemap/framemap.h"
#include "runtime/core/grow.h"
#include "runtime/core/hold.h"
#include "runtime/core/lock.h"
#include "runtime/core/upcalls.h"

/* The copy is used: a damaged or unmapped original cannot hurt. `key` tells them apart. */
static CN_GROW(struct registered {
  const struct cairn_image *key;
  struct cairn_image image;
  uint64_t id;
}) images;
static _Atomic uint64_t generation;
static uint64_t flags;

bool cn_image_hold(void)
{
  return cn_lock_take(CN_LOCK_IMAGES);
}

void cn_image_release(void)
{
  cn_lock_release(CN_LOCK_IMAGES);
}

size_t cn_image_count(void)
{
  return images.count;
}

const struct cairn_image *cn_image_at(size_t index)
{
  CN_ASSERT(index < images.count);
  return &images.at[index].image;
}

uint64_t cn_image_id(size_t index)
{
  CN_ASSERT(index < images.count);
  return images.at[index].id;
}

uint64_t cn_image_generation(void)
{
  return generation;
}

uint64_t cn_image_flags(void)
{
  return flags;
}

static size_t find(const struct cairn_image *image)
{
  size_t i = 0;

  while (i < images.count && images.at[i].key != image)
    i++;
  return i;
}

const char *cn_images_wrong(void)
{
  uint64_t all = 0;

  for (size_t i = 0; i < images.count; i++) {
    if (find(images.at[i].key) != i)
      return "images: one is registered twice";
    if (images.at[i].id >= generation || (i > 0 && images.at[i].id <= images.at[i - 1].id))
      return "images: the ids do not go up to the generation";
    all |= images.at[i].image.flags;
  }
  return (all & ~flags) == 0 ? NULL : "images: the flags of one are missing";
}

/* A section has both bounds, in order. */
static void check_bounds(const struct cairn_image *image)
{
  if ((image->frames_start == NULL) != (image->frames_stop == NULL) ||
      (image->roots_start == NULL) != (image->roots_stop == NULL) ||
      (image->layouts_start == NULL) != (image->layouts_stop == NULL) ||
      (image->details_start == NULL) != (image->details_stop == NULL) ||
      image->frames_start > image->frames_stop || image->roots_start > image->roots_stop ||
      image->layouts_start > image->layouts_stop || image->details_start > image->details_stop)
    cairn_fatal("an image registers a section without both bounds");
  if (((uintptr_t)image->roots_stop - (uintptr_t)image->roots_start) % sizeof *image->roots_start)
    cairn_fatal("an image registers a damaged section of global roots");
}

static void add(const struct cairn_image *image)
{
  CN_ASSERT_VALID(cn_images_wrong());
  check_bounds(image);
  if (images.room == 0)
    cn_locks_prepare();
  CN_CHECK(cn_image_hold());
  cn_grow_push(&images, (struct registered){image, *image, generation});
  flags |= image->flags;
  generation++;
  CN_ASSERT_VALID(cn_images_wrong());
  cn_image_release();
  cn_upcall_image(image);
}

/* Hold signals, so that no handler leaves this half done by a jump: the dynamic linker does not
 * begin again. */
void cairn_image_register(const struct cairn_image *image)
{
  cn_hold_signals();
  if (find(image) == images.count)
    add(image);
  cn_hold_let_signals();
}

/* Keep the flags: what an image without safepoints left on the stack or in the heap may still be
 * there. */
static void delete(size_t i)
{
  CN_CHECK(i < images.count);
  cn_upcall_image_leaves(&images.at[i].image);
  CN_CHECK(cn_image_hold());
  images.count--;
  memmove(&images.at[i], &images.at[i + 1], (images.count - i) * sizeof *images.at);
  generation++;
  CN_ASSERT_VALID(cn_images_wrong());
  cn_image_release();
}

void cairn_image_unregister(const struct cairn_image *image)
{
  cn_hold_signals();
  size_t i = find(image);
  if (i != images.count)
    delete(i);
  cn_hold_let_signals();
}

bool cn_image_has_frames(void)
{
  for (size_t i = 0; i < images.count; i++)
    if (images.at[i].image.frames_start != images.at[i].image.frames_stop)
      return true;
  return false;
}

/* Frame maps that cannot be read may describe this code. */
static bool has_code(const struct cairn_image *image, uintptr_t start, uintptr_t end)
{
  const unsigned char *cursor = image->frames_start;
  struct cn_framemap_function function;
  int status = CN_FRAMEMAP_NONE;

  while (cursor != NULL && (status = cn_framemap_next_function(&cursor, image->frames_stop,
                                                               &function)) == CN_FRAMEMAP_OK)
    if (start < function.entry + function.code_size && end > function.entry)
      return true;
  return status == CN_FRAMEMAP_BAD;
}

bool cn_image_has_code(uintptr_t start, uintptr_t end)
{
  bool held = cn_image_hold(), found = false;

  CN_ASSERT(start <= end);
  for (size_t i = 0; i < images.count && !found; i++)
    found = has_code(&images.at[i].image, start, end);
  if (held)
    cn_image_release();
  return found;
}

bool cairn_layout_is_known(const struct cairn_layout *layout)
{
  uintptr_t address = (uintptr_t)layout;

  for (size_t i = 0; i < images.count; i++) {
    uintptr_t start = (uintptr_t)images.at[i].image.layouts_start;
    size_t bytes = (uintptr_t)images.at[i].image.layouts_stop - start;
    if (address - start < bytes)
      return bytes - (address - start) >= sizeof *layout &&
             address % _Alignof(struct cairn_layout) == 0 &&
             layout->magic == CAIRN_ABI_LAYOUT_MAGIC;
  }
  return cn_upcall_owns_layout(layout);
}
