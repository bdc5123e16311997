/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the list of images, and finds their code, the pages of their sections and their layouts by address. The file
 * owns the published list, the queue of replaced lists and their memory, the count of readers, the joint flags of all
 * images, and the program's word tags (`cairn_words`). Any thread reads a published list, which never changes, between
 * cn_image_begin_reading() and cn_image_end_reading() (readers.h), without a lock. A writer holds CN_LOCK_IMAGES, makes
 * a new list, which shares most nodes of its trees with the old list, and publishes it.
 *
 * An image may be added in any phase: its managed code has not run yet, so a concurrent collection misses nothing. An
 * image is removed while collections are excluded, and its sections stay mapped until the last reader that may see them
 * has left.
 */
#include "runtime/core/image.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/lock.h"
#include "runtime/core/readers.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/tables/layout_store.h"

enum { CN_WORDS_TEXT_BYTES = 16 };

static struct cn_image_list empty_list;
static struct cn_image_list *_Atomic current_list = &empty_list;
static struct cn_image_list *oldest_retired, *newest_retired; /* a queue of the replaced lists */
static struct cn_blocks list_memory;                          /* lists, images, and nodes of their trees */
static _Atomic uint64_t list_generation, joint_flags;

static struct cn_reader_epochs list_readers;
static _Thread_local volatile unsigned reader_slot_of_thread;

/* ---- readers ---- */

bool cn_image_begin_reading(void)
{
  if (reader_slot_of_thread != 0)
    return false;
  cn_readers_enter(&list_readers, &reader_slot_of_thread);
  return true;
}

void cn_image_end_reading(bool entered)
{
  CN_ASSERT_VALID(cn_readers_wrong(&list_readers, reader_slot_of_thread));
  if (entered)
    cn_readers_leave(&list_readers, &reader_slot_of_thread);
}

bool cn_image_is_reading(void)
{
  return reader_slot_of_thread != 0;
}

void cn_image_restore_reading(bool reads)
{
  cn_image_end_reading(!reads && reader_slot_of_thread != 0);
}

uint64_t cn_image_reader_generation(void)
{
  return cn_readers_current_generation(&list_readers);
}

bool cn_image_readers_have_left(uint64_t since)
{
  return cn_readers_have_left(&list_readers, since);
}

const struct cn_image_list *cn_image_list(void)
{
  CN_ASSERT(reader_slot_of_thread != 0);
  return atomic_load(&current_list);
}

size_t cn_images_count(void)
{
  bool entered = cn_image_begin_reading();
  size_t count = cn_ranges_count(cn_image_list()->by_id);

  cn_image_end_reading(entered);
  return count;
}

uint64_t cn_image_list_generation(void)
{
  return atomic_load(&list_generation);
}

uint64_t cn_image_joint_flags(void)
{
  return atomic_load(&joint_flags);
}

bool cn_image_root_is_thread_local(const struct cairn_global_root *root)
{
  return ((uintptr_t)root->address & CAIRN_ABI_ROOT_THREAD_LOCAL) != 0;
}

struct cairn_shared_layout *cn_image_shared_layout(const struct cairn_global_root *root)
{
  uintptr_t address = (uintptr_t)root->address;

  CN_ASSERT((address & CAIRN_ABI_ROOT_SHARED_LAYOUT) == 0 || (address & CAIRN_ABI_ROOT_THREAD_LOCAL) == 0);
  return (address & CAIRN_ABI_ROOT_SHARED_LAYOUT) != 0
             ? (struct cairn_shared_layout *)(address - CAIRN_ABI_ROOT_SHARED_LAYOUT)
             : NULL;
}

uintptr_t cn_image_root_address(const struct cairn_global_root *root)
{
  uintptr_t address = (uintptr_t)root->address;

  if (!cn_image_root_is_thread_local(root))
    return address;
  void *(*accessor)(void) = (void *(*)(void))(address - CAIRN_ABI_ROOT_THREAD_LOCAL);
  return (uintptr_t)accessor();
}

bool cn_images_have_frames(void)
{
  bool entered = cn_image_begin_reading();
  bool there = cn_image_list()->by_frames != NULL;

  cn_image_end_reading(entered);
  return there;
}

bool cn_images_have_data(void)
{
  bool entered = cn_image_begin_reading();
  bool there = cn_image_list()->with_roots != NULL || cn_image_list()->by_layouts != NULL;

  cn_image_end_reading(entered);
  return there;
}

bool cn_image_has_sections(const struct cairn_image *image)
{
  return image->frames_start != image->frames_stop || image->roots_start != image->roots_stop ||
         image->layouts_start != image->layouts_stop;
}

static void reset_readers_in_child(void)
{
  cn_readers_reset_in_child(&list_readers, reader_slot_of_thread);
}

/* ---- lists ---- */

bool cn_images_lock(void)
{
  return cn_lock_take(CN_LOCK_IMAGES);
}

void cn_images_unlock(void)
{
  cn_lock_release(CN_LOCK_IMAGES);
}

/* The ranges of an image in the sets of a list. A range of an absent section is empty, and is in no set. */
enum set { BY_ID, BY_KEY, BY_FRAMES, BY_LAYOUTS, WITH_ROOTS, SETS };

static struct cn_range range_in_set(const struct cn_registered_image *image, enum set set)
{
  struct cn_range range = {image->id, image->id + 1, (void *)(uintptr_t)image};

  switch (set) {
  case BY_KEY:
    range.start = (uintptr_t)image->key;
    range.end = range.start + 1;
    break;
  case BY_FRAMES:
    range.start = (uintptr_t)image->image.frames_start;
    range.end = (uintptr_t)image->image.frames_stop;
    break;
  case BY_LAYOUTS:
    range.start = (uintptr_t)image->image.layouts_start;
    range.end = (uintptr_t)image->image.layouts_stop;
    break;
  case WITH_ROOTS:
    range.end -= image->image.roots_start == image->image.roots_stop;
    break;
  default:
    break;
  }
  return range;
}

static const struct cn_range_node **tree_of_set(struct cn_image_list *list, enum set set)
{
  const struct cn_range_node **trees[SETS] = {&list->by_id, &list->by_key, &list->by_frames, &list->by_layouts,
                                              &list->with_roots};

  return trees[set];
}

static const struct cn_registered_image *find_image(const struct cn_image_list *list, const struct cairn_image *image)
{
  uintptr_t key = (uintptr_t)image;
  const struct cn_range *range = cn_ranges_find_overlap(list->by_key, key, key + 1);

  return range != NULL ? range->value : NULL;
}

/* Two images may share one section of layouts, since a linker may have kept both images' records. */
static const char *image_wrong(struct cn_image_list *list, const struct cn_registered_image *image)
{
  if (find_image(list, image->key) != image)
    return "images: one is registered twice";
  if (image->id >= list->generation)
    return "images: the ids do not go up to the generation";
  if ((image->image.flags ^ atomic_load(&joint_flags)) >> CAIRN_ABI_IMAGE_WORDS != 0)
    return "images: words of one are told apart otherwise";
  if ((image->image.flags & ~atomic_load(&joint_flags)) != 0)
    return "images: the flags of one are missing";
  for (enum set set = 0; set < SETS; set++) {
    struct cn_range range = range_in_set(image, set);
    if (range.start != range.end && !cn_ranges_have(*tree_of_set(list, set), range))
      return "images: one is missing in a set";
  }
  return NULL;
}

const char *cn_images_wrong(void)
{
  struct cn_image_list *list = atomic_load(&current_list);
  size_t counts[SETS] = {0};
  const char *wrong = NULL;

  for (enum set set = 0; set < SETS && wrong == NULL; set++)
    wrong = cn_ranges_wrong(*tree_of_set(list, set));
  for (const struct cn_registered_image *image = cn_image_from(list, 0); image != NULL && wrong == NULL;
       image = cn_image_from(list, image->id + 1)) {
    wrong = image_wrong(list, image);
    for (enum set set = 0; set < SETS; set++)
      counts[set] += range_in_set(image, set).start != range_in_set(image, set).end;
  }
  for (enum set set = 0; set < SETS && wrong == NULL; set++)
    if (counts[set] != cn_ranges_count(*tree_of_set(list, set)))
      wrong = "images: a set has more than the images";
  return wrong;
}

bool cn_image_shares_layouts(const struct cairn_image *image)
{
  const struct cn_range_node *layouts = atomic_load(&current_list)->by_layouts;
  uintptr_t start = (uintptr_t)image->layouts_start, end = (uintptr_t)image->layouts_stop;
  const struct cn_range *first = start < end ? cn_ranges_find_overlap(layouts, start, end) : NULL;

  return first != NULL && cn_ranges_next_overlap(layouts, first, start, end) != NULL;
}

/* ---- writers ---- */

enum {
  MAX_FREED_LISTS = 64, /* by one writer, so that a change after a long reading stays short */
  UNCHECKED_IMAGES = 64 /* an assertion checks lists of n images once in 1 + n/64 changes */
};

static void free_list(struct cn_image_list *list)
{
  cn_ranges_free_replaced(&list_memory, list->replaced);
  if (list->removed != NULL)
    cn_blocks_give(&list_memory, list->removed, sizeof *list->removed);
  cn_blocks_give(&list_memory, list, sizeof *list);
}

/* Free the oldest replaced lists that all readers have left. */
static void free_retired(void)
{
  for (int i = 0; i < MAX_FREED_LISTS && oldest_retired != NULL; i++) {
    struct cn_image_list *list = oldest_retired;
    if (!cn_readers_have_left(&list_readers, list->since))
      return;
    oldest_retired = list->newer;
    if (oldest_retired == NULL)
      newest_retired = NULL;
    free_list(list);
  }
}

static void retire_list(struct cn_image_list *list)
{
  list->since = cn_readers_current_generation(&list_readers);
  if (newest_retired != NULL)
    newest_retired->newer = list;
  else
    oldest_retired = list;
  newest_retired = list;
}

static bool is_check_due(const struct cn_image_list *list)
{
  return list->generation % (1 + cn_ranges_count(list->by_id) / UNCHECKED_IMAGES) == 0;
}

/* A copy of the current list, with memory for one change. */
static struct cn_image_list *begin_list(void)
{
  const struct cn_image_list *old = atomic_load(&current_list);
  size_t bytes = 2 * sizeof *old + 2 * sizeof(struct cn_registered_image) + SETS * cn_ranges_change_bytes(old->by_id);

  if (!cn_blocks_reserve(&list_memory, bytes))
    cn_report_out_of_memory("no memory for a list of %zu images", cn_ranges_count(old->by_id) + 1);
  struct cn_image_list *list = cn_blocks_take(&list_memory, sizeof *list);
  *list = *old;
  list->newer = NULL;
  list->replaced = NULL;
  list->removed = NULL;
  list->generation++;
  return list;
}

/* `replaced` and `removed` are parts that only the old list has. */
static void publish_list(struct cn_image_list *list, struct cn_range_node *replaced,
                         struct cn_registered_image *removed)
{
  struct cn_image_list *old = atomic_load(&current_list);

  atomic_store(&current_list, list);
  atomic_store(&list_generation, list->generation);
  CN_ASSERT(!is_check_due(list) || cn_check_valid(cn_images_wrong(), __FILE_NAME__, __LINE__));
  old->replaced = replaced;
  old->removed = removed;
  if (old != &empty_list)
    retire_list(old);
  free_retired();
}

static void publish_with_image(const struct cairn_image *image)
{
  struct cn_image_list *list = begin_list();
  struct cn_registered_image *added = cn_blocks_take(&list_memory, sizeof *added);
  struct cn_range_change change = {.blocks = &list_memory};

  *added = (struct cn_registered_image){image, *image, list->generation - 1};
  for (enum set set = 0; set < SETS; set++) {
    struct cn_range range = range_in_set(added, set);
    if (range.start != range.end)
      *tree_of_set(list, set) = cn_ranges_insert(&change, *tree_of_set(list, set), range);
  }
  publish_list(list, change.replaced, NULL);
}

static void publish_without_image(const struct cn_registered_image *image)
{
  struct cn_image_list *list = begin_list();
  struct cn_range_change change = {.blocks = &list_memory};

  for (enum set set = 0; set < SETS; set++) {
    struct cn_range range = range_in_set(image, set);
    if (range.start != range.end)
      *tree_of_set(list, set) = cn_ranges_remove(&change, *tree_of_set(list, set), range);
  }
  publish_list(list, change.replaced, (struct cn_registered_image *)(uintptr_t)image);
}

/* ---- words ---- */

struct cairn_words cairn_words;

/* The parts of IMAGE_WORDS. */
static unsigned words_field(uint64_t code, unsigned shift, unsigned bits)
{
  return (unsigned)(code >> shift) & ((1u << bits) - 1);
}

/* The text of IMAGE_WORDS in the syntax of the compile options. */
static const char *format_words(uint64_t code, char text[CN_WORDS_TEXT_BYTES])
{
  unsigned reference_bits = words_field(code, 0, 4), integer_bits = words_field(code, 8, 8);
  size_t at = 0;

  if (code == 0)
    return "plain";
  CN_CHECK(reference_bits + integer_bits + 2 <= CN_WORDS_TEXT_BYTES);
  for (unsigned i = reference_bits; i-- > 0;)
    text[at++] = (char)('0' + words_field(code, 4 + i, 1));
  text[at++] = ':';
  for (unsigned i = integer_bits; i-- > 0;)
    text[at++] = (char)('0' + words_field(code, 16 + i, 1));
  text[at] = 0;
  return text;
}

const char *cn_image_name(const char *given, uintptr_t address, char file[CN_REPORT_PC])
{
  if (given != NULL)
    return given;
  return cn_os_find_module_file(address, file, CN_REPORT_PC) ? file : "code without a file";
}

bool cn_image_has_other_words(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                              char *fault, size_t size)
{
  bool any = atomic_load(&list_generation) != 0;
  uint64_t flags = any ? atomic_load(&joint_flags) : first != NULL ? first->flags : image->flags;
  char text[CN_WORDS_TEXT_BYTES], others[CN_WORDS_TEXT_BYTES], file[CN_REPORT_PC];

  if ((image->flags ^ flags) >> CAIRN_ABI_IMAGE_WORDS == 0)
    return false;
  snprintf(fault, size,
           "%s was compiled for words %s, and the rest of the program for words %s: compile "
           "all its parts with one -fcairn-words",
           cn_image_name(name, (uintptr_t)image, file), format_words(image->flags >> CAIRN_ABI_IMAGE_WORDS, text),
           format_words(flags >> CAIRN_ABI_IMAGE_WORDS, others));
  return true;
}

/* The first image defines the tags of words; each later image must have equal tags. */
static void adopt_words(const struct cairn_image *image)
{
  uint64_t code = image->flags >> CAIRN_ABI_IMAGE_WORDS;
  char fault[CN_IMAGE_FAULT_BYTES];

  if (words_field(code, 0, 4) > 3 || words_field(code, 8, 8) > 8 ||
      (code != 0 && (words_field(code, 0, 4) == 0 || words_field(code, 8, 8) == 0)))
    cairn_fatal("an image registers a damaged kind of words");
  if (atomic_load(&list_generation) == 0) {
    cairn_words.mask = ((uintptr_t)1 << words_field(code, 0, 4)) - 1;
    cairn_words.reference = words_field(code, 4, 4);
  } else if (cn_image_has_other_words(image, NULL, NULL, fault, sizeof fault)) {
    cairn_fatal("%s", fault);
  }
}

/* Called for the first image, the executable's, before a second thread starts. */
static void register_fork_handler(void)
{
  if (atomic_load(&list_generation) == 0)
    cn_os_register_child_handler(reset_readers_in_child);
}

/* Disjoint ranges and equal ranges are in order. The ranges of a set are disjoint or equal, so the first overlap tells
 * about all others. */
static bool has_partial_overlap(const struct cn_range_node *tree, const unsigned char *start, const unsigned char *stop)
{
  uintptr_t low = (uintptr_t)start, high = (uintptr_t)stop;
  const struct cn_range *other = low < high ? cn_ranges_find_overlap(tree, low, high) : NULL;

  return other != NULL && (other->start != low || other->end != high);
}

/* Two images may have exactly the same section, since a linker may have kept both images' records. */
static bool overlaps_other_images(const struct cn_image_list *list, const struct cairn_image *image)
{
  return has_partial_overlap(list->by_frames, image->frames_start, image->frames_stop) ||
         has_partial_overlap(list->by_layouts, image->layouts_start, image->layouts_stop);
}

bool cn_image_overlaps(const struct cairn_image *image)
{
  bool entered = cn_image_begin_reading(), overlaps = overlaps_other_images(cn_image_list(), image);

  cn_image_end_reading(entered);
  return overlaps;
}

/* Refuse an image whose sections overlap a registered image: the registered image has been unmapped without notice. */
static void check_image_overlap(const struct cn_image_list *list, const struct cairn_image *image)
{
  const struct cn_registered_image *own = find_image(list, image);

  if (own != NULL ? memcmp(&own->image, image, sizeof *image) != 0 : overlaps_other_images(list, image))
    cairn_fatal("an image is registered at 0x%lx, where another one is registered that is gone: "
                "call a module's 'leave' (<cairn/compile.h>) before it is removed",
                (unsigned long)(uintptr_t)image);
}

bool cn_image_add(const struct cairn_image *image)
{
  register_fork_handler();
  CN_CHECK(cn_images_lock());
  const struct cn_image_list *list = atomic_load(&current_list);
  bool is_new = find_image(list, image) == NULL;
  check_image_overlap(list, image);
  if (is_new) {
    adopt_words(image);
    atomic_fetch_or(&joint_flags, image->flags);
    publish_with_image(image);
  }
  cn_images_unlock();
  return is_new;
}

/* The joint flags stay: frames and objects of an image without safepoints may outlive the image. */
bool cn_image_remove(const struct cairn_image *image, cn_image_removal_callback *farewell, uint64_t *id)
{
  CN_CHECK(cn_images_lock());
  const struct cn_registered_image *own = find_image(atomic_load(&current_list), image);
  if (own != NULL) {
    *id = own->id;
    if (farewell != NULL)
      farewell(&own->image);
    publish_without_image(own);
  }
  cn_images_unlock();
  if (reader_slot_of_thread == 0)
    cn_readers_wait(&list_readers);
  return own != NULL;
}

/* ---- look-ups ---- */

const struct cairn_layout cn_filler_layouts[2] = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES}};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* the one offset of a flexible array */
const struct cairn_layout cn_state_layout = {.magic = CAIRN_ABI_LAYOUT_MAGIC,
                                             .base_size = CAIRN_ABI_DEOPT_STATE_ITEMS,
                                             .elem_size = CAIRN_ABI_DEOPT_ITEM_SIZE,
                                             .elem_offset = CAIRN_ABI_DEOPT_STATE_ITEMS,
                                             .elem_refs = 1,
                                             .offsets = {CAIRN_ABI_DEOPT_ITEM_REFERENCE}};
#pragma GCC diagnostic pop

static bool is_on_section_page(uintptr_t address, const void *start, const void *stop)
{
  size_t page = cn_os_page_bytes();

  return start != stop && address >= (uintptr_t)start / page * page &&
         address < ((uintptr_t)stop + page - 1) / page * page;
}

bool cn_images_have_section_on_page(uintptr_t address)
{
  bool entered = cn_image_begin_reading(), found = false;
  const struct cn_image_list *list = cn_image_list();

  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL && !found;
       at = cn_image_from(list, at->id + 1)) {
    const struct cairn_image *image = &at->image;
    found = is_on_section_page(address, image->frames_start, image->frames_stop) ||
            is_on_section_page(address, image->roots_start, image->roots_stop) ||
            is_on_section_page(address, image->layouts_start, image->layouts_stop) ||
            is_on_section_page(address, image->details_start, image->details_stop) ||
            is_on_section_page(address, image->points_start, image->points_stop);
  }
  cn_image_end_reading(entered);
  return found;
}

static bool is_stored_layout(const struct cairn_layout *layout)
{
  return cn_layout_store_has_address((uintptr_t)layout) && layout->magic == CAIRN_ABI_LAYOUT_MAGIC;
}

static bool is_registered_layout(const struct cn_image_list *list, uintptr_t address)
{
  const struct cairn_layout *layout = (const struct cairn_layout *)address;
  const struct cn_range *range =
      address < UINTPTR_MAX ? cn_ranges_find_overlap(list->by_layouts, address, address + 1) : NULL;

  return range != NULL && range->end - address >= sizeof *layout && address % _Alignof(struct cairn_layout) == 0 &&
         layout->magic == CAIRN_ABI_LAYOUT_MAGIC;
}

bool cairn_layout_is_filler(const struct cairn_layout *layout)
{
  return cn_is_filler_layout(layout);
}

bool cairn_layout_is_known(const struct cairn_layout *layout)
{
  if (is_stored_layout(layout))
    return true;
  bool entered = cn_image_begin_reading();
  bool known = is_registered_layout(cn_image_list(), (uintptr_t)layout);

  cn_image_end_reading(entered);
  return known || cn_is_filler_layout(layout) || layout == &cn_state_layout;
}
