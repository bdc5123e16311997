/* SPDX-License-Identifier: Apache-2.0
 *
 * Frame maps and details as JSON. The members are documented in docs/man/cairn.1; they stay.
 */
#include <cairn/abi.h>
#include "object/print/frames_print.h"
#include "object/print/frames_view.h"

static void print_register(struct cn_json_out *json, const char *name, unsigned reg)
{
  char buffer[16];

  cn_json_out_string(json, name, cn_frames_register(reg, buffer));
}

/* In a register, or in memory at `base` + `offset`. */
static void print_place(struct cn_json_out *json, const char *name, struct cn_loc loc)
{
  cn_json_out_open_on_line(json, name, '{');
  print_register(json, loc.is_register ? "register" : "base", loc.reg);
  if (!loc.is_register)
    cn_json_out_signed(json, "offset", loc.offset);
  cn_json_out_close(json);
}

static void print_frame(struct cn_json_out *json, const struct cn_safepoint *s)
{
  static const unsigned dwarf[CN_CALLEE_SAVED] = {3, 6, 12, 13, 14, 15};

  print_place(json, "cfa", (struct cn_loc){.reg = s->cfa_reg, .offset = s->cfa_offset});
  cn_json_out_open(json, "saved", '[');
  for (unsigned r = 0; r < CN_CALLEE_SAVED; r++) {
    if (!(s->saved >> r & 1))
      continue;
    cn_json_out_open_on_line(json, NULL, '{');
    print_register(json, "register", dwarf[r]);
    cn_json_out_signed(json, "cfa_offset", s->saved_offset[r]);
    cn_json_out_close(json);
  }
  cn_json_out_close(json);
}

static void print_roots(struct cn_json_out *json, struct cn_safepoint *s)
{
  struct cn_root root;
  struct cn_area area;

  cn_json_out_open(json, "roots", '[');
  while (!cn_framemap_next_root(s, &root)) {
    cn_json_out_open_on_line(json, NULL, '{');
    print_place(json, "place", root.derived);
    if (root.is_derived)
      print_place(json, "derived_from", root.base);
    else
      cn_json_out_null(json, "derived_from");
    cn_json_out_close(json);
  }
  cn_json_out_close(json);
  cn_json_out_open(json, "areas", '[');
  while (!cn_framemap_next_area(s, &area)) {
    cn_json_out_open_on_line(json, NULL, '{');
    print_register(json, "base", area.reg);
    cn_json_out_signed(json, "offset", area.offset);
    cn_json_out_number(json, "count", area.count);
    cn_json_out_number(json, "stride", area.stride);
    if (area.tag) {
      cn_json_out_number(json, "tag", area.tag);
      cn_json_out_number(json, "parameter", area.parameter);
    }
    cn_json_out_close(json);
  }
  cn_json_out_close(json);
}

static void print_sources(struct cn_json_out *json, struct cn_details *d)
{
  struct cn_source source;

  cn_json_out_open(json, "sources", '[');
  while (!cn_details_next_source(d, &source)) {
    cn_json_out_open_on_line(json, NULL, '{');
    cn_json_out_string(json, "function", source.function);
    cn_json_out_string(json, "file", source.file);
    cn_json_out_number(json, "line", source.line);
    cn_json_out_number(json, "column", source.column);
    cn_json_out_close(json);
  }
  cn_json_out_close(json);
}

static void print_deopt(struct cn_json_out *json, const struct cn_deopt *value)
{
  static const char *const kinds[] = {"constant", "value", "address", "at_call"};

  cn_json_out_open_on_line(json, NULL, '{');
  cn_json_out_string(json, "kind", kinds[value->kind]);
  cn_json_out_number(json, "size", value->size);
  if (value->kind == CN_DEOPT_CONSTANT)
    cn_json_out_signed(json, "value", (int64_t)value->constant);
  else
    print_place(json, "place", value->loc);
  cn_json_out_close(json);
}

static void print_span(struct cn_json_out *json, struct cn_frames_view *view, const struct cn_details *d,
                       struct cn_span_use use)
{
  struct cn_frames_span span = {0};
  bool known = cn_frames_view_span(view, d, use.index, &span);

  cn_json_out_open_on_line(json, NULL, '{');
  cn_json_out_number(json, "index", use.index);
  cn_json_out_number(json, "depth", use.depth);
  if (known) {
    cn_json_out_number(json, "key", span.key);
    cn_json_out_bool(json, "is_address", span.is_address);
    cn_json_out_string(json, "symbol", span.symbol);
    cn_json_out_number(json, "value", span.value);
  }
  cn_json_out_close(json);
}

/* `details` null: the safepoint has none, and the arrays are empty. */
static void print_details(struct cn_json_out *json, struct cn_frames_view *view, struct cn_details *details)
{
  struct cn_details none = {0}, *d = details ? details : &none;
  struct cn_deopt value;
  struct cn_span_use use;

  print_sources(json, d);
  cn_json_out_open(json, "deopt", '[');
  while (!cn_details_next_deopt(d, &value))
    print_deopt(json, &value);
  cn_json_out_close(json);
  cn_json_out_open(json, "spans", '[');
  while (!cn_details_next_span_use(d, &use))
    print_span(json, view, d, use);
  cn_json_out_close(json);
}

static void print_safepoint(struct cn_json_out *json, struct cn_frames_view *view, const struct cn_frames_entry *entry,
                            uint32_t index)
{
  struct cn_safepoint safepoint;
  struct cn_details details;
  uint32_t offset;

  if (cn_framemap_return_offset(&entry->map, index, &offset) || cn_framemap_safepoint(&entry->map, index, &safepoint))
    return; /* it was checked */
  cn_json_out_open(json, NULL, '{');
  cn_json_out_number(json, "return_offset", offset);
  cn_json_out_number(json, "id", safepoint.id);
  print_frame(json, &safepoint);
  print_roots(json, &safepoint);
  print_details(json, view, cn_frames_view_details(entry, offset, &details) ? &details : NULL);
  cn_json_out_close(json);
}

/* An address: section and offset in an object, a number in an image. */
static void print_function(struct cn_json_out *json, struct cn_frames_view *view, const struct cn_frames_entry *entry)
{
  const struct cn_elf_section *section = &view->elf.sections[entry->section];

  cn_json_out_open(json, NULL, '{');
  cn_json_out_string(json, "name", entry->name);
  if (view->elf.head.e_type == ET_REL)
    cn_json_out_null(json, "address");
  else
    cn_json_out_number(json, "address", entry->address);
  cn_json_out_string(json, "section", entry->section ? section->name : NULL);
  if (entry->section)
    cn_json_out_number(json, "section_offset", entry->address - section->head.sh_addr);
  else
    cn_json_out_null(json, "section_offset");
  cn_json_out_number(json, "code_size", entry->map.code_size);
  cn_json_out_open(json, "safepoints", '[');
  for (uint32_t i = 0; i < entry->map.safepoints; i++)
    print_safepoint(json, view, entry, i);
  cn_json_out_close(json);
  cn_json_out_close(json);
}

void cn_frames_print_json(struct cn_json_out *json, const char *member, struct cn_frames_view *view)
{
  cn_json_out_open(json, NULL, '{');
  cn_json_out_string(json, "member", member);
  cn_json_out_string(json, "type", view->elf.head.e_type == ET_REL ? "object" : "image");
  cn_json_out_open(json, "functions", '[');
  for (size_t i = 0; i < view->functions.count; i++)
    print_function(json, view, &view->functions.at[i]);
  cn_json_out_close(json);
  cn_json_out_close(json);
}
