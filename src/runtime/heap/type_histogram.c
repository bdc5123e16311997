/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts objects by type and field, and prints or visits the counts. Layouts of one type in several units share the
 * type's names, because linkers keep one copy. The counts are local to a call; the file has no state. Runs in phase
 * STOP, on the thread that stopped the others, without locks.
 */
#include "runtime/heap/managed_heap.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"

struct type_row {
  uint64_t key; /* identifies the type; during the visit of rows, the type's bytes */
  uint64_t count, bytes;
  const struct cairn_layout *layout; /* null: the row counts objects of unloaded images */
  size_t fields;                     /* where its fields begin */
};

struct field_row {
  uint64_t count, bytes, none;
};

struct type_histogram {
  const struct cn_heap_walk *walk;
  bool looks;                     /* fields are counted, too */
  CN_GROW(struct type_row) types; /* sorted by key */
  CN_GROW(struct field_row) fields;
  size_t last;
  uint64_t count, bytes;
};

static uint32_t field_count_of(const struct cairn_layout *layout)
{
  return layout != NULL ? layout->base_refs + layout->elem_refs : 0;
}

static struct type_row *insert_type(struct type_histogram *h, size_t at, struct type_row type)
{
  CN_ASSERT(at <= h->types.count);
  type.fields = h->fields.count;
  for (uint32_t i = 0; h->looks && i < field_count_of(type.layout); i++)
    cn_grow_push(&h->fields, (struct field_row){0});
  cn_grow_push(&h->types, type);
  memmove(&h->types.at[at + 1], &h->types.at[at], (h->types.count - 1 - at) * sizeof type);
  h->types.at[at] = type;
  h->last = at;
  return &h->types.at[at];
}

static struct type_row *find_or_add_type(struct type_histogram *h, uint64_t key, const struct cairn_layout *layout)
{
  if (h->last < h->types.count && h->types.at[h->last].key == key)
    return &h->types.at[h->last];
  size_t at = cn_sorted_count_below(&h->types.at->key, h->types.count, sizeof *h->types.at, key);
  if (at == h->types.count || h->types.at[at].key != key)
    return insert_type(h, at, (struct type_row){.key = key, .layout = layout});
  h->last = at;
  return &h->types.at[at];
}

/* The row of the layout's type. A layout with an equal name and other fields gets a separate row. */
static struct type_row *find_type_of_layout(struct type_histogram *h, const struct cairn_layout *layout)
{
  struct type_row *type = find_or_add_type(h, layout != NULL ? cn_layouts_type_key(layout) : 0, layout);

  if (field_count_of(type->layout) == field_count_of(layout))
    return type;
  return find_or_add_type(h, (uintptr_t)layout << 1, layout);
}

/* ---- fields ---- */

struct counted_object {
  struct type_histogram *histogram;
  struct field_row *fields;
};

/* The bytes of the object at `to`; 0: `to` lies outside the heap. */
static uint64_t object_bytes_at(const struct cn_heap_walk *walk, uintptr_t to)
{
  const struct cn_heap_range *range = cn_heap_walk_find_range(walk, to - CAIRN_ABI_HEADER_SIZE);
  const struct cairn_layout *layout;

  if (range == NULL || !range->blocks || to % CAIRN_ABI_OBJECT_ALIGN != 0)
    return 0;
  layout = cairn_object_layout(to);
  if (!cairn_layout_is_known(layout))
    return 0;
  struct cn_heap_object object = cn_heap_walk_read_object(walk, to, layout->elem_size != 0, range->end);
  return object.end - object.block;
}

static void count_field_target(void *env, uint32_t number, struct cairn_slot slot)
{
  const struct counted_object *object = env;
  CN_ASSERT(object->histogram->looks);
  struct field_row *field = &object->fields[number];
  uintptr_t to = cairn_slot_object(slot);

  if (to == 0) {
    field->none++;
    return;
  }
  field->count++;
  field->bytes += object_bytes_at(object->histogram->walk, to);
}

static void count_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  struct type_histogram *h = env;
  uint64_t bytes = object->end - object->block;

  CN_ASSERT(object->end <= range->end);
  if (object->layout != NULL && cn_is_filler_layout(object->layout))
    return;
  struct type_row *type = find_type_of_layout(h, object->layout);
  type->count++;
  type->bytes += bytes;
  h->count++;
  h->bytes += bytes;
  if (h->looks && field_count_of(object->layout) != 0)
    cn_heap_walk_visit_fields(object, count_field_target, &(struct counted_object){h, &h->fields.at[type->fields]});
}

/* ---- rows ---- */

static void visit_field_rows(const struct type_histogram *h, const struct type_row *type, struct cairn_heap_row row,
                             cairn_heap_row_visitor *visit, void *env)
{
  char name[2 * CN_LAYOUT_TEXT_BYTES];

  row.field = name;
  for (uint32_t i = 0; i < field_count_of(type->layout); i++) {
    CN_ASSERT(type->fields + i < h->fields.count);
    const struct field_row *field = &h->fields.at[type->fields + i];
    cn_layouts_format_field(type->layout, i, name, sizeof name);
    row.count = field->count;
    row.bytes = field->bytes;
    row.none = field->none;
    visit(env, &row);
  }
}

static void visit_type_rows(struct type_histogram *h, cairn_heap_row_visitor *visit, void *env)
{
  char text[CN_LAYOUT_TEXT_BYTES];

  for (size_t i = 0; i < h->types.count; i++)
    h->types.at[i].key = h->types.at[i].bytes;
  cn_sort_by_address(h->types.at, h->types.count, sizeof *h->types.at);
  for (size_t i = h->types.count; i-- > 0;) {
    const struct type_row *type = &h->types.at[i];
    struct cairn_heap_row row = {.type = "of images that were unloaded", .count = type->count, .bytes = type->bytes};
    if (type->layout != NULL) {
      cairn_layout_type(type->layout, text, sizeof text);
      row.type = text;
    }
    visit(env, &row);
    if (h->looks)
      visit_field_rows(h, type, row, visit, env);
  }
}

static void count_heap_objects(struct type_histogram *h)
{
  for (size_t i = 0; i < h->walk->ranges.count; i++)
    if (h->walk->ranges.at[i].blocks)
      cn_heap_walk_visit_range(h->walk, &h->walk->ranges.at[i], count_object, h);
}

static void free_histogram(struct type_histogram *h)
{
  cn_grow_free_array(&h->types);
  cn_grow_free_array(&h->fields);
}

static void print_type_row(void *env, const struct cairn_heap_row *row)
{
  (void)env;
  cn_report_print_text("cairn: %12llu %14llu  %s\n", (unsigned long long)row->count, (unsigned long long)row->bytes,
                       row->type);
}

void cn_type_histogram_print(uint64_t collection)
{
  struct cn_heap_walk walk = {.what = "CAIRN_HISTOGRAM: after", .collection = collection};
  struct type_histogram histogram = {.walk = &walk};

  cn_heap_walk_open(&walk);
  count_heap_objects(&histogram);
  cn_heap_walk_close(&walk);
  cn_report_print_text("cairn: after collection %llu: %llu objects of %llu bytes\n", (unsigned long long)collection,
                       (unsigned long long)histogram.count, (unsigned long long)histogram.bytes);
  visit_type_rows(&histogram, print_type_row, NULL);
  free_histogram(&histogram);
}

void cn_type_histogram_visit_rows(const struct cn_heap_walk *walk, cairn_heap_row_visitor *visit, void *env)
{
  struct type_histogram histogram = {.walk = walk, .looks = true};

  count_heap_objects(&histogram);
  visit_type_rows(&histogram, visit, env);
  free_histogram(&histogram);
}
