/* SPDX-License-Identifier: Apache-2.0
 *
 * What one writes by hand for LLVM's stack maps: a hash table from return address to record, which
 * is decoded at each frame that has it. The frame size is what the map says of the function. It
 * does not say where callee-saved registers are: a root in one is counted, and not found.
 *
 * The maps are those of the objects before the rewriter; functions are found by name, as the
 * objects of the program have them.
 */
#include "stackwalk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/stackmap.h>

typedef long frame(void *list, long depth);
extern frame *const bench_functions[];
extern frame bench_leaf_native, bench_leaf_marked, bench_leaf_collect;
long bench_start(long depth);

struct entry {
  uintptr_t pc;
  uint64_t frame_bytes;
  const struct cairn_stackmap *map;
  struct cairn_stackmap_record record;
};

enum { RSP = 7, RBP = 6 };
static struct entry *table;
static size_t table_mask, table_used;
static volatile uintptr_t found;

_Noreturn static void fail(const char *what, const char *name)
{
  fprintf(stderr, "stackwalk: %s: %s\n", what, name);
  exit(2);
}

static size_t slot_of(const struct entry *entries, size_t mask, uintptr_t pc)
{
  size_t i = (pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;

  while (entries[i].pc != 0 && entries[i].pc != pc)
    i = (i + 1) & mask;
  return i;
}

/* At most half of it is used. */
static void insert(struct entry entry)
{
  if (2 * table_used >= table_mask) {
    size_t mask = table ? 2 * table_mask + 1 : 1023;
    struct entry *larger = calloc(mask + 1, sizeof *larger);
    if (!larger)
      fail("no memory", "table");
    for (size_t i = 0; table && i <= table_mask; i++)
      if (table[i].pc)
        larger[slot_of(larger, mask, table[i].pc)] = table[i];
    free(table);
    table = larger;
    table_mask = mask;
  }
  table[slot_of(table, table_mask, entry.pc)] = entry;
  table_used++;
}

static uintptr_t function_named(const char *name)
{
  static const struct {
    const char *name;
    frame *function;
  } leaves[] = {{"bench_leaf_native", bench_leaf_native},
                {"bench_leaf_marked", bench_leaf_marked},
                {"bench_leaf_collect", bench_leaf_collect}};

  for (size_t i = 0; i < sizeof leaves / sizeof leaves[0]; i++)
    if (strcmp(leaves[i].name, name) == 0)
      return (uintptr_t)leaves[i].function;
  if (strcmp(name, "bench_start") == 0)
    return (uintptr_t)bench_start;
  if (name[0] != 'f')
    fail("not a function of the program", name);
  return (uintptr_t)bench_functions[strtoul(name + 1, NULL, 10)];
}

static void load_map(const struct cairn_stackmap_file *file, const struct cairn_stackmap *map)
{
  struct cairn_stackmap_cursor cursor = {0};
  struct cairn_stackmap_record record;
  struct cairn_stackmap_symbol symbol;
  uint32_t last = UINT32_MAX;
  uintptr_t start = 0;
  struct cairn_stackmap_function function = {0};

  while (cairn_stackmap_next(map, &cursor, &record)) {
    if (record.function != last) {
      function = cairn_stackmap_function(map, last = record.function);
      if (!cairn_stackmap_file_function(file, function.address, &symbol))
        fail("a function without a name", "stack map");
      start = function_named(symbol.name);
    }
    insert((struct entry){.pc = start + record.instruction_offset,
                          .frame_bytes = function.stack_size + sizeof start,
                          .map = map,
                          .record = record});
  }
}

static size_t load_file(const char *path)
{
  FILE *stream = fopen(path, "rb");
  struct cairn_stackmap_file *file;
  struct cairn_stackmap_section section;

  if (!stream || fseek(stream, 0, SEEK_END) != 0)
    fail("cannot be read", path);
  size_t length = (size_t)ftell(stream);
  char *bytes = malloc(length);
  rewind(stream);
  if (!bytes || fread(bytes, 1, length, stream) != length || cairn_stackmap_file_open(bytes, length, &file, NULL) < 0 ||
      !cairn_stackmap_file_section(file, 0, &section))
    fail("no stack maps", path);
  fclose(stream);
  free(bytes);
  for (size_t at = 0; at < section.length;) {
    struct cairn_stackmap *map = malloc(sizeof *map);
    if (!map || cairn_stackmap_open(section.bytes + at, section.length - at, map, NULL) < 0)
      fail("a bad stack map", path);
    load_map(file, map);
    at += map->length;
  }
  return section.length; /* the file stays open: the records are in it */
}

struct raw_size raw_load(const char *list)
{
  FILE *stream = list ? fopen(list, "r") : NULL;
  struct raw_size size = {0};
  char path[4096];

  if (!stream)
    fail("no list of objects", "STACKWALK_RAW");
  while (fgets(path, sizeof path, stream)) {
    path[strcspn(path, "\n")] = '\0';
    size.section += load_file(path);
  }
  fclose(stream);
  size.records = table_used;
  size.table = (table_mask + 1) * sizeof *table;
  return size;
}

/* Where the location is; a register is not looked for. */
static uintptr_t place(const struct entry *entry, uint32_t index, uintptr_t sp)
{
  struct cairn_stackmap_location at = cairn_stackmap_location(entry->map, &entry->record, index);
  uintptr_t base = at.reg == RBP ? sp + entry->frame_bytes - 2 * sizeof sp : sp;

  return at.kind == CAIRN_STACKMAP_INDIRECT ? base + (uintptr_t)(intptr_t)at.offset : at.reg;
}

uint64_t raw_walk(uintptr_t pc, uintptr_t sp, uint64_t *roots)
{
  uint64_t frames = 0;
  uintptr_t all = 0;

  *roots = 0;
  for (;; frames++) {
    const struct entry *entry = &table[slot_of(table, table_mask, pc)];
    struct cairn_stackmap_statepoint parts;
    if (entry->pc == 0)
      break;
    if (cairn_stackmap_statepoint(entry->map, &entry->record, &parts, NULL) < 0)
      fail("not a statepoint", "record");
    for (uint32_t i = 0; i < 2 * parts.pairs; i += 2) {
      all |= place(entry, parts.pairs_first + i, sp);
      all |= place(entry, parts.pairs_first + i + 1, sp);
    }
    *roots += parts.pairs;
    sp += entry->frame_bytes;
    pc = ((const uintptr_t *)sp)[-1];
  }
  found = all;
  return frames;
}
