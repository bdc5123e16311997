/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap's addresses, and what is known of its memory in tables beside it:
 *
 *     base             old                                                  end
 *      |  large objects  |  blocks of 32 KiB, of lines; some are the nursery |
 *
 * Of each block there are a state, and a byte per line; of each 8 bytes of old space two bits:
 * is the header of an object there, and is that marked. A payload may be empty, and then begin
 * where the next block does: what is asked of the place of an object is asked of its header's.
 * After a full collection the marked ones are those that there are, so the two change places. Cards
 * are those of compiled code.
 */
#ifndef CN_COLLECTORS_GENERATIONAL_SPACE_TABLES_H
#define CN_COLLECTORS_GENERATIONAL_SPACE_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>

enum {
  CN_BLOCK = 32 << 10,
  CN_PAGE = 4 << 10, /* no page is smaller */
  CN_LINE = 256,
  CN_CARD = 512,
  CN_BLOCK_LINES = CN_BLOCK / CN_LINE,
  CN_BLOCK_CARDS = CN_BLOCK / CN_CARD,
  CN_BLOCK_BITS = 2 * CN_BLOCK / 8 / 64 /* words, of both kinds */
};

/* Of large objects; a collection makes young ones old, and the marker reaches these. */
enum cn_large_state { CN_LARGE_YOUNG, CN_LARGE_OLD, CN_LARGE_REACHED };

struct cn_tables {
  uintptr_t base, old, end;
  uint64_t *bits;   /* of each 512 bytes two words, the starts first or the marks */
  size_t marks;     /* 0 or 1: which is that of marks */
  uint8_t *lines;   /* not 0: an object lies there that the last full collection left; */
  uint8_t *reached; /* that is marked. They change places with starts and marks */
  uint8_t *states;
  size_t blocks;
  uint8_t *larges;       /* enum cn_large_state of what begins on a page of large objects */
  unsigned char *again;  /* by card of the old space: the marker is to look at it again; */
  uint8_t *again_blocks; /* by block: at some card of it */
  uint8_t *dirty;        /* by 32 KiB of any address: a card was, when cn_cards_begin() looked */
  uint32_t *filled;      /* by block: bytes of objects when it was swept, and of holes filled since */
  uint16_t *groups;      /* by block: the bit of the group with which it is emptied (evacuation.h) */
  uint16_t *leads;       /* by card: groups into which what lies there may lead; */
  uint16_t *leading;     /* the same by 32 KiB, large objects included */
  unsigned char *cards;  /* of any address, by the mask */
  uint64_t mask;
};
extern struct cn_tables cn_tables;

/* Phase INIT. Reserve addresses for objects of `bytes` in all. False: there are none. */
bool cn_tables_init(size_t bytes);
/* The tables of [from, to) may be written; before an object lies there. Any thread. False: there is
 * no memory. */
bool cn_tables_reach(uintptr_t from, uintptr_t to);

static inline bool cn_tables_is_old(uintptr_t address)
{
  return address - cn_tables.old < cn_tables.end - cn_tables.old;
}

static inline size_t cn_tables_block(uintptr_t address)
{
  return (address - cn_tables.old) / CN_BLOCK;
}

static inline uintptr_t cn_tables_address(size_t block)
{
  return cn_tables.old + block * CN_BLOCK;
}

static inline uint64_t *cn_tables_word(uintptr_t payload, size_t kind)
{
  uintptr_t header = payload - CAIRN_ABI_HEADER_SIZE;

  return &cn_tables.bits[(header - cn_tables.old) / CN_CARD * 2 + kind];
}

static inline uint64_t cn_tables_bit(uintptr_t payload)
{
  return UINT64_C(1) << (payload - CAIRN_ABI_HEADER_SIZE) / 8 % 64;
}

/* Who reads a bit sees what was written before it was set. */
static inline uint64_t cn_tables_bits(const uint64_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Only one thread at a time changes the word. */
static inline void cn_tables_set(uint64_t *word, uint64_t bits)
{
  __atomic_store_n(word, *word | bits, __ATOMIC_RELEASE);
}

static inline void cn_tables_reset(uint64_t *word, uint64_t bits)
{
  __atomic_store_n(word, *word & ~bits, __ATOMIC_RELAXED);
}

static inline bool cn_tables_starts(uintptr_t payload)
{
  return (cn_tables_bits(cn_tables_word(payload, 1 - cn_tables.marks)) & cn_tables_bit(payload)) != 0;
}

static inline void cn_tables_set_start(uintptr_t payload)
{
  cn_tables_set(cn_tables_word(payload, 1 - cn_tables.marks), cn_tables_bit(payload));
}

/* What a block is, while other tracers make free ones their own. */
static inline uint8_t cn_tables_state(size_t block)
{
  return __atomic_load_n(&cn_tables.states[block], __ATOMIC_RELAXED);
}

static inline void cn_tables_set_state(size_t block, uint8_t state)
{
  __atomic_store_n(&cn_tables.states[block], state, __ATOMIC_RELAXED);
}

static inline uint8_t *cn_tables_large(uintptr_t payload)
{
  return &cn_tables.larges[(payload - CAIRN_ABI_HEADER_SIZE - cn_tables.base) / CN_PAGE];
}

/* The block of a large object begins with its page, and its payload is near. */
static inline bool cn_tables_may_be_large(uintptr_t payload)
{
  return payload % CN_PAGE == CAIRN_ABI_HEADER_SIZE || payload % CN_PAGE == CAIRN_ABI_INDEXED_HEADER_SIZE;
}

/* Does the header, or the first word of a block, say that the object was copied? Copies lie in the
 * old space, and no count is as large as an address there. */
static inline bool cn_tables_is_forward(uintptr_t word)
{
  return cairn_header_is_forwarded(word) && cn_tables_is_old(cairn_header_forwarded_to(word) - 1);
}

/* The payload of the last object that starts at `address` or before; 0: there is none. */
uintptr_t cn_tables_last_start(uintptr_t address);
/* That of the first whose header is at `from` or after, and before `end`, a multiple of 512; 0:
 * there is none. */
uintptr_t cn_tables_next_start(uintptr_t from, uintptr_t end);

/* The bytes of the cards of a block, or of as many bytes at such a multiple. */
static inline unsigned char *cn_tables_cards(uintptr_t block)
{
  return &cn_tables.cards[block / CN_CARD & cn_tables.mask];
}

static inline unsigned char *cn_tables_again(uintptr_t address)
{
  return &cn_tables.again[(address - cn_tables.base) / CN_CARD];
}

static inline uint8_t *cn_tables_dirty(uintptr_t address)
{
  return &cn_tables.dirty[(address - cn_tables.base) / CN_BLOCK];
}

static inline uint16_t cn_tables_group(size_t block)
{
  return __atomic_load_n(&cn_tables.groups[block], __ATOMIC_RELAXED);
}

/* Of large objects, too. */
static inline uint16_t *cn_tables_leads(uintptr_t address)
{
  return &cn_tables.leads[(address - cn_tables.base) / CN_CARD];
}

static inline uint16_t *cn_tables_leading(uintptr_t address)
{
  return &cn_tables.leading[(address - cn_tables.base) / CN_BLOCK];
}

/* Nothing of the block is marked, or to be looked at again. */
void cn_tables_unmark(size_t block);

/* Nothing is in these blocks: clear their bits, lines and cards. */
void cn_tables_clear(size_t block, size_t count);

#endif
