/* SPDX-License-Identifier: Apache-2.0
 *
 * The images with points, and the index over their points. lifecycle/register_images.c tells of images that come and
 * go. An image is indexed at the first look-up after its registration, so a program without look-ups pays only a note
 * for each image with points.
 */
#ifndef CN_PATCH_IMAGES_H
#define CN_PATCH_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include "framemap/points.h"
#include "patch/tree.h"

struct cn_code_alias;

/* An image with points. Memory of images is used for images only, so a stale pointer is safe to read under the lock:
 * `id` tells whether the image is still there. */
struct cn_patch_image {
  struct cn_tree_node node;          /* by the address of the struct cairn_image */
  uint64_t id;                       /* unique over time; 0: the image is gone */
  const unsigned char *start, *stop; /* section cairn_points */
  bool is_indexed;
  struct cn_patch_function *functions;
  size_t function_count;
  struct cn_id_node *ids; /* one for each point, by function and index */
  size_t point_count;

  /* From the first patch on (sites.c). */
  struct cn_code_alias *alias; /* valid if its number is `alias_number` */
  uint64_t alias_number;
  struct cn_patch_site *sites; /* one for each point, like `ids` */
  unsigned char *originals;    /* the code of all regions before the first patch */
  size_t original_bytes;

  struct cn_patch_image *next; /* in the list of images that are not indexed, or of unused images */
};

struct cn_patch_function {
  struct cn_tree_node node; /* by entry */
  struct cn_patch_image *image;
  struct cn_points_function points;
  size_t first; /* index of the function's first point in `ids` and `sites` */
};

struct cn_id_node {
  struct cn_tree_node node; /* by id, then by address and index */
  struct cn_patch_function *function;
};

/* Note a registered image, and forget an image before its code goes. Called with signals deferred; the image may have
 * no points. Forgetting happens in a stop, if a stop is possible. */
void cn_patch_note_image(const struct cairn_image *image);
void cn_patch_forget_image(const struct cairn_image *image);

/* ---- the caller holds CN_LOCK_PATCH ---- */

/* Index the images that are not indexed yet. False: memory is exhausted. */
bool cn_patch_index_images(void);

/* The function with code at the address, or null. */
struct cn_patch_function *cn_patch_find_function(uintptr_t address);

/* The first node with this id at or after (address, index), or null. */
struct cn_id_node *cn_patch_first_with_id(uint64_t id);
struct cn_id_node *cn_patch_next_with_id(const struct cn_id_node *node);
uint32_t cn_patch_index_of(const struct cn_id_node *node);

/* Check the index. Returns the error, or null. Linear in the number of points. */
const char *cn_patch_images_wrong(void);

#endif
