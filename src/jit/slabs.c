/* SPDX-License-Identifier: Apache-2.0
 *
 * Divides slabs into parts. A slab's free memory is in gaps, each as large as it can be: its granule map leads from a
 * gap's first and last granule to the gap, so a part that comes back joins its neighbours in constant time. Gaps of all
 * slabs of a kind are in lists by size. A code slab is declared to the patch room once, which patches it through the
 * second mapping, and copies it for a child of fork(). The session's lock covers all calls and the state.
 */
#include "jit/slabs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <cairn/code.h>
#include <cairn/patch.h>
#include "base/check.h"
#include "base/near_memory.h"

enum {
  CLASSES_PER_POWER = 4, /* of two */
  CLASS_BITS = 2,
  GAPS_TRIED = 8 /* of the class that also has smaller gaps than the wanted one */
};
/* Two slabs are at most 2 GiB apart, which a branch reaches. */
#define REACH_BYTES (((uintptr_t)1 << 30) - ((uintptr_t)32 << 20))

struct cn_gap {
  struct cn_slab *slab;
  size_t start, count; /* granules */
  struct cn_gap *next, *previous;
};

struct cn_slab {
  struct cn_slab *next, *previous;
  enum cn_slab_kind kind;
  uintptr_t start;
  char *writable;
  size_t granules;
  struct cn_frame_table frames;
  struct cn_gap **gap_at; /* for each granule: the gap that begins or ends there, or null */
};

/* ---- gaps ---- */

/* The class of gaps of `count` granules: four classes per power of two. */
static unsigned class_of(size_t count)
{
  if (count < CLASSES_PER_POWER)
    return (unsigned)count;
  unsigned power = 63 - (unsigned)__builtin_clzl(count);
  unsigned class = (power - 1) * CLASSES_PER_POWER + (unsigned)(count >> (power - CLASS_BITS)) % CLASSES_PER_POWER;

  return class < CN_SLAB_SIZE_CLASSES ? class : CN_SLAB_SIZE_CLASSES - 1;
}

static void add_gap(struct cn_slab_store *store, struct cn_slab *slab, size_t start, size_t count)
{
  unsigned class = class_of(count);
  struct cn_gap *gap = cn_alloc(sizeof *gap);

  *gap = (struct cn_gap){.slab = slab, .start = start, .count = count, .next = store->gaps[class]};
  if (gap->next)
    gap->next->previous = gap;
  store->gaps[class] = gap;
  store->used_classes |= (uint64_t)1 << class;
  slab->gap_at[start] = slab->gap_at[start + count - 1] = gap;
}

static void remove_gap(struct cn_slab_store *store, struct cn_gap *gap)
{
  unsigned class = class_of(gap->count);
  struct cn_slab *slab = gap->slab;

  if (gap->next)
    gap->next->previous = gap->previous;
  if (gap->previous)
    gap->previous->next = gap->next;
  else
    store->gaps[class] = gap->next;
  if (!store->gaps[class])
    store->used_classes &= ~((uint64_t)1 << class);
  slab->gap_at[gap->start] = slab->gap_at[gap->start + gap->count - 1] = NULL;
  free(gap);
}

/* Gaps of a higher class than that of `count` are all large enough. */
static struct cn_gap *find_gap(const struct cn_slab_store *store, size_t count)
{
  unsigned class = class_of(count), tried = 0;
  struct cn_gap *gap = store->gaps[class];

  while (gap && gap->count < count && (++tried < GAPS_TRIED || class == CN_SLAB_SIZE_CLASSES - 1))
    gap = gap->next;
  if (gap && gap->count >= count)
    return gap;
  uint64_t above = class == CN_SLAB_SIZE_CLASSES - 1 ? 0 : store->used_classes >> (class + 1);
  return above ? store->gaps[class + 1 + (unsigned)__builtin_ctzl(above)] : NULL;
}

/* ---- slabs ---- */

/* Debuggers write breakpoints into code, which Linux refuses in a shared mapping without the write right
 * (findings/gdb-shared-code.sh). Where the system refuses the right, hardware breakpoints are left. */
static void admit_debugger(uintptr_t code, size_t bytes)
{
  if (cairn_code_is_debugged() && mprotect((void *)code, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    errno = 0;
}

static bool map_slab(struct cn_slabs *slabs, struct cn_slab *slab)
{
  size_t bytes = slab->granules * CN_SLAB_GRANULE_BYTES;

  if (slab->kind == CN_SLAB_DATA) {
    slab->writable = cn_map_data_near(slabs->near, REACH_BYTES, bytes);
    slab->start = (uintptr_t)slab->writable;
    return slab->writable != NULL;
  }
  slab->writable = cn_map_code_near(slabs->near, REACH_BYTES, bytes, &slab->start);
  if (!slab->writable)
    return false;
  admit_debugger(slab->start, bytes);
  enum cairn_status status = cairn_code_alias_add(slab->start, slab->start + bytes, slab->writable);
  if (status == CAIRN_OK)
    return true;
  munmap(slab->writable, bytes);
  munmap((void *)slab->start, bytes);
  errno = ENOMEM;
  return false;
}

static char *describe_refusal(enum cn_slab_kind kind, size_t bytes)
{
  if (errno == EEXIST)
    return cn_format("the addresses near the program's code are in use: no room for %zu bytes", bytes);
  return cn_format("the system refuses %zu bytes of %s: %s", bytes,
                   kind == CN_SLAB_CODE ? "executable memory (memfd_create)" : "memory", strerror(errno));
}

static bool add_slab(struct cn_slabs *slabs, enum cn_slab_kind kind, size_t granules, char **error)
{
  struct cn_slab_store *store = &slabs->stores[kind];
  struct cn_slab *slab = cn_alloc(sizeof *slab);
  size_t least = CN_SLAB_BYTES / CN_SLAB_GRANULE_BYTES;

  slab->kind = kind;
  slab->granules = (granules + least - 1) / least * least;
  if (!map_slab(slabs, slab)) {
    *error = describe_refusal(kind, slab->granules * CN_SLAB_GRANULE_BYTES);
    free(slab);
    return false;
  }
  slab->gap_at = cn_alloc(slab->granules * sizeof(struct cn_gap *));
  slab->next = store->slabs;
  if (slab->next)
    slab->next->previous = slab;
  store->slabs = slab;
  store->count++;
  add_gap(store, slab, 0, slab->granules);
  return true;
}

/* Called for a slab whose one gap is all of it. */
static void free_slab(struct cn_slab_store *store, struct cn_slab *slab)
{
  size_t bytes = slab->granules * CN_SLAB_GRANULE_BYTES;

  CN_CHECK(!slab->frames.parts);
  remove_gap(store, slab->gap_at[0]);
  if (slab->kind == CN_SLAB_CODE) {
    CN_CHECK(cairn_code_alias_remove(slab->start) == CAIRN_OK);
    munmap(slab->writable, bytes);
  }
  munmap((void *)slab->start, bytes);
  if (slab->next)
    slab->next->previous = slab->previous;
  if (slab->previous)
    slab->previous->next = slab->next;
  else
    store->slabs = slab->next;
  store->count--;
  for (size_t i = 0; i < CN_FRAME_TABLES_KEPT; i++)
    free(slab->frames.withdrawn[i]);
  free(slab->gap_at);
  free(slab);
}

/* Keep the slab for the next part, and unmap the one that was kept before. */
static void keep_empty(struct cn_slab_store *store, struct cn_slab *slab)
{
  if (store->empty)
    free_slab(store, slab);
  else
    store->empty = slab;
}

/* ---- parts ---- */

bool cn_slabs_take(struct cn_slabs *slabs, enum cn_slab_kind kind, size_t bytes, size_t alignment,
                   struct cn_slab_part *part, char **error)
{
  struct cn_slab_store *store = &slabs->stores[kind];
  size_t more = alignment > CN_SLAB_GRANULE_BYTES ? alignment - CN_SLAB_GRANULE_BYTES : 0;

  *error = NULL;
  CN_CHECK(bytes > 0 && alignment <= CN_SLAB_MAX_ALIGNMENT);
  if (bytes > REACH_BYTES) {
    *error = cn_format("%zu bytes of %s are more than a module can reach", bytes,
                       kind == CN_SLAB_CODE ? "code and constants" : "data");
    return false;
  }
  size_t count = (bytes + more + CN_SLAB_GRANULE_BYTES - 1) / CN_SLAB_GRANULE_BYTES;
  struct cn_gap *gap = find_gap(store, count);
  if (!gap && !add_slab(slabs, kind, count, error))
    return false;
  gap = gap ? gap : find_gap(store, count);
  struct cn_slab *slab = gap->slab;
  size_t start = gap->start, left = gap->count - count;
  remove_gap(store, gap);
  if (left)
    add_gap(store, slab, start + count, left);
  if (store->empty == slab)
    store->empty = NULL;
  part->slab = slab;
  part->start = slab->start + start * CN_SLAB_GRANULE_BYTES;
  part->bytes = count * CN_SLAB_GRANULE_BYTES;
  part->address = (part->start + alignment - 1) / alignment * alignment;
  part->writable = slab->writable + (part->address - slab->start);
  return true;
}

void cn_slabs_give(struct cn_slabs *slabs, struct cn_slab_part *part)
{
  struct cn_slab *slab = part->slab;

  if (!slab)
    return;
  struct cn_slab_store *store = &slabs->stores[slab->kind];
  size_t start = (part->start - slab->start) / CN_SLAB_GRANULE_BYTES, count = part->bytes / CN_SLAB_GRANULE_BYTES;
  memset(slab->writable + (part->start - slab->start), 0, part->bytes);
  *part = (struct cn_slab_part){0};
  struct cn_gap *before = start ? slab->gap_at[start - 1] : NULL;
  struct cn_gap *after = start + count < slab->granules ? slab->gap_at[start + count] : NULL;
  if (before) {
    start = before->start;
    count += before->count;
    remove_gap(store, before);
  }
  if (after) {
    count += after->count;
    remove_gap(store, after);
  }
  add_gap(store, slab, start, count);
  if (count == slab->granules)
    keep_empty(store, slab);
}

struct cn_frame_table *cn_slab_frames(struct cn_slab *slab)
{
  return &slab->frames;
}

void cn_slabs_free(struct cn_slabs *slabs)
{
  for (unsigned kind = 0; kind < CN_SLAB_KINDS; kind++) {
    struct cn_slab_store *store = &slabs->stores[kind];
    CN_CHECK(store->slabs == store->empty);
    if (store->empty)
      free_slab(store, store->empty);
    store->empty = NULL;
  }
}

/* ---- checks ---- */

static const char *gap_wrong(const struct cn_gap *gap, unsigned class)
{
  const struct cn_slab *slab = gap->slab;

  if (class_of(gap->count) != class)
    return "a gap is in the list of another size";
  if (gap->start + gap->count > slab->granules)
    return "a gap leaves its slab";
  if (slab->gap_at[gap->start] != gap || slab->gap_at[gap->start + gap->count - 1] != gap)
    return "a slab does not know a gap";
  if ((gap->start && slab->gap_at[gap->start - 1]) ||
      (gap->start + gap->count < slab->granules && slab->gap_at[gap->start + gap->count]))
    return "two gaps are neighbours";
  return NULL;
}

static const char *store_wrong(const struct cn_slab_store *store)
{
  for (unsigned class = 0; class < CN_SLAB_SIZE_CLASSES; class++) {
    if (!store->gaps[class] != !(store->used_classes >> class & 1))
      return "the bit of a list of gaps is wrong";
    for (const struct cn_gap *gap = store->gaps[class]; gap; gap = gap->next) {
      const char *wrong = gap->next && gap->next->previous != gap ? "a list of gaps is torn" : gap_wrong(gap, class);
      if (wrong)
        return wrong;
    }
  }
  return store->empty && (!store->empty->gap_at[0] || store->empty->gap_at[0]->count != store->empty->granules)
             ? "the empty slab has parts"
             : NULL;
}

const char *cn_slabs_wrong(const struct cn_slabs *slabs)
{
  const char *wrong = NULL;

  for (unsigned kind = 0; kind < CN_SLAB_KINDS && !wrong; kind++)
    wrong = store_wrong(&slabs->stores[kind]);
  return wrong;
}
