/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the large-object space: allocates, lengthens, marks, sweeps and discards blocks of pages. Mutators allocate, and
 * the background thread discards free pages, under the collector's lock in phase MUTATE. In phase STOP the collecting
 * thread calls the functions, and tracers mark and find blocks in parallel by atomic states. Checks of copies find
 * blocks in phase MUTATE without the lock. The pages from the base to the top form runs: a run is a block, or it is
 * free. Tables outside of the heap (`first_pages`, `run_lengths`, `run_links`, `run_states`) describe each run by the
 * number of its first page, so that marking and sweeping access no block. Free runs are in doubly linked lists by
 * length (`large_space_state`). A sweep makes the lists anew, and joins neighbouring free runs.
 */
#include "collectors/large_space.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/os/os.h"

enum {
  EXACT_SIZE_LISTS = 63, /* lists for runs of 1 to so many pages; one more list has all longer runs */
  MAX_EXAMINED_RUNS = 8, /* runs that are examined in the list of longer runs */
  COMMIT_STEP_BYTES = 2 << 20,
  ADDRESSES_PER_BYTE = 4, /* bytes of addresses for each byte of blocks */
  NO_PAGE = 0,            /* no block has page 0 */
};

enum state { RUN_FREE, RUN_USED, RUN_MARKED };

static struct {
  uintptr_t base;
  size_t size, page;
  uint32_t top, committed, touched; /* ends of the pages with runs, with memory, and with nonzero bytes */
  uint64_t some;                    /* one bit for each list: the list has runs */
  uint32_t lists[EXACT_SIZE_LISTS + 1];
  uint32_t recent; /* the highest top of recent collections */
  uint32_t gray;
} large_space_state;

/* Tables by page. `first_pages` has the first page of the block for each page of a block, and, for the first page of a
 * free run, the previous run in its list. The other tables have an entry for the first page of each run. */
static uint32_t *first_pages, *run_lengths, *run_links;
static uint8_t *run_states;

static bool reserve_page_tables(size_t pages)
{
  size_t each = sizeof *first_pages + sizeof *run_lengths + sizeof *run_links + sizeof *run_states;
  size_t bytes = (pages * each + large_space_state.page - 1) & ~(large_space_state.page - 1);
  uintptr_t memory = cn_os_reserve_addresses(bytes);

  if (memory == 0 || !cn_os_make_readable(memory, bytes))
    return false;
  first_pages = (uint32_t *)memory;
  run_lengths = first_pages + pages;
  run_links = run_lengths + pages;
  run_states = (uint8_t *)(run_links + pages);
  return true;
}

static bool commit_table(void *table, size_t size, uint32_t from, uint32_t to)
{
  uintptr_t start = ((uintptr_t)table + from * size) & ~(uintptr_t)(large_space_state.page - 1),
            end = (uintptr_t)table + to * size;

  return cn_os_commit_memory(start, (end - start + large_space_state.page - 1) & ~(large_space_state.page - 1));
}

static bool commit_tables(uint32_t from, uint32_t to)
{
  return commit_table(first_pages, sizeof *first_pages, from, to) &&
         commit_table(run_lengths, sizeof *run_lengths, from, to) &&
         commit_table(run_links, sizeof *run_links, from, to) && commit_table(run_states, sizeof *run_states, from, to);
}

bool cn_large_init_at(uintptr_t base, size_t bytes)
{
  large_space_state.page = cn_os_page_bytes();
  size_t pages = bytes / large_space_state.page;
  if (base == 0 || pages > UINT32_MAX || pages < 2 || !reserve_page_tables(pages))
    return false;
  large_space_state.base = base;
  large_space_state.size = bytes;
  large_space_state.top = large_space_state.committed = large_space_state.touched = 1;
  cn_os_prefer_large_pages(large_space_state.base, large_space_state.size);
  cn_os_register_leak_roots(large_space_state.base, large_space_state.size);
  return true;
}

bool cn_large_init(size_t bytes)
{
  size_t page = cn_os_page_bytes(), size;
  uintptr_t base = 0;

  if (bytes > SIZE_MAX / (2 * ADDRESSES_PER_BYTE))
    return false;
  for (size = (ADDRESSES_PER_BYTE * bytes + COMMIT_STEP_BYTES) & ~(size_t)(COMMIT_STEP_BYTES - 1); size >= bytes / 2;
       size = size / 2 & ~(page - 1)) {
    base = cn_os_reserve_addresses(size);
    if (base != 0)
      break;
  }
  return cn_large_init_at(base, size);
}

static uintptr_t address_of(uint32_t page)
{
  return large_space_state.base + page * large_space_state.page;
}

static uint32_t page_at(uintptr_t address)
{
  CN_CHECK(cn_large_contains(address));
  return (uint32_t)((address - large_space_state.base) / large_space_state.page);
}

/* Several threads may mark blocks and read states at once. */
static enum state run_state_of(uint32_t run)
{
  return __atomic_load_n(&run_states[run], __ATOMIC_RELAXED);
}

bool cn_large_contains(uintptr_t address)
{
  return address - large_space_state.base < large_space_state.size;
}

/* ---- free runs ---- */

static unsigned free_list_of(uint32_t pages)
{
  return pages <= EXACT_SIZE_LISTS ? pages - 1 : EXACT_SIZE_LISTS;
}

static void add_free_run(uint32_t run, uint32_t pages)
{
  unsigned list = free_list_of(pages);

  CN_ASSERT(pages != 0 && run + pages <= large_space_state.top);
  run_states[run] = RUN_FREE;
  run_lengths[run] = pages;
  first_pages[run] = NO_PAGE;
  run_links[run] = large_space_state.lists[list];
  if (run_links[run] != NO_PAGE)
    first_pages[run_links[run]] = run;
  large_space_state.lists[list] = run;
  large_space_state.some |= UINT64_C(1) << list;
}

/* Takes the run out of its list, and returns its pages beyond `pages` to the lists. */
static uint32_t take_free_run(uint32_t run, uint32_t pages)
{
  uint32_t has = run_lengths[run];
  unsigned list = free_list_of(has);

  CN_CHECK(run_states[run] == RUN_FREE && has >= pages);
  if (run_links[run] != NO_PAGE)
    first_pages[run_links[run]] = first_pages[run];
  if (first_pages[run] != NO_PAGE)
    run_links[first_pages[run]] = run_links[run];
  else
    large_space_state.lists[list] = run_links[run];
  if (large_space_state.lists[list] == NO_PAGE)
    large_space_state.some &= ~(UINT64_C(1) << list);
  if (has > pages)
    add_free_run(run + pages, has - pages);
  return run;
}

static uint32_t take_longer_run(uint32_t pages)
{
  uint32_t run = large_space_state.lists[EXACT_SIZE_LISTS];

  for (int i = 0; run != NO_PAGE && i < MAX_EXAMINED_RUNS; run = run_links[run], i++)
    if (run_lengths[run] >= pages)
      return take_free_run(run, pages);
  return NO_PAGE;
}

static uint32_t take_fitting_run(uint32_t pages)
{
  uint64_t lists = pages <= EXACT_SIZE_LISTS ? large_space_state.some & (~UINT64_C(0) << (pages - 1)) : 0;
  unsigned list = lists != 0 ? (unsigned)__builtin_ctzll(lists) : EXACT_SIZE_LISTS;

  return list != EXACT_SIZE_LISTS ? take_free_run(large_space_state.lists[list], pages) : take_longer_run(pages);
}

static uint32_t take_pages_at_top(uint32_t pages)
{
  uint32_t run = large_space_state.top, end = run + pages,
           limit = (uint32_t)(large_space_state.size / large_space_state.page);

  if (pages > limit - run)
    return NO_PAGE;
  if (end > large_space_state.committed) {
    uint32_t step = (uint32_t)(COMMIT_STEP_BYTES / large_space_state.page),
             to = limit - end < step ? limit : (end + step - 1) / step * step, more = to - large_space_state.committed;
    if (!commit_tables(large_space_state.committed, large_space_state.committed + more) ||
        !cn_os_commit_memory(address_of(large_space_state.committed), more * large_space_state.page))
      return NO_PAGE;
    large_space_state.committed += more;
  }
  large_space_state.top = end;
  return run;
}

/* ---- blocks ---- */

static void add_pages_to_block(uint32_t run, uint32_t from, uint32_t end)
{
  for (uint32_t page = from; page < end; page++)
    first_pages[page] = run;
  run_lengths[run] = end - run;
  if (large_space_state.touched < end)
    large_space_state.touched = end;
}

uintptr_t cn_large_allocate(size_t bytes, uintptr_t *zero)
{
  size_t count = (bytes + large_space_state.page - 1) / large_space_state.page;

  if (count == 0 || count >= large_space_state.size / large_space_state.page)
    return 0;
  uint32_t pages = (uint32_t)count, run = take_fitting_run(pages);
  if (run == NO_PAGE)
    run = take_pages_at_top(pages);
  if (run == NO_PAGE)
    return 0;
  *zero = address_of(large_space_state.touched > run ? large_space_state.touched : run);
  run_states[run] = RUN_USED;
  add_pages_to_block(run, run, run + pages);
  return address_of(run);
}

bool cn_large_lengthen(uintptr_t block, size_t bytes)
{
  size_t count = (bytes + large_space_state.page - 1) / large_space_state.page;
  uint32_t run = page_at(block), end = run + run_lengths[run];

  CN_CHECK(run_state_of(run) != RUN_FREE);
  if (count <= run_lengths[run])
    return true;
  if (count >= large_space_state.size / large_space_state.page)
    return false;
  uint32_t more = (uint32_t)count - run_lengths[run];
  if (end == large_space_state.top) {
    if (take_pages_at_top(more) == NO_PAGE)
      return false;
  } else if (run_state_of(end) == RUN_FREE && run_lengths[end] >= more) {
    take_free_run(end, more);
  } else {
    return false;
  }
  /* The position of cn_large_discard_free_pages() may be this page, so the page needs the state and the length of a
   * run. */
  run_states[end] = RUN_USED;
  run_lengths[end] = more;
  add_pages_to_block(run, end, end + more);
  return true;
}

void cn_large_space_bounds(uintptr_t *start, uintptr_t *end)
{
  *start = large_space_state.base;
  *end = large_space_state.base + large_space_state.size;
}

void cn_large_clear_nonzero_bytes(uintptr_t block, uintptr_t zero, size_t bytes)
{
  if (zero > block)
    memset((void *)block, 0, zero - block < bytes ? zero - block : bytes);
}

void cn_large_report_memory(size_t objects)
{
  size_t whole = 0;

  if (large_space_state.size != 0)
    whole =
        cairn_resident_bytes(large_space_state.base, address_of(large_space_state.committed) - large_space_state.base);
  objects = objects < whole ? objects : whole;
  cairn_memory_part("large objects", objects);
  cairn_memory_part("free pages of large objects", whole - objects);
}

uintptr_t cn_large_find_block(uintptr_t address, uintptr_t *end)
{
  uint32_t page = page_at(address), run = page < large_space_state.top ? first_pages[page] : NO_PAGE;

  /* For a free page the entry of `first_pages` may be stale. */
  if (run == NO_PAGE || run > page || run_state_of(run) == RUN_FREE || page - run >= run_lengths[run])
    return 0;
  *end = address_of(run + run_lengths[run]);
  return address_of(run);
}

bool cn_large_mark(uintptr_t block)
{
  uint32_t run = page_at(block);

  CN_CHECK(run_state_of(run) != RUN_FREE);
  return run_state_of(run) != RUN_MARKED &&
         __atomic_exchange_n(&run_states[run], RUN_MARKED, __ATOMIC_RELAXED) != RUN_MARKED;
}

bool cn_large_is_marked(uintptr_t block)
{
  uint32_t run = page_at(block);

  CN_CHECK(run_state_of(run) != RUN_FREE);
  return run_state_of(run) == RUN_MARKED;
}

void cn_large_push_gray(uintptr_t block)
{
  uint32_t run = page_at(block);

  CN_CHECK(run_states[run] == RUN_MARKED);
  run_links[run] = large_space_state.gray;
  large_space_state.gray = run;
}

uintptr_t cn_large_pop_gray(void)
{
  uint32_t run = large_space_state.gray;

  if (run == NO_PAGE)
    return 0;
  large_space_state.gray = run_links[run];
  return address_of(run);
}

static void clear_free_lists(void)
{
  large_space_state.some = 0;
  for (int i = 0; i <= EXACT_SIZE_LISTS; i++)
    large_space_state.lists[i] = NO_PAGE;
}

/* Releases memory that several recent collections did not need; an earlier release would cause repeated faults. The
 * tops before recent sweeps count, each reduced by an eighth for each later sweep. */
static void release_unneeded_memory(uint32_t top)
{
  large_space_state.recent -= large_space_state.recent / 8;
  if (large_space_state.recent < top)
    large_space_state.recent = top;
  if (large_space_state.committed / 2 <= large_space_state.recent)
    return;
  cn_os_release_memory(address_of(large_space_state.recent),
                       (large_space_state.committed - large_space_state.recent) * large_space_state.page);
  large_space_state.committed = large_space_state.recent;
  if (large_space_state.touched > large_space_state.committed)
    large_space_state.touched = large_space_state.committed;
}

static void discard_run_memory(uint32_t run, uint32_t pages, struct cn_large_discard_position *at, size_t bytes)
{
  uint32_t count = pages - at->pages, most = (uint32_t)(bytes / large_space_state.page);

  CN_ASSERT(at->pages < pages && most != 0);
  count = count < most ? count : most;
  cn_os_discard_contents(address_of(run + at->pages), count * large_space_state.page);
  at->pages += count;
}

/* Discards free pages while the program runs. A page where a run began stays the start of a run until the next sweep:
 * other functions split runs, and only cn_large_lengthen() joins two runs, and keeps the entries of the second one. */
bool cn_large_discard_free_pages(struct cn_large_discard_position *at, size_t bytes)
{
  int looks = MAX_EXAMINED_RUNS;

  if (large_space_state.size == 0)
    return false;
  for (at->run += at->run == 0; at->run != large_space_state.top; at->run += run_lengths[at->run], at->pages = 0) {
    bool some = run_states[at->run] == RUN_FREE && at->pages < run_lengths[at->run];
    if (some)
      discard_run_memory(at->run, run_lengths[at->run], at, bytes);
    if (some || looks-- == 0)
      return true;
  }
  if (at->pages >= large_space_state.committed - large_space_state.top)
    return false;
  discard_run_memory(large_space_state.top, large_space_state.committed - large_space_state.top, at, bytes);
  return true;
}

void cn_large_free_block(uintptr_t block)
{
  uint32_t run = page_at(block);

  CN_CHECK(run_states[run] == RUN_USED);
  add_free_run(run, run_lengths[run]);
}

void cn_large_clear_marks(void)
{
  for (uintptr_t block = 0; (block = cn_large_next_block(block)) != 0;)
    run_states[page_at(block)] = RUN_USED;
}

size_t cn_large_sweep(bool keep)
{
  uint32_t pages, run, begin = 1, top = large_space_state.top;
  size_t left = 0;

  CN_CHECK(large_space_state.gray == NO_PAGE);
  if (large_space_state.size == 0)
    return 0;
  clear_free_lists();
  for (run = 1; run != large_space_state.top; run += pages) {
    pages = run_lengths[run];
    CN_CHECK(pages != 0 && pages <= large_space_state.top - run);
    if (run_states[run] != RUN_MARKED) {
      run_states[run] = RUN_FREE;
      continue;
    }
    run_states[run] = keep ? RUN_MARKED : RUN_USED;
    left += pages;
    if (begin != run)
      add_free_run(begin, run - begin);
    begin = run + pages;
  }
  large_space_state.top = begin; /* runs end at the last block, and the pages behind it belong to no run */
  release_unneeded_memory(top);
  return left * large_space_state.page;
}

size_t cn_large_abandon_unmarked(void)
{
  size_t left = 0;
  uint32_t run, begin = 1;

  if (large_space_state.size == 0)
    return 0;
  clear_free_lists();
  large_space_state.gray = NO_PAGE;
  for (run = 1; run != large_space_state.top; run += run_lengths[run]) {
    if (run_states[run] != RUN_MARKED) {
      run_states[run] = RUN_FREE;
      continue;
    }
    cn_os_release_memory(address_of(begin), (run - begin) * large_space_state.page);
    left += run_lengths[run];
    begin = run + run_lengths[run];
  }
  cn_os_release_memory(address_of(begin), (large_space_state.committed - begin) * large_space_state.page);
  large_space_state.top = large_space_state.committed = begin;
  if (large_space_state.touched > begin)
    large_space_state.touched = begin;
  return left * large_space_state.page;
}

uintptr_t cn_large_next_block(uintptr_t block)
{
  uint32_t run = 1;

  if (block != 0)
    run = page_at(block) + run_lengths[page_at(block)];
  while (large_space_state.size != 0 && run < large_space_state.top && run_state_of(run) == RUN_FREE)
    run += run_lengths[run];
  return large_space_state.size != 0 && run < large_space_state.top ? address_of(run) : 0;
}
