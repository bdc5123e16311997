/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeps pins in a hash table by address, with linear probing: all cells from an entry's hash up to the entry are in
 * use. The program may give an address within an object: the collector finds the object when it needs to. Native
 * threads unpin at any time, also during collections. CN_LOCK_PINS guards the table and the sites.
 */
#include "runtime/heap/pins.h"

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
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"

enum {
  ROOM_LEAST = 256, /* entries */
  MAX_RANGES = 4,
  BUCKET_COUNT = 256,
  SITE_NAME_BYTES = 72, /* bytes of a site's name */
  TYPE_NAME_BYTES = 64  /* bytes of a type's name */
};

struct pin {
  uintptr_t address; /* 0: a free entry */
  uint64_t count;
  size_t site; /* the last one that pinned the address */
};

static struct {
  struct pin *at;
  size_t count, room; /* a power of two, at least twice the count */
} pins;

/* Places in the code. The places of one bucket are a list. */
struct site {
  char place[SITE_NAME_BYTES], type[TYPE_NAME_BYTES]; /* of the first object that was pinned there */
  uint64_t times;
  size_t next; /* index plus 1; 0: the list ends */
};
static CN_GROW(struct site) sites;
static size_t buckets[BUCKET_COUNT];

static struct {
  uintptr_t start, end;
} ranges[MAX_RANGES];

/* ---- the table ---- */

static size_t home_of(uintptr_t address)
{
  return (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (pins.room - 1);
}

/* The index of the address's entry, or of the free cell for it. */
static size_t find_entry(uintptr_t address)
{
  size_t i = home_of(address);

  CN_ASSERT(address != 0 && pins.count < pins.room);
  while (pins.at[i].address != 0 && pins.at[i].address != address)
    i = (i + 1) & (pins.room - 1);
  return i;
}

static bool grow_table(void)
{
  struct pin *old = pins.at;
  size_t had = pins.room, room = had != 0 ? 2 * had : ROOM_LEAST;
  struct pin *at = cn_os_resize(NULL, 0, room * sizeof *at);

  if (at == NULL)
    return false;
  pins.at = at;
  pins.room = room;
  for (size_t i = 0; i < had; i++)
    if (old[i].address != 0)
      pins.at[find_entry(old[i].address)] = old[i];
  if (old != NULL)
    cn_os_free(old, had * sizeof *old);
  return true;
}

/* Frees the cell, and moves back the entries after it that would become unreachable. */
static void drop_entry(size_t hole)
{
  size_t mask = pins.room - 1;

  CN_CHECK(pins.count > 0 && pins.at[hole].address != 0);
  for (size_t i = (hole + 1) & mask; pins.at[i].address != 0; i = (i + 1) & mask)
    if (((i - home_of(pins.at[i].address)) & mask) >= ((i - hole) & mask)) {
      pins.at[hole] = pins.at[i];
      hole = i;
    }
  pins.at[hole] = (struct pin){0, 0, 0};
  pins.count--;
}

const char *cn_pins_wrong(void)
{
  size_t count = 0;

  for (size_t i = 0; i < pins.room; i++) {
    const struct pin *pin = &pins.at[i];
    count += pin->address != 0;
    if (pin->address != 0 && find_entry(pin->address) != i)
      return "pins: an entry is not found where it lies";
    if (pin->address != 0 && (pin->count == 0 || pin->site >= sites.count))
      return "pins: an entry has no pin, or no site";
  }
  return count == pins.count ? NULL : "pins: there are more or fewer entries than counted";
}

/* ---- sites ---- */

static size_t bucket_of(const char *place)
{
  size_t hash = 0;

  for (; *place != 0; place++)
    hash = hash * 31 + (unsigned char)*place;
  return hash % BUCKET_COUNT;
}

static size_t site_of(const char *place, uintptr_t object)
{
  char text[SITE_NAME_BYTES];
  struct site fresh = {.type = "an object, from within"};

  snprintf(text, sizeof text, "%s", place != NULL ? place : "an unknown place");
  size_t *bucket = &buckets[bucket_of(text)];
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

void cn_pins_print(void)
{
  for (size_t i = 0; i < sites.count; i++)
    cn_report_text("pinned at %s: %llu times, %s\n", sites.at[i].place, (unsigned long long)sites.at[i].times,
                   sites.at[i].type);
}

/* ---- the program ---- */

static void take_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PINS);

  CN_CHECK(taken); /* only faults interrupt the holder */
}

void cairn_heap_range(uintptr_t start, uintptr_t end)
{
  size_t i = 0;

  while (i < MAX_RANGES && ranges[i].end != 0)
    i++;
  CN_CHECK(i < MAX_RANGES && start < end);
  ranges[i].start = start;
  ranges[i].end = end;
}

static bool in_heap(uintptr_t address)
{
  for (size_t i = 0; i < MAX_RANGES; i++)
    if (address - ranges[i].start < ranges[i].end - ranges[i].start)
      return true;
  return false;
}

/* True if an object starts there; false if one may contain the address. */
static bool is_start(uintptr_t address)
{
  const struct cairn_collector *collector = cn_heap_collector();

  return collector->is_object != NULL && collector->is_object(address);
}

static void check_pin_request(uintptr_t address, bool start, const char *site, uintptr_t pc)
{
  const struct cairn_collector *collector = cn_heap_collector();
  bool moves = (collector->traits & CAIRN_COLLECTOR_MOVES) != 0,
       unknown = !moves && collector->is_object == NULL && ranges[0].end == 0;

  if (moves && (collector->traits & CAIRN_COLLECTOR_PINS) == 0)
    cn_report_fatal(pc, "cairn_pin at %s: collector %s moves objects and has no pins", site, collector->name);
  if (address == 0 || (address & cairn_words.mask) != 0 || (!start && !in_heap(address - 1) && !unknown))
    cn_report_fatal(pc, "cairn_pin at %s: 0x%lx is no object of the heap", site, (unsigned long)address);
}

static bool add_pin(uintptr_t address, const char *place, bool start)
{
  take_lock();
  bool done = 2 * pins.count < pins.room || grow_table();
  if (done) {
    struct pin *pin = &pins.at[find_entry(address)];
    pins.count += pin->count == 0;
    size_t site = site_of(place, start ? address : 0);
    *pin = (struct pin){address, pin->count + 1, site};
    sites.at[site].times++;
  }
  CN_ASSERT_VALID(cn_pins_wrong());
  cn_lock_release(CN_LOCK_PINS);
  return done;
}

/* False: the address is unpinned. */
static bool subtract_pin(uintptr_t address)
{
  bool done = false;

  take_lock();
  if (address != 0 && pins.room != 0) {
    size_t i = find_entry(address);
    done = pins.at[i].address != 0;
    if (done && --pins.at[i].count == 0)
      drop_entry(i);
  }
  CN_ASSERT_VALID(cn_pins_wrong());
  cn_lock_release(CN_LOCK_PINS);
  return done;
}

void *cairn_pin_at(uintptr_t reference, const char *site)
{
  uintptr_t object = reference - cairn_words.reference;
  bool start = is_start(object);

  check_pin_request(object, start, site, (uintptr_t)__builtin_return_address(0));
  if (!add_pin(object, site, start))
    cairn_out_of_memory(false, "no memory for a pin at %s", site);
  return (void *)object;
}

static void unpin_or_fail(uintptr_t address, const char *site, uintptr_t pc)
{
  if (!subtract_pin(address))
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

static void log_pin(const struct pin *pin, uintptr_t object)
{
  char type[TYPE_NAME_BYTES];

  cairn_layout_type(cairn_object_layout(object), type, sizeof type);
  cn_report_text("cairn: pins: %s at 0x%lx is pinned %llu times, the last time at %s\n", type, (unsigned long)object,
                 (unsigned long long)pin->count, sites.at[pin->site].place);
}

bool cairn_pins_any(void)
{
  return __atomic_load_n(&pins.count, __ATOMIC_RELAXED) != 0;
}

void cairn_pins_visit(cairn_pin_visitor *visit, void *env)
{
  if (!cairn_pins_any())
    return;
  take_lock();
  for (size_t i = 0; i < pins.room; i++) {
    const struct pin *pin = &pins.at[i];
    uintptr_t object = pin->address != 0 ? visit(env, pin->address) : 0;
    if (pin->address != 0 && object == 0)
      cairn_fatal("0x%lx was pinned at %s, and no object is there", (unsigned long)pin->address,
                  sites.at[pin->site].place);
    if (object != 0 && (cn_options.log & CN_LOG_PINS) != 0)
      log_pin(pin, object);
  }
  cn_lock_release(CN_LOCK_PINS);
}

/* A native thread may have unpinned the address meanwhile. */
void cairn_pins_forget(uintptr_t address)
{
  take_lock();
  size_t i = find_entry(address);
  if (pins.at[i].address != 0)
    drop_entry(i);
  cn_lock_release(CN_LOCK_PINS);
}
