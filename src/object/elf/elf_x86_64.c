/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of x86-64 as data (System V AMD64 psABI, "Relocation Types"). The data are constant.
 */
#include <elf.h>
#include <string.h>
#include "object/elf/elf_port.h"

#define CAIRN_ABI(name, value) name = value,
enum port_facts {
#include <cairn/abi_x86_64.def>
};
#undef CAIRN_ABI

static const char *store_thread_offset(unsigned char *at, uint64_t room, uint32_t type, int64_t offset)
{
  int32_t narrow = (int32_t)offset;

  if (type != R_X86_64_TPOFF32) /* 32 bits: offset from the thread pointer, in executables */
    return CN_ELF_OTHER_THREAD_OFFSET;
  if (narrow != offset || room < sizeof narrow)
    return CN_ELF_BAD_THREAD_OFFSET;
  memcpy(at, &narrow, sizeof narrow);
  return NULL;
}

const struct cn_elf_port cn_elf_port_x86_64 = {.frames = &cn_frame_port_x86_64,
                                               .architecture = "x86_64",
                                               .entry_size = ENTRY_SIZE,
                                               .none = R_X86_64_NONE,
                                               .word = R_X86_64_64,
                                               .pc32 = R_X86_64_PC32,
                                               .call = R_X86_64_PLT32,
                                               .store_thread_offset = store_thread_offset};
