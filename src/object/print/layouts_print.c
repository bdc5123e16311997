/* SPDX-License-Identifier: Apache-2.0
 *
 * `cairn layouts`: prints the layouts of an ELF file, after layouts_check.c has checked them. Lengths and distances in
 * the file may be hostile. Prints to the caller's stream, leaves the file unchanged, and holds no state. Errors are
 * returned as text.
 */
#include "object/print/frames_view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "framemap/layout_names.h"
#include "object/build/image_check.h"
#include "object/elf/elf_file.h"

struct file_layout {
  const unsigned char *offsets; /* offsets of base_refs and elem_refs references */
  const char *names;            /* null if the layout lacks names */
  struct cairn_layout head;     /* the last member, because it ends in an array */
};

/* The string at an address, or null if the string is unterminated or lies outside the sections. */
static const char *layout_string_at(const struct cn_elf_file *elf, uint64_t address)
{
  uint32_t index = cn_elf_section_at(elf, address);
  const struct cn_elf_section *section = &elf->sections[index];

  if (!index || !section->data)
    return NULL;
  uint64_t at = address - section->head.sh_addr, room = section->head.sh_size - at;
  return memchr(section->data + at, 0, room) ? (const char *)section->data + at : NULL;
}

static void print_reference_offsets(FILE *out, const struct file_layout *layout, const char *text, uint32_t first,
                                    uint32_t count)
{
  uint32_t offset;

  for (uint32_t i = 0; i < count; i++) {
    memcpy(&offset, layout->offsets + (first + i) * sizeof offset, sizeof offset);
    fprintf(out, "%s%" PRIu32 "%s", i ? ", " : text, offset & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET,
            offset & CAIRN_ABI_LAYOUT_WEAK_OFFSET ? " weak" : "");
  }
}

/* Print a layout's head, such as "struct table: 8 bytes, elements of 16 bytes from 8; references at 0, in each element
 * at 8". */
static void print_layout_head(FILE *out, const struct file_layout *layout)
{
  const struct cairn_layout *head = &layout->head;
  bool array = head->elem_size && !head->base_size && !head->elem_offset;

  if (layout->names)
    fprintf(out, "%.*s", (int)cn_layout_names_type_length(layout->names), layout->names);
  else
    fputs("a type without a name", out);
  if (array)
    fprintf(out, "[]: elements of %" PRIu64 " bytes", head->elem_size);
  else
    fprintf(out, ": %" PRIu64 " bytes", head->base_size);
  if (head->elem_size && !array)
    fprintf(out, ", elements of %" PRIu64 " bytes from %" PRIu32, head->elem_size, head->elem_offset);
  fprintf(out, "%s%s%s%s", head->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS ? ", weak fields" : "",
          head->flags & CAIRN_ABI_LAYOUT_EPHEMERON ? ", ephemeron" : "",
          head->flags & CAIRN_ABI_LAYOUT_FINALISABLE ? ", finalisable" : "",
          head->flags & CAIRN_ABI_LAYOUT_FIXED ? ", never moves" : "");
  fputs(head->base_refs || head->elem_refs ? "; references" : "; no references", out);
  print_reference_offsets(out, layout, " at ", 0, head->base_refs);
  print_reference_offsets(out, layout, head->base_refs ? ", in each element at " : " in each element at ",
                          head->base_refs, head->elem_refs);
  fputc('\n', out);
}

static void print_layout(FILE *out, const struct file_layout *layout)
{
  size_t length;

  print_layout_head(out, layout);
  for (const char *line = layout->names; line && (line = cn_layout_names_next_line(line, &length));)
    fprintf(out, "    %.*s\n", (int)length, line);
}

static int print_layout_section(FILE *out, const struct cn_elf_file *elf, const struct cn_elf_section *section,
                                char **error)
{
  const unsigned char *data = section->data;
  uint64_t size = data ? section->head.sh_size : 0, bytes;
  struct file_layout layout;

  for (uint64_t at = 0; at < size && size - at >= sizeof(uint64_t); at += (bytes + 7) & ~UINT64_C(7)) {
    memcpy(&bytes, data + at, sizeof bytes);
    bool padding = bytes == 0;
    bytes = sizeof bytes;
    if (padding)
      continue;
    CN_CHECK(size - at >= sizeof layout.head);
    memcpy(&layout.head, data + at, sizeof layout.head);
    layout.offsets = data + at + sizeof layout.head;
    layout.names =
        layout.head.names ? layout_string_at(elf, section->head.sh_addr + at + (uint64_t)layout.head.names) : NULL;
    if (layout.head.names && !layout.names)
      return CN_FAIL(error, "the names of the layout at offset %" PRIu64 " are not in the file", at);
    print_layout(out, &layout);
    bytes = sizeof layout.head + ((uint64_t)layout.head.base_refs + layout.head.elem_refs) * sizeof(uint32_t);
  }
  return 0;
}

static int print_file_layouts(FILE *out, struct cn_elf_file *elf, char **error)
{
  uint32_t section = cn_elf_find_section(elf, "cairn_layouts", 0);

  if (!cn_elf_sum_section_bytes(elf, "cairn_layouts"))
    return CN_FAIL(error, "no section cairn_layouts: it allocates nothing");
  if (cn_object_layouts_check(elf, error) || cn_elf_assign_addresses(elf, error))
    return -1;
  for (; section; section = cn_elf_find_section(elf, "cairn_layouts", section + 1))
    if (cn_elf_relocate_section(elf, section, error) || print_layout_section(out, elf, &elf->sections[section], error))
      return -1;
  return 0;
}

int cn_layouts_print(FILE *out, const void *bytes, size_t size, char **error)
{
  struct cn_elf_file elf;

  if (cn_elf_open_for_port(&elf, bytes, size, error))
    return -1;
  int status = print_file_layouts(out, &elf, error);
  cn_elf_close(&elf);
  return status;
}
