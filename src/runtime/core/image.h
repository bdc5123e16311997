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

/* No other registration has the same. */
uint64_t cn_image_id(size_t index);

/* Changes whenever an image comes or goes. */
uint64_t cn_image_generation(void);

/* Keep images from coming and going, for questions of threads that may not stop the program. False:
 * the calling thread, interrupted by a signal, holds them already or changes them. */
bool cn_image_hold(void);
void cn_image_release(void);

/* Has any image frame maps? */
bool cn_image_has_frames(void);

/* True if a function with frame maps has a part of [start, end). Holds the images meanwhile. */
bool cn_image_has_code(uintptr_t start, uintptr_t end);

/* Flags of all images together (CAIRN_ABI_IMAGE_*). */
uint64_t cn_image_flags(void);

#endif
