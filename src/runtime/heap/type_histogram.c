/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts of several units that have one type share its names, of which linkers keep one copy.
 */
#include "runtime/heap/type_histogram.h"

#include <string.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/core/grow.h"
#include "runtime/core/report.h"
#include "runtime/heap/buffer.h"
#include "runtime/heap/heap_walk.h"
#include "runtime/heap/layouts.h"

struct type {
  uint64_t key; /* what tells types apart, and in the end the bytes */
  uint64_t count, bytes;
  const struct cairn_layout *layout; /* null: of images that were unloaded */
};

struct histogram {
  CN_GROW(struct type) types; /* sorted by key */
  size_t last;
  uint64_t count, bytes;
};

/* Insert the type before that at index `at`. */
static struct type *insert(struct histogram *h, size_t at, struct type type)
{
  CN_ASSERT(at <= h->types.count);
  cn_grow_push(&h->types, type);
  memmove(&h->types.at[at + 1], &h->types.at[at], (h->types.count - 1 - at) * sizeof type);
  h->types.at[at] = type;
  h->last = at;
  return &h->types.at[at];
}

static struct type *type_of(struct histogram *h, const struct cairn_layout *layout)
{
  uint64_t key = layout != NULL ? cn_layouts_type_key(layout) : 0;

  if (h->last < h->types.count && h->types.at[h->last].key == key)
    return &h->types.at[h->last];
  size_t at = cn_sorted_below(&h->types.at->key, h->types.count, sizeof *h->types.at, key);
  if (at == h->types.count || h->types.at[at].key != key)
    return insert(h, at, (struct type){.key = key, .layout = layout});
  h->last = at;
  return &h->types.at[at];
}

static void add(void *env, const struct cn_heap_object *object, const struct cn_stretch *stretch)
{
  struct histogram *h = env;
  uint64_t bytes = object->end - object->block;

  CN_ASSERT(object->end <= stretch->end);
  if (object->layout != NULL && cn_buffer_is_filler(object->layout))
    return;
  struct type *type = type_of(h, object->layout);
  type->count++;
  type->bytes += bytes;
  h->count++;
  h->bytes += bytes;
}

static void print(struct histogram *h, uint64_t collection)
{
  char text[CN_LAYOUT_TEXT];

  cn_report_text("cairn: after collection %llu: %llu objects of %llu bytes\n",
                 (unsigned long long)collection, (unsigned long long)h->count,
                 (unsigned long long)h->bytes);
  for (size_t i = 0; i < h->types.count; i++)
    h->types.at[i].key = h->types.at[i].bytes;
  cn_sorted_sort(h->types.at, h->types.count, sizeof *h->types.at);
  for (size_t i = h->types.count; i-- > 0;) {
    const struct type *type = &h->types.at[i];
    if (type->layout != NULL)
      cairn_layout_type(type->layout, text, sizeof text);
    cn_report_text("cairn: %12llu %14llu  %s\n", (unsigned long long)type->count,
                   (unsigned long long)type->bytes,
                   type->layout != NULL ? text : "of images that were unloaded");
  }
}

void cn_type_histogram(uint64_t collection)
{
  struct cn_heap_walk walk = {.what = "CAIRN_HISTOGRAM: after", .collection = collection};
  struct histogram histogram = {.last = 0};

  cn_heap_walk_open(&walk);
  for (size_t i = 0; i < walk.stretches.count; i++)
    if (walk.stretches.at[i].blocks)
      cn_heap_walk_stretch(&walk, &walk.stretches.at[i], add, &histogram);
  cn_heap_walk_close(&walk);
  print(&histogram, collection);
  cn_grow_free(&histogram.types);
}
