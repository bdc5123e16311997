/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints LLVM stack maps as text or as JSON, with the names of functions and registers and with decoded statepoints.
 * docs/man/cairn.1 documents the JSON members, which are stable. Prints to the caller's stream, after the map has been
 * checked. Holds no state.
 */
#include <elf.h>
#include <inttypes.h>
#include "object/print/stackmap_print.h"

/* The state while one map is printed. */
struct stackmap_printer {
  FILE *out;                   /* of the text */
  struct cn_json_writer *json; /* null: text */
  const struct cn_stackmap_view *view;
  const struct cairn_stackmap *map;
};

/* ---- parts of records ---- */

static const char *register_name_of(const struct stackmap_printer *p, unsigned reg, char buffer[16])
{
  const char *name = cn_stackmap_view_register_name(p->view, reg);

  if (name)
    return name;
  snprintf(buffer, 16, "r#%u", reg);
  return buffer;
}

static void print_location_json(const struct stackmap_printer *p, struct cairn_stackmap_location location)
{
  static const char *const kinds[] = {"", "register", "direct", "indirect", "constant", "constant"};

  cn_json_out_open_on_line(p->json, NULL, '{');
  CN_MEMBERS(p->json, CN_STRING("kind", kinds[location.kind]), CN_NUMBER("size", location.size));
  if (location.kind == CAIRN_STACKMAP_CONSTANT) {
    cn_json_out_write_signed(p->json, "value", (int64_t)location.value);
    if (location.pooled)
      cn_json_out_write_signed(p->json, "pool_index", location.offset);
  } else {
    CN_MEMBERS(p->json, CN_NUMBER("register", location.reg),
               CN_STRING("name", cn_stackmap_view_register_name(p->view, location.reg)),
               CN_SIGNED("offset", location.offset));
  }
  cn_json_out_close_bracket(p->json);
}

static void print_location(const struct stackmap_printer *p, struct cairn_stackmap_location location)
{
  char buffer[16];
  const char *reg = register_name_of(p, location.reg, buffer);
  char sign = location.offset < 0 ? '-' : '+';
  int64_t distance = location.offset < 0 ? -(int64_t)location.offset : location.offset;

  switch (location.kind) {
  case CAIRN_STACKMAP_REGISTER:
    fprintf(p->out, "%s", reg);
    break;
  case CAIRN_STACKMAP_DIRECT:
    fprintf(p->out, "%s %c %" PRId64, reg, sign, distance);
    break;
  case CAIRN_STACKMAP_INDIRECT:
    fprintf(p->out, "[%s %c %" PRId64 "]", reg, sign, distance);
    break;
  case CAIRN_STACKMAP_CONSTANT:
  case CAIRN_STACKMAP_CONSTANT_INDEX:
    fprintf(p->out, location.pooled ? "constant 0x%" PRIx64 : "constant %" PRId64, location.value);
    break;
  }
  if (location.size != 8)
    fprintf(p->out, " (%u bytes)", location.size);
}

static void print_locations(const struct stackmap_printer *p, const struct cairn_stackmap_record *record,
                            const char *what, uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < first + count; i++) {
    fprintf(p->out, "    %s ", what);
    print_location(p, cairn_stackmap_location(p->map, record, i));
    fputc('\n', p->out);
  }
}

static void print_pointer_pairs(const struct stackmap_printer *p, const struct cairn_stackmap_record *record,
                                const struct cairn_stackmap_statepoint *s)
{
  for (uint32_t i = 0; i < s->pairs; i++) {
    fputs("    base ", p->out);
    print_location(p, cairn_stackmap_location(p->map, record, s->pairs_first + 2 * i));
    fputs(", derived ", p->out);
    print_location(p, cairn_stackmap_location(p->map, record, s->pairs_first + 2 * i + 1));
    fputc('\n', p->out);
  }
}

/* Print the end of a text record's first line, or the JSON members after a record's flags. */
static void print_source_line(const struct stackmap_printer *p, const struct cairn_stackmap_record *record)
{
  const char *file;
  int line, column;
  bool known = cn_stackmap_view_find_source(p->view, p->map, record, &file, &line, &column);

  if (p->json && known)
    CN_ROW(p->json, "source", CN_STRING("file", file), CN_SIGNED("line", line), CN_SIGNED("column", column));
  else if (p->json)
    cn_json_out_write_null(p->json, "source");
  else if (known)
    fprintf(p->out, ", %s:%d:%d", file, line, column);
}

static void print_live_out(const struct stackmap_printer *p, struct cairn_stackmap_live_out live)
{
  char buffer[16];

  if (p->json)
    CN_ROW(p->json, NULL, CN_NUMBER("register", live.reg),
           CN_STRING("name", cn_stackmap_view_register_name(p->view, live.reg)), CN_NUMBER("size", live.size));
  else
    fprintf(p->out, "    live-out %s (%u bytes)\n", register_name_of(p, live.reg, buffer), live.size);
}

static void print_live_outs(const struct stackmap_printer *p, const struct cairn_stackmap_record *record)
{
  for (uint32_t i = 0; i < record->live_outs; i++)
    print_live_out(p, cairn_stackmap_live_out(p->map, record, i));
}

/* ---- records ---- */

static const char *const point_kinds[] = {[CAIRN_STACKMAP_SHADOW] = "shadow",
                                          [CAIRN_STACKMAP_PATCHPOINT] = "patchpoint",
                                          [CAIRN_STACKMAP_PATCHABLE_STATEPOINT] = "patchable statepoint",
                                          [CAIRN_STACKMAP_FENCE] = "fence"};

/* True for a statepoint's record, whose parts *s gets. The values of a stackmap or patchpoint may look like one. */
static bool is_statepoint_record(const struct stackmap_printer *p, const struct cairn_stackmap_record *record,
                                 struct cairn_stackmap_statepoint *s)
{
  struct cairn_stackmap_point point;

  if (cairn_stackmap_point(p->map, record, &point, NULL) == CAIRN_OK &&
      point.kind != CAIRN_STACKMAP_PATCHABLE_STATEPOINT)
    return false;
  return cairn_stackmap_statepoint(p->map, record, s, NULL) == CAIRN_OK;
}

static void print_record_text(const struct stackmap_printer *p, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint s;
  struct cairn_stackmap_point point;
  bool is_point = cairn_stackmap_point(p->map, record, &point, NULL) == CAIRN_OK;
  bool is_statepoint = is_statepoint_record(p, record, &s);

  fprintf(p->out, "  +0x%" PRIx32 ": id %" PRIu64, record->instruction_offset, record->id);
  if (is_statepoint)
    fprintf(p->out, ", statepoint, calling convention %" PRIu64 ", flags %" PRIu64, s.calling_convention, s.flags);
  if (is_point)
    fprintf(p->out, ", %s of %" PRIu32 " bytes", point_kinds[point.kind], point.bytes);
  if (record->flags)
    fprintf(p->out, ", record flags %u", record->flags);
  print_source_line(p, record);
  fputc('\n', p->out);
  if (is_statepoint) {
    print_locations(p, record, "deopt", s.deopt_first, s.deopt_count);
    print_pointer_pairs(p, record, &s);
    print_locations(p, record, "alloca", s.allocas_first, s.allocas);
  } else if (is_point) {
    print_locations(p, record, "value", point.values_first, point.values);
  } else {
    print_locations(p, record, "location", 0, record->locations);
  }
  print_live_outs(p, record);
}

static void print_point_json(const struct stackmap_printer *p, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_point point;

  if (cairn_stackmap_point(p->map, record, &point, NULL) != CAIRN_OK)
    cn_json_out_write_null(p->json, "point");
  else
    CN_ROW(p->json, "point", CN_STRING("kind", point_kinds[point.kind]), CN_NUMBER("bytes", point.bytes),
           CN_NUMBER("calling_convention", point.calling_convention), CN_NUMBER("values_first", point.values_first),
           CN_NUMBER("values", point.values));
}

static void print_record_json(const struct stackmap_printer *p, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint s;

  cn_json_out_open_bracket(p->json, NULL, '{');
  CN_MEMBERS(p->json, CN_NUMBER_IF("function", record->function != CAIRN_STACKMAP_UNKNOWN_FUNCTION, record->function),
             CN_NUMBER("instruction_offset", record->instruction_offset), CN_NUMBER("id", record->id),
             CN_NUMBER("flags", record->flags));
  print_source_line(p, record);
  if (!is_statepoint_record(p, record, &s))
    cn_json_out_write_null(p->json, "statepoint");
  else
    CN_ROW(p->json, "statepoint", CN_NUMBER("calling_convention", s.calling_convention), CN_NUMBER("flags", s.flags),
           CN_NUMBER("deopt_first", s.deopt_first), CN_NUMBER("deopt_count", s.deopt_count),
           CN_NUMBER("pairs_first", s.pairs_first), CN_NUMBER("pairs", s.pairs),
           CN_NUMBER("allocas_first", s.allocas_first), CN_NUMBER("allocas", s.allocas));
  print_point_json(p, record);
  cn_json_out_open_bracket(p->json, "locations", '[');
  for (uint32_t i = 0; i < record->locations; i++)
    print_location_json(p, cairn_stackmap_location(p->map, record, i));
  cn_json_out_close_bracket(p->json);
  cn_json_out_open_bracket(p->json, "live_outs", '[');
  print_live_outs(p, record);
  cn_json_out_close_bracket(p->json);
  cn_json_out_close_bracket(p->json);
}

/* ---- functions ---- */

static bool is_object_file(const struct stackmap_printer *p)
{
  return p->view->file && cairn_stackmap_file_is_object(p->view->file);
}

/* Print a function. In JSON, an address in an object is a section and an offset. In an image an address is a number, or
 * a section and an offset if the function is outside the image. */
static void print_function(const struct stackmap_printer *p, uint32_t index)
{
  struct cairn_stackmap_function f = cairn_stackmap_function(p->map, index);
  struct cairn_stackmap_symbol symbol = {0};
  bool known = cn_stackmap_view_find_function(p->view, f.address, &symbol);
  bool sized = f.stack_size != CAIRN_STACKMAP_UNKNOWN_SIZE, counted = f.records != CAIRN_STACKMAP_UNKNOWN_COUNT;
  uint64_t offset = f.address - symbol.address;

  if (p->json) {
    CN_ROW(p->json, NULL, CN_STRING("name", symbol.name), CN_NUMBER_IF("offset", known, offset),
           CN_NUMBER_IF("address", !is_object_file(p) && f.address, f.address), CN_STRING("section", symbol.section),
           CN_NUMBER_IF("section_offset", known, symbol.section_offset + offset),
           CN_NUMBER_IF("stack_size", sized, f.stack_size), CN_NUMBER_IF("record_count", counted, f.records));
    return;
  }
  fprintf(p->out, "function %s", known ? symbol.name : "?");
  if (known && offset)
    fprintf(p->out, "+0x%" PRIx64, offset);
  if (!f.address)
    fputs(" without an address", p->out);
  else if (!is_object_file(p))
    fprintf(p->out, " at 0x%" PRIx64, f.address);
  if (sized)
    fprintf(p->out, ": stack size %" PRIu64, f.stack_size);
  else
    fputs(": stack size unknown", p->out);
  if (counted)
    fprintf(p->out, ", records %" PRIu64, f.records);
  fputc('\n', p->out);
}

/* ---- maps ---- */

/* Print a map as text. A map of version 1 does not assign records to functions, so all functions are printed first. */
static void print_map_text(const struct stackmap_printer *p)
{
  const struct cairn_stackmap *map = p->map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  uint32_t shown = 0;

  fprintf(p->out, "stack map version %u: functions %" PRIu32 ", constants %" PRIu32 ", records %" PRIu32 "\n",
          map->version, map->functions, map->constants, map->records);
  while (cairn_stackmap_next(map, &cursor, &record)) {
    bool unknown = record.function == CAIRN_STACKMAP_UNKNOWN_FUNCTION;
    for (; shown < map->functions && (unknown || shown <= record.function); shown++)
      print_function(p, shown);
    print_record_text(p, &record);
  }
  for (; shown < map->functions; shown++)
    print_function(p, shown);
}

static void print_map_json(const struct stackmap_printer *p, const struct cairn_stackmap_section *section, size_t at)
{
  const struct cairn_stackmap *map = p->map;
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;

  cn_json_out_open_bracket(p->json, NULL, '{');
  CN_MEMBERS(p->json, CN_NUMBER("section", section->index), CN_NUMBER("file_offset", section->file_offset + at),
             CN_NUMBER("length", map->length), CN_NUMBER("version", map->version));
  cn_json_out_open_on_line(p->json, "constants", '[');
  for (uint32_t i = 0; i < map->constants; i++)
    cn_json_out_write_number(p->json, NULL, cairn_stackmap_constant(map, i));
  cn_json_out_close_bracket(p->json);
  cn_json_out_open_bracket(p->json, "functions", '[');
  for (uint32_t i = 0; i < map->functions; i++)
    print_function(p, i);
  cn_json_out_close_bracket(p->json);
  cn_json_out_open_bracket(p->json, "records", '[');
  while (cairn_stackmap_next(map, &cursor, &record))
    print_record_json(p, &record);
  cn_json_out_close_bracket(p->json);
  cn_json_out_close_bracket(p->json);
}

static void print_stack_maps(struct stackmap_printer *p)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;

  p->map = &map;
  for (unsigned i = 0; cn_stackmap_view_section_at(p->view, i, &section); i++)
    for (size_t at = 0; at < section.length; at += map.length) {
      if (cairn_stackmap_open(section.bytes + at, section.length - at, &map, NULL) < 0)
        return; /* it was checked */
      if (p->json)
        print_map_json(p, &section, at);
      else
        print_map_text(p);
    }
}

static const char *machine_name_of(const struct cn_stackmap_view *view)
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

void cn_stackmap_print(FILE *out, struct cn_json_writer *json, const struct cn_stackmap_view *view)
{
  struct stackmap_printer p = {.out = out, .json = json, .view = view};

  if (!json) {
    if (view->member)
      fprintf(out, "member %s\n", view->member);
    print_stack_maps(&p);
    return;
  }
  cn_json_out_open_bracket(json, NULL, '{');
  CN_MEMBERS(json, CN_STRING("member", view->member), CN_STRING("machine", machine_name_of(view)),
             CN_STRING("type", !view->file          ? "raw"
                               : is_object_file(&p) ? "object"
                                                    : "image"));
  cn_json_out_open_bracket(json, "maps", '[');
  print_stack_maps(&p);
  cn_json_out_close_bracket(json);
  cn_json_out_close_bracket(json);
}
