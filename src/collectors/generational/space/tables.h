/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap's addresses, and the tables that describe its memory:
 *
 *     base             old                                                  end
 *      |  large objects  |  blocks of 32 KiB, of lines; some are the nursery |
 *
 * A block has a state, and a byte per line. Each 8 bytes of the old space have two bits: the start bit says that the
 * header of an object is there, the mark bit that the object is marked. The bits belong to the header, because an empty
 * payload has the address of the next block. After a full collection the marked objects are the objects, so the two
 * bits exchange their roles. Compiled code uses the card table, too.
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
  CN_MIN_PAGE_BYTES = 4 << 10,
  CN_LINE_BYTES = 256,
  CN_CARD_BYTES = 512,
  CN_LINES_PER_BLOCK = CN_BLOCK_BYTES / CN_LINE_BYTES,
  CN_CARDS_PER_BLOCK = CN_BLOCK_BYTES / CN_CARD_BYTES,
  CN_BIT_WORDS_PER_BLOCK = 2 * CN_BLOCK_BYTES / 8 / 64 /* words of start bits and mark bits */
};

/* States of large objects. A collection makes young large objects old, and the marker makes old ones reached. */
enum cn_large_state { CN_LARGE_YOUNG, CN_LARGE_OLD, CN_LARGE_REACHED };

struct cn_tables {
  uintptr_t base, old, end;
  uint64_t *bits; /* two words for each 512 bytes, starts and marks, in the order of `marks` */
  size_t marks;   /* 0 or 1: the index of the word of marks */
  uint8_t *lines; /* by line: nonzero if the last full collection left an object there */
  uint8_t
      *reached; /* by line: nonzero if the line has a marked object; exchanged with `lines` together with the bits */
  uint8_t *states;
  size_t blocks;
  uint8_t *large_states; /* by page of large objects: enum cn_large_state of the object that begins in the page */
  uint8_t *dirty;        /* by 32 KiB of any address: nonzero if cn_cards_begin_visits() found a dirty card */
  uint32_t *filled;      /* by block: bytes of objects at the last sweep, and of holes filled since */
  uint16_t *groups;      /* by block: the bit of the block's evacuation group (evacuation.h), or 0 */
  uint16_t *leads;       /* by card: groups that the card's fields may point to */
  uint8_t *waiting;      /* by card: nonzero if the marker will visit the card again */
  uint16_t *leading;     /* by 32 KiB, large objects included: groups that fields may point to */
  unsigned char *cards;  /* the card table, for any address by the mask */
  uint64_t mask;
};
extern struct cn_tables cn_tables;

/* Phase INIT. Reserves addresses for objects of `bytes` in all. Returns false if there are too few addresses. */
bool cn_tables_init(size_t bytes);
/* Makes the tables of [from, to) writable, before objects are put there. Any thread. Returns false if memory is
 * exhausted. */
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

/* A thread that sees a bit also sees all writes that preceded the setting of the bit. */
static inline uint64_t cn_tables_load_bits(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Sets bits of a word; only one thread at a time may change the word. */
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

/* True if the object of the old space is marked, while other threads may mark objects. */
static inline bool cn_tables_is_marked(uintptr_t payload)
{
  return (__atomic_load_n(cn_tables_bit_word_of(payload, cn_tables.marks), __ATOMIC_RELAXED) &
          cn_tables_bit_of(payload)) != 0;
}

/* Whether the marker will visit the card at this address again. */
static inline uint8_t *cn_tables_card_waits(uintptr_t card)
{
  return &cn_tables.waiting[(card - cn_tables.base) / CN_CARD_BYTES];
}

static inline void cn_tables_set_start(uintptr_t payload)
{
  cn_tables_set_bits(cn_tables_bit_word_of(payload, 1 - cn_tables.marks), cn_tables_bit_of(payload));
}

/* The state of a block. The load is atomic, because other tracers may take free blocks at the same time. */
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

/* True if a large object could have this payload: its block begins at the start of a page, followed by the header. */
static inline bool cn_tables_may_be_large(uintptr_t payload)
{
  return payload % CN_MIN_PAGE_BYTES == CAIRN_ABI_HEADER_SIZE ||
         payload % CN_MIN_PAGE_BYTES == CAIRN_ABI_INDEXED_HEADER_SIZE;
}

/* True if `word`, a header or the first word of a block, is a forwarding address, so that the object was copied. Copies
 * are in the old space, whose addresses are greater than any count. */
static inline bool cn_tables_is_forwarding_word(uintptr_t word)
{
  return cairn_header_is_forwarded(word) && cn_tables_is_in_old_space(cairn_header_forwarded_to(word) - 1);
}

/* Reports the tables as parts of the collector's memory (cairn_memory_part()). STOP, or at the end of the program. */
void cn_tables_report_memory(void);

/* The payload of the last object that starts at or before `address`, or 0. */
uintptr_t cn_tables_last_object_before(uintptr_t address);
/* The payload of the first object whose header is in [from, end), or 0; `end` is a multiple of 512. */
uintptr_t cn_tables_next_object_within(uintptr_t from, uintptr_t end);

/* The card bytes of a block, or of another range that lies within one aligned range of its size. */
static inline unsigned char *cn_tables_cards_of(uintptr_t block)
{
  return &cn_tables.cards[block / CN_CARD_BYTES & cn_tables.mask];
}

static inline uint8_t *cn_tables_dirty_flag_of(uintptr_t address)
{
  return &cn_tables.dirty[(address - cn_tables.base) / CN_BLOCK_BYTES];
}

static inline uint16_t cn_tables_evacuation_group_of(size_t block)
{
  return __atomic_load_n(&cn_tables.groups[block], __ATOMIC_RELAXED);
}

/* The groups that a card of a block or of a large object may point to. */
static inline uint16_t *cn_tables_card_target_groups(uintptr_t address)
{
  return &cn_tables.leads[(address - cn_tables.base) / CN_CARD_BYTES];
}

static inline uint16_t *cn_tables_block_target_groups(uintptr_t address)
{
  return &cn_tables.leading[(address - cn_tables.base) / CN_BLOCK_BYTES];
}

/* Clears the block's marks. */
void cn_tables_clear_block_marks(size_t block);

/* Clears the bits, lines and cards of blocks without objects. */
void cn_tables_clear_blocks(size_t block, size_t count);

#endif
