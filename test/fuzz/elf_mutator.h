/* SPDX-License-Identifier: Apache-2.0
 *
 * How libFuzzer changes ELF files, and those in archives: within a section, a relocation, a symbol
 * or a header, such that the rest of the file keeps its meaning. Plain changes of bytes hardly ever
 * get past the checks of the headers. A target that includes this has the mutator.
 */
#ifndef CN_FUZZ_ELF_MUTATOR_H
#define CN_FUZZ_ELF_MUTATOR_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(unsigned char *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t most, unsigned seed);

struct elf_mutator {
  unsigned char *data;
  size_t size, most;
  Elf64_Ehdr head;
  uint64_t random;
};

static uint64_t mutator_random(struct elf_mutator *m, uint64_t below)
{
  m->random ^= m->random << 13;
  m->random ^= m->random >> 7;
  m->random ^= m->random << 17;
  return below ? (m->random >> 8) % below : 0;
}

/* A number that could be the wrong one, in place of `old`. */
static uint64_t mutator_number(struct elf_mutator *m, uint64_t old)
{
  static const uint64_t edges[] = {0,         1,          2,         8,          0x7f,       0xff,   0x7fff, 0xffff,
                                   INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, 1ull << 63, 0xff00, 0xfff1, 0xfff2};

  switch (mutator_random(m, 8)) {
  case 0:
    return edges[mutator_random(m, sizeof edges / sizeof *edges)];
  case 1:
    return old ^ (1ull << mutator_random(m, 64));
  case 2:
    return m->size - mutator_random(m, 64);
  case 3:
    return mutator_random(m, m->head.e_shnum + 2u);
  case 4:
    return old + 8 - mutator_random(m, 17);
  case 5:
    return old + 256 - mutator_random(m, 513);
  case 6:
    return mutator_random(m, 64);
  default:
    return mutator_random(m, m->size);
  }
}

/* Change the little-endian number of `length` bytes at `at`. */
static void mutator_change(struct elf_mutator *m, size_t at, size_t length)
{
  uint64_t value = 0;

  if (length > m->size || at > m->size - length)
    return;
  memcpy(&value, m->data + at, length);
  value = mutator_number(m, value);
  memcpy(m->data + at, &value, length);
}

static size_t mutator_header(const struct elf_mutator *m, uint32_t section)
{
  return m->head.e_shoff + section * sizeof(Elf64_Shdr);
}

/* A section whose bytes are in the file, of the type (0: of any); false: it found none. */
static bool mutator_section(struct elf_mutator *m, uint32_t type, uint32_t *index, Elf64_Shdr *head)
{
  uint64_t first = mutator_random(m, m->head.e_shnum);

  for (uint32_t i = 0; i < m->head.e_shnum; i++) {
    *index = (uint32_t)((first + i) % m->head.e_shnum);
    memcpy(head, m->data + mutator_header(m, *index), sizeof *head);
    if (head->sh_type != SHT_NULL && head->sh_type != SHT_NOBITS && head->sh_size && head->sh_size <= m->size &&
        head->sh_offset <= m->size - head->sh_size && (!type || head->sh_type == type))
      return true;
  }
  return false;
}

/* An entry of a table, one field of it. */
static void mutator_entry(struct elf_mutator *m, uint32_t type, size_t entry, const unsigned char (*fields)[2],
                          size_t count)
{
  uint32_t index;
  Elf64_Shdr head;

  if (!mutator_section(m, type, &index, &head) || head.sh_size < entry)
    return;
  size_t at = head.sh_offset + mutator_random(m, head.sh_size / entry) * entry;
  const unsigned char *field = fields[mutator_random(m, count)];
  if (mutator_random(m, 6) == 0) { /* another entry's */
    size_t from = head.sh_offset + mutator_random(m, head.sh_size / entry) * entry;
    memmove(m->data + at + field[0], m->data + from + field[0], field[1]);
  } else {
    mutator_change(m, at + field[0], field[1]);
  }
}

/* The bytes of a section, where they are, or longer or shorter ones after all others. */
static void mutator_bytes(struct elf_mutator *m)
{
  uint32_t index;
  Elf64_Shdr head;

  if (!mutator_section(m, 0, &index, &head))
    return;
  size_t length = head.sh_size;
  if (mutator_random(m, 4)) {
    LLVMFuzzerMutate(m->data + head.sh_offset, length, length);
    return;
  }
  size_t end = (m->size + 7) & ~(size_t)7;
  if (end > m->most || length > m->most - end)
    return;
  memset(m->data + m->size, 0, end - m->size);
  memcpy(m->data + end, m->data + head.sh_offset, length);
  head.sh_offset = end;
  head.sh_size = LLVMFuzzerMutate(m->data + end, length, m->most - end);
  memcpy(m->data + mutator_header(m, index), &head, sizeof head);
  m->size = end + head.sh_size;
}

static void mutator_step(struct elf_mutator *m)
{
  static const unsigned char relocations[][2] = {{0, 8}, {8, 4}, {12, 4}, {16, 8}},
                             symbols[][2] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}},
                             headers[][2] = {{0, 4},  {4, 4},  {8, 8},  {24, 8}, {32, 8},
                                             {40, 4}, {44, 4}, {48, 8}, {56, 8}},
                             words[][2] = {{0, 4}}, dynamic[][2] = {{0, 8}, {8, 8}};
  uint64_t which = mutator_random(m, 33);

  if (which < 16) {
    mutator_bytes(m);
  } else if (which < 21) {
    mutator_entry(m, SHT_RELA, sizeof(Elf64_Rela), relocations, 4);
  } else if (which < 25) {
    mutator_entry(m, SHT_SYMTAB, sizeof(Elf64_Sym), symbols, 6);
  } else if (which < 29) {
    const unsigned char *field = headers[mutator_random(m, 9)];
    mutator_change(m, mutator_header(m, (uint32_t)mutator_random(m, m->head.e_shnum)) + field[0], field[1]);
  } else if (which == 29) {
    mutator_entry(m, SHT_GROUP, 4, words, 1);
  } else if (which == 30) {
    mutator_entry(m, SHT_DYNAMIC, sizeof(Elf64_Dyn), dynamic, 2);
  } else if (which == 31) {
    mutator_entry(m, SHT_SYMTAB_SHNDX, 4, words, 1);
  } else {
    mutator_change(m, mutator_random(m, sizeof m->head), 2);
  }
}

static bool mutator_open(struct elf_mutator *m)
{
  Elf64_Shdr first;

  if (m->size < sizeof m->head || memcmp(m->data, ELFMAG, SELFMAG) != 0)
    return false;
  memcpy(&m->head, m->data, sizeof m->head);
  if (m->head.e_shoff > m->size || m->size - m->head.e_shoff < sizeof first)
    return false;
  memcpy(&first, m->data + m->head.e_shoff, sizeof first);
  if (!m->head.e_shnum && first.sh_size <= UINT16_MAX)
    m->head.e_shnum = (uint16_t)first.sh_size;
  return m->head.e_shnum && m->head.e_shnum <= (m->size - m->head.e_shoff) / sizeof(Elf64_Shdr);
}

/* Go into one of an archive's members, whose size stays; false: it is none, or has none. */
static bool mutator_member(struct elf_mutator *m)
{
  enum { MAGIC = 8, HEADER = 60, SIZE_AT = 48 };
  unsigned char *data = NULL;
  size_t size = 0, seen = 0;

  if (m->size < MAGIC || memcmp(m->data, "!<arch>\n", MAGIC) != 0)
    return false;
  for (size_t at = MAGIC, length; m->size >= HEADER && at <= m->size - HEADER; at += HEADER + length + length % 2) {
    char digits[11] = {0};
    memcpy(digits, m->data + at + SIZE_AT, sizeof digits - 1);
    length = strtoul(digits, NULL, 10);
    if (length > m->size - at - HEADER)
      break;
    if (mutator_random(m, ++seen) == 0) { /* each as often as the others */
      data = m->data + at + HEADER;
      size = length;
    }
  }
  m->data = data;
  m->size = m->most = size;
  return data != NULL;
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t most, unsigned seed)
{
  struct elf_mutator m = {.data = data, .size = size, .most = most};

  m.random = seed * 0x9e3779b97f4a7c15ull + 1;
  bool whole = mutator_random(&m, 64) == 0, member = !whole && mutator_member(&m);
  if (whole || !mutator_open(&m))
    return LLVMFuzzerMutate(data, size, most);
  for (uint64_t steps = 1 + mutator_random(&m, 3); steps && mutator_open(&m); steps--)
    mutator_step(&m);
  return member ? size : m.size;
}

#endif
