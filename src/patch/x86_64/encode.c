/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes instructions with a ModR/M byte ("Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2,
 * chapter 2). cn_encode_append() checks registers and distances, encodes the instruction, and appends the bytes to the
 * caller's buffer. Displacements always have 32 bits. The functions only use their arguments: any
 * thread, any phase.
 */
#include "patch/x86_64/encode.h"

#include <string.h>

enum { EVEX = 0x62, EVEX_WIDE_SHIFT = 7, EVEX_UNUSED_OPERAND = 0x7c, EVEX_UNMASKED = 8 };
enum { MOD_MEMORY = 0x80, MOD_REGISTER = 0xc0, RM_PC = 5, RM_SIB = 4, SIB_BASE_ONLY = 0x24 };
enum { FIRST_REX_BYTE = 4 }; /* the first register whose low byte needs a REX prefix */
enum { GENERAL_COUNT = 16, FIRST_LOW_VECTOR = 17, FIRST_HIGH_VECTOR = 67, LOW_VECTOR_COUNT = 16 };

enum cairn_status cn_encode_fail(struct cairn_assembler *assembler, enum cairn_status failure)
{
  if (assembler->failure == CAIRN_OK)
    assembler->failure = failure;
  return assembler->failure;
}

enum cairn_status cn_encode_append_bytes(struct cairn_assembler *assembler, const void *bytes, size_t length)
{
  if (assembler->failure == CAIRN_OK && length > assembler->capacity - assembler->length)
    return cn_encode_fail(assembler, CAIRN_E_ROOM);
  if (assembler->failure == CAIRN_OK) {
    memcpy(assembler->bytes + assembler->length, bytes, length);
    assembler->length += length;
  }
  return assembler->failure;
}

/* ---- Registers ---- */

bool cn_encode_find_general(unsigned number, unsigned char *reg)
{
  static const unsigned char machine_numbers[GENERAL_COUNT] = {0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15};

  if (number >= GENERAL_COUNT)
    return false;
  *reg = machine_numbers[number];
  return true;
}

bool cn_encode_find_vector(unsigned number, unsigned char *reg)
{
  if (number - FIRST_LOW_VECTOR < LOW_VECTOR_COUNT)
    *reg = (unsigned char)(number - FIRST_LOW_VECTOR);
  else if (number - FIRST_HIGH_VECTOR < LOW_VECTOR_COUNT)
    *reg = (unsigned char)(number - FIRST_HIGH_VECTOR + LOW_VECTOR_COUNT);
  else
    return false;
  return true;
}

bool cn_encode_set_memory(struct cn_instruction *instruction, unsigned base, int64_t offset)
{
  instruction->memory = true;
  instruction->at_address = base == CAIRN_ASSEMBLER_PC;
  instruction->offset = offset;
  return instruction->at_address || cn_encode_find_general(base, &instruction->rm);
}

/* ---- Encoding ---- */

void cn_encode_put(struct cn_code *code, unsigned byte)
{
  code->bytes[code->length++] = (unsigned char)byte;
}

void cn_encode_put_value(struct cn_code *code, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    cn_encode_put(code, value >> 8 * i & 0xff);
}

/* The prefix for the upper 16 vector registers. Its bits of register numbers are inverted. */
static void put_evex(struct cn_code *code, const struct cn_instruction *instruction)
{
  unsigned kind = instruction->prefix == CN_PREFIX_16_BITS  ? 1
                  : instruction->prefix == CN_PREFIX_SINGLE ? 2
                  : instruction->prefix == CN_PREFIX_DOUBLE ? 3
                                                            : 0;
  unsigned wide = instruction->wide || instruction->prefix == CN_PREFIX_DOUBLE;
  unsigned rm = instruction->at_address ? 0 : instruction->rm;

  cn_encode_put(code, EVEX);
  cn_encode_put(code, ((~instruction->reg & 8u) << 4) | ((~rm & 0x10u) << 2) | ((~rm & 8u) << 2) |
                          (~instruction->reg & 0x10u) | 1);
  cn_encode_put(code, wide << EVEX_WIDE_SHIFT | EVEX_UNUSED_OPERAND | kind);
  cn_encode_put(code, EVEX_UNMASKED);
}

static void put_prefixes(struct cn_code *code, const struct cn_instruction *instruction)
{
  unsigned rm = instruction->at_address ? 0 : instruction->rm;
  unsigned rex = (instruction->wide ? CN_REX_W : 0) | (instruction->reg & 8 ? CN_REX_R : 0) | (rm & 8 ? CN_REX_B : 0);
  unsigned low_byte_of = (instruction->memory ? 0 : rm) | (instruction->immediate_bytes != 0 ? 0 : instruction->reg);

  if (instruction->prefix != 0)
    cn_encode_put(code, instruction->prefix);
  if (rex != 0 || (instruction->byte_register && low_byte_of >= FIRST_REX_BYTE))
    cn_encode_put(code, CN_REX | rex);
  if (instruction->escape)
    cn_encode_put(code, CN_ESCAPE);
}

static void put_operands(struct cn_code *code, const struct cn_instruction *instruction, uint32_t displacement)
{
  unsigned reg = (instruction->reg & 7u) << 3, rm = instruction->rm & 7;

  if (!instruction->memory)
    cn_encode_put(code, MOD_REGISTER | reg | rm);
  else if (instruction->at_address)
    cn_encode_put(code, reg | RM_PC);
  else
    cn_encode_put(code, MOD_MEMORY | reg | rm);
  if (instruction->memory && !instruction->at_address && rm == RM_SIB)
    cn_encode_put(code, SIB_BASE_ONLY);
  if (instruction->memory)
    cn_encode_put_value(code, displacement, 4);
  cn_encode_put_value(code, instruction->immediate, instruction->immediate_bytes);
}

static struct cn_code encode(const struct cn_instruction *instruction, uint32_t displacement)
{
  struct cn_code code = {0};

  if (instruction->reg > 15 || (!instruction->memory && instruction->rm > 15))
    put_evex(&code, instruction);
  else
    put_prefixes(&code, instruction);
  cn_encode_put(&code, instruction->opcode);
  put_operands(&code, instruction, displacement);
  return code;
}

enum cairn_status cn_encode_append(struct cairn_assembler *assembler, const struct cn_instruction *instruction,
                                   bool registers)
{
  int64_t displacement = instruction->offset;

  if (!registers)
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if (instruction->at_address)
    displacement = cn_encode_distance(assembler, (uint64_t)displacement, encode(instruction, 0).length);
  if (!cn_encode_fits_32_bits(displacement))
    return cn_encode_fail(assembler, CAIRN_E_FAR);
  struct cn_code code = encode(instruction, (uint32_t)displacement);
  return cn_encode_append_bytes(assembler, code.bytes, code.length);
}
