/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the registers of x86-64 that a stack walk tracks, for the port's data (frames_x86_64.c), the runtime of the
 * port, and tests (System V AMD64 psABI, figure 3.36, has the numbers). Each port has such a file with the same names,
 * so a source file includes the file of at most one port.
 */
#ifndef CN_FRAMEMAP_FRAMES_X86_64_H
#define CN_FRAMEMAP_FRAMES_X86_64_H

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
enum { CN_SAVED_VECTORS = 0 };                       /* callee-saved vector registers */
enum { CN_PORT_REGISTER_COUNT = CN_DWARF_LAST + 1 }; /* number of registers that a collector may update */

/* The register that prologues set to the address of its saved value, just below the return address. */
enum { CN_PORT_FRAME_POINTER = CN_RBP };
/* The register that the stub at the entry from native code saves (CN_ARCH_ENTRY_SAVED_REGISTER). */
enum { CN_PORT_ENTRY_SAVED_REGISTER = CN_RBX };

/* The return address, and the first register that a prologue pushes, as offsets from the frame address. */
enum { CN_RETURN_ADDRESS_OFFSET = -8, CN_FIRST_PUSH_OFFSET = -16 };

/* The vector registers: xmm0 to xmm15, and xmm16 to xmm31. */
enum { CN_DWARF_XMM0 = 17, CN_DWARF_XMM15 = 32, CN_DWARF_XMM16 = 67, CN_DWARF_XMM31 = 82 };

/* The port's data (framemap/port.h). */
#define CN_PORT_FRAMES (&cn_frame_port_x86_64)

#endif
