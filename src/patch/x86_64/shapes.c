/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills regions of points with x86-64 code, and recognises calls and operands. Any thread, any phase; the file has no
 * state. Caches of instructions follow memory by themselves.
 *
 * A store to an operand is safe while other threads run the instruction: the boundaries of instructions stay, and a
 * processor reads the aligned word of the operand at once. Known instructions are nops, near calls and jumps, and a
 * move of a 64-bit constant to a register.
 */
#include "patch/machine.h"

#include <string.h>
#include <cairn/assembler.h>

enum { NEAR_BYTES = 5, FAR_CALL_BYTES = 13 };
const size_t cn_machine_branch_bytes = NEAR_BYTES;
const size_t cn_machine_store_bytes = sizeof(uint64_t);
const size_t cn_machine_reach_bytes = (size_t)1 << 31;
const char cn_machine_reach_text[] = "2 GiB";
const bool cn_machine_shadow_has_scratch = false;
enum { CALL_SCRATCH = 11 }; /* r11, which LLVM keeps free for calls of distant targets */
enum { CALL_OPCODE = 0xe8, JUMP_OPCODE = 0xe9, SHORT_JUMP_OPCODE = 0xeb };

enum cairn_status cn_machine_fill_nops(unsigned char *bytes, size_t length)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, length, 0);
  return cairn_assembler_end(&code);
}

enum cairn_status cn_machine_fill_jump(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, length, address);
  cairn_assemble_jump(&code, target);
  return cairn_assembler_end(&code);
}

static enum cairn_status fill_near_call(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, length, address);
  cairn_assemble_nops(&code, length - NEAR_BYTES);
  return cairn_assemble_call(&code, target);
}

static enum cairn_status fill_far_call(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target)
{
  struct cairn_assembler code;

  cairn_assembler_begin(&code, bytes, length, address);
  cairn_assemble_nops(&code, length - FAR_CALL_BYTES);
  return cairn_assemble_call_far(&code, target, CALL_SCRATCH);
}

enum cairn_status cn_machine_fill_call(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target,
                                       bool any_target)
{
  if (length < NEAR_BYTES)
    return CAIRN_E_ROOM;
  enum cairn_status status = fill_near_call(bytes, length, address, target);
  if (status == CAIRN_E_FAR && any_target && length >= FAR_CALL_BYTES)
    status = fill_far_call(bytes, length, address, target);
  return status;
}

/* ---- recognition ---- */

/* The length of the operand of a multi-byte nop at `code`, which begins with its ModR/M byte; 0: unknown. */
static size_t nop_operand_bytes(const unsigned char *code, size_t length)
{
  enum { MODE_SHIFT = 6, REGISTER_BITS = 0x38, BASE_BITS = 7, HAS_INDEX = 4 };
  static const size_t offset_bytes[] = {0, 1, 4};

  if (length == 0 || (code[0] & REGISTER_BITS) != 0 || code[0] >> MODE_SHIFT == 3)
    return 0;
  if (code[0] >> MODE_SHIFT == 0 && (code[0] & BASE_BITS) > HAS_INDEX)
    return 0;
  return 1u + ((code[0] & BASE_BITS) == HAS_INDEX) + offset_bytes[code[0] >> MODE_SHIFT];
}

/* The length of a nop: LLVM's forms have several prefixes. 0: there is no nop. */
static size_t nop_bytes(const unsigned char *code, size_t length)
{
  size_t at = 0;

  while (at < length && (code[at] == 0x66 || code[at] == 0x2e)) /* in any order: LLVM writes 2e first */
    at++;
  if (at < length && code[at] == 0x90)
    return at + 1;
  if (length - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f)
    return 0;
  size_t operand = nop_operand_bytes(code + at + 2, length - at - 2);
  return operand == 0 || operand > length - at - 2 ? 0 : at + 2 + operand;
}

struct instruction {
  size_t bytes, operand, operand_bytes; /* `operand` is the offset in the instruction */
};

/* Decode one of the known instructions. False: it is unknown. */
static bool decode(const unsigned char *code, size_t length, struct instruction *out)
{
  size_t nop = nop_bytes(code, length);

  if (nop != 0)
    *out = (struct instruction){.bytes = nop};
  else if (length >= NEAR_BYTES && (code[0] == CALL_OPCODE || code[0] == JUMP_OPCODE))
    *out = (struct instruction){NEAR_BYTES, 1, 4};
  else if (length >= 10 && (code[0] == 0x48 || code[0] == 0x49) && code[1] >= 0xb8 && code[1] <= 0xbf)
    *out = (struct instruction){10, 2, 8};
  else
    return false;
  return true;
}

/* The change lies in the operand of one known instruction. */
bool cn_machine_may_store(const unsigned char *old, const unsigned char *new, size_t length, size_t first, size_t last)
{
  struct instruction found = {0};
  size_t at = 0;

  (void)new;
  for (; at <= first; at += found.bytes)
    if (!decode(old + at, length - at, &found))
      return false;
  size_t operand = at - found.bytes + found.operand;
  return first >= operand && last < operand + found.operand_bytes;
}

static size_t skip_nops(const unsigned char *code, size_t length)
{
  size_t at = 0, bytes;

  while (at < length && (bytes = nop_bytes(code + at, length - at)) != 0)
    at += bytes;
  return at;
}

bool cn_machine_is_nops(const unsigned char *code, size_t length)
{
  return skip_nops(code, length) == length;
}

/* True if the last `bytes` bytes may be a call through a register or memory: opcode 0xff with extension 2. */
static bool ends_with_indirect_call(const unsigned char *code, size_t length, size_t bytes)
{
  enum { EXTENSION_BITS = 0x38, CALL_EXTENSION = 2 << 3, INDIRECT_OPCODE = 0xff };
  static const size_t offset_bytes[] = {0, 1, 4, 0};

  if (length < bytes)
    return false;
  const unsigned char *at = code + length - bytes;
  unsigned mode = at[1] >> 6, base = at[1] & 7;
  if (at[0] != INDIRECT_OPCODE || (at[1] & EXTENSION_BITS) != CALL_EXTENSION)
    return false;
  size_t offset = mode == 0 && base == 5 ? 4 : offset_bytes[mode];
  return bytes == 2u + (mode != 3 && base == 4) + offset;
}

bool cn_machine_fits_statepoint(const unsigned char *code, size_t length)
{
  enum { MAX_INDIRECT_BYTES = 7 };
  size_t nops = skip_nops(code, length);

  if (nops == length || code[nops] == JUMP_OPCODE || code[nops] == SHORT_JUMP_OPCODE)
    return true;
  if (length >= NEAR_BYTES && code[length - NEAR_BYTES] == CALL_OPCODE)
    return true;
  for (size_t bytes = 2; bytes <= MAX_INDIRECT_BYTES; bytes++)
    if (ends_with_indirect_call(code, length, bytes))
      return true;
  return false;
}

/* ---- stores and caches ---- */

void cn_machine_store(void *to, const void *word)
{
  uint64_t value;

  memcpy(&value, word, sizeof value);
  __atomic_store_n((uint64_t *)to, value, __ATOMIC_SEQ_CST);
}

void cn_machine_publish(cn_written_ranges *visit, const void *env)
{
  (void)visit;
  (void)env;
}

void cn_machine_publish_range(struct cn_publication *publication, uintptr_t start, size_t bytes)
{
  (void)publication;
  (void)start;
  (void)bytes;
}
