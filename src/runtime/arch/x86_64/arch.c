/* SPDX-License-Identifier: Apache-2.0
 *
 * x86-64 port: what stubs.S does not do.
 */
#include "runtime/arch/arch.h"

#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <cairn/abi.h>

_Static_assert(offsetof(struct cn_anchor, pc) == CAIRN_ABI_ANCHOR_PC, "abi.def");
_Static_assert(offsetof(struct cn_anchor, sp) == CAIRN_ABI_ANCHOR_SP, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_RBX]) == CAIRN_ABI_ANCHOR_RBX, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_RBP]) == CAIRN_ABI_ANCHOR_RBP, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R12]) == CAIRN_ABI_ANCHOR_R12, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R13]) == CAIRN_ABI_ANCHOR_R13, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R14]) == CAIRN_ABI_ANCHOR_R14, "abi.def");
_Static_assert(offsetof(struct cn_anchor, saved[CN_R15]) == CAIRN_ABI_ANCHOR_R15, "abi.def");
_Static_assert(sizeof(struct cn_anchor) == CAIRN_ABI_ANCHOR_SIZE, "abi.def");
_Static_assert(offsetof(struct cn_regs, pc) == 128,
               "stubs.S pushes sixteen registers below the return address");

const uint8_t cn_arch_sp = 7;
const uint8_t cn_arch_saved[CN_CALLEE_SAVED] = {3, 6, 12, 13, 14, 15};

/* Read by stubs.S: not zero if the upper halves of the vector registers exist and the kernel
 * switches them. */
uint8_t cn_arch_wide_vectors;

extern const char cn_arch_stubs_start[], cn_arch_stubs_end[]; /* stubs.S */
extern void cairn_call_any(void);

void cn_arch_init(void)
{
  __builtin_cpu_init();
  cn_arch_wide_vectors = __builtin_cpu_supports("avx") != 0;
}

uintptr_t cn_arch_fault_pc(const void *ucontext)
{
  const ucontext_t *context = ucontext;

  return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

bool cn_arch_signal_frame(uintptr_t pc, uintptr_t sp, uintptr_t *interrupted)
{
  /* mov $15 (rt_sigreturn), %rax; syscall: unwinders rely on these bytes, so they stay. */
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

  if (pc < 4096 || memcmp((const void *)pc, code, sizeof code) != 0)
    return false;
  *interrupted = cn_arch_fault_pc((const void *)sp); /* struct rt_sigframe: pc, then ucontext */
  return true;
}

/* A thunk of the compile side: [movl $8, %eax;] movq target@GOT, %r11; jmp cairn_call_any. */
static bool is_thunk(const unsigned char *code)
{
  static const unsigned char count[] = {0xb8, 8, 0, 0, 0}, load[] = {0x4c, 0x8b, 0x1d};
  int32_t distance;

  if (memcmp(code, count, sizeof count) == 0)
    code += sizeof count;
  if (memcmp(code, load, sizeof load) == 0)
    code += sizeof load + sizeof distance;
  if (*code != 0xe9)
    return false;
  memcpy(&distance, code + 1, sizeof distance);
  return code + 5 + distance == (const unsigned char *)cairn_call_any;
}

bool cn_arch_is_stub(uintptr_t pc)
{
  return pc - (uintptr_t)cn_arch_stubs_start < (size_t)(cn_arch_stubs_end - cn_arch_stubs_start) ||
         is_thunk((const unsigned char *)pc);
}
