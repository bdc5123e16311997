/* SPDX-License-Identifier: Apache-2.0
 *
 * Gives compiled code the places that the collector scans, so that a store to such a place needs no call. A record
 * covers the references of all globals of one image, a byte for each word, or described words in the frame of a
 * function's caller, by the return address. While an image is loaded, its roots and the frame map of a return address
 * are constant, so each record stays true until an image is removed.
 *
 * Runs on threads that check a store, in phase MUTATE, also in signal handlers; on the thread that removes an image.
 * The state is a table of callers and a list of globals. Both only grow; threads add to them by atomic operations. A
 * thread may read a record while another makes the record void: the removed image's memory is then still mapped.
 */
#include "runtime/roots/roots.h"

#include <stdatomic.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/os/os.h"

enum { CALLER_COUNT = 1024, MAX_PROBES = 8, WORD_BYTES = 8, MAX_GLOBAL_WORDS = 1 << 24 };

#define CHECK_OFFSET(type, field, NAME) _Static_assert(offsetof(type, field) == CAIRN_ABI_##NAME, "abi.def")
CHECK_OFFSET(struct cn_known_places, start, PLACES_START);
CHECK_OFFSET(struct cn_known_places, words, PLACES_WORDS);
CHECK_OFFSET(struct cn_known_places, caller, PLACES_CALLER);
CHECK_OFFSET(struct cn_known_places, rotation, PLACES_ROTATION);
CHECK_OFFSET(struct cn_store_site, in_caller, SITE_IN_CALLER);
CHECK_OFFSET(struct cn_store_site, in_globals, SITE_IN_GLOBALS);
_Static_assert(sizeof(struct cn_known_places) == CAIRN_ABI_PLACES_DESCRIBED, "abi.def");
_Static_assert(sizeof(struct cn_store_site) == CAIRN_ABI_SITE_SIZE, "abi.def");
CHECK_OFFSET(struct cn_copy_site, heap_start, SITE_HEAP_START);
CHECK_OFFSET(struct cn_copy_site, heap_end, SITE_HEAP_END);
_Static_assert(sizeof(struct cn_copy_site) == CAIRN_ABI_COPY_SITE_SIZE, "abi.def");

/* ---- callers ---- */

/* A free record has no caller. The number of words is stored last. */
static struct cn_known_places caller_table[CALLER_COUNT];
static _Atomic bool any_callers;

static bool is_caller_record(struct cn_known_places *record, const struct cn_caller_place *place)
{
  return atomic_load(&record->words) == place->words && atomic_load(&record->caller) == place->caller &&
         record->start == place->start && record->rotation == place->rotation;
}

static bool take_free_record(struct cn_known_places *record, const struct cn_caller_place *place)
{
  uintptr_t none = 0;

  if (!atomic_compare_exchange_strong(&record->caller, &none, place->caller))
    return false;
  record->start = place->start;
  record->rotation = place->rotation;
  atomic_store(&record->words, place->words);
  atomic_store(&any_callers, true);
  return true;
}

void cn_known_places_give_caller(struct cn_store_site *site, const struct cn_caller_place *place)
{
  size_t first = (place->caller ^ place->caller >> 10 ^ place->start >> 3) % CALLER_COUNT;

  CN_ASSERT(place->caller != 0 && place->words != 0);
  for (size_t i = 0; i < MAX_PROBES; i++) {
    struct cn_known_places *record = &caller_table[(first + i) % CALLER_COUNT];
    if (is_caller_record(record, place) || take_free_record(record, place)) {
      atomic_store(&site->in_caller, record);
      return;
    }
  }
}

/* ---- globals ---- */

/* The record of an image's globals, at the start of its mapping, with the bytes after it. */
struct global_record {
  struct global_record *next;
  const struct cairn_image *_Atomic image; /* null: removed */
  size_t bytes;                            /* of the mapping */
  struct cn_known_places places;
};
static struct global_record *_Atomic global_records;

static unsigned char *described_bytes(struct global_record *record)
{
  return (unsigned char *)(record + 1);
}

static bool has_described_word(struct global_record *record, uintptr_t slot)
{
  uintptr_t offset = slot - record->places.start;

  return offset % WORD_BYTES == 0 && offset / WORD_BYTES < atomic_load(&record->places.words) &&
         described_bytes(record)[offset / WORD_BYTES] != 0;
}

/* True if the root's words lie at the same addresses in all threads. */
static bool is_root_of_process(const struct cairn_global_root *root)
{
  return cn_image_shared_layout(root) == NULL && !cn_image_root_is_thread_local(root) &&
         cn_image_root_address(root) % WORD_BYTES == 0;
}

static void find_bounds(const struct cairn_image *image, uintptr_t *start, uintptr_t *end)
{
  CN_ASSERT(cn_image_is_reading());
  *start = UINTPTR_MAX;
  *end = 0;
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++) {
    if (!is_root_of_process(root))
      continue;
    uintptr_t address = cn_image_root_address(root), after = address + root->layout->base_size;
    *start = address < *start ? address : *start;
    *end = after > *end ? after : *end;
  }
}

static void mark_root(struct global_record *record, const struct cairn_global_root *root)
{
  uintptr_t first = cn_image_root_address(root) - record->places.start;
  const struct cairn_layout *layout = root->layout;

  CN_CHECK(sizeof *record + (first + layout->base_size) / WORD_BYTES <= record->bytes);
  for (uint32_t i = 0; i < layout->base_refs; i++)
    if (layout->offsets[i] % WORD_BYTES == 0 && layout->offsets[i] < layout->base_size)
      described_bytes(record)[(first + layout->offsets[i]) / WORD_BYTES] = 1;
}

/* Add a record of the image's globals. The record has no words if their range is too large. */
static void add_global_record(const struct cn_registered_image *image)
{
  uintptr_t start, end;

  CN_ASSERT(image->key != NULL);
  find_bounds(&image->image, &start, &end);
  uint64_t words = start < end ? (end - start) / WORD_BYTES : 0;
  if (words > MAX_GLOBAL_WORDS)
    words = 0;
  size_t page = cn_os_page_bytes(), bytes = (sizeof(struct global_record) + words + page - 1) / page * page;
  struct global_record *record = cn_os_resize_mapping(NULL, 0, bytes);
  if (record == NULL)
    return;
  *record = (struct global_record){.image = image->key, .bytes = bytes, .places.start = start};
  for (const struct cairn_global_root *root = image->image.roots_start; words != 0 && root != image->image.roots_stop;
       root++)
    if (is_root_of_process(root))
      mark_root(record, root);
  atomic_store(&record->places.words, words);
  record->next = atomic_load(&global_records);
  while (!atomic_compare_exchange_weak(&global_records, &record->next, record))
    ;
}

static bool has_record(const struct cairn_image *image)
{
  for (struct global_record *record = atomic_load(&global_records); record != NULL; record = record->next)
    if (atomic_load(&record->image) == image)
      return true;
  return false;
}

static bool has_root_at(const struct cairn_image *image, uintptr_t slot)
{
  CN_ASSERT(cn_image_is_reading());
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++)
    if (is_root_of_process(root) && slot - cn_image_root_address(root) < root->layout->base_size)
      return true;
  return false;
}

static void add_record_of_slot(uintptr_t slot)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();

  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL;
       image = cn_image_with_roots_from(list, image->id + 1))
    if (!has_record(image->key) && has_root_at(&image->image, slot))
      add_global_record(image);
  cn_image_end_reading(entered);
}

static struct global_record *find_record_of_slot(uintptr_t slot)
{
  struct global_record *record = atomic_load(&global_records);

  while (record != NULL && !has_described_word(record, slot))
    record = record->next;
  return record;
}

void cn_known_places_give_globals(struct cn_store_site *site, uintptr_t slot)
{
  struct global_record *record = find_record_of_slot(slot);

  CN_ASSERT(site != NULL && slot % WORD_BYTES == 0);
  if (record == NULL) {
    add_record_of_slot(slot);
    record = find_record_of_slot(slot);
  }
  if (record != NULL)
    atomic_store(&site->in_globals, &record->places);
}

/* ---- removal ---- */

/* A return address may belong to any image, so all callers become void. */
void cn_known_places_forget_image(const struct cairn_image *image)
{
  CN_ASSERT(image != NULL);
  for (size_t i = 0; atomic_load(&any_callers) && i < CALLER_COUNT; i++)
    atomic_store(&caller_table[i].words, 0);
  atomic_store(&any_callers, false);
  for (struct global_record *record = atomic_load(&global_records); record != NULL; record = record->next) {
    if (atomic_load(&record->image) != image)
      continue;
    atomic_store(&record->places.words, 0);
    atomic_store(&record->image, NULL);
    if (record->bytes > cn_os_page_bytes())
      cn_os_discard_contents((uintptr_t)record + cn_os_page_bytes(), record->bytes - cn_os_page_bytes());
  }
}
