/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts objects by type and field. Layouts of several units that have one type share its names: linkers keep one copy.
 * Phase STOP, on the thread that stopped the others.
 */
#include "runtime/heap/type_histogram.h"

#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/grow.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/image_layouts.h"

struct type {
  uint64_t key; /* identifies the type; when rows are visited, the bytes */
  uint64_t count, bytes;
  const struct cairn_layout *layout; /* null: of images that were unloaded */
  size_t fields;                     /* where its fields begin */
};

struct field {
  uint64_t count, bytes, none;
};

struct histogram {
  const struct cn_heap_walk *walk;
  bool looks;                 /* fields are counted, too */
  CN_GROW(struct type) types; /* sorted by key */
  CN_GROW(struct field) fields;
  size_t last;
  uint64_t count, bytes;
};

static uint32_t fields_of(const struct cairn_layout *layout)
{
  return layout != NULL ? layout->base_refs + layout->elem_refs : 0;
}

/* Inserts the type before the one at index `at`. */
static struct type *insert_type(struct histogram *h, size_t at, struct type type)
{
  CN_ASSERT(at <= h->types.count);
  type.fields = h->fields.count;
  for (uint32_t i = 0; h->looks && i < fields_of(type.layout); i++)
    cn_grow_push(&h->fields, (struct field){0});
  cn_grow_push(&h->types, type);
  memmove(&h->types.at[at + 1], &h->types.at[at], (h->types.count - 1 - at) * sizeof type);
  h->types.at[at] = type;
  h->last = at;
  return &h->types.at[at];
}

static struct type *type_by(struct histogram *h, uint64_t key, const struct cairn_layout *layout)
{
  if (h->last < h->types.count && h->types.at[h->last].key == key)
    return &h->types.at[h->last];
  size_t at = cn_sorted_below(&h->types.at->key, h->types.count, sizeof *h->types.at, key);
  if (at == h->types.count || h->types.at[at].key != key)
    return insert_type(h, at, (struct type){.key = key, .layout = layout});
  h->last = at;
  return &h->types.at[at];
}

/* Layouts with the name of the first one and other fields are a separate type. */
static struct type *type_of(struct histogram *h, const struct cairn_layout *layout)
{
  struct type *type = type_by(h, layout != NULL ? cn_layouts_type_key(layout) : 0, layout);

  if (fields_of(type->layout) == fields_of(layout))
    return type;
  return type_by(h, (uintptr_t)layout << 1, layout);
}

/* ---- fields ---- */

struct looked_at {
  struct histogram *histogram;
  struct field *fields;
};

/* The bytes of the object at `to`; 0: it lies outside the heap. */
static uint64_t bytes_at(const struct cn_heap_walk *walk, uintptr_t to)
{
  const struct cn_heap_range *range = cn_heap_walk_range_of(walk, to - CAIRN_ABI_HEADER_SIZE);
  const struct cairn_layout *layout;

  if (range == NULL || !range->blocks || to % CAIRN_ABI_OBJECT_ALIGN != 0)
    return 0;
  layout = cairn_object_layout(to);
  if (!cairn_layout_is_known(layout))
    return 0;
  struct cn_heap_object object = cn_heap_walk_object(walk, to, layout->elem_size != 0, range->end);
  return object.end - object.block;
}

static void add_field(void *env, uint32_t number, struct cairn_slot slot)
{
  const struct looked_at *object = env;
  CN_ASSERT(object->histogram->looks);
  struct field *field = &object->fields[number];
  uintptr_t to = cairn_slot_object(slot);

  if (to == 0) {
    field->none++;
    return;
  }
  field->count++;
  field->bytes += bytes_at(object->histogram->walk, to);
}

static void add_object(void *env, const struct cn_heap_object *object, const struct cn_heap_range *range)
{
  struct histogram *h = env;
  uint64_t bytes = object->end - object->block;

  CN_ASSERT(object->end <= range->end);
  if (object->layout != NULL && cn_is_filler(object->layout))
    return;
  struct type *type = type_of(h, object->layout);
  type->count++;
  type->bytes += bytes;
  h->count++;
  h->bytes += bytes;
  if (h->looks && fields_of(object->layout) != 0)
    cn_heap_walk_fields(object, add_field, &(struct looked_at){h, &h->fields.at[type->fields]});
}

/* ---- rows ---- */

static void visit_fields(const struct histogram *h, const struct type *type, struct cairn_heap_row row,
                         cairn_heap_row_visitor *visit, void *env)
{
  char name[2 * CN_LAYOUT_TEXT];

  row.field = name;
  for (uint32_t i = 0; i < fields_of(type->layout); i++) {
    CN_ASSERT(type->fields + i < h->fields.count);
    const struct field *field = &h->fields.at[type->fields + i];
    cn_layouts_field(type->layout, i, name, sizeof name);
    row.count = field->count;
    row.bytes = field->bytes;
    row.none = field->none;
    visit(env, &row);
  }
}

static void visit_rows(struct histogram *h, cairn_heap_row_visitor *visit, void *env)
{
  char text[CN_LAYOUT_TEXT];

  for (size_t i = 0; i < h->types.count; i++)
    h->types.at[i].key = h->types.at[i].bytes;
  cn_sorted_sort(h->types.at, h->types.count, sizeof *h->types.at);
  for (size_t i = h->types.count; i-- > 0;) {
    const struct type *type = &h->types.at[i];
    struct cairn_heap_row row = {.type = "of images that were unloaded", .count = type->count, .bytes = type->bytes};
    if (type->layout != NULL) {
      cairn_layout_type(type->layout, text, sizeof text);
      row.type = text;
    }
    visit(env, &row);
    if (h->looks)
      visit_fields(h, type, row, visit, env);
  }
}

static void count_all(struct histogram *h)
{
  for (size_t i = 0; i < h->walk->ranges.count; i++)
    if (h->walk->ranges.at[i].blocks)
      cn_heap_walk_range(h->walk, &h->walk->ranges.at[i], add_object, h);
}

static void free_tables(struct histogram *h)
{
  cn_grow_free(&h->types);
  cn_grow_free(&h->fields);
}

static void print_row(void *env, const struct cairn_heap_row *row)
{
  (void)env;
  cn_report_text("cairn: %12llu %14llu  %s\n", (unsigned long long)row->count, (unsigned long long)row->bytes,
                 row->type);
}

void cn_type_histogram(uint64_t collection)
{
  struct cn_heap_walk walk = {.what = "CAIRN_HISTOGRAM: after", .collection = collection};
  struct histogram histogram = {.walk = &walk};

  cn_heap_walk_open(&walk);
  count_all(&histogram);
  cn_heap_walk_close(&walk);
  cn_report_text("cairn: after collection %llu: %llu objects of %llu bytes\n", (unsigned long long)collection,
                 (unsigned long long)histogram.count, (unsigned long long)histogram.bytes);
  visit_rows(&histogram, print_row, NULL);
  free_tables(&histogram);
}

void cn_type_histogram_rows(const struct cn_heap_walk *walk, cairn_heap_row_visitor *visit, void *env)
{
  struct histogram histogram = {.walk = walk, .looks = true};

  count_all(&histogram);
  visit_rows(&histogram, visit, env);
  free_tables(&histogram);
}
