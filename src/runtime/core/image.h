/* SPDX-License-Identifier: Apache-2.0
 *
 * Images: the executable and the shared objects that hold compiled code. Each image registers itself in a constructor
 * that the compiler emits.
 */
#ifndef CN_RUNTIME_CORE_IMAGE_H
#define CN_RUNTIME_CORE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "runtime/core/messages.h"
#include "runtime/tables/ranges.h"

/* A registered image. `image` is a copy, which stays valid if the original is damaged or unmapped. `key` is the
 * original's address, which is unique. Each registration has a greater id than all earlier registrations. */
struct cn_registered_image {
  const struct cairn_image *key;
  struct cairn_image image;
  uint64_t id;
};

/* Sets of all images, whose values are struct cn_registered_image. A published list never changes. */
struct cn_image_list {
  uint64_t generation;
  const struct cn_range_node *by_id, *by_key;         /* ranges of one number */
  const struct cn_range_node *by_frames, *by_layouts; /* the sections, where they are not empty */
  const struct cn_range_node *with_roots;             /* by id, images with a section of roots */
  /* A replaced list has the parts that newer lists lack. */
  struct cn_image_list *newer;
  uint64_t since; /* cn_readers_have_left() */
  struct cn_range_node *replaced;
  struct cn_registered_image *removed;
};

/* The first image whose id is at least `id`, or null; among all images, or among images with roots. Ids follow the
 * order of registration. Logarithmic. The calling thread reads. */
static inline const struct cn_registered_image *cn_image_from(const struct cn_image_list *list, uint64_t id)
{
  return cn_ranges_value_from(list->by_id, id);
}

static inline const struct cn_registered_image *cn_image_with_roots_from(const struct cn_image_list *list, uint64_t id)
{
  return cn_ranges_value_from(list->with_roots, id);
}

/* Add an image to the list. False: the list has the image already. An image that overlaps a registered image, or whose
 * words differ, ends the program. The caller has checked the image's form and holds signals. */
bool cn_image_add(const struct cairn_image *image);

/* The size of a buffer for a sentence that says why an image is refused. */
enum { CN_IMAGE_FAULT_BYTES = 512 };

/* The name of an image in messages: `given`, or if that is null the file that is mapped at `address`. */
const char *cn_image_name(const char *given, uintptr_t address, char file[CN_REPORT_PC]);

/* True if the program's words differ from those of the image; `fault` gets the sentence. `first` is null, or an image
 * that defines the words if no image is registered. */
bool cn_image_has_other_words(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                              char *fault, size_t size);

/* True if a section of an image that is not registered overlaps a part of a registered image's section, so that
 * cn_image_add() would end the program. */
bool cn_image_overlaps(const struct cairn_image *image);

/* Remove an image, if the list has it, and wait for its readers, unless the calling thread is a reader. `farewell`,
 * which may be null, gets the copy just before the removal, while images are locked. False: the list lacks the image.
 * `*id` gets the image's id. The caller holds signals. */
typedef void cn_image_removal_callback(const struct cairn_image *image);
bool cn_image_remove(const struct cairn_image *image, cn_image_removal_callback *farewell, uint64_t *id);

/* True if several registered images have the section of layouts of `image`. Called while images are locked. */
bool cn_image_shares_layouts(const struct cairn_image *image);

/* Between the two calls the calling thread may read: lists that it finds stay unchanged, and the sections of their
 * images stay mapped. True: this call began the reading, and its caller must end it; false: the thread reads already,
 * as a collecting thread does throughout. Any thread, async-signal-safe; takes no lock and never waits. */
bool cn_image_begin_reading(void);
void cn_image_end_reading(bool entered);

/* True if the calling thread reads. After a jump out of a failure, cn_image_restore_reading() restores an earlier
 * result: it ends a reading that began later. */
bool cn_image_is_reading(void);
void cn_image_restore_reading(bool reads);

/* The calling thread must be reading. */
const struct cn_image_list *cn_image_list(void);

size_t cn_images_count(void);

/* The generation of the list: a number that grows with each published list. */
uint64_t cn_image_list_generation(void);

/* Lock the list: other threads add and remove no image. False: the calling thread has the lock already, or a signal
 * interrupted the thread's change of the list. */
bool cn_images_lock(void);
void cn_images_unlock(void);

/* Like cn_readers_current_generation() and cn_readers_have_left() (readers.h), for tables that readers of images also
 * use. */
uint64_t cn_image_reader_generation(void);
bool cn_image_readers_have_left(uint64_t since);

/* True if an image has frame maps, or has roots or layouts. */
bool cn_images_have_frames(void);
bool cn_images_have_data(void);

/* False: the image has flags alone, without sections. */
bool cn_image_has_sections(const struct cairn_image *image);

/* True if a section of a registered image touches the address's page. Reads no section. Linear; for reports of faults.
 */
bool cn_images_have_section_on_page(uintptr_t address);

/* cn_image_root_is_thread_local() is true if the root is in a thread-local variable. cn_image_root_address() returns
 * the root's address, for a thread-local root the address in the calling thread, or 0 if the thread has not allocated
 * the variable. The thread must be reading. */
bool cn_image_root_is_thread_local(const struct cairn_global_root *root);
/* The shared layout that an entry of the section of roots stands for; null: the entry is a root. */
struct cairn_shared_layout *cn_image_shared_layout(const struct cairn_global_root *root);
uintptr_t cn_image_root_address(const struct cairn_global_root *root);

/* Check the list. Returns the error, or null. Invariants:
 *   - the list has each image once, and the generation is greater than all ids
 *   - the joint flags contain the flags of all images in the list
 *   - each set has the ranges of all images and no others; the trees are valid (ranges.h)
 * The time is O(n log n). The caller has locked the list. */
const char *cn_images_wrong(void);

/* The union of the flags of all images so far (CAIRN_ABI_IMAGE_*). */
uint64_t cn_image_joint_flags(void);

/* Layouts of fillers, the objects that fill unused memory of the heap: a header alone, and an array of words. */
extern const struct cairn_layout cn_filler_layouts[2];
static inline bool cn_is_filler_layout(const struct cairn_layout *layout)
{
  return layout == &cn_filler_layouts[0] || layout == &cn_filler_layouts[1];
}

/* The layout of states of deoptimised activations (<cairn/deopt.h>). */
extern const struct cairn_layout cn_state_layout;

#endif
