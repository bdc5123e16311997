/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the C part of the x86-64 port; stubs.S has the assembly. Recognises code of stubs, thunks, signal frames
 * and return barriers by address, reads contexts and jump buffers, restarts interrupted transitions, and checks
 * anchors. Owns the facts about vector registers, which cn_arch_detect_features() sets before managed code runs. The
 * other functions run on any thread in any phase, also in signal handlers, without locks.
 */
#include "runtime/arch/arch.h"

#include <cpuid.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/arch/stub_code.h"
#include "runtime/core/anchors.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/walk/marked_returns.h"

_Static_assert(offsetof(struct cn_anchor, pc) == CAIRN_ABI_ANCHOR_PC, "abi.def");
_Static_assert(offsetof(struct cn_anchor, sp) == CAIRN_ABI_ANCHOR_SP, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_RBX]) == CAIRN_ABI_ANCHOR_RBX, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_RBP]) == CAIRN_ABI_ANCHOR_RBP, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R12]) == CAIRN_ABI_ANCHOR_R12, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R13]) == CAIRN_ABI_ANCHOR_R13, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R14]) == CAIRN_ABI_ANCHOR_R14, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R15]) == CAIRN_ABI_ANCHOR_R15, "abi.def");
_Static_assert(sizeof(struct cn_anchor) == CAIRN_ABI_ANCHOR_SIZE, "abi.def");
_Static_assert(offsetof(struct cn_saved_regs, pc) == 128, "stubs.S pushes sixteen registers below the return address");
_Static_assert(offsetof(struct cn_transfer, slot) == 48 && offsetof(struct cn_transfer, pc) == 56 &&
                   offsetof(struct cn_transfer, argument) == 64 && offsetof(struct cn_transfer, result) == 72 &&
                   offsetof(struct cn_transfer, second) == 80 && sizeof(struct cn_transfer) == 88,
               "TRANSFER_SLOT and others in stubs.S");

const bool cn_arch_protection_interrupts = true; /* each processor forgets the page's translation by an interrupt */
const uint8_t cn_arch_sp_dwarf_number = 7;
const uint8_t cn_arch_callee_saved[CN_CALLEE_SAVED_COUNT] = {3, 6, 12, 13, 14, 15};
const uint8_t cn_arch_callee_saved_index[CN_ARCH_REGISTER_COUNT] = {CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_RBX,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_RBP,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_CALLEE_SAVED_COUNT,
                                                                    CN_R12,
                                                                    CN_R13,
                                                                    CN_R14,
                                                                    CN_R15};

void cn_arch_fill_places_by_number(uintptr_t *const place[CN_CALLEE_SAVED_COUNT],
                                   uintptr_t *reg[CN_ARCH_REGISTER_COUNT])
{
  reg[0] = reg[1] = reg[2] = NULL;
  reg[3] = place[CN_RBX];
  reg[4] = reg[5] = NULL;
  reg[6] = place[CN_RBP];
  reg[7] = reg[8] = reg[9] = reg[10] = reg[11] = NULL;
  reg[12] = place[CN_R12];
  reg[13] = place[CN_R13];
  reg[14] = place[CN_R14];
  reg[15] = place[CN_R15];
}

/* Facts for stubs.S: the components of the processor's state that XSAVE saves, or 0 if only FXSAVE exists; the size of
 * these components; and whether XSAVEC exists, which omits unused components. XSAVE also writes unused components, and
 * records them as unused. */
uint32_t cn_arch_vector_components, cn_arch_vector_area_bytes = 512;
uint8_t cn_arch_has_xsavec;
/* If nonzero, the stubs store the registers by move instructions, at the end of an area of
 * cn_arch_vector_area_bytes. */
uint8_t cn_arch_stubs_move_vectors;
enum { XSAVE_LEGACY_BYTES = 512, XSAVE_HEADER_BYTES = 64, MOVED_VECTORS_BYTES = 33 * 64 };
enum {
  XSAVE_AVX_BITS = 0x6,
  XSAVE_AVX512_BITS = 0xe0,
  XSAVE_VECTOR_BITS = XSAVE_AVX_BITS | XSAVE_AVX512_BITS
}; /* SSE and AVX; the three components of AVX-512 */
enum { CPUID_XSAVEC_BIT = 1 << 1, CPUID_XGETBV1_BIT = 1 << 2 };
_Static_assert(CAIRN_ABI_VECTORS_BY_HAND == (int)XSAVE_LEGACY_BYTES + (int)XSAVE_HEADER_BYTES,
               "registers lie above those");

extern const char cn_arch_return_barriers[];
enum {
  BARRIER_ENTRY_BYTES = 32,
  BARRIER_CALL_END_BYTES = 11
}; /* the size of a barrier's code, and the offset of the return address that its call pushes */

extern const char cn_arch_native_return[], cn_arch_short_return[]; /* stubs.S */

static bool can_move_components(unsigned state)
{
  return (state & XSAVE_AVX_BITS) == XSAVE_AVX_BITS &&
         ((state & XSAVE_AVX512_BITS) == 0 ||
          ((state & XSAVE_AVX512_BITS) == XSAVE_AVX512_BITS && __builtin_cpu_supports("avx512bw")));
}

static void detect_vector_components(void)
{
  unsigned size, offset, state, features, d, bytes = XSAVE_LEGACY_BYTES + XSAVE_HEADER_BYTES;

  if (!__get_cpuid(1, &size, &offset, &state, &d) || !(state & bit_OSXSAVE))
    return;
  __asm__("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
  state &= XSAVE_VECTOR_BITS;
  for (unsigned part = 2; part < 8; part++) {
    __cpuid_count(0xd, part, size, offset, d, d);
    if ((state >> part & 1) != 0 && offset + size > bytes)
      bytes = offset + size;
  }
  cn_arch_vector_components = state;
  cn_arch_vector_area_bytes = bytes;
  __cpuid_count(0xd, 1, features, size, offset, d);
  cn_arch_has_xsavec = (features & CPUID_XSAVEC_BIT) != 0;
  cn_arch_stubs_move_vectors = (features & CPUID_XGETBV1_BIT) != 0 && can_move_components(state);
  if (cn_arch_stubs_move_vectors != 0 && bytes < XSAVE_LEGACY_BYTES + XSAVE_HEADER_BYTES + MOVED_VECTORS_BYTES)
    cn_arch_vector_area_bytes = XSAVE_LEGACY_BYTES + XSAVE_HEADER_BYTES + MOVED_VECTORS_BYTES;
}

void cn_arch_detect_features(void)
{
  __builtin_cpu_init(); /* for cn_arch_find_fast_walk() */
  detect_vector_components();
}

uintptr_t cn_arch_return_barrier_address(unsigned index)
{
  return (uintptr_t)cn_arch_return_barriers + index * BARRIER_ENTRY_BYTES;
}

bool cn_arch_find_return_barrier(uintptr_t pc, unsigned *index)
{
  uintptr_t offset = pc - (uintptr_t)cn_arch_return_barriers;

  *index = (unsigned)(offset / BARRIER_ENTRY_BYTES);
  return offset < CAIRN_ABI_BARRIERS * BARRIER_ENTRY_BYTES &&
         (offset % BARRIER_ENTRY_BYTES == 0 || offset % BARRIER_ENTRY_BYTES == BARRIER_CALL_END_BYTES);
}

enum {
  MARKED_ENTRY_BYTES = 8,
  MARKED_CALL_BYTES = 5,
  MARKED_PER_BLOCK = CAIRN_ABI_MARKED_BLOCK_BYTES / MARKED_ENTRY_BYTES
};

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
         (offset % MARKED_ENTRY_BYTES == 0 || offset % MARKED_ENTRY_BYTES == MARKED_CALL_BYTES);
}

/* RDSSPQ keeps the register unchanged if the shadow stack is off. */
bool cn_arch_may_replace_returns(void)
{
  uintptr_t shadow = 0;

  __asm__("rdsspq %0" : "+r"(shadow));
  return shadow == 0;
}

uintptr_t cn_arch_sign_like(uintptr_t old, uintptr_t pc, uintptr_t sp, uintptr_t callee)
{
  (void)old;
  (void)sp;
  (void)callee;
  return pc;
}

uintptr_t cn_arch_context_pc(const void *ucontext)
{
  const ucontext_t *context = ucontext;

  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

/* The call of a stub pushes a word, so it reaches the end of the stack itself. */
uintptr_t cn_arch_context_caller_pc(const void *ucontext)
{
  return cn_arch_context_pc(ucontext);
}

uintptr_t cn_arch_context_sp(const void *ucontext)
{
  const ucontext_t *context = ucontext;

  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

const char *cn_arch_context_register(const void *ucontext, int reg, uintptr_t *value)
{
  static const struct {
    const char *name;
    int index;
  } registers[CN_ARCH_REGISTER_COUNT] = {{"rax", REG_RAX}, {"rdx", REG_RDX}, {"rcx", REG_RCX}, {"rbx", REG_RBX},
                                         {"rsi", REG_RSI}, {"rdi", REG_RDI}, {"rbp", REG_RBP}, {"rsp", REG_RSP},
                                         {"r8", REG_R8},   {"r9", REG_R9},   {"r10", REG_R10}, {"r11", REG_R11},
                                         {"r12", REG_R12}, {"r13", REG_R13}, {"r14", REG_R14}, {"r15", REG_R15}};
  const ucontext_t *context = ucontext;

  CN_CHECK(reg >= 0 && reg < CN_ARCH_REGISTER_COUNT);
  *value = (uintptr_t)context->uc_mcontext.gregs[registers[reg].index];
  return registers[reg].name;
}

/* glibc mangles the last three of the eight words of a jmp_buf by an exclusive or with a secret of the thread, followed
 * by a rotation. */
uintptr_t cn_arch_jump_buffer_sp(const void *buffer)
{
  enum { RSP_WORD_INDEX = 6 };
  uintptr_t word = ((const uintptr_t *)buffer)[RSP_WORD_INDEX];

  __asm__("rorq $0x11, %0\n\txorq %%fs:0x30, %0" : "+r"(word));
  return word;
}

static bool has_code_at(uintptr_t pc, const unsigned char *code, size_t bytes)
{
  unsigned char there[16];

  return cn_os_read_memory(pc, there, bytes) && memcmp(there, code, bytes) == 0;
}

/* Compare the code at return address `pc`. The page of the call is mapped, but the next page may be unmapped after a
 * call that never returns. */
static bool has_code_after_call(uintptr_t pc, const unsigned char *code, size_t bytes)
{
  enum { PAGE_BYTES = 4096 };

  if ((pc - 1) / PAGE_BYTES == (pc + bytes - 1) / PAGE_BYTES)
    return memcmp((const void *)pc, code, bytes) == 0;
  return has_code_at(pc, code, bytes);
}

bool cn_arch_is_signal_frame(uintptr_t pc, uintptr_t sp, uintptr_t *interrupted)
{
  /* mov $15 (rt_sigreturn), %rax; syscall. These bytes are stable, because unwinders rely on them. */
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

  if (pc < 4096 || !has_code_after_call(pc, code, sizeof code))
    return false;
  *interrupted = cn_arch_context_pc((const void *)sp); /* struct rt_sigframe: pc, then ucontext */
  return true;
}

/* A thunk of the compile side is [[movl $8, %eax;] movq target@GOT, %r11;] jmp. */
uintptr_t cn_arch_thunk_target(uintptr_t pc)
{
  static const unsigned char count[] = {0xb8, 8, 0, 0, 0}, load[] = {0x4c, 0x8b, 0x1d};
  unsigned char jump[5];
  int32_t distance;

  if (has_code_at(pc, count, sizeof count))
    pc += sizeof count;
  if (has_code_at(pc, load, sizeof load))
    pc += sizeof load + sizeof distance;
  if (!cn_os_read_memory(pc, jump, sizeof jump) || jump[0] != 0xe9)
    return 0;
  memcpy(&distance, jump + 1, sizeof distance);
  return pc + sizeof jump + (uintptr_t)(intptr_t)distance;
}

uintptr_t cn_arch_call_target(uintptr_t pc)
{
  unsigned char call[5];
  int32_t distance;

  if (!cn_os_read_memory(pc - sizeof call, call, sizeof call) || call[0] != 0xe8)
    return 0;
  memcpy(&distance, call + 1, sizeof distance);
  return pc + (uintptr_t)(intptr_t)distance;
}

void cn_arch_set_context_pc(void *ucontext, uintptr_t pc)
{
  ((ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
}

static uintptr_t word_below_sp(const struct cn_anchor *anchor)
{
  return ((const uintptr_t *)cn_anchor_sp(anchor))[-1];
}

/* While the native callee runs, the word below the anchor's SP is the callee's return address, which lies in the stub.
 * Between the transition to native and the call, the word is the pc that the stub popped, which is the true pc of a
 * return that was marked meanwhile. The word has this value again
 * if a longjmp left the callee and the same call runs again; the anchor then has the stack of the new caller's frame,
 * which a stack walk reaches first. A probe that temporarily replaces return addresses would make live frames seem
 * dead; Linux's uretprobes use an address at the start of a page. */
bool cn_arch_is_anchor_live(const struct cn_anchor *anchor)
{
  if (anchor->sp == 0 || cn_anchor_is_entry(anchor)) /* 0 if a signal interrupted the stub while it filled the anchor */
    return false;
  uintptr_t word = word_below_sp(anchor);
  if (word == (uintptr_t)cn_arch_native_return || word == (uintptr_t)cn_arch_short_return || word == anchor->pc ||
      word == cn_marked_return_true_pc(anchor->pc))
    return true;
  if (word != 0 && word % 4096 == 0)
    cairn_fatal("the return address of a native function was replaced, at sp 0x%lx: is there a "
                "probe on its return?",
                (unsigned long)cn_anchor_sp(anchor));
  return false;
}

/* Before the call, the anchor of a short call seems to have all registers. The registers' values are no references,
 * because the caller's frame map has no roots in these registers. */
bool cn_arch_has_anchor_register(const struct cn_anchor *anchor, int reg)
{
  return reg == CN_RBP || word_below_sp(anchor) != (uintptr_t)cn_arch_short_return;
}

void cn_arch_mark_anchor_walked(struct cn_anchor *anchor)
{
  CN_ASSERT(anchor->sp != 0 && !cn_anchor_is_entry(anchor));
  anchor->sp |= CAIRN_ABI_ANCHOR_WALKED;
}
