/* SPDX-License-Identifier: Apache-2.0
 *
 * Images: the executable and the shared objects that hold compiled code. Each registers itself by an emitted
 * constructor.
 */
#ifndef CN_RUNTIME_CORE_IMAGE_H
#define CN_RUNTIME_CORE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* A registered image: a copy, which a damaged or unmapped original cannot hurt. `key` is the original's address, and
 * unique. Each registration has its own id; later ones have greater ids. */
struct cn_registered_image {
  const struct cairn_image *key;
  struct cairn_image image;
  uint64_t id;
};

/* All images, in the order of their registration. A published list never changes. */
struct cn_image_list {
  uint64_t generation;
  size_t count, ranges;
  struct cn_image_list *older;     /* the next older one of the replaced lists */
  uint64_t since;                  /* cn_readers_have_left() */
  struct cn_registered_image at[]; /* the ranges follow them (image.c) */
};

/* Add an image to the list. False: the list has it already. Refuses an image that overlaps a registered one, or
 * whose words differ. The image has passed the checks of its form; signals are held. */
bool cn_image_add(const struct cairn_image *image);

/* Remove an image, if it is there, and wait for its readers, unless the calling thread is one. `farewell` gets the
 * copy just before the image goes, while images are held; it may be null. Signals are held. */
typedef void cn_image_removal_callback(const struct cairn_image *image);
void cn_image_remove(const struct cairn_image *image, cn_image_removal_callback *farewell);

/* Between the two the calling thread may read: lists that it finds stay unchanged, and the sections of their images
 * stay mapped. True: this call began that, and its caller must end it; false: the thread reads already, as a
 * collecting one does throughout. Any thread, async-signal-safe; takes no lock and never waits. */
bool cn_image_begin_reading(void);
void cn_image_end_reading(bool entered);

/* True if the calling thread reads. After a jump out of a failure: end the reads that began since then. */
bool cn_image_is_reading(void);
void cn_image_restore_reading(bool reads);

/* The images that are registered now. Call it while the calling thread reads. */
const struct cn_image_list *cn_image_list(void);

/* Their number. Any thread. */
size_t cn_images_count(void);

/* The generation of the list; each published list has a new one. */
uint64_t cn_image_list_generation(void);

/* Keep images from coming and going. False: the calling thread holds them already, or a signal interrupted its
 * change of them. */
bool cn_images_lock(void);
void cn_images_unlock(void);

/* cn_readers_current_generation() and cn_readers_have_left() (readers.h), for other tables that are replaced while
 * threads read them. */
uint64_t cn_image_reader_generation(void);
bool cn_image_readers_have_left(uint64_t since);

/* True if any image has frame maps. */
bool cn_images_have_frames(void);

/* False: the image only carries a flag. */
bool cn_image_has_sections(const struct cairn_image *image);

/* True if a section of a registered image has a part on the address's page. Reads no section. */
bool cn_images_have_section_on_page(uintptr_t address);

/* True if a function with frame maps has a part of [start, end). */
bool cn_images_have_code_in(uintptr_t start, uintptr_t end);

/* True if the root is in a thread-local variable. The address of the root, in the calling thread for a thread-local
 * one; 0 if the thread lacks it. Call them while the thread reads. */
bool cn_image_root_is_thread_local(const struct cairn_global_root *root);
uintptr_t cn_image_root_address(const struct cairn_global_root *root);

/* Check the list. Returns the error, or null. These hold:
 *   - each image is there once, and ids ascend and are below the generation
 *   - the flags are at least those of all images in the list
 *   - each image with layouts has a range, and ranges are sorted
 * Quadratic in few images. The caller holds the images. */
const char *cn_images_wrong(void);

/* Flags of all images together (CAIRN_ABI_IMAGE_*). */
uint64_t cn_image_joint_flags(void);

/* Layouts of the objects with which the runtime itself fills the heap: a header alone, and an array of words. */
extern const struct cairn_layout cn_filler_layouts[2];
static inline bool cn_is_filler_layout(const struct cairn_layout *layout)
{
  return layout == &cn_filler_layouts[0] || layout == &cn_filler_layouts[1];
}

#endif
