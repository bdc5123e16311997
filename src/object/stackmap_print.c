/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn stackmap`: LLVM stack maps as text, statepoints taken apart, functions and registers by
 * name.
 */
#include "object/stackmap_print.h"

#include <inttypes.h>
#include <cairn/stackmap.h>
#include "base/check.h"
#include "object/print.h"

static void print_location(FILE *out, struct cairn_stackmap_location location)
{
  char reg[16];
  char sign = location.offset < 0 ? '-' : '+';
  int64_t distance = location.offset < 0 ? -(int64_t)location.offset : location.offset;

  cn_print_register(location.reg, reg);
  switch (location.kind) {
  case CAIRN_STACKMAP_REGISTER: fprintf(out, "%s", reg); break;
  case CAIRN_STACKMAP_DIRECT: fprintf(out, "%s %c %" PRId64, reg, sign, distance); break;
  case CAIRN_STACKMAP_INDIRECT: fprintf(out, "[%s %c %" PRId64 "]", reg, sign, distance); break;
  case CAIRN_STACKMAP_CONSTANT:
  case CAIRN_STACKMAP_CONSTANT_INDEX:
    fprintf(out, location.pooled ? "constant 0x%" PRIx64 : "constant %" PRId64, location.value);
    break;
  }
  if (location.size != 8)
    fprintf(out, " (%u bytes)", location.size);
}

static void print_locations(FILE *out, const struct cairn_stackmap *map,
                            const struct cairn_stackmap_record *record, const char *what,
                            uint32_t first, uint32_t count)
{
  for (uint32_t i = first; i < first + count; i++) {
    fprintf(out, "    %s ", what);
    print_location(out, cairn_stackmap_location(map, record, i));
    fputc('\n', out);
  }
}

static void print_pairs(FILE *out, const struct cairn_stackmap *map,
                        const struct cairn_stackmap_record *record,
                        const struct cairn_stackmap_statepoint *s)
{
  for (uint32_t i = 0; i < s->pairs; i++) {
    fputs("    base ", out);
    print_location(out, cairn_stackmap_location(map, record, s->pairs_first + 2 * i));
    fputs(", derived ", out);
    print_location(out, cairn_stackmap_location(map, record, s->pairs_first + 2 * i + 1));
    fputc('\n', out);
  }
}

static void print_record(FILE *out, const struct cairn_stackmap *map,
                         const struct cairn_stackmap_record *record)
{
  struct cairn_stackmap_statepoint s;

  fprintf(out, "  +0x%" PRIx32 ": id %" PRIu64, record->instruction_offset, record->id);
  if (cairn_stackmap_statepoint(map, record, &s, NULL) == CAIRN_STACKMAP_E_OK) {
    fprintf(out, ", statepoint, calling convention %" PRIu64 ", flags %" PRIu64 "\n",
            s.calling_convention, s.flags);
    print_locations(out, map, record, "deopt", s.deopt_first, s.deopt_count);
    print_pairs(out, map, record, &s);
    print_locations(out, map, record, "alloca", s.allocas_first, s.allocas);
  } else {
    fputc('\n', out);
    print_locations(out, map, record, "location", 0, record->locations);
  }
  for (uint32_t i = 0; i < record->live_outs; i++) {
    char reg[16];
    struct cairn_stackmap_live_out live = cairn_stackmap_live_out(map, record, i);
    fprintf(out, "    live-out %s (%u bytes)\n", cn_print_register(live.reg, reg), live.size);
  }
}

static void print_function(FILE *out, const struct cn_elf *elf, struct cairn_stackmap_function f)
{
  const struct cn_elf_symbol *symbol = cn_elf_function_at(elf, f.address);

  fprintf(out, "function %s", symbol ? symbol->name : "?");
  if (elf->head.e_type != ET_REL)
    fprintf(out, " at 0x%" PRIx64, f.address);
  if (f.stack_size == CAIRN_STACKMAP_UNKNOWN_SIZE)
    fputs(": stack size unknown", out);
  else
    fprintf(out, ": stack size %" PRIu64, f.stack_size);
  if (f.records != CAIRN_STACKMAP_UNKNOWN_COUNT)
    fprintf(out, ", records %" PRIu64, f.records);
  fputc('\n', out);
}

static void print_map(FILE *out, const struct cn_elf *elf, const struct cairn_stackmap *map)
{
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  uint32_t shown = 0;

  fprintf(out,
          "stack map version %u: functions %" PRIu32 ", constants %" PRIu32 ", records %" PRIu32
          "\n",
          map->version, map->functions, map->constants, map->records);
  while (cairn_stackmap_next(map, &cursor, &record)) {
    for (; shown < map->functions && (record.function == UINT32_MAX || shown <= record.function);
         shown++)
      print_function(out, elf, cairn_stackmap_function(map, shown));
    print_record(out, map, &record);
  }
  for (; shown < map->functions; shown++)
    print_function(out, elf, cairn_stackmap_function(map, shown));
}

static int print_section(FILE *out, struct cn_elf *elf, uint32_t section, char **error)
{
  const struct cn_elf_section *s = &elf->sections[section];
  struct cairn_stackmap map;
  struct cairn_stackmap_error bad;

  if (cn_elf_relocate(elf, section, error))
    return -1;
  for (size_t at = 0; s->data && at < s->head.sh_size; at += map.length) {
    if (cairn_stackmap_open(s->data + at, s->head.sh_size - at, &map, &bad) < 0)
      return CN_FAIL(error, ".llvm_stackmaps, offset %zu: %s", at + bad.offset, bad.reason);
    print_map(out, elf, &map);
  }
  return 0;
}

int cairn_stackmap_print_file(const char *path, FILE *out, FILE *err)
{
  return cn_print_file(path, ".llvm_stackmaps", print_section, out, err);
}
