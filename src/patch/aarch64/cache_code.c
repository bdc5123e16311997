/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the code of inline caches. The key is compared with constants; the result may have the key's register. A
 * constant of more than three parts of 16 bits is a word after the code. Any thread, any phase; the file has no state.
 *
 *     for each entry but the last         for the last entry
 *       x17 = key'                          x17 = key'
 *       cmp key, x17                        cmp key, x17
 *       b.ne over the next two              x17 = word
 *       result = word                       csel result, x17, xzr, eq
 *       b to the end                        b to the end, or nops
 */
#include "patch/machine.h"

#include <string.h>
#include <cairn/patched_cache.h>
#include "patch/aarch64/encode.h"

enum { WORD_BYTES = 8, MAX_PARTS = 3 };
enum { MAX_ENTRY_INSTRUCTIONS = 2 * MAX_PARTS + 3 };
enum { MAX_NOPS = 4 * CN_INSTRUCTION_BYTES }; /* a jump over more is faster */
_Static_assert(CAIRN_PATCHED_CACHE_BYTES >= CAIRN_INLINE_CACHE_ENTRIES * MAX_ENTRY_INSTRUCTIONS * CN_INSTRUCTION_BYTES,
               "the code of all entries fits");

/* The code, which grows from the start of the region, and its words, which grow from the end. */
struct cache_code {
  unsigned char *bytes;
  size_t length, words;
  bool has_room;
};

static void put(struct cache_code *code, uint32_t instruction)
{
  code->has_room = code->has_room && code->length + sizeof instruction <= code->words;
  if (!code->has_room)
    return;
  memcpy(code->bytes + code->length, &instruction, sizeof instruction);
  code->length += sizeof instruction;
}

/* Put a load of a new word. */
static void put_word(struct cache_code *code, uint32_t reg, uint64_t value)
{
  code->has_room = code->has_room && code->length + WORD_BYTES + CN_INSTRUCTION_BYTES <= code->words;
  if (!code->has_room)
    return;
  code->words -= WORD_BYTES;
  memcpy(code->bytes + code->words, &value, sizeof value);
  put(code, 0x58000000 | (uint32_t)(code->words - code->length) / CN_INSTRUCTION_BYTES << 5 | reg);
}

/* Put a constant, in as few instructions as its parts of 16 bits need. Flags stay. */
static void put_constant(struct cache_code *code, uint32_t reg, uint64_t value)
{
  unsigned parts = 0;

  for (unsigned i = 0; i < 4; i++)
    parts += (value >> 16 * i & 0xffff) != 0;
  if (parts > MAX_PARTS) {
    put_word(code, reg, value);
    return;
  }
  uint32_t opcode = 0xd2800000; /* movz, then movk */
  for (unsigned i = 0; i < 4; i++) {
    uint32_t part = value >> 16 * i & 0xffff;
    if (part == 0 && !(parts == 0 && i == 3))
      continue;
    put(code, opcode | i << 21 | part << 5 | reg);
    opcode = 0xf2800000;
  }
}

static void put_compare(struct cache_code *code, uint32_t key, uint64_t constant)
{
  put_constant(code, CN_SECOND_SCRATCH, constant);
  put(code, 0xeb00001f | CN_SECOND_SCRATCH << 16 | key << 5);
}

/* The number of instructions from the one at offset `from` to the one at `to`. */
static uint32_t distance(size_t from, size_t to)
{
  return (uint32_t)((to - from) / CN_INSTRUCTION_BYTES);
}

static void put_entry(struct cache_code *code, const struct cairn_inline_cache_entry *entry, uint32_t key,
                      uint32_t result, size_t end)
{
  enum { NOT_EQUAL = 1 };

  put_compare(code, key, entry->key);
  size_t jump = code->length;
  put(code, 0);
  put_constant(code, result, entry->word[0]);
  put(code, CN_BRANCH | distance(code->length, end));
  uint32_t over = CN_BRANCH_IF | distance(jump, code->length) << 5 | NOT_EQUAL;
  if (code->has_room)
    memcpy(code->bytes + jump, &over, sizeof over);
}

static void put_last_entry(struct cache_code *code, const struct cairn_inline_cache_entry *entry, uint32_t key,
                           uint32_t result)
{
  put_compare(code, key, entry->key);
  put_constant(code, CN_SECOND_SCRATCH, entry->word[0]);
  put(code, 0x9a800000 | CN_ZERO << 16 | CN_SECOND_SCRATCH << 5 | result); /* csel result, x17, xzr, eq */
}

static uintptr_t find_constant(const struct cn_cache_entries *entries, uint64_t key)
{
  unsigned i = 0;

  while (i < entries->count && entries->entry[i].key != key)
    i++;
  return i < entries->count ? entries->entry[i].word[0] : 0;
}

/* Nops, or a jump over them and over words, up to the end of the region. */
static void put_end(struct cache_code *code, size_t end)
{
  if (code->length + MAX_NOPS < end || code->words < end)
    put(code, CN_BRANCH | distance(code->length, end));
  while (code->length < code->words && code->has_room)
    put(code, CN_NOP);
}

enum cairn_status cn_machine_fill_cache(unsigned char *bytes, size_t length, const struct cn_cache_entries *entries,
                                        const struct cairn_point_value *key, unsigned result)
{
  struct cache_code code = {bytes, 0, length, length % CN_INSTRUCTION_BYTES == 0};
  uint32_t key_reg, result_reg;

  if (!cn_encode_find_general(result, &result_reg) ||
      (key->place == CAIRN_POINT_REGISTER && !cn_encode_find_general(key->reg, &key_reg)))
    return CAIRN_E_REGISTER;
  if (entries->count == 0 || key->place == CAIRN_POINT_CONSTANT) {
    put_constant(&code, result_reg, find_constant(entries, key->constant));
  } else {
    for (unsigned i = 0; i + 1 < entries->count; i++)
      put_entry(&code, &entries->entry[i], key_reg, result_reg, length);
    put_last_entry(&code, &entries->entry[entries->count - 1], key_reg, result_reg);
  }
  put_end(&code, length);
  return code.has_room ? CAIRN_OK : CAIRN_E_ROOM;
}
