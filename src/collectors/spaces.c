/* SPDX-License-Identifier: Apache-2.0
 *
 * Reserves addresses, and gives spaces their memory. The file owns the reservation (`address_reservation`) and the log
 * of hidden spaces (`hidden_log`). Stress mode renews a space at each collection, often many thousand times a second.
 * Moving pages to other addresses costs much less than releasing pages and faulting new pages in. The collecting thread
 * runs this code in phases INIT and STOP. Mutators may commit memory and widen a space in phase MUTATE, under the
 * collector's lock. Signal handlers call cn_spaces_was_unmapped() at any time, without a lock.
 */
#include "collectors/spaces.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum {
  LARGE_PAGE_BYTES = 2 << 20, /* alignment of the first two spaces */
  MAX_HIDDEN_SPACES = 4096    /* logged hidden spaces */
};

static struct {
  uintptr_t base;
  size_t size, page;
  uintptr_t next; /* where the next fresh space begins */
  bool hides;
} address_reservation;

static struct hidden_space {
  uintptr_t start, end;
  uint64_t number;
} hidden_log[MAX_HIDDEN_SPACES];

static size_t round_up(size_t bytes, size_t unit)
{
  CN_ASSERT(unit != 0 && (unit & (unit - 1)) == 0 && bytes <= SIZE_MAX - unit);
  return (bytes + unit - 1) & ~(unit - 1);
}

/* Reserve far more addresses than two spaces need, so that fresh spaces reuse an address late. The reservation is
 * smaller if the addresses of the process are limited. */
static bool reserve_space_addresses(size_t room)
{
  for (address_reservation.size = (size_t)1 << 44; address_reservation.size / 4 >= room; address_reservation.size /= 2)
    if ((address_reservation.base = cn_os_reserve_addresses(address_reservation.size)) != 0)
      return true;
  address_reservation.size = 2 * room + LARGE_PAGE_BYTES;
  address_reservation.base = cn_os_reserve_addresses(address_reservation.size);
  return address_reservation.base != 0;
}

bool cn_spaces_init(size_t bytes, struct cn_space *first, struct cn_space *second)
{
  address_reservation.page = cn_os_page_bytes();
  if (bytes > SIZE_MAX / 8)
    return false;
  size_t room = round_up(bytes + address_reservation.page, LARGE_PAGE_BYTES);
  if (!reserve_space_addresses(room))
    return false;
  uintptr_t start = round_up(address_reservation.base, LARGE_PAGE_BYTES);
  *first = (struct cn_space){.base = start, .room = room};
  *second = (struct cn_space){.base = start + room, .room = room};
  address_reservation.next = start + 2 * room;
  cn_os_prefer_large_pages(start, 2 * room);
  cn_os_register_leak_roots(address_reservation.base, address_reservation.size);
  return true;
}

void cn_spaces_bounds(uintptr_t *start, uintptr_t *end)
{
  *start = address_reservation.base;
  *end = address_reservation.base + address_reservation.size;
}

bool cn_spaces_contain(uintptr_t address)
{
  return address - address_reservation.base < address_reservation.size;
}

bool cn_space_commit_memory(struct cn_space *space, size_t bytes)
{
  CN_CHECK(space->committed <= space->room && space->committed % address_reservation.page == 0);
  bytes = round_up(bytes, address_reservation.page);
  if (bytes <= space->committed)
    return true;
  if (bytes > space->room || !cn_os_commit_memory(space->base + space->committed, bytes - space->committed))
    return false;
  space->committed = bytes;
  return true;
}

void cn_space_release_beyond(struct cn_space *space, size_t bytes)
{
  CN_ASSERT(space->committed <= space->room);
  bytes = round_up(bytes, address_reservation.page);
  if (bytes >= space->committed)
    return;
  cn_os_release_memory(space->base + bytes, space->committed - bytes);
  space->committed = bytes;
  if (space->touched > bytes)
    space->touched = bytes;
}

/* Take `room` bytes of addresses that were unused for long, outside of both spaces. Calls take successive addresses,
 * and wrap around at the end of the reservation. Returns 0 if `room` exceeds a quarter of the reservation. */
static uintptr_t take_addresses(size_t room, const struct cn_space *a, const struct cn_space *b)
{
  CN_ASSERT(room % address_reservation.page == 0 && address_reservation.next % address_reservation.page == 0);
  if (room > address_reservation.size / 4)
    return 0;
  for (;;) {
    if (address_reservation.base + address_reservation.size - address_reservation.next < room)
      address_reservation.next = address_reservation.base;
    uintptr_t base = address_reservation.next;
    address_reservation.next += room;
    if ((base >= a->base + a->room || a->base >= base + room) && (base >= b->base + b->room || b->base >= base + room))
      return base;
  }
}

/* A page without memory ends the space. */
bool cn_space_widen(struct cn_space *space, struct cn_space *other, size_t bytes)
{
  CN_CHECK(space->base != other->base);
  size_t room = round_up(bytes, address_reservation.page) + address_reservation.page;
  if (room <= space->room)
    return true;
  if (room > address_reservation.base + address_reservation.size - space->base)
    return false;
  cn_space_release_beyond(other, 0);
  space->room = room;
  address_reservation.next = space->base + room;
  *other = (struct cn_space){.base = take_addresses(address_reservation.page, space, space),
                             .room = address_reservation.page};
  return other->base != 0;
}

void cn_space_hide_and_renew(struct cn_space *space, const struct cn_space *used, uint64_t number)
{
  struct cn_space fresh = {.room = space->committed + address_reservation.page};

  CN_CHECK(space->base != used->base && number != 0);
  /* A page without memory ends the space. */
  fresh.base = take_addresses(fresh.room, space, used);
  address_reservation.hides = true;
  hidden_log[number % MAX_HIDDEN_SPACES] = (struct hidden_space){space->base, space->base + space->room, number};
  if (fresh.base != 0 && space->committed != 0 && cn_os_move_memory(space->base, space->committed, fresh.base))
    fresh.committed = fresh.touched = space->committed;
  else
    cn_space_release_beyond(space, 0);
  if (fresh.base != 0)
    *space = fresh;
}

bool cn_space_fit_memory(struct cn_space *space, const struct cn_space *used, size_t bytes)
{
  CN_CHECK(space->base != used->base);
  bytes = round_up(bytes, address_reservation.page);
  if (bytes <= space->committed && space->committed / 8 <= bytes)
    return true;
  uintptr_t base = take_addresses(2 * bytes + address_reservation.page, space, used);
  if (base == 0)
    return false;
  cn_space_release_beyond(space, 0);
  space->room = 2 * bytes + address_reservation.page;
  space->base = base;
  return cn_space_commit_memory(space, 2 * bytes);
}

bool cn_spaces_was_unmapped(uintptr_t address, uint64_t *number)
{
  *number = 0;
  if (!address_reservation.hides || !cn_spaces_contain(address))
    return false;
  for (int i = 0; i < MAX_HIDDEN_SPACES; i++)
    if (address >= hidden_log[i].start && address < hidden_log[i].end && hidden_log[i].number > *number)
      *number = hidden_log[i].number;
  return true;
}
