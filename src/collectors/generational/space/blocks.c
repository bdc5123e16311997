/* SPDX-License-Identifier: Apache-2.0
 *
 * Manages the blocks of the old space: finds holes, free blocks and memory for copies, places the nursery, chooses the
 * blocks that a full collection empties, makes marks the starts of objects, sweeps blocks, and releases memory. The
 * file owns the counts and search positions of blocks (`blocks`) and a pre-commit of memory (`precommit`); the states,
 * lines and marks of blocks, which it changes, are in tables.h.
 *
 * Phase STOP, the collecting thread; the first blocks come in phase INIT. Tracers take holes and blocks under
 * `block_list_lock`. In phase MUTATE the background thread runs steps that sweep, discard and release blocks, and
 * pre-commits memory, until it sets `precommit.over`; a fork()'s child ends the pre-commit.
 *
 * A tracer fills a hole before it searches the next hole, first in the same block, then in the next block with holes.
 * Then it takes free blocks.
 */
#include "collectors/generational/space/blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/space/tables.h"
#include "runtime/os/os.h"

enum {
  COMMIT_BLOCKS = 64,            /* blocks of a large page, which get or lose memory together */
  OPEN_BLOCKS_PER_TRACER = 2,    /* blocks that a tracer may have begun when all objects are copied */
  MIN_FREE_LINES = 16,           /* free lines that make a block worth a visit */
  MAX_SWEPT_BLOCKS_PER_HOLE = 4, /* blocks that a tracer sweeps to find a hole, because to sweep all takes long */
  FRAGMENTED_LINES_PART = 8,     /* sparse blocks are evacuated if more than one line in so many is in a hole */
  MIN_TURN_BLOCKS = 2048,        /* minimum of blocks that extents use in turn */
  TURNS_PER_EXTENT = 16,         /* minimum of extents in a turn */
  MIN_NURSERY_BLOCKS = 32,       /* free blocks in a row that a nursery may take instead of new memory */
  STATES_PER_COMPARISON = 64     /* a vectorised comparison */
};
#define NO_BLOCK SIZE_MAX

static struct {
  size_t low, high;   /* bounds of the blocks with memory */
  size_t holes, free; /* the first block that may be HOLES, and the first that may be FREE */
  size_t turn;        /* the block where the search for a nursery that moves often begins */
  size_t none;        /* the block where the search for addresses begins */
  struct {
    size_t first, end;
  } nursery;        /* the nursery's range, whose blocks need no states */
  size_t spare;     /* number of free blocks */
  size_t unswept;   /* the first block that may be UNSWEPT */
  size_t lines;     /* number of lines with objects in swept blocks */
  bool short_pause; /* pauses must be short: memory is needed at once */
} blocks;
static pthread_mutex_t block_list_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
  size_t first, count; /* blocks that get memory concurrently, if `count` is nonzero */
  bool found;
  _Atomic bool over;
} precommit;

/* Ends the pre-commit in a fork()'s child, which lacks the background thread. */
static void reset_precommit_in_child(void)
{
  precommit.found = false;
  atomic_store(&precommit.over, true);
}

void cn_blocks_init(void)
{
  cn_os_register_child_handler(reset_precommit_in_child);
  blocks.low = cn_tables.blocks;
  blocks.holes = blocks.free = blocks.low;
}

void cn_blocks_bounds(size_t *low, size_t *high)
{
  CN_ASSERT(blocks.high <= cn_tables.blocks);
  *low = blocks.low;
  *high = blocks.high;
}

size_t cn_blocks_next_with_memory(size_t block, size_t end)
{
  static const uint8_t none[STATES_PER_COMPARISON];

  _Static_assert(CN_BLOCK_WITHOUT_MEMORY == 0, "a row of them are zeros");
  if (block < end && cn_tables.states[block] != CN_BLOCK_WITHOUT_MEMORY)
    return block;
  while (block + sizeof none <= end && memcmp(&cn_tables.states[block], none, sizeof none) == 0)
    block += sizeof none;
  while (block < end && cn_tables.states[block] == CN_BLOCK_WITHOUT_MEMORY)
    block++;
  return block;
}

bool cn_blocks_block_has_objects(size_t block)
{
  uint8_t state = cn_tables_block_state(block);

  return state == CN_BLOCK_HOLES || state == CN_BLOCK_USED || state == CN_BLOCK_SOURCE || state == CN_BLOCK_UNSWEPT;
}

/* The first free block from `from` on, or `blocks.high`. */
static size_t next_free_block(size_t from)
{
  const uint8_t *found = from < blocks.high ? memchr(&cn_tables.states[from], CN_BLOCK_FREE, blocks.high - from) : NULL;

  return found != NULL ? (size_t)(found - cn_tables.states) : blocks.high;
}

size_t cn_blocks_next_row_with_objects(size_t *from, size_t end)
{
  size_t block = cn_blocks_next_with_memory(*from, end);

  while (block < end && !cn_blocks_block_has_objects(block))
    block = cn_blocks_next_with_memory(block + 1, end);
  *from = block;
  while (block < end && cn_blocks_block_has_objects(block))
    block++;
  return block;
}

/* ---- addresses and memory ---- */

/* The first of `count` successive blocks with states up to `most`, from `from` on, or NO_BLOCK. */
static size_t find_blocks_in_row(size_t count, size_t from, enum cn_block_state most)
{
  size_t found = 0, block = from;

  CN_ASSERT(most <= CN_BLOCK_FREE && blocks.nursery.first <= blocks.nursery.end);
  while (block < cn_tables.blocks) {
    if (block - blocks.nursery.first < blocks.nursery.end - blocks.nursery.first) {
      block = blocks.nursery.end;
      found = 0;
      continue;
    }
    found = cn_tables.states[block++] <= most ? found + 1 : 0;
    if (found == count)
      return block - count;
  }
  return NO_BLOCK;
}

static void widen_bounds(size_t first, size_t end)
{
  CN_CHECK(end <= cn_tables.blocks);
  if (first < blocks.low)
    blocks.low = first;
  if (end > blocks.high)
    blocks.high = end;
}

/* Gives `count` successive blocks memory and the state; returns the first block, or NO_BLOCK. */
static size_t map_blocks(size_t count, enum cn_block_state state)
{
  CN_CHECK(count != 0 && state != CN_BLOCK_WITHOUT_MEMORY);
  size_t first = find_blocks_in_row(count, blocks.none, CN_BLOCK_WITHOUT_MEMORY);
  if (first == NO_BLOCK)
    first = find_blocks_in_row(count, 0, CN_BLOCK_WITHOUT_MEMORY);
  if (first == NO_BLOCK ||
      !cn_tables_commit_for_range(cn_tables_block_address(first), cn_tables_block_address(first + count)) ||
      !cn_os_commit_memory(cn_tables_block_address(first), count * CN_BLOCK_BYTES))
    return NO_BLOCK;
  for (size_t block = first; block < first + count; block++)
    cn_tables_set_block_state(block, state);
  blocks.none = first + count;
  widen_bounds(first, first + count);
  return first;
}

static void set_blocks_free(size_t first, size_t count)
{
  CN_CHECK(first + count <= blocks.high);
  for (size_t block = first; block < first + count; block++)
    cn_tables_set_block_state(block, CN_BLOCK_FREE);
  blocks.spare += count;
  if (first < blocks.free)
    blocks.free = first;
}

void cn_blocks_expect_short_pause(bool expected)
{
  blocks.short_pause = expected;
}

/* Chooses small pages for memory that a pause needs at once: the system clears a large page completely at its first
 * access. */
static void choose_page_size(size_t first, size_t count)
{
  if (blocks.short_pause)
    cn_os_prefer_small_pages(cn_tables_block_address(first), count * CN_BLOCK_BYTES);
  else if (cairn_pause_goal() != 0)
    cn_os_prefer_large_pages(cn_tables_block_address(first), count * CN_BLOCK_BYTES);
}

/* Gives memory to some blocks, which become free: the blocks up to the end of a large page, or fewer if memory is
 * short. */
static bool map_free_blocks(void)
{
  for (size_t count = COMMIT_BLOCKS - blocks.none % COMMIT_BLOCKS; count != 0; count /= 2) {
    size_t first = map_blocks(count, CN_BLOCK_FREE);
    if (first != NO_BLOCK) {
      choose_page_size(first, count);
      set_blocks_free(first, count);
      return true;
    }
  }
  return false;
}

/* The number of blocks for copies of `bytes`, with a third more for unused ends of blocks. Tracers put only copies of
 * at most a quarter of a block into shared blocks. */
static size_t blocks_for_copies(size_t bytes, size_t tracers)
{
  return (bytes + bytes / 3) / CN_BLOCK_BYTES + OPEN_BLOCKS_PER_TRACER * (tracers + 1);
}

/* ---- background pre-commit: only the background thread uses the blocks until the pre-commit is over ---- */

static void precommit_blocks(void)
{
  uintptr_t at = cn_tables_block_address(precommit.first), end = at + precommit.count * CN_BLOCK_BYTES;

  precommit.found = cn_tables_commit_for_range(at, end) && cn_os_commit_memory(at, end - at);
  cn_os_prefer_large_pages(at, end - at);
  for (; precommit.found && at < end; at += COMMIT_BLOCKS * CN_BLOCK_BYTES)
    cn_os_populate_pages(at, end - at < COMMIT_BLOCKS * CN_BLOCK_BYTES ? end - at : COMMIT_BLOCKS * CN_BLOCK_BYTES);
  atomic_store(&precommit.over, true);
}

static void end_precommit(bool found)
{
  size_t first = precommit.first, count = precommit.count;

  if (count == 0)
    return;
  CN_CHECK(cn_tables.states[first] == CN_BLOCK_IN_PRECOMMIT);
  precommit.count = 0;
  if (found) {
    widen_bounds(first, first + count);
    set_blocks_free(first, count);
  } else {
    cn_os_release_memory(cn_tables_block_address(first), count * CN_BLOCK_BYTES);
    memset(&cn_tables.states[first], CN_BLOCK_WITHOUT_MEMORY, count);
  }
}

void cn_blocks_take_precommitted(void)
{
  if (atomic_load(&precommit.over))
    end_precommit(precommit.found);
}

struct cn_extent cn_blocks_precommit_extent(void)
{
  uintptr_t start = precommit.count != 0 ? cn_tables_block_address(precommit.first) : 0;

  return (struct cn_extent){start, start + precommit.count * CN_BLOCK_BYTES};
}

void cn_blocks_cancel_precommit(void)
{
  cairn_background_aside(NULL);
  end_precommit(false);
}

/* Ensures free blocks for copies. If only the blocks of a pre-commit are left, the function cancels the pre-commit,
 * because the background thread may be missing. */
bool cn_blocks_ensure_free(size_t bytes, size_t tracers)
{
  size_t wanted = blocks_for_copies(bytes, tracers);

  while (blocks.spare < wanted) {
    if (map_free_blocks())
      continue;
    if (precommit.count == 0)
      return false;
    cn_blocks_cancel_precommit();
  }
  return true;
}

void cn_blocks_populate_initial(size_t bytes, size_t tracers)
{
  size_t low, high;

  if (!cn_blocks_ensure_free(bytes, tracers))
    return;
  cn_blocks_bounds(&low, &high);
  CN_CHECK(blocks.spare == high - low);
  cn_os_populate_pages(cn_tables_block_address(low), (high - low) * CN_BLOCK_BYTES);
}

/* Starts a pre-commit of blocks up to the end of a large page. */
void cn_blocks_start_precommit(size_t bytes, size_t tracers)
{
  size_t wanted = blocks_for_copies(bytes, tracers), none = blocks.none;

  if (precommit.count != 0 || blocks.spare >= wanted)
    return;
  size_t count = (none + wanted - blocks.spare + COMMIT_BLOCKS - 1) / COMMIT_BLOCKS * COMMIT_BLOCKS - none;
  size_t first = find_blocks_in_row(count, none, CN_BLOCK_WITHOUT_MEMORY);
  if (first == NO_BLOCK)
    return;
  memset(&cn_tables.states[first], CN_BLOCK_IN_PRECOMMIT, count);
  blocks.none = first + count;
  precommit.first = first;
  precommit.count = count;
  atomic_store(&precommit.over, false);
  cairn_background_aside(precommit_blocks);
}

/* ---- sweeping ---- */

static size_t count_nonzero_lines(const uint8_t *lines, size_t block)
{
  size_t count = 0;

  lines += block * CN_LINES_PER_BLOCK;
  for (int i = 0; i < CN_LINES_PER_BLOCK; i++)
    count += lines[i] != 0;
  return count;
}

static size_t count_lines_with_objects(size_t block)
{
  return count_nonzero_lines(cn_tables.lines, block);
}

static bool is_block_reached(size_t block)
{
  return count_nonzero_lines(cn_tables.reached, block) != 0;
}

/* Sets the state of the block by its lines. Clears the block's marks and reached lines for the next marking: until
 * cn_blocks_swap_marks() they were the starts and lines. */
static void sweep_block(size_t block)
{
  uint64_t *bits = &cn_tables.bits[block * CN_BIT_WORDS_PER_BLOCK + cn_tables.marks];
  size_t lines = count_lines_with_objects(block);

  CN_ASSERT(lines <= CN_LINES_PER_BLOCK && cn_tables.states[block] == CN_BLOCK_UNSWEPT);
  for (size_t i = 0; i < CN_BIT_WORDS_PER_BLOCK; i += 2)
    bits[i] = 0;
  memset(&cn_tables.reached[block * CN_LINES_PER_BLOCK], 0, CN_LINES_PER_BLOCK);
  blocks.lines += lines;
  if (cn_tables.filled[block] > lines * CN_LINE_BYTES)
    cn_tables.filled[block] = (uint32_t)(lines * CN_LINE_BYTES);
  if (lines == 0) {
    cn_tables.groups[block] = 0;
    set_blocks_free(block, 1);
    return;
  }
  bool whole = CN_LINES_PER_BLOCK - lines < MIN_FREE_LINES || cn_tables.groups[block] != 0;
  cn_tables_set_block_state(block, whole ? CN_BLOCK_USED : CN_BLOCK_HOLES);
  if (block < blocks.holes)
    blocks.holes = block;
}

/* ---- holes and free blocks ---- */

static bool take_free_block(struct cn_copy_cursor *cursor)
{
  if (blocks.spare == 0 && !map_free_blocks())
    return false;
  blocks.free = next_free_block(blocks.free);
  CN_CHECK(blocks.free < blocks.high);
  cn_tables_set_block_state(blocks.free, CN_BLOCK_USED);
  cn_tables.filled[blocks.free] = CN_BLOCK_BYTES;
  blocks.spare--;
  cursor->free = cn_tables_block_address(blocks.free++);
  cursor->end = cursor->free + CN_BLOCK_BYTES;
  return true;
}

/* Sets the cursor to the first hole in the block from `from` on. */
static bool take_hole(struct cn_copy_cursor *cursor, uintptr_t from)
{
  uintptr_t end = (from | (CN_BLOCK_BYTES - 1)) + 1;
  const uint8_t *line = &cn_tables.lines[(from - cn_tables.old) / CN_LINE_BYTES];

  CN_ASSERT(from % CN_LINE_BYTES == 0);
  for (; from != end && *line != 0; line++)
    from += CN_LINE_BYTES;
  if (from == end)
    return false;
  cursor->free = from;
  for (; from != end && *line == 0; line++)
    from += CN_LINE_BYTES;
  cursor->end = from;
  CN_ASSERT(cursor->free < cursor->end && cn_blocks_block_has_objects(cn_tables_block_of(cursor->free)));
  return true;
}

/* Sets the cursor to the first hole of the next block with holes. If several successive sweeps find no hole, the
 * function gives up, because a free block is cheaper. */
static bool take_block_with_holes(struct cn_copy_cursor *cursor)
{
  int swept = 0;

  for (; blocks.holes < blocks.high; blocks.holes++) {
    size_t block = blocks.holes;
    if (cn_tables_block_state(block) == CN_BLOCK_UNSWEPT) {
      if (blocks.spare != 0 && swept++ == MAX_SWEPT_BLOCKS_PER_HOLE)
        return false;
      sweep_block(block);
    }
    if (cn_tables.states[block] == CN_BLOCK_HOLES) {
      cn_tables_set_block_state(block, CN_BLOCK_USED);
      cn_tables.filled[block] += (uint32_t)((CN_LINES_PER_BLOCK - count_lines_with_objects(block)) * CN_LINE_BYTES);
      if (take_hole(cursor, cn_tables_block_address(block)))
        return true;
    }
  }
  return false;
}

bool cn_blocks_next_hole(struct cn_copy_cursor *cursor, bool fresh)
{
  CN_CHECK(cursor->free <= cursor->end);
  if (!fresh && cursor->end % CN_BLOCK_BYTES != 0 && take_hole(cursor, cursor->end))
    return true;
  pthread_mutex_lock(&block_list_lock);
  bool done = (!fresh && take_block_with_holes(cursor)) || take_free_block(cursor);
  pthread_mutex_unlock(&block_list_lock);
  return done;
}

uintptr_t cn_blocks_allocate_for_object(size_t bytes)
{
  size_t count = (bytes + CN_BLOCK_BYTES - 1) / CN_BLOCK_BYTES;

  CN_CHECK(bytes > CN_BLOCK_BYTES); /* smaller objects fit into a block */
  pthread_mutex_lock(&block_list_lock);
  size_t first = map_blocks(count, CN_BLOCK_USED);
  pthread_mutex_unlock(&block_list_lock);
  return first == NO_BLOCK ? 0 : cn_tables_block_address(first);
}

/* Uses ranges of addresses in turn, so that the tables of a range are already in memory. */
bool cn_blocks_make_extent(size_t bytes, enum cn_block_state state, struct cn_extent *extent)
{
  size_t count = (bytes + CN_BLOCK_BYTES - 1) / CN_BLOCK_BYTES;

  if (blocks.none >= MIN_TURN_BLOCKS && blocks.none / TURNS_PER_EXTENT >= count)
    blocks.none = 0;
  size_t first = map_blocks(count, state);

  if (first == NO_BLOCK)
    return false;
  *extent = (struct cn_extent){cn_tables_block_address(first), cn_tables_block_address(blocks.none)};
  return true;
}

/* ---- the nursery ---- */

/* Takes the blocks of [first, end) for the nursery; blocks before `kept` keep their memory. The states of blocks that
 * never had memory stay untouched, because the tables of a large heap have many pages. */
static void take_blocks_for_nursery(size_t first, size_t kept, size_t end)
{
  CN_CHECK(first <= kept && kept <= end);
  for (size_t block = first; block < end && block < blocks.high; block++)
    if (cn_tables.states[block] == CN_BLOCK_FREE) {
      blocks.spare--;
      if (block >= kept)
        cn_os_release_memory(cn_tables_block_address(block), CN_BLOCK_BYTES);
      cn_tables.states[block] = CN_BLOCK_WITHOUT_MEMORY;
    }
  blocks.nursery.first = first;
  blocks.nursery.end = end;
  if (blocks.none >= first && blocks.none < end)
    blocks.none = end;
}

/* Finds the first row of `most` free blocks from `from` on, or else the longest shorter row. Returns its first block,
 * with the number of blocks in *count, which is 0 if no block is free. */
static size_t find_free_row(size_t from, size_t most, size_t *count)
{
  size_t best = from, block = from;

  *count = 0;
  while (*count < most && (block = next_free_block(block)) < blocks.high) {
    size_t first = block;
    while (block < blocks.high && block - first < most && cn_tables.states[block] == CN_BLOCK_FREE)
      block++;
    if (block - first > *count) {
      *count = block - first;
      best = first;
    }
  }
  return best;
}

/* The search begins at the block where the last nursery ended. */
static size_t find_free_row_in_turn(size_t most, size_t *count)
{
  size_t behind, first = find_free_row(blocks.turn, most, &behind), before = 0,
                 other = behind < most ? find_free_row(0, most, &before) : 0;

  *count = before > behind ? before : behind;
  return before > behind ? other : first;
}

bool cn_blocks_move_nursery(size_t bytes, struct cn_extent *extent, uintptr_t *memory)
{
  size_t most = (bytes + CN_BLOCK_BYTES - 1) / CN_BLOCK_BYTES,
         least = most < MIN_NURSERY_BLOCKS ? most : MIN_NURSERY_BLOCKS, count;

  CN_CHECK(blocks.nursery.first == blocks.nursery.end && most != 0);
  size_t row = find_free_row_in_turn(most, &count), first = count >= least ? row : NO_BLOCK;
  bool has_memory = first != NO_BLOCK;
  for (size_t wanted = most; first == NO_BLOCK && wanted >= least; wanted /= 2) {
    count = wanted;
    first = find_blocks_in_row(count, 0, CN_BLOCK_FREE);
  }
  if (first == NO_BLOCK)
    return false;
  CN_CHECK(first + count <= cn_tables.blocks);
  blocks.turn = first + count;
  take_blocks_for_nursery(first, first + count, first + count);
  *extent = (struct cn_extent){cn_tables_block_address(first), cn_tables_block_address(first + count)};
  *memory = has_memory ? extent->end : extent->start;
  return true;
}

bool cn_blocks_place_nursery(size_t bytes, size_t least, struct cn_extent *extent)
{
  size_t count = bytes / CN_BLOCK_BYTES, few = (least + CN_BLOCK_BYTES - 1) / CN_BLOCK_BYTES, first = NO_BLOCK;

  CN_CHECK(few != 0 && few <= count);
  CN_CHECK(blocks.nursery.first == blocks.nursery.end);
  if (blocks.high == 0 && count <= cn_tables.blocks)
    first = 0; /* all blocks are free at the start */
  while (first == NO_BLOCK && count >= few && (first = find_blocks_in_row(count, 0, CN_BLOCK_FREE)) == NO_BLOCK)
    count = count > few && count / 2 < few ? few : count / 2;
  if (first == NO_BLOCK)
    return false;
  take_blocks_for_nursery(first, first + few, first + count);
  *extent = (struct cn_extent){cn_tables_block_address(first), cn_tables_block_address(first + count)};
  return true;
}

/* Reserves addresses behind the nursery. Blocks from `blocks.high` on have no memory. */
uintptr_t cn_blocks_reserve_behind(uintptr_t end, size_t bytes)
{
  size_t first = cn_tables_block_of(end), most = cn_tables.blocks - first, last;

  CN_CHECK(blocks.nursery.first == blocks.nursery.end && first <= blocks.high);
  if (most > bytes / CN_BLOCK_BYTES)
    most = bytes / CN_BLOCK_BYTES;
  last = cn_blocks_next_with_memory(first, first + most < blocks.high ? first + most : blocks.high);
  if (last == blocks.high)
    last = first + most;
  blocks.nursery.first = first;
  blocks.nursery.end = last;
  return cn_tables_block_address(last);
}

void cn_blocks_return_behind(uintptr_t end)
{
  size_t block = cn_tables_block_of(end);

  CN_CHECK(blocks.nursery.first <= block && block <= blocks.nursery.end);
  blocks.nursery.end = block;
}

size_t cn_blocks_leave_nursery(struct cn_extent extent, uintptr_t memory)
{
  size_t block = cn_tables_block_of(extent.start), end = cn_tables_block_of(extent.end), stay = 0;

  CN_CHECK(memory % CN_BLOCK_BYTES == 0 && extent.start <= memory && memory <= extent.end);
  widen_bounds(block, cn_tables_block_of(memory));
  blocks.nursery.first = blocks.nursery.end = 0;
  for (; block < cn_tables_block_of(memory); block++)
    if (count_lines_with_objects(block) == 0 && !is_block_reached(block)) {
      cn_tables_clear_blocks(block, 1);
      set_blocks_free(block, 1);
    } else {
      memset(cn_tables_cards_of(cn_tables_block_address(block)), 0, CN_CARDS_PER_BLOCK);
      cn_tables.states[block] = CN_BLOCK_HOLES;
      blocks.holes = block < blocks.holes ? block : blocks.holes;
      stay++;
    }
  if (end > blocks.high)
    end = blocks.high;
  while ((block = cn_blocks_next_with_memory(block, end)) < end) /* blocks of cn_blocks_make_extent() without memory */
    cn_tables.states[block] = CN_BLOCK_WITHOUT_MEMORY;
  return stay * CN_BLOCK_BYTES;
}

/* ---- all blocks ---- */

static void release_block_memory(size_t first, size_t count)
{
  CN_CHECK(first >= blocks.low && first + count <= blocks.high);
  cn_os_release_memory(cn_tables_block_address(first), count * CN_BLOCK_BYTES);
  cn_tables_clear_blocks(first, count);
  memset(&cn_tables.states[first], CN_BLOCK_WITHOUT_MEMORY, count);
}

bool cn_blocks_discard_free_memory(size_t *from, size_t bytes)
{
  size_t first = next_free_block(*from), end;

  for (end = first; end < blocks.high && end - first < bytes / CN_BLOCK_BYTES; end++)
    if (cn_tables.states[end] != CN_BLOCK_FREE)
      break;
  if (first < end)
    cn_os_discard_contents(cn_tables_block_address(first), (end - first) * CN_BLOCK_BYTES);
  *from = end;
  return end < blocks.high;
}

/* The unmarked objects of the block have moved. */
static void keep_marked_objects(size_t block)
{
  uint64_t *bits = &cn_tables.bits[block * CN_BIT_WORDS_PER_BLOCK];
  uint8_t *reached = &cn_tables.reached[block * CN_LINES_PER_BLOCK];

  for (size_t i = 0; i < CN_BIT_WORDS_PER_BLOCK; i += 2) {
    bits[i + 1 - cn_tables.marks] = bits[i + cn_tables.marks];
    bits[i + cn_tables.marks] = 0;
  }
  memcpy(&cn_tables.lines[block * CN_LINES_PER_BLOCK], reached, CN_LINES_PER_BLOCK);
  memset(reached, 0, CN_LINES_PER_BLOCK);
  memset(cn_tables_cards_of(cn_tables_block_address(block)), 0, CN_CARDS_PER_BLOCK);
  cn_tables.states[block] = CN_BLOCK_USED;
}

static void release_all_but_kept(size_t from, size_t to)
{
  size_t end;

  for (size_t block = cn_blocks_next_with_memory(from, to); block < to; block = cn_blocks_next_with_memory(end, to)) {
    for (end = block; end < to && cn_tables.states[end] != CN_BLOCK_WITHOUT_MEMORY && !is_block_reached(end);)
      end++;
    if (end != block)
      release_block_memory(block, end - block);
    else
      keep_marked_objects(end++);
  }
}

/* Sets the bounds of the blocks with memory, which lie within [low, high). */
static void narrow_bounds(size_t low, size_t high)
{
  blocks.low = cn_blocks_next_with_memory(low, high);
  blocks.high = high;
  while (blocks.high > blocks.low && cn_tables.states[blocks.high - 1] == CN_BLOCK_WITHOUT_MEMORY)
    blocks.high--;
}

void cn_blocks_keep_source(size_t block)
{
  CN_ASSERT(block < cn_tables.blocks);
  if (cn_tables.states[block] == CN_BLOCK_SOURCE)
    cn_tables.states[block] = CN_BLOCK_USED;
}

void cn_blocks_free_emptied_source(size_t block)
{
  CN_CHECK(cn_tables.states[block] == CN_BLOCK_SOURCE);
  cn_tables_clear_blocks(block, 1);
  set_blocks_free(block, 1);
}

void cn_blocks_reopen_holes(size_t block)
{
  CN_CHECK(cn_tables.groups[block] == 0);
  if (cn_tables.states[block] != CN_BLOCK_USED && cn_tables.states[block] != CN_BLOCK_SOURCE)
    return;
  bool whole = CN_LINES_PER_BLOCK - count_lines_with_objects(block) < MIN_FREE_LINES;
  cn_tables.states[block] = whole ? CN_BLOCK_USED : CN_BLOCK_HOLES;
  if (block < blocks.holes)
    blocks.holes = block;
}

void cn_blocks_release_all_but(struct cn_extent kept, uintptr_t used, struct cn_extent nursery)
{
  size_t start = cn_tables_block_of(kept.start), end = cn_tables_block_of(kept.end),
         full = cn_tables_block_of(used + CN_BLOCK_BYTES - 1), to = cn_tables_block_of(nursery.start),
         from = cn_tables_block_of(nursery.end);

  CN_CHECK(kept.start <= used && used <= kept.end && (end <= to || from <= start));
  release_all_but_kept(blocks.low, start < to ? start : to);
  release_all_but_kept(end <= to ? end : from, end <= to ? to : start);
  release_all_but_kept(end <= to ? from : end, blocks.high);
  narrow_bounds(blocks.low, blocks.high);
  blocks.holes = blocks.free = blocks.high;
  blocks.spare = 0;
  set_blocks_free(full, end - full);
}

/* True if many lines are in holes of blocks that no tracer has begun to fill since the last full collection. */
static bool are_holes_fragmented(void)
{
  size_t holes = 0, all = 0;

  for (size_t block = blocks.low; (block = cn_blocks_next_with_memory(block, blocks.high)) < blocks.high; block++)
    if (cn_blocks_block_has_objects(block)) {
      all += CN_LINES_PER_BLOCK;
      if (cn_tables.states[block] == CN_BLOCK_HOLES)
        holes += CN_LINES_PER_BLOCK - count_lines_with_objects(block);
    }
  return holes > all / FRAGMENTED_LINES_PART;
}

/* Turns blocks with at most `quarters` quarters in use into sources, up to `bytes` of lines with objects. Returns the
 * bytes. */
static size_t choose_sparse_sources(size_t quarters, size_t bytes)
{
  size_t sum = 0;

  for (size_t block = blocks.low; block < blocks.high; block++) {
    if (cn_tables.states[block] != CN_BLOCK_HOLES)
      continue;
    size_t lines = count_lines_with_objects(block);
    if (lines > quarters * CN_LINES_PER_BLOCK / 4 || sum + lines * CN_LINE_BYTES > bytes)
      continue;
    cn_tables.states[block] = CN_BLOCK_SOURCE;
    sum += lines * CN_LINE_BYTES;
  }
  CN_CHECK(sum <= bytes);
  return sum;
}

static void choose_all_sources(void)
{
  for (size_t block = blocks.low; block < blocks.high; block++)
    if (cn_tables.states[block] == CN_BLOCK_HOLES || cn_tables.states[block] == CN_BLOCK_USED)
      cn_tables.states[block] = CN_BLOCK_SOURCE;
}

void cn_blocks_begin_full(size_t bytes, bool all)
{
  if (all && bytes != 0)
    choose_all_sources();
  else if (bytes != 0 && are_holes_fragmented())
    for (size_t quarters = 1; quarters <= 3; quarters++)
      bytes -= choose_sparse_sources(quarters, bytes);
  for (size_t block = blocks.low; (block = cn_blocks_next_with_memory(block, blocks.high)) < blocks.high; block++)
    if (cn_tables.states[block] == CN_BLOCK_HOLES)
      cn_tables.states[block] = CN_BLOCK_USED;
}

void cn_blocks_swap_marks(bool counted)
{
  uint8_t *lines = cn_tables.lines;

  cn_tables.lines = cn_tables.reached;
  cn_tables.reached = lines;
  cn_tables.marks = 1 - cn_tables.marks;
  CN_CHECK(cn_tables.marks <= 1);
  for (size_t block = blocks.low; (block = cn_blocks_next_with_memory(block, blocks.high)) < blocks.high; block++)
    if (cn_blocks_block_has_objects(block)) {
      cn_tables.states[block] = CN_BLOCK_UNSWEPT;
      if (!counted)
        cn_tables.filled[block] = CN_BLOCK_BYTES;
    }
  blocks.holes = blocks.unswept = blocks.low;
  blocks.lines = 0;
}

bool cn_blocks_sweep_some(size_t most)
{
  for (; most != 0 && blocks.unswept < blocks.high; most--, blocks.unswept++)
    if (cn_tables.states[blocks.unswept] == CN_BLOCK_UNSWEPT)
      sweep_block(blocks.unswept);
  return blocks.unswept < blocks.high;
}

size_t cn_blocks_line_bytes(void)
{
  return blocks.lines * CN_LINE_BYTES;
}

/* Releases memory from the top down, in complete large pages, because a released part of a large page would return as
 * small pages. */
bool cn_blocks_release_free(size_t bytes, size_t most)
{
  size_t least = bytes / CN_BLOCK_BYTES + 1, block = blocks.high, kept = least, before = blocks.spare;

  if (blocks.spare > most / CN_BLOCK_BYTES && kept < blocks.spare - most / CN_BLOCK_BYTES)
    kept = blocks.spare - most / CN_BLOCK_BYTES;
  while (block > blocks.low && blocks.spare > kept) {
    size_t end = block;
    while (block > blocks.low && cn_tables.states[block - 1] == CN_BLOCK_FREE && blocks.spare - kept > end - block)
      block--;
    size_t first = (block + COMMIT_BLOCKS - 1) / COMMIT_BLOCKS * COMMIT_BLOCKS;
    if (first < end) {
      release_block_memory(first, end - first);
      blocks.spare -= end - first;
    }
    if (block > blocks.low)
      block--;
  }
  narrow_bounds(blocks.low, blocks.high);
  if (blocks.none > blocks.high)
    blocks.none = blocks.high > blocks.nursery.end ? blocks.high : blocks.nursery.end;
  return blocks.spare != before && blocks.spare > least;
}
