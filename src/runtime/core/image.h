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

/* Registered images in the order of their registration; `index` below cn_image_count(). */
size_t cn_image_count(void);
const struct cairn_image *cn_image_at(size_t index);

/* Each registration has its own; later ones have greater ids. */
uint64_t cn_image_id(size_t index);

/* Changes whenever an image comes or goes. */
uint64_t cn_image_generation(void);

/* Keep images from coming and going, for look-ups by threads that may not stop the program. False:
 * the calling thread, interrupted by a signal, holds them already or changes them. */
bool cn_image_hold(void);
void cn_image_release(void);

/* Has any image frame maps? */
bool cn_image_has_frames(void);

/* True if a function with frame maps has a part of [start, end). Holds the images meanwhile. */
bool cn_image_has_code(uintptr_t start, uintptr_t end);

/* What does not hold of the list; null: all does. It holds that
 *   - each image is there once, and ids go up, to below the generation
 *   - the flags are those of all images that are there, at least
 * Quadratic, of few. Holding the images, or while no image comes or goes. */
const char *cn_images_wrong(void);

/* Flags of all images together (CAIRN_ABI_IMAGE_*). */
uint64_t cn_image_flags(void);

#endif
