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

bool cn_arch_is_signal_return(uintptr_t pc)
{
  /* mov $15 (rt_sigreturn), %rax; syscall: the kernel's contract with debuggers fixes these bytes. */
  static const unsigned char code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

  return pc >= 4096 && memcmp((const void *)pc, code, sizeof code) == 0;
}
