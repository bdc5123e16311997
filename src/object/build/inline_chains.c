/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the source chains of safepoints. A chain has the function that contains the call in the source, then the
 * functions that this function was inlined into, up to the function that owns the frame. One walk visits the scopes of
 * the debug information from the outside in. Each scope takes the safepoints in its ranges from the enclosing scope, so
 * that each safepoint is finally in its innermost scope.
 *
 * The input may be hostile, so the walk ends for all answers of libdw. Runs after frames_build.c has found the
 * safepoints, and sets their sources. struct cn_inline_chains owns the strings.
 */
#include "object/build/frames_build.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "base/vector.h"
#include "object/dwarf/lines.h"

enum { NO_SCOPE = -1, MAX_DIE_DEPTH = 2000 };

/* A function, or a function inlined at one call. */
struct inline_scope {
  const char *name; /* or null */
  int parent;       /* index of the enclosing scope, or NO_SCOPE for a function with a frame */
  const char *call_file;
  uint32_t call_line, call_column;
  unsigned length; /* length of the chain from this scope on */
};

struct located_safepoint {
  uint64_t address; /* address of the call's last byte, because the next byte may belong to another function */
  struct cn_safepoint_details *detail;
  const char *symbol;
  int scope, unit; /* indices, or NO_SCOPE */
};

/* A unit of debug information. With split debug information, most of a unit is in another file. */
struct debug_unit {
  Dwarf_Die die, in_object;
};

struct cn_inline_chains {
  struct cn_debug debug;
  CN_VECTOR(struct located_safepoint) points; /* by address */
  CN_VECTOR(struct inline_scope) scopes;
  CN_VECTOR(struct debug_unit) units;
  size_t budget; /* remaining visits of entries, ranges and safepoints; see cn_inline_chains_find() */
};

/* ---- the scope of a safepoint ---- */

static size_t first_safepoint_at(const struct cn_inline_chains *s, uint64_t address)
{
  return s->points.count ? cn_sorted_count_below(&s->points.at->address, s->points.count, sizeof *s->points.at, address)
                         : 0;
}

static bool spend_budget(struct cn_inline_chains *s)
{
  return s->budget && s->budget--;
}

/* Move the safepoints in the entry's ranges from scope `from` to scope `to`, and record their unit. Returns the number
 * of safepoints. */
static size_t move_safepoints_to_scope(struct cn_inline_chains *s, Dwarf_Die *die, int unit, int from, int to)
{
  Dwarf_Addr base, start, end;
  ptrdiff_t at = 0;
  size_t taken = 0;

  while (spend_budget(s) && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
    for (size_t p = first_safepoint_at(s, start);
         spend_budget(s) && p < s->points.count && s->points.at[p].address < end; p++) {
      struct located_safepoint *point = &s->points.at[p];
      if (point->scope != from || (point->unit != NO_SCOPE && point->unit != unit))
        continue;
      point->unit = unit;
      point->scope = to;
      taken++;
    }
  return taken;
}

static uint32_t number_attribute_of(Dwarf_Die *die, unsigned name)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;

  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) || value > INT32_MAX)
    return 0;
  return (uint32_t)value;
}

/* The path relative to the compiler's working folder, or the complete path if the file is outside this folder. */
static const char *path_from_compile_folder(struct debug_unit *unit, const char *path)
{
  Dwarf_Attribute attribute;
  const char *folder = dwarf_formstring(dwarf_attr(&unit->in_object, DW_AT_comp_dir, &attribute));
  size_t length = folder ? strlen(folder) : 0;

  if (path && length && strncmp(path, folder, length) == 0 && (path[length] == '/' || folder[length - 1] == '/'))
    path += length + (path[length] == '/');
  while (path && path[0] == '.' && path[1] == '/')
    path += 2;
  return path;
}

static const char *call_file_of(struct debug_unit *unit, Dwarf_Die *die)
{
  Dwarf_Files *files;
  size_t count;
  uint32_t index = number_attribute_of(die, DW_AT_call_file);

  if (!dwarf_hasattr(die, DW_AT_call_file) || dwarf_getsrcfiles(&unit->die, &files, &count) || index >= count)
    return NULL;
  return path_from_compile_folder(unit, dwarf_filesrc(files, index, NULL, NULL));
}

static const char *function_name_of(Dwarf_Die *die)
{
  Dwarf_Attribute attribute;
  const char *name = dwarf_diename(die);

  return name ? name : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
}

/* The scope that `die` opens within `scope`; `scope` if `die` opens no scope; NO_SCOPE if the scope of `die` has no
 * safepoint. *inside says that `die` may contain further scopes. */
static int enter_inline_scope(struct cn_inline_chains *s, Dwarf_Die *die, int unit, int scope, bool *inside)
{
  int tag = dwarf_tag(die), opened = (int)s->scopes.count;
  bool inlined = tag == DW_TAG_inlined_subroutine;
  struct inline_scope made = {.parent = inlined ? scope : NO_SCOPE, .length = 1};

  CN_CHECK(scope == NO_SCOPE || (scope >= 0 && (size_t)scope < s->scopes.count));
  *inside = true;
  if (tag != DW_TAG_subprogram && !inlined)
    return scope;
  if (inlined && scope != NO_SCOPE)
    made.length += s->scopes.at[scope].length;
  *inside = made.length <= CN_MAX_VIRTUAL_FRAMES && s->scopes.count < INT32_MAX && (!inlined || scope != NO_SCOPE) &&
            move_safepoints_to_scope(s, die, unit, inlined ? scope : NO_SCOPE, opened) != 0;
  if (!*inside) {
    *inside = !inlined; /* some languages have nested functions */
    return NO_SCOPE;
  }
  made.name = function_name_of(die);
  if (inlined) {
    made.call_file = call_file_of(&s->units.at[unit], die);
    made.call_line = number_attribute_of(die, DW_AT_call_line);
    made.call_column = number_attribute_of(die, DW_AT_call_column);
  }
  cn_push(&s->scopes, made);
  return opened;
}

/* Visit the children of `parent`. The offset of the next child is input, so it must be larger than the previous one. */
static void visit_debug_entries(struct cn_inline_chains *s, Dwarf_Die *parent, int unit, int scope, unsigned depth)
{
  Dwarf_Die die, next;
  int status = depth < MAX_DIE_DEPTH ? dwarf_child(parent, &die) : 1;

  while (status == 0 && spend_budget(s)) {
    Dwarf_Off at = dwarf_dieoffset(&die);
    bool inside = false;
    int inner = enter_inline_scope(s, &die, unit, scope, &inside);
    if (inside && dwarf_haschildren(&die) > 0)
      visit_debug_entries(s, &die, unit, inner, depth + 1);
    status = dwarf_siblingof(&die, &next);
    if (status == 0 && dwarf_dieoffset(&next) <= at)
      return;
    die = next;
  }
}

static void visit_debug_units(struct cn_inline_chains *s)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t type;

  memset(&split, 0, sizeof split);
  while (dwarf_get_units(s->debug.dwarf, unit, &unit, NULL, &type, &die, &split) == 0 && spend_budget(s)) {
    bool is_split = type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
    int index = (int)s->units.count;
    cn_push(&s->units, (struct debug_unit){is_split ? split : die, die});
    move_safepoints_to_scope(s, &die, index, NO_SCOPE, NO_SCOPE);
    visit_debug_entries(s, &s->units.at[index].die, index, NO_SCOPE, 0);
    memset(&split, 0, sizeof split);
  }
}

/* ---- the chains ---- */

static void add_source_chain(struct cn_inline_chains *s, const struct located_safepoint *p)
{
  CN_CHECK(p->unit >= 0 && (size_t)p->unit < s->units.count);
  struct debug_unit *unit = &s->units.at[p->unit];
  Dwarf_Line *line = dwarf_getsrc_die(&unit->die, p->address);
  struct cn_source_place source = {.function = p->symbol};
  int number_of_line, column;

  if (line && dwarf_lineno(line, &number_of_line) == 0 && number_of_line > 0) {
    source.file = path_from_compile_folder(unit, dwarf_linesrc(line, NULL, NULL));
    source.line = (uint32_t)number_of_line;
    if (dwarf_linecol(line, &column) == 0 && column > 0)
      source.column = (uint32_t)column;
  }
  for (int i = p->scope; i != NO_SCOPE;) {
    const struct inline_scope *scope = &s->scopes.at[i];
    CN_CHECK(scope->parent < i); /* this check makes the chain finite */
    source.function = scope->name ? scope->name : scope->parent == NO_SCOPE ? p->symbol : "?";
    cn_push(&p->detail->sources, source);
    source = (struct cn_source_place){.file = scope->call_file, .line = scope->call_line, .column = scope->call_column};
    i = scope->parent;
  }
  if (p->scope == NO_SCOPE)
    cn_push(&p->detail->sources, source);
  CN_CHECK(p->detail->sources.count <= CN_MAX_VIRTUAL_FRAMES);
}

static int by_address(const void *x, const void *y)
{
  const struct located_safepoint *a = x, *b = y;

  return a->address < b->address ? -1 : a->address > b->address;
}

static void gather_safepoints(struct cn_inline_chains *s, const struct cn_elf_file *elf, const struct cn_frames *frames)
{
  for (size_t i = 0; i < frames->functions.count; i++) {
    const struct cn_map_function *f = &frames->functions.at[i];
    uint64_t entry = elf->sections[f->section].head.sh_addr + f->offset;
    for (size_t k = 0; k < f->safepoints.count; k++)
      cn_push(&s->points, (struct located_safepoint){.address = entry + f->safepoints.at[k].return_offset - 1,
                                                     .detail = &f->safepoints.at[k].detail,
                                                     .symbol = f->name,
                                                     .scope = NO_SCOPE,
                                                     .unit = NO_SCOPE});
  }
  if (s->points.count)
    qsort(s->points.at, s->points.count, sizeof *s->points.at, by_address);
}

struct cn_inline_chains *cn_inline_chains_find(struct cn_elf_file *elf, struct cn_frames *frames)
{
  struct cn_inline_chains *s = cn_alloc(sizeof *s);

  gather_safepoints(s, elf, frames);
  if (!s->points.count || !cn_debug_info_open(&s->debug, elf)) {
    cn_inline_chains_close(s);
    return NULL;
  }
  /* The limit handles hostile entries that all name one long list of ranges. */
  s->budget = elf->size > 1 << 26 ? elf->size : 1 << 26;
  visit_debug_units(s);
  for (size_t i = 0; i < s->points.count; i++)
    if (s->points.at[i].unit != NO_SCOPE)
      add_source_chain(s, &s->points.at[i]);
  return s;
}

void cn_inline_chains_close(struct cn_inline_chains *s)
{
  if (!s)
    return;
  cn_debug_info_close(&s->debug);
  cn_free(&s->points);
  cn_free(&s->scopes);
  cn_free(&s->units);
  free(s);
}
