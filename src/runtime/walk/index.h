/* SPDX-License-Identifier: Apache-2.0
 *
 * The index over the frame maps of all images: return address to safepoint. Two steps. The first look-up after an
 * image came or went reads the heads of new functions into a sorted array. A safepoint is decoded into the hash
 * table when it is first met on a stack, so safepoints at which the program never waits are free. All memory comes
 * straight from the system; an unreadable frame map ends the program.
 *
 * Look-ups read the table without a lock, while others may add to it: an entry's value is written before its key,
 * and a table that has become too small stays as it is and is replaced by another. A replaced table is freed when
 * walks can no longer read it.
 */
#ifndef CN_RUNTIME_WALK_INDEX_H
#define CN_RUNTIME_WALK_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/framemap.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/hooks.h"

/* A safepoint, decoded; kept until its image goes. After it come, in this order: `plain` codes of roots; at an
 * address that is a multiple of eight the roots and the areas without a code; and, if the registers were not pushed,
 * the offsets where they are saved.
 *
 * Root code: the low three bits are enum cn_reg, of the callee-saved register that holds the root, or CN_PLAIN_SP;
 * then the rest is the distance of the root from the stack pointer. If the frame's end is the stack pointer plus a
 * constant, the root lies below that. */
struct cn_frame_map {
  int32_t cfa_offset;
  uint8_t cfa_reg; /* DWARF number */
  uint8_t saved;   /* bit per enum cn_reg */
  bool pushed;     /* the registers are saved as cn_arch_prologue_shapes describes */
  uint32_t plain;
  uint32_t extent; /* bytes that the plain roots on the stack reach over */
  uint32_t roots, areas;
  uint16_t plain_at[];
};
enum { CN_PLAIN_REG_MASK = 7, CN_PLAIN_SP = 7, CN_PLAIN_MAX = UINT16_MAX };

static inline const struct cn_root *cn_map_roots(const struct cn_frame_map *map)
{
  uintptr_t end = (uintptr_t)&map->plain_at[map->plain];

  return (const struct cn_root *)((end + 7) & ~(uintptr_t)7);
}

static inline const struct cn_described_area *cn_map_areas(const struct cn_frame_map *map)
{
  return (const struct cn_described_area *)(((uintptr_t)(cn_map_roots(map) + map->roots) + 7) & ~(uintptr_t)7);
}

static inline const int32_t *cn_map_saved_offsets(const struct cn_frame_map *map)
{
  return (const int32_t *)(cn_map_areas(map) + map->areas);
}

/* An entry of the table.
 *
 *   key     63..16 the return address; 15 the frame pointer was pushed first, and says where the
 *           frame ends; 14..0 words of the frame; if bit 15 is set, at least so many
 *   value   63..16 address of the map; 15..8 number of plain roots; 7 always set; 6 the map has
 *           other roots, or areas; 5..0 the saved registers
 *   code    of the first plain roots
 *
 * With 0 words, a frame is irregular: its size is neither constant nor known by its frame pointer, or is too large,
 * or its registers were not pushed, or it has too many plain roots. Key 0: empty. Value 0: its image is gone. */
enum { CN_ENTRY_CODES = 8 };
struct cn_index_entry {
  _Atomic uint64_t key, value;
  uint16_t code[CN_ENTRY_CODES]; /* written before the key */
};
_Static_assert(sizeof(struct cn_index_entry) == 32, "two are a line; a power of two");
enum {
  CN_ENTRY_ADDRESS_SHIFT = 16,
  CN_ENTRY_WORDS_MASK = (1 << 15) - 1,
  CN_ENTRY_CHAINED_BIT = 1 << 15,
  CN_ENTRY_SIZE_MASK = CN_ENTRY_CHAINED_BIT | CN_ENTRY_WORDS_MASK,
  CN_ENTRY_PLAIN_SHIFT = 8,
  CN_ENTRY_PLAIN_MAX = 255,
  CN_ENTRY_SP_BIT = 1 << 7, /* for the lane that has the stack pointer, where registers are lanes */
  CN_ENTRY_OTHERS_BIT = 1 << 6,
  CN_ENTRY_SAVED_MASK = (1 << 6) - 1,
};

/* Open addressing. These hold (cn_index_wrong()):
 *   - `used` entries have keys, at most half of all
 *   - a search for a key ends at its entry: all entries in between are in use
 *   - a value says what the map at its address says; without one, the key has no size */
struct cn_index {
  unsigned shift; /* 64 - log2 of the bytes of all entries */
  size_t mask, used;
  unsigned char unused[40]; /* two entries are a line of 64 bytes */
  struct cn_index_entry at[];
};
_Static_assert(offsetof(struct cn_index, at) == 64, "entries do not straddle lines");
extern struct cn_index *_Atomic cn_index_current; /* never null */

#define CN_INDEX_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Where the search for `pc` begins. */
static inline const struct cn_index_entry *cn_index_first_probe(const struct cn_index *index, uintptr_t pc)
{
  uint64_t hash = pc * CN_INDEX_FACTOR >> index->shift;

  /* In bytes: one instruction fewer on the critical path of a walk. */
  return (const struct cn_index_entry *)((const char *)index->at + (hash & -sizeof(struct cn_index_entry)));
}

/* The entry of `pc`, whose key is stored; null if the table lacks it. */
static inline const struct cn_index_entry *cn_index_find_entry(const struct cn_index *index, uintptr_t pc,
                                                               uint64_t *key)
{
  const struct cn_index_entry *entry = cn_index_first_probe(index, pc);

  for (;;) {
    *key = atomic_load_explicit(&entry->key, memory_order_acquire);
    if (*key >> CN_ENTRY_ADDRESS_SHIFT == pc)
      return entry;
    if (*key == 0)
      return NULL;
    entry = entry == &index->at[index->mask] ? index->at : entry + 1;
  }
}

static inline const struct cn_frame_map *cn_entry_map_of(uint64_t value)
{
  return (const struct cn_frame_map *)(uintptr_t)(value >> CN_ENTRY_ADDRESS_SHIFT);
}

/* The code at the return address of a call. */
enum cn_frames {
  CN_FRAMES_NONE,         /* outside code with frame maps */
  CN_FRAMES_NO_SAFEPOINT, /* a function with frame maps, outside its recorded safepoints */
  CN_FRAMES_FOUND
};

/* Between the two, tables that the thread finds stay as they are: for a thread that is neither at a safepoint nor
 * walks a stopped stack. They defer signals meanwhile. True: this call began that, and its caller must end it. Any
 * thread, async-signal-safe; takes no lock and never waits. A mutator in native code sets `busy`, which costs two
 * stores; cn_index_free_replaced() sees it. */
static inline bool cn_index_enter(void)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (!mutator->attached)
    return cn_image_begin_reading();
  if (mutator->busy)
    return false;
  __atomic_store_n(&mutator->busy, 1, __ATOMIC_RELAXED);
  atomic_signal_fence(memory_order_seq_cst);
  return true;
}

static inline void cn_index_leave(bool entered)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  if (!mutator->attached) {
    cn_image_end_reading(entered);
  } else if (entered) {
    __atomic_store_n(&mutator->busy, 0, __ATOMIC_RELEASE);
    cn_deliver_postponed_signals();
  }
}

/* The entry of the safepoint that returns to `pc`, if it is in the table. In phase STOP, or between those two. */
static inline bool cn_index_look_up_entry(uintptr_t pc, uint64_t *key, uint64_t *value)
{
  const struct cn_index_entry *entry = cn_index_find_entry(atomic_load(&cn_index_current), pc, key);

  return entry != NULL && (*value = atomic_load_explicit(&entry->value, memory_order_acquire)) != 0;
}

/* Like cn_index_look_up_entry(), from any thread at any time. */
static inline bool cn_index_look_up_concurrent(uintptr_t pc, uint64_t *key, uint64_t *value)
{
  bool entered = cn_index_enter();
  bool found = cn_index_look_up_entry(pc, key, value);

  cn_index_leave(entered);
  return found;
}

/* For an entry that the table lacks: add it, if there is such a safepoint. Any thread. */
enum cn_frames cn_index_find_or_decode(uintptr_t pc, uint64_t *key, uint64_t *value);

/* The safepoint's map, or null. Any thread. */
static inline const struct cn_frame_map *cn_index_look_up_map(uintptr_t pc)
{
  uint64_t key, value;

  return cn_index_look_up_concurrent(pc, &key, &value) || cn_index_find_or_decode(pc, &key, &value) == CN_FRAMES_FOUND
             ? cn_entry_map_of(value)
             : NULL;
}

/* True if the call that returns to `pc` lies in a function that has frame maps. Any thread. */
bool cn_index_has_code_at(uintptr_t pc);

/* True if one of these words is the return address of such a call, or of one in a stub; also if that is unknown,
 * because the tables' owner has been interrupted. Async-signal-safe. */
bool cn_index_has_return_among(const uintptr_t *low, const uintptr_t *high);

/* Prepare the table for a walk: forget images that are gone. */
void cn_index_prepare_walk(void);

/* The entry of a function whose object leaves its barriers undeclared, or 0. */
uintptr_t cn_index_find_without_barriers(void);

/* The range of all code with frame maps of the image that has `pc`. False: `pc` is outside such code, or this is a
 * signal handler that has interrupted the tables' owner. */
bool cn_index_image_range(uintptr_t pc, uintptr_t *low, uintptr_t *high);

/* Free the tables that walks can no longer read, of those that were replaced before the last call. While the world
 * is stopped, by the thread that stopped it, before phase STOP begins: in that phase walks read unannounced. */
void cn_index_free_replaced(void);

/* Check the table. Returns the error, or null. Linear. Under the index's lock, or while no other thread uses it. */
const char *cn_index_wrong(const struct cn_index *index);

/* Bytes in use for the index and the safepoints that it has decoded, and their number. */
size_t cn_index_memory_bytes(size_t *safepoints);

#endif
