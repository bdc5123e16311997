/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the sorted functions of each image and the sets that find them, the hash table of the safepoints that walks have
 * met, and the list of replaced tables. Adopts new images, drops removed images, and frees replaced tables. Runs on any
 * thread, in any phase, except that replaced tables are freed in a stop, before phase STOP. CN_LOCK_FRAMES guards all
 * writes, and reads of functions, sets and list; look-ups read the hash table, and the atomic generation of the adopted
 * list of images, without a lock (cn_index_enter()).
 */
#include "runtime/walk/index.h"

#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/arch/arch.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/tables/ranges.h"
#include "runtime/walk/decode.h"
#include "runtime/walk/walk.h"

/* ---- functions ---- */

struct indexed_function {
  uintptr_t entry;
  uint32_t code_size;
  uint32_t offset; /* offset in the image's section */
};

/* Adopted images lie in a set by id. Functions with gaps of at most MAX_GAP_BYTES between them form a segment; the set
 * of segments finds an image by an address of code. Images may overlap, because two images may have maps of one
 * function, and modules may alternate in memory. */
struct image_code {
  uint64_t id;
  const unsigned char *start, *stop;
  struct indexed_function *functions; /* by entry */
  size_t count, room;
  uintptr_t low, high;   /* the range of all functions' code */
  uintptr_t no_barriers; /* the entry of a function with undeclared barriers, or 0 */
  struct cn_map_memory maps;
  struct kept_data *kept;
};

/* Data of cn_index_keep(). */
struct kept_data {
  struct kept_data *next;
  size_t bytes; /* of all, this head included */
  _Alignas(16) unsigned char at[];
};

enum { MAX_GAP_BYTES = 4096, MAX_UNADOPTED_IMAGES = 64, MAX_KEPT_FUNCTIONS = 4096 };

static const struct cn_range_node *codes, *segments;
static const struct cn_range_node *without_barriers;          /* by id, images with such functions */
static struct cn_blocks index_memory;                         /* of adopted images, their sets and decoded maps */
static CN_GROW(struct indexed_function) functions_of_section; /* scratch of add_image_code() */
static _Atomic uint64_t synced_generation; /* the generation of the adopted list of images; 0: unset */

_Noreturn static void report_bad_map(const char *what, uintptr_t entry)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad frame map: %s, function %s", what, cn_report_format_pc(entry, place));
}

static struct cn_framemap_function read_function(const struct image_code *code, size_t index)
{
  CN_ASSERT(index < code->count);
  const unsigned char *cursor = code->start + code->functions[index].offset;
  struct cn_framemap_function function;

  if (cn_framemap_next_function(CN_ARCH_FRAME_PORT, &cursor, code->stop, &function) != CN_FRAMEMAP_OK)
    report_bad_map("it has changed", code->functions[index].entry);
  return function;
}

static uintptr_t end_of(const struct indexed_function *function)
{
  return function->entry + function->code_size;
}

/* Reads the section into `functions_of_section`. Returns the entry of a function with undeclared barriers, or 0. */
static uintptr_t read_functions(const struct image_code *code)
{
  const unsigned char *cursor = code->start;
  struct cn_framemap_function function;
  int status = CN_FRAMEMAP_NONE;
  uintptr_t no_barriers = 0;

  functions_of_section.count = 0;
  if ((size_t)(code->stop - code->start) > UINT32_MAX)
    cairn_fatal("section cairn_frames of image %lu is larger than 4 GB", (unsigned long)code->id);
  for (;;) {
    const unsigned char *before = cursor;
    if (cursor == NULL ||
        (status = cn_framemap_next_function(CN_ARCH_FRAME_PORT, &cursor, code->stop, &function)) != CN_FRAMEMAP_OK)
      break;
    if (function.no_barriers)
      no_barriers = function.entry;
    /* The offset includes padding before the function, which read_function() skips again. */
    cn_grow_push(&functions_of_section,
                 (struct indexed_function){function.entry, function.code_size, (uint32_t)(before - code->start)});
  }
  if (status != CN_FRAMEMAP_NONE)
    cairn_fatal("bad frame map: image %lu, offset %zu of section cairn_frames", (unsigned long)code->id,
                (size_t)(cursor - code->start));
  return no_barriers;
}

/* Removes duplicates: a linker that folds identical functions leaves one body with several equal maps. Any other
 * overlap is an error. */
static void check_functions(struct image_code *code)
{
  size_t kept = 0;

  for (size_t i = 0; i < code->count; i++) {
    CN_ASSERT(i == 0 || code->functions[i - 1].entry <= code->functions[i].entry);
    struct indexed_function *function = &code->functions[i];
    if (kept > 0) {
      struct indexed_function *before = &code->functions[kept - 1];
      if (before->entry == function->entry) {
        struct cn_framemap_function one = read_function(code, kept - 1);
        struct cn_framemap_function other = read_function(code, i);
        if (!cn_framemap_is_same(&one, &other))
          report_bad_map("two different maps of one function", function->entry);
        continue;
      }
      if (function->entry < end_of(before))
        report_bad_map("it lies in another function", function->entry);
    }
    code->functions[kept++] = *function;
  }
  code->count = kept;
  if (kept > 0) {
    code->low = code->functions[0].entry;
    code->high = end_of(&code->functions[kept - 1]);
  }
}

/* ---- the table ---- */

enum { MIN_TABLE_BITS = 9 };

/* The table before the first entry. */
static struct {
  struct cn_index index;
  struct cn_index_entry at[2];
} empty_table = {.index = {.shift = 58, .mask = 1}};
struct cn_index *_Atomic cn_index_current = &empty_table.index;

/* Replaced tables that other threads may still read. */
static CN_GROW(struct {
  struct cn_index *index;
  uint64_t since; /* cn_image_readers_have_left() */
  bool seen;      /* an earlier cn_index_free_replaced() has seen the table */
}) replaced;

static bool is_index_locked(void)
{
  return (cn_locks_held_by_thread() >> CN_LOCK_FRAMES & 1) != 0;
}

static struct cn_index *current_table(void)
{
  return atomic_load_explicit(&cn_index_current, memory_order_relaxed);
}

static size_t table_bytes(size_t entries)
{
  size_t page = cn_os_page_bytes();

  return (sizeof(struct cn_index) + entries * sizeof(struct cn_index_entry) + page - 1) / page * page;
}

static void put_entry(struct cn_index *index, uint64_t key, uint64_t value)
{
  uint64_t there;

  CN_ASSERT(key >> CN_ENTRY_ADDRESS_SHIFT != 0 && value != 0);
  CN_ASSERT(index->used <= index->mask / 2); /* so that a search ends */
  struct cn_index_entry *entry =
      (struct cn_index_entry *)(uintptr_t)cn_index_find_entry(index, key >> CN_ENTRY_ADDRESS_SHIFT, &there);

  if (entry == NULL) {
    size_t i = (size_t)(cn_index_first_probe(index, key >> CN_ENTRY_ADDRESS_SHIFT) - index->at);
    while (atomic_load_explicit(&index->at[i].key, memory_order_relaxed) != 0)
      i = (i + 1) & index->mask;
    entry = &index->at[i];
    index->used++;
  }
  cn_maps_copy_codes(cn_entry_map_of(value), entry->code);
  /* A reused entry already has its key, without a size, and readers may find the new value by this key. */
  atomic_store_explicit(&entry->value, value, memory_order_release);
  atomic_store_explicit(&entry->key, key, memory_order_release);
}

static const char *entry_wrong(const struct cn_index *index, size_t i)
{
  const struct cn_index_entry *entry = &index->at[i];
  uint64_t key = atomic_load_explicit(&entry->key, memory_order_relaxed), there;
  uint64_t value = atomic_load_explicit(&entry->value, memory_order_relaxed);
  uintptr_t pc = key >> CN_ENTRY_ADDRESS_SHIFT;

  if (key == 0)
    return value == 0 ? NULL : "index of return addresses: a value without a key";
  if (cn_index_find_entry(index, pc, &there) != entry)
    return "index of return addresses: a search does not end at its entry";
  if (value == 0)
    return (key & CN_ENTRY_SIZE_MASK) == 0 ? NULL : "index of return addresses: an entry without a map has a size";
  if (value != cn_maps_entry_value(cn_entry_map_of(value)) || key != cn_maps_entry_key(cn_entry_map_of(value), pc))
    return "index of return addresses: an entry does not say what its map does";
  return NULL;
}

const char *cn_index_wrong(const struct cn_index *index)
{
  size_t used = 0;
  const char *wrong = NULL;

  if ((index->mask & (index->mask + 1)) != 0 ||
      index->shift + (unsigned)__builtin_ctzl((index->mask + 1) * sizeof(struct cn_index_entry)) != 64)
    return "index of return addresses: its size is no power of two";
  for (size_t i = 0; i <= index->mask; i++)
    used += atomic_load_explicit(&index->at[i].key, memory_order_relaxed) != 0;
  if (used != index->used || used > (index->mask + 1) / 2)
    return "index of return addresses: too many entries are used, or not as many as it says";
  for (size_t i = 0; i <= index->mask && wrong == NULL; i++)
    wrong = entry_wrong(index, i);
  return wrong;
}

/* Make a new table, at most a quarter full, with the entries of loaded images. */
static void replace_table(void)
{
  struct cn_index *old = current_table(), *index;
  size_t live = 0, bits = MIN_TABLE_BITS;

  CN_ASSERT(is_index_locked());
  CN_ASSERT_VALID(cn_index_wrong(old));
  for (size_t i = 0; i <= old->mask; i++)
    live += atomic_load_explicit(&old->at[i].value, memory_order_relaxed) != 0;
  while ((size_t)1 << bits < 4 * live)
    bits++;
  index = cn_os_resize_mapping(NULL, 0, table_bytes((size_t)1 << bits));
  if (index == NULL)
    cn_report_out_of_memory("no memory for an index of %zu safepoints", live);
  cn_os_prefer_large_pages((uintptr_t)index, table_bytes((size_t)1 << bits));
  index->shift = 59 - (unsigned)bits;
  index->mask = ((size_t)1 << bits) - 1;
  for (size_t i = 0; i <= old->mask; i++) {
    uint64_t value = atomic_load_explicit(&old->at[i].value, memory_order_relaxed);
    if (value != 0)
      put_entry(index, atomic_load_explicit(&old->at[i].key, memory_order_relaxed), value);
  }
  CN_ASSERT_VALID(cn_index_wrong(index));
  atomic_store(&cn_index_current, index);
  if (old != &empty_table.index)
    cn_grow_push(&replaced, (typeof(*replaced.at)){old, cn_image_reader_generation(), false});
}

static void insert_entry(uint64_t key, uint64_t value)
{
  if (current_table()->used >= (current_table()->mask + 1) / 2)
    replace_table();
  put_entry(current_table(), key, value);
}

/* Clear value and size. The key stays, so that searches for other entries continue past it. */
static void clear_entry(const struct cn_frame_map *map, uintptr_t pc)
{
  uint64_t key;
  struct cn_index_entry *entry = (struct cn_index_entry *)(uintptr_t)cn_index_find_entry(current_table(), pc, &key);

  CN_ASSERT(is_index_locked());
  CN_CHECK(entry != NULL && cn_entry_map_of(atomic_load_explicit(&entry->value, memory_order_relaxed)) == map);
  atomic_store_explicit(&entry->key, key & ~(uint64_t)CN_ENTRY_SIZE_MASK, memory_order_relaxed);
  atomic_store_explicit(&entry->value, 0, memory_order_release);
}

/* ---- new and removed images ---- */

/* One change of a set, in memory that no other thread reads. */
static void change_set(const struct cn_range_node **set, struct cn_range range, bool insert)
{
  struct cn_range_change change = {.blocks = &index_memory};

  CN_ASSERT(is_index_locked());
  if (!cn_blocks_reserve(&index_memory, cn_ranges_change_bytes(*set)))
    cn_report_out_of_memory("no memory for an index of %zu images", cn_ranges_count(codes));
  *set = insert ? cn_ranges_insert(&change, *set, range) : cn_ranges_remove(&change, *set, range);
  cn_ranges_free_replaced(&index_memory, change.replaced);
}

static void change_segments(struct image_code *code, bool insert)
{
  for (size_t i = 0, first = 0; i < code->count; i++)
    if (i + 1 == code->count || code->functions[i + 1].entry - end_of(&code->functions[i]) > MAX_GAP_BYTES) {
      change_set(&segments, (struct cn_range){code->functions[first].entry, end_of(&code->functions[i]) + 1, code},
                 insert);
      first = i + 1;
    }
}

static void change_sets(struct image_code *code, bool insert)
{
  change_set(&codes, (struct cn_range){code->id, code->id + 1, code}, insert);
  if (code->no_barriers)
    change_set(&without_barriers, (struct cn_range){code->id, code->id + 1, code}, insert);
  change_segments(code, insert);
}

static void *take_memory(size_t bytes)
{
  void *memory = cn_blocks_take(&index_memory, bytes);

  if (memory == NULL)
    cn_report_out_of_memory("no memory for an index of %zu images", cn_ranges_count(codes));
  return memory;
}

static size_t functions_bytes_of(size_t count)
{
  return count * sizeof(struct indexed_function);
}

static void free_kept_data(struct image_code *code)
{
  for (struct kept_data *kept = code->kept, *next; kept != NULL; kept = next) {
    next = kept->next;
    cn_blocks_give(&index_memory, kept, kept->bytes);
  }
  code->kept = NULL;
}

static void drop_image_code(struct image_code *code)
{
  change_sets(code, false);
  cn_maps_visit(&code->maps, clear_entry);
  CN_ASSERT_VALID(cn_index_wrong(current_table()));
  cn_maps_free(&code->maps, &index_memory);
  free_kept_data(code);
  if (code->room != 0)
    cn_blocks_give(&index_memory, code->functions, functions_bytes_of(code->room));
  cn_blocks_give(&index_memory, code, sizeof *code);
}

static void add_image_code(const struct cn_registered_image *image)
{
  struct image_code *code = take_memory(sizeof *code);

  *code = (struct image_code){.id = image->id, .start = image->image.frames_start, .stop = image->image.frames_stop};
  code->no_barriers = read_functions(code);
  code->count = code->room = functions_of_section.count;
  if (code->room != 0) {
    code->functions = take_memory(functions_bytes_of(code->room));
    memcpy(code->functions, functions_of_section.at, functions_bytes_of(code->room));
  }
  if (functions_of_section.room > MAX_KEPT_FUNCTIONS)
    cn_grow_free_array(&functions_of_section);
  cn_sort_by_address(code->functions, code->count, sizeof *code->functions);
  check_functions(code);
  change_sets(code, true);
  cn_native_pcs_clear();
}

static bool is_up_to_date(void)
{
  return cn_image_list_generation() == atomic_load_explicit(&synced_generation, memory_order_acquire);
}

/* Adopts the images that were added after the last adoption; cn_index_forget_image() drops removed images. Images that
 * are added later wait for the next call, because stacks that are being walked have no activations of these images. */
static void adopt_new_images(void)
{
  if (is_up_to_date())
    return;
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  uint64_t id = atomic_load_explicit(&synced_generation, memory_order_relaxed);
  for (const struct cn_registered_image *image; (image = cn_image_from(list, id)) != NULL; id = image->id + 1)
    add_image_code(image);
  /* otherwise an image's roots would be skipped */
  CN_CHECK(cn_ranges_count(codes) >= cn_ranges_count(list->by_id));
  atomic_store_explicit(&synced_generation, list->generation, memory_order_release);
  cn_image_end_reading(entered);
}

static void leave_index(void)
{
  cn_lock_release(CN_LOCK_FRAMES);
}

static bool try_enter_index(void)
{
  if (!cn_lock_take(CN_LOCK_FRAMES))
    return false;
  adopt_new_images();
  return true;
}

/* Take the lock, or end the program: without the lock, a walk would treat managed code as native and skip its roots. */
static void enter_index(void)
{
  if (!try_enter_index())
    cairn_fatal("the stack is walked in a signal handler that has interrupted the runtime");
}

/* ---- look-ups ---- */

/* Find the function with the call that returns to `pc`: the last function that starts below pc. The call may be the
 * function's last instruction, so a segment has one more byte than its code. */
static bool search_functions(uintptr_t pc, struct image_code **code, size_t *index)
{
  const struct cn_range *range = NULL;

  CN_ASSERT(is_index_locked());
  while (pc != UINTPTR_MAX && (range = cn_ranges_next_overlap(segments, range, pc, pc + 1)) != NULL) {
    struct image_code *found = range->value;
    const struct indexed_function *at = found->functions;
    size_t below = cn_sorted_count_below(at, found->count, sizeof *at, pc);
    if (below > 0 && pc - at[below - 1].entry <= at[below - 1].code_size) {
      *code = found;
      *index = below - 1;
      return true;
    }
  }
  return false;
}

static bool find_function_or_note_native(uintptr_t pc, struct image_code **code, size_t *index)
{
  if (search_functions(pc, code, index))
    return true;
  cn_native_pcs_add(pc);
  return false;
}

static bool find_safepoint(const struct cn_framemap_function *function, uintptr_t pc, uint32_t *index)
{
  uint32_t low = 0, high = function->safepoints, offset;

  CN_ASSERT(function->entry < pc && pc - function->entry <= function->code_size);
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (cn_framemap_read_return_offset(function, middle, &offset) != CN_FRAMEMAP_OK || offset > function->code_size)
      report_bad_map("a return offset cannot be read", function->entry);
    if (function->entry + offset == pc) {
      *index = middle;
      return true;
    }
    if (function->entry + offset < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static enum cn_frames find_or_decode_map(uintptr_t pc, uint64_t *key, uint64_t *value)
{
  struct image_code *code;
  size_t index;
  uint32_t safepoint;

  if (cn_index_look_up_entry(pc, key, value)) /* another thread has added the entry */
    return CN_FRAMES_FOUND;
  if (!find_function_or_note_native(pc, &code, &index))
    return CN_FRAMES_NONE;
  struct cn_framemap_function function = read_function(code, index);
  if (!find_safepoint(&function, pc, &safepoint))
    return CN_FRAMES_NO_SAFEPOINT;
  const struct cn_frame_map *map = cn_maps_decode_safepoint(&code->maps, &index_memory, &function, safepoint, pc);
  *key = cn_maps_entry_key(map, pc);
  *value = cn_maps_entry_value(map);
  insert_entry(*key, *value);
  CN_ASSERT(cn_index_look_up_map(pc) == map);
  return CN_FRAMES_FOUND;
}

enum cn_frames cn_index_find_or_decode(uintptr_t pc, uint64_t *key, uint64_t *value)
{
  if (is_up_to_date() && cn_native_pcs_contain(pc)) /* in this order */
    return CN_FRAMES_NONE;
  enter_index();
  enum cn_frames found = find_or_decode_map(pc, key, value);
  leave_index();
  return found;
}

/* The image that has decoded the map; two images may have the same code. */
static struct image_code *find_image_of_map(const struct cn_frame_map *map, uintptr_t pc)
{
  const struct cn_range *range = NULL;

  CN_ASSERT(is_index_locked());
  while ((range = cn_ranges_next_overlap(segments, range, pc, pc + 1)) != NULL) {
    struct image_code *code = range->value;
    if (cn_maps_have(&code->maps, map))
      return code;
  }
  return NULL;
}

static const void *keep_data(const struct cn_frame_map *map, size_t bytes, cn_index_fill *fill, void *env)
{
  struct cn_map_prefix *prefix = (struct cn_map_prefix *)(uintptr_t)map - 1;
  struct image_code *code = find_image_of_map(map, prefix->pc);

  CN_CHECK(code != NULL); /* otherwise the image was removed */
  struct kept_data *kept = cn_blocks_take(&index_memory, sizeof *kept + bytes);
  if (kept == NULL)
    cn_report_out_of_memory("no memory for %zu bytes of a safepoint", bytes);
  *kept = (struct kept_data){.next = code->kept, .bytes = sizeof *kept + bytes};
  code->kept = kept;
  fill(kept->at, env);
  atomic_store_explicit(&prefix->kept, kept->at, memory_order_release);
  return kept->at;
}

const void *cn_index_keep(const struct cn_frame_map *map, size_t bytes, cn_index_fill *fill, void *env)
{
  if (!try_enter_index())
    return NULL;
  const void *kept = cn_map_kept(map);
  if (kept == NULL)
    kept = keep_data(map, bytes, fill, env);
  leave_index();
  return kept;
}

bool cn_index_has_code_at(uintptr_t pc)
{
  struct image_code *code;
  size_t index;

  enter_index();
  bool inside = find_function_or_note_native(pc, &code, &index);
  leave_index();
  return inside;
}

void cn_index_prepare_walk(void)
{
  if (is_up_to_date())
    return;
  enter_index();
  leave_index();
}

/* A signal that interrupted the holder of the lock may register an image, which a later walk adopts. */
void cn_index_note_new_image(void)
{
  uint64_t synced = atomic_load_explicit(&synced_generation, memory_order_relaxed);

  if ((synced != 0 || cn_image_list_generation() > MAX_UNADOPTED_IMAGES) && try_enter_index())
    leave_index();
}

void cn_index_forget_image(uint64_t id)
{
  if (!cn_lock_take(CN_LOCK_FRAMES))
    cairn_fatal("an image is unloaded in a signal handler that has interrupted the runtime");
  struct image_code *code = cn_ranges_value_from(codes, id);
  if (code != NULL && code->id == id)
    drop_image_code(code);
  leave_index();
}

static bool code_overlaps(const struct image_code *code, uintptr_t start, uintptr_t end)
{
  size_t below = cn_sorted_count_below(code->functions, code->count, sizeof *code->functions, end);

  return below > 0 && end_of(&code->functions[below - 1]) > start;
}

bool cn_index_has_code_in(uintptr_t start, uintptr_t end)
{
  const struct cn_range *range = NULL;
  bool found = false;

  CN_ASSERT(start <= end);
  enter_index();
  while (!found && (range = cn_ranges_next_overlap(segments, range, start, end)) != NULL)
    found = code_overlaps(range->value, start, end);
  leave_index();
  return found;
}

uintptr_t cn_index_find_without_barriers(void)
{
  enter_index();
  const struct image_code *code = cn_ranges_value_from(without_barriers, 0);
  uintptr_t entry = code != NULL ? code->no_barriers : 0;
  leave_index();
  return entry;
}

bool cn_index_image_range(uintptr_t pc, uintptr_t *low, uintptr_t *high)
{
  struct image_code *code;
  size_t index;

  if (!try_enter_index())
    return false;
  bool there = find_function_or_note_native(pc, &code, &index);
  if (there) {
    *low = code->low;
    *high = code->high;
  }
  leave_index();
  return there;
}

/* Functions are searched by return addresses, which lie above the function's start. */
bool cn_index_function_range(uintptr_t address, uintptr_t *start, uintptr_t *end)
{
  struct image_code *code;
  size_t index;

  enter_index();
  bool there = search_functions(address + 1, &code, &index);
  if (there) {
    *start = code->functions[index].entry;
    *end = end_of(&code->functions[index]);
  }
  leave_index();
  return there;
}

/* True if another mutator reads tables during this stop of the calling thread: a native mutator that is busy. A mutator
 * at a safepoint is also busy, but reads no tables. */
static bool is_table_read_by_others(void)
{
  for (const struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    if (m != &cairn_mutator && __atomic_load_n(&m->state, __ATOMIC_RELAXED) == CAIRN_ABI_NATIVE &&
        __atomic_load_n(&m->busy, __ATOMIC_ACQUIRE) != 0)
      return true;
  return false;
}

/* Frees a table in the second stop after its replacement. At the fence of the first stop, a mutator that reads the
 * table may have set `busy` invisibly; at the fence of the second stop, `busy` is visible. */
void cn_index_free_replaced(void)
{
  size_t kept = 0;

  enter_index();
  for (size_t i = 0; i < replaced.count; i++) {
    struct cn_index *index = replaced.at[i].index;
    if (replaced.at[i].seen && cn_image_readers_have_left(replaced.at[i].since) && !is_table_read_by_others()) {
      cn_os_free_mapping(index, table_bytes(index->mask + 1));
    } else {
      replaced.at[kept] = replaced.at[i];
      replaced.at[kept++].seen = true;
    }
  }
  replaced.count = kept;
  leave_index();
}

size_t cn_index_memory_bytes(size_t *safepoints)
{
  size_t bytes;

  *safepoints = 0;
  if (!try_enter_index())
    return 0;
  *safepoints = current_table()->used;
  bytes = table_bytes(current_table()->mask + 1);
  bytes += index_memory.mapped_bytes;
  for (size_t i = 0; i < replaced.count; i++)
    bytes += table_bytes(replaced.at[i].index->mask + 1);
  leave_index();
  return bytes;
}
