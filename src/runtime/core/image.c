/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the list of images, and finds their code, the pages of their sections and their layouts by address. The file
 * owns the published list and the replaced lists, the count of readers, the joint flags of all images, and the
 * program's word tags (`cairn_words`). Any thread reads a published list, which never changes, between
 * cn_image_begin_reading() and cn_image_end_reading() (readers.h), without a lock. A writer holds CN_LOCK_IMAGES, makes
 * a new list, and publishes it.
 *
 * An image may be added in any phase: its managed code has not run yet, so a concurrent collection misses nothing. An
 * image is removed while collections are excluded, and its sections stay mapped until the last reader that may see them
 * has left.
 */
#include "runtime/core/image.h"

#include <stdatomic.h>
#include <string.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "base/sorted.h"
#include "framemap/framemap.h"
#include "runtime/core/lock.h"
#include "runtime/core/readers.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

enum { CN_WORDS_TEXT_BYTES = 16 };

struct layout_range {
  uintptr_t start;
  size_t bytes;
};

static struct cn_image_list empty_list;
static struct cn_image_list *_Atomic current_list = &empty_list;
static struct cn_image_list *retired_lists; /* the newest of the replaced lists */
static _Atomic uint64_t list_generation, joint_flags;
static _Atomic bool has_frame_maps;

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
  size_t count = cn_image_list()->count;

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
  return atomic_load(&has_frame_maps);
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

static struct layout_range *layout_ranges_of(const struct cn_image_list *list)
{
  return (struct layout_range *)(uintptr_t)&list->at[list->count];
}

static size_t list_bytes_of(size_t count, size_t ranges)
{
  size_t page = cn_os_page_bytes();
  size_t bytes =
      sizeof(struct cn_image_list) + count * sizeof(struct cn_registered_image) + ranges * sizeof(struct layout_range);

  return (bytes + page - 1) / page * page;
}

static struct cn_image_list *allocate_list(size_t count, size_t ranges)
{
  struct cn_image_list *list = cn_os_resize_mapping(NULL, 0, list_bytes_of(count, ranges));

  if (list == NULL)
    cn_report_out_of_memory("no memory for a list of %zu images", count);
  list->count = count;
  list->ranges = ranges;
  return list;
}

static size_t find_image(const struct cn_image_list *list, const struct cairn_image *image)
{
  size_t i = 0;

  while (i < list->count && list->at[i].key != image)
    i++;
  return i;
}

/* The number of layout ranges that begin at or below the address. */
static size_t count_ranges_below(const struct cn_image_list *list, uintptr_t address)
{
  const struct layout_range *ranges = layout_ranges_of(list);

  return cn_sorted_count_below(ranges, list->ranges, sizeof *ranges, address + 1);
}

static struct layout_range layout_range_of(const struct cairn_image *image)
{
  return (struct layout_range){(uintptr_t)image->layouts_start, (size_t)(image->layouts_stop - image->layouts_start)};
}

/* Two images may share one section of layouts, since a linker may have kept both images' records. */
static size_t find_layout_range(const struct cn_image_list *list, struct layout_range range)
{
  const struct layout_range *ranges = layout_ranges_of(list);
  size_t i = count_ranges_below(list, range.start);

  while (i > 0 && (ranges[i - 1].start != range.start || ranges[i - 1].bytes != range.bytes))
    i--;
  CN_CHECK(i > 0);
  return i - 1;
}

/* Copy the items of `old` to `to`: with a gap for a new item at index `at`, or without the item at `at`. */
static void copy_items_around(void *to, const void *old, size_t count, size_t at, size_t item, bool more)
{
  size_t rest = count - at - !more;

  memcpy(to, old, at * item);
  memcpy((char *)to + (at + more) * item, (const char *)old + (at + !more) * item, rest * item);
}

static struct cn_image_list *copy_with_image(const struct cn_image_list *old, const struct cairn_image *image)
{
  struct layout_range range = layout_range_of(image);
  size_t at = count_ranges_below(old, range.start);
  struct cn_image_list *list = allocate_list(old->count + 1, old->ranges + (range.bytes != 0));

  copy_items_around(list->at, old->at, old->count, old->count, sizeof *list->at, true);
  list->at[old->count] = (struct cn_registered_image){image, *image, old->generation};
  if (range.bytes == 0) {
    memcpy(layout_ranges_of(list), layout_ranges_of(old), old->ranges * sizeof range);
  } else {
    copy_items_around(layout_ranges_of(list), layout_ranges_of(old), old->ranges, at, sizeof range, true);
    layout_ranges_of(list)[at] = range;
  }
  return list;
}

static struct cn_image_list *copy_without_image(const struct cn_image_list *old, size_t i)
{
  struct layout_range range = layout_range_of(&old->at[i].image);
  struct cn_image_list *list = allocate_list(old->count - 1, old->ranges - (range.bytes != 0));

  copy_items_around(list->at, old->at, old->count, i, sizeof *list->at, false);
  if (range.bytes == 0)
    memcpy(layout_ranges_of(list), layout_ranges_of(old), old->ranges * sizeof range);
  else
    copy_items_around(layout_ranges_of(list), layout_ranges_of(old), old->ranges, find_layout_range(old, range),
                      sizeof range, false);
  return list;
}

static const char *ranges_wrong(const struct cn_image_list *list)
{
  const struct layout_range *ranges = layout_ranges_of(list);
  size_t count = 0;

  for (size_t i = 0; i < list->count; i++)
    count += layout_range_of(&list->at[i].image).bytes != 0;
  for (size_t i = 1; i < list->ranges; i++)
    if (ranges[i].start < ranges[i - 1].start)
      return "images: the ranges of layouts are not sorted";
  return count == list->ranges ? NULL : "images: not a range for each that has layouts";
}

const char *cn_images_wrong(void)
{
  const struct cn_image_list *list = atomic_load(&current_list);
  uint64_t all = 0;

  for (size_t i = 0; i < list->count; i++) {
    if (find_image(list, list->at[i].key) != i)
      return "images: one is registered twice";
    if (list->at[i].id >= list->generation || (i > 0 && list->at[i].id <= list->at[i - 1].id))
      return "images: the ids do not go up to the generation";
    if ((list->at[i].image.flags ^ atomic_load(&joint_flags)) >> CAIRN_ABI_IMAGE_WORDS != 0)
      return "images: words of one are told apart otherwise";
    all |= list->at[i].image.flags;
  }
  if ((all & ~atomic_load(&joint_flags)) != 0)
    return "images: the flags of one are missing";
  return ranges_wrong(list);
}

bool cn_image_shares_layouts(const struct cairn_image *image)
{
  const struct cn_image_list *list = atomic_load(&current_list);
  size_t same = 0;

  for (size_t i = 0; i < list->count; i++)
    same += image->layouts_start != image->layouts_stop && list->at[i].image.layouts_start == image->layouts_start;
  return same > 1;
}

/* ---- writers ---- */

/* Free each replaced list that all readers have left, with all older lists. */
static void free_retired(void)
{
  struct cn_image_list **at = &retired_lists;

  while (*at != NULL && !cn_readers_have_left(&list_readers, (*at)->since))
    at = &(*at)->older;
  for (struct cn_image_list *list = *at, *older; list != NULL; list = older) {
    older = list->older;
    cn_os_free_mapping(list, list_bytes_of(list->count, list->ranges));
  }
  *at = NULL;
}

static bool list_has_frames(const struct cn_image_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i].image.frames_start != list->at[i].image.frames_stop)
      return true;
  return false;
}

static void publish_list(struct cn_image_list *list)
{
  struct cn_image_list *old = atomic_load(&current_list);

  list->generation = old->generation + 1;
  atomic_store(&current_list, list);
  atomic_store(&list_generation, list->generation);
  atomic_store(&has_frame_maps, list_has_frames(list));
  CN_ASSERT_VALID(cn_images_wrong());
  if (old != &empty_list) {
    old->since = cn_readers_current_generation(&list_readers);
    old->older = retired_lists;
    retired_lists = old;
  }
  free_retired();
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

/* The first image defines the tags of words; each later image must have equal tags. */
static void adopt_words(const struct cairn_image *image)
{
  uint64_t code = image->flags >> CAIRN_ABI_IMAGE_WORDS, first = atomic_load(&joint_flags) >> CAIRN_ABI_IMAGE_WORDS;
  char text[CN_WORDS_TEXT_BYTES], others[CN_WORDS_TEXT_BYTES], file[CN_REPORT_PC];

  if (words_field(code, 0, 4) > 3 || words_field(code, 8, 8) > 8 ||
      (code != 0 && (words_field(code, 0, 4) == 0 || words_field(code, 8, 8) == 0)))
    cairn_fatal("an image registers a damaged kind of words");
  if (atomic_load(&list_generation) == 0) {
    cairn_words.mask = ((uintptr_t)1 << words_field(code, 0, 4)) - 1;
    cairn_words.reference = words_field(code, 4, 4);
  } else if (code != first) {
    cairn_fatal("%s was compiled for words %s, and the rest of the program for words %s: compile "
                "all its parts with one -fcairn-words",
                cn_os_find_module_file((uintptr_t)image, file, sizeof file) ? file : "code without a file",
                format_words(code, text), format_words(first, others));
  }
}

/* Called for the first image, the executable's, before a second thread starts. */
static void register_fork_handler(void)
{
  if (atomic_load(&list_generation) == 0)
    cn_os_register_child_handler(reset_readers_in_child);
}

static bool has_partial_overlap(const unsigned char *start, const unsigned char *stop,
                                const unsigned char *others_start, const unsigned char *others_stop)
{
  return start < others_stop && others_start < stop && (start != others_start || stop != others_stop);
}

/* Refuse an image whose sections overlap a registered image: the registered image has been unmapped without notice. Two
 * images may have exactly the same section, since a linker may have kept both images' records. */
static void check_image_overlap(const struct cn_image_list *list, const struct cairn_image *image)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_image *other = &list->at[i].image;
    bool stale = list->at[i].key == image ? memcmp(other, image, sizeof *image) != 0
                                          : has_partial_overlap(image->frames_start, image->frames_stop,
                                                                other->frames_start, other->frames_stop) ||
                                                has_partial_overlap(image->layouts_start, image->layouts_stop,
                                                                    other->layouts_start, other->layouts_stop);
    if (stale)
      cairn_fatal("an image is registered at 0x%lx, where another one is registered that is gone: "
                  "call a module's 'leave' (<cairn/compile.h>) before it is removed",
                  (unsigned long)(uintptr_t)image);
  }
}

bool cn_image_add(const struct cairn_image *image)
{
  register_fork_handler();
  CN_CHECK(cn_images_lock());
  const struct cn_image_list *list = atomic_load(&current_list);
  bool is_new = find_image(list, image) == list->count;
  check_image_overlap(list, image);
  if (is_new) {
    adopt_words(image);
    atomic_fetch_or(&joint_flags, image->flags);
    publish_list(copy_with_image(list, image));
  }
  cn_images_unlock();
  return is_new;
}

/* The joint flags stay: frames and objects of an image without safepoints may outlive the image. */
void cn_image_remove(const struct cairn_image *image, cn_image_removal_callback *farewell)
{
  CN_CHECK(cn_images_lock());
  const struct cn_image_list *list = atomic_load(&current_list);
  size_t i = find_image(list, image);
  if (i != list->count) {
    if (farewell != NULL)
      farewell(&list->at[i].image);
    publish_list(copy_without_image(list, i));
  }
  cn_images_unlock();
  if (reader_slot_of_thread == 0)
    cn_readers_wait(&list_readers);
}

/* ---- look-ups ---- */

const struct cairn_layout cn_filler_layouts[2] = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES}};

/* True if the image's frame maps describe code in [start, end), or are unreadable. */
static bool image_has_code(const struct cairn_image *image, uintptr_t start, uintptr_t end)
{
  const unsigned char *cursor = image->frames_start;
  struct cn_framemap_function function;
  int status = CN_FRAMEMAP_NONE;

  while (cursor != NULL &&
         (status = cn_framemap_next_function(&cursor, image->frames_stop, &function)) == CN_FRAMEMAP_OK)
    if (start < function.entry + function.code_size && end > function.entry)
      return true;
  return status == CN_FRAMEMAP_BAD;
}

bool cn_images_have_code_in(uintptr_t start, uintptr_t end)
{
  bool entered = cn_image_begin_reading(), found = false;
  const struct cn_image_list *list = cn_image_list();

  CN_ASSERT(start <= end);
  for (size_t i = 0; i < list->count && !found; i++)
    found = image_has_code(&list->at[i].image, start, end);
  cn_image_end_reading(entered);
  return found;
}

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

  for (size_t i = 0; i < list->count && !found; i++) {
    const struct cairn_image *image = &list->at[i].image;
    found = is_on_section_page(address, image->frames_start, image->frames_stop) ||
            is_on_section_page(address, image->roots_start, image->roots_stop) ||
            is_on_section_page(address, image->layouts_start, image->layouts_stop) ||
            is_on_section_page(address, image->details_start, image->details_stop) ||
            is_on_section_page(address, image->points_start, image->points_stop);
  }
  cn_image_end_reading(entered);
  return found;
}

static bool is_registered_layout(const struct cn_image_list *list, uintptr_t address)
{
  size_t below = count_ranges_below(list, address);
  const struct layout_range *range = &layout_ranges_of(list)[below - 1];
  const struct cairn_layout *layout = (const struct cairn_layout *)address;

  return below > 0 && address - range->start < range->bytes &&
         range->bytes - (address - range->start) >= sizeof *layout && address % _Alignof(struct cairn_layout) == 0 &&
         layout->magic == CAIRN_ABI_LAYOUT_MAGIC;
}

bool cairn_layout_is_known(const struct cairn_layout *layout)
{
  bool entered = cn_image_begin_reading();
  bool known = is_registered_layout(cn_image_list(), (uintptr_t)layout);

  cn_image_end_reading(entered);
  return known || cn_is_filler_layout(layout);
}
