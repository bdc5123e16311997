/* SPDX-License-Identifier: Apache-2.0
 *
 * Defines the machine of x86-64's objects and the relocations that Cairn writes or decodes (System V AMD64 psABI,
 * "Relocation Types"). Readers support more machines (elf_relocate.c, registers.c). Each port has such a file;
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
  CN_ELF_RELOC_CALL = R_X86_64_PLT32,        /* like CN_ELF_RELOC_PC32, possibly through a linkage table */
  CN_ELF_RELOC_TLS_OFFSET = R_X86_64_TPOFF32 /* 32 bits: offset from the thread pointer, in executables */
};

#endif
