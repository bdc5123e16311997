/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the frame maps, details and points of a file with the runtime's readers, joins and checks them, and names the
 * entries of the span table. Runs before maps are printed or counted; the file stays unchanged. struct cn_frames_view
 * holds all state: a private copy of the file, and the tables. Errors are returned as text.
 */
#include "object/print/frames_view.h"

#include <cairn/collector.h>
#include <cairn/stackmap.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sorted.h"
#include "object/build/rewrite_steps.h"

const char *cn_frames_register_name(const struct cn_frame_port *port, unsigned dwarf, char *buffer)
{
  const char *name = cairn_stackmap_register_name(port->elf_machine, dwarf);

  if (name)
    return name;
  snprintf(buffer, 16, "r#%u", dwarf);
  return buffer;
}

/* ---- checks ---- */

static int check_frame_map(const struct cn_framemap_function *f)
{
  for (uint32_t i = 0; i < f->safepoints; i++) {
    struct cn_safepoint s;
    struct cn_root root;
    struct cn_described_area area;
    uint32_t offset;
    int status = cn_framemap_read_return_offset(f, i, &offset);
    if (!status)
      status = cn_framemap_read_safepoint(f, i, &s);
    while (!status && !(status = cn_framemap_next_root(&s, &root)))
      ;
    while (status == CN_FRAMEMAP_NONE && !(status = cn_framemap_next_area(&s, &area)))
      status = CN_FRAMEMAP_NONE;
    if (status == CN_FRAMEMAP_BAD)
      return status;
  }
  return CN_FRAMEMAP_OK;
}

static int check_details(const struct cn_details_function *f)
{
  for (uint32_t i = 0; i < f->safepoints; i++) {
    struct cn_details d;
    struct cn_source_place source;
    struct cn_deopt_value deopt;
    struct cn_span_use span;
    uint32_t offset;
    if (cn_details_read_return_offset(f, i, &offset) || cn_details_find(f, offset, &d))
      return CN_FRAMEMAP_BAD;
    int status;
    while (!(status = cn_details_next_source(&d, &source)))
      ;
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_deopt(&d, &deopt)))
      status = CN_FRAMEMAP_NONE;
    while (status == CN_FRAMEMAP_NONE && !(status = cn_details_next_span_use(&d, &span)))
      status = CN_FRAMEMAP_NONE;
    if (status == CN_FRAMEMAP_BAD)
      return status;
  }
  return CN_FRAMEMAP_OK;
}

static int check_points(const struct cn_points_function *f)
{
  for (uint32_t i = 0; i < f->points; i++) {
    struct cn_point point;
    struct cn_point_value value;
    struct cn_point_live_out live_out;
    int status = cn_points_read_point(f, i, &point);
    while (!status && !(status = cn_points_next_value(&point, &value)))
      ;
    while (status == CN_FRAMEMAP_NONE && !(status = cn_points_next_live_out(&point, &live_out)))
      status = CN_FRAMEMAP_NONE;
    if (status == CN_FRAMEMAP_BAD)
      return status;
  }
  return CN_FRAMEMAP_OK;
}

/* ---- reading ---- */

/* The file's address of a place in the copy of a section. */
static uint64_t file_address_of(const struct cn_elf_section *s, uintptr_t pointer)
{
  CN_ASSERT(s->data != NULL);
  return pointer - (uintptr_t)s->data + s->head.sh_addr;
}

static int fail_malformed(const struct cn_elf_section *s, const unsigned char *at, char **error)
{
  return CN_FAIL(error, "section %s, offset %zu: malformed", s->name, (size_t)(at - s->data));
}

static int read_frame_maps(struct cn_frames_view *view, uint32_t section, char **error)
{
  const struct cn_elf_section *s = &view->elf.sections[section];
  const unsigned char *cursor = s->data, *end = cursor ? cursor + s->head.sh_size : NULL;
  struct cn_frames_function e = {0};
  int status;

  if (cn_elf_relocate_section(&view->elf, section, error))
    return -1;
  while (cursor &&
         (status = cn_framemap_next_function(view->elf.port->frames, &cursor, end, &e.map)) != CN_FRAMEMAP_NONE) {
    if (status || check_frame_map(&e.map))
      return fail_malformed(s, status ? cursor : e.map.data, error);
    e.address = file_address_of(s, e.map.entry);
    const struct cn_elf_symbol *symbol = cn_elf_function_at(&view->elf, e.address);
    e.name = symbol ? symbol->name : NULL;
    e.section = cn_elf_section_at(&view->elf, e.address);
    cn_push(&view->functions, e);
  }
  return 0;
}

struct address_entry {
  uint64_t address;
  size_t index;
};

static int compare_address_entries(const void *x, const void *y)
{
  const struct address_entry *a = x, *b = y;

  if (a->address != b->address)
    return a->address < b->address ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

/* Assign the details to all functions at the address. Returns the number of these functions. */
static size_t assign_details(struct cn_frames_view *view, const struct address_entry *order, uint64_t address,
                             const struct cn_details_function *details)
{
  size_t count = view->functions.count, given = 0;
  size_t low = count ? cn_sorted_count_below(&order->address, count, sizeof *order, address) : 0;

  CN_ASSERT(low == 0 || order[low - 1].address < address); /* the first entry with this address */
  for (; low < count && order[low].address == address; low++, given++)
    view->functions.at[order[low].index].details = *details;
  return given;
}

/* The name of the outermost function of the details, which owns the frame. */
static const char *outermost_function_of(const struct cn_details_function *f)
{
  const char *name = NULL;

  for (uint32_t i = 0; !name && i < f->safepoints; i++) {
    struct cn_details d;
    struct cn_source_place source;
    uint32_t offset;
    if (cn_details_read_return_offset(f, i, &offset) || cn_details_find(f, offset, &d))
      break;
    while (!cn_details_next_source(&d, &source))
      name = source.function;
  }
  return name && *name ? name : NULL;
}

static int read_details(struct cn_frames_view *view, const struct address_entry *order, uint32_t section, char **error)
{
  const struct cn_elf_section *s = &view->elf.sections[section];
  const unsigned char *cursor = s->data, *end = cursor ? cursor + s->head.sh_size : NULL;
  struct cn_details_function f = {0};
  int status;

  if (cn_elf_relocate_section(&view->elf, section, error))
    return -1;
  while (cursor && (status = cn_details_next_function(&cursor, end, &f)) != CN_FRAMEMAP_NONE) {
    if (status || check_details(&f))
      return fail_malformed(s, cursor, error);
    if (!assign_details(view, order, file_address_of(s, f.entry), &f))
      return CN_FAIL(error, "section %s, offset %zu: describes code without a frame map", s->name,
                     (size_t)(cursor - s->data));
  }
  return 0;
}

/* Assign the points to all functions at the address. False if no function is there, or one of another size. */
static bool assign_points(struct cn_frames_view *view, const struct address_entry *order, uint64_t address,
                          const struct cn_points_function *points)
{
  size_t count = view->functions.count, low, given = 0;

  low = count ? cn_sorted_count_below(&order->address, count, sizeof *order, address) : 0;
  for (; low < count && order[low].address == address; low++, given++) {
    struct cn_frames_function *f = &view->functions.at[order[low].index];
    if (f->map.code_size != points->code_size)
      return false;
    f->points = *points;
  }
  return given != 0;
}

static int read_points(struct cn_frames_view *view, const struct address_entry *order, uint32_t section, char **error)
{
  const struct cn_elf_section *s = &view->elf.sections[section];
  const unsigned char *cursor = s->data, *end = cursor ? cursor + s->head.sh_size : NULL;
  struct cn_points_function f;
  int status;

  if (cn_elf_relocate_section(&view->elf, section, error))
    return -1;
  while (cursor && (status = cn_points_next_function(view->elf.port->frames, &cursor, end, &f)) != CN_FRAMEMAP_NONE) {
    if (status || check_points(&f))
      return fail_malformed(s, status ? cursor : f.data, error);
    if (!assign_points(view, order, file_address_of(s, f.entry), &f))
      return CN_FAIL(error, "section %s, offset %zu: describes code without a frame map", s->name,
                     (size_t)(f.data - s->data));
    view->has_points = true;
  }
  return 0;
}

/* Report why a file lacks frame maps, and how to make them. */
static int fail_without_frame_maps(const struct cn_elf_file *elf, char **error)
{
  bool object = elf->head.e_type == ET_REL;

  if (cn_elf_find_section(elf, ".llvm_stackmaps", 0))
    return CN_FAIL(error, "it has LLVM's stack maps, and no frame maps%s; 'cairn stackmap' prints stack maps",
                   object ? " yet: 'cairn frames --rewrite' makes them, or a link by cairn-cc"
                          : ": its objects were not rewritten by 'cairn frames --rewrite'");
  if (object && cn_guard_is_present(elf))
    return CN_FAIL(error, "it has no safepoint, and was not rewritten by 'cairn frames --rewrite'");
  return CN_FAIL(error, "no section cairn_frames: its functions have no safepoints");
}

static int read_maps_and_details(struct cn_frames_view *view, char **error)
{
  uint32_t section = cn_elf_find_section(&view->elf, "cairn_frames", 0);

  if (!cn_elf_sum_section_bytes(&view->elf, "cairn_frames"))
    return fail_without_frame_maps(&view->elf, error);
  if (cn_elf_assign_addresses(&view->elf, error))
    return -1;
  for (; section; section = cn_elf_find_section(&view->elf, "cairn_frames", section + 1))
    if (read_frame_maps(view, section, error))
      return -1;
  size_t count = view->functions.count;
  struct address_entry *order = cn_alloc((count + 1) * sizeof *order);
  for (size_t i = 0; i < count; i++)
    order[i] = (struct address_entry){view->functions.at[i].address, i};
  qsort(order, count, sizeof *order, compare_address_entries);
  int status = 0;
  for (section = 0; !status && (section = cn_elf_find_section(&view->elf, "cairn_details", section + 1));)
    status = read_details(view, order, section, error);
  for (section = 0; !status && (section = cn_elf_find_section(&view->elf, "cairn_points", section + 1));)
    status = read_points(view, order, section, error);
  free(order);
  for (size_t i = 0; !status && i < count; i++)
    if (!view->functions.at[i].name && view->functions.at[i].details.safepoints)
      view->functions.at[i].name = outermost_function_of(&view->functions.at[i].details);
  return status;
}

int cn_frames_view_open(struct cn_frames_view *view, const void *bytes, size_t size, char **error)
{
  *view = (struct cn_frames_view){0};
  if (cn_elf_open_for_port(&view->elf, bytes, size, error))
    return -1;
  int status = read_maps_and_details(view, error);
  if (status)
    cn_frames_view_close(view);
  return status;
}

void cn_frames_view_close(struct cn_frames_view *view)
{
  cn_free(&view->functions);
  cn_free(&view->copies.list);
  cn_free(&view->symbols.list);
  cn_elf_close(&view->elf);
}

/* ---- details ---- */

bool cn_frames_view_read_details(const struct cn_frames_function *entry, uint32_t return_offset, struct cn_details *out)
{
  CN_ASSERT(!entry->details.safepoints || entry->details.block);
  return entry->details.safepoints && !cn_details_find(&entry->details, return_offset, out);
}

static int compare_places(const void *x, const void *y)
{
  const struct cn_frames_indexed_place *a = x, *b = y;

  if (a->at != b->at)
    return a->at < b->at ? -1 : 1;
  return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_places(struct cn_frames_place_table *places)
{
  if (places->list.count)
    qsort(places->list.at, places->list.count, sizeof *places->list.at, compare_places);
}

static size_t count_places_before(const struct cn_frames_place_table *places, uint64_t at)
{
  return places->list.count
             ? cn_sorted_count_below(&places->list.at->at, places->list.count, sizeof *places->list.at, at)
             : 0;
}

static void make_place_tables(struct cn_frames_view *view)
{
  const struct cn_elf_file *elf = &view->elf;

  if (view->copies.list.count)
    return;
  for (uint32_t i = 1; i < elf->section_count; i++)
    if (elf->sections[i].data && elf->sections[i].head.sh_size)
      cn_push(&view->copies.list, (struct cn_frames_indexed_place){(uintptr_t)elf->sections[i].data, i});
  for (uint32_t i = 1; i < elf->symbol_count; i++)
    if (elf->symbols[i].section && ELF64_ST_TYPE(elf->symbols[i].sym.st_info) != STT_SECTION)
      cn_push(&view->symbols.list, (struct cn_frames_indexed_place){cn_elf_symbol_address(elf, &elf->symbols[i]), i});
  sort_places(&view->copies);
  sort_places(&view->symbols);
}

static uint32_t section_of_copied_byte(const struct cn_frames_view *view, const unsigned char *at)
{
  size_t before = count_places_before(&view->copies, (uintptr_t)at + 1);
  uint32_t section = before ? view->copies.list.at[before - 1].index : 0;
  const struct cn_elf_section *s = &view->elf.sections[section];

  return section && (uintptr_t)at - (uintptr_t)s->data < s->head.sh_size ? section : 0;
}

/* The name of a symbol at the address, without section symbols. */
static const char *symbol_name_at(const struct cn_frames_view *view, uint64_t address)
{
  size_t first = count_places_before(&view->symbols, address);

  return first < view->symbols.list.count && view->symbols.list.at[first].at == address
             ? view->elf.symbols[view->symbols.list.at[first].index].name
             : NULL;
}

/* Name an address by a symbol. In an object, whose addresses are only assigned, a section's name is the fallback. */
static void name_address(const struct cn_frames_view *view, uint64_t address, struct cn_frames_span *out)
{
  const struct cn_elf_file *elf = &view->elf;
  uint32_t section = cn_elf_section_at(elf, address);

  out->is_address = true;
  out->symbol = symbol_name_at(view, address);
  out->value = out->symbol ? 0 : address;
  if (out->symbol || elf->head.e_type != ET_REL || !section)
    return;
  out->symbol = elf->sections[section].name;
  out->value = address - elf->sections[section].head.sh_addr;
}

bool cn_frames_view_find_span(struct cn_frames_view *view, const struct cn_details *details, uint32_t index,
                              struct cn_frames_span *out)
{
  make_place_tables(view);
  uint32_t own = section_of_copied_byte(view, details->function.block);
  const struct cn_elf_section *home = &view->elf.sections[own];
  uintptr_t table = cn_details_span_table(details);
  struct cairn_span span;
  char *error = NULL;

  if (!table || !home->data)
    return false;
  uint64_t address = file_address_of(home, table) + index * sizeof span;
  uint32_t section = cn_elf_section_at(&view->elf, address);
  if (!section || cn_elf_relocate_section(&view->elf, section, &error)) {
    free(error);
    return false;
  }
  const struct cn_elf_section *s = &view->elf.sections[section];
  uint64_t offset = address - s->head.sh_addr;
  if (!s->data || s->head.sh_size - offset < sizeof span)
    return false;
  memcpy(&span, s->data + offset, sizeof span);
  *out = (struct cn_frames_span){.key = span.key, .value = span.integer};
  if (span.distance)
    name_address(view, address + offsetof(struct cairn_span, distance) + (uint64_t)(int64_t)span.distance, out);
  return true;
}
