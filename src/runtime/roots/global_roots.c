/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerates the roots of images, and clears the thread-local roots of a thread that ends. In every thread, a
 * thread-local variable with references and the mutator have constant distances from the thread pointer
 * (docs/threads.md). The variable's address on the calling thread therefore gives its address in each thread. Owns the
 * position of the enumeration. Enumerations run in phase STOP, on one thread at a time; the ending thread clears its
 * roots outside of stops, under the lock of stops.
 */
#include "runtime/roots/roots.h"

#include "base/check.h"
#include "runtime/core/image.h"

/* The distance from a thread's mutator to the thread-local variable, equal in all threads. */
static uintptr_t distance_from_mutator(const struct cairn_global_root *root)
{
  CN_CHECK(cn_image_root_is_thread_local(root));
  return cn_image_root_address(root) - (uintptr_t)&cairn_mutator;
}

static struct {
  uint64_t image; /* the least id of the images that are left */
  size_t root;
  struct cairn_mutator *thread; /* null: the first thread */
  uint32_t reference;           /* index in the root's layout */
} enumeration_position;

static bool add_layout_slots(uintptr_t address, const struct cairn_layout *layout, struct cn_root_slots *slots,
                             size_t most)
{
  CN_ASSERT(layout->base_refs * sizeof(uintptr_t) <= layout->base_size);
  for (; enumeration_position.reference < layout->base_refs; enumeration_position.reference++) {
    if (slots->count == most)
      return false;
    slots->at[slots->count++] = (uintptr_t *)(address + layout->offsets[enumeration_position.reference]);
  }
  enumeration_position.reference = 0;
  return true;
}

static bool add_global_root(const struct cairn_global_root *root, struct cn_root_slots *slots, size_t most)
{
  if (cn_image_shared_layout(root) != NULL)
    return true;
  if (!cairn_layout_is_known(root->layout) || root->layout->elem_size != 0)
    cairn_fatal("the layout of the global at %p is damaged", root->address);
  if (root->address == NULL) /* an undefined weak global */
    return true;
  if (!cn_image_root_is_thread_local(root))
    return add_layout_slots((uintptr_t)root->address, root->layout, slots, most);
  uintptr_t from = distance_from_mutator(root);
  if (enumeration_position.thread == NULL)
    enumeration_position.thread = cairn_mutator_next(NULL);
  for (; enumeration_position.thread != NULL;
       enumeration_position.thread = cairn_mutator_next(enumeration_position.thread))
    if (!add_layout_slots((uintptr_t)enumeration_position.thread + from, root->layout, slots, most))
      return false;
  return true;
}

static bool add_image_roots(const struct cairn_image *image, struct cn_root_slots *slots, size_t most)
{
  size_t count = (size_t)(image->roots_stop - image->roots_start);

  for (; enumeration_position.root < count; enumeration_position.root++)
    if (!add_global_root(&image->roots_start[enumeration_position.root], slots, most))
      return false;
  enumeration_position.root = 0;
  return true;
}

void cn_global_roots_begin(void)
{
  enumeration_position.image = enumeration_position.root = 0;
  enumeration_position.thread = NULL;
  enumeration_position.reference = 0;
}

/* Other threads may add images with greater ids during the enumeration, and remove no image. */
bool cn_global_roots_fetch_next(struct cn_root_slots *slots, size_t most)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  CN_CHECK(slots->count == 0);
  cn_root_slots_reserve(slots, most);
  for (const struct cn_registered_image *image;
       (image = cn_image_with_roots_from(list, enumeration_position.image)) != NULL &&
       add_image_roots(&image->image, slots, most);)
    enumeration_position.image = image->id + 1;
  cn_image_end_reading(entered);
  return slots->count != 0;
}

static void clear_thread_local_root(const struct cairn_global_root *root, struct cairn_mutator *mutator)
{
  uintptr_t address = (uintptr_t)mutator + distance_from_mutator(root);

  for (uint32_t i = 0; i < root->layout->base_refs; i++)
    *(uintptr_t *)(address + root->layout->offsets[i]) = 0;
}

void cn_global_roots_clear_thread(struct cairn_mutator *mutator)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  CN_CHECK(mutator == &cairn_mutator);
  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL;
       image = cn_image_with_roots_from(list, image->id + 1))
    for (const struct cairn_global_root *root = image->image.roots_start; root != image->image.roots_stop; root++)
      if (cn_image_root_is_thread_local(root))
        clear_thread_local_root(root, mutator);
  cn_image_end_reading(entered);
}
