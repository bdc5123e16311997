/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps the program's pins, and counts the places in its code that pin. The file owns a hash table of pins by address
 * (`pin_table`), the sites (`sites`, `site_buckets`), and the ranges of the heap (`heap_ranges`). The table has linear
 * probing: all cells from an entry's hash up to the entry are in use. The program may pin an address within an object;
 * the collector finds the object during a collection. Runs on any thread, in any phase: native threads may unpin during
 * collections. CN_LOCK_PINS guards the table and the sites; the heap's ranges are constant after phase INIT.
 */
#include "runtime/heap/managed_heap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

enum {
  MIN_TABLE_ENTRIES = 256,
  MAX_HEAP_RANGES = 4,
  SITE_BUCKET_COUNT = 256,
  SITE_NAME_BYTES = 72,
  TYPE_NAME_BYTES = 64
};

struct pin_entry {
  uintptr_t address; /* 0: a free entry */
  uint64_t count;
  size_t site; /* the last site that pinned the address */
};

static struct {
  struct pin_entry *at;
  size_t count, room; /* `room` is a power of two, and at least twice `count` */
} pin_table;

/* Places in the code that pin objects. The sites of one bucket form a list. */
struct pin_site {
  char place[SITE_NAME_BYTES], type[TYPE_NAME_BYTES]; /* type of the first object that this site pinned */
  uint64_t times;
  size_t next; /* index of the next site plus 1; 0: the list ends */
};
static CN_GROW(struct pin_site) sites;
static size_t site_buckets[SITE_BUCKET_COUNT];

static struct {
  uintptr_t start, end;
} heap_ranges[MAX_HEAP_RANGES];

/* ---- the table ---- */

static size_t first_cell_of(uintptr_t address)
{
  return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (pin_table.room - 1);
}

/* The index of the address's entry, or of the free cell for a new entry. */
static size_t find_entry_or_free_cell(uintptr_t address)
{
  size_t i = first_cell_of(address);

  CN_ASSERT(address != 0 && pin_table.count < pin_table.room);
  while (pin_table.at[i].address != 0 && pin_table.at[i].address != address)
    i = (i + 1) & (pin_table.room - 1);
  return i;
}

static bool grow_pin_table(void)
{
  struct pin_entry *old = pin_table.at;
  size_t had = pin_table.room, room = had != 0 ? 2 * had : MIN_TABLE_ENTRIES;
  struct pin_entry *at = cn_os_resize_mapping(NULL, 0, room * sizeof *at);

  if (at == NULL)
    return false;
  pin_table.at = at;
  pin_table.room = room;
  for (size_t i = 0; i < had; i++)
    if (old[i].address != 0)
      pin_table.at[find_entry_or_free_cell(old[i].address)] = old[i];
  if (old != NULL)
    cn_os_free_mapping(old, had * sizeof *old);
  return true;
}

/* Frees the cell, and moves back the following entries that probing would no longer find. */
static void remove_entry(size_t hole)
{
  size_t mask = pin_table.room - 1;

  CN_CHECK(pin_table.count > 0 && pin_table.at[hole].address != 0);
  for (size_t i = (hole + 1) & mask; pin_table.at[i].address != 0; i = (i + 1) & mask)
    if (((i - first_cell_of(pin_table.at[i].address)) & mask) >= ((i - hole) & mask)) {
      pin_table.at[hole] = pin_table.at[i];
      hole = i;
    }
  pin_table.at[hole] = (struct pin_entry){0, 0, 0};
  pin_table.count--;
}

const char *cn_pins_wrong(void)
{
  size_t count = 0;

  for (size_t i = 0; i < pin_table.room; i++) {
    const struct pin_entry *pin = &pin_table.at[i];
    count += pin->address != 0;
    if (pin->address != 0 && find_entry_or_free_cell(pin->address) != i)
      return "pins: an entry is not found where it lies";
    if (pin->address != 0 && (pin->count == 0 || pin->site >= sites.count))
      return "pins: an entry has no pin, or no site";
  }
  return count == pin_table.count ? NULL : "pins: there are more or fewer entries than counted";
}

/* ---- sites ---- */

static size_t site_bucket_of(const char *place)
{
  size_t hash = 0;

  for (; *place != 0; place++)
    hash = hash * 31 + (unsigned char)*place;
  return hash % SITE_BUCKET_COUNT;
}

static size_t find_or_add_site(const char *place, uintptr_t object)
{
  char text[SITE_NAME_BYTES];
  struct pin_site fresh = {.type = "an object, from within"};

  snprintf(text, sizeof text, "%s", place != NULL ? place : "an unknown place");
  size_t *bucket = &site_buckets[site_bucket_of(text)];
  for (size_t i = *bucket; i != 0; i = sites.at[i - 1].next)
    if (strcmp(sites.at[i - 1].place, text) == 0)
      return i - 1;
  memcpy(fresh.place, text, sizeof text);
  if (object != 0)
    cairn_layout_type(cairn_object_layout(object), fresh.type, sizeof fresh.type);
  fresh.next = *bucket;
  cn_grow_push(&sites, fresh);
  *bucket = sites.count;
  return sites.count - 1;
}

void cn_pins_print_sites(void)
{
  for (size_t i = 0; i < sites.count; i++)
    cn_report_print_text("pinned at %s: %llu times, %s\n", sites.at[i].place, (unsigned long long)sites.at[i].times,
                         sites.at[i].type);
}

/* ---- the program ---- */

static void take_pins_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PINS);

  CN_CHECK(taken); /* only faults interrupt the holder */
}

void cairn_heap_range(uintptr_t start, uintptr_t end)
{
  size_t i = 0;

  while (i < MAX_HEAP_RANGES && heap_ranges[i].end != 0)
    i++;
  CN_CHECK(i < MAX_HEAP_RANGES && start < end);
  heap_ranges[i].start = start;
  heap_ranges[i].end = end;
}

/* An object without bytes may lie at the end of its range. */
bool cn_heap_bounds(uintptr_t *start, uintptr_t *end)
{
  *start = UINTPTR_MAX;
  *end = 0;
  for (size_t i = 0; i < MAX_HEAP_RANGES && heap_ranges[i].end != 0; i++) {
    *start = heap_ranges[i].start < *start ? heap_ranges[i].start : *start;
    *end = heap_ranges[i].end + 1 > *end ? heap_ranges[i].end + 1 : *end;
  }
  return *start < *end;
}

static bool is_in_heap(uintptr_t address)
{
  for (size_t i = 0; i < MAX_HEAP_RANGES; i++)
    if (address - heap_ranges[i].start < heap_ranges[i].end - heap_ranges[i].start)
      return true;
  return false;
}

static bool is_static_object(uintptr_t address)
{
  return !is_in_heap(address - 1) && cn_heap_is_static_object(address);
}

/* False if the address may be within an object. */
static bool is_object_start(uintptr_t address)
{
  const struct cairn_collector *collector = cn_heap_collector();

  return (collector->is_object != NULL && collector->is_object(address)) || is_static_object(address);
}

static void check_pin_request(uintptr_t address, bool start, const char *site, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();
  bool moves = (collector->traits & CAIRN_COLLECTOR_MOVES) != 0,
       unknown = !moves && collector->is_object == NULL && heap_ranges[0].end == 0;

  if (moves && (collector->traits & CAIRN_COLLECTOR_PINS) == 0)
    cn_report_fatal(pc, "cairn_pin at %s: collector '%s' moves objects and has no pins", site, collector->name);
  if (address == 0 || (address & cairn_words.mask) != 0 || (!start && !is_in_heap(address - 1) && !unknown))
    cn_report_fatal(pc, "cairn_pin at %s: 0x%lx is no object of the heap", site, (unsigned long)address);
}

static bool add_pin(uintptr_t address, const char *place, bool start)
{
  take_pins_lock();
  bool done = 2 * pin_table.count < pin_table.room || grow_pin_table();
  if (done) {
    struct pin_entry *pin = &pin_table.at[find_entry_or_free_cell(address)];
    pin_table.count += pin->count == 0;
    size_t site = find_or_add_site(place, start ? address : 0);
    *pin = (struct pin_entry){address, pin->count + 1, site};
    sites.at[site].times++;
  }
  CN_ASSERT_VALID(cn_pins_wrong());
  cn_lock_release(CN_LOCK_PINS);
  return done;
}

/* False: the address is unpinned. */
static bool decrement_pin(uintptr_t address)
{
  bool done = false;

  take_pins_lock();
  if (address != 0 && pin_table.room != 0) {
    size_t i = find_entry_or_free_cell(address);
    done = pin_table.at[i].address != 0;
    if (done && --pin_table.at[i].count == 0)
      remove_entry(i);
  }
  CN_ASSERT_VALID(cn_pins_wrong());
  cn_lock_release(CN_LOCK_PINS);
  return done;
}

void *cairn_pin_at(uintptr_t reference, const char *site)
{
  uintptr_t object = reference - cairn_words.reference;
  bool start = is_object_start(object);

  check_pin_request(object, start, site, (uintptr_t)__builtin_return_address(0));
  if (!add_pin(object, site, start))
    cairn_out_of_memory(false, "no memory for a pin at %s", site);
  return (void *)object;
}

static void unpin_or_fail(uintptr_t address, const char *site, uintptr_t pc)
{
  if (!decrement_pin(address))
    cn_report_fatal(pc, "cairn_unpin at %s: 0x%lx is not pinned, or has been unpinned before", site,
                    (unsigned long)address);
}

void cairn_unpin_at(uintptr_t reference, const char *site)
{
  unpin_or_fail(reference - cairn_words.reference, site, (uintptr_t)__builtin_return_address(0));
}

void cairn_unpin_address_at(void *address, const char *site)
{
  unpin_or_fail((uintptr_t)address, site, (uintptr_t)__builtin_return_address(0));
}

/* ---- collections ---- */

static void log_pin(const struct pin_entry *pin, uintptr_t object)
{
  char type[TYPE_NAME_BYTES];

  cairn_layout_type(cairn_object_layout(object), type, sizeof type);
  cn_report_print_text("cairn: pins: %s at 0x%lx is pinned %llu times, the last time at %s\n", type,
                       (unsigned long)object, (unsigned long long)pin->count, sites.at[pin->site].place);
}

bool cairn_pins_any(void)
{
  return __atomic_load_n(&pin_table.count, __ATOMIC_RELAXED) != 0;
}

void cairn_pins_visit(cairn_pin_visitor *visit, void *env)
{
  if (!cairn_pins_any())
    return;
  take_pins_lock();
  for (size_t i = 0; i < pin_table.room; i++) {
    const struct pin_entry *pin = &pin_table.at[i];
    if (pin->address != 0 && is_static_object(pin->address))
      continue;
    uintptr_t object = pin->address != 0 ? visit(env, pin->address) : 0;
    if (pin->address != 0 && object == 0)
      cairn_fatal("0x%lx was pinned at %s, and no object is there", (unsigned long)pin->address,
                  sites.at[pin->site].place);
    if (object != 0 && (cn_options.log & CN_LOG_PINS) != 0)
      log_pin(pin, object);
  }
  cn_lock_release(CN_LOCK_PINS);
}

/* The address may have no entry, if a native thread unpinned it during the collection. */
void cairn_pins_forget(uintptr_t address)
{
  take_pins_lock();
  size_t i = find_entry_or_free_cell(address);
  if (pin_table.at[i].address != 0)
    remove_entry(i);
  cn_lock_release(CN_LOCK_PINS);
}
