/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the facts of x86-64 that frame maps need: the registers that a stack walk tracks, the bases of places, and
 * the push order of prologues (System V AMD64 psABI, figure 3.36, has the numbers). Writers and readers of frame maps
 * use registers only by these names. Each port has such a file.
 */
#ifndef CN_FRAMEMAP_FRAMES_X86_64_H
#define CN_FRAMEMAP_FRAMES_X86_64_H

#include <stdbool.h>
#include <stdint.h>

/* The callee-saved registers, which a stack walk tracks, in the order of struct cn_anchor. */
enum cn_reg { CN_RBX, CN_RBP, CN_R12, CN_R13, CN_R14, CN_R15, CN_CALLEE_SAVED_COUNT };

/* DWARF's numbers. */
enum {
  CN_DWARF_RBX = 3,
  CN_DWARF_RBP = 6,
  CN_DWARF_SP = 7,
  CN_DWARF_R11 = 11,
  CN_DWARF_R12,
  CN_DWARF_R13,
  CN_DWARF_R14,
  CN_DWARF_R15,
  CN_DWARF_LAST = CN_DWARF_R15, /* the last of the general registers */
  CN_DWARF_RETURN_ADDRESS       /* the return address */
};
enum { CN_PORT_REGISTER_COUNT = CN_DWARF_LAST + 1 }; /* number of registers that a collector may update */

/* The register that prologues set to the address of its saved value, just below the return address. */
enum { CN_PORT_FRAME_POINTER = CN_RBP };
/* The register that the stub at the entry from native code saves (CN_ARCH_ENTRY_SAVED_REGISTER). */
enum { CN_PORT_ENTRY_SAVED_REGISTER = CN_RBX };

/* The DWARF numbers of enum cn_reg, and the registers' names. */
static const uint8_t cn_port_saved_dwarf_numbers[CN_CALLEE_SAVED_COUNT] = {CN_DWARF_RBX, CN_DWARF_RBP, CN_DWARF_R12,
                                                                           CN_DWARF_R13, CN_DWARF_R14, CN_DWARF_R15};
static const char *const cn_port_saved_names[CN_CALLEE_SAVED_COUNT] = {"rbx", "rbp", "r12", "r13", "r14", "r15"};

/* The enum cn_reg of a DWARF number, or CN_CALLEE_SAVED_COUNT. */
static inline unsigned cn_port_tracked_register_of(unsigned dwarf)
{
  for (unsigned reg = 0; reg < CN_CALLEE_SAVED_COUNT; reg++)
    if (cn_port_saved_dwarf_numbers[reg] == dwarf)
      return reg;
  return CN_CALLEE_SAVED_COUNT;
}

/* The bases of frame addresses and places: the stack pointer, the frame pointer, and the register that LLVM uses as
 * base pointer if the frame is realigned and has a variable size. A map names a base by an index of two bits. */
enum { CN_PORT_BASE_COUNT = 3 };
static const uint8_t cn_port_base_registers[CN_PORT_BASE_COUNT] = {CN_DWARF_SP, CN_DWARF_RBP, CN_DWARF_RBX};
_Static_assert(CN_PORT_BASE_COUNT <= 3, "two bits name a base; the fourth value marks a tagged area");
#define CN_PORT_SP_NAME "rsp"
#define CN_PORT_BASE_NAMES "rsp, rbp and rbx"
#define CN_PORT_OTHER_BASE_NAMES "rbp or rbx"

/* The index of a base, or CN_PORT_BASE_COUNT. */
static inline unsigned cn_port_base_index_of(uint64_t dwarf)
{
  unsigned base = 0;

  while (base < CN_PORT_BASE_COUNT && cn_port_base_registers[base] != dwarf)
    base++;
  return base;
}

/* The callee-saved registers in the order of compilers' pushes, and the offset of the first push from the frame
 * address. */
static const uint8_t cn_push_order[CN_CALLEE_SAVED_COUNT] = {CN_RBP, CN_R15, CN_R14, CN_R13, CN_R12, CN_RBX};
enum { CN_FIRST_PUSH_OFFSET = -16 };

/* True if a swifttail callee takes an argument in the register. */
static inline bool cn_port_is_swifttail_argument(unsigned dwarf)
{
  return dwarf == CN_DWARF_R13 || dwarf == CN_DWARF_R14;
}

/* True if even a callee that preserves all registers may change the register. */
static inline bool cn_port_is_lost_over_every_call(unsigned dwarf)
{
  return dwarf == CN_DWARF_SP || dwarf == CN_DWARF_R11;
}

/* The vector registers: xmm0 to xmm15, and xmm16 to xmm31. */
enum { CN_DWARF_XMM0 = 17, CN_DWARF_XMM15 = 32, CN_DWARF_XMM16 = 67, CN_DWARF_XMM31 = 82 };

/* True if code after a point may need the register: a general or a vector register. */
static inline bool cn_port_is_live_out_register(unsigned dwarf)
{
  return dwarf <= CN_DWARF_LAST || (dwarf >= CN_DWARF_XMM0 && dwarf <= CN_DWARF_XMM15) ||
         (dwarf >= CN_DWARF_XMM16 && dwarf <= CN_DWARF_XMM31);
}

/* True for a register that code reads and that no call changes: the pc, and the segment registers with their bases. */
static inline bool cn_port_is_constant_register(unsigned dwarf)
{
  enum { PC = 16, FIRST_SEGMENT = 50, LAST_SEGMENT_BASE = 59 };

  return dwarf == PC || (dwarf >= FIRST_SEGMENT && dwarf <= LAST_SEGMENT_BASE);
}

/* True if the register may contain a value of a point. */
static inline bool cn_port_is_value_register(unsigned dwarf)
{
  return dwarf != CN_DWARF_SP && cn_port_is_live_out_register(dwarf);
}

/* The register that libdw 0.188 mistakes for RAX: libdw reports RBX as undefined if call-frame information omits
 * RBX. */
enum { CN_DWARF_MISTAKEN_BY_LIBDW = CN_DWARF_RBX };
#define CN_PORT_MISTAKEN_NAME "rbx"

#endif
