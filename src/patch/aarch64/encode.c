/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes the parts that several functions of the assembler share ("Arm Architecture Reference Manual for A-profile
 * architecture", DDI 0487, chapter C4). cn_encode_append() checks the place and appends words to the caller's buffer.
 * The functions only use their arguments: any thread, any phase.
 */
#include "patch/aarch64/encode.h"

#include <string.h>

enum { GENERAL_COUNT = 31, FIRST_VECTOR = 64, VECTOR_COUNT = 32 };
enum { PAGE_BITS = 12, PAGE_DISTANCE_BITS = 21 };
#define MOVE_ZERO 0x52800000u /* movz; the others set other bits of it */
#define MOVE_KEEP 0x72800000u
#define WIDE 0x80000000u
#define ADDRESS_OF_PAGE 0x90000000u
#define ADD_CONSTANT 0x91000000u

enum cairn_status cn_encode_fail(struct cairn_assembler *assembler, enum cairn_status failure)
{
  if (assembler->failure == CAIRN_OK)
    assembler->failure = failure;
  return assembler->failure;
}

/* The machine is little-endian, as are instructions. */
enum cairn_status cn_encode_append(struct cairn_assembler *assembler, const struct cn_code *code)
{
  size_t bytes = code->count * CN_INSTRUCTION_BYTES;

  if (assembler->failure != CAIRN_OK)
    return assembler->failure;
  if (cn_encode_next(assembler) % CN_INSTRUCTION_BYTES != 0)
    return cn_encode_fail(assembler, CAIRN_E_BOUNDS);
  if (bytes > assembler->capacity - assembler->length)
    return cn_encode_fail(assembler, CAIRN_E_ROOM);
  memcpy(assembler->bytes + assembler->length, code->word, bytes);
  assembler->length += bytes;
  return CAIRN_OK;
}

/* ---- Registers ---- */

bool cn_encode_find_general(unsigned number, uint32_t *reg)
{
  *reg = number;
  return number < GENERAL_COUNT;
}

bool cn_encode_find_base(unsigned number, uint32_t *reg)
{
  *reg = number;
  return number <= CN_SP;
}

bool cn_encode_find_vector(unsigned number, uint32_t *reg)
{
  *reg = number - FIRST_VECTOR;
  return *reg < VECTOR_COUNT;
}

/* ---- Operands ---- */

void cn_encode_put_constant(struct cn_code *code, uint32_t reg, uint64_t value, unsigned bytes)
{
  uint32_t width = bytes == 8 ? WIDE : 0;

  for (unsigned part = 0; part < bytes / 2; part++)
    cn_encode_put(code, (part == 0 ? MOVE_ZERO : MOVE_KEEP) | width | part << 21 |
                            (uint32_t)(value >> 16 * part & 0xffff) << 5 | reg);
}

static bool fits(int64_t value, unsigned bits)
{
  return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

bool cn_encode_find_words(int64_t value, unsigned bits, uint32_t *field)
{
  *field = (uint32_t)(value / 4) & ((1u << bits) - 1);
  return value % 4 == 0 && fits(value / 4, bits);
}

/* adrp and add. */
bool cn_encode_put_address(struct cn_code *code, uint32_t reg, uint64_t address, uint64_t place)
{
  int64_t pages = (int64_t)(place - (address & ~(uint64_t)0xfff)) >> PAGE_BITS;
  uint32_t field = (uint32_t)pages;

  if (!fits(pages, PAGE_DISTANCE_BITS))
    return false;
  cn_encode_put(code, ADDRESS_OF_PAGE | (field & 3) << 29 | (field >> 2 & 0x7ffff) << 5 | reg);
  cn_encode_put(code, ADD_CONSTANT | (uint32_t)(place & 0xfff) << 10 | reg << 5 | reg);
  return true;
}
