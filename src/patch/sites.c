/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the sites of an image at its first patch: copies the code of all regions, and finds the second mapping. Runs on
 * the thread that holds CN_LOCK_PATCH, in any phase; all state is in the image.
 */
#include "patch/sites.h"

#include <string.h>
#include "base/check.h"
#include "patch/memory.h"

/* Call back for each point, in the order of `ids`. */
static void visit_regions(struct cn_patch_image *image,
                          void (*visit)(struct cn_patch_image *image, size_t point, uintptr_t address, uint32_t length,
                                        void *env),
                          void *env)
{
  for (size_t i = 0; i < image->function_count; i++) {
    const struct cn_patch_function *function = &image->functions[i];
    for (uint32_t k = 0; k < function->points.points; k++) {
      uint32_t start, length;
      if (cn_points_read_region(&function->points, k, &start, &length) == CN_FRAMEMAP_OK)
        visit(image, function->first + k, function->points.entry + start, length, env);
    }
  }
}

/* The code from the first region to the last, and the number of bytes in regions. */
struct region_extent {
  uintptr_t start, end;
  size_t bytes;
};

static void add_to_extent(struct cn_patch_image *image, size_t point, uintptr_t address, uint32_t length, void *env)
{
  struct region_extent *extent = env;

  (void)image;
  (void)point;
  if (length == 0)
    return;
  if (extent->bytes == 0 || address < extent->start)
    extent->start = address;
  if (address + length > extent->end)
    extent->end = address + length;
  extent->bytes += length;
}

static void copy_original(struct cn_patch_image *image, size_t point, uintptr_t address, uint32_t length, void *env)
{
  size_t *next = env;

  image->sites[point] = (struct cn_patch_site){.original = (uint32_t)*next, .length = length};
  memcpy(image->originals + *next, (const void *)address, length);
  *next += length;
}

static enum cairn_status make_sites(struct cn_patch_image *image, const struct region_extent *extent)
{
  size_t next = 0;

  if (extent->bytes > UINT32_MAX)
    return CAIRN_E_MEMORY;
  image->original_bytes = extent->bytes;
  image->sites = cn_patch_allocate(image->point_count * sizeof *image->sites);
  image->originals = cn_patch_allocate(extent->bytes);
  if (image->sites == NULL || image->originals == NULL) {
    cn_patch_sites_free(image);
    return CAIRN_E_MEMORY;
  }
  visit_regions(image, copy_original, &next);
  CN_CHECK(next == extent->bytes);
  return CAIRN_OK;
}

static bool has_alias(const struct cn_patch_image *image)
{
  return image->alias != NULL && image->alias->number == image->alias_number;
}

enum cairn_status cn_patch_sites_prepare(struct cn_patch_image *image, int *error)
{
  struct region_extent extent = {0};
  enum cairn_status status = CAIRN_OK;

  *error = 0;
  if (image->sites == NULL || !has_alias(image)) {
    visit_regions(image, add_to_extent, &extent);
    status = cn_code_alias_get(extent.start, extent.end, &image->alias, error);
    if (status != CAIRN_OK)
      return status;
    image->alias_number = image->alias->number;
    if (image->sites == NULL)
      status = make_sites(image, &extent);
  }
  return status == CAIRN_OK && image->alias->is_shared ? CAIRN_E_SHARED : status;
}

void cn_patch_sites_free(struct cn_patch_image *image)
{
  cn_patch_free(image->sites, image->point_count * sizeof *image->sites);
  cn_patch_free(image->originals, image->original_bytes);
  image->sites = NULL;
  image->originals = NULL;
  if (has_alias(image) && image->alias->is_own)
    cn_code_alias_drop(image->alias);
  image->alias = NULL;
}
