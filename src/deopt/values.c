/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the values of operands in an activation, from the places that the walker gives for its registers and its stack.
 * Runs wherever the walk's frame is valid. Stateless. The machine is little-endian.
 */
#include "deopt/site.h"

#include <string.h>
#include "base/check.h"

/* The register's value. False: it is lost. */
static bool read_register(const struct cn_frame *frame, unsigned reg, uintptr_t *value)
{
  const uintptr_t *place = cn_frame_register_place(frame, reg);

  if (reg == cn_arch_sp_dwarf_number)
    *value = frame->sp;
  else if (place != NULL)
    *value = *place;
  return reg == cn_arch_sp_dwarf_number || place != NULL;
}

static uint64_t lowest_bits(uint64_t word, unsigned bits)
{
  return bits < 64 ? word & (((uint64_t)1 << bits) - 1) : word;
}

/* The address in the memory of a place. False: its base is lost. */
static bool find_address(const struct cn_frame *frame, const struct cn_frame_place *loc, uintptr_t *address)
{
  if (!read_register(frame, loc->reg, address))
    return false;
  *address += (uintptr_t)(intptr_t)loc->offset;
  return true;
}

/* Read `bytes` bytes. False: the value is lost; registers of the walk have a word. */
static bool read_place(const struct cn_frame *frame, const struct cn_frame_place *loc, size_t bytes, uint64_t word[2])
{
  uintptr_t value;

  CN_ASSERT(bytes <= 2 * sizeof *word);
  if (loc->is_register) {
    if (bytes > sizeof value || !read_register(frame, loc->reg, &value))
      return false;
    word[0] = value;
    return true;
  }
  if (!find_address(frame, loc, &value))
    return false;
  memcpy(word, (const void *)value, bytes);
  return true;
}

static bool read_words(const struct cn_operand *operand, const struct cn_frame *frame, uint64_t word[2])
{
  uintptr_t address = 0;

  if (operand->kind == CN_OPERAND_PLACE)
    return read_place(frame, &operand->loc, (operand->bits + 7u) / 8, word);
  bool found = operand->kind == CN_OPERAND_CONSTANT || find_address(frame, &operand->loc, &address);
  word[0] = operand->kind == CN_OPERAND_CONSTANT ? operand->constant : address;
  return found;
}

/* The object that a derived reference points into. */
static bool read_base(const struct cn_operand *operand, const struct cn_frame *frame, struct cairn_deopt_value *value)
{
  uint64_t word[2] = {value->word[0], 0};

  bool found = !operand->is_derived || read_place(frame, &operand->base, sizeof *word, word);
  value->base = word[0];
  return found;
}

void cn_deopt_read_operand(const struct cn_operand *operand, const struct cn_frame *frame,
                           struct cairn_deopt_value *value)
{
  CN_ASSERT(operand->bits >= 1 && operand->bits <= CAIRN_ABI_DEOPT_BITS_MAX);
  CN_ASSERT(!operand->is_derived ||
            (operand->value_class == CAIRN_DEOPT_REFERENCE && operand->kind == CN_OPERAND_PLACE));
  *value = (struct cairn_deopt_value){.value_class = operand->value_class, .bits = operand->bits};
  bool found = read_words(operand, frame, value->word);
  value->word[0] = lowest_bits(value->word[0], operand->bits);
  value->word[1] = operand->bits > 64 ? lowest_bits(value->word[1], operand->bits - 64u) : 0;
  if (found && operand->value_class == CAIRN_DEOPT_REFERENCE)
    found = read_base(operand, frame, value);
  if (!found)
    *value = (struct cairn_deopt_value){.value_class = CAIRN_DEOPT_LOST, .bits = operand->bits};
}

bool cn_deopt_may_lose_operand(const struct cn_operand *operand)
{
  return operand->kind == CN_OPERAND_PLACE && operand->loc.is_register && !cn_arch_is_callee_saved(operand->loc.reg);
}

enum cn_operand_source cn_deopt_source_of(const struct cn_operand *operand)
{
  const struct cn_frame_place *loc = &operand->loc;

  if (operand->bits != 64 || operand->kind == CN_OPERAND_ADDRESS || operand->is_derived)
    return CN_SOURCE_OTHER;
  if (operand->kind == CN_OPERAND_CONSTANT)
    return CN_SOURCE_CONSTANT;
  if (loc->is_register)
    return cn_arch_is_callee_saved(loc->reg) ? CN_SOURCE_REGISTER + cn_arch_callee_saved_index[loc->reg]
                                             : CN_SOURCE_OTHER;
  return loc->reg == cn_arch_sp_dwarf_number ? CN_SOURCE_STACK : CN_SOURCE_OTHER;
}
