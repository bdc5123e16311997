/* SPDX-License-Identifier: Apache-2.0
 *
 * Describes a port's objects as data: the relocations that Cairn writes or decodes. Readers of stack maps support more
 * machines (elf_relocate.c, registers.c). elf_PORT.c has the data, which are constant; framemap/port.h has the frames.
 */
#ifndef CN_OBJECT_ELF_ELF_PORT_H
#define CN_OBJECT_ELF_ELF_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "framemap/port.h"

struct cn_elf_port {
  const struct cn_frame_port *frames;
  const char *architecture; /* LLVM's name, with which triples begin */
  uint32_t entry_size;      /* the size of a managed function's entry, in bytes */
  bool has_mapping_symbols; /* local symbols $d and $x mark data and code in sections, and name nothing */
  /* Types of relocations */
  uint32_t none;
  uint32_t word; /* 64 bits: symbol + addend */
  uint32_t pc32; /* 32 bits: symbol + addend - place */
  uint32_t call; /* like `pc32`, possibly through a linkage table */

  /* Store a variable's offset from the thread pointer in code at `at`, which has `room` bytes, as a relocation of this
   * type would. Null, or the reason of a refusal. */
  const char *(*store_thread_offset)(unsigned char *at, uint64_t room, uint32_t type, int64_t offset);
};

#define CN_ELF_OTHER_THREAD_OFFSET "code for a shared object cannot be loaded without a linker"
#define CN_ELF_BAD_THREAD_OFFSET "malformed relocation"

extern const struct cn_elf_port cn_elf_port_x86_64, cn_elf_port_aarch64;

/* elf_port.c: the port of an ELF file's machine, or null; and the names of all ports, for messages. */
const struct cn_elf_port *cn_elf_find_port(unsigned machine);

/* Null, or the name of the file's machine, if the bytes are an ELF file for another architecture than the triple's. */
const char *cn_elf_find_other_machine(const void *bytes, size_t size, const char *triple);
#define CN_ELF_PORT_NAMES "x86-64 or AArch64"

#endif
