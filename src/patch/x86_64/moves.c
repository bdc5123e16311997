/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles moves and comparisons: each function describes its instruction in a struct cn_instruction, by the opcodes
 * of the manual. The functions only use their arguments: any thread, any phase.
 */
#include "patch/x86_64/encode.h"

/* ---- Moves ---- */

enum cairn_status cairn_assemble_move(struct cairn_assembler *assembler, unsigned to, unsigned from)
{
  struct cn_instruction general = {.wide = true, .opcode = 0x8b};
  struct cn_instruction vector = {.escape = true, .opcode = 0x28};
  struct cn_instruction into_vector = {.prefix = CN_PREFIX_16_BITS, .wide = true, .escape = true, .opcode = 0x6e};
  struct cn_instruction out_of_vector = {.prefix = CN_PREFIX_16_BITS, .wide = true, .escape = true, .opcode = 0x7e};

  if (cn_encode_find_general(to, &general.reg) && cn_encode_find_general(from, &general.rm))
    return cn_encode_append(assembler, &general, true);
  if (cn_encode_find_vector(to, &into_vector.reg) && cn_encode_find_general(from, &into_vector.rm))
    return cn_encode_append(assembler, &into_vector, true);
  if (cn_encode_find_general(to, &out_of_vector.rm) && cn_encode_find_vector(from, &out_of_vector.reg))
    return cn_encode_append(assembler, &out_of_vector, true);
  return cn_encode_append(assembler, &vector,
                          cn_encode_find_vector(to, &vector.reg) && cn_encode_find_vector(from, &vector.rm));
}

/* The opcode contains the register. */
enum cairn_status cairn_assemble_constant(struct cairn_assembler *assembler, unsigned reg, uint64_t value,
                                          unsigned bytes)
{
  struct cn_code code = {0};
  unsigned char number;

  if (!cn_encode_find_general(reg, &number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if ((bytes != 4 && bytes != 8) || (bytes == 4 && value > UINT32_MAX))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  unsigned rex = (bytes == 8 ? CN_REX_W : 0) | (number & 8 ? CN_REX_B : 0);
  if (rex != 0)
    cn_encode_put(&code, CN_REX | rex);
  cn_encode_put(&code, 0xb8 | (number & 7));
  cn_encode_put_value(&code, value, bytes);
  return cn_encode_append_bytes(assembler, code.bytes, code.length);
}

/* A load (`store` is 0) or a store (1) of a vector register. */
static enum cairn_status access_vector(struct cairn_assembler *assembler, unsigned char reg, unsigned base,
                                       int64_t offset, unsigned bytes, unsigned store)
{
  struct cn_instruction access = {.escape = true, .opcode = (unsigned char)(0x10 | store), .reg = reg};

  access.prefix = bytes == 4 ? CN_PREFIX_SINGLE : bytes == 8 ? CN_PREFIX_DOUBLE : 0;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &access, cn_encode_set_memory(&access, base, offset));
}

static bool is_general_size(unsigned bytes)
{
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

enum cairn_status cairn_assemble_load(struct cairn_assembler *assembler, unsigned reg, unsigned base, int64_t offset,
                                      unsigned bytes)
{
  struct cn_instruction load = {.wide = bytes == 8, .opcode = 0x8b};

  if (cn_encode_find_vector(reg, &load.reg))
    return access_vector(assembler, load.reg, base, offset, bytes, 0);
  if (!is_general_size(bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  if (bytes < 4) {
    load.escape = true;
    load.opcode = bytes == 1 ? 0xb6 : 0xb7; /* extends with zeros */
  }
  return cn_encode_append(assembler, &load,
                          cn_encode_find_general(reg, &load.reg) && cn_encode_set_memory(&load, base, offset));
}

/* The instruction for a size of 1, 2, 4 or 8 bytes, by the opcode of the form for one byte. */
static struct cn_instruction sized_instruction(unsigned char byte_opcode, unsigned bytes)
{
  return (struct cn_instruction){.prefix = bytes == 2 ? CN_PREFIX_16_BITS : 0,
                                 .wide = bytes == 8,
                                 .byte_register = bytes == 1,
                                 .opcode = (unsigned char)(byte_opcode | (bytes != 1))};
}

enum cairn_status cairn_assemble_store(struct cairn_assembler *assembler, unsigned base, int64_t offset, unsigned reg,
                                       unsigned bytes)
{
  struct cn_instruction store = sized_instruction(0x88, bytes);

  if (cn_encode_find_vector(reg, &store.reg))
    return access_vector(assembler, store.reg, base, offset, bytes, 1);
  if (!is_general_size(bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &store,
                          cn_encode_find_general(reg, &store.reg) && cn_encode_set_memory(&store, base, offset));
}

enum cairn_status cairn_assemble_address(struct cairn_assembler *assembler, unsigned reg, unsigned base, int64_t offset)
{
  struct cn_instruction address = {.wide = true, .opcode = 0x8d};

  return cn_encode_append(assembler, &address,
                          cn_encode_find_general(reg, &address.reg) && cn_encode_set_memory(&address, base, offset));
}

/* ---- Comparisons ---- */

enum cairn_status cairn_assemble_compare(struct cairn_assembler *assembler, unsigned reg, unsigned other,
                                         unsigned bytes)
{
  struct cn_instruction compare = sized_instruction(0x3a, bytes);

  if (!is_general_size(bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &compare,
                          cn_encode_find_general(reg, &compare.reg) && cn_encode_find_general(other, &compare.rm));
}

enum cairn_status cairn_assemble_compare_memory(struct cairn_assembler *assembler, unsigned reg, unsigned base,
                                                int64_t offset, unsigned bytes)
{
  struct cn_instruction compare = sized_instruction(0x3a, bytes);

  if (!is_general_size(bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &compare,
                          cn_encode_find_general(reg, &compare.reg) && cn_encode_set_memory(&compare, base, offset));
}

/* 8 bytes are compared with 32 bits, extended by the sign. */
static bool is_comparable(int64_t value, unsigned bytes)
{
  if (bytes == 8)
    return cn_encode_fits_32_bits(value);
  return is_general_size(bytes) && value >= -((int64_t)1 << (8 * bytes - 1)) && value < (int64_t)1 << 8 * bytes;
}

static struct cn_instruction comparison_with_constant(int64_t value, unsigned bytes)
{
  enum { COMPARE_EXTENSION = 7 };
  struct cn_instruction compare = sized_instruction(0x80, bytes);

  compare.reg = COMPARE_EXTENSION;
  compare.immediate = (uint64_t)value;
  compare.immediate_bytes = bytes < 4 ? bytes : 4;
  return compare;
}

enum cairn_status cairn_assemble_compare_constant(struct cairn_assembler *assembler, unsigned reg, int64_t value,
                                                  unsigned bytes)
{
  struct cn_instruction compare = comparison_with_constant(value, bytes);

  if (!is_comparable(value, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &compare, cn_encode_find_general(reg, &compare.rm));
}

enum cairn_status cairn_assemble_compare_memory_constant(struct cairn_assembler *assembler, unsigned base,
                                                         int64_t offset, int64_t value, unsigned bytes)
{
  struct cn_instruction compare = comparison_with_constant(value, bytes);

  if (!is_comparable(value, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  return cn_encode_append(assembler, &compare, cn_encode_set_memory(&compare, base, offset));
}
