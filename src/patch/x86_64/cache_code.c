/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the code of inline caches. The key is compared with constants; the result may have the key's register. The
 * instructions between a comparison and its jump keep the flags. Any thread, any phase; the file has no state.
 *
 *     for each entry but the last         for the last entry
 *       mov r11, key'                       mov r11, key'
 *       cmp key, r11                        cmp key, r11
 *       jne over the next two               mov result, 0
 *       mov result, word                    jne to the end
 *       jmp to the end                      mov result, word
 */
#include "patch/machine.h"

#include <cairn/assembler.h>

enum { SCRATCH = 11 }; /* r11, which LLVM keeps free at patchpoints */
enum { WORD_BYTES = 8, HALF_BYTES = 4 };
enum { MAX_NOPS = 16 }; /* a jump over more is faster */

/* A constant that keeps the flags, in the shorter form, if possible. */
static void assemble_constant(struct cairn_assembler *code, unsigned reg, uint64_t value)
{
  cairn_assemble_constant(code, reg, value, value <= UINT32_MAX ? HALF_BYTES : WORD_BYTES);
}

static void assemble_compare(struct cairn_assembler *code, unsigned key, uintptr_t constant)
{
  if ((int64_t)constant == (int32_t)constant) {
    cairn_assemble_compare_constant(code, key, (int64_t)constant, WORD_BYTES);
  } else {
    cairn_assemble_constant(code, SCRATCH, constant, WORD_BYTES);
    cairn_assemble_compare(code, key, SCRATCH, WORD_BYTES);
  }
}

static void assemble_entries(struct cairn_assembler *code, const struct cn_cache_entries *entries, unsigned key,
                             unsigned result, uint64_t end)
{
  unsigned last = entries->count - 1;

  for (unsigned i = 0; i < last; i++) {
    size_t jump;
    assemble_compare(code, key, entries->entry[i].key);
    cairn_assemble_jump_over(code, CAIRN_IF_NOT_EQUAL, &jump);
    assemble_constant(code, result, entries->entry[i].word[0]);
    cairn_assemble_jump(code, end);
    cairn_assemble_land(code, jump);
  }
  assemble_compare(code, key, entries->entry[last].key);
  assemble_constant(code, result, 0);
  cairn_assemble_jump_if(code, CAIRN_IF_NOT_EQUAL, end);
  assemble_constant(code, result, entries->entry[last].word[0]);
}

static uintptr_t find_constant(const struct cn_cache_entries *entries, uint64_t key)
{
  unsigned i = 0;

  while (i < entries->count && entries->entry[i].key != key)
    i++;
  return i < entries->count ? entries->entry[i].word[0] : 0;
}

/* Addresses count from 0, the start of the region. */
enum cairn_status cn_machine_fill_cache(unsigned char *bytes, size_t length, const struct cn_cache_entries *entries,
                                        const struct cairn_point_value *key, unsigned result)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, length, 0);
  if (entries->count == 0 || key->place == CAIRN_POINT_CONSTANT)
    assemble_constant(&code, result, find_constant(entries, key->constant));
  else
    assemble_entries(&code, entries, key->reg, result, length);
  if (code.length + MAX_NOPS < length)
    cairn_assemble_jump(&code, length);
  return cairn_assembler_end(&code);
}
