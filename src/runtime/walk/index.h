/* SPDX-License-Identifier: Apache-2.0
 *
 * The index over the frame maps of all images, from return address to safepoint. The first look-up after a change of
 * the list of images reads the heads of new functions into a sorted array. A safepoint is decoded into the hash table
 * when a walk first meets it on a stack, so other safepoints cost nothing. All memory comes straight from the system;
 * an unreadable frame map ends the program.
 *
 * Look-ups read the table without a lock, while other threads may add entries: an entry's value is written before its
 * key. A table that is too small is replaced by a new table, stays unchanged, and is freed when walks can no longer
 * read it.
 */
#ifndef CN_RUNTIME_WALK_INDEX_H
#define CN_RUNTIME_WALK_INDEX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/check.h"
#include "framemap/framemap.h"
#include "runtime/arch/arch.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/hooks.h"

/* A decoded safepoint, kept until its image is removed. The map is followed in memory by `plain` codes of roots; then,
 * at a multiple of eight, by the roots without a code and the described allocas; then, if the prologue has no shape, by
 * the offsets of the saved registers, of the return address, and of vector registers, 0 for those that the prologue has
 * not saved; then, if the call has one, by its landing.
 *
 * Root code: the low three bits are the callee-saved register that holds the root (enum cn_reg), below
 * CN_PLAIN_REGISTERS, or CN_PLAIN_SP for a root on the stack. For CN_PLAIN_SP the other bits are the root's distance
 * from the stack pointer. If the frame has a constant size, the root lies below the frame's end. */
struct cn_frame_map {
  int32_t cfa_offset;
  uint8_t cfa_reg;   /* DWARF number */
  uint8_t shape : 6; /* of the prologue (arch.h), if `pushed`; else 0 */
  bool pushed : 1;   /* the shape tells the places of the saved registers and of the return address */
  bool has_landing : 1;
  uint16_t saved; /* bit per enum cn_reg */
  uint32_t plain;
  uint32_t extent; /* end of the plain roots on the stack, in bytes from the stack pointer */
  uint32_t roots, areas;
  uint16_t plain_at[];
};
enum { CN_PLAIN_REG_MASK = 7, CN_PLAIN_SP = 7, CN_PLAIN_MAX = UINT16_MAX, CN_PLAIN_REGISTERS = 6 };
enum { CN_MAP_OFFSETS = CN_CALLEE_SAVED_COUNT + 1 + CN_ARCH_SAVED_VECTORS }; /* of a prologue without shape */

/* The words before a map. */
struct cn_map_prefix {
  _Atomic(const void *) kept; /* cn_index_keep() */
  uintptr_t pc;               /* the return address */
};

/* The return address of the map's safepoint. */
static inline uintptr_t cn_map_pc(const struct cn_frame_map *map)
{
  return ((const struct cn_map_prefix *)map - 1)->pc;
}

/* The data that cn_index_keep() has kept with the safepoint, or null. Lock-free. */
static inline const void *cn_map_kept(const struct cn_frame_map *map)
{
  return atomic_load_explicit(&((const struct cn_map_prefix *)map - 1)->kept, memory_order_acquire);
}

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

/* Read the values that the callee-saved vector registers have when the map's frame, which ends at `cfa`, returns.
 * `vector` has their values in the frame. Frames with a shape save none. */
static inline void cn_map_read_vectors(const struct cn_frame_map *map, uintptr_t cfa, uint64_t *vector)
{
  if (CN_ARCH_SAVED_VECTORS == 0 || map->pushed)
    return;
  const int32_t *offset = cn_map_saved_offsets(map) + CN_CALLEE_SAVED_COUNT + 1;
  CN_ASSERT(cfa % sizeof cfa == 0);
  for (int i = 0; i < (int)CN_ARCH_SAVED_VECTORS; i++)
    if (offset[i] != 0)
      vector[i] = *(const uint64_t *)(cfa + (uintptr_t)(intptr_t)offset[i]);
}

/* The landing of a call (framemap.h). The two last members keep whether the call lies in a span of `key`
 * (deopt/throw.c). */
#define CN_MAP_BARRED INT32_MIN
struct cn_map_landing {
  int32_t pad; /* distance from the return address, 0 if the pad follows the call; or CN_MAP_BARRED */
  uint32_t selector, popped;
  _Atomic uint32_t answer;
  uint64_t key;
};

static inline struct cn_map_landing *cn_map_landing(const struct cn_frame_map *map)
{
  uintptr_t end = (uintptr_t)(cn_map_saved_offsets(map) + (map->pushed ? 0 : CN_MAP_OFFSETS));

  return map->has_landing ? (struct cn_map_landing *)((end + 7) & ~(uintptr_t)7) : NULL;
}

/* An entry of the table.
 *
 *   key     63..16 the return address; 15 the frame pointer was pushed first, and gives the frame's
 *           end; 14 the call has a landing; 13..0 size of the frame in words, or, if bit 15 is set, its minimal size
 *   value   63..16 address of the map; 15..8 number of plain roots; 7 always set; 6 the map has
 *           other roots or described allocas; 5..0 the shape of the prologue
 *   code    codes of the first plain roots
 *
 * A frame with 0 words is irregular: its size is too large, or neither constant nor given by its frame pointer; or its
 * prologue has no shape; or it has too many plain roots. Key 0: the entry is empty. Value 0: the image has been
 * removed. */
enum { CN_ENTRY_CODES = 8 };
struct cn_index_entry {
  _Atomic uint64_t key, value;
  uint16_t code[CN_ENTRY_CODES]; /* written before the key */
};
_Static_assert(sizeof(struct cn_index_entry) == 32, "two are a line; a power of two");
_Static_assert(sizeof(struct cn_map_landing) % 8 == 0, "it ends a map");
enum {
  CN_ENTRY_ADDRESS_SHIFT = 16,
  CN_ENTRY_WORDS_MASK = (1 << 14) - 1,
  CN_ENTRY_LANDING_BIT = 1 << 14,
  CN_ENTRY_CHAINED_BIT = 1 << 15,
  CN_ENTRY_SIZE_MASK = CN_ENTRY_CHAINED_BIT | CN_ENTRY_WORDS_MASK,
  CN_ENTRY_PLAIN_SHIFT = 8,
  CN_ENTRY_PLAIN_MAX = 255,
  CN_ENTRY_SP_BIT = 1 << 7, /* selects the stack pointer's lane in vectors of registers */
  CN_ENTRY_OTHERS_BIT = 1 << 6,
  CN_ENTRY_SHAPE_MASK = (1 << 6) - 1,
};
_Static_assert((int)CN_ARCH_SHAPES <= CN_ENTRY_SHAPE_MASK + 1 && CN_CALLEE_SAVED_COUNT <= 16, "bits of a map");

/* A hash table with open addressing. Invariants (cn_index_wrong()):
 *   - `used` entries have keys, at most half of all entries
 *   - a search for a key ends at its entry, because all entries in between have keys
 *   - a value agrees with the map at its address; an entry without a value has a key without a size */
struct cn_index {
  unsigned shift; /* 64 - log2(bytes of all entries) */
  size_t mask, used;
  unsigned char unused[40]; /* two entries are a line of 64 bytes */
  struct cn_index_entry at[];
};
_Static_assert(offsetof(struct cn_index, at) == 64, "entries do not straddle lines");
extern struct cn_index *_Atomic cn_index_current; /* never null */

#define CN_INDEX_FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* The first entry of a search for `pc`. */
static inline const struct cn_index_entry *cn_index_first_probe(const struct cn_index *index, uintptr_t pc)
{
  uint64_t hash = pc * CN_INDEX_FACTOR >> index->shift;

  /* A byte offset saves an instruction on the critical path of a walk. */
  return (const struct cn_index_entry *)((const char *)index->at + (hash & -sizeof(struct cn_index_entry)));
}

/* The entry of `pc`, with its key in `*key`; null if the table has no such entry. */
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

/* Between the two calls, tables that the thread finds stay allocated and signals are deferred. For threads that are
 * neither at a safepoint nor walk a stopped stack. True: this call has entered, and its caller must leave. Any thread,
 * async-signal-safe; takes no lock and never waits. A mutator in native code sets `busy`, for cn_index_free_replaced(),
 * at the cost of two stores. */
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

/* The entry of the safepoint that returns to `pc`. False: the table has no such entry. Called in phase STOP, between
 * cn_index_enter() and cn_index_leave(), or by a managed thread that reads the entry before its next safepoint. */
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

/* Find the entry, or decode the safepoint and add the entry to the table. Any thread. */
enum cn_frames cn_index_find_or_decode(uintptr_t pc, uint64_t *key, uint64_t *value);

/* The safepoint's map, or null. Any thread. */
static inline const struct cn_frame_map *cn_index_look_up_map(uintptr_t pc)
{
  uint64_t key, value;

  return cn_index_look_up_concurrent(pc, &key, &value) || cn_index_find_or_decode(pc, &key, &value) == CN_FRAMES_FOUND
             ? cn_entry_map_of(value)
             : NULL;
}

/* Keep `bytes` bytes of data with the safepoint whose map is `map`, until its image is removed; cn_map_kept() then
 * returns them. `fill` writes the data, unless the safepoint has data already, and takes no lock. Returns the data, or
 * null in a signal handler that interrupted the holder of the index's lock. Exhausted memory ends the program. Any
 * thread; the safepoint's image stays loaded during the call. */
typedef void cn_index_fill(void *memory, void *env);
const void *cn_index_keep(const struct cn_frame_map *map, size_t bytes, cn_index_fill *fill, void *env);

/* True if the call that returns to `pc` lies in a function that has frame maps. Any thread. */
bool cn_index_has_code_at(uintptr_t pc);

/* Update the index for a walk if the list of images has changed. */
void cn_index_prepare_walk(void);

/* The entry of a function whose object file does not declare its barriers, or 0. */
uintptr_t cn_index_find_without_barriers(void);

/* True if a function with frame maps overlaps [start, end). The calling thread does not hold CN_LOCK_FRAMES. */
bool cn_index_has_code_in(uintptr_t start, uintptr_t end);

/* Called after a registration: adopts the image at once if walks have begun or many images wait, so that the first
 * look-up in a new image holds the lock for a short time. */
void cn_index_note_new_image(void);

/* Drop a removed image with its entries. The image's section stays mapped until the call returns. */
void cn_index_forget_image(uint64_t id);

/* The range of all code with frame maps in the image that has `pc`. False: `pc` is outside such code, or a signal
 * interrupted the holder of the index's lock. */
bool cn_index_image_range(uintptr_t pc, uintptr_t *low, uintptr_t *high);

/* The code of the function with frame maps at the address. False: there is none. Any thread. */
bool cn_index_function_range(uintptr_t address, uintptr_t *start, uintptr_t *end);

/* Free the tables that were replaced before the previous call and that walks can no longer read. Called by the thread
 * that has stopped the world, before phase STOP, because in this phase walks read tables without cn_index_enter(). */
void cn_index_free_replaced(void);

/* Check the table. Returns the error, or null. Linear. The caller holds CN_LOCK_FRAMES, or no other thread uses the
 * table. */
const char *cn_index_wrong(const struct cn_index *index);

/* The memory of the index with its decoded safepoints, in bytes. `*safepoints` gets the number of safepoints. */
size_t cn_index_memory_bytes(size_t *safepoints);

#endif
