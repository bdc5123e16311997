/* SPDX-License-Identifier: Apache-2.0
 *
 * The data for patches of an image's points: the second mapping of the code, and the code before the first patch. All
 * functions are called under CN_LOCK_PATCH.
 */
#ifndef CN_PATCH_SITES_H
#define CN_PATCH_SITES_H

#include <cairn/status.h>
#include "patch/alias.h"
#include "patch/images.h"

struct cn_patch_site {
  uint64_t batch;    /* the last batch with a patch of the point */
  uint32_t original; /* index of the region's first byte in `originals` */
  uint32_t length;
};

/* Make the image's sites, unless they are there, and find or make the second mapping of its code. CODE, OVERLAP,
 * SHARED, MEMORY: the code is unchanged; `*error` is the errno of a system call, or 0. */
enum cairn_status cn_patch_sites_prepare(struct cn_patch_image *image, int *error);

static inline const unsigned char *cn_patch_site_original(const struct cn_patch_image *image,
                                                          const struct cn_patch_site *site)
{
  return image->originals + site->original;
}

/* Free the sites, and an own alias of the image, whose code is about to go. */
void cn_patch_sites_free(struct cn_patch_image *image);

#endif
