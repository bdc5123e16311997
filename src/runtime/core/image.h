/* SPDX-License-Identifier: Apache-2.0
 *
 * Images: the executable and the shared objects that hold compiled code. Each registers itself by
 * an emitted constructor.
 */
#ifndef CN_RUNTIME_CORE_IMAGE_H
#define CN_RUNTIME_CORE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>

/* A registered image. The copy is used: a damaged or unmapped original cannot hurt. `key` tells
 * them apart. Each registration has its own id; later ones have greater ids. */
struct cn_image {
  const struct cairn_image *key;
  struct cairn_image image;
  uint64_t id;
};

/* All images, in the order of their registration. It is never changed once it is published. */
struct cn_image_list {
  uint64_t generation;
  size_t count, ranges;
  struct cn_image_list *older; /* among those that were replaced; */
  uint64_t since;              /* cn_readers_left() */
  struct cn_image at[];        /* after them come the ranges (image.c) */
};

/* Between the two the calling thread may read: lists that it finds stay as they are, and the
 * sections of their images stay mapped. True: this call has begun that, and its caller ends it;
 * false: the thread is at it already, a collecting one for the whole of a collection. Any thread,
 * async-signal-safe; takes no lock and never waits. */
bool cn_image_enter(void);
void cn_image_leave(bool entered);

/* Does the calling thread read? After a jump out of a failure: end what began since then. */
bool cn_image_reads(void);
void cn_image_restore(bool reads);

/* Those that are registered now. While the calling thread reads. */
const struct cn_image_list *cn_image_list(void);

/* How many those are. Any thread. */
size_t cn_image_count(void);

/* Changes after each list that is published, to its generation. */
uint64_t cn_image_generation(void);

/* Keep images from coming and going. False: the calling thread, interrupted by a signal, holds them
 * already or changes them. */
bool cn_image_hold(void);
void cn_image_release(void);

/* For tables that are replaced while threads that read use them: cn_readers_now() and
 * cn_readers_left() (readers.h). */
uint64_t cn_image_readers_now(void);
bool cn_image_readers_left(uint64_t since);

/* Has any image frame maps? */
bool cn_image_has_frames(void);

/* True if a function with frame maps has a part of [start, end). */
bool cn_image_has_code(uintptr_t start, uintptr_t end);

/* Is it a thread-local's? Where is it: of a thread-local, the calling thread's? 0: nowhere. While
 * the thread reads. */
bool cn_image_root_is_thread_local(const struct cairn_global_root *root);
uintptr_t cn_image_root_address(const struct cairn_global_root *root);

/* What does not hold of the list; null: all does. It holds that
 *   - each image is there once, and ids go up, to below the generation
 *   - the flags are those of all images that are there, at least
 *   - there is a range for each image with layouts, and they are sorted
 * Quadratic, of few. Holding the images. */
const char *cn_images_wrong(void);

/* Flags of all images together (CAIRN_ABI_IMAGE_*). */
uint64_t cn_image_flags(void);

#endif
