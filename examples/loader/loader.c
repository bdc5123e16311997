/* SPDX-License-Identifier: Apache-2.0
 *
 * A loader of the program's own for objects with managed code, without LLVM: it places the sections of one relocatable
 * object, resolves its relocations, and describes the code for cairn_code_register() (<cairn/code.h>). An object that
 * it cannot load ends the program.
 *
 *   cairn-cc -O2 -c part.c && cairn-cc -O2 -fcairn-manage=marked -I. program.c loader.c -o program
 */
#include "loader.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPECT(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static const Elf64_Ehdr *header(const struct loaded *l)
{
  return (const Elf64_Ehdr *)l->file;
}

static const Elf64_Shdr *section(const struct loaded *l, unsigned index)
{
  return (const Elf64_Shdr *)(l->file + header(l)->e_shoff) + index;
}

static const char *name_of(const struct loaded *l, unsigned index)
{
  return l->file + section(l, header(l)->e_shstrndx)->sh_offset + section(l, index)->sh_name;
}

static unsigned section_of_type(const struct loaded *l, unsigned type)
{
  for (unsigned i = 1; i < header(l)->e_shnum; i++)
    if (section(l, i)->sh_type == type)
      return i;
  abort();
}

static const Elf64_Sym *symbols(const struct loaded *l, size_t *count)
{
  const Elf64_Shdr *table = section(l, section_of_type(l, SHT_SYMTAB));

  *count = table->sh_size / sizeof(Elf64_Sym);
  return (const Elf64_Sym *)(l->file + table->sh_offset);
}

static const char *text_of(const struct loaded *l, const Elf64_Sym *symbol)
{
  return l->file + section(l, section(l, section_of_type(l, SHT_SYMTAB))->sh_link)->sh_offset + symbol->st_name;
}

static void read_file(struct loaded *l, const char *path)
{
  FILE *file = fopen(path, "rb");

  EXPECT(file && !fseek(file, 0, SEEK_END));
  size_t bytes = (size_t)ftell(file);
  rewind(file);
  EXPECT((l->file = malloc(bytes)) && fread(l->file, 1, bytes, file) == bytes);
  fclose(file);
  EXPECT(header(l)->e_type == ET_REL && header(l)->e_shnum <= MAX_SECTIONS);
}

static size_t align(size_t at, size_t to)
{
  return to > 1 ? (at + to - 1) / to * to : at;
}

/* Place sections with code, or those without; four zero bytes follow each, as .eh_frame needs. */
static size_t place(struct loaded *l, size_t at, int code)
{
  for (unsigned i = 1; i < header(l)->e_shnum; i++) {
    const Elf64_Shdr *s = section(l, i);
    if (!(s->sh_flags & SHF_ALLOC) || !(s->sh_flags & SHF_EXECINSTR) != !code)
      continue;
    at = align(at, s->sh_addralign);
    l->place[i] = l->memory + at;
    if (s->sh_type != SHT_NOBITS && l->memory)
      memcpy(l->place[i], l->file + s->sh_offset, s->sh_size);
    at += s->sh_size + (code ? 0 : 4);
  }
  return at;
}

static void *slot_for(struct loaded *l, void *target, int jump)
{
  struct slot *slot = &l->slots[l->slot_count++];

  EXPECT(l->slot_count <= SLOTS);
  memcpy(slot->jump, "\x90\x90\xff\x25\0\0\0\0", 8); /* two no-ops, jump to *target */
  slot->target = target;
  return jump ? (void *)slot->jump : (void *)&slot->target;
}

/* The bounds of a section: the symbols that a linker defines. */
static int find_bound(const struct loaded *l, const char *name, char **address)
{
  int stop = strncmp(name, "__stop_", 7) == 0;

  if (!stop && strncmp(name, "__start_", 8) != 0)
    return 0;
  *address = NULL;
  for (unsigned i = 1; i < header(l)->e_shnum; i++)
    if (l->place[i] && section(l, i)->sh_size && strcmp(name_of(l, i), name + (stop ? 7 : 8)) == 0)
      *address = l->place[i] + (stop ? section(l, i)->sh_size : 0);
  return 1;
}

static char *value_of(const struct loaded *l, const Elf64_Sym *symbol, void *(*find)(const char *))
{
  char *address;

  if (symbol->st_shndx != SHN_UNDEF)
    return l->place[symbol->st_shndx] + symbol->st_value;
  if (find_bound(l, text_of(l, symbol), &address))
    return address;
  address = find(text_of(l, symbol));
  EXPECT(address != NULL);
  return address;
}

static void relocate(struct loaded *l, char *at, const Elf64_Rela *r, void *(*find)(const char *))
{
  size_t count;
  const Elf64_Sym *symbol = &symbols(l, &count)[ELF64_R_SYM(r->r_info)];
  int64_t value;

  if (ELF64_R_TYPE(r->r_info) == R_X86_64_NONE)
    return;
  if (ELF64_R_TYPE(r->r_info) == R_X86_64_TPOFF32) {
    EXPECT(strcmp(text_of(l, symbol), "cairn_mutator") == 0);
    int32_t offset = (int32_t)(cairn_mutator_offset() + r->r_addend);
    memcpy(at, &offset, sizeof offset);
    return;
  }
  char *target = value_of(l, symbol, find);
  switch (ELF64_R_TYPE(r->r_info)) {
  case R_X86_64_64:
    target = target ? target + r->r_addend : target;
    memcpy(at, &target, sizeof target);
    return;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    target = slot_for(l, target, 0);
    break;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (symbol->st_shndx == SHN_UNDEF)
      target = slot_for(l, target, 1);
    break;
  default:
    fprintf(stderr, "relocation %u\n", (unsigned)ELF64_R_TYPE(r->r_info));
    abort();
  }
  value = target + r->r_addend - at;
  EXPECT(value == (int32_t)value);
  memcpy(at, &value, 4);
}

static void relocate_all(struct loaded *l, void *(*find)(const char *))
{
  for (unsigned i = 1; i < header(l)->e_shnum; i++) {
    const Elf64_Shdr *s = section(l, i);
    const Elf64_Rela *r = (const Elf64_Rela *)(l->file + s->sh_offset);
    for (size_t k = 0; s->sh_type == SHT_RELA && l->place[s->sh_info] && k < s->sh_size / sizeof *r; k++)
      relocate(l, l->place[s->sh_info] + r[k].r_offset, &r[k], find);
  }
}

static void describe(struct loaded *l, const char *path)
{
  size_t count, bytes;
  const Elf64_Sym *all = symbols(l, &count);
  const char *slash = strrchr(path, '/');

  l->code = (struct cairn_code){.name = slash ? slash + 1 : path,
                                .start = (uintptr_t)l->memory,
                                .end = (uintptr_t)l->memory + l->code_bytes};
  memcpy(&l->code.image, address_of(l, "cairn.image.data"), sizeof l->code.image);
  for (size_t i = 1; i < count; i++) {
    const char *name = text_of(l, &all[i]);
    size_t length = strlen(name);
    if (strncmp(name, "cairn.image.", 12) == 0 && length > 17 && strcmp(name + length - 5, ".data") == 0)
      l->code.image.flags |= ((const struct cairn_image *)value_of(l, &all[i], NULL))->flags;
    if (ELF64_ST_TYPE(all[i].st_info) != STT_FUNC || !all[i].st_size || !l->place[all[i].st_shndx])
      continue;
    EXPECT(l->code.names.count < MAX_FUNCTIONS);
    l->functions[l->code.names.count++] =
        (struct cairn_code_function){(uintptr_t)value_of(l, &all[i], NULL), all[i].st_size, name};
  }
  l->code.names.origin = l->code.name;
  l->code.names.functions = l->functions;
  l->code.eh_frame = section_of(l, ".eh_frame", &bytes);
  l->code.eh_frame_size = bytes + 4;
}

void load(struct loaded *l, const char *path, void *(*find)(const char *name))
{
  memset(l, 0, sizeof *l);
  read_file(l, path);
  size_t slots = align(place(l, 0, 1), 64);
  l->code_bytes = align(slots + SLOTS * sizeof *l->slots, 4096);
  l->bytes = align(place(l, l->code_bytes, 0), 4096);
  l->memory = mmap(NULL, l->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT(l->memory != MAP_FAILED);
  l->slots = (struct slot *)(l->memory + slots);
  place(l, 0, 1);
  place(l, l->code_bytes, 0);
  relocate_all(l, find);
  EXPECT(mprotect(l->memory, l->code_bytes, PROT_READ | PROT_EXEC) == 0);
  describe(l, path);
}

void *address_of(const struct loaded *l, const char *name)
{
  size_t count;
  const Elf64_Sym *all = symbols(l, &count);

  for (size_t i = 1; i < count; i++)
    if (all[i].st_shndx != SHN_UNDEF && ELF64_ST_BIND(all[i].st_info) != STB_LOCAL &&
        strcmp(text_of(l, &all[i]), name) == 0)
      return value_of(l, &all[i], NULL);
  fprintf(stderr, "no symbol %s\n", name);
  abort();
}

unsigned char *section_of(const struct loaded *l, const char *name, size_t *bytes)
{
  for (unsigned i = 1; i < header(l)->e_shnum; i++)
    if (l->place[i] && strcmp(name_of(l, i), name) == 0) {
      *bytes = section(l, i)->sh_size;
      return (unsigned char *)l->place[i];
    }
  return NULL;
}

void unload(struct loaded *l)
{
  EXPECT(munmap(l->memory, l->bytes) == 0);
  free(l->file);
}
