/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins the stack maps and call-frame information of one object into the model of its frame maps. Checks each record
 * against the code: the record must give a function of the object, and either describe a point (points_build.c) or
 * give an offset in this function just after a call, and the frame size of the call-frame information. Also finds the
 * span table and the object's kind of barriers. Runs first when an object is rewritten; changes only addresses and
 * relocated sections of the private copy. Errors are returned as text. Holds no state.
 */
#include "object/build/instructions.h"
#include "object/build/frames_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/stackmap.h>
#include "base/check.h"
#include "base/kind_symbols.h"
#include "object/dwarf/cfi.h"
#include "object/dwarf/exception_tables.h"

/* The place of the address field of a call to address 0. */
struct null_call_target {
  uint32_t section;
  uint64_t offset;
};

struct frames_builder {
  struct cn_elf_file *elf;
  const struct cn_frame_port *port;
  const struct cn_instructions *instructions;
  struct cn_cfi *cfi;
  struct cn_exception_tables *exceptions;
  struct cn_frames *frames;
  CN_VECTOR(struct null_call_target) nulls;
  uint32_t spans;   /* number of entries of the span table */
  bool no_barriers; /* the object lacks the symbol that states its kind of barriers */
  char **error;
};

static int refuse_function(const struct frames_builder *b, const struct cn_map_function *f, uint32_t offset,
                           const char *why)
{
  return CN_FAIL(b->error, "in function '%s' at +0x%" PRIx32 ": %s", f->name, offset, why);
}

/* Find all relocations without a symbol, which are targets of calls to address 0. LLVM 22 emits a statepoint whose
 * callee returns a long double as two calls; the second goes to address 0 and has the record. */
static void find_null_call_targets(struct frames_builder *b)
{
  for (uint32_t i = 1; i < b->elf->section_count; i++) {
    const struct cn_elf_section *rela = &b->elf->sections[i];
    uint32_t code = rela->head.sh_info;
    if (rela->head.sh_type != SHT_RELA || code >= b->elf->section_count ||
        !(b->elf->sections[code].head.sh_flags & SHF_EXECINSTR))
      continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= rela->head.sh_size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, rela->data + at, sizeof r);
      if (ELF64_R_SYM(r.r_info) == 0 && ELF64_R_TYPE(r.r_info) != b->elf->port->none)
        cn_push(&b->nulls, (struct null_call_target){code, r.r_offset});
    }
  }
}

static bool is_call_to_null(const struct frames_builder *b, uint32_t section, uint64_t end)
{
  for (size_t i = 0; i < b->nulls.count; i++)
    if (b->nulls.at[i].section == section && b->nulls.at[i].offset + 4 == end)
      return true;
  return false;
}

/* A function's stack size by the stack map, and the result of its search in the call-frame information. */
struct function_stack_size {
  uint64_t bytes;
  enum { SIZE_UNTRIED, SIZE_FOUND, SIZE_MISSING } in_rows; /* of call-frame information */
};

/* Compare a frame whose address is based on the frame pointer with its stack size, where calls push nothing. The frame
 * pointer lies in the frame, and no place of the function has a larger frame. */
static bool fits_frame_pointer(const struct frames_builder *b, uint64_t start, uint64_t end,
                               struct function_stack_size *size, const struct cn_safepoint *frame)
{
  if (size->in_rows == SIZE_UNTRIED)
    size->in_rows = cn_cfi_largest_frame(b->cfi, start, end) <= size->bytes ? SIZE_FOUND : SIZE_MISSING;
  return (uint64_t)frame->cfa_offset <= size->bytes && size->in_rows == SIZE_FOUND;
}

/* Compare a function's stack size with its call-frame information. The stack size excludes pushed arguments and the
 * return address, and the frame address includes them. If calls push arguments, the two sizes may therefore differ at a
 * call, but must agree at some place of the function. */
static const char *check_stack_size(const struct frames_builder *b, const struct cn_map_function *f,
                                    struct function_stack_size *size, const struct cn_safepoint *frame)
{
  static const char differ[] = "stack map and call-frame information do not agree on its frame's size";
  uint64_t entry = b->elf->sections[f->section].head.sh_addr + f->offset, end = entry + f->code_size;
  bool sized = cn_port_is_sp(b->port, frame->cfa_reg);

  CN_CHECK(frame->cfa_offset >= 8); /* cn_cfi_read_row() has set the frame address */
  if (size->bytes == CAIRN_STACKMAP_UNKNOWN_SIZE)
    return sized ? b->port->unknown_size : NULL;
  if (size->bytes % 8 || size->bytes > INT32_MAX)
    return "its stack size is strange";
  uint64_t whole = size->bytes + b->port->pushed_bytes;
  if (-(int64_t)frame->return_address_offset > (int64_t)whole)
    return differ;
  for (unsigned i = 0; i < b->port->saved_count; i++)
    if ((frame->saved >> i & 1) && -(int64_t)frame->saved_offset[i] > (int64_t)whole)
      return differ;
  if (sized && (uint64_t)frame->cfa_offset == whole)
    return NULL;
  if (!b->port->pushed_bytes)
    return sized || !fits_frame_pointer(b, entry, end, size, frame) ? differ : NULL;
  if (!sized)
    return NULL;
  if (size->in_rows == SIZE_UNTRIED)
    size->in_rows = cn_cfi_has_frame_offset(b->cfi, entry, end, whole) ? SIZE_FOUND : SIZE_MISSING;
  return (uint64_t)frame->cfa_offset < whole || size->in_rows == SIZE_MISSING ? differ : NULL;
}

/* True for the calls of polls and allocations. */
static bool is_slow_path(uint64_t statepoint_id)
{
  return statepoint_id == CAIRN_ABI_STATEPOINT_ID_POLL || statepoint_id == CAIRN_ABI_STATEPOINT_ID_ALLOC;
}

static const char *build_safepoint(const struct frames_builder *b, const struct cn_map_function *f,
                                   struct function_stack_size *size, const struct cairn_stackmap *map,
                                   const struct cairn_stackmap_record *record, struct cn_map_safepoint *out)
{
  const struct cn_elf_section *code = &b->elf->sections[f->section];
  uint32_t offset = record->instruction_offset;

  CN_CHECK(code->data && f->offset + f->code_size <= code->head.sh_size);
  *out = (struct cn_map_safepoint){.return_offset = offset, .detail.return_offset = offset};
  if (offset == 0 || offset > f->code_size)
    return "the record lies outside the function";
  const unsigned char *entry = code->data + f->offset;
  unsigned length = b->instructions->call_length(entry, entry + offset);
  if (!length)
    length = b->instructions->nop_length(entry, entry + offset);
  if (!length)
    return "the record does not follow a call";
  if (is_call_to_null(b, f->section, f->offset + offset))
    return "the record follows a call to address 0 (LLVM miscompiles statepoints whose callee "
           "returns a long double)";
  /* Read the row of the call instruction, because the next instruction may already release the frame. */
  uint64_t end = code->head.sh_addr + f->offset + offset;
  const char *why = cn_cfi_read_row(b->cfi, end, length, &out->frame);
  if (!why)
    why = check_stack_size(b, f, size, &out->frame);
  if (!why)
    why = cn_exception_tables_find(b->exceptions, code->head.sh_addr + f->offset, end, &out->frame.landing);
  if (!why)
    why = cn_statepoint_roots_build(b->port, map, record, b->spans, out);
  if (is_slow_path(out->frame.id))
    out->frame.landing.barred = false; /* nothing throws there */
  return why;
}

static int find_function(const struct frames_builder *b, uint64_t address, struct cn_map_function *f)
{
  const struct cn_elf_file *elf = b->elf;
  const struct cn_elf_symbol *symbol = cn_elf_function_at(elf, address);
  uint32_t section = symbol ? symbol->section : cn_elf_section_at(elf, address);

  CN_ASSERT(elf->placed); /* the placement has given addresses to sections */
  if (!section || !elf->sections[section].data || !(elf->sections[section].head.sh_flags & SHF_EXECINSTR))
    return CN_FAIL(b->error, "a stack map names a function that is not in the object");
  uint64_t offset = address - elf->sections[section].head.sh_addr;
  if (!symbol || cn_elf_symbol_address(elf, symbol) != address || !symbol->sym.st_size)
    return CN_FAIL(b->error, "the function at %s+0x%" PRIx64 " has safepoints, but no symbol with a size",
                   elf->sections[section].name, offset);
  uint64_t room = elf->sections[section].head.sh_size;
  if (offset > room || symbol->sym.st_size > room - offset || symbol->sym.st_size > UINT32_MAX)
    return CN_FAIL(b->error, "function '%s' reaches beyond its section", symbol->name);
  *f = (struct cn_map_function){.port = b->port,
                                .name = symbol->name,
                                .section = section,
                                .offset = offset,
                                .code_size = (uint32_t)symbol->sym.st_size,
                                .no_barriers = b->no_barriers};
  const unsigned char *code = elf->sections[section].data + offset;
  const char *why = b->instructions->frame_refusal(code, code + f->code_size);
  return why ? CN_FAIL(b->error, "in function '%s': %s", f->name, why) : 0;
}

static int by_return_offset(const void *x, const void *y)
{
  const struct cn_map_safepoint *a = x, *b = y;

  return a->return_offset < b->return_offset ? -1 : a->return_offset > b->return_offset;
}

/* Add the point that the record describes, unless it is a fence or describes only deopt values. *has_safepoint becomes
 * false for the record of a stackmap or a patchpoint. */
static int add_point_of_record(const struct frames_builder *b, struct cn_map_function *f,
                               const struct cairn_stackmap *map, const struct cairn_stackmap_record *record,
                               bool *has_safepoint)
{
  const struct cn_elf_section *code = &b->elf->sections[f->section];
  struct cn_point_source source = {.map = map,
                                   .record = record,
                                   .cfi = b->cfi,
                                   .entry = code->data + f->offset,
                                   .address = code->head.sh_addr + f->offset};
  struct cairn_stackmap_point point;
  struct cairn_stackmap_statepoint statepoint;
  struct cairn_stackmap_error error;
  const char *why = NULL;

  enum cairn_status status = cairn_stackmap_point(map, record, &point, &error);
  *has_safepoint = status || point.kind == CAIRN_STACKMAP_PATCHABLE_STATEPOINT;
  if (!status && (point.kind == CAIRN_STACKMAP_FENCE || (*has_safepoint && !point.bytes)))
    return 0;
  if (!status)
    why = cn_point_build(&source, &point, f);
  else if (status != CAIRN_E_NOT_POINT)
    why = error.reason;
  else if (cairn_stackmap_statepoint(map, record, &statepoint, NULL) == CAIRN_E_NOT_STATEPOINT)
    why = "the record is of a stackmap or a patchpoint without the description that pass describe-points adds (compile "
          "with cairn-cc)";
  return why ? refuse_function(b, f, record->instruction_offset, why) : 0;
}

static int add_safepoint_of_record(const struct frames_builder *b, struct cn_map_function *f,
                                   struct function_stack_size *size, const struct cairn_stackmap *map,
                                   const struct cairn_stackmap_record *record)
{
  struct cn_map_safepoint safepoint;
  const char *why = build_safepoint(b, f, size, map, record, &safepoint);

  cn_push(&f->safepoints, safepoint);
  return why ? refuse_function(b, f, record->instruction_offset, why) : 0;
}

static int sort_and_check_places(const struct frames_builder *b, struct cn_map_function *f)
{
  if (f->safepoints.count > CN_FRAMEMAP_MAX_SAFEPOINTS)
    return CN_FAIL(b->error, "function '%s' has too many safepoints", f->name);
  if (f->safepoints.count)
    qsort(f->safepoints.at, f->safepoints.count, sizeof *f->safepoints.at, by_return_offset);
  for (size_t i = 1; i < f->safepoints.count; i++)
    if (f->safepoints.at[i].return_offset == f->safepoints.at[i - 1].return_offset)
      return refuse_function(b, f, f->safepoints.at[i].return_offset, "there are two records for one call");
  uint32_t offset;
  const char *why = cn_points_sort_and_check(f, &offset);
  return why ? refuse_function(b, f, offset, why) : 0;
}

static int add_record(const struct frames_builder *b, struct cn_map_function *f, struct function_stack_size *size,
                      const struct cairn_stackmap *map, const struct cairn_stackmap_record *record)
{
  bool has_safepoint;

  if (add_point_of_record(b, f, map, record, &has_safepoint))
    return -1;
  return has_safepoint ? add_safepoint_of_record(b, f, size, map, record) : 0;
}

static int check_fences(const struct frames_builder *b, const struct cn_map_function *f,
                        const struct cairn_stackmap *map, struct cairn_stackmap_cursor cursor, uint64_t records)
{
  uint32_t offset = 0;
  const char *why = b->instructions->fences_shadows && f->points.points.count
                        ? cn_points_check_fences(map, cursor, records, &offset)
                        : NULL;
  return why ? refuse_function(b, f, offset, why) : 0;
}

/* Read all functions of one stack map. The map's records are in the order of its functions. */
static int build_functions_of_map(const struct frames_builder *b, const struct cairn_stackmap *map)
{
  struct cairn_stackmap_cursor cursor = {0};

  for (uint32_t i = 0; i < map->functions; i++) {
    struct cairn_stackmap_function from = cairn_stackmap_function(map, i);
    struct function_stack_size size = {.bytes = from.stack_size};
    struct cn_map_function f = {0};
    struct cairn_stackmap_cursor start = cursor;
    struct cairn_stackmap_record record;
    int status = find_function(b, from.address, &f);
    for (uint64_t r = 0; !status && r < from.records && cairn_stackmap_next(map, &cursor, &record); r++) {
      CN_CHECK(record.function == i);
      status = add_record(b, &f, &size, map, &record);
    }
    if (!status)
      status = sort_and_check_places(b, &f);
    if (!status)
      status = check_fences(b, &f, map, start, from.records);
    cn_push(&b->frames->functions, f);
    if (status)
      return status;
  }
  return 0;
}

/* Find the span table, whose first entry has the number of entries. Stack maps name a span by its index in the module's
 * table, so a joined table is refused, because its indices are ambiguous. */
static void find_span_table(struct frames_builder *b)
{
  uint32_t section = cn_elf_find_section(b->elf, "cairn_spans", 0);
  const struct cn_elf_section *s = &b->elf->sections[section];
  struct cairn_span head;

  if (!section || cn_elf_find_section(b->elf, "cairn_spans", section + 1) || !s->data || s->head.sh_size < sizeof head)
    return;
  memcpy(&head, s->data, sizeof head);
  uint64_t count = s->head.sh_size / sizeof head;
  if (head.key != CAIRN_ABI_SPAN_MARK || head.integer != count || s->head.sh_size % sizeof head || count > UINT32_MAX)
    return;
  b->spans = (uint32_t)count;
  b->frames->span_table = section;
}

/* True if the object defines the symbol that states its kind of barriers. All objects from Cairn define this symbol,
 * even without barriers. */
static bool states_barriers(const struct cn_elf_file *elf)
{
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section && strcmp(elf->symbols[i].name, CN_BARRIERS_SYMBOL) == 0)
      return true;
  return false;
}

static int build_stack_map_section(const struct frames_builder *b, uint32_t section)
{
  const struct cn_elf_section *s = &b->elf->sections[section];
  struct cairn_stackmap map;
  struct cairn_stackmap_error bad;

  if (!s->data || !s->head.sh_size || (s->head.sh_flags & SHF_COMPRESSED))
    return CN_FAIL(b->error, ".llvm_stackmaps: the section has no contents that can be read");
  if (cn_elf_relocate_section(b->elf, section, b->error))
    return -1;
  for (size_t at = 0; at < s->head.sh_size; at += map.length) {
    if (cairn_stackmap_open(s->data + at, s->head.sh_size - at, &map, &bad) < 0)
      return CN_FAIL(b->error, ".llvm_stackmaps, offset %zu: %s", at + bad.offset, bad.reason);
    if (map.version == 1)
      return CN_FAIL(b->error, ".llvm_stackmaps: version 1 does not tell the function of a record");
    CN_CHECK(map.length > 0 && map.length <= s->head.sh_size - at);
    if (build_functions_of_map(b, &map))
      return -1;
  }
  return 0;
}

static int by_section_and_offset(const void *x, const void *y)
{
  const struct cn_map_function *a = x, *b = y;

  if (a->section != b->section)
    return a->section < b->section ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool is_same_map(const struct cn_map_function *a, const struct cn_map_function *b)
{
  struct cn_bytes x = {0}, y = {0};

  cn_framemap_append_function(&x, a);
  cn_framemap_append_function(&y, b);
  bool same =
      x.count == y.count && memcmp(x.at, y.at, x.count) == 0 && cn_details_are_same(a, b) && cn_points_are_same(a, b);
  cn_free(&x);
  cn_free(&y);
  return same;
}

/* Sort the functions. An object from `ld -r` has the stack map of a COMDAT function once for each copy of the function,
 * dropped copies included. Keep one map if all copies agree, else refuse the object. */
static int sort_unique_functions(const struct frames_builder *b)
{
  struct cn_frames *frames = b->frames;
  size_t kept = 0;

  if (frames->functions.count)
    qsort(frames->functions.at, frames->functions.count, sizeof *frames->functions.at, by_section_and_offset);
  for (size_t i = 0; i < frames->functions.count; i++) {
    struct cn_map_function *f = &frames->functions.at[i], *last = kept ? &frames->functions.at[kept - 1] : NULL;
    if (!last || by_section_and_offset(last, f) != 0) {
      frames->functions.at[kept++] = *f;
      continue;
    }
    if (!is_same_map(last, f))
      return CN_FAIL(b->error, "function '%s' has two stack maps that do not agree", f->name);
    cn_map_function_free(f);
  }
  frames->functions.count = kept;
  return 0;
}

static int build_frames(struct frames_builder *b)
{
  if (cn_elf_assign_addresses(b->elf, b->error) || cn_cfi_open(&b->cfi, b->elf, b->error) ||
      cn_exception_tables_open(&b->exceptions, b->elf, b->error))
    return -1;
  find_null_call_targets(b);
  find_span_table(b);
  b->no_barriers = !states_barriers(b->elf);
  uint32_t section = cn_elf_find_section(b->elf, ".llvm_stackmaps", 0);
  for (; section; section = cn_elf_find_section(b->elf, ".llvm_stackmaps", section + 1))
    if (build_stack_map_section(b, section))
      return -1;
  if (sort_unique_functions(b))
    return -1;
  b->frames->sources = cn_inline_chains_find(b->elf, b->frames);
  return 0;
}

int cn_frames_build(struct cn_elf_file *elf, struct cn_frames *frames, char **error)
{
  const struct cn_frame_port *port = elf->port->frames;
  struct frames_builder b = {
      .elf = elf, .port = port, .instructions = cn_instructions_of(port), .frames = frames, .error = error};

  *frames = (struct cn_frames){0};
  int status = build_frames(&b);
  if (!status)
    CN_ASSERT_VALID(cn_frames_wrong(elf, frames));
  cn_cfi_close(b.cfi);
  cn_exception_tables_close(b.exceptions);
  cn_free(&b.nulls);
  if (status)
    cn_frames_free(frames);
  return status;
}

void cn_frames_free(struct cn_frames *frames)
{
  for (size_t i = 0; i < frames->functions.count; i++)
    cn_map_function_free(&frames->functions.at[i]);
  cn_free(&frames->functions);
  cn_inline_chains_close(frames->sources);
  frames->sources = NULL;
}
