/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the frame maps and points of a linked image against the image's code and against each other. Runs in the
 * driver after a link, leaves the file unchanged, and returns errors as text. Holds no state.
 */
#include "object/build/image_check.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/check.h"
#include "base/vector.h"
#include "base/sorted.h"
#include "framemap/framemap_format.h"
#include "object/elf/elf_file.h"
#include "object/elf/input.h"

struct code_range {
  uint64_t start, end;
};

struct image_map {
  uint64_t entry;
  struct cn_framemap_function function;
};

struct image_points {
  uint64_t entry;
  struct cn_points_function function;
};

struct checked_image {
  const struct cn_frame_port *port;
  CN_VECTOR(struct code_range) code; /* executable sections */
  CN_VECTOR(struct image_map) maps;
  CN_VECTOR(struct image_points) points;
  uint64_t wrong; /* the address of the function with an error */
};

static const char *read_frame_maps(struct checked_image *image, const unsigned char *data, size_t size,
                                   uint64_t address)
{
  const unsigned char *cursor = data, *end = data + size;
  struct image_map map;
  int status;

  while ((status = cn_framemap_next_function(image->port, &cursor, end, &map.function)) == CN_FRAMEMAP_OK) {
    map.entry = map.function.entry - (uintptr_t)data + address;
    image->wrong = map.entry;
    for (uint32_t i = 0; i < map.function.safepoints; i++) {
      struct cn_safepoint safepoint;
      uint32_t offset;
      if (cn_framemap_read_return_offset(&map.function, i, &offset) ||
          cn_framemap_read_safepoint(&map.function, i, &safepoint))
        return "a frame map cannot be read";
    }
    cn_push(&image->maps, map);
  }
  image->wrong = 0;
  return status == CN_FRAMEMAP_NONE ? NULL : "section cairn_frames cannot be read";
}

static const char *read_points(struct checked_image *image, const unsigned char *data, size_t size, uint64_t address)
{
  const unsigned char *cursor = data, *end = data + size;
  struct image_points points;
  int status;

  while ((status = cn_points_next_function(image->port, &cursor, end, &points.function)) == CN_FRAMEMAP_OK) {
    points.entry = points.function.entry - (uintptr_t)data + address;
    image->wrong = points.entry;
    for (uint32_t i = 0; i < points.function.points; i++) {
      struct cn_point point;
      if (cn_points_read_point(&points.function, i, &point))
        return "its points cannot be read";
    }
    cn_push(&image->points, points);
  }
  image->wrong = 0;
  return status == CN_FRAMEMAP_NONE ? NULL : "section cairn_points cannot be read";
}

/* True if the map's code lies in one of the sections from `*section` on. Sections and maps are sorted, so `*section`
 * advances over the sections that end before the map's entry. */
static bool lies_in_code_section(const struct checked_image *image, const struct image_map *map, size_t *section)
{
  while (*section < image->code.count && image->code.at[*section].end <= map->entry)
    ++*section;
  if (*section == image->code.count)
    return false;
  const struct code_range *r = &image->code.at[*section];
  return map->entry >= r->start && map->function.code_size <= r->end - map->entry;
}

static int by_start(const void *x, const void *y)
{
  const struct code_range *a = x, *b = y;

  return a->start < b->start ? -1 : a->start > b->start;
}

static int by_entry(const void *x, const void *y)
{
  const struct image_map *a = x, *b = y;

  return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int by_points_entry(const void *x, const void *y)
{
  const struct image_points *a = x, *b = y;

  return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* True if both functions have the same points. */
static bool is_same_points(const struct cn_points_function *a, const struct cn_points_function *b)
{
  size_t bytes = (size_t)(a->end - a->data), skipped = CN_POINTS_ENTRY_OFFSET + 4;

  return bytes == (size_t)(b->end - b->data) && memcmp(a->data + skipped, b->data + skipped, bytes - skipped) == 0;
}

/* Runs after the frame maps are sorted. */
static const char *check_points_against_maps(struct checked_image *image)
{
  size_t maps = image->maps.count;

  if (image->points.count)
    qsort(image->points.at, image->points.count, sizeof *image->points.at, by_points_entry);
  for (size_t i = 0; i < image->points.count; i++) {
    const struct image_points *points = &image->points.at[i], *last = i ? points - 1 : NULL;
    size_t map = maps ? cn_sorted_count_below(&image->maps.at->entry, maps, sizeof *image->maps.at, points->entry) : 0;
    image->wrong = points->entry;
    if (map == maps || image->maps.at[map].entry != points->entry ||
        image->maps.at[map].function.code_size != points->function.code_size)
      return "points describe code without a frame map";
    if (last && last->entry == points->entry && !is_same_points(&last->function, &points->function))
      return "the same code has points twice, and they do not agree";
  }
  return NULL;
}

static const char *check_maps_against_code(struct checked_image *image)
{
  size_t section = 0;

  if (image->code.count)
    qsort(image->code.at, image->code.count, sizeof *image->code.at, by_start);
  if (image->maps.count)
    qsort(image->maps.at, image->maps.count, sizeof *image->maps.at, by_entry);
  for (size_t i = 0; i < image->maps.count; i++) {
    const struct image_map *map = &image->maps.at[i], *last = i ? map - 1 : NULL;
    image->wrong = map->entry;
    CN_ASSERT(!last || last->entry <= map->entry);
    if (!lies_in_code_section(image, map, &section))
      return "a frame map describes code that is absent";
    if (last && (last->entry == map->entry ? !cn_framemap_is_same(&last->function, &map->function)
                                           : map->entry - last->entry < last->function.code_size))
      return "there are two frame maps of the same code that do not agree";
  }
  return check_points_against_maps(image);
}

static const char *check_image(struct checked_image *image, const struct cn_elf_file *elf)
{
  const char *why = NULL;

  for (uint32_t i = 1; !why && i < elf->section_count; i++) {
    const struct cn_elf_section *section = &elf->sections[i];
    if (strcmp(section->name, ".llvm_stackmaps") == 0)
      return "code from an archive has stack maps that never became frame maps; give its objects to cairn-cc, or to "
             "cairn frames --rewrite first";
    if (!(section->head.sh_flags & SHF_ALLOC))
      continue;
    if (section->head.sh_flags & SHF_EXECINSTR)
      cn_push(&image->code, (struct code_range){section->head.sh_addr, section->head.sh_addr + section->head.sh_size});
    if (strcmp(section->name, "cairn_frames") == 0 && section->data)
      why = read_frame_maps(image, section->data, section->head.sh_size, section->head.sh_addr);
    else if (strcmp(section->name, "cairn_points") == 0 && section->data)
      why = read_points(image, section->data, section->head.sh_size, section->head.sh_addr);
  }
  return why ? why : check_maps_against_code(image);
}

/* A message about the function at `address`, with the function's name if a symbol gives it. */
static char *describe_fault(struct cn_elf_file *elf, uint64_t address, const char *why)
{
  char *error = NULL;
  const struct cn_elf_symbol *symbol = NULL;

  if (!address)
    return cn_format("%s", why);
  if (cn_elf_assign_addresses(elf, &error))
    free(error);
  else
    symbol = cn_elf_function_at(elf, address);
  return symbol ? cn_format("function '%s' at 0x%" PRIx64 ": %s", symbol->name, address, why)
                : cn_format("function at 0x%" PRIx64 ": %s", address, why);
}

/* True if the bytes have the machine and the sections of an image with maps; only a full read can be sure. */
static bool may_have_frame_maps(const void *bytes, size_t size)
{
  Elf64_Ehdr head;

  if (size < sizeof head)
    return false;
  memcpy(&head, bytes, sizeof head);
  return memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         cn_elf_find_port(head.e_machine) && head.e_shoff;
}

static int check_image_bytes(const void *bytes, size_t size, char **error)
{
  struct checked_image image = {0};
  struct cn_elf_file elf;

  if (!may_have_frame_maps(bytes, size))
    return 0;
  if (cn_elf_open_for_port(&elf, bytes, size, error))
    return -1;
  image.port = elf.port->frames;
  const char *why = check_image(&image, &elf);
  if (why)
    *error = describe_fault(&elf, image.wrong, why);
  cn_elf_close(&elf);
  cn_free(&image.code);
  cn_free(&image.maps);
  cn_free(&image.points);
  return why ? -1 : 0;
}

int cn_image_check(const char *path, char **error)
{
  struct cn_input_file file = {0};
  char *unread = NULL;
  int status = 0;

  if (strcmp(path, "-") != 0 && !cn_input_open(&file, path, cn_input_is_binary, &unread))
    status = check_image_bytes(file.bytes, file.size, error);
  free(unread);
  cn_input_close(&file);
  return status;
}
