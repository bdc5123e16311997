/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM stack maps as text, statepoints taken apart, functions and registers by name.
 */
#include <inttypes.h>
#include "object/print/stackmap_print.h"

/* The printing of one map. */
struct printer {
  FILE *out;
  const struct cn_stackmap_view *view;
  const struct cairn_stackmap *map;
};

static const char *name_of(const struct printer *p, unsigned reg, char buffer[16])
{
  const char *name = cn_stackmap_view_register(p->view, reg);

  if (name)
    return name;
  snprintf(buffer, 16, "r#%u", reg);
  return buffer;
}

static void print_location(const struct printer *p, struct cairn_stackmap_location location)
{
  char buffer[16];
  const char *reg = name_of(p, location.reg, buffer);
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

static void print_locations(const struct printer *p, const struct cairn_stackmap_record *record, const char *what,
                            uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < first + count; i++) {
    fprintf(p->out, "    %s ", what);
    print_location(p, cairn_stackmap_location(p->map, record, i));
    fputc('\n', p->out);
  }
}

static void print_pairs(const struct printer *p, const struct cairn_stackmap_record *record,
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

static void print_source(const struct printer *p, const struct cairn_stackmap_record *record)
{
  const char *file;
  int line, column;

  if (record->flags)
    fprintf(p->out, ", record flags %u", record->flags);
  if (cn_stackmap_view_source(p->view, p->map, record, &file, &line, &column))
    fprintf(p->out, ", %s:%d:%d", file, line, column);
  fputc('\n', p->out);
}

static void print_record(const struct printer *p, const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint s;
  int status = cairn_stackmap_statepoint(p->map, record, &s, NULL);

  fprintf(p->out, "  +0x%" PRIx32 ": id %" PRIu64, record->instruction_offset, record->id);
  if (status == CAIRN_OK)
    fprintf(p->out, ", statepoint, calling convention %" PRIu64 ", flags %" PRIu64, s.calling_convention, s.flags);
  print_source(p, record);
  if (status == CAIRN_OK) {
    print_locations(p, record, "deopt", s.deopt_first, s.deopt_count);
    print_pairs(p, record, &s);
    print_locations(p, record, "alloca", s.allocas_first, s.allocas);
  } else {
    print_locations(p, record, "location", 0, record->locations);
  }
  for (uint32_t i = 0; i < record->live_outs; i++) {
    char buffer[16];
    struct cairn_stackmap_live_out live = cairn_stackmap_live_out(p->map, record, i);
    fprintf(p->out, "    live-out %s (%u bytes)\n", name_of(p, live.reg, buffer), live.size);
  }
}

static void print_function(const struct printer *p, uint32_t index)
{
  struct cairn_stackmap_function f = cairn_stackmap_function(p->map, index);
  struct cairn_stackmap_symbol symbol;
  bool known = cn_stackmap_view_function(p->view, f.address, &symbol);

  fprintf(p->out, "function %s", known ? symbol.name : "?");
  if (known && symbol.address != f.address)
    fprintf(p->out, "+0x%" PRIx64, f.address - symbol.address);
  if (!f.address)
    fputs(" without an address", p->out);
  else if (!p->view->file || !cairn_stackmap_file_is_object(p->view->file))
    fprintf(p->out, " at 0x%" PRIx64, f.address);
  if (f.stack_size == CAIRN_STACKMAP_UNKNOWN_SIZE)
    fputs(": stack size unknown", p->out);
  else
    fprintf(p->out, ": stack size %" PRIu64, f.stack_size);
  if (f.records != CAIRN_STACKMAP_UNKNOWN_COUNT)
    fprintf(p->out, ", records %" PRIu64, f.records);
  fputc('\n', p->out);
}

/* Version 1: print all functions first, since nothing says which records belong to which function.
 */
static void print_map(const struct printer *p)
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
    print_record(p, &record);
  }
  for (; shown < map->functions; shown++)
    print_function(p, shown);
}

void cn_stackmap_print_text(FILE *out, const struct cn_stackmap_view *view)
{
  struct cairn_stackmap_section section;
  struct cairn_stackmap map;
  struct printer p = {.out = out, .view = view, .map = &map};

  if (view->member)
    fprintf(out, "member %s\n", view->member);
  for (unsigned i = 0; cn_stackmap_view_section(view, i, &section); i++)
    for (size_t at = 0; at < section.length; at += map.length) {
      if (cairn_stackmap_open(section.bytes + at, section.length - at, &map, NULL) < 0)
        return; /* it was checked */
      print_map(&p);
    }
}
