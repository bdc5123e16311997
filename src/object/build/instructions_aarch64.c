/* SPDX-License-Identifier: Apache-2.0
 *
 * Recognises AArch64 instructions before a return address, and frames with scalable vectors ("Arm Architecture
 * Reference Manual", C4.1). Each port has such a file. Only reads bytes, and holds no state.
 */
#include "object/build/instructions.h"

#include "base/check.h"
#include "framemap/leb.h"

enum { WORD_BYTES = 4 };

static uint32_t word_at(const unsigned char *at)
{
  return cn_load_little_endian(at, WORD_BYTES);
}

/* The last instruction before `end`. False if the code lacks a whole instruction. */
static bool read_last_word(const unsigned char *start, const unsigned char *end, uint32_t *word)
{
  CN_ASSERT(start <= end);
  if (end - start < WORD_BYTES || (end - start) % WORD_BYTES)
    return false;
  *word = word_at(end - WORD_BYTES);
  return true;
}

static bool is_call_of_register(uint32_t word)
{
  uint32_t signed_forms = word & UINT32_C(0xfefff800);

  return (word & UINT32_C(0xfffffc1f)) == UINT32_C(0xd63f0000) || /* blr; below, blraa, blrab, blraaz and blrabz */
         (signed_forms == UINT32_C(0xd63f0800) && ((word & UINT32_C(0x01000000)) || (word & 0x1f) == 0x1f));
}

/* Recognises bl, and calls of a register. */
static unsigned call_length(const unsigned char *start, const unsigned char *end)
{
  uint32_t word;

  if (!read_last_word(start, end, &word))
    return 0;
  return word >> 26 == 0x25 || is_call_of_register(word) ? WORD_BYTES : 0;
}

enum { NOP = 0xd503201f };

static unsigned nop_length(const unsigned char *start, const unsigned char *end)
{
  uint32_t word;

  return read_last_word(start, end, &word) && word == (uint32_t)NOP ? WORD_BYTES : 0;
}

static bool is_nops(const unsigned char *start, const unsigned char *end)
{
  CN_ASSERT(start <= end);
  while (end - start >= WORD_BYTES && word_at(start) == (uint32_t)NOP)
    start += WORD_BYTES;
  return start == end;
}

/* Recognises movz and two movk, which put an address into a scratch register, and a call of the register. */
static unsigned target_call_length(const unsigned char *start, const unsigned char *end)
{
  static const uint32_t moves[] = {0xd2c00000, 0xf2a00000, 0xf2800000}; /* bits 32 to 47, 16 to 31, 0 to 15 */
  enum { MOVES = sizeof moves / sizeof *moves, BYTES = (MOVES + 1) * WORD_BYTES };

  if (end - start < BYTES)
    return 0;
  uint32_t call = word_at(start + MOVES * WORD_BYTES), scratch = call >> 5 & 0x1f;
  if ((call & UINT32_C(0xfffffc1f)) != UINT32_C(0xd63f0000))
    return 0;
  for (size_t i = 0; i < MOVES; i++)
    if ((word_at(start + i * WORD_BYTES) & UINT32_C(0xffe0001f)) != (moves[i] | scratch))
      return 0;
  return BYTES;
}

/* True for addvl, addpl, addsvl and addspl that read or write the stack pointer. */
static bool is_scalable_stack_arithmetic(uint32_t word)
{
  enum { SP = 31 };

  return (word & UINT32_C(0xffa0f000)) == UINT32_C(0x04205000) && ((word & 0x1f) == SP || (word >> 16 & 0x1f) == SP);
}

/* LLVM computes addresses in the scalable part of a frame, and the stack pointer below it, by these instructions. */
static const char *frame_refusal(const unsigned char *start, const unsigned char *end)
{
  for (; end - start >= WORD_BYTES; start += WORD_BYTES)
    if (is_scalable_stack_arithmetic(word_at(start)))
      return "its frame has scalable vectors (SVE), whose size the stack map does not tell";
  return NULL;
}

const struct cn_instructions cn_instructions_aarch64 = {.port = &cn_frame_port_aarch64,
                                                        .fences_shadows = true,
                                                        .call_length = call_length,
                                                        .nop_length = nop_length,
                                                        .is_nops = is_nops,
                                                        .target_call_length = target_call_length,
                                                        .frame_refusal = frame_refusal};
