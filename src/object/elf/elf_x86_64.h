/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines facts of x86-64's objects: the machine, and the relocations that Cairn writes or takes apart (System V AMD64
 * psABI, "Relocation Types"). Readers know more machines (elf_relocate.c, registers.c). Each port has a file like this;
 * framemap/frames_x86_64.h has the registers of frames.
 */
#ifndef CN_OBJECT_ELF_ELF_X86_64_H
#define CN_OBJECT_ELF_ELF_X86_64_H

#include <elf.h>

enum { CN_ELF_MACHINE = EM_X86_64 };
#define CN_ELF_MACHINE_NAME "x86-64"

enum {
  CN_ELF_RELOC_NONE = R_X86_64_NONE,
  CN_ELF_RELOC_WORD = R_X86_64_64,           /* 64 bits: symbol + addend */
  CN_ELF_RELOC_PC32 = R_X86_64_PC32,         /* 32 bits: symbol + addend - place */
  CN_ELF_RELOC_CALL = R_X86_64_PLT32,        /* CN_ELF_RELOC_PC32, maybe by way of a linkage table */
  CN_ELF_RELOC_TLS_OFFSET = R_X86_64_TPOFF32 /* 32 bits: from the thread pointer, of an executable */
};

#endif
