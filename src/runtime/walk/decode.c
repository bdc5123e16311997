/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes safepoints of frame maps into the form for walks, makes their entries of the index, and keeps their memory.
 * Checks once the facts that walks rely on: roots in the compact form of index.h lie in the frame, and the frame has
 * room for the registers that it saves. Runs on any thread, in any phase; the caller holds CN_LOCK_FRAMES and owns the
 * memory.
 */
#include "runtime/walk/decode.h"

#include "base/check.h"
#include "runtime/arch/arch.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

enum { SAVED_COUNT = CN_CALLEE_SAVED_COUNT + CN_ARCH_SAVED_VECTORS };
enum { MIN_CHUNK_BYTES = 128, MAX_CHUNK_BYTES = 8 << 20, WORD_BYTES = sizeof(uintptr_t) };
_Static_assert(CN_PLAIN_REGISTERS <= (int)CN_CALLEE_SAVED_COUNT && CN_PLAIN_REGISTERS < (int)CN_PLAIN_SP &&
                   (int)CN_PLAIN_SP == WORD_BYTES - 1,
               "a root's code is the number of a register, or a distance in words");

_Noreturn static void report_bad_map(const char *what, uintptr_t entry)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad frame map: %s, function %s", what, cn_report_format_pc(entry, place));
}

/* ---- codes of roots ---- */

/* The root code of a place; -1 if the place has no code. */
static int root_code_of(const struct cn_safepoint *safepoint, const struct cn_frame_place *loc)
{
  if (loc->is_register) {
    for (int i = 0; i < CN_PLAIN_REGISTERS; i++)
      if (cn_arch_callee_saved[i] == loc->reg)
        return i;
    return -1;
  }
  if (loc->reg != cn_arch_sp_dwarf_number || loc->offset < 0 || loc->offset % WORD_BYTES != 0 ||
      loc->offset > CN_PLAIN_MAX - CN_PLAIN_REG_MASK ||
      (safepoint->cfa_reg == cn_arch_sp_dwarf_number && loc->offset > safepoint->cfa_offset - 2 * WORD_BYTES))
    return -1;
  return loc->offset | CN_PLAIN_SP;
}

static int read_next_root_code(struct cn_safepoint *safepoint, const struct cn_framemap_function *function,
                               struct cn_root *root)
{
  if (cn_framemap_next_root(safepoint, root) != CN_FRAMEMAP_OK)
    report_bad_map("a root cannot be read", function->entry);
  return root->is_derived ? -1 : root_code_of(safepoint, &root->base);
}

/* `safepoint` is a copy, whose cursor advances. */
static uint32_t count_plain_roots(struct cn_safepoint safepoint, const struct cn_framemap_function *function)
{
  uint32_t plain = 0, roots = safepoint.roots;
  struct cn_root root;

  for (uint32_t i = 0; i < roots; i++)
    plain += read_next_root_code(&safepoint, function, &root) >= 0;
  return plain;
}

/* ---- saved registers ---- */

/* The offset of the return address from the CFA. */
static int32_t return_offset_of(const struct cn_safepoint *safepoint)
{
  return CN_ARCH_CALL_PUSHES_RETURN ? -WORD_BYTES : safepoint->return_address_offset;
}

/* The shape of the prologue; CN_ARCH_SHAPES if it has none. */
static unsigned shape_of(const struct cn_safepoint *safepoint)
{
  unsigned number = cn_arch_shape_of(safepoint->saved);

  if (number >= CN_ARCH_SHAPES ||
      (uintptr_t)cn_arch_return_slot(0, number) != (uintptr_t)(intptr_t)return_offset_of(safepoint))
    return CN_ARCH_SHAPES;
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    if ((safepoint->saved >> i & 1) &&
        (uintptr_t)(intptr_t)safepoint->saved_offset[i] != cn_arch_prologue_shapes[number].offset[i])
      return CN_ARCH_SHAPES;
  return number;
}

static bool is_outside(const struct cn_safepoint *safepoint, int32_t offset)
{
  return offset > -WORD_BYTES || offset % WORD_BYTES != 0 ||
         (safepoint->cfa_reg == cn_arch_sp_dwarf_number && offset < -safepoint->cfa_offset);
}

bool cn_maps_save_outside(const struct cn_safepoint *safepoint)
{
  int32_t pc = return_offset_of(safepoint);

  for (int i = 0; i < SAVED_COUNT; i++)
    if ((safepoint->saved >> i & 1) &&
        (is_outside(safepoint, safepoint->saved_offset[i]) || safepoint->saved_offset[i] == pc))
      return true;
  return pc != -WORD_BYTES && is_outside(safepoint, pc);
}

/* ---- memory ---- */

/* Each map follows a struct cn_map_prefix. */
struct cn_map_chunk {
  struct cn_map_chunk *older;
  size_t bytes, used; /* of `at` */
  unsigned char at[];
};

/* The size of the map with its arrays. Codes are read in groups, so their array is rounded up. */
static size_t map_bytes_of(const struct cn_frame_map *head)
{
  size_t codes = (head->plain + CN_ENTRY_CODES - 1) / CN_ENTRY_CODES * CN_ENTRY_CODES;
  size_t others = head->roots * sizeof(struct cn_root) + head->areas * sizeof(struct cn_described_area);

  if (head->plain <= CN_ENTRY_CODES) /* these codes are read from the table */
    codes = head->plain;
  size_t bytes = sizeof *head + codes * sizeof head->plain_at[0] + (others ? others + 2 * WORD_BYTES : 0) +
                 (head->pushed ? 0 : WORD_BYTES + CN_MAP_OFFSETS * sizeof(int32_t)) +
                 (head->has_landing ? 2 * WORD_BYTES + sizeof(struct cn_map_landing) : 0);
  return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

static struct cn_map_chunk *add_chunk(struct cn_map_memory *maps, struct cn_blocks *blocks, size_t least)
{
  size_t bytes = maps->newest == NULL ? MIN_CHUNK_BYTES : 2 * (sizeof *maps->newest + maps->newest->bytes);

  if (bytes > MAX_CHUNK_BYTES)
    bytes = MAX_CHUNK_BYTES;
  while (bytes < sizeof(struct cn_map_chunk) + least)
    bytes *= 2;
  struct cn_map_chunk *chunk = cn_blocks_take(blocks, bytes);
  if (chunk == NULL)
    cn_report_out_of_memory("no memory for decoded frame maps");
  if (bytes > CN_BLOCKS_MAX_BYTES)
    cn_os_prefer_large_pages((uintptr_t)chunk, bytes);
  *chunk = (struct cn_map_chunk){maps->newest, bytes - sizeof *chunk, 0};
  maps->newest = chunk;
  return chunk;
}

static struct cn_frame_map *allocate_map(struct cn_map_memory *maps, struct cn_blocks *blocks,
                                         const struct cn_frame_map *head, uintptr_t pc)
{
  struct cn_map_chunk *chunk = maps->newest;
  size_t bytes = sizeof(struct cn_map_prefix) + map_bytes_of(head);

  if (chunk == NULL || chunk->bytes - chunk->used < bytes)
    chunk = add_chunk(maps, blocks, bytes);
  CN_CHECK(bytes <= chunk->bytes - chunk->used);
  struct cn_map_prefix *prefix = (struct cn_map_prefix *)(chunk->at + chunk->used);
  chunk->used += bytes;
  *prefix = (struct cn_map_prefix){.pc = pc};
  struct cn_frame_map *map = (struct cn_frame_map *)(prefix + 1);
  *map = *head;
  return map;
}

void cn_maps_visit(const struct cn_map_memory *maps, cn_maps_visitor *visit)
{
  for (const struct cn_map_chunk *chunk = maps->newest; chunk != NULL; chunk = chunk->older)
    for (size_t used = 0; used < chunk->used;) {
      const struct cn_map_prefix *prefix = (const struct cn_map_prefix *)(chunk->at + used);
      const struct cn_frame_map *map = (const struct cn_frame_map *)(prefix + 1);
      used += sizeof *prefix + map_bytes_of(map);
      visit(map, prefix->pc);
    }
}

bool cn_maps_have(const struct cn_map_memory *maps, const struct cn_frame_map *map)
{
  const struct cn_map_chunk *chunk = maps->newest;

  while (chunk != NULL && (uintptr_t)map - (uintptr_t)chunk->at >= chunk->used)
    chunk = chunk->older;
  return chunk != NULL;
}

void cn_maps_free(struct cn_map_memory *maps, struct cn_blocks *blocks)
{
  for (struct cn_map_chunk *chunk = maps->newest, *older; chunk != NULL; chunk = older) {
    older = chunk->older;
    cn_blocks_give(blocks, chunk, sizeof *chunk + chunk->bytes);
  }
  maps->newest = NULL;
}

/* ---- maps ---- */

static void fill_landing(const struct cn_frame_map *map, const struct cn_landing *landing, uintptr_t entry,
                         uintptr_t pc)
{
  CN_CHECK(landing->pad <= INT32_MAX && pc > entry && pc - entry <= INT32_MAX);
  *cn_map_landing(map) =
      (struct cn_map_landing){.pad = landing->pad ? (int32_t)(entry + landing->pad - pc) : CN_MAP_BARRED,
                              .selector = landing->selector,
                              .popped = landing->popped};
}

const struct cn_frame_map *cn_maps_decode_safepoint(struct cn_map_memory *maps, struct cn_blocks *blocks,
                                                    const struct cn_framemap_function *function, uint32_t index,
                                                    uintptr_t pc)
{
  struct cn_safepoint safepoint;
  struct cn_root root;

  CN_ASSERT(index < function->safepoints);
  if (cn_framemap_read_safepoint(function, index, &safepoint) != CN_FRAMEMAP_OK)
    report_bad_map("a safepoint cannot be read", function->entry);
  if (cn_maps_save_outside(&safepoint))
    report_bad_map("a register is saved outside the frame", function->entry);
  uint32_t roots = safepoint.roots, plain = count_plain_roots(safepoint, function);
  unsigned shape = shape_of(&safepoint);
  struct cn_frame_map head = {.cfa_offset = safepoint.cfa_offset,
                              .cfa_reg = safepoint.cfa_reg,
                              .shape = shape < CN_ARCH_SHAPES ? shape & CN_ENTRY_SHAPE_MASK : 0,
                              .pushed = shape < CN_ARCH_SHAPES,
                              .saved = safepoint.saved & ((1u << CN_CALLEE_SAVED_COUNT) - 1),
                              .has_landing = safepoint.landing.pad != 0 || safepoint.landing.barred,
                              .plain = plain,
                              .roots = roots - plain,
                              .areas = safepoint.areas};
  struct cn_frame_map *map = allocate_map(maps, blocks, &head, pc);
  struct cn_root *other = (struct cn_root *)(uintptr_t)cn_map_roots(map);
  uint16_t *at = map->plain_at;
  for (uint32_t i = 0; i < roots; i++) {
    int code = read_next_root_code(&safepoint, function, &root);
    if (code < 0)
      *other++ = root;
    else
      *at++ = (uint16_t)code;
    if (code >= 0 && (code & CN_PLAIN_REG_MASK) == CN_PLAIN_SP && (uint32_t)code >= map->extent)
      map->extent = (uint32_t)code + 1; /* CN_PLAIN_SP is WORD_BYTES - 1 */
  }
  CN_CHECK(at == map->plain_at + plain && other == cn_map_roots(map) + map->roots);
  struct cn_described_area *area = (struct cn_described_area *)(uintptr_t)cn_map_areas(map);
  for (uint32_t i = 0; i < map->areas; i++)
    if (cn_framemap_next_area(&safepoint, &area[i]) != CN_FRAMEMAP_OK)
      report_bad_map("an area cannot be read", function->entry);
  CN_ASSERT(!map->pushed || safepoint.saved == map->saved); /* a shape has no vector registers */
  int32_t *saved = (int32_t *)(uintptr_t)cn_map_saved_offsets(map);
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT && !map->pushed; i++)
    saved[i] = safepoint.saved_offset[i];
  if (!map->pushed)
    saved[CN_CALLEE_SAVED_COUNT] = return_offset_of(&safepoint);
  for (int i = CN_CALLEE_SAVED_COUNT; i < (int)SAVED_COUNT && !map->pushed; i++)
    saved[i + 1] = safepoint.saved_offset[i];
  if (map->has_landing)
    fill_landing(map, &safepoint.landing, function->entry, pc);
  return map;
}

/* True if the frame pointer gives the end of the frame, whose prologue has a shape. */
static bool is_frame_pointer_chained(const struct cn_frame_map *map)
{
  return map->cfa_reg == cn_arch_callee_saved[CN_ARCH_FRAME_POINTER] &&
         map->cfa_offset == (int32_t)cn_arch_frame_record_bytes(map->shape) &&
         (map->saved >> CN_ARCH_FRAME_POINTER & 1);
}

/* The frame's size in words, for the key; 0: the frame is irregular. */
static uint64_t frame_words_of(const struct cn_frame_map *map)
{
  uint64_t words = 0, least = (map->extent + cn_arch_frame_record_bytes(map->shape)) / WORD_BYTES;

  if (!map->pushed || map->plain > CN_ENTRY_PLAIN_MAX)
    return 0;
  if (is_frame_pointer_chained(map))
    return least <= CN_ENTRY_WORDS_MASK ? CN_ENTRY_CHAINED_BIT | least : 0;
  if (map->cfa_reg == cn_arch_sp_dwarf_number && map->cfa_offset > 0 && map->cfa_offset % WORD_BYTES == 0)
    words = (uint64_t)map->cfa_offset / WORD_BYTES;
  return words <= CN_ENTRY_WORDS_MASK ? words : 0;
}

uint64_t cn_maps_entry_key(const struct cn_frame_map *map, uintptr_t pc)
{
  CN_CHECK(pc != 0 && pc >> (64 - CN_ENTRY_ADDRESS_SHIFT) == 0);
  return (uint64_t)pc << CN_ENTRY_ADDRESS_SHIFT | (map->has_landing ? CN_ENTRY_LANDING_BIT : 0) | frame_words_of(map);
}

uint64_t cn_maps_entry_value(const struct cn_frame_map *map)
{
  uint64_t plain = map->plain <= CN_ENTRY_PLAIN_MAX ? map->plain : 0;

  CN_CHECK((uintptr_t)map >> (64 - CN_ENTRY_ADDRESS_SHIFT) == 0);
  return (uint64_t)(uintptr_t)map << CN_ENTRY_ADDRESS_SHIFT | plain << CN_ENTRY_PLAIN_SHIFT | CN_ENTRY_SP_BIT |
         (map->roots || map->areas ? CN_ENTRY_OTHERS_BIT : 0) | map->shape;
}

void cn_maps_copy_codes(const struct cn_frame_map *map, uint16_t code[CN_ENTRY_CODES])
{
  for (uint32_t i = 0; i < CN_ENTRY_CODES; i++)
    code[i] = i < map->plain ? map->plain_at[i] : 0;
}
