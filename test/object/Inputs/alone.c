/* SPDX-License-Identifier: Apache-2.0
 *
 * Somebody's own reader of stack maps: of Cairn this one header and libcairn-object.a, C or C++.
 */
#include <cairn/stackmap.h>

#include <stdio.h>
#include <stdlib.h>

static void print_record(const struct cairn_stackmap *map, const struct cairn_stackmap_record *r,
                         const struct cairn_stackmap_file *file)
{
  struct cairn_stackmap_symbol symbol;
  struct cairn_stackmap_statepoint s;
  struct cairn_stackmap_error error;
  uint64_t address = cairn_stackmap_function(map, r->function).address;

  if (!cairn_stackmap_file_function(file, address, &symbol))
    symbol.name = "?";
  printf("%s: id %d", symbol.name, (int)r->id);
  if (cairn_stackmap_statepoint(map, r, &s, &error) < 0) {
    printf(", %s\n", error.reason);
    return;
  }
  for (uint32_t i = 0; i < 2 * s.pairs; i++) {
    struct cairn_stackmap_location l = cairn_stackmap_location(map, r, s.pairs_first + i);
    const char *name =
        cairn_stackmap_register_name(cairn_stackmap_file_machine(file), l.reg);
    printf(", %s", name ? name : "?");
  }
  putchar('\n');
}

static void print_maps(const struct cairn_stackmap_section *section,
                       const struct cairn_stackmap_file *file)
{
  struct cairn_stackmap map;
  struct cairn_stackmap_error error;

  for (size_t at = 0; at < section->length; at += map.length) {
    struct cairn_stackmap_cursor cursor = {0, 0, 0, 0};
    struct cairn_stackmap_record record;
    if (cairn_stackmap_open(section->bytes + at, section->length - at, &map, &error) < 0) {
      printf("offset %zu: %s\n", section->file_offset + at + error.offset, error.reason);
      return;
    }
    while (cairn_stackmap_next(&map, &cursor, &record))
      print_record(&map, &record, file);
  }
}

int main(int argc, char **argv)
{
  static unsigned char bytes[1 << 20];
  struct cairn_stackmap_file *file;
  struct cairn_stackmap_section section;
  struct cairn_stackmap_error error;
  FILE *in = argc > 1 ? fopen(argv[1], "rb") : NULL;

  if (!in)
    return 2;
  size_t length = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  if (cairn_stackmap_file_open(bytes, length, &file, &error) < 0) {
    printf("offset %zu: %s\n", error.offset, error.reason);
    return 1;
  }
  for (unsigned i = 0; cairn_stackmap_file_section(file, i, &section); i++)
    print_maps(&section, file);
  cairn_stackmap_file_close(file);
  return 0;
}
