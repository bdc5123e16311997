/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the images with points and indexes their points by function and by id. Owns the sets of images, functions and
 * ids, the lists of images that are not indexed and of unused images and the last id of an image, all under
 * CN_LOCK_PATCH. Runs on any thread, in any phase; an image is forgotten in a stop, if a stop is possible. A malformed
 * section ends the program, as malformed frame maps do.
 */
#include "patch/images.h"

#include <string.h>
#include "base/check.h"
#include "patch/alias.h"
#include "patch/memory.h"
#include "patch/sites.h"
#include "runtime/arch/arch.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"

static struct cn_tree all_images, all_functions, all_ids;
static struct cn_patch_image *waiting_images; /* those that are not indexed */
static struct cn_patch_image *unused_images;
static uint64_t last_image_id;

/* ---- the index ---- */

enum { INDEX_BITS = 16 };

/* Several points of a function may share an address; their indices then follow each other. */
static uint64_t minor_key_of(uintptr_t address, uint32_t index)
{
  return (uint64_t)address << INDEX_BITS | (index & ((1u << INDEX_BITS) - 1));
}

_Noreturn static void report_bad_points(const char *what, uintptr_t entry)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad section cairn_points: %s, function %s", what, cn_report_format_pc(entry, place));
}

/* Count the functions and the points of a section. */
static void count_points(struct cn_patch_image *image)
{
  const unsigned char *cursor = image->start;
  struct cn_points_function function;
  int status;

  while ((status = cn_points_next_function(CN_ARCH_FRAME_PORT, &cursor, image->stop, &function)) == CN_FRAMEMAP_OK) {
    image->function_count++;
    image->point_count += function.points;
  }
  if (status != CN_FRAMEMAP_NONE)
    cairn_fatal("bad section cairn_points: offset %zu of the section at 0x%lx", (size_t)(cursor - image->start),
                (unsigned long)(uintptr_t)image->start);
}

static void index_points(struct cn_patch_function *function)
{
  for (uint32_t i = 0; i < function->points.points; i++) {
    struct cn_id_node *id = &function->image->ids[function->first + i];
    struct cn_point point;
    if (cn_points_read_point(&function->points, i, &point) != CN_FRAMEMAP_OK)
      report_bad_points("a record is malformed", function->points.entry);
    id->function = function;
    id->node.key = point.id;
    id->node.minor = minor_key_of(function->points.entry + point.start, i);
    if (!cn_tree_insert(&all_ids, &id->node))
      report_bad_points("two points are the same", function->points.entry);
  }
}

/* True if the two functions have equal points: a linker that folds equal functions leaves one body with several
 * copies. */
static bool is_copy(const struct cn_points_function *one, const struct cn_points_function *other)
{
  enum { HEADER_BYTES = 16 };
  size_t bytes = (size_t)(one->end - one->data);

  return bytes == (size_t)(other->end - other->data) && one->code_size == other->code_size &&
         one->points == other->points &&
         memcmp(one->data + HEADER_BYTES, other->data + HEADER_BYTES, bytes - HEADER_BYTES) == 0;
}

/* A copy of a function has no node in the set, and its ids have no nodes. */
static void index_function(struct cn_patch_function *function)
{
  uintptr_t entry = function->points.entry;
  struct cn_patch_function *before = cn_patch_find_function(entry);

  function->node.key = entry;
  if (before != NULL && before->points.entry == entry && is_copy(&before->points, &function->points))
    return;
  if (before != NULL || !cn_tree_insert(&all_functions, &function->node))
    report_bad_points("it lies in another function", entry);
  index_points(function);
}

static bool allocate_index(struct cn_patch_image *image)
{
  image->functions = cn_patch_allocate(image->function_count * sizeof *image->functions);
  image->ids = cn_patch_allocate(image->point_count * sizeof *image->ids);
  return image->functions != NULL && image->ids != NULL;
}

static void free_index(struct cn_patch_image *image)
{
  cn_patch_free(image->functions, image->function_count * sizeof *image->functions);
  cn_patch_free(image->ids, image->point_count * sizeof *image->ids);
  image->functions = NULL;
  image->ids = NULL;
}

static bool index_image(struct cn_patch_image *image)
{
  const unsigned char *cursor = image->start;
  size_t first = 0;

  image->function_count = image->point_count = 0;
  count_points(image);
  if (!allocate_index(image)) {
    free_index(image);
    return false;
  }
  for (size_t i = 0; i < image->function_count; i++) {
    struct cn_patch_function *function = &image->functions[i];
    cn_points_next_function(CN_ARCH_FRAME_PORT, &cursor, image->stop, &function->points);
    function->image = image;
    function->first = first;
    first += function->points.points;
    index_function(function);
  }
  CN_CHECK(first == image->point_count);
  return image->is_indexed = true;
}

bool cn_patch_index_images(void)
{
  while (waiting_images != NULL) {
    struct cn_patch_image *image = waiting_images;
    if (!index_image(image))
      return false;
    waiting_images = image->next;
    image->next = NULL;
  }
  return true;
}

/* ---- look-ups ---- */

static struct cn_patch_function *function_of_node(struct cn_tree_node *node)
{
  return (struct cn_patch_function *)node; /* its first member */
}

struct cn_patch_function *cn_patch_find_function(uintptr_t address)
{
  struct cn_tree_node *node = cn_tree_find_at_most(&all_functions, address, UINT64_MAX);
  struct cn_patch_function *function = function_of_node(node);

  return node != NULL && address - function->points.entry < function->points.code_size ? function : NULL;
}

static struct cn_id_node *node_with_id(struct cn_tree_node *node, uint64_t id)
{
  return node != NULL && node->key == id ? (struct cn_id_node *)node : NULL;
}

struct cn_id_node *cn_patch_first_with_id(uint64_t id)
{
  return node_with_id(cn_tree_find_at_least(&all_ids, id, 0), id);
}

struct cn_id_node *cn_patch_next_with_id(const struct cn_id_node *node)
{
  return node_with_id(cn_tree_find_at_least(&all_ids, node->node.key, node->node.minor + 1), node->node.key);
}

uint32_t cn_patch_index_of(const struct cn_id_node *node)
{
  const struct cn_patch_function *function = node->function;

  return (uint32_t)((size_t)(node - function->image->ids) - function->first);
}

const char *cn_patch_images_wrong(void)
{
  const char *wrong = cn_tree_wrong(&all_images);

  if (wrong == NULL)
    wrong = cn_tree_wrong(&all_functions);
  return wrong != NULL ? wrong : cn_tree_wrong(&all_ids);
}

/* ---- images ---- */

static void take_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PATCH);

  CN_CHECK(taken);
}

static struct cn_patch_image *allocate_image(void)
{
  struct cn_patch_image *image = unused_images;

  if (image != NULL)
    unused_images = image->next;
  else if ((image = cn_patch_allocate(sizeof *image)) == NULL)
    cn_report_out_of_memory("no memory for an image with points");
  *image = (struct cn_patch_image){.id = ++last_image_id};
  return image;
}

void cn_patch_note_image(const struct cairn_image *image)
{
  if (image->points_start == image->points_stop)
    return;
  take_lock();
  struct cn_patch_image *noted = allocate_image();
  noted->node.key = (uintptr_t)image;
  noted->start = image->points_start;
  noted->stop = image->points_stop;
  noted->next = waiting_images;
  waiting_images = noted;
  CN_CHECK(cn_tree_insert(&all_images, &noted->node)); /* fails if the image is registered twice */
  cn_lock_release(CN_LOCK_PATCH);
}

static void drop_waiting_image(struct cn_patch_image *image)
{
  struct cn_patch_image **at = &waiting_images;

  while (*at != image) {
    CN_CHECK(*at != NULL);
    at = &(*at)->next;
  }
  *at = image->next;
}

/* The node of a copy (index_function()) is in no set. */
static void drop_function(struct cn_patch_function *function)
{
  struct cn_patch_function *found = cn_patch_find_function(function->points.entry);

  if (found != function)
    return;
  for (uint32_t i = 0; i < function->points.points; i++)
    cn_tree_remove(&all_ids, &function->image->ids[function->first + i].node);
  cn_tree_remove(&all_functions, &function->node);
}

static void drop_index(struct cn_patch_image *image)
{
  for (size_t i = 0; i < image->function_count; i++)
    drop_function(&image->functions[i]);
  cn_patch_sites_free(image);
  free_index(image);
}

void cn_patch_forget_image(const struct cairn_image *key)
{
  uint64_t address = (uintptr_t)key;

  take_lock();
  struct cn_tree_node *node = cn_tree_find_at_least(&all_images, address, 0);
  if (node != NULL && node->key == address) {
    struct cn_patch_image *image = (struct cn_patch_image *)node;
    cn_tree_remove(&all_images, node);
    if (image->is_indexed)
      drop_index(image);
    else
      drop_waiting_image(image);
    cn_code_alias_note_removal();
    *image = (struct cn_patch_image){.next = unused_images};
    unused_images = image;
  }
  CN_ASSERT_VALID(cn_patch_images_wrong());
  cn_lock_release(CN_LOCK_PATCH);
}
