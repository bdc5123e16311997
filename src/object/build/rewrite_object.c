/* SPDX-License-Identifier: Apache-2.0
 *
 * Replaces the stack maps of a relocatable object by frame maps, details and points. Runs in `cairn frames`, the driver
 * and the library: reads the old object in memory, and returns the new one. Errors are returned as text. The state of a
 * run is in struct object_rewriter.
 *
 * Sections keep their indices: .llvm_stackmaps and its relocations become the first `cairn_frames` and its relocations;
 * further sections `cairn_frames` and all sections `cairn_details` and `cairn_points` are appended. The symbols, groups
 * and relocations of all other sections thus stay unchanged. Each new section is
 *   - SHF_LINK_ORDER, with its code section as sh_link: the linker drops both together (--gc-sections) and orders both
 *     in the same order;
 *   - in the COMDAT group of its code section, if there is one, so that the linker drops both when it keeps another
 *     copy;
 *   - relocated only by distances (pc32 of the port), against symbols of the object, so that images are free of
 *     dynamic relocations. The local symbol __LLVM_StackMaps becomes the (nameless) section symbol of the first
 *     `cairn_frames`.
 *
 * Sections that `ld -r` joined from the maps of several code sections are split in the same way: the joined section
 * becomes the first new section.
 *
 * The code gets a relocation without effect (see add_identity_hash()). The guard, which prevents the link of an object
 * without frame maps, is removed (drop_guard.c). Constructors move to sections that all linkers support
 * (image_structors.c). Empty sections make linkers define the bounds of all sections (elf_bounds.c).
 *
 * An object with layouts of another version is refused.
 *
 * The table of section names gets a string for each kind, such as ".relacairn_frames", whose suffix is the name of the
 * section itself.
 */
#include <cairn/object.h>

#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "object/build/rewrite_steps.h"
#include "object/build/frames_build.h"
#include "object/build/image_check.h"
#include "object/build/pieces.h"
#include "object/elf/elf_file.h"
#include "object/elf/elf_parts.h"

static const char rela_prefix[] = ".rela";
enum { RELA_PREFIX_LENGTH = sizeof rela_prefix - 1 };

struct object_rewriter {
  const unsigned char *old;
  struct cn_elf_file elf; /* the object with assigned addresses, whose headers and bytes have changed */
  struct cn_section_pieces pieces[CN_SECTION_KINDS];
  struct cn_section_parts parts;
  uint32_t slot, slot_rela, names;
  enum cn_kind slot_kind;
  uint32_t rela_names[CN_SECTION_KINDS];
  uint32_t *symbols; /* for each section, one of its symbols (find_section_symbols()) */
  bool in_memory;    /* for a loader instead of a linker: one section of each kind, without a tie to code */
  char **error;
};

static int find_replaced_section(struct object_rewriter *w, uint32_t slot, bool may_have_group)
{
  const struct cn_elf_file *elf = &w->elf;
  const char *name = elf->sections[slot].name;

  w->slot = slot;
  w->names = cn_elf_section_name_table(elf);
  if (elf->sections[slot].group && !may_have_group)
    return CN_FAIL(w->error, "section '%s' is in a section group", name);
  w->slot_rela = cn_elf_find_rela_section(elf, elf->sections[slot].relocations);
  if (cn_elf_find_rela_section(elf, elf->sections[w->slot_rela].next_relocations))
    return CN_FAIL(w->error, "section '%s' has its relocations in two places", name);
  /* Refuse a section that is also a table of the object, because the replacement would destroy the table. */
  if ((elf->sections[slot].data && elf->sections[slot].head.sh_type != SHT_PROGBITS) || w->names == slot ||
      (w->slot_rela && w->names == w->slot_rela))
    return CN_FAIL(w->error, "section '%s' is also another thing", name);
  return 0;
}

static void add_section_names(struct object_rewriter *w)
{
  struct cn_bytes *names = cn_part_make_writable(&w->parts.list.at[w->names]);

  for (unsigned kind = 0; kind < CN_SECTION_KINDS; kind++) {
    if (!w->pieces[kind].pieces.count && kind != w->slot_kind)
      continue;
    w->rela_names[kind] = (uint32_t)names->count;
    cn_bytes_append(names, rela_prefix, RELA_PREFIX_LENGTH);
    cn_bytes_append(names, cn_section_kind_names[kind], strlen(cn_section_kind_names[kind]) + 1);
  }
}

/* Find a local symbol of each section for relocations, or 0 if the section lacks a local symbol. Code has its section
 * symbol, because .eh_frame is relocated against this symbol. */
static void find_section_symbols(struct object_rewriter *w)
{
  w->symbols = cn_alloc(w->elf.section_count * sizeof *w->symbols);
  for (uint32_t i = w->elf.symbol_count; i-- > 1;) {
    const struct cn_elf_symbol *s = &w->elf.symbols[i];
    CN_ASSERT(s->section < w->elf.section_count);
    uint32_t *known = &w->symbols[s->section];
    if (ELF64_ST_BIND(s->sym.st_info) != STB_LOCAL || ELF64_ST_TYPE(s->sym.st_info) == STT_TLS)
      continue;
    if (ELF64_ST_TYPE(s->sym.st_info) == STT_SECTION || !*known ||
        ELF64_ST_TYPE(w->elf.symbols[*known].sym.st_info) != STT_SECTION)
      *known = i;
  }
}

static void add_to_section_group(struct object_rewriter *w, uint32_t group, uint32_t member)
{
  bool is_member = member < w->elf.section_count && w->elf.sections[member].group == group;

  CN_CHECK(group && group < w->elf.section_count && member < w->parts.list.count);
  if (!is_member)
    cn_bytes_append(cn_part_make_writable(&w->parts.list.at[group]), &member, sizeof member);
  w->parts.list.at[member].head.sh_flags |= SHF_GROUP;
}

static int add_relocation(struct object_rewriter *w, const struct cn_section_distance *d, uint64_t at,
                          struct cn_section_part *relocations)
{
  CN_CHECK(d->section < w->elf.section_count);
  uint32_t symbol = w->symbols[d->section];

  if (!symbol)
    return CN_FAIL(w->error, "section '%s' has no local symbol", w->elf.sections[d->section].name);
  Elf64_Rela r = {.r_offset = at,
                  .r_info = ELF64_R_INFO((uint64_t)symbol, w->elf.port->pc32),
                  .r_addend = (int64_t)(d->offset - w->elf.symbols[symbol].sym.st_value)};
  cn_bytes_append(&relocations->fresh, &r, sizeof r);
  return 0;
}

static void write_rela_header(struct object_rewriter *w, uint32_t target, uint32_t rela, uint32_t name)
{
  w->parts.list.at[rela].head = (Elf64_Shdr){.sh_name = name,
                                             .sh_type = SHT_RELA,
                                             .sh_flags = SHF_INFO_LINK,
                                             .sh_link = w->elf.symtab,
                                             .sh_info = target,
                                             .sh_addralign = 8,
                                             .sh_entsize = sizeof(Elf64_Rela)};
}

static void write_section_headers(struct object_rewriter *w, enum cn_kind kind, uint32_t section, uint32_t tied,
                                  uint32_t rela)
{
  CN_CHECK(w->rela_names[kind] && w->parts.list.at[tied].is_fresh);
  w->parts.list.at[tied].head = (Elf64_Shdr){.sh_name = w->rela_names[kind] + RELA_PREFIX_LENGTH,
                                             .sh_type = SHT_PROGBITS,
                                             .sh_flags = SHF_ALLOC | (section ? SHF_LINK_ORDER : 0u),
                                             .sh_link = section,
                                             .sh_addralign = 4};
  write_rela_header(w, tied, rela, w->rela_names[kind]);
  if (w->elf.sections[section].group) {
    add_to_section_group(w, w->elf.sections[section].group, tied);
    add_to_section_group(w, w->elf.sections[section].group, rela);
  }
}

/* Write the pieces [first, end), which all belong to one code section, as sections `tied` and `rela`. */
static int write_code_section_maps(struct object_rewriter *w, enum cn_kind kind, size_t first, size_t end,
                                   uint32_t tied, uint32_t rela)
{
  const struct cn_section_pieces *from = &w->pieces[kind];
  struct cn_section_part *part = &w->parts.list.at[tied], *relocations = &w->parts.list.at[rela];

  CN_CHECK(first < end && end <= from->pieces.count && tied != rela);
  CN_CHECK(part->is_fresh && part->fresh.count == 0);
  for (size_t i = first; i < end; i++) {
    const struct cn_section_piece *p = &from->pieces.at[i];
    size_t count;
    CN_CHECK(w->in_memory || p->section == from->pieces.at[first].section);
    const struct cn_section_distance *d = cn_pieces_distances_of(from, p, &count);
    for (size_t k = 0; k < count; k++)
      if (add_relocation(w, &d[k], part->fresh.count + (d[k].at - p->start), relocations))
        return -1;
    cn_bytes_append(&part->fresh, from->bytes.at + p->start, p->length);
  }
  write_section_headers(w, kind, w->in_memory ? 0 : from->pieces.at[first].section, tied, rela);
  return 0;
}

static bool has_identity_hash(const struct cn_elf_file *elf, const unsigned char *data, size_t size)
{
  Elf64_Rela r;

  for (size_t at = 0; at + sizeof r <= size; at += sizeof r) {
    memcpy(&r, data + at, sizeof r);
    if (r.r_info == ELF64_R_INFO(UINT64_C(0), elf->port->none) && r.r_addend)
      return true;
  }
  return false;
}

/* Give code a hash of all that its sections tell of it, as the addend of a relocation without effect, unless the code
 * has a hash. Linkers that fold identical code (--icf) compare only the bytes and relocations of code, and keep the map
 * of one function. Another function with equal code may have an integer in place of a reference, and would lose its
 * map. gold -r drops this relocation. */
static void add_identity_hash(struct object_rewriter *w, uint32_t section, uint64_t identity)
{
  Elf64_Rela r = {.r_info = ELF64_R_INFO(UINT64_C(0), w->elf.port->none), .r_addend = (int64_t)identity};
  uint32_t rela = cn_elf_find_rela_section(&w->elf, w->elf.sections[section].relocations);

  if (rela) {
    const struct cn_bytes *bytes = cn_part_make_writable(&w->parts.list.at[rela]);
    if (has_identity_hash(&w->elf, bytes->at, bytes->count))
      return;
  }
  if (!rela) {
    rela = cn_parts_add_section(&w->parts);
    write_rela_header(w, section, rela, w->rela_names[CN_SECTION_KIND_FRAMES]);
    if (w->elf.sections[section].group)
      add_to_section_group(w, w->elf.sections[section].group, rela);
  }
  cn_bytes_append(cn_part_make_writable(&w->parts.list.at[rela]), &r, sizeof r);
}

/* Add a hash for each code section with frame maps. The identity of a map from a stack map has all facts; that of a map
 * from a joined section has only the map, so the details and points, joined or not, are hashed, too. Source locations
 * then also keep code apart. */
static int add_identity_hashes(struct object_rewriter *w, bool joined)
{
  const struct cn_section_pieces *frames = &w->pieces[CN_SECTION_KIND_FRAMES];
  int status = 0;

  CN_ASSERT_VALID(cn_pieces_wrong(frames));
  if (!frames->pieces.count)
    return 0;
  uint64_t *identities = cn_alloc(w->elf.section_count * sizeof *identities);
  cn_pieces_hash(frames, 0, identities);
  for (unsigned kind = 0; kind < CN_SECTION_KINDS && joined && !status; kind++)
    if (kind != CN_SECTION_KIND_FRAMES)
      status = cn_pieces_hash_sections(&w->elf, (enum cn_kind)kind, identities, w->error);
  for (size_t i = 0; i < frames->pieces.count && !status; i++) {
    uint32_t section = frames->pieces.at[i].section;
    if (!i || frames->pieces.at[i - 1].section != section)
      add_identity_hash(w, section, identities[section]);
  }
  free(identities);
  return status;
}

/* Refuse code with a hash and without frame maps, because a tool has removed the maps or renamed their section. */
static int check_maps_present(const struct cn_elf_file *elf, char **error)
{
  bool *mapped = cn_alloc(elf->section_count * sizeof *mapped);
  uint32_t without = 0;

  for (uint32_t i = 0; (i = cn_elf_find_section(elf, cn_section_kind_names[CN_SECTION_KIND_FRAMES], i + 1)) != 0;)
    if (elf->sections[i].head.sh_link < elf->section_count)
      mapped[elf->sections[i].head.sh_link] = true;
  for (uint32_t i = 1; i < elf->section_count && !without; i++) {
    const struct cn_elf_section *rela = &elf->sections[cn_elf_find_rela_section(elf, elf->sections[i].relocations)];
    if (!mapped[i] && (elf->sections[i].head.sh_flags & SHF_EXECINSTR) && rela->data &&
        has_identity_hash(elf, rela->data, rela->head.sh_size))
      without = i;
  }
  free(mapped);
  return without ? CN_FAIL(error, "section '%s' has had frame maps, and its '%s' is gone", elf->sections[without].name,
                           cn_section_kind_names[CN_SECTION_KIND_FRAMES])
                 : 0;
}

/* Remove the slot's old contents. If there is no function, linkers omit the empty section. */
static void clear_replaced_section(struct object_rewriter *w)
{
  struct cn_section_part *slot = &w->parts.list.at[w->slot];

  CN_CHECK(w->slot && w->slot < w->elf.section_count && w->slot_rela < w->elf.section_count);
  slot->is_fresh = true;
  slot->head = (Elf64_Shdr){.sh_name = w->rela_names[w->slot_kind] + RELA_PREFIX_LENGTH,
                            .sh_type = SHT_PROGBITS,
                            .sh_flags = SHF_EXCLUDE,
                            .sh_addralign = 4};
  if (w->slot_rela) {
    w->parts.list.at[w->slot_rela].is_fresh = true;
    w->parts.list.at[w->slot_rela].head.sh_name = w->rela_names[w->slot_kind];
  }
}

static int write_maps_of_kind(struct object_rewriter *w, enum cn_kind kind)
{
  const struct cn_section_pieces *from = &w->pieces[kind];
  size_t count = from->pieces.count;

  for (size_t first = 0, end; first < count; first = end) {
    uint32_t section = from->pieces.at[first].section;
    for (end = first; end < count && (w->in_memory || from->pieces.at[end].section == section); end++)
      ;
    bool in_slot = first == 0 && kind == w->slot_kind && w->slot_rela;
    if (in_slot && w->elf.sections[w->slot].group && w->elf.sections[w->slot].group != w->elf.sections[section].group)
      return CN_FAIL(w->error, "section '%s' is in another section group than its code", cn_section_kind_names[kind]);
    uint32_t tied = in_slot ? w->slot : cn_parts_add_section(&w->parts);
    uint32_t rela = in_slot ? w->slot_rela : cn_parts_add_section(&w->parts);
    if (write_code_section_maps(w, kind, first, end, tied, rela))
      return -1;
  }
  return 0;
}

/* Replace local symbols in the slot by nameless section symbols, which linkers omit from their output. */
static void clear_replaced_symbols(struct object_rewriter *w)
{
  for (uint32_t i = 1; i < w->elf.symbol_count; i++) {
    const struct cn_elf_symbol *s = &w->elf.symbols[i];
    if (s->section != w->slot || ELF64_ST_BIND(s->sym.st_info) != STB_LOCAL)
      continue;
    Elf64_Sym sym = {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = s->sym.st_shndx};
    struct cn_bytes *symbols = cn_part_make_writable(&w->parts.list.at[w->elf.symtab]);
    CN_CHECK((i + UINT64_C(1)) * sizeof sym <= symbols->count);
    memcpy(symbols->at + i * sizeof sym, &sym, sizeof sym);
  }
}

static int encode_stack_maps(struct object_rewriter *w)
{
  struct cn_frames frames;

  if (cn_elf_find_section(&w->elf, ".llvm_stackmaps", w->slot + 1))
    return CN_FAIL(w->error, "more than one section .llvm_stackmaps");
  if (cn_frames_build(&w->elf, &frames, w->error))
    return -1;
  cn_pieces_encode(&w->pieces[CN_SECTION_KIND_FRAMES], &w->elf, &frames);
  cn_details_encode(&frames, &w->pieces[CN_SECTION_KIND_DETAILS]);
  cn_pieces_encode_points(&w->pieces[CN_SECTION_KIND_POINTS], &frames);
  cn_frames_free(&frames);
  return 0;
}

static int replace_maps(struct object_rewriter *w, uint32_t stack_maps, uint32_t mixed)
{
  if (find_replaced_section(w, stack_maps ? stack_maps : mixed, !stack_maps))
    return -1;
  if (stack_maps ? encode_stack_maps(w) : cn_pieces_split_section(&w->elf, mixed, &w->pieces[w->slot_kind], w->error))
    return -1;
  add_section_names(w);
  clear_replaced_section(w);
  find_section_symbols(w);
  for (unsigned kind = 0; kind < CN_SECTION_KINDS; kind++)
    if (write_maps_of_kind(w, (enum cn_kind)kind))
      return -1;
  clear_replaced_symbols(w);
  return w->in_memory ? 0 : add_identity_hashes(w, !stack_maps);
}

/* Have linkers drop the index of debug information. LLVM's C interface makes an index for each unit with DWARF 5, and
 * gdb 13 reads an index of one unit as that of the whole program. Debuggers make other indices themselves. */
static void exclude_debug_index(struct object_rewriter *w)
{
  for (uint32_t i = 0; (i = cn_elf_find_section(&w->elf, ".debug_names", i + 1)) != 0;)
    w->parts.list.at[i].head.sh_flags |= SHF_EXCLUDE;
}

static int rewrite_sections(struct object_rewriter *w, uint32_t stack_maps, uint32_t mixed)
{
  CN_CHECK(!stack_maps || !mixed);
  cn_parts_copy_sections(&w->parts, &w->elf, w->old);
  if (cn_wrapped_offsets_are_present(&w->elf))
    cn_wrapped_offsets_mend(&w->parts, &w->elf);
  if ((stack_maps || mixed) && replace_maps(w, stack_maps, mixed))
    return -1;
  cn_body_names_hide(&w->parts, &w->elf);
  if (!w->in_memory)
    exclude_debug_index(w);
  if (!w->in_memory && cn_structors_move_tables(&w->parts, &w->elf, w->error))
    return -1;
  if (!w->in_memory)
    cn_bounds_add_sections(&w->parts, &w->elf);
  return cn_guard_drop(&w->parts, &w->elf, w->error);
}

static uint32_t find_mixed_section(struct object_rewriter *w)
{
  for (unsigned kind = 0; kind < CN_SECTION_KINDS; kind++) {
    uint32_t mixed = cn_pieces_find_mixed_section(&w->elf, (enum cn_kind)kind);
    if (!mixed)
      continue;
    w->slot_kind = (enum cn_kind)kind;
    return mixed;
  }
  return 0;
}

/* Replace one section, move constructors, mend offsets, and remove the guard. *out stays null if nothing changes. */
static enum cairn_status rewrite_object_once(const void *bytes, size_t size, bool in_memory, void **out,
                                             size_t *out_size, char **error)
{
  struct object_rewriter w = {.old = bytes, .in_memory = in_memory, .error = error};

  if (cn_elf_open_for_port(&w.elf, bytes, size, error))
    return CAIRN_E_ELF;
  int status = w.elf.head.e_type == ET_REL ? 0 : CN_FAIL(error, "not a relocatable object");
  if (!status)
    status = cn_object_layouts_check(&w.elf, error);
  uint32_t stack_maps = cn_elf_find_section(&w.elf, ".llvm_stackmaps", 0);
  uint32_t mixed = stack_maps || in_memory ? 0 : find_mixed_section(&w);
  if (!status && !stack_maps && !mixed && !in_memory)
    status = check_maps_present(&w.elf, error) || cn_thunk_names_check(&w.elf, error) ? -1 : 0;
  bool old_structors = !in_memory && cn_structors_are_in_old_tables(&w.elf);
  bool is_wrapped = cn_wrapped_offsets_are_present(&w.elf);
  if (!status && (stack_maps || mixed || cn_guard_is_present(&w.elf) || old_structors || is_wrapped)) {
    status = rewrite_sections(&w, stack_maps, mixed);
    if (!status) {
      struct cn_bytes file = cn_parts_build_file(&w.parts, &w.elf.head);
      *out = file.at;
      *out_size = file.count;
    }
  }
  cn_parts_free(&w.parts);
  for (unsigned kind = 0; kind < CN_SECTION_KINDS; kind++)
    cn_pieces_free(&w.pieces[kind]);
  free(w.symbols);
  cn_elf_close(&w.elf);
  return status ? CAIRN_E_REFUSED : CAIRN_OK;
}

enum cairn_status cairn_object_rewrite(const void *bytes, size_t size, void **out, size_t *out_size, char **error)
{
  CN_CHECK(bytes || !size);
  *out = NULL;
  *out_size = 0;
  *error = NULL;
  enum cairn_status status = rewrite_object_once(bytes, size, false, out, out_size, error);
  while (!status && *out) {
    void *more = NULL;
    size_t more_size = 0;
    status = rewrite_object_once(*out, *out_size, false, &more, &more_size, error);
    if (!status && !more)
      return CAIRN_OK;
    free(*out);
    *out = more;
    *out_size = status ? 0 : more_size;
  }
  return status;
}

enum cairn_status cairn_object_rewrite_in_memory(const void *bytes, size_t size, ptrdiff_t mutator, void **out,
                                                 size_t *out_size, char **error)
{
  void *maps = NULL;
  size_t maps_size = 0;

  *out = NULL;
  *out_size = 0;
  *error = NULL;
  enum cairn_status status = rewrite_object_once(bytes, size, true, &maps, &maps_size, error);
  if (status == CAIRN_OK &&
      cn_elf_bind_object_symbols(maps ? maps : bytes, maps ? maps_size : size, mutator, out, out_size, error))
    status = CAIRN_E_REFUSED;
  free(maps);
  return status;
}
