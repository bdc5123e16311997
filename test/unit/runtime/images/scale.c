/* SPDX-License-Identifier: Apache-2.0
 *
 * Thousands of images that come and go, compared with a model; readers meanwhile; trees and lists that are damaged on
 * purpose. Errors to find: an image or a layout that a set has lost, an entry of the index that outlives its image, a
 * tree out of balance, a node that is freed while a thread reads it.
 */
#include "unit/runtime/images/scale.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "runtime/core/image.h"
#include "runtime/tables/ranges.h"
#include "runtime/walk/index.h"
#include "unit/plant.h"

static uint64_t random_state = 88172645463325252u;

static size_t pick(size_t below)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % below;
}

/* ---- blocks ---- */

void blocks_are_used_again(void **state)
{
  static struct cn_blocks blocks;
  enum { MOST = 3 * CN_BLOCKS_MAX_BYTES };
  size_t mapped = 0;

  (void)state;
  for (int round = 0; round < 3; round++) {
    for (size_t bytes = 1; bytes <= MOST; bytes = bytes * 3 / 2 + 1) {
      unsigned char *one = cn_blocks_take(&blocks, bytes), *other = cn_blocks_take(&blocks, bytes);
      memset(one, 1, bytes);
      memset(other, 2, bytes);
      assert_int_equal(one[0] + one[bytes - 1], 2);
      cn_blocks_give(&blocks, one, bytes);
      cn_blocks_give(&blocks, other, bytes);
    }
    assert_true(round == 0 || blocks.mapped_bytes == mapped);
    mapped = blocks.mapped_bytes;
  }
  assert_true(cn_blocks_reserve(&blocks, 1 << 20));
  mapped = blocks.mapped_bytes;
  for (int i = 0; i < 1 << 14; i++)
    assert_non_null(cn_blocks_take(&blocks, 64));
  assert_true(blocks.mapped_bytes <= mapped);
}

/* ---- trees ---- */

enum { RANGES = 600, SPACE = 4000 };

static struct cn_blocks nodes;
static struct cn_range model[RANGES];
static bool in_tree[RANGES];

static const struct cn_range_node *change(const struct cn_range_node *tree, size_t i)
{
  struct cn_range_change change = {.blocks = &nodes};

  assert_true(cn_blocks_reserve(&nodes, cn_ranges_change_bytes(tree)));
  tree = in_tree[i] ? cn_ranges_remove(&change, tree, model[i]) : cn_ranges_insert(&change, tree, model[i]);
  in_tree[i] = !in_tree[i];
  cn_ranges_free_replaced(&nodes, change.replaced);
  return tree;
}

static void check_overlaps(const struct cn_range_node *tree, uintptr_t start, uintptr_t end)
{
  const struct cn_range *range = NULL;
  size_t wanted = 0, found = 0;

  for (size_t i = 0; i < RANGES; i++)
    wanted += in_tree[i] && model[i].start < end && model[i].end > start;
  while ((range = cn_ranges_next_overlap(tree, range, start, end)) != NULL) {
    size_t i = (size_t)((bool *)range->value - in_tree);
    assert_true(in_tree[i] && model[i].start < end && model[i].end > start);
    found++;
  }
  assert_int_equal(found, wanted);
}

void trees_like_a_model(void **state)
{
  const struct cn_range_node *tree = NULL;
  size_t count = 0;

  (void)state;
  for (size_t i = 0; i < RANGES; i++) {
    uintptr_t start = 1 + pick(SPACE);
    model[i] = (struct cn_range){start, start + 1 + pick(i % 50 == 0 ? SPACE : 30), &in_tree[i]};
  }
  for (int round = 0; round < 20000; round++) {
    size_t i = pick(round / 5000 % 2 != 0 ? RANGES / 10 : RANGES);
    tree = change(tree, i);
    count += in_tree[i] ? 1 : (size_t)-1;
    assert_int_equal(cn_ranges_count(tree), count);
    assert_true(cn_ranges_have(tree, model[i]) == in_tree[i]);
    if (round % 16 == 0) {
      uintptr_t start = pick(SPACE);
      check_overlaps(tree, start, start + 1 + pick(40));
      assert_null(cn_ranges_wrong(tree));
    }
  }
  for (size_t i = 0; i < RANGES; i++) /* in order, where rotations are most */
    if (in_tree[i])
      tree = change(tree, i);
  assert_null(tree);
}

void wrong_trees(void **state)
{
  const struct cn_range_node *tree = NULL;
  static bool value[8];

  (void)state;
  for (size_t i = 0; i < 8; i++) {
    struct cn_range_change insertion = {.blocks = &nodes};
    assert_true(cn_blocks_reserve(&nodes, cn_ranges_change_bytes(tree)));
    tree = cn_ranges_insert(&insertion, tree, (struct cn_range){10 * i + 10, 10 * i + 15, &value[i]});
  }
  struct cn_range_node *top = (struct cn_range_node *)(uintptr_t)tree;
  assert_null(cn_ranges_wrong(tree));
  PLANT(top->range.end, top->range.start, cn_ranges_wrong(tree), "ranges: one is empty");
  PLANT(top->range.start, 1, cn_ranges_wrong(tree), "ranges: two are not in order");
  PLANT(top->count, 9, cn_ranges_wrong(tree), "ranges: a count is wrong");
  PLANT(top->max_end, 100, cn_ranges_wrong(tree), "ranges: a greatest end is wrong");
  const struct cn_range_node *left = top->left;
  top->count -= cn_ranges_count(left);
  top->left = NULL;
  found(cn_ranges_wrong(tree), "ranges: a tree is out of balance");
  top->count += cn_ranges_count(left);
  top->left = left;
  assert_null(cn_ranges_wrong(tree));
}

/* ---- images ---- */

enum { MODULES = 5000, CODE_BYTES = 64, RETURN_OFFSET = 8, CHANGES = 30000 };

/* A frame map as framemap_format.h describes it, with one safepoint. */
struct frames {
  uint32_t length;
  int32_t entry;
  uint32_t code_size, safepoints;
  uint8_t return_offset, descriptor_offset, head, cfa_words, saved, padding[3];
};

struct module {
  _Alignas(16) unsigned char code[CODE_BYTES];
  struct frames frames[2];
  struct cairn_layout layout[2]; /* the image has the first */
  uintptr_t global;
  struct cairn_global_root root;
  struct cairn_image image;
  bool there;
};

static struct module *modules;

/* A linker keeps one body of a function of several modules, and the maps of all. Another module lies in between. */
enum { SHARED_DISTANCE = 2 };

static bool describes_other(size_t i)
{
  return i % 5 == 0 && i + SHARED_DISTANCE < MODULES;
}

static bool has_roots(size_t i)
{
  return i % 7 == 0;
}

static struct frames map_of(const struct frames *map, const unsigned char *code)
{
  return (struct frames){.length = sizeof *map,
                         .entry = (int32_t)((intptr_t)code - (intptr_t)&map->entry),
                         .code_size = CODE_BYTES,
                         .safepoints = 1,
                         .return_offset = RETURN_OFFSET,
                         .cfa_words = 2,
                         .saved = 1 << 7}; /* shape 0 */
}

static void make_module(size_t i)
{
  struct module *module = &modules[i];

  module->frames[0] = map_of(&module->frames[0], module->code);
  module->frames[1] = map_of(&module->frames[1], modules[(i + SHARED_DISTANCE) % MODULES].code);
  module->layout[0].magic = module->layout[1].magic = CAIRN_ABI_LAYOUT_MAGIC;
  module->root = (struct cairn_global_root){&module->global, &module->layout[0]};
  module->image =
      (struct cairn_image){.version = CAIRN_ABI_IMAGE_VERSION,
                           .size = sizeof module->image,
                           .frames_start = (const unsigned char *)&module->frames[0],
                           .frames_stop = (const unsigned char *)&module->frames[describes_other(i) ? 2 : 1],
                           .layouts_start = (const unsigned char *)&module->layout[0],
                           .layouts_stop = (const unsigned char *)&module->layout[1]};
  if (has_roots(i)) {
    module->image.roots_start = &module->root;
    module->image.roots_stop = &module->root + 1;
  }
}

static void make_modules(void)
{
  size_t bytes = MODULES * sizeof *modules;

  if (modules != NULL)
    return;
  modules = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_ptr_not_equal(modules, MAP_FAILED);
  for (size_t i = 0; i < MODULES; i++)
    make_module(i);
}

static void toggle(size_t i)
{
  if (modules[i].there)
    cairn_image_unregister(&modules[i].image);
  else
    cairn_image_register(&modules[i].image);
  modules[i].there = !modules[i].there;
}

static uintptr_t return_address_in(size_t i)
{
  return (uintptr_t)modules[i].code + RETURN_OFFSET;
}

static bool has_code(size_t i)
{
  return modules[i].there ||
         (i >= SHARED_DISTANCE && describes_other(i - SHARED_DISTANCE) && modules[i - SHARED_DISTANCE].there);
}

static void check_module(size_t i)
{
  uintptr_t code = (uintptr_t)modules[i].code;

  assert_true(cairn_layout_is_known(&modules[i].layout[0]) == modules[i].there);
  assert_false(cairn_layout_is_known(&modules[i].layout[1]));
  assert_true((cn_index_look_up_map(return_address_in(i)) != NULL) == has_code(i));
  assert_true(cn_index_has_code_at(return_address_in(i) + 1) == has_code(i));
  assert_true(cn_index_has_code_in(code, code + 1) == has_code(i));
  assert_false(cn_index_has_code_in(code + CODE_BYTES, code + CODE_BYTES + 1));
}

static void check_list(void)
{
  size_t all = 0, rooted = 0, count = 0, count_rooted = 0;
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL; at = cn_image_from(list, at->id + 1))
    count++;
  for (const struct cn_registered_image *at = cn_image_with_roots_from(list, 0); at != NULL;
       at = cn_image_with_roots_from(list, at->id + 1))
    count_rooted++;
  cn_image_end_reading(entered);
  for (size_t i = 0; i < MODULES; i++) {
    all += modules[i].there;
    rooted += modules[i].there && has_roots(i);
  }
  assert_int_equal(count, all);
  assert_int_equal(cn_images_count(), all);
  assert_int_equal(count_rooted, rooted);
  assert_true(cn_images_lock());
  assert_null(cn_images_wrong());
  assert_null(cn_index_wrong(cn_index_current));
  cn_images_unlock();
}

void thousands_like_a_model(void **state)
{
  (void)state;
  make_modules();
  check_list();
  for (int round = 0; round < CHANGES; round++) {
    size_t i = pick(MODULES);
    toggle(i);
    check_module(i);
    check_module(pick(MODULES));
    if (round % 2000 == 0)
      check_list();
  }
  for (size_t i = 0; i < MODULES; i++)
    if (!modules[i].there)
      toggle(i);
  check_list();
  for (size_t i = 0; i < MODULES; i++) {
    check_module(i);
    toggle(i);
    check_module(i);
  }
  check_list();
}

void wrong_lists(void **state)
{
  (void)state;
  make_modules();
  toggle(0);
  toggle(7);
  assert_true(cn_images_lock());
  bool entered = cn_image_begin_reading();
  struct cn_image_list *list = (struct cn_image_list *)(uintptr_t)cn_image_list();
  struct cn_registered_image *image = (struct cn_registered_image *)(uintptr_t)cn_image_from(list, 0);
  assert_null(cn_images_wrong());
  PLANT(list->generation, image->id, cn_images_wrong(), "images: the ids do not go up to the generation");
  PLANT(list->by_key, NULL, cn_images_wrong(), "images: one is registered twice");
  PLANT(list->by_layouts, NULL, cn_images_wrong(), "images: one is missing in a set");
  PLANT(list->with_roots, NULL, cn_images_wrong(), "images: one is missing in a set");
  PLANT(image->image.roots_stop, image->image.roots_start, cn_images_wrong(), "images: a set has more than the images");
  PLANT(image->image.flags, CAIRN_ABI_IMAGE_STACK_POLLS, cn_images_wrong(), "images: the flags of one are missing");
  cn_image_end_reading(entered);
  cn_images_unlock();
  toggle(0);
  toggle(7);
}

/* ---- readers ---- */

static _Atomic bool ended;
static _Atomic size_t readings;

static void read_list(void)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  size_t count = 0;

  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL; at = cn_image_from(list, at->id + 1))
    count += at->image.version == CAIRN_ABI_IMAGE_VERSION;
  if (count != cn_ranges_count(list->by_id) || cn_ranges_wrong(list->by_layouts) != NULL)
    abort();
  cn_image_end_reading(entered);
}

/* Images with even numbers below 200 stay, those with odd numbers come and go, and there are no others. */
static void *read_always(void *argument)
{
  for (size_t i = 0; !atomic_load(&ended); i = (i + 2) % 200) {
    if (!cairn_layout_is_known(&modules[i].layout[0]) || cairn_layout_is_known(&modules[i + 200].layout[0]) ||
        cn_index_look_up_map(return_address_in(i)) == NULL || cn_index_look_up_map(return_address_in(i + 202)) != NULL)
      abort();
    if (i == 0)
      read_list();
    atomic_fetch_add(&readings, 1);
  }
  return argument;
}

void readers_meet_changes(void **state)
{
  enum { READERS = 3 };
  pthread_t thread[READERS];

  (void)state;
  make_modules();
  for (size_t i = 0; i < 200; i += 2)
    toggle(i);
  for (int i = 0; i < READERS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, read_always, NULL), 0);
  for (size_t round = 0; round < 5000 || atomic_load(&readings) < 5000; round++)
    toggle(1 + 2 * pick(100));
  atomic_store(&ended, true);
  for (int i = 0; i < READERS; i++)
    assert_int_equal(pthread_join(thread[i], NULL), 0);
  for (size_t i = 0; i < 200; i++)
    if (modules[i].there)
      toggle(i);
  check_list();
}
