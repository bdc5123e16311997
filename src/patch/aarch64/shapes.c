/* SPDX-License-Identifier: Apache-2.0
 *
 * Fills regions of points with AArch64 code, and recognises calls and instructions that one store may replace. Any
 * thread, any phase; the file has no state.
 *
 * "Arm Architecture Reference Manual for A-profile architecture" (DDI 0487), "Concurrent modification and execution of
 * instructions": a thread that runs an instruction while another thread replaces it runs the old or the
 * new one, if both are in a list: B, BL, BRK, HVC, ISB, NOP, SMC, SVC. For all others a thread must not run the code
 * meanwhile. HVC and SMC are the system's, so they are not listed here.
 */
#include "patch/machine.h"

#include <string.h>
#include "patch/aarch64/encode.h"

enum { NEAR_BYTES = 4, FAR_CALL_BYTES = 16 };
const size_t cn_machine_branch_bytes = NEAR_BYTES;
const size_t cn_machine_store_bytes = sizeof(uint32_t);
const size_t cn_machine_reach_bytes = (size_t)1 << 27;
const char cn_machine_reach_text[] = "128 MiB";
const bool cn_machine_shadow_has_scratch = true;

enum cairn_status cn_machine_fill_nops(unsigned char *bytes, size_t length)
{
  struct cairn_assembler code;

  if (length % CN_INSTRUCTION_BYTES != 0)
    return CAIRN_E_ROOM;
  cairn_assembler_begin(&code, bytes, length, 0);
  return cairn_assembler_end(&code);
}

enum cairn_status cn_machine_fill_jump(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target)
{
  struct cairn_assembler code;

  if (length % CN_INSTRUCTION_BYTES != 0)
    return CAIRN_E_ROOM;
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
  return cairn_assemble_call_far(&code, target, CN_SCRATCH);
}

enum cairn_status cn_machine_fill_call(unsigned char *bytes, size_t length, uintptr_t address, uintptr_t target,
                                       bool any_target)
{
  if (length < NEAR_BYTES || length % CN_INSTRUCTION_BYTES != 0)
    return CAIRN_E_ROOM;
  enum cairn_status status = fill_near_call(bytes, length, address, target);
  if (status == CAIRN_E_FAR && any_target && length >= FAR_CALL_BYTES)
    status = fill_far_call(bytes, length, address, target);
  return status;
}

/* ---- recognition ---- */

static uint32_t word_at(const unsigned char *code, size_t offset)
{
  uint32_t word;

  memcpy(&word, code + offset, sizeof word);
  return word;
}

static bool is_branch(uint32_t word, uint32_t opcode)
{
  return (word & 0xfc000000) == opcode;
}

/* True for the instructions of the list that user code may have. */
static bool is_replaceable(uint32_t word)
{
  return word == CN_NOP || is_branch(word, CN_BRANCH) || is_branch(word, CN_CALL) ||
         (word & 0xffe0001f) == 0xd4000001 || /* SVC */
         (word & 0xffe0001f) == 0xd4200000 || /* BRK */
         (word & 0xfffff0ff) == 0xd50330df;   /* ISB */
}

bool cn_machine_may_store(const unsigned char *old, const unsigned char *new, size_t length, size_t first, size_t last)
{
  size_t at = first / CN_INSTRUCTION_BYTES * CN_INSTRUCTION_BYTES;

  return last < at + CN_INSTRUCTION_BYTES && at + CN_INSTRUCTION_BYTES <= length && is_replaceable(word_at(old, at)) &&
         is_replaceable(word_at(new, at));
}

/* The bytes of nops at the beginning of whole instructions. */
static size_t skip_nops(const unsigned char *code, size_t length)
{
  size_t at = 0;

  while (at + CN_INSTRUCTION_BYTES <= length && word_at(code, at) == CN_NOP)
    at += CN_INSTRUCTION_BYTES;
  return at;
}

bool cn_machine_is_nops(const unsigned char *code, size_t length)
{
  return skip_nops(code, length) == length;
}

bool cn_machine_fits_statepoint(const unsigned char *code, size_t length)
{
  size_t nops = skip_nops(code, length);

  if (length % CN_INSTRUCTION_BYTES != 0)
    return false;
  if (nops == length || is_branch(word_at(code, nops), CN_BRANCH))
    return true;
  uint32_t last = word_at(code, length - CN_INSTRUCTION_BYTES);
  return is_branch(last, CN_CALL) || (last & 0xfffffc1f) == CN_CALL_REGISTER;
}

void cn_machine_store(void *to, const void *word)
{
  uint32_t value;

  memcpy(&value, word, sizeof value);
  __atomic_store_n((uint32_t *)to, value, __ATOMIC_SEQ_CST);
}
