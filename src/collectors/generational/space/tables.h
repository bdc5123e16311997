/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap's addresses, and the tables that describe its memory:
 *
 *     base             old                                                  end
 *      |  large objects  |  blocks of 32 KiB, of lines; some are the nursery |
 *
 * A block has a state, and a byte per line. Each 8 bytes of old space have two bits: the header of an object is there,
 * and it is marked. A payload may be empty, and then begin where the next block does, so an object's place is its
 * header's. After a full collection the marked objects are the objects, so the two bits change places. The card table
 * is that of compiled code.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_TABLES_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>

enum {
  CN_BLOCK_BYTES = 32 << 10,
  CN_MIN_PAGE_BYTES = 4 << 10, /* the smallest page */
  CN_LINE_BYTES = 256,
  CN_CARD_BYTES = 512,
  CN_LINES_PER_BLOCK = CN_BLOCK_BYTES / CN_LINE_BYTES,
  CN_CARDS_PER_BLOCK = CN_BLOCK_BYTES / CN_CARD_BYTES,
  CN_BIT_WORDS_PER_BLOCK = 2 * CN_BLOCK_BYTES / 8 / 64 /* words, of both kinds */
};

/* States of large objects. A collection makes young ones old, and the marker reaches old ones. */
enum cn_large_state { CN_LARGE_YOUNG, CN_LARGE_OLD, CN_LARGE_REACHED };

struct cn_tables {
  uintptr_t base, old, end;
  uint64_t *bits;   /* two words for each 512 bytes: starts and marks, in one order or the other */
  size_t marks;     /* 0 or 1: the index of the word of marks */
  uint8_t *lines;   /* nonzero: an object that the last full collection left */
  uint8_t *reached; /* nonzero: a marked object. They change places like the bits */
  uint8_t *states;
  size_t blocks;
  uint8_t *large_states; /* by page of large objects: enum cn_large_state of the one that begins there */
  unsigned char *again;  /* by card: the marker is to scan it again */
  uint8_t *again_blocks; /* by block: it has such cards */
  uint8_t *dirty;        /* by 32 KiB of any address: cn_cards_begin_visits() found a dirty card */
  uint32_t *filled;      /* by block: bytes of objects when it was swept, and of holes filled since */
  uint16_t *groups;      /* by block: the bit of the group that it is evacuated with (evacuation.h) */
  uint16_t *leads;       /* by card: groups that its fields may point to */
  uint16_t *leading;     /* by 32 KiB, large objects included: likewise */
  unsigned char *cards;  /* of any address, by the mask */
  uint64_t mask;
};
extern struct cn_tables cn_tables;

/* Phase INIT. Reserve addresses for objects of `bytes` in all. False: there are too few. */
bool cn_tables_init(size_t bytes);
/* Make the tables of [from, to) writable, before an object lies there. Any thread. False: there is no memory. */
bool cn_tables_commit_for_range(uintptr_t from, uintptr_t to);

static inline bool cn_tables_is_in_old_space(uintptr_t address)
{
  return address - cn_tables.old < cn_tables.end - cn_tables.old;
}

static inline size_t cn_tables_block_of(uintptr_t address)
{
  return (address - cn_tables.old) / CN_BLOCK_BYTES;
}

static inline uintptr_t cn_tables_block_address(size_t block)
{
  return cn_tables.old + block * CN_BLOCK_BYTES;
}

static inline uint64_t *cn_tables_bit_word_of(uintptr_t payload, size_t kind)
{
  uintptr_t header = payload - CAIRN_ABI_HEADER_SIZE;

  return &cn_tables.bits[(header - cn_tables.old) / CN_CARD_BYTES * 2 + kind];
}

static inline uint64_t cn_tables_bit_of(uintptr_t payload)
{
  return UINT64_C(1) << (payload - CAIRN_ABI_HEADER_SIZE) / 8 % 64;
}

/* A thread that sees a bit sees all writes before the bit was set. */
static inline uint64_t cn_tables_load_bits(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Only one thread at a time changes the word. */
static inline void cn_tables_set_bits(uint64_t *word, uint64_t bits)
{
  __atomic_store_n(word, *word | bits, __ATOMIC_RELEASE);
}

static inline void cn_tables_clear_bits(uint64_t *word, uint64_t bits)
{
  __atomic_store_n(word, *word & ~bits, __ATOMIC_RELAXED);
}

static inline bool cn_tables_is_object_start(uintptr_t payload)
{
  return (cn_tables_load_bits(cn_tables_bit_word_of(payload, 1 - cn_tables.marks)) & cn_tables_bit_of(payload)) != 0;
}

static inline void cn_tables_set_start(uintptr_t payload)
{
  cn_tables_set_bits(cn_tables_bit_word_of(payload, 1 - cn_tables.marks), cn_tables_bit_of(payload));
}

/* The state of a block; other tracers may take free blocks meanwhile. */
static inline uint8_t cn_tables_block_state(size_t block)
{
  return __atomic_load_n(&cn_tables.states[block], __ATOMIC_RELAXED);
}

static inline void cn_tables_set_block_state(size_t block, uint8_t state)
{
  __atomic_store_n(&cn_tables.states[block], state, __ATOMIC_RELAXED);
}

static inline uint8_t *cn_tables_large_state_of(uintptr_t payload)
{
  return &cn_tables.large_states[(payload - CAIRN_ABI_HEADER_SIZE - cn_tables.base) / CN_MIN_PAGE_BYTES];
}

/* A large object's block begins with its page, and its payload soon after. */
static inline bool cn_tables_may_be_large(uintptr_t payload)
{
  return payload % CN_MIN_PAGE_BYTES == CAIRN_ABI_HEADER_SIZE ||
         payload % CN_MIN_PAGE_BYTES == CAIRN_ABI_INDEXED_HEADER_SIZE;
}

/* True if the header, or the first word of a block, tells that the object was copied: copies lie in the old space, and
 * each count is smaller than an address there. */
static inline bool cn_tables_is_forwarding_word(uintptr_t word)
{
  return cairn_header_is_forwarded(word) && cn_tables_is_in_old_space(cairn_header_forwarded_to(word) - 1);
}

/* The payload of the last object that starts at or before `address`, or 0. */
uintptr_t cn_tables_last_object_before(uintptr_t address);
/* The payload of the first object whose header is in [from, end), or 0; `end` is a multiple of 512. */
uintptr_t cn_tables_next_object_within(uintptr_t from, uintptr_t end);

/* The card bytes of a block, or of another range that does not cross a multiple of its size. */
static inline unsigned char *cn_tables_cards_of(uintptr_t block)
{
  return &cn_tables.cards[block / CN_CARD_BYTES & cn_tables.mask];
}

static inline unsigned char *cn_tables_rescan_note_of(uintptr_t address)
{
  return &cn_tables.again[(address - cn_tables.base) / CN_CARD_BYTES];
}

static inline uint8_t *cn_tables_dirty_flag_of(uintptr_t address)
{
  return &cn_tables.dirty[(address - cn_tables.base) / CN_BLOCK_BYTES];
}

static inline uint16_t cn_tables_evacuation_group_of(size_t block)
{
  return __atomic_load_n(&cn_tables.groups[block], __ATOMIC_RELAXED);
}

/* Also for large objects. */
static inline uint16_t *cn_tables_card_target_groups(uintptr_t address)
{
  return &cn_tables.leads[(address - cn_tables.base) / CN_CARD_BYTES];
}

static inline uint16_t *cn_tables_block_target_groups(uintptr_t address)
{
  return &cn_tables.leading[(address - cn_tables.base) / CN_BLOCK_BYTES];
}

/* Forget marks and noted cards of the block. */
void cn_tables_clear_block_marks(size_t block);

/* The blocks have no objects: clear their bits, lines and cards. */
void cn_tables_clear_blocks(size_t block, size_t count);

#endif
