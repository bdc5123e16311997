/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table from return addresses (open addressing, at most half full) and a sorted table of
 * functions.
 */
#include "runtime/frames.h"

#include "runtime/arch/arch.h"
#include "runtime/grow.h"
#include "runtime/image.h"
#include "runtime/os/os.h"
#include "runtime/report.h"

struct slot {
  uintptr_t pc; /* 0: empty */
  uint32_t function, index;
  struct cn_map *map; /* null: not decoded yet */
};

static CN_GROW(struct cn_framemap_function) functions; /* by entry */
static struct slot *slots;
static size_t slot_bytes;
static unsigned slot_bits;
static uint64_t built; /* cn_image_generation() of the tables; 0: none */

static size_t hash(uintptr_t pc)
{
  return (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - slot_bits));
}

static struct slot *probe(uintptr_t pc)
{
  size_t mask = ((size_t)1 << slot_bits) - 1;
  size_t i = hash(pc);

  while (slots[i].pc != 0 && slots[i].pc != pc)
    i = (i + 1) & mask;
  return &slots[i];
}

_Noreturn static void bad(const char *what, uintptr_t entry)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad frame map: %s, function %s", what, cn_report_pc(entry, place));
}

/* ---- decoded safepoints ---- */

enum { CHUNK = 64 << 10 };

struct chunk {
  unsigned char *at;
  size_t bytes, used;
};
static CN_GROW(struct chunk) chunks;

static void forget_maps(void)
{
  for (size_t i = 0; i < chunks.count; i++)
    cn_os_free(chunks.at[i].at, chunks.at[i].bytes);
  chunks.count = 0;
}

static void *take(size_t bytes)
{
  bytes = (bytes + 7) & ~(size_t)7;
  if (chunks.count == 0 ||
      chunks.at[chunks.count - 1].bytes - chunks.at[chunks.count - 1].used < bytes) {
    size_t room = bytes > CHUNK ? (bytes + CHUNK - 1) / CHUNK * CHUNK : CHUNK;
    unsigned char *at = cn_os_resize(NULL, 0, room);
    if (at == NULL)
      cairn_fatal("no memory for decoded frame maps");
    cn_grow_push(&chunks, (struct chunk){at, room, 0});
  }
  struct chunk *chunk = &chunks.at[chunks.count - 1];
  chunk->used += bytes;
  return chunk->at + chunk->used - bytes;
}

static void decode_head(struct cn_map *map, const struct cn_safepoint *safepoint)
{
  map->cfa_reg = safepoint->cfa_reg;
  map->cfa_offset = safepoint->cfa_offset;
  for (int i = 0; i < CN_CALLEE_SAVED; i++)
    if (safepoint->saved >> i & 1) {
      map->saved[map->saves].reg = (uint8_t)i;
      map->saved[map->saves++].offset = safepoint->saved_offset[i];
    }
}

static struct cn_map *decode(const struct cn_framemap_function *function, uint32_t index)
{
  struct cn_safepoint safepoint;

  if (cn_framemap_safepoint(function, index, &safepoint) != CN_FRAMEMAP_OK)
    bad("a safepoint cannot be read", function->entry);
  size_t roots = safepoint.roots, areas = safepoint.areas;
  struct cn_map *map = take(sizeof *map + roots * sizeof *map->root);
  struct cn_area *area = take(areas * sizeof *area);
  *map = (struct cn_map){.roots = safepoint.roots, .areas = safepoint.areas, .area = area};
  decode_head(map, &safepoint);
  for (size_t i = 0; i < roots; i++)
    if (cn_framemap_next_root(&safepoint, &map->root[i]) != CN_FRAMEMAP_OK)
      bad("a root cannot be read", function->entry);
  for (size_t i = 0; i < areas; i++)
    if (cn_framemap_next_area(&safepoint, &area[i]) != CN_FRAMEMAP_OK)
      bad("an area cannot be read", function->entry);
  return map;
}

/* ---- the index ---- */

/* Returns how many safepoints there are. */
static size_t collect_functions(void)
{
  size_t safepoints = 0;

  functions.count = 0;
  for (size_t i = 0; i < cn_image_count(); i++) {
    const struct cairn_image *image = cn_image_at(i);
    const unsigned char *cursor = image->frames_start;
    struct cn_framemap_function function;
    int status = CN_FRAMEMAP_NONE;
    while (cursor != NULL && (status = cn_framemap_next_function(&cursor, image->frames_stop,
                                                                 &function)) == CN_FRAMEMAP_OK) {
      cn_grow_push(&functions, function);
      safepoints += function.safepoints;
    }
    if (status != CN_FRAMEMAP_NONE)
      cairn_fatal("bad frame map: image %zu, offset %zu of section cairn_frames", i,
                  (size_t)(cursor - image->frames_start));
  }
  return safepoints;
}

/* Heap sort: no memory, no recursion, never quadratic. */
static void sift(size_t root, size_t count)
{
  struct cn_framemap_function moving = functions.at[root];

  for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count && functions.at[child].entry < functions.at[child + 1].entry)
      child++;
    if (moving.entry >= functions.at[child].entry)
      break;
    functions.at[root] = functions.at[child];
    root = child;
  }
  functions.at[root] = moving;
}

static void sort_functions(void)
{
  for (size_t i = functions.count / 2; i-- > 0;)
    sift(i, functions.count);
  for (size_t last = functions.count; last-- > 1;) {
    struct cn_framemap_function greatest = functions.at[0];
    functions.at[0] = functions.at[last];
    functions.at[last] = greatest;
    sift(0, last);
  }
}

static void size_table(size_t safepoints)
{
  for (slot_bits = 4; (size_t)1 << slot_bits < 2 * safepoints; slot_bits++)
    ;
  size_t page = cn_os_page();
  size_t bytes = (((size_t)1 << slot_bits) * sizeof *slots + page - 1) / page * page;
  if (slots == NULL || bytes > slot_bytes) {
    slots = cn_os_resize(slots, slot_bytes, bytes);
    if (slots == NULL)
      cairn_fatal("no memory for an index of %zu safepoints", safepoints);
    slot_bytes = bytes;
  }
  for (size_t i = 0; i < (size_t)1 << slot_bits; i++)
    slots[i] = (struct slot){0};
}

static void index_function(uint32_t number)
{
  const struct cn_framemap_function *function = &functions.at[number];

  for (uint32_t i = 0; i < function->safepoints; i++) {
    uint32_t offset;
    if (cn_framemap_return_offset(function, i, &offset) != CN_FRAMEMAP_OK ||
        offset > function->code_size)
      bad("a return offset cannot be read", function->entry);
    struct slot *slot = probe(function->entry + offset);
    /* A linker that folds identical functions leaves one body with several, equal maps. */
    if (slot->pc != 0 && functions.at[slot->function].entry != function->entry)
      bad("two functions claim one return address", function->entry);
    if (slot->pc == 0)
      *slot = (struct slot){function->entry + offset, number, i, NULL};
  }
}

static void build(void)
{
  forget_maps();
  size_table(collect_functions());
  sort_functions();
  for (size_t i = 0; i < functions.count; i++)
    index_function((uint32_t)i);
  built = cn_image_generation();
}

const struct cn_map *cn_frames_find(uintptr_t pc)
{
  if (slots == NULL || built != cn_image_generation())
    build();
  struct slot *slot = probe(pc);
  if (slot->pc == 0)
    return NULL;
  if (slot->map == NULL)
    slot->map = decode(&functions.at[slot->function], slot->index);
  return slot->map;
}

bool cn_frames_inside(uintptr_t pc)
{
  size_t low = 0, high = functions.count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (functions.at[middle].entry < pc)
      low = middle + 1;
    else
      high = middle;
  }
  /* The last function that starts below pc; a call may be its last instruction. */
  return low > 0 && pc - functions.at[low - 1].entry <= functions.at[low - 1].code_size;
}
