/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates blocks of pages for large objects, under the collector's lock in phase MUTATE, or on the collecting thread
 * in phase STOP. From the base to the top there are runs of pages, each a block or free. Tables outside of the heap
 * describe a run, by the number of its first page, so marking and sweeping touch no block. Free runs are in doubly
 * linked lists by length. A sweep makes these lists anew, and joins neighbours.
 */
#include "collectors/large_space.h"

#include "base/check.h"
#include "runtime/os/os.h"

enum {
  EXACT_LISTS = 63,       /* lists of runs of 1 to so many pages; one more list has all longer runs */
  MAX_EXAMINED_RUNS = 8,  /* of the list of longer runs */
  COMMIT_BYTES = 2 << 20, /* bytes that get memory together */
  ADDRESSES_PER_BYTE = 4, /* addresses over bytes of blocks */
  NO_PAGE = 0,            /* page 0 is never given */
};

enum state { FREE, USED, MARKED };

static struct {
  uintptr_t base;
  size_t size, page;
  uint32_t top, committed, touched; /* pages with runs; with memory; that may be nonzero */
  uint64_t some;                    /* the nonempty lists, a bit each */
  uint32_t lists[EXACT_LISTS + 1];
  uint32_t recent; /* the highest top of recent collections */
  uint32_t gray;
} large;

/* Tables by page. `first`: of each page of a block; of a free run, the previous run in its list. The other tables: of
 * the first page of a run. */
static uint32_t *first, *length, *next;
static uint8_t *state;

static bool make_tables(size_t pages)
{
  size_t each = sizeof *first + sizeof *length + sizeof *next + sizeof *state;
  size_t bytes = (pages * each + large.page - 1) & ~(large.page - 1);
  uintptr_t memory = cn_os_reserve(bytes);

  if (memory == 0 || !cn_os_let_read(memory, bytes))
    return false;
  first = (uint32_t *)memory;
  length = first + pages;
  next = length + pages;
  state = (uint8_t *)(next + pages);
  return true;
}

static bool commit_table(void *table, size_t size, uint32_t from, uint32_t to)
{
  uintptr_t start = ((uintptr_t)table + from * size) & ~(uintptr_t)(large.page - 1), end = (uintptr_t)table + to * size;

  return cn_os_commit(start, (end - start + large.page - 1) & ~(large.page - 1));
}

/* Make the tables writable for these pages. */
static bool commit_tables(uint32_t from, uint32_t to)
{
  return commit_table(first, sizeof *first, from, to) && commit_table(length, sizeof *length, from, to) &&
         commit_table(next, sizeof *next, from, to) && commit_table(state, sizeof *state, from, to);
}

bool cn_large_init_at(uintptr_t base, size_t bytes)
{
  large.page = cn_os_page();
  size_t pages = bytes / large.page;
  if (base == 0 || pages > UINT32_MAX || pages < 2 || !make_tables(pages))
    return false;
  large.base = base;
  large.size = bytes;
  large.top = large.committed = large.touched = 1;
  cn_os_prefer_large_pages(large.base, large.size);
  cn_os_keeps_memory(large.base, large.size);
  return true;
}

bool cn_large_init(size_t bytes)
{
  size_t page = cn_os_page(), size;
  uintptr_t base = 0;

  if (bytes > SIZE_MAX / (2 * ADDRESSES_PER_BYTE))
    return false;
  for (size = (ADDRESSES_PER_BYTE * bytes + COMMIT_BYTES) & ~(size_t)(COMMIT_BYTES - 1); size >= bytes / 2;
       size = size / 2 & ~(page - 1)) {
    base = cn_os_reserve(size);
    if (base != 0)
      break;
  }
  return cn_large_init_at(base, size);
}

static uintptr_t address_of(uint32_t page)
{
  return large.base + page * large.page;
}

static uint32_t page_of(uintptr_t address)
{
  CN_CHECK(cn_large_contains(address));
  return (uint32_t)((address - large.base) / large.page);
}

/* Several threads may mark and read states at once. */
static enum state state_of(uint32_t run)
{
  return __atomic_load_n(&state[run], __ATOMIC_RELAXED);
}

bool cn_large_contains(uintptr_t address)
{
  return address - large.base < large.size;
}

/* ---- free runs ---- */

static unsigned list_of(uint32_t pages)
{
  return pages <= EXACT_LISTS ? pages - 1 : EXACT_LISTS;
}

static void put_free(uint32_t run, uint32_t pages)
{
  unsigned list = list_of(pages);

  CN_ASSERT(pages != 0 && run + pages <= large.top);
  state[run] = FREE;
  length[run] = pages;
  first[run] = NO_PAGE;
  next[run] = large.lists[list];
  if (next[run] != NO_PAGE)
    first[next[run]] = run;
  large.lists[list] = run;
  large.some |= UINT64_C(1) << list;
}

/* Take the run out of its list, and return the pages beyond `pages`. */
static uint32_t take_run(uint32_t run, uint32_t pages)
{
  uint32_t has = length[run];
  unsigned list = list_of(has);

  CN_CHECK(state[run] == FREE && has >= pages);
  if (next[run] != NO_PAGE)
    first[next[run]] = first[run];
  if (first[run] != NO_PAGE)
    next[first[run]] = next[run];
  else
    large.lists[list] = next[run];
  if (large.lists[list] == NO_PAGE)
    large.some &= ~(UINT64_C(1) << list);
  if (has > pages)
    put_free(run + pages, has - pages);
  return run;
}

static uint32_t take_longer(uint32_t pages)
{
  uint32_t run = large.lists[EXACT_LISTS];

  for (int i = 0; run != NO_PAGE && i < MAX_EXAMINED_RUNS; run = next[run], i++)
    if (length[run] >= pages)
      return take_run(run, pages);
  return NO_PAGE;
}

static uint32_t take_free(uint32_t pages)
{
  uint64_t lists = pages <= EXACT_LISTS ? large.some & (~UINT64_C(0) << (pages - 1)) : 0;
  unsigned list = lists != 0 ? (unsigned)__builtin_ctzll(lists) : EXACT_LISTS;

  return list != EXACT_LISTS ? take_run(large.lists[list], pages) : take_longer(pages);
}

static uint32_t take_new(uint32_t pages)
{
  uint32_t run = large.top, end = run + pages, limit = (uint32_t)(large.size / large.page);

  if (pages > limit - run)
    return NO_PAGE;
  if (end > large.committed) {
    uint32_t step = (uint32_t)(COMMIT_BYTES / large.page), more = end - large.committed;
    more = more < step ? step : more;
    if (more > limit - large.committed)
      more = limit - large.committed;
    if (!commit_tables(large.committed, large.committed + more) ||
        !cn_os_commit(address_of(large.committed), more * large.page))
      return NO_PAGE;
    large.committed += more;
  }
  large.top = end;
  return run;
}

/* ---- blocks ---- */

/* The pages of [from, end) become part of the block at `run`. */
static void use_pages(uint32_t run, uint32_t from, uint32_t end)
{
  for (uint32_t page = from; page < end; page++)
    first[page] = run;
  length[run] = end - run;
  if (large.touched < end)
    large.touched = end;
}

uintptr_t cn_large_allocate(size_t bytes, uintptr_t *zero)
{
  size_t count = (bytes + large.page - 1) / large.page;

  if (count == 0 || count >= large.size / large.page)
    return 0;
  uint32_t pages = (uint32_t)count, run = take_free(pages);
  if (run == NO_PAGE)
    run = take_new(pages);
  if (run == NO_PAGE)
    return 0;
  *zero = address_of(large.touched > run ? large.touched : run);
  state[run] = USED;
  use_pages(run, run, run + pages);
  return address_of(run);
}

bool cn_large_lengthen(uintptr_t block, size_t bytes)
{
  size_t count = (bytes + large.page - 1) / large.page;
  uint32_t run = page_of(block), end = run + length[run];

  CN_CHECK(state_of(run) != FREE);
  if (count <= length[run])
    return true;
  if (count >= large.size / large.page)
    return false;
  uint32_t more = (uint32_t)count - length[run];
  if (end == large.top) {
    if (take_new(more) == NO_PAGE)
      return false;
  } else if (state_of(end) == FREE && length[end] >= more) {
    take_run(end, more);
  } else {
    return false;
  }
  /* For cn_large_discard(), which may be at this page: the run is in use, and the next one begins behind it. */
  state[end] = USED;
  length[end] = more;
  use_pages(run, end, end + more);
  return true;
}

void cn_large_bounds(uintptr_t *start, uintptr_t *end)
{
  *start = large.base;
  *end = large.base + large.size;
}

uintptr_t cn_large_find(uintptr_t address, uintptr_t *end)
{
  uint32_t page = page_of(address), run = page < large.top ? first[page] : NO_PAGE;

  /* `first` of a free page may be stale. */
  if (run == NO_PAGE || run > page || state_of(run) == FREE || page - run >= length[run])
    return 0;
  *end = address_of(run + length[run]);
  return address_of(run);
}

bool cn_large_mark(uintptr_t block)
{
  uint32_t run = page_of(block);

  CN_CHECK(state_of(run) != FREE);
  return state_of(run) != MARKED && __atomic_exchange_n(&state[run], MARKED, __ATOMIC_RELAXED) != MARKED;
}

bool cn_large_is_marked(uintptr_t block)
{
  uint32_t run = page_of(block);

  CN_CHECK(state_of(run) != FREE);
  return state_of(run) == MARKED;
}

void cn_large_push(uintptr_t block)
{
  uint32_t run = page_of(block);

  CN_CHECK(state[run] == MARKED);
  next[run] = large.gray;
  large.gray = run;
}

uintptr_t cn_large_pop(void)
{
  uint32_t run = large.gray;

  if (run == NO_PAGE)
    return 0;
  large.gray = next[run];
  return address_of(run);
}

static void forget_lists(void)
{
  large.some = 0;
  for (int i = 0; i <= EXACT_LISTS; i++)
    large.lists[i] = NO_PAGE;
}

/* Release memory that recent collections did not need: the tops before the last sweeps count, each an eighth less than
 * the next. Otherwise memory that comes and goes would fault again and again. */
static void trim_memory(uint32_t top)
{
  large.recent -= large.recent / 8;
  if (large.recent < top)
    large.recent = top;
  if (large.committed / 2 <= large.recent)
    return;
  cn_os_release(address_of(large.recent), (large.committed - large.recent) * large.page);
  large.committed = large.recent;
  if (large.touched > large.committed)
    large.touched = large.committed;
}

static void discard_pages(uint32_t run, uint32_t pages, struct cn_large_idle *at, size_t bytes)
{
  uint32_t count = pages - at->pages, most = (uint32_t)(bytes / large.page);

  CN_ASSERT(at->pages < pages && most != 0);
  count = count < most ? count : most;
  cn_os_discard(address_of(run + at->pages), count * large.page);
  at->pages += count;
}

/* Runs are split while the program runs. Only cn_large_lengthen() joins two, and leaves a run there; so a place where a
 * run began is still the start of one. */
bool cn_large_discard(struct cn_large_idle *at, size_t bytes)
{
  int looks = MAX_EXAMINED_RUNS;

  if (large.size == 0)
    return false;
  for (at->run += at->run == 0; at->run != large.top; at->run += length[at->run], at->pages = 0) {
    bool some = state[at->run] == FREE && at->pages < length[at->run];
    if (some)
      discard_pages(at->run, length[at->run], at, bytes);
    if (some || looks-- == 0)
      return true;
  }
  if (at->pages >= large.committed - large.top)
    return false;
  discard_pages(large.top, large.committed - large.top, at, bytes);
  return true;
}

void cn_large_free(uintptr_t block)
{
  uint32_t run = page_of(block);

  CN_CHECK(state[run] == USED);
  put_free(run, length[run]);
}

void cn_large_unmark(void)
{
  for (uintptr_t block = 0; (block = cn_large_next(block)) != 0;)
    state[page_of(block)] = USED;
}

size_t cn_large_sweep(bool keep)
{
  uint32_t pages, run, begin = 1, top = large.top;
  size_t left = 0;

  CN_CHECK(large.gray == NO_PAGE);
  if (large.size == 0)
    return 0;
  forget_lists();
  for (run = 1; run != large.top; run += pages) {
    pages = length[run];
    CN_CHECK(pages != 0 && pages <= large.top - run);
    if (state[run] != MARKED) {
      state[run] = FREE;
      continue;
    }
    state[run] = keep ? MARKED : USED;
    left += pages;
    if (begin != run)
      put_free(begin, run - begin);
    begin = run + pages;
  }
  large.top = begin; /* free pages at the end belong to no run */
  trim_memory(top);
  return left * large.page;
}

size_t cn_large_leave(void)
{
  size_t left = 0;
  uint32_t run, begin = 1;

  if (large.size == 0)
    return 0;
  forget_lists();
  large.gray = NO_PAGE;
  for (run = 1; run != large.top; run += length[run]) {
    if (state[run] != MARKED) {
      state[run] = FREE;
      continue;
    }
    cn_os_release(address_of(begin), (run - begin) * large.page);
    left += length[run];
    begin = run + length[run];
  }
  cn_os_release(address_of(begin), (large.committed - begin) * large.page);
  large.top = large.committed = begin;
  if (large.touched > begin)
    large.touched = begin;
  return left * large.page;
}

uintptr_t cn_large_next(uintptr_t block)
{
  uint32_t run = 1;

  if (block != 0)
    run = page_of(block) + length[page_of(block)];
  while (large.size != 0 && run < large.top && state_of(run) == FREE)
    run += length[run];
  return large.size != 0 && run < large.top ? address_of(run) : 0;
}
