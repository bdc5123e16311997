/* SPDX-License-Identifier: Apache-2.0
 *
 * The objects of AArch64 as data ("ELF for the Arm 64-bit Architecture", "Relocation"). The data are constant.
 */
#include <elf.h>
#include <string.h>
#include "object/elf/elf_port.h"

#define CAIRN_ABI(name, value) name = value,
enum port_facts {
#include <cairn/abi_aarch64.def>
};
#undef CAIRN_ABI

enum { RELOC_PLT32 = 314, /* missing in <elf.h> */ IMMEDIATE_SHIFT = 10, IMMEDIATE_BITS = 12 };

/* The part of a thread offset that an instruction contains: bits from `shift` on, in units of `1 << scale` bytes. */
struct thread_offset_part {
  uint32_t type;
  unsigned shift, scale;
};

static const struct thread_offset_part parts[] = {
    {R_AARCH64_TLSLE_ADD_TPREL_HI12, 12, 0},      {R_AARCH64_TLSLE_ADD_TPREL_LO12_NC, 0, 0},
    {R_AARCH64_TLSLE_LDST8_TPREL_LO12_NC, 0, 0},  {R_AARCH64_TLSLE_LDST16_TPREL_LO12_NC, 0, 1},
    {R_AARCH64_TLSLE_LDST32_TPREL_LO12_NC, 0, 2}, {R_AARCH64_TLSLE_LDST64_TPREL_LO12_NC, 0, 3},
};

static const struct thread_offset_part *find_part(uint32_t type)
{
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (parts[i].type == type)
      return &parts[i];
  return NULL;
}

/* Offsets from the thread pointer are positive, and have at most 24 bits in two instructions. */
static const char *store_thread_offset(unsigned char *at, uint64_t room, uint32_t type, int64_t offset)
{
  const struct thread_offset_part *part = find_part(type);
  uint32_t word, mask = ((UINT32_C(1) << IMMEDIATE_BITS) - 1) << IMMEDIATE_SHIFT;

  if (!part)
    return CN_ELF_OTHER_THREAD_OFFSET;
  if (offset < 0 || offset >> 24 || (!part->shift && offset & ((1 << part->scale) - 1)) || room < sizeof word)
    return CN_ELF_BAD_THREAD_OFFSET;
  memcpy(&word, at, sizeof word);
  uint32_t immediate = (uint32_t)offset >> part->shift & ((1 << IMMEDIATE_BITS) - 1);
  word = (word & ~mask) | (immediate >> part->scale) << IMMEDIATE_SHIFT;
  memcpy(at, &word, sizeof word);
  return NULL;
}

const struct cn_elf_port cn_elf_port_aarch64 = {.frames = &cn_frame_port_aarch64,
                                                .architecture = "aarch64",
                                                .entry_size = ENTRY_SIZE,
                                                .has_mapping_symbols = true,
                                                .none = R_AARCH64_NONE,
                                                .word = R_AARCH64_ABS64,
                                                .pc32 = R_AARCH64_PREL32,
                                                .call = RELOC_PLT32,
                                                .store_thread_offset = store_thread_offset};
