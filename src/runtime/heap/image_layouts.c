/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks layouts, and names types and fields. One section has the layouts of several units, which may come from several
 * versions of Cairn, so each layout has a version. The file owns one atomic flag (`checks_begun`): the set-up of the
 * heap checks the layouts of all images, and afterwards each loading thread checks its image, in any phase. Names are
 * for any thread, in any phase. No locks; the checks read images (image.h).
 */
#include "runtime/heap/managed_heap.h"

#include <cairn/abi.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "framemap/layout_names.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/tables/layout_store.h"

/* True: layouts are checked from now on. The flag is stored before the list of images is read, and loaded after an
 * image is added to the list, so at least one of the two threads sees the other thread's change. */
static atomic_bool checks_begun;

_Static_assert(offsetof(struct cairn_layout, offsets) == sizeof(struct cairn_layout),
               "the last layout of a section may have no offsets");

static void describe_damage(const struct cairn_layout *layout, const char *given, char *fault, size_t size)
{
  char file[CN_REPORT_PC];
  const char *name = cn_image_name(given, (uintptr_t)layout, file);

  if (layout->magic == CAIRN_ABI_LAYOUT_MAGIC_1)
    snprintf(fault, size,
             "%s has the layout %p of version 1, and this runtime has version 2: compile all "
             "parts of the program with one version of Cairn",
             name, (const void *)layout);
  else
    snprintf(fault, size, "%s has a damaged layout at %p", name, (const void *)layout);
}

/* The bytes from this layout to the next possible layout; 0: this layout is damaged, or has another version. */
static size_t layout_bytes_of(const struct cairn_layout *layout, size_t room)
{
  size_t align = _Alignof(struct cairn_layout), refs;

  if (room < sizeof *layout || layout->magic != CAIRN_ABI_LAYOUT_MAGIC ||
      (layout->flags & ~(uint32_t)CAIRN_ABI_LAYOUT_FLAGS) != 0)
    return 0;
  refs = (size_t)layout->base_refs + layout->elem_refs;
  size_t bytes = sizeof *layout + refs * sizeof *layout->offsets;
  if (bytes > room || (refs != 0 && (layout->flags & CAIRN_ABI_LAYOUT_NO_REFERENCES) != 0))
    return 0;
  return (bytes + align - 1) / align * align;
}

bool cn_layouts_lack_service(const struct cairn_layout *layout, const char *name, char *fault, size_t size)
{
  static const struct {
    uint32_t flag, trait;
    const char *what;
  } asked[] = {
      {CAIRN_ABI_LAYOUT_WEAK_FIELDS, CAIRN_COLLECTOR_WEAK, "has weak fields"},
      {CAIRN_ABI_LAYOUT_FINALISABLE, CAIRN_COLLECTOR_FINALISES, "is finalisable"},
      {CAIRN_ABI_LAYOUT_FIXED, CAIRN_COLLECTOR_FIXED, "never moves"},
  };
  const struct cairn_collector *collector = cn_heap_collector();
  bool moves = (collector->traits & CAIRN_COLLECTOR_MOVES) != 0;
  char type[CN_LAYOUT_TEXT_BYTES], file[CN_REPORT_PC];

  CN_ASSERT(layout->magic == CAIRN_ABI_LAYOUT_MAGIC);
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    if ((layout->flags & asked[i].flag) == 0 || (collector->traits & asked[i].trait) != 0 ||
        (asked[i].flag == CAIRN_ABI_LAYOUT_FIXED && !moves))
      continue;
    cairn_layout_type(layout, type, sizeof type);
    snprintf(fault, size, "type %s of %s %s, and the collector '%s' does not provide for that", type,
             cn_image_name(name, (uintptr_t)layout, file), asked[i].what, collector->name);
    return true;
  }
  return false;
}

/* Skips words of zero, which may lie between the layouts of two units. */
bool cn_layouts_are_wrong(const struct cairn_image *image, const char *name, char *fault, size_t size)
{
  const unsigned char *at = image->layouts_start;
  size_t left = (size_t)(image->layouts_stop - at), bytes;

  CN_CHECK(at <= image->layouts_stop);
  for (; left >= sizeof(uint64_t); at += bytes, left -= bytes) {
    const struct cairn_layout *layout = (const struct cairn_layout *)at;
    bytes = *(const uint64_t *)at == 0 ? sizeof(uint64_t) : layout_bytes_of(layout, left);
    if (bytes == 0) {
      describe_damage(layout, name, fault, size);
      return true;
    }
    if (layout->magic == CAIRN_ABI_LAYOUT_MAGIC && cn_layouts_lack_service(layout, name, fault, size))
      return true;
    if (bytes > left)
      bytes = left;
  }
  return false;
}

bool cn_layouts_have(const struct cairn_image *image, const struct cairn_layout *layout)
{
  const unsigned char *at = image->layouts_start;
  size_t left = (size_t)(image->layouts_stop - at), bytes;

  for (; left >= sizeof(uint64_t) && at < (const unsigned char *)layout; at += bytes, left -= bytes) {
    bytes = *(const uint64_t *)at == 0 ? sizeof(uint64_t) : layout_bytes_of((const struct cairn_layout *)at, left);
    if (bytes == 0 || bytes > left)
      return false;
  }
  return at == (const unsigned char *)layout && layout_bytes_of(layout, left) != 0;
}

static void check_image_layouts(const struct cairn_image *image)
{
  char fault[CN_IMAGE_FAULT_BYTES];

  if (cn_layouts_are_wrong(image, NULL, fault, sizeof fault))
    cairn_fatal("%s", fault);
}

void cn_layouts_check_image(const struct cairn_image *image)
{
  if (atomic_load(&checks_begun))
    check_image_layouts(image);
}

static bool check_stored_layout(void *env, const struct cn_stored_layout *stored)
{
  char fault[CN_IMAGE_FAULT_BYTES];

  CN_ASSERT(env == NULL);
  (void)env;
  if (cn_layouts_lack_service(stored->layout, stored->origin, fault, sizeof fault))
    cairn_fatal("%s", fault);
  return true;
}

bool cn_layouts_are_checked(void)
{
  return atomic_load(&checks_begun);
}

void cn_layouts_begin_checks(void)
{
  bool entered = cn_image_begin_reading();

  atomic_store(&checks_begun, true);
  cn_layout_store_visit(check_stored_layout, NULL);
  const struct cn_image_list *list = cn_image_list();
  for (const struct cn_registered_image *at = cn_image_from(list, 0); at != NULL; at = cn_image_from(list, at->id + 1))
    check_image_layouts(&at->image);
  cn_image_end_reading(entered);
}

/* ---- references ---- */

static bool is_offset_listed(const uint32_t *offsets, uint32_t count, uint64_t offset)
{
  for (uint32_t i = 0; i < count; i++)
    if ((offsets[i] & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET) == offset)
      return true;
  return false;
}

bool cn_layouts_have_reference(const struct cairn_layout *layout, uint64_t offset)
{
  CN_ASSERT(layout->magic == CAIRN_ABI_LAYOUT_MAGIC);
  if (is_offset_listed(layout->offsets, layout->base_refs, offset))
    return true;
  return layout->elem_size != 0 && offset >= layout->elem_offset &&
         is_offset_listed(layout->offsets + layout->base_refs, layout->elem_refs,
                          (offset - layout->elem_offset) % layout->elem_size);
}

/* ---- names ---- */

static const char *layout_names_of(const struct cairn_layout *layout)
{
  return layout->names != 0 ? (const char *)layout + layout->names : NULL;
}

static bool is_plain_array(const struct cairn_layout *layout)
{
  return layout->elem_size != 0 && layout->base_size == 0 && layout->elem_offset == 0;
}

uint64_t cn_layouts_type_key(const struct cairn_layout *layout)
{
  const char *names = layout_names_of(layout);
  uintptr_t address = names != NULL ? (uintptr_t)names : (uintptr_t)layout;

  return address << 1 | is_plain_array(layout);
}

static const char *array_brackets_of(const struct cairn_layout *layout)
{
  return is_plain_array(layout) ? "[]" : "";
}

int cairn_layout_type(const struct cairn_layout *layout, char *text, size_t size)
{
  const char *names = layout_names_of(layout);

  if (cn_is_filler_layout(layout))
    return snprintf(text, size, "filler");
  if (layout == &cn_state_layout)
    return snprintf(text, size, "struct cairn_deopt_state");
  if (names == NULL)
    return snprintf(text, size, "layout %p%s", (const void *)layout, array_brackets_of(layout));
  return snprintf(text, size, "%.*s%s", (int)cn_layout_names_type_length(names), names, array_brackets_of(layout));
}

bool cn_layouts_find_type_at(uintptr_t address, char *text, size_t size)
{
  const uintptr_t other_bits = CAIRN_ABI_HEADER_STATE | CAIRN_ABI_HEADER_UNUSED;
  uintptr_t header, start;

  if (address < CAIRN_ABI_HEADER_SIZE || address % CAIRN_ABI_OBJECT_ALIGN != 0 ||
      !cn_os_read_memory(address - CAIRN_ABI_HEADER_SIZE, &header, sizeof header) || (header & other_bits) != 0)
    return false;
  start = header & (uintptr_t)CAIRN_ABI_HEADER_LAYOUT;
  if (cn_layout_store_has_address(start) && cairn_layout_is_known((const struct cairn_layout *)start)) {
    cairn_layout_type((const struct cairn_layout *)start, text, size);
    return true;
  }
  bool entered = cn_image_begin_reading();
  const struct cn_range *range = cn_ranges_find_overlap(cn_image_list()->by_layouts, start, start + 1);
  const struct cn_registered_image *image = range != NULL ? range->value : NULL;
  bool found = image != NULL && cn_layouts_have(&image->image, (const struct cairn_layout *)start);
  if (found)
    cairn_layout_type((const struct cairn_layout *)start, text, size);
  cn_image_end_reading(entered);
  return found;
}

int cairn_layout_place(const struct cairn_layout *layout, uint64_t offset, char *text, size_t size)
{
  const char *names = layout_names_of(layout);
  char type[CN_LAYOUT_TEXT_BYTES], index[24] = "", field[CN_LAYOUT_TEXT_BYTES] = "";
  uint64_t within = offset;

  CN_CHECK(text != NULL && size > 0);
  if (names == NULL)
    snprintf(type, sizeof type, "layout %p", (const void *)layout);
  else
    snprintf(type, sizeof type, "%.*s", (int)cn_layout_names_type_length(names), names);
  if (is_plain_array(layout)) {
    snprintf(index, sizeof index, "[%llu]", (unsigned long long)(offset / layout->elem_size));
    within = offset % layout->elem_size;
  }
  if (names != NULL && cn_layout_names_find_field(names, within, field, sizeof field))
    return snprintf(text, size, "%s%s%s%s", type, index, field[0] == '[' ? "" : ".", field);
  if (is_plain_array(layout) && within == 0)
    return snprintf(text, size, "%s%s", type, index);
  return snprintf(text, size, "%s%s at offset %llu", type, index, (unsigned long long)within);
}

int cn_layouts_format_field(const struct cairn_layout *layout, uint32_t field, char *text, size_t size)
{
  char place[2 * CN_LAYOUT_TEXT_BYTES], type[CN_LAYOUT_TEXT_BYTES];
  uint64_t offset = layout->offsets[field] & ~(uint32_t)CAIRN_ABI_LAYOUT_WEAK_OFFSET;
  bool in_element = field >= layout->base_refs;

  CN_CHECK(field < layout->base_refs + layout->elem_refs);
  if (in_element)
    offset += layout->elem_offset;
  cairn_layout_place(layout, offset, place, sizeof place);
  size_t length = (size_t)cairn_layout_type(layout, type, sizeof type);
  length -= is_plain_array(layout) ? strlen("[]") : 0;
  const char *name = length < strlen(place) ? place + length : place;
  name += *name == '.' || *name == ' ';
  const char *zero = in_element ? strstr(name, "[0]") : NULL;
  if (zero == NULL)
    return snprintf(text, size, "%s", name);
  return snprintf(text, size, "%.*s[]%s", (int)(zero - name), name, zero + strlen("[0]"));
}
