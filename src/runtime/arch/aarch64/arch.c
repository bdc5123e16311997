/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the C part of the AArch64 port; stubs.S has the assembly. Recognises calls, thunks, signal frames and
 * return barriers by address, reads contexts and jump buffers, and checks anchors. Any thread, any phase, also in
 * signal handlers; no state, no locks.
 */
#include "runtime/arch/arch.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <sys/auxv.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/arch/stub_code.h"
#include "runtime/core/anchors.h"
#include "runtime/os/os.h"
#include "runtime/roots/fast_walk.h"
#include "runtime/walk/index.h"
#include "runtime/walk/marked_returns.h"

_Static_assert(offsetof(struct cn_anchor, pc) == CAIRN_ABI_ANCHOR_PC, "abi.def");
_Static_assert(offsetof(struct cn_anchor, sp) == CAIRN_ABI_ANCHOR_SP, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_X19]) == CAIRN_ABI_ANCHOR_X19, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_X29]) == CAIRN_ABI_ANCHOR_X29, "abi.def");
_Static_assert(sizeof(struct cn_anchor) == CAIRN_ABI_ANCHOR_SIZE, "abi.def");
_Static_assert(offsetof(struct cn_saved_regs, pc) == 256, "stubs.S stores 32 words below the return address");
_Static_assert(offsetof(struct cn_transfer, slot) == 88 && offsetof(struct cn_transfer, pc) == 96 &&
                   offsetof(struct cn_transfer, argument) == 104 && offsetof(struct cn_transfer, result) == 112 &&
                   offsetof(struct cn_transfer, second) == 120 && offsetof(struct cn_transfer, vector) == 128 &&
                   sizeof(struct cn_transfer) == 192,
               "TRANSFER_SLOT and others in stubs.S");

enum { DWARF_X19 = 19, DWARF_X29 = 29, LINK_REGISTER = 30, DWARF_SP = 31, INSTRUCTION_BYTES = 4 };

const bool cn_arch_protection_interrupts = false; /* a processor itself tells the others to forget the translation */
const uint8_t cn_arch_sp_dwarf_number = DWARF_SP;
const uint8_t cn_arch_callee_saved[CN_CALLEE_SAVED_COUNT] = {19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#define NOT_SAVED CN_CALLEE_SAVED_COUNT
const uint8_t cn_arch_callee_saved_index[CN_ARCH_REGISTER_COUNT] = {
    NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED,
    NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED, NOT_SAVED,
    NOT_SAVED, NOT_SAVED, NOT_SAVED, CN_X19,    CN_X20,    CN_X21,    CN_X22,    CN_X23,
    CN_X24,    CN_X25,    CN_X26,    CN_X27,    CN_X28,    CN_X29,    NOT_SAVED, NOT_SAVED};

void cn_arch_fill_places_by_number(uintptr_t *const place[CN_CALLEE_SAVED_COUNT],
                                   uintptr_t *reg[CN_ARCH_REGISTER_COUNT])
{
  for (int i = 0; i < CN_ARCH_REGISTER_COUNT; i++)
    reg[i] = i >= DWARF_X19 && i <= DWARF_X29 ? place[i - DWARF_X19] : NULL;
}

/* All processors have the vector registers that the stubs save, and one loop of the fast walk. */
void cn_arch_detect_features(void)
{
}

uint64_t (*cn_arch_find_fast_walk(void))(const struct cn_fast_walk *stretch)
{
  return NULL;
}

/* ---- replaced return addresses ---- */

extern const char cn_arch_return_barriers[];
enum { BARRIER_ENTRY_BYTES = 32 };

uintptr_t cn_arch_return_barrier_address(unsigned index)
{
  return (uintptr_t)cn_arch_return_barriers + index * BARRIER_ENTRY_BYTES;
}

/* An entry begins with its call. */
bool cn_arch_find_return_barrier(uintptr_t pc, unsigned *index)
{
  uintptr_t offset = pc - (uintptr_t)cn_arch_return_barriers;

  *index = (unsigned)(offset / BARRIER_ENTRY_BYTES);
  return offset < CAIRN_ABI_BARRIERS * BARRIER_ENTRY_BYTES &&
         (offset % BARRIER_ENTRY_BYTES == 0 || offset % BARRIER_ENTRY_BYTES == INSTRUCTION_BYTES);
}

enum { MARKED_ENTRY_BYTES = 8, MARKED_PER_BLOCK = CAIRN_ABI_MARKED_BLOCK_BYTES / MARKED_ENTRY_BYTES };

uintptr_t cn_arch_marked_return_address(unsigned index)
{
  CN_ASSERT(index < CN_MARKED_RETURNS);
  return index % MARKED_PER_BLOCK == 0 ? 0 : (uintptr_t)cn_arch_marked_returns + index * MARKED_ENTRY_BYTES;
}

bool cn_arch_find_marked_return(uintptr_t pc, unsigned *index)
{
  uintptr_t offset = pc - (uintptr_t)cn_arch_marked_returns;

  *index = (unsigned)(offset / MARKED_ENTRY_BYTES);
  return offset < CN_MARKED_RETURNS * MARKED_ENTRY_BYTES && *index % MARKED_PER_BLOCK != 0 &&
         offset % INSTRUCTION_BYTES == 0;
}

/* CHKFEAT clears bit 0 of x16 if the guarded control stack is on; older processors skip it. */
bool cn_arch_may_replace_returns(void)
{
  register uint64_t features __asm__("x16") = 1;

  __asm__("hint #40" : "+r"(features));
  return features != 0;
}

static bool read_instructions(uintptr_t pc, uint32_t *code, size_t count)
{
  return pc % INSTRUCTION_BYTES == 0 && cn_os_read_memory(pc, code, count * sizeof *code);
}

/* How a function signs the return addresses in its frames: plain ones, or by one of the two keys for code. */
enum signature { PLAIN, FIRST_KEY, SECOND_KEY, SIGNATURES };

/* Sign with hints, which older processors ignore (PACIA1716 and PACIB1716). The modifier is the stack pointer at the
 * function's start. */
static uintptr_t sign(enum signature kind, uintptr_t pc, uintptr_t sp)
{
  register uintptr_t address __asm__("x17") = pc;
  register uintptr_t modifier __asm__("x16") = sp;

  if (kind == FIRST_KEY)
    __asm__("hint #8" : "+r"(address) : "r"(modifier));
  else if (kind == SECOND_KEY)
    __asm__("hint #10" : "+r"(address) : "r"(modifier));
  return address;
}

/* The signature that the function makes before it reaches `pc`. */
static enum signature find_signature(uintptr_t pc)
{
  static const uint32_t signs_by_first = 0xd503233f, signs_by_second = 0xd503237f; /* PACIASP, PACIBSP */
  uintptr_t at, end;
  uint32_t code;

  if (!cn_index_function_range(pc - 1, &at, &end))
    return SIGNATURES;
  for (; at < pc; at += INSTRUCTION_BYTES) {
    if (!read_instructions(at, &code, 1))
      return SIGNATURES;
    if (code == signs_by_first || code == signs_by_second)
      return code == signs_by_first ? FIRST_KEY : SECOND_KEY;
  }
  return PLAIN;
}

/* A signature has seven bits at least, so that several kinds may give the word `old`. Only then the code is read. Other
 * functions of a signature, such as those with the pc as second modifier (FEAT_PAuth_LR), give other words. */
uintptr_t cn_arch_sign_like(uintptr_t old, uintptr_t pc, uintptr_t sp, uintptr_t callee)
{
  uintptr_t stripped = cn_arch_strip_return(old);
  enum signature found = SIGNATURES;
  bool is_ambiguous = false;

  if ((getauxval(AT_HWCAP) & HWCAP_PACA) == 0)
    return pc;
  for (enum signature kind = PLAIN; kind < SIGNATURES; kind++) {
    if (sign(kind, stripped, sp) != old)
      continue;
    is_ambiguous = found != SIGNATURES;
    found = is_ambiguous ? found : kind;
  }
  if (is_ambiguous && callee != 0) {
    found = find_signature(callee);
    found = sign(found, stripped, sp) == old ? found : SIGNATURES;
  }
  return found == SIGNATURES ? 0 : sign(found, pc, sp);
}

/* ---- contexts ---- */

uintptr_t cn_arch_context_pc(const void *ucontext)
{
  return ((const ucontext_t *)ucontext)->uc_mcontext.pc;
}

/* A stub that has called another one has its frame record at x29. */
uintptr_t cn_arch_context_caller_pc(const void *ucontext)
{
  const mcontext_t *context = &((const ucontext_t *)ucontext)->uc_mcontext;
  uintptr_t pc = context->pc;

  if (cn_arch_is_in_stubs(pc))
    pc = cn_arch_strip_return(context->regs[LINK_REGISTER]);
  if (cn_arch_is_in_stubs(pc))
    pc = cn_arch_strip_return(((const uintptr_t *)context->regs[DWARF_X29])[1]);
  return pc;
}

uintptr_t cn_arch_context_sp(const void *ucontext)
{
  return ((const ucontext_t *)ucontext)->uc_mcontext.sp;
}

const char *cn_arch_context_register(const void *ucontext, int reg, uintptr_t *value)
{
  static const char names[CN_ARCH_REGISTER_COUNT][4] = {
      "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
      "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp"};
  const mcontext_t *context = &((const ucontext_t *)ucontext)->uc_mcontext;

  CN_CHECK(reg >= 0 && reg < CN_ARCH_REGISTER_COUNT);
  *value = reg == DWARF_SP ? context->sp : context->regs[reg];
  return names[reg];
}

/* glibc mangles the return address and the stack pointer by an exclusive or with a secret of the process. The secret
 * has no name that programs may use, so a buffer of this frame, whose stack pointer is known, tells it. */
uintptr_t cn_arch_jump_buffer_sp(const void *buffer)
{
  enum { SP_WORD_INDEX = 13 };
  jmp_buf own;
  uintptr_t sp;

  __asm__ volatile("mov %0, sp" : "=r"(sp));
  if (_setjmp(own) != 0)
    __builtin_unreachable();
  const uintptr_t *words = (const uintptr_t *)own;
  return ((const uintptr_t *)buffer)[SP_WORD_INDEX] ^ words[SP_WORD_INDEX] ^ sp;
}

/* ---- code by its address ---- */

/* The signed number in the low `bits` bits. */
static uintptr_t sign_extend(uint64_t value, unsigned bits)
{
  return (uintptr_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* Compare the code at return address `pc`. The page of the call is mapped, but the next page may be unmapped after a
 * call that never returns. */
static bool is_sigreturn(uintptr_t pc)
{
  /* mov x8, #139 (rt_sigreturn); svc #0. These instructions are stable, because unwinders rely on them. */
  static const uint32_t code[] = {0xd2801168, 0xd4000001};
  enum { LEAST_PAGE_BYTES = 4096 };
  uint32_t there[2];

  if ((pc - 1) / LEAST_PAGE_BYTES == (pc + sizeof code - 1) / LEAST_PAGE_BYTES)
    return memcmp((const void *)pc, code, sizeof code) == 0;
  return read_instructions(pc, there, 2) && memcmp(there, code, sizeof code) == 0;
}

bool cn_arch_is_signal_frame(uintptr_t pc, uintptr_t sp, uintptr_t *interrupted)
{
  if (pc < 4096 || pc % INSTRUCTION_BYTES != 0 || !is_sigreturn(pc))
    return false;
  *interrupted = cn_arch_context_pc((const void *)(sp + sizeof(siginfo_t))); /* struct rt_sigframe */
  return true;
}

/* Follow one instruction of code that computes the target of a jump, in the registers `at`. */
static bool follow_instruction(uintptr_t at[32], uintptr_t pc, uint32_t code)
{
  unsigned to = code & 31, from = code >> 5 & 31;

  if ((code & 0xfffff01f) == 0xd503201f) /* a hint */
    return true;
  if ((code & 0x9f000000) == 0x90000000) { /* adrp */
    at[to] = (pc & ~(uintptr_t)4095) + (sign_extend((code >> 5 & 0x7ffff) << 2 | (code >> 29 & 3), 21) << 12);
    return true;
  }
  if ((code & 0x9f000000) == 0x10000000) { /* adr */
    at[to] = pc + sign_extend((code >> 5 & 0x7ffff) << 2 | (code >> 29 & 3), 21);
    return true;
  }
  if ((code & 0xff800000) == 0x91000000) { /* add, of an immediate number */
    at[to] = at[from] + ((code >> 10 & 0xfff) << (code >> 22 & 1) * 12);
    return true;
  }
  if ((code & 0xffe0fc00) == 0x8b000000) { /* add, of two registers */
    at[to] = at[from] + at[code >> 16 & 31];
    return true;
  }
  if ((code & 0xff000000) == 0x58000000) /* ldr, of a word near the code */
    return cn_os_read_memory(pc + sign_extend((code >> 5 & 0x7ffff) << 2, 21), &at[to], sizeof at[to]);
  if ((code & 0xffc00000) == 0xf9400000) /* ldr, at a scaled offset */
    return cn_os_read_memory(at[from] + (code >> 10 & 0xfff) * 8, &at[to], sizeof at[to]);
  return false;
}

/* A thunk loads or computes addresses, and jumps. Linkers' and patches' islands are such thunks, too. */
uintptr_t cn_arch_thunk_target(uintptr_t pc)
{
  enum { MOST_INSTRUCTIONS = 8 };
  uintptr_t registers[32] = {0};
  uint32_t code;

  for (int i = 0; i < MOST_INSTRUCTIONS && read_instructions(pc, &code, 1); i++, pc += INSTRUCTION_BYTES) {
    if ((code & 0xfc000000) == 0x14000000) /* b */
      return pc + sign_extend((uint64_t)(code & 0x3ffffff) << 2, 28);
    if ((code & 0xfffffc1f) == 0xd61f0000) /* br */
      return registers[code >> 5 & 31];
    if (!follow_instruction(registers, pc, code))
      return 0;
  }
  return 0;
}

/* A near call, or the call of a distant target by x16 (patch/aarch64). */
uintptr_t cn_arch_call_target(uintptr_t pc)
{
  uint32_t call, constant[3];

  if (!read_instructions(pc - sizeof call, &call, 1))
    return 0;
  if ((call & 0xfc000000) == 0x94000000) /* bl */
    return pc - sizeof call + sign_extend((uint64_t)(call & 0x3ffffff) << 2, 28);
  if (call != 0xd63f0200 || !read_instructions(pc - sizeof call - sizeof constant, constant, 3)) /* blr x16 */
    return 0;
  uintptr_t target = 0;
  for (unsigned i = 0; i < 3; i++) {
    if ((constant[i] & 0xffe0001f) != ((i == 0 ? 0xd2800010 : 0xf2800010) | i << 21)) /* movz x16, then movk x16 */
      return 0;
    target |= (uintptr_t)(constant[i] >> 5 & 0xffff) << 16 * i;
  }
  return target;
}

void cn_arch_set_context_pc(void *ucontext, uintptr_t pc)
{
  ((ucontext_t *)ucontext)->uc_mcontext.pc = pc;
}

/* ---- anchors ---- */

/* No memory tells whether the native callee runs: it has its return address in a register, or where it likes. So an
 * anchor lives until its stub drops it, or a jump that the runtime sees (libc/jumps.c). SP is 0 if a signal interrupted
 * the stub while it filled the anchor. */
bool cn_arch_is_anchor_live(const struct cn_anchor *anchor)
{
  return anchor->sp != 0 && !cn_anchor_is_entry(anchor);
}

bool cn_arch_has_anchor_register(const struct cn_anchor *anchor, int reg)
{
  (void)anchor;
  (void)reg;
  return true;
}

void cn_arch_mark_anchor_walked(struct cn_anchor *anchor)
{
  CN_ASSERT(anchor->sp != 0 && !cn_anchor_is_entry(anchor));
  anchor->sp |= CAIRN_ABI_ANCHOR_WALKED;
}
