/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds an object's frame maps in another runtime's format: reads the maps, lets the format's writer make the bytes, and
 * appends a section with its relocations and its symbol. Runs in `cairn frames`; the old object stays unchanged. The
 * state of a run is in struct cn_export. Errors are returned as text.
 */
#include "object/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/elf/elf_parts.h"

/* ---- reading safepoints ---- */

struct cn_export_safepoint cn_export_read_safepoint(const struct cn_frames_function *function, uint32_t index)
{
  struct cn_export_safepoint s = {.function = function};

  CN_ASSERT(index < function->map.safepoints);
  if (cn_framemap_read_return_offset(&function->map, index, &s.return_offset) ||
      cn_framemap_read_safepoint(&function->map, index, &s.frame))
    CN_UNREACHABLE(); /* cn_frames_view_open() has already read the safepoint */
  CN_ASSERT(s.return_offset <= function->map.code_size);
  return s;
}

int cn_export_refuse(struct cn_export *export, const struct cn_export_safepoint *safepoint, const char *reason)
{
  const char *name = safepoint->function->name;

  return CN_FAIL(export->error, "function '%s', +0x%" PRIx32 ": %s", name ? name : "?", safepoint->return_offset,
                 reason);
}

enum { MAX_ROOTS = 16384 }; /* of one safepoint, from areas; other formats count in 16 bits */

static int visit_area(struct cn_export *export, const struct cn_export_safepoint *safepoint,
                      const struct cn_described_area *area, cn_export_root_visitor *visit, void *env)
{
  if (area->tag)
    return cn_export_refuse(export, safepoint, "a word of the language's own form has no place in this format");
  if (area->count > MAX_ROOTS || (area->count > 1 && area->stride > INT32_MAX / MAX_ROOTS))
    return cn_export_refuse(export, safepoint, "an area has too many references for this format");
  for (uint64_t i = 0; i < area->count; i++) {
    int64_t offset = area->offset + (int64_t)(area->ref_offset + i * area->stride);
    struct cn_frame_place place = {.reg = area->reg, .offset = (int32_t)offset};
    if (offset > INT32_MAX)
      return cn_export_refuse(export, safepoint, "an area has too many references for this format");
    if (visit(env, &(struct cn_root){.base = place, .derived = place}))
      return -1;
  }
  return 0;
}

int cn_export_visit_roots(struct cn_export *export, struct cn_export_safepoint *safepoint,
                          cn_export_root_visitor *visit, void *env)
{
  struct cn_root root;
  struct cn_described_area area;

  while (!cn_framemap_next_root(&safepoint->frame, &root))
    if (visit(env, &root))
      return -1;
  while (!cn_framemap_next_area(&safepoint->frame, &area))
    if (visit_area(export, safepoint, &area, visit, env))
      return -1;
  return 0;
}

/* ---- the new section ---- */

/* A local symbol of the section, or 0. */
static uint32_t find_section_symbol(const struct cn_elf_file *elf, uint32_t section)
{
  uint32_t found = 0;

  CN_ASSERT(section && section < elf->section_count);
  for (uint32_t i = 1; i < elf->symbol_count; i++) {
    const struct cn_elf_symbol *s = &elf->symbols[i];
    if (s->section != section || ELF64_ST_BIND(s->sym.st_info) != STB_LOCAL || ELF64_ST_TYPE(s->sym.st_info) == STT_TLS)
      continue;
    if (!found || ELF64_ST_TYPE(s->sym.st_info) == STT_SECTION)
      found = i;
  }
  return found;
}

static int append_relocations(struct cn_export *export, const struct cn_elf_file *elf, struct cn_bytes *out)
{
  for (size_t i = 0; i < export->addresses.count; i++) {
    const struct cn_export_address *a = &export->addresses.at[i];
    uint32_t section = a->function->section, symbol = section ? find_section_symbol(elf, section) : 0;
    const char *name = a->function->name ? a->function->name : "?";
    CN_CHECK(section < elf->section_count && a->at + sizeof(uint64_t) <= export->bytes.count);
    if (!symbol)
      return CN_FAIL(export->error, "function '%s': its section has no local symbol", name);
    if (elf->sections[section].group)
      return CN_FAIL(export->error, "function '%s' is in a section group: the linker may keep another copy", name);
    uint64_t within = a->function->address - export->view.elf.sections[section].head.sh_addr + a->offset;
    Elf64_Rela r = {.r_offset = a->at,
                    .r_info = ELF64_R_INFO((uint64_t)symbol, elf->port->word),
                    .r_addend = (int64_t)(within - elf->symbols[symbol].sym.st_value)};
    cn_bytes_append(out, &r, sizeof r);
  }
  return 0;
}

static int add_symbol(struct cn_export *export, const struct cn_elf_file *elf, struct cn_section_parts *parts,
                      uint32_t section, const char *name)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (strcmp(elf->symbols[i].name, name) == 0 && ELF64_ST_BIND(elf->symbols[i].sym.st_info) != STB_LOCAL)
      return CN_FAIL(export->error, "the object already has a symbol '%s'", name);
  if (section >= SHN_LORESERVE)
    return CN_FAIL(export->error, "the object has too many sections");
  struct cn_section_part *table = &parts->list.at[elf->symtab];
  Elf64_Sym symbol = {.st_name = cn_part_add_string(&parts->list.at[table->head.sh_link], name),
                      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                      .st_other = STV_DEFAULT,
                      .st_shndx = (Elf64_Half)section,
                      .st_size = export->bytes.count};
  cn_bytes_append(cn_part_make_writable(table), &symbol, sizeof symbol);
  return 0;
}

/* Append the section, its relocations and its symbol. */
static int add_section(struct cn_export *export, const struct cn_elf_file *elf, struct cn_section_parts *parts,
                       const char *name, const char *symbol)
{
  uint32_t section = cn_parts_add_section(parts), rela = cn_parts_add_section(parts);
  struct cn_section_part *names = &parts->list.at[cn_elf_section_name_table(elf)];
  char *rela_name = cn_format(".rela%s", name);
  uint32_t name_at = cn_part_add_string(names, rela_name);

  free(rela_name);
  CN_CHECK(export->bytes.count && rela == section + 1);
  CN_CHECK(elf->symtab && elf->sections[elf->symtab].head.sh_link < elf->section_count);
  parts->list.at[section].head = (Elf64_Shdr){.sh_name = name_at + (uint32_t)sizeof ".rela" - 1,
                                              .sh_type = SHT_PROGBITS,
                                              .sh_flags = SHF_ALLOC | SHF_WRITE,
                                              .sh_addralign = 8};
  cn_bytes_append(&parts->list.at[section].fresh, export->bytes.at, export->bytes.count);
  parts->list.at[rela].head = (Elf64_Shdr){.sh_name = name_at,
                                           .sh_type = SHT_RELA,
                                           .sh_flags = SHF_INFO_LINK,
                                           .sh_link = elf->symtab,
                                           .sh_info = section,
                                           .sh_addralign = 8,
                                           .sh_entsize = sizeof(Elf64_Rela)};
  if (append_relocations(export, elf, &parts->list.at[rela].fresh))
    return -1;
  return symbol ? add_symbol(export, elf, parts, section, symbol) : 0;
}

/* ---- the object ---- */

static int write_object(struct cn_export *export, const void *bytes, size_t size, const char *name, const char *symbol,
                        struct cn_bytes *file)
{
  struct cn_section_parts parts = {0};
  struct cn_elf_file elf;

  if (cn_elf_open_for_port(&elf, bytes, size, export->error))
    return -1;
  cn_parts_copy_sections(&parts, &elf, bytes);
  int status = elf.symtab ? add_section(export, &elf, &parts, name, symbol)
                          : CN_FAIL(export->error, "the object has no symbols");
  if (!status)
    *file = cn_parts_build_file(&parts, &elf.head);
  cn_parts_free(&parts);
  cn_elf_close(&elf);
  return status;
}

enum cairn_status cn_export_frames(const void *bytes, size_t size, enum cn_export_format format, const char *symbol,
                                   void **out, size_t *out_size, char **error)
{
  struct cn_export export = {.error = error};
  struct cn_bytes file = {0};
  bool ocaml = format == CN_EXPORT_OCAML;

  *out = NULL;
  *out_size = 0;
  *error = NULL;
  if (cn_frames_view_open(&export.view, bytes, size, error))
    return CAIRN_E_ELF;
  int status = export.view.elf.head.e_type == ET_REL ? 0 : CN_FAIL(error, "not a relocatable object");
  if (!status)
    status = ocaml ? cn_export_write_ocaml(&export) : cn_export_write_stackmap(&export);
  if (!status)
    status = write_object(&export, bytes, size, ocaml ? ".data.caml_frametable" : ".llvm_stackmaps", symbol, &file);
  cn_free(&export.bytes);
  cn_free(&export.addresses);
  cn_frames_view_close(&export.view);
  *out = file.at;
  *out_size = file.count;
  return status ? CAIRN_E_REFUSED : CAIRN_OK;
}
