/* SPDX-License-Identifier: Apache-2.0
 *
 * Names the registers of AArch64 that a stack walk tracks, for the port's data (frames_aarch64.c), the runtime of the
 * port, and tests ("DWARF for the Arm 64-bit Architecture", 4.1, has the numbers). A source file includes such a file
 * of at most one port.
 */
#ifndef CN_FRAMEMAP_FRAMES_AARCH64_H
#define CN_FRAMEMAP_FRAMES_AARCH64_H

/* The callee-saved registers, which a stack walk tracks, in the order of struct cn_anchor. The link register x30 is
 * none of them, because each frame at a call has saved it. */
enum cn_reg {
  CN_X19,
  CN_X20,
  CN_X21,
  CN_X22,
  CN_X23,
  CN_X24,
  CN_X25,
  CN_X26,
  CN_X27,
  CN_X28,
  CN_X29,
  CN_CALLEE_SAVED_COUNT
};

/* DWARF's numbers. */
enum {
  CN_DWARF_X9 = 9,
  CN_DWARF_X15 = 15,
  CN_DWARF_X19 = 19,
  CN_DWARF_X20,
  CN_DWARF_X21,
  CN_DWARF_X22,
  CN_DWARF_X28 = 28,
  CN_DWARF_X29,
  CN_DWARF_X30,
  CN_DWARF_RETURN_ADDRESS = CN_DWARF_X30,
  CN_DWARF_SP,
  CN_DWARF_LAST = CN_DWARF_SP, /* the last of the general registers */
  CN_DWARF_PC,
  CN_DWARF_VG = 46, /* the size of scalable vectors */
  CN_DWARF_V0 = 64,
  CN_DWARF_V8 = 72,
  CN_DWARF_V15 = 79,
  CN_DWARF_V31 = 95
};
/* Functions keep the low halves of v8 to v15, of which they save those that they change. */
enum { CN_SAVED_VECTORS = CN_DWARF_V15 - CN_DWARF_V8 + 1 };
enum { CN_PORT_REGISTER_COUNT = CN_DWARF_LAST + 1 }; /* number of registers, with the stack pointer's unused place */

/* The register that prologues set to the address of its saved value, just below the saved link register. */
enum { CN_PORT_FRAME_POINTER = CN_X29 };
/* The register that the stub at the entry from native code saves (CN_ARCH_ENTRY_SAVED_REGISTER). */
enum { CN_PORT_ENTRY_SAVED_REGISTER = CN_X19 };

/* The port's data (framemap/port.h). */
#define CN_PORT_FRAMES (&cn_frame_port_aarch64)

#endif
