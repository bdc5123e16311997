/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembles moves and comparisons. A comparison that has its operands elsewhere than in registers, or that compares
 * parts of registers, first brings them into x16 and x17. The functions only use their arguments: any thread, any
 * phase.
 */
#include "patch/aarch64/encode.h"

/* ---- Moves ---- */

static uint32_t move_general(uint32_t to, uint32_t from)
{
  if (to == CN_SP || from == CN_SP)
    return 0x91000000 | from << 5 | to; /* add to, from, #0 */
  return 0xaa0003e0 | from << 16 | to;  /* mov to, from */
}

enum cairn_status cairn_assemble_move(struct cairn_assembler *assembler, unsigned to, unsigned from)
{
  struct cn_code code = {.count = 1};
  uint32_t t, f;

  if (cn_encode_find_base(to, &t) && cn_encode_find_base(from, &f))
    code.word[0] = move_general(t, f);
  else if (cn_encode_find_vector(to, &t) && cn_encode_find_vector(from, &f))
    code.word[0] = 0x4ea01c00 | f << 16 | f << 5 | t; /* mov to.16b, from.16b */
  else if (cn_encode_find_vector(to, &t) && cn_encode_find_general(from, &f))
    code.word[0] = 0x9e670000 | f << 5 | t; /* fmov d, x */
  else if (cn_encode_find_general(to, &t) && cn_encode_find_vector(from, &f))
    code.word[0] = 0x9e660000 | f << 5 | t; /* fmov x, d */
  else
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  return cn_encode_append(assembler, &code);
}

enum cairn_status cairn_assemble_constant(struct cairn_assembler *assembler, unsigned reg, uint64_t value,
                                          unsigned bytes)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!cn_encode_find_general(reg, &number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if ((bytes != 4 && bytes != 8) || (bytes == 4 && value > UINT32_MAX))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  cn_encode_put_constant(&code, number, value, bytes);
  return cn_encode_append(assembler, &code);
}

/* ---- Memory ---- */

/* A load or a store. `reg` is the machine's number. */
struct access {
  bool is_store, is_vector;
  uint32_t reg;
  unsigned bytes;
};

static unsigned size_bits(unsigned bytes)
{
  return bytes == 16 ? 4 : bytes == 8 ? 3 : bytes == 4 ? 2 : bytes == 2 ? 1 : 0;
}

static bool is_size_of(bool is_vector, unsigned bytes)
{
  if (is_vector)
    return bytes == 4 || bytes == 8 || bytes == 16;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* The fields that all forms have. The size of 16 bytes has its own bit. */
static uint32_t access_fields(const struct access *access)
{
  unsigned size = size_bits(access->bytes);
  uint32_t kind = (access->is_store ? 0 : 1) | (size == 4 ? 2 : 0);

  return 0x38000000 | (size & 3) << 30 | (uint32_t)access->is_vector << 26 | kind << 22 | access->reg;
}

/* Put the access to memory at register `base` + offset. There are forms for multiples of the size, and for 9 bits with
 * their sign. False: the offset fits neither. */
static bool put_access(struct cn_code *code, const struct access *access, uint32_t base, int64_t offset)
{
  int64_t scaled = offset / access->bytes;

  if (offset % access->bytes == 0 && scaled >= 0 && scaled < 4096)
    cn_encode_put(code, access_fields(access) | 1 << 24 | (uint32_t)scaled << 10 | base << 5);
  else if (offset >= -256 && offset < 256)
    cn_encode_put(code, access_fields(access) | ((uint32_t)offset & 0x1ff) << 12 | base << 5);
  else
    return false;
  return true;
}

/* A vector register is loaded by the distance of the place, because there is no register for the address. */
static enum cairn_status put_literal(struct cn_code *code, const struct access *access, uint64_t address,
                                     uint64_t place)
{
  enum { DISTANCE_BITS = 19, VECTOR_BIT = 1 << 26 };
  uint32_t field, size = access->bytes == 16 ? 2 : access->bytes == 8 ? 1 : 0;

  if (place % 4 != 0)
    return CAIRN_E_BOUNDS;
  if (!cn_encode_find_words((int64_t)(place - address), DISTANCE_BITS, &field))
    return address % 4 != 0 ? CAIRN_E_BOUNDS : CAIRN_E_FAR;
  cn_encode_put(code, 0x18000000 | VECTOR_BIT | size << 30 | field << 5 | access->reg);
  return CAIRN_OK;
}

/* Put the access with a memory operand of the assembler's interface. Addresses are formed in the loaded register.
 * `address` is that of the first instruction of `code`. */
static enum cairn_status put_memory(struct cn_code *code, const struct access *access, uint64_t address, unsigned base,
                                    int64_t offset)
{
  uint32_t number;

  if (base != CAIRN_ASSEMBLER_PC) {
    if (!cn_encode_find_base(base, &number))
      return CAIRN_E_REGISTER;
    return put_access(code, access, number, offset) ? CAIRN_OK : CAIRN_E_FAR;
  }
  if (access->is_store)
    return CAIRN_E_REGISTER;
  if (access->is_vector)
    return put_literal(code, access, address, (uint64_t)offset);
  if (!cn_encode_put_address(code, access->reg, address, (uint64_t)offset))
    return CAIRN_E_FAR;
  put_access(code, access, access->reg, 0);
  return CAIRN_OK;
}

static enum cairn_status append_access(struct cairn_assembler *assembler, struct access access, unsigned reg,
                                       unsigned base, int64_t offset)
{
  struct cn_code code = {0};

  access.is_vector = cn_encode_find_vector(reg, &access.reg);
  if (!access.is_vector && !cn_encode_find_general(reg, &access.reg))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if (!is_size_of(access.is_vector, access.bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  enum cairn_status status = put_memory(&code, &access, cn_encode_next(assembler), base, offset);
  return status == CAIRN_OK ? cn_encode_append(assembler, &code) : cn_encode_fail(assembler, status);
}

enum cairn_status cairn_assemble_load(struct cairn_assembler *assembler, unsigned reg, unsigned base, int64_t offset,
                                      unsigned bytes)
{
  return append_access(assembler, (struct access){.bytes = bytes}, reg, base, offset);
}

enum cairn_status cairn_assemble_store(struct cairn_assembler *assembler, unsigned base, int64_t offset, unsigned reg,
                                       unsigned bytes)
{
  return append_access(assembler, (struct access){.is_store = true, .bytes = bytes}, reg, base, offset);
}

/* An addition, or a subtraction, of the upper and of the lower 12 bits of the offset. */
static bool put_sum(struct cn_code *code, uint32_t reg, uint32_t base, int64_t offset)
{
  uint32_t opcode = offset < 0 ? 0xd1000000 : 0x91000000;
  uint64_t distance = offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset;

  if (distance >> 24 != 0)
    return false;
  cn_encode_put(code, opcode | 1 << 22 | (uint32_t)(distance >> 12) << 10 | base << 5 | reg);
  cn_encode_put(code, opcode | (uint32_t)(distance & 0xfff) << 10 | reg << 5 | reg);
  return true;
}

enum cairn_status cairn_assemble_address(struct cairn_assembler *assembler, unsigned reg, unsigned base, int64_t offset)
{
  struct cn_code code = {0};
  uint32_t number, of;
  bool fits;

  if (!cn_encode_find_general(reg, &number) || (base != CAIRN_ASSEMBLER_PC && !cn_encode_find_base(base, &of)))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  if (base == CAIRN_ASSEMBLER_PC)
    fits = cn_encode_put_address(&code, number, cn_encode_next(assembler), (uint64_t)offset);
  else
    fits = put_sum(&code, number, of, offset);
  return fits ? cn_encode_append(assembler, &code) : cn_encode_fail(assembler, CAIRN_E_FAR);
}

/* ---- Comparisons ---- */

/* Values of 1 and 2 bytes are compared in the upper bits of 32. */
static unsigned shift_of(unsigned bytes)
{
  return bytes < 4 ? 32 - 8 * bytes : 0;
}

static void put_shift(struct cn_code *code, uint32_t to, uint32_t from, unsigned shift)
{
  cn_encode_put(code, 0x53000000 | (32 - shift) << 16 | (31 - shift) << 10 | from << 5 | to); /* lsl to, from, #shift */
}

/* Compare two registers. The first one is in place already if the size is 1 or 2, and the second one gets there. */
static void put_compare(struct cn_code *code, uint32_t reg, uint32_t other, unsigned bytes)
{
  uint32_t opcode = bytes == 8 ? 0xeb000000 : 0x6b000000;

  cn_encode_put(code, opcode | other << 16 | shift_of(bytes) << 10 | reg << 5 | CN_ZERO);
}

static void put_compare_registers(struct cn_code *code, uint32_t reg, uint32_t other, unsigned bytes)
{
  if (bytes < 4) {
    put_shift(code, CN_SCRATCH, reg, shift_of(bytes));
    reg = CN_SCRATCH;
  }
  put_compare(code, reg, other, bytes);
}

/* Compare a register with a constant, in x16. The register is x17 or one that the program may choose. */
static void put_compare_constant(struct cn_code *code, uint32_t reg, int64_t value, unsigned bytes)
{
  cn_encode_put_constant(code, CN_SCRATCH, (uint32_t)value << shift_of(bytes), 4);
  if (bytes == 8) {
    cn_encode_put(code, 0xeb20c000 | CN_SCRATCH << 16 | reg << 5 | CN_ZERO); /* cmp reg, w16, sxtw */
    return;
  }
  if (bytes < 4) {
    put_shift(code, CN_SECOND_SCRATCH, reg, shift_of(bytes));
    reg = CN_SECOND_SCRATCH;
  }
  cn_encode_put(code, 0x6b000000 | CN_SCRATCH << 16 | reg << 5 | CN_ZERO);
}

static bool is_scratch(uint32_t reg)
{
  return reg == CN_SCRATCH || reg == CN_SECOND_SCRATCH;
}

enum cairn_status cairn_assemble_compare(struct cairn_assembler *assembler, unsigned reg, unsigned other,
                                         unsigned bytes)
{
  struct cn_code code = {0};
  uint32_t first, second;

  if (!is_size_of(false, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  if (!cn_encode_find_general(reg, &first) || !cn_encode_find_general(other, &second) ||
      (bytes < 4 && (is_scratch(first) || is_scratch(second))))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  put_compare_registers(&code, first, second, bytes);
  return cn_encode_append(assembler, &code);
}

/* 8 bytes are compared with 32 bits, extended by the sign. */
static bool is_comparable(int64_t value, unsigned bytes)
{
  if (bytes == 8)
    return value == (int32_t)value;
  return is_size_of(false, bytes) && value >= -((int64_t)1 << (8 * bytes - 1)) && value < (int64_t)1 << 8 * bytes;
}

enum cairn_status cairn_assemble_compare_constant(struct cairn_assembler *assembler, unsigned reg, int64_t value,
                                                  unsigned bytes)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!is_comparable(value, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  if (!cn_encode_find_general(reg, &number) || is_scratch(number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  put_compare_constant(&code, number, value, bytes);
  return cn_encode_append(assembler, &code);
}

/* Put a load of `bytes` bytes of memory to x17. */
static enum cairn_status put_load(struct cn_code *code, const struct cairn_assembler *assembler, unsigned base,
                                  int64_t offset, unsigned bytes)
{
  struct access load = {.reg = CN_SECOND_SCRATCH, .bytes = bytes};

  return put_memory(code, &load, cn_encode_next(assembler), base, offset);
}

enum cairn_status cairn_assemble_compare_memory(struct cairn_assembler *assembler, unsigned reg, unsigned base,
                                                int64_t offset, unsigned bytes)
{
  struct cn_code code = {0};
  uint32_t number;

  if (!is_size_of(false, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  if (!cn_encode_find_general(reg, &number) || is_scratch(number))
    return cn_encode_fail(assembler, CAIRN_E_REGISTER);
  enum cairn_status status = put_load(&code, assembler, base, offset, bytes);
  if (status != CAIRN_OK)
    return cn_encode_fail(assembler, status);
  put_compare_registers(&code, number, CN_SECOND_SCRATCH, bytes);
  return cn_encode_append(assembler, &code);
}

enum cairn_status cairn_assemble_compare_memory_constant(struct cairn_assembler *assembler, unsigned base,
                                                         int64_t offset, int64_t value, unsigned bytes)
{
  struct cn_code code = {0};

  if (!is_comparable(value, bytes))
    return cn_encode_fail(assembler, CAIRN_E_IMMEDIATE);
  enum cairn_status status = put_load(&code, assembler, base, offset, bytes);
  if (status != CAIRN_OK)
    return cn_encode_fail(assembler, status);
  put_compare_constant(&code, CN_SECOND_SCRATCH, value, bytes);
  return cn_encode_append(assembler, &code);
}
