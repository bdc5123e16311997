/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the table of code regions (code_regions.c) in two levels: leaves of up to a page of regions, and an array
 * of the leaves. A change of a published table makes a new array and at most two new leaves, shares all other leaves,
 * and returns the replaced array and leaf to the caller as waste. One writer at a time changes the table, under
 * `writer_lock` of code_regions.c; this lock also guards the file's only state, a list of spare leaves and a spare
 * array. Any thread reads the table, in any phase, without a lock.
 *
 *     table   | last end, leaf | last end, leaf | ...
 *                        |
 *                        +-> | count | region | region | ... |     sorted, and not empty
 */
#include "runtime/walk/regions_table.h"

#include <string.h>
#include "base/check.h"
#include "base/sorted.h"
#include "runtime/os/os.h"

enum { LEAF_BYTES = 4096, LEAF_MAX_REGIONS = (LEAF_BYTES - 16) / sizeof(struct cn_code_region) };

struct cn_region_leaf {
  size_t count;
  struct cn_region_leaf *next; /* in the list of spare leaves */
  struct cn_code_region region[LEAF_MAX_REGIONS];
};
_Static_assert(sizeof(struct cn_region_leaf) <= LEAF_BYTES, "a page of the smallest size");
_Static_assert(LEAF_MAX_REGIONS >= 2, "a leaf that is full is split");

struct leaf_entry {
  uintptr_t end; /* end of the leaf's last region */
  struct cn_region_leaf *leaf;
};

struct cn_region_table {
  size_t bytes, count;
  struct leaf_entry entry[];
};

/* ---- look-up ---- */

/* The number of leaves that end below the address. */
static size_t count_leaves_below(const struct cn_region_table *table, uintptr_t address)
{
  return table == NULL ? 0 : cn_sorted_count_below(&table->entry->end, table->count, sizeof *table->entry, address);
}

static size_t count_regions_below(const struct cn_region_leaf *leaf, uintptr_t address)
{
  return cn_sorted_count_below(&leaf->region->end, leaf->count, sizeof *leaf->region, address);
}

/* The first region that ends at or above the address, or null. */
static const struct cn_code_region *first_region_ending_from(const struct cn_region_table *table, uintptr_t address)
{
  size_t i = count_leaves_below(table, address);

  if (table == NULL || i == table->count)
    return NULL;
  const struct cn_region_leaf *leaf = table->entry[i].leaf;
  CN_ASSERT(leaf->count != 0 && leaf->region[leaf->count - 1].end >= address);
  return &leaf->region[count_regions_below(leaf, address)];
}

bool cn_region_table_find(const struct cn_region_table *table, uintptr_t pc, struct cn_code_region *region)
{
  const struct cn_code_region *first = first_region_ending_from(table, pc);

  if (first == NULL || first->start >= pc)
    return false;
  *region = *first;
  return true;
}

bool cn_region_table_find_overlap(const struct cn_region_table *table, uintptr_t start, uintptr_t end,
                                  struct cn_code_region *region)
{
  const struct cn_code_region *first = first_region_ending_from(table, start + 1);

  if (first == NULL || first->start >= end)
    return false;
  *region = *first;
  return true;
}

/* ---- validity ---- */

static const char *leaf_wrong(const struct cn_region_leaf *leaf, uintptr_t *end)
{
  if (leaf->count == 0 || leaf->count > LEAF_MAX_REGIONS)
    return "code regions: a leaf has none, or more than there is room for";
  for (size_t i = 0; i < leaf->count; i++) {
    const struct cn_code_region *region = &leaf->region[i];
    if (region->start >= region->end || region->manager == NULL)
      return "code regions: one is empty, or has no manager";
    if (region->start < *end)
      return "code regions: two overlap, or are not sorted";
    *end = region->end;
  }
  return NULL;
}

const char *cn_region_table_wrong(const struct cn_region_table *table)
{
  const char *wrong = NULL;
  uintptr_t end = 0;

  if (table == NULL)
    return NULL;
  if (table->count == 0 || sizeof *table + table->count * sizeof(struct leaf_entry) > table->bytes)
    return "code regions: a table has no leaves, or more than there is room for";
  for (size_t i = 0; i < table->count && wrong == NULL; i++) {
    wrong = leaf_wrong(table->entry[i].leaf, &end);
    if (wrong == NULL && table->entry[i].end != end)
      wrong = "code regions: the table does not say where a leaf ends";
  }
  return wrong;
}

/* ---- memory ---- */

static struct cn_region_leaf *spare_leaf;
static struct cn_region_table *spare_table;

static struct cn_region_leaf *allocate_leaf(void)
{
  struct cn_region_leaf *leaf = spare_leaf;
  size_t page = cn_os_page_bytes();

  if (leaf != NULL)
    spare_leaf = leaf->next;
  else if ((leaf = cn_os_resize_mapping(NULL, 0, page < LEAF_BYTES ? LEAF_BYTES : page)) == NULL)
    return NULL;
  leaf->count = 0;
  return leaf;
}

static void free_leaf(struct cn_region_leaf *leaf)
{
  CN_ASSERT(leaf != spare_leaf); /* fails if the leaf is freed twice */
  leaf->next = spare_leaf;
  spare_leaf = leaf;
}

static void free_table(struct cn_region_table *table)
{
  CN_ASSERT(table != spare_table);
  if (spare_table != NULL)
    cn_os_free_mapping(spare_table, spare_table->bytes);
  spare_table = table;
}

static struct cn_region_table *allocate_table(size_t count)
{
  size_t needed = sizeof(struct cn_region_table) + count * sizeof(struct leaf_entry);
  size_t bytes = cn_os_page_bytes();
  struct cn_region_table *table = spare_table;

  CN_ASSERT(count != 0); /* null is the empty table */
  spare_table = NULL;
  if (table == NULL || table->bytes < needed) {
    if (table != NULL)
      cn_os_free_mapping(table, table->bytes);
    while (bytes < needed)
      bytes *= 2;
    table = cn_os_resize_mapping(NULL, 0, bytes);
    if (table == NULL)
      return NULL;
    table->bytes = bytes;
  }
  table->count = count;
  return table;
}

void cn_region_table_free_waste(const struct cn_region_waste *waste)
{
  if (waste->leaf != NULL)
    free_leaf(waste->leaf);
  if (waste->table != NULL)
    free_table(waste->table);
}

/* ---- changes ---- */

/* Make a table with `now` leaves in place of the i-th leaf. */
static bool replace_leaf(struct cn_region_table **table, size_t i, struct cn_region_leaf *const *leaves, size_t now,
                         struct cn_region_waste *waste)
{
  struct cn_region_table *old = *table, *new = NULL;
  size_t count = old != NULL ? old->count : 0, before = i < count ? 1 : 0;

  CN_ASSERT(i <= count && now <= 2);
  CN_ASSERT_VALID(cn_region_table_wrong(old));
  if (count - before + now != 0) {
    new = allocate_table(count - before + now);
    if (new == NULL)
      return false;
    if (old != NULL) {
      memcpy(new->entry, old->entry, i * sizeof *new->entry);
      memcpy(new->entry + i + now, old->entry + i + before, (count - i - before) * sizeof *new->entry);
    }
  }
  for (size_t j = 0; j < now; j++)
    new->entry[i + j] = (struct leaf_entry){leaves[j]->region[leaves[j]->count - 1].end, leaves[j]};
  CN_ASSERT_VALID(cn_region_table_wrong(new));
  *waste = (struct cn_region_waste){old, before ? old->entry[i].leaf : NULL};
  *table = new;
  return true;
}

static void append_regions(struct cn_region_leaf *leaf, const struct cn_code_region *from, size_t count)
{
  CN_ASSERT(leaf->count + count <= LEAF_MAX_REGIONS);
  memcpy(leaf->region + leaf->count, from, count * sizeof *from);
  leaf->count += count;
}

/* Copy the regions of `old`, which may be null, and `region` into one or two new leaves. Returns the number of leaves;
 * 0: out of memory. */
static size_t make_leaves_with_region(const struct cn_region_leaf *old, const struct cn_code_region *region,
                                      struct cn_region_leaf *leaves[2])
{
  size_t count = old != NULL ? old->count : 0;
  size_t at = old != NULL ? count_regions_below(old, region->start + 1) : 0;
  size_t first = count < LEAF_MAX_REGIONS ? count : count / 2; /* number of old regions in the first leaf */
  size_t parts = count < LEAF_MAX_REGIONS ? 1 : 2;

  leaves[0] = allocate_leaf();
  leaves[1] = leaves[0] != NULL && parts == 2 ? allocate_leaf() : NULL;
  if (leaves[0] == NULL || (parts == 2 && leaves[1] == NULL)) {
    if (leaves[0] != NULL)
      free_leaf(leaves[0]);
    return 0;
  }
  for (size_t i = 0; i <= count; i++) {
    struct cn_region_leaf *leaf = leaves[parts == 2 && i > first];
    if (i == at)
      append_regions(leaf, region, 1);
    else
      append_regions(leaf, &old->region[i - (i > at)], 1);
  }
  CN_ASSERT(leaves[0]->count + (parts == 2 ? leaves[1]->count : 0) == count + 1);
  return parts;
}

bool cn_region_table_insert(struct cn_region_table **table, const struct cn_code_region *region,
                            struct cn_region_waste *waste)
{
  struct cn_region_leaf *leaves[2];
  size_t count = *table != NULL ? (*table)->count : 0;
  size_t i = count_leaves_below(*table, region->start + 1);

  if (i == count && count != 0)
    i--; /* a region after all others goes into the last leaf */
  size_t parts = make_leaves_with_region(count != 0 ? (*table)->entry[i].leaf : NULL, region, leaves);
  if (parts == 0)
    return false;
  if (replace_leaf(table, i, leaves, parts, waste))
    return true;
  for (size_t j = 0; j < parts; j++)
    free_leaf(leaves[j]);
  return false;
}

bool cn_region_table_delete(struct cn_region_table **table, uintptr_t start, struct cn_region_waste *waste)
{
  size_t i = count_leaves_below(*table, start + 1);
  CN_ASSERT(*table != NULL && i < (*table)->count);
  const struct cn_region_leaf *old = (*table)->entry[i].leaf;
  size_t at = count_regions_below(old, start + 1);

  CN_ASSERT(at < old->count && old->region[at].start == start);
  if (old->count == 1)
    return replace_leaf(table, i, NULL, 0, waste);
  struct cn_region_leaf *leaf = allocate_leaf();
  if (leaf == NULL)
    return false;
  append_regions(leaf, old->region, at);
  append_regions(leaf, old->region + at + 1, old->count - at - 1);
  if (replace_leaf(table, i, &leaf, 1, waste))
    return true;
  free_leaf(leaf);
  return false;
}
