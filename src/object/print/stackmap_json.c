/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM stack maps as JSON. The members are documented in docs/man/cairn.1; they stay.
 */
#include <elf.h>
#include "object/print/stackmap_print.h"

struct printer {
  struct cn_json_out *json;
  const struct cn_stackmap_view *view;
  const struct cairn_stackmap *map;
};

static void print_register(const struct printer *p, unsigned reg)
{
  cn_json_out_number(p->json, "register", reg);
  cn_json_out_string(p->json, "name", cn_stackmap_view_register(p->view, reg));
}

static void print_location(const struct printer *p, struct cairn_stackmap_location location)
{
  static const char *const kinds[] = {"", "register", "direct", "indirect", "constant", "constant"};

  cn_json_out_open_on_line(p->json, NULL, '{');
  cn_json_out_string(p->json, "kind", kinds[location.kind]);
  cn_json_out_number(p->json, "size", location.size);
  if (location.kind == CAIRN_STACKMAP_CONSTANT) {
    cn_json_out_signed(p->json, "value", (int64_t)location.value);
    if (location.pooled)
      cn_json_out_signed(p->json, "pool_index", location.offset);
  } else {
    print_register(p, location.reg);
    cn_json_out_signed(p->json, "offset", location.offset);
  }
  cn_json_out_close(p->json);
}

static void print_statepoint(const struct printer *p, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint s;

  if (cairn_stackmap_statepoint(p->map, record, &s, NULL) < 0) {
    cn_json_out_null(p->json, "statepoint");
    return;
  }
  cn_json_out_open_on_line(p->json, "statepoint", '{');
  cn_json_out_number(p->json, "calling_convention", s.calling_convention);
  cn_json_out_number(p->json, "flags", s.flags);
  cn_json_out_number(p->json, "deopt_first", s.deopt_first);
  cn_json_out_number(p->json, "deopt_count", s.deopt_count);
  cn_json_out_number(p->json, "pairs_first", s.pairs_first);
  cn_json_out_number(p->json, "pairs", s.pairs);
  cn_json_out_number(p->json, "allocas_first", s.allocas_first);
  cn_json_out_number(p->json, "allocas", s.allocas);
  cn_json_out_close(p->json);
}

static void print_source(const struct printer *p, const struct cairn_stackmap_record *record)
{
  const char *file;
  int line, column;

  if (!cn_stackmap_view_source(p->view, p->map, record, &file, &line, &column)) {
    cn_json_out_null(p->json, "source");
    return;
  }
  cn_json_out_open_on_line(p->json, "source", '{');
  cn_json_out_string(p->json, "file", file);
  cn_json_out_signed(p->json, "line", line);
  cn_json_out_signed(p->json, "column", column);
  cn_json_out_close(p->json);
}

static void print_record(const struct printer *p, const struct cairn_stackmap_record *record)
{
  cn_json_out_open(p->json, NULL, '{');
  if (record->function == CAIRN_STACKMAP_UNKNOWN_FUNCTION)
    cn_json_out_null(p->json, "function");
  else
    cn_json_out_number(p->json, "function", record->function);
  cn_json_out_number(p->json, "instruction_offset", record->instruction_offset);
  cn_json_out_number(p->json, "id", record->id);
  cn_json_out_number(p->json, "flags", record->flags);
  print_source(p, record);
  print_statepoint(p, record);
  cn_json_out_open(p->json, "locations", '[');
  for (uint32_t i = 0; i < record->locations; i++)
    print_location(p, cairn_stackmap_location(p->map, record, i));
  cn_json_out_close(p->json);
  cn_json_out_open(p->json, "live_outs", '[');
  for (uint32_t i = 0; i < record->live_outs; i++) {
    struct cairn_stackmap_live_out live = cairn_stackmap_live_out(p->map, record, i);
    cn_json_out_open_on_line(p->json, NULL, '{');
    print_register(p, live.reg);
    cn_json_out_number(p->json, "size", live.size);
    cn_json_out_close(p->json);
  }
  cn_json_out_close(p->json);
  cn_json_out_close(p->json);
}

/* Print a number, or null if all bits are set. */
static void print_known(const struct printer *p, const char *name, uint64_t value)
{
  if (value == UINT64_MAX)
    cn_json_out_null(p->json, name);
  else
    cn_json_out_number(p->json, name, value);
}

/* Print an address: section and offset in an object; in an image a number, or section and offset if
 * a function is not in it. */
static void print_function(const struct printer *p, uint32_t index)
{
  struct cairn_stackmap_function f = cairn_stackmap_function(p->map, index);
  struct cairn_stackmap_symbol symbol = {0};
  bool known = cn_stackmap_view_function(p->view, f.address, &symbol);

  cn_json_out_open_on_line(p->json, NULL, '{');
  cn_json_out_string(p->json, "name", symbol.name);
  if (known)
    cn_json_out_number(p->json, "offset", f.address - symbol.address);
  else
    cn_json_out_null(p->json, "offset");
  bool is_object = p->view->file && cairn_stackmap_file_is_object(p->view->file);
  print_known(p, "address", is_object || !f.address ? UINT64_MAX : f.address);
  cn_json_out_string(p->json, "section", symbol.section);
  print_known(p, "section_offset", known ? symbol.section_offset + (f.address - symbol.address) : UINT64_MAX);
  print_known(p, "stack_size", f.stack_size);
  print_known(p, "record_count", f.records);
  cn_json_out_close(p->json);
}

static void print_map(const struct printer *p, const struct cairn_stackmap_section *section, size_t at)
{
  const struct cairn_stackmap *map = p->map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;

  cn_json_out_open(p->json, NULL, '{');
  cn_json_out_number(p->json, "section", section->index);
  cn_json_out_number(p->json, "file_offset", section->file_offset + at);
  cn_json_out_number(p->json, "length", map->length);
  cn_json_out_number(p->json, "version", map->version);
  cn_json_out_open_on_line(p->json, "constants", '[');
  for (uint32_t i = 0; i < map->constants; i++)
    cn_json_out_number(p->json, NULL, cairn_stackmap_constant(map, i));
  cn_json_out_close(p->json);
  cn_json_out_open(p->json, "functions", '[');
  for (uint32_t i = 0; i < map->functions; i++)
    print_function(p, i);
  cn_json_out_close(p->json);
  cn_json_out_open(p->json, "records", '[');
  while (cairn_stackmap_next(map, &cursor, &record))
    print_record(p, &record);
  cn_json_out_close(p->json);
  cn_json_out_close(p->json);
}

static const char *machine_of(const struct cn_stackmap_view *view)
{
  switch (view->file ? cairn_stackmap_file_machine(view->file) : EM_NONE) {
  case EM_X86_64:
    return "x86_64";
  case EM_AARCH64:
    return "aarch64";
  case EM_RISCV:
    return "riscv64";
  default:
    return NULL;
  }
}

void cn_stackmap_print_json(struct cn_json_out *json, const struct cn_stackmap_view *view)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;
  struct printer p = {.json = json, .view = view, .map = &map};

  cn_json_out_open(json, NULL, '{');
  cn_json_out_string(json, "member", view->member);
  cn_json_out_string(json, "machine", machine_of(view));
  cn_json_out_string(json, "type",
                     !view->file                                 ? "raw"
                     : cairn_stackmap_file_is_object(view->file) ? "object"
                                                                 : "image");
  cn_json_out_open(json, "maps", '[');
  for (unsigned i = 0; cn_stackmap_view_section(view, i, &section); i++)
    for (size_t at = 0; at < section.length; at += map.length) {
      if (cairn_stackmap_open(section.bytes + at, section.length - at, &map, NULL) < 0)
        break; /* it was checked */
      print_map(&p, &section, at);
    }
  cn_json_out_close(json);
  cn_json_out_close(json);
}
