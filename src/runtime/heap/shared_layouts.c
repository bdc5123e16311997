/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared layouts: the program has one layout of each name, which stays until the program ends. Modules define layouts
 * by the registration of their images, and the program defines others by cairn_layout_make(). Equal definitions are one
 * layout; a definition that differs from an earlier one is refused.
 *
 * The layouts are in the layout store (runtime/tables), and additions hold CN_LOCK_LAYOUTS. Each entry of an image
 * (struct cairn_shared_layout) gets the layout's address under the lock, when the image is registered or, if the name
 * is undefined then, when it is defined. An image is in the list of images before its entries are filled in, so a later
 * definition finds them. Any thread in phase MUTATE, and a loading thread in any phase. The only other state is the
 * flag that an entry may wait (`entries_wait`).
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/defer.h"
#include "runtime/core/image.h"
#include "runtime/core/lock.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"
#include "runtime/tables/layout_store.h"

static bool entries_wait; /* some entry may be undefined */

enum { ORIGIN_BYTES = 300, FAULT_BYTES = 1024 };

/* ---- differences ---- */

static const char *names_of(const struct cairn_layout *layout)
{
  return layout->names != 0 ? (const char *)layout + layout->names : "";
}

static uint64_t reference_count(const struct cairn_layout *layout)
{
  return (uint64_t)layout->base_refs + layout->elem_refs;
}

/* The difference of two layouts, in words, or null. Names of fields count if both layouts have them. */
static const char *difference_of(const struct cairn_layout *a, const struct cairn_layout *b)
{
  CN_ASSERT(a->magic == CAIRN_ABI_LAYOUT_MAGIC && b->magic == CAIRN_ABI_LAYOUT_MAGIC);
  if (a->base_size != b->base_size)
    return "the sizes differ";
  if (a->elem_size != b->elem_size || a->elem_offset != b->elem_offset)
    return "the elements differ";
  if (a->base_refs != b->base_refs || a->elem_refs != b->elem_refs ||
      memcmp(a->offsets, b->offsets, reference_count(a) * sizeof *a->offsets) != 0)
    return "the places of references differ";
  if (a->flags != b->flags)
    return "the properties for the collector differ";
  if (strchr(names_of(a), '\n') != NULL && strchr(names_of(b), '\n') != NULL && strcmp(names_of(a), names_of(b)) != 0)
    return "the names of fields differ";
  return NULL;
}

/* ---- definitions; the caller has the lock ---- */

enum definition { DEFINED, DEFINED_ALREADY, DIFFERS, NO_MEMORY };

/* Define `name` unless it is defined. *stored is the program's layout, or null. */
static enum definition define(const char *name, const struct cairn_layout *layout, const char *names,
                              const char *origin, const struct cn_stored_layout **stored)
{
  *stored = cn_layout_store_find(name);
  if (*stored != NULL)
    return difference_of(layout, (*stored)->layout) != NULL ? DIFFERS : DEFINED_ALREADY;
  *stored = cn_layout_store_add(name, layout, names, origin);
  CN_ASSERT(cn_layout_store_find(name) == *stored);
  return *stored != NULL ? DEFINED : NO_MEMORY;
}

static void format_difference(const char *name, const struct cairn_layout *layout, const char *origin,
                              const struct cairn_layout *other, const char *other_origin, char *fault, size_t size)
{
  const char *difference = difference_of(layout, other);

  CN_CHECK(difference != NULL && fault != NULL);
  snprintf(fault, size, "the layout \"%.100s\" of %s is not that of %s: %s", name, origin, other_origin, difference);
}

static void format_origin(const struct cairn_shared_layout *entry, const char *image, char origin[ORIGIN_BYTES])
{
  char file[CN_REPORT_PC];

  CN_ASSERT(entry->name != NULL && entry->module != NULL);
  snprintf(origin, ORIGIN_BYTES, "module %.100s in %.160s", entry->module,
           cn_image_name(image, (uintptr_t)entry, file));
}

static void fill_in(const struct cairn_image *image)
{
  CN_ASSERT(image->roots_start <= image->roots_stop);
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++) {
    struct cairn_shared_layout *entry = cn_image_shared_layout(root);
    if (entry == NULL || entry->layout != NULL)
      continue;
    const struct cn_stored_layout *stored = cn_layout_store_find(entry->name);
    if (stored != NULL)
      __atomic_store_n(&entry->layout, stored->layout, __ATOMIC_RELEASE);
    else
      entries_wait = true;
  }
}

static void fill_in_waiting(void)
{
  if (!entries_wait)
    return;
  entries_wait = false;
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL;
       image = cn_image_with_roots_from(list, image->id + 1))
    fill_in(&image->image);
  cn_image_end_reading(entered);
}

/* ---- images ---- */

/* The statement of a name in an image, or null. */
static const struct cairn_global_root *find_statement(const struct cairn_image *image, const char *name)
{
  CN_ASSERT(image->roots_start <= image->roots_stop && name != NULL);
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++) {
    const struct cairn_shared_layout *entry = cn_image_shared_layout(root);
    if (entry != NULL && root->layout != NULL && strcmp(entry->name, name) == 0)
      return root;
  }
  return NULL;
}

/* The layout of the name that `root` states: the program's, or that of `first`. Null: there is none yet. */
static const struct cairn_layout *find_earlier(const struct cairn_image *first, const char *name,
                                               char origin[ORIGIN_BYTES])
{
  const struct cn_stored_layout *stored = cn_layout_store_find(name);
  const struct cairn_global_root *root = stored == NULL && first != NULL ? find_statement(first, name) : NULL;

  if (stored != NULL)
    snprintf(origin, ORIGIN_BYTES, "%s", stored->origin);
  else if (root != NULL)
    format_origin(cn_image_shared_layout(root), NULL, origin);
  return stored != NULL ? stored->layout : root != NULL ? root->layout : NULL;
}

bool cn_shared_layouts_misfit(const struct cairn_image *image, const struct cairn_image *first, const char *name,
                              char *fault, size_t size)
{
  char origin[ORIGIN_BYTES], other[ORIGIN_BYTES];

  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++) {
    const struct cairn_shared_layout *entry = cn_image_shared_layout(root);
    if (entry == NULL || root->layout == NULL)
      continue;
    const struct cairn_layout *earlier = find_earlier(first, entry->name, other);
    if (earlier == NULL || difference_of(root->layout, earlier) == NULL)
      continue;
    format_origin(entry, name, origin);
    format_difference(entry->name, root->layout, origin, earlier, other, fault, size);
    return true;
  }
  return false;
}

static bool has_shared_layouts(const struct cairn_image *image)
{
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++)
    if (cn_image_shared_layout(root) != NULL)
      return true;
  return false;
}

static bool is_damaged(const struct cairn_image *image, const struct cairn_global_root *root)
{
  const struct cairn_shared_layout *entry = cn_image_shared_layout(root);
  const unsigned char *layout = (const unsigned char *)root->layout;

  return entry->name == NULL || entry->module == NULL || strlen(entry->name) > CN_LAYOUT_NAME_BYTES ||
         layout < image->layouts_start || layout >= image->layouts_stop ||
         root->layout->magic != CAIRN_ABI_LAYOUT_MAGIC;
}

static void define_entry(const struct cairn_image *image, const struct cairn_global_root *root)
{
  const struct cairn_shared_layout *entry = cn_image_shared_layout(root);
  const struct cairn_layout *layout = root->layout;
  const struct cn_stored_layout *stored;
  char origin[ORIGIN_BYTES], fault[FAULT_BYTES];

  if (entry == NULL || layout == NULL)
    return;
  if (is_damaged(image, root))
    cairn_fatal("an image registers a damaged shared layout at %p", (const void *)entry);
  format_origin(entry, NULL, origin);
  switch (define(entry->name, layout, names_of(layout), origin, &stored)) {
  case DIFFERS:
    format_difference(entry->name, layout, origin, stored->layout, stored->origin, fault, sizeof fault);
    cairn_fatal("%s", fault);
  case NO_MEMORY:
    cn_report_out_of_memory("no memory for the layout \"%s\" of %s", entry->name, origin);
  case DEFINED:
  case DEFINED_ALREADY:
    break;
  }
}

void cn_shared_layouts_enter(const struct cairn_image *image)
{
  if (!has_shared_layouts(image))
    return;
  if (!cn_lock_take(CN_LOCK_LAYOUTS))
    cairn_fatal("an image is registered within a change of shared layouts");
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++)
    define_entry(image, root);
  fill_in(image);
  fill_in_waiting();
  cn_lock_release(CN_LOCK_LAYOUTS);
}

static bool find_undefined(const struct cairn_image *image, char *text, size_t size)
{
  for (const struct cairn_global_root *root = image->roots_start; root != image->roots_stop; root++) {
    const struct cairn_shared_layout *entry = cn_image_shared_layout(root);
    if (entry != NULL && __atomic_load_n(&entry->layout, __ATOMIC_ACQUIRE) == NULL) {
      snprintf(text, size, "\"%s\" of module %s", entry->name, entry->module);
      return true;
    }
  }
  return false;
}

bool cn_shared_layouts_find_undefined(char *text, size_t size)
{
  bool entered = cn_image_begin_reading(), found = false;
  const struct cn_image_list *list = cn_image_list();

  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL && !found;
       image = cn_image_with_roots_from(list, image->id + 1))
    found = find_undefined(&image->image, text, size);
  cn_image_end_reading(entered);
  return found;
}

/* ---- layouts that the program makes ---- */

enum { MAX_REFERENCES = 1 << 20 };
#define MAX_OBJECT_BYTES (UINT64_C(1) << 47)

/* The fault of `count` places of references in `bytes` bytes, or null. */
static const char *offsets_fault(const uint32_t *offsets, size_t count, uint64_t bytes)
{
  const uint32_t weak = CAIRN_ABI_LAYOUT_WEAK_OFFSET;

  CN_ASSERT(count == 0 || offsets != NULL);
  for (size_t i = 0; i < count; i++) {
    uint64_t offset = offsets[i] & ~weak;
    if (offset % sizeof(uintptr_t) != 0)
      return "a reference is not at a multiple of 8";
    if (offset + sizeof(uintptr_t) > bytes)
      return "a reference lies outside of the object";
    if (i != 0 && offset <= (offsets[i - 1] & ~weak))
      return "the places of references are not in ascending order";
  }
  return NULL;
}

static const char *sizes_fault(const struct cairn_layout_description *d)
{
  if (d->base_size > MAX_OBJECT_BYTES || d->elem_size > MAX_OBJECT_BYTES)
    return "the size is over 2^47 bytes";
  if (d->elem_size == 0)
    return d->base_size == 0                          ? "the size is 0"
           : d->elem_offset != 0 || d->elem_refs != 0 ? "an object without elements has places of elements"
                                                      : NULL;
  if (d->elem_offset > d->base_size || d->elem_offset > UINT32_MAX)
    return "the elements begin after the fixed part";
  return d->elem_refs != 0 && (d->elem_offset % sizeof(uintptr_t) != 0 || d->elem_size % sizeof(uintptr_t) != 0)
             ? "elements with references are not at multiples of 8"
             : NULL;
}

static bool has_weak_offset(const struct cairn_layout_description *d)
{
  for (size_t i = 0; i < d->base_refs + d->elem_refs; i++)
    if ((d->offsets[i] & CAIRN_ABI_LAYOUT_WEAK_OFFSET) != 0)
      return true;
  return false;
}

static const char *description_fault(const struct cairn_layout_description *d)
{
  const uint32_t allowed = CAIRN_ABI_LAYOUT_FINALISABLE | CAIRN_ABI_LAYOUT_FIXED | CAIRN_ABI_LAYOUT_EPHEMERON;

  if (d->size != sizeof *d)
    return "the description has another size";
  if (d->name == NULL || *d->name == '\0' || strnlen(d->name, CN_LAYOUT_NAME_BYTES + 1) > CN_LAYOUT_NAME_BYTES ||
      strchr(d->name, '\n') != NULL)
    return "the name is missing, has a line break or has more than 1024 bytes";
  if (d->base_refs > MAX_REFERENCES || d->elem_refs > MAX_REFERENCES)
    return "more than 1048576 references cannot be described";
  if (d->offsets == NULL && d->base_refs + d->elem_refs != 0)
    return "the places of references are missing";
  const char *fault = sizes_fault(d);
  if (fault == NULL)
    fault = offsets_fault(d->offsets, d->base_refs, d->base_size);
  if (fault == NULL && d->elem_refs != 0)
    fault = offsets_fault(d->offsets + d->base_refs, d->elem_refs, d->elem_size);
  if (fault == NULL && (d->flags & ~allowed) != 0)
    fault = "a flag is unknown";
  if (fault == NULL && (d->flags & CAIRN_ABI_LAYOUT_EPHEMERON) != 0 && !has_weak_offset(d))
    fault = "an ephemeron has no weak reference";
  return fault;
}

static size_t layout_bytes_of(const struct cairn_layout_description *d)
{
  size_t bytes = sizeof(struct cairn_layout) + (d->base_refs + d->elem_refs) * sizeof *d->offsets;
  size_t page = cn_os_page_bytes();

  return (bytes + page - 1) / page * page;
}

/* An object takes at least a word, as in compiled code. */
static void write_layout(const struct cairn_layout_description *d, struct cairn_layout *layout)
{
  size_t refs = d->base_refs + d->elem_refs;
  bool is_small = d->elem_size == 0 && d->base_size < CAIRN_ABI_OBJECT_ALIGN;

  CN_CHECK(description_fault(d) == NULL);
  *layout = (struct cairn_layout){.magic = CAIRN_ABI_LAYOUT_MAGIC,
                                  .base_refs = (uint32_t)d->base_refs,
                                  .base_size = is_small ? CAIRN_ABI_OBJECT_ALIGN : d->base_size,
                                  .elem_size = d->elem_size,
                                  .elem_offset = (uint32_t)d->elem_offset,
                                  .elem_refs = (uint32_t)d->elem_refs,
                                  .flags = d->flags | (has_weak_offset(d) ? CAIRN_ABI_LAYOUT_WEAK_FIELDS : 0) |
                                           (refs == 0 ? CAIRN_ABI_LAYOUT_NO_REFERENCES : 0)};
  if (refs != 0)
    memcpy(layout->offsets, d->offsets, refs * sizeof *layout->offsets);
}

static enum cairn_status define_made(const char *name, const struct cairn_layout *layout,
                                     const struct cairn_layout **made, char *fault, size_t size)
{
  const char *origin = "cairn_layout_make()";
  const struct cn_stored_layout *stored = NULL;
  size_t length = strlen(name);
  char type[CN_LAYOUT_NAME_BYTES + 1];

  CN_CHECK(length < sizeof type && layout->names == 0);
  /* The name of a type lacks the brackets of arrays, which messages add. */
  memcpy(type, name, length + 1);
  if (length > 2 && strcmp(type + length - 2, "[]") == 0)
    type[length - 2] = '\0';
  if (cn_layouts_are_checked() && cn_layouts_lack_service(layout, name, fault, size))
    return CAIRN_E_REFUSED;
  switch (define(name, layout, type, origin, &stored)) {
  case DIFFERS:
    format_difference(name, layout, origin, stored->layout, stored->origin, fault, size);
    return CAIRN_E_REFUSED;
  case NO_MEMORY:
    snprintf(fault, size, "no memory for the layout \"%s\"", name);
    return CAIRN_E_MEMORY;
  case DEFINED:
    fill_in_waiting();
    break;
  case DEFINED_ALREADY:
    break;
  }
  *made = stored->layout;
  return CAIRN_OK;
}

enum cairn_status cairn_layout_make(const struct cairn_layout_description *description,
                                    const struct cairn_layout **layout, char *fault, size_t size)
{
  const char *wrong = description_fault(description);

  *layout = NULL;
  if (wrong != NULL) {
    snprintf(fault, size, "the description of a layout is wrong: %s", wrong);
    return CAIRN_E_REFUSED;
  }
  size_t bytes = layout_bytes_of(description);
  struct cairn_layout *candidate = cn_os_resize_mapping(NULL, 0, bytes);
  if (candidate == NULL) {
    snprintf(fault, size, "no memory for the layout \"%s\"", description->name);
    return CAIRN_E_MEMORY;
  }
  write_layout(description, candidate);
  cn_defer_signals();
  enum cairn_status status = CAIRN_E_BUSY;
  snprintf(fault, size, "a signal handler interrupted another definition of a layout");
  if (cn_lock_take(CN_LOCK_LAYOUTS)) {
    status = define_made(description->name, candidate, layout, fault, size);
    cn_lock_release(CN_LOCK_LAYOUTS);
  }
  cn_undefer_signals();
  cn_os_free_mapping(candidate, bytes);
  return status;
}

const struct cairn_layout *cairn_layout_find(const char *name)
{
  CN_CHECK(name != NULL);
  const struct cn_stored_layout *stored = cn_layout_store_find(name);

  return stored != NULL ? stored->layout : NULL;
}
