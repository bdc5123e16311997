/* SPDX-License-Identifier: Apache-2.0
 *
 * Stack maps and what is made of them, read again in the plainest way, straight from LLVM's
 * documentation of the format: of src/object there is nothing here but the readers whose answers
 * are compared, about an input that was accepted. Another answer ends the program.
 */
#ifndef CN_FUZZ_NAIVE_H
#define CN_FUZZ_NAIVE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/stackmap.h>
#include "object/print/frames_view.h"

static inline void naive_agree(bool same, const char *what)
{
  if (!same) {
    fprintf(stderr, "read in two ways, and not the same: %s\n", what);
    abort();
  }
}

static inline uint64_t naive_number(const unsigned char *at, unsigned bytes)
{
  uint64_t value = 0;

  memcpy(&value, at, bytes);
  return value;
}

/* Where the parts of one map begin. */
struct naive_map {
  const unsigned char *start, *functions, *constants, *records;
  unsigned version;
  uint32_t function_count, constant_count, record_count;
};

struct naive_location {
  unsigned kind, size, reg;
  int32_t offset;
};

struct naive_record {
  uint64_t id;
  uint32_t offset;
  unsigned flags, location_count, live_out_count;
  const unsigned char *locations, *live_outs, *end;
};

static inline struct naive_map naive_open(const unsigned char *at)
{
  struct naive_map m = {.start = at, .version = at[0], .functions = at + 16};

  m.function_count = (uint32_t)naive_number(at + 4, 4);
  m.constant_count = (uint32_t)naive_number(at + 8, 4);
  m.record_count = (uint32_t)naive_number(at + 12, 4);
  m.constants = m.functions + (m.version == 1 ? 16 : 24) * (size_t)m.function_count;
  m.records = m.constants + 8 * (size_t)m.constant_count;
  return m;
}

static inline const unsigned char *naive_align(const struct naive_map *m, const unsigned char *at)
{
  return at + (8 - (size_t)(at - m->start) % 8) % 8;
}

static inline struct naive_record naive_record(const struct naive_map *m, const unsigned char *at)
{
  struct naive_record r = {.id = naive_number(at, 8),
                           .offset = (uint32_t)naive_number(at + 8, 4),
                           .flags = (unsigned)naive_number(at + 12, 2),
                           .location_count = (unsigned)naive_number(at + 14, 2),
                           .locations = at + 16};

  at = naive_align(m, at + 16 + (m->version == 3 ? 12 : 8) * r.location_count);
  r.live_out_count = (unsigned)naive_number(at + 2, 2);
  r.live_outs = at + 4;
  r.end = naive_align(m, r.live_outs + 4 * r.live_out_count);
  return r;
}

static inline struct naive_location naive_location(const struct naive_map *m, const struct naive_record *r,
                                                   unsigned index)
{
  const unsigned char *at = r->locations + (m->version == 3 ? 12 : 8) * index;

  if (m->version == 3)
    return (struct naive_location){at[0], (unsigned)naive_number(at + 2, 2), (unsigned)naive_number(at + 4, 2),
                                   (int32_t)naive_number(at + 8, 4)};
  return (struct naive_location){at[0], at[1], (unsigned)naive_number(at + 2, 2), (int32_t)naive_number(at + 4, 4)};
}

/* The value of a constant, from the pool or not. */
static inline uint64_t naive_value(const struct naive_map *m, struct naive_location l)
{
  return l.kind == 5 ? naive_number(m->constants + 8 * (size_t)(uint32_t)l.offset, 8) : (uint64_t)(int64_t)l.offset;
}

/* ---- the decoder of include/cairn/stackmap.h ---- */

static inline void naive_check_record(const struct naive_map *m, const struct naive_record *r,
                                      const struct cairn_stackmap *map, const struct cairn_stackmap_record *record)
{
  naive_agree(r->id == record->id && r->offset == record->instruction_offset && r->flags == record->flags &&
                  r->location_count == record->locations && r->live_out_count == record->live_outs,
              "a record");
  for (unsigned i = 0; i < r->location_count; i++) {
    struct naive_location l = naive_location(m, r, i);
    struct cairn_stackmap_location k = cairn_stackmap_location(map, record, i);
    bool constant = l.kind >= 4;
    naive_agree((constant ? 4 : l.kind) == (unsigned)k.kind && (l.kind == 5) == k.pooled && l.size == k.size &&
                    l.reg == k.reg && l.offset == k.offset && (!constant || naive_value(m, l) == k.value),
                "a location");
  }
  for (unsigned i = 0; i < r->live_out_count; i++) {
    struct cairn_stackmap_live_out out = cairn_stackmap_live_out(map, record, i);
    const unsigned char *at = r->live_outs + 4 * i;
    naive_agree(naive_number(at, 2) == out.reg && at[3] == out.size, "a live-out");
  }
}

/* A map that was accepted. */
static inline void naive_check_map(const struct cairn_stackmap *map)
{
  struct naive_map m = naive_open(map->bytes);
  const unsigned char *at = m.records, *function = m.functions;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;

  naive_agree(m.version == map->version && m.function_count == map->functions && m.constant_count == map->constants &&
                  m.record_count == map->records,
              "the header");
  for (uint32_t i = 0; i < m.function_count; i++, function += m.version == 1 ? 16 : 24) {
    struct cairn_stackmap_function f = cairn_stackmap_function(map, i);
    naive_agree(f.address == naive_number(function, 8) && f.stack_size == naive_number(function + 8, 8) &&
                    (m.version == 1 || f.records == naive_number(function + 16, 8)),
                "a function");
  }
  while (cairn_stackmap_next(map, &cursor, &record)) {
    struct naive_record r = naive_record(&m, at);
    naive_check_record(&m, &r, map, &record);
    at = r.end;
  }
  naive_agree(at == m.start + map->length, "the length");
}

/* ---- the rewriter ---- */

/* An object's section of stack maps, its relocations and their symbols. */
struct naive_object {
  const unsigned char *file, *maps;
  Elf64_Shdr head, rela, symbols;
};

static inline Elf64_Shdr naive_head(const unsigned char *file, size_t index)
{
  Elf64_Ehdr ehdr;
  Elf64_Shdr head;

  memcpy(&ehdr, file, sizeof ehdr);
  memcpy(&head, file + ehdr.e_shoff + index * sizeof head, sizeof head);
  return head;
}

/* Of a file that the rewriter took. False: it has none, or is one of the odd ones that are left to
 * other checks: with relocations in several places. */
static inline bool naive_find(const unsigned char *file, uint32_t section, struct naive_object *o)
{
  unsigned found = 0;
  Elf64_Ehdr ehdr;

  memcpy(&ehdr, file, sizeof ehdr);
  *o = (struct naive_object){.file = file, .head = naive_head(file, section)};
  o->maps = file + o->head.sh_offset;
  for (uint32_t i = 1; i < ehdr.e_shnum; i++) {
    Elf64_Shdr head = naive_head(file, i);
    if (head.sh_type == SHT_RELA && head.sh_info == section) {
      o->rela = head;
      o->symbols = naive_head(file, head.sh_link);
      found++;
    }
  }
  return found == 1;
}

/* Are all relocations of the maps those of functions' addresses, one each? Then the bytes of the
 * section are what the rewriter read, the addresses apart. */
static inline bool naive_is_plain(const struct naive_object *o, const struct naive_map *m)
{
  size_t first = (size_t)(m->functions - o->maps), count = o->rela.sh_size / sizeof(Elf64_Rela);

  for (size_t i = 0; i < count; i++) {
    Elf64_Rela r;
    memcpy(&r, o->file + o->rela.sh_offset + i * sizeof r, sizeof r);
    if (ELF64_R_TYPE(r.r_info) != R_X86_64_64 || r.r_offset != first + 24 * i)
      return false;
  }
  return count == m->function_count;
}

/* Where function `index` is; false: in no section that its symbol names plainly. */
static inline bool naive_place(const struct naive_object *o, uint32_t index, uint32_t *section, uint64_t *offset)
{
  Elf64_Rela r;
  Elf64_Sym symbol;

  memcpy(&r, o->file + o->rela.sh_offset + index * sizeof r, sizeof r);
  memcpy(&symbol, o->file + o->symbols.sh_offset + ELF64_R_SYM(r.r_info) * sizeof symbol, sizeof symbol);
  *section = symbol.st_shndx;
  *offset = symbol.st_value + (uint64_t)r.r_addend;
  return ELF64_R_SYM(r.r_info) && *section != SHN_UNDEF && *section < SHN_LORESERVE &&
         *offset < naive_head(o->file, *section).sh_size;
}

static inline bool naive_same_place(struct cn_frame_place a, struct naive_location b)
{
  return a.is_register == (b.kind == 1) && a.reg == b.reg && a.offset == b.offset;
}

/* Is the place a root of the safepoint? */
static inline bool naive_is_root(struct cn_safepoint s, struct naive_location l)
{
  struct cn_root root;

  while (!cn_framemap_next_root(&s, &root))
    if (naive_same_place(root.derived, l))
      return true;
  return false;
}

static inline bool naive_is_pair(const struct naive_map *m, const struct naive_record *r, unsigned first, unsigned end,
                                 const struct cn_root *root)
{
  for (unsigned i = first; i < end; i += 2) {
    struct naive_location base = naive_location(m, r, i), derived = naive_location(m, r, i + 1);
    if (naive_same_place(root->base, base) && (root->is_derived ? naive_same_place(root->derived, derived) : true))
      return true;
  }
  return false;
}

/* All that the statepoint lists is a root, and every root is listed. */
static inline void naive_check_roots(const struct naive_map *m, const struct naive_record *r, struct cn_safepoint s)
{
  unsigned first = 3 + (unsigned)naive_value(m, naive_location(m, r, 2)), end = r->location_count;
  struct cn_safepoint at = s;
  struct cn_root root;

  for (unsigned i = first; i < end; i += 2) {
    struct naive_location base = naive_location(m, r, i), derived = naive_location(m, r, i + 1);
    if (base.kind >= 4)
      continue;
    naive_agree(naive_is_root(s, base), "a base that is no root");
    naive_agree(derived.kind >= 4 || naive_is_root(s, derived), "a reference that is no root");
  }
  while (!cn_framemap_next_root(&at, &root))
    naive_agree(naive_is_pair(m, r, first, end, &root), "a root that was none");
}

/* The record's safepoint among those of the function in [section + offset). */
static inline void naive_check_safepoint(const struct cn_frames_view *view, uint32_t section, uint64_t offset,
                                         const struct naive_map *m, const struct naive_record *r)
{
  uint64_t address = view->elf.sections[section].head.sh_addr + offset;
  struct cn_safepoint s;
  uint32_t found;

  for (size_t i = 0; i < view->functions.count; i++) {
    const struct cn_framemap_function *f = &view->functions.at[i].map;
    for (uint32_t k = 0; view->functions.at[i].address == address && k < f->safepoints; k++)
      if (!cn_framemap_read_return_offset(f, k, &found) && found == r->offset &&
          !cn_framemap_read_safepoint(f, k, &s)) {
        naive_agree(s.id == r->id, "a safepoint's number");
        naive_check_roots(m, r, s);
        return;
      }
  }
  naive_agree(false, "a record without a safepoint");
}

/* The location of the mark before the description of a point; false: the record has none. */
static inline bool naive_find_mark(const struct naive_map *m, const struct naive_record *r, unsigned *mark)
{
  for (*mark = 0; *mark < r->location_count; ++*mark) {
    struct naive_location l = naive_location(m, r, *mark);
    if (l.kind >= 4 && naive_value(m, l) == CAIRN_ABI_POINT_MARK)
      return true;
  }
  return false;
}

/* Is it the value that location `place` has by the class word `class`? */
static inline bool naive_same_value(const struct cn_point_value *v, const struct naive_map *m,
                                    struct naive_location place, uint64_t class)
{
  static const unsigned kinds[] = {CN_POINT_CONSTANT, CN_POINT_REGISTER, CN_POINT_ADDRESS, CN_POINT_MEMORY};
  unsigned bits = (unsigned)(class >> 8);

  if (v->value_class != (class & 0xff) || v->bits != bits)
    return false;
  if (v->value_class == CN_POINT_UNDEFINED || place.kind >= 4)
    return v->kind == CN_POINT_CONSTANT && v->constant == (place.kind >= 4 && v->value_class != CN_POINT_UNDEFINED
                                                               ? naive_value(m, place) << (64 - bits) >> (64 - bits)
                                                               : 0);
  return (unsigned)v->kind == kinds[place.kind] && naive_same_place(v->loc, place);
}

/* Is it the point of the record, whose description begins at location `mark`? */
static inline bool naive_same_point(struct cn_point p, const struct naive_map *m, const struct naive_record *r,
                                    unsigned mark)
{
  uint64_t word = naive_value(m, naive_location(m, r, mark + 1)),
           bytes = naive_value(m, naive_location(m, r, mark + 2));
  bool state = (word & 0xff) == CAIRN_ABI_POINT_STATEPOINT;
  unsigned first = state ? 3 : 0;
  struct cn_point_value value;
  struct cn_point_live_out out;

  if (p.kind != (word & 0xff) || p.id != r->id || p.length != bytes || p.start + (state ? bytes : 0) != r->offset ||
      p.convention != (word >> 8 & 0xffffff) || p.values != mark - first || p.live_outs != r->live_out_count)
    return false;
  for (unsigned i = first; i < mark; i++)
    if (cn_points_next_value(&p, &value) ||
        !naive_same_value(&value, m, naive_location(m, r, i),
                          naive_value(m, naive_location(m, r, mark + 4 + i - first))))
      return false;
  for (unsigned i = 0; i < r->live_out_count; i++)
    if (cn_points_next_live_out(&p, &out) || out.reg != naive_number(r->live_outs + 4 * i, 2) ||
        out.size != r->live_outs[4 * i + 3])
      return false;
  return true;
}

/* The record's point among those of the function in [section + offset). */
static inline void naive_check_point(const struct cn_frames_view *view, uint32_t section, uint64_t offset,
                                     const struct naive_map *m, const struct naive_record *r, unsigned mark)
{
  uint64_t address = view->elf.sections[section].head.sh_addr + offset;
  struct cn_point point;

  for (size_t i = 0; i < view->functions.count; i++) {
    const struct cn_points_function *f = &view->functions.at[i].points;
    for (uint32_t k = 0; view->functions.at[i].address == address && k < f->points; k++)
      if (!cn_points_read_point(f, k, &point) && naive_same_point(point, m, r, mark))
        return;
  }
  naive_agree(false, "a record without its point");
}

/* What the rewriter made, `view`, of the stack maps in section `section` of the object `file`,
 * which it took. How many records were compared. */
static inline unsigned naive_check_rewritten(const unsigned char *file, uint32_t section,
                                             const struct cn_frames_view *view)
{
  struct naive_object o;
  unsigned compared = 0;

  if (!naive_find(file, section, &o))
    return 0;
  struct naive_map m = naive_open(o.maps);
  if (m.version == 1 || !naive_is_plain(&o, &m))
    return 0;
  const unsigned char *at = m.records;
  for (uint32_t i = 0; i < m.function_count; i++) {
    uint32_t home;
    uint64_t offset, records = naive_number(m.functions + 24 * (size_t)i + 16, 8);
    if (!naive_place(&o, i, &home, &offset))
      return compared;
    for (uint64_t k = 0; k < records; k++, compared++) {
      struct naive_record r = naive_record(&m, at);
      unsigned mark;
      bool point = naive_find_mark(&m, &r, &mark);
      if (point)
        naive_check_point(view, home, offset, &m, &r, mark);
      if (!point || naive_value(&m, naive_location(&m, &r, mark + 1)) % 256 == CAIRN_ABI_POINT_STATEPOINT)
        naive_check_safepoint(view, home, offset, &m, &r);
      at = r.end;
    }
  }
  return compared;
}

#endif
