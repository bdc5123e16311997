/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the places of a frame's roots, by the frame's map or its region's manager, and lengthens lists of roots. The
 * walk and the caller's list have all state. Runs in phase STOP on any thread, or in phase MUTATE for the thread's own
 * stack, a waiting stack, or the stack of a mutator in a handshake.
 */
#include "runtime/roots/frame_roots.h"

#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

_Noreturn void cn_frame_roots_report_bad(const struct cn_walk *walk, const char *what)
{
  char place[CN_REPORT_PC];

  cairn_fatal("bad %s at pc %s: %s", walk->frame.map != NULL ? "frame map" : "code info manager",
              cn_report_format_return(walk->frame.pc, place), what);
}

/* The place that holds the frame's value of register `reg`. */
static uintptr_t *register_place(const struct cn_walk *walk, uint8_t reg)
{
  const struct cn_frame *frame = &walk->frame;
  uintptr_t *kept = cn_frame_register_place(frame, reg);

  CN_ASSERT(frame->map != NULL);
  if (reg >= CN_ARCH_REGISTER_COUNT || reg == cn_arch_sp_dwarf_number)
    cn_frame_roots_report_bad(walk, "a reference in a register that cannot hold one");
  if (frame->regs == NULL && !cn_arch_is_callee_saved(reg))
    cn_frame_roots_report_bad(walk, "a reference in a register that the callee may have overwritten");
  if (kept == NULL)
    cn_frame_roots_report_bad(walk, "a reference in a register that was not saved");
  return kept;
}

static uintptr_t memory_place(const struct cn_walk *walk, uint8_t base, int32_t offset)
{
  uintptr_t address = base == cn_arch_sp_dwarf_number ? walk->frame.sp : *register_place(walk, base);

  address += (uintptr_t)(intptr_t)offset;
  if (address % sizeof address != 0)
    cn_frame_roots_report_bad(walk, "a slot that is not aligned");
  if (address >= walk->stack_end)
    cn_frame_roots_report_bad(walk, "a slot that is not on the stack");
  return address;
}

static uintptr_t *place_of_location(const struct cn_walk *walk, const struct cn_frame_place *loc)
{
  if (loc->is_register)
    return register_place(walk, loc->reg);
  return (uintptr_t *)memory_place(walk, loc->reg, loc->offset);
}

static void visit_area_roots(const struct cn_walk *walk, const struct cn_described_area *area, cairn_stack_root *found,
                             void *env)
{
  uintptr_t address = memory_place(walk, area->reg, area->offset) + area->ref_offset;

  if ((area->ref_offset | area->stride) % sizeof address != 0)
    cn_frame_roots_report_bad(walk, "an area that is not aligned");
  for (uint64_t i = 0; i < area->count; i++, address += area->stride) {
    if (address >= walk->stack_end)
      cn_frame_roots_report_bad(walk, "an area that is not on the stack");
    found(env, (uintptr_t *)address, area->tag, (void *)(uintptr_t)area->parameter);
  }
}

_Static_assert(CAIRN_ROOT_DEFAULT == 0 && (int)CAIRN_ROOT_USER == (int)CAIRN_ABI_ROOT_USER,
               "tags of areas are those of <cairn/stack.h>");

void cn_frame_roots_visit_areas(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  const struct cn_frame_map *map = walk->frame.map;

  for (uint32_t i = 0; map != NULL && i < map->areas; i++)
    visit_area_roots(walk, &cn_map_areas(map)[i], found, env);
}

const struct cn_described_area *cn_frame_roots_area_at(const struct cn_walk *walk, uintptr_t slot, uintptr_t *start)
{
  const struct cn_frame_map *map = walk->frame.map;

  CN_ASSERT(!walk->past_end);
  for (uint32_t i = 0; map != NULL && i < map->areas; i++) {
    const struct cn_described_area *area = &cn_map_areas(map)[i];
    uint64_t stride = area->count > 1 ? area->stride : sizeof slot;
    *start = memory_place(walk, area->reg, area->offset) + area->ref_offset;
    if (area->tag == CAIRN_ROOT_DEFAULT && slot - *start < area->count * stride && (slot - *start) % stride == 0)
      return area;
  }
  return NULL;
}

static void visit_region_roots(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  const struct cn_code_region *region = &walk->frame.region;

  CN_ASSERT(walk->frame.map == NULL && region->manager != NULL);
  if (region->manager->enumerate == NULL)
    return;
  cn_code_regions_enter_region(region);
  region->manager->enumerate(&walk->iterator, found, env, region->data);
  cn_code_regions_leave_region();
}

/* Calls back for the roots with a code (index.h). */
static void visit_plain_roots(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  const struct cn_frame *frame = &walk->frame;
  const struct cn_frame_map *map = frame->map;

  if (map->extent != 0)
    memory_place(walk, cn_arch_sp_dwarf_number, (int32_t)(map->extent - sizeof(uintptr_t)));
  for (uint32_t i = 0; i < map->plain; i++) {
    unsigned reg = map->plain_at[i] & CN_PLAIN_REG_MASK;
    uintptr_t at = reg == CN_PLAIN_SP ? frame->sp : (uintptr_t)frame->place[reg];
    if (at == 0)
      cn_frame_roots_report_bad(walk, "a reference in a register that was not saved");
    found(env, (uintptr_t *)(at + (map->plain_at[i] - reg)), CAIRN_ROOT_DEFAULT, NULL);
  }
}

void cn_frame_roots_visit_others(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  const struct cn_frame_map *map = walk->frame.map;
  const struct cn_root *root = cn_map_roots(map);

  CN_ASSERT(map != NULL && (map->roots != 0 || map->areas != 0));
  for (uint32_t i = 0; i < map->roots; i++) {
    uintptr_t *base = place_of_location(walk, &root[i].base);
    if (root[i].is_derived)
      found(env, place_of_location(walk, &root[i].derived), CAIRN_ROOT_BASE, base);
    else
      found(env, base, CAIRN_ROOT_DEFAULT, NULL);
  }
  cn_frame_roots_visit_areas(walk, found, env);
}

void cn_frame_roots_visit_all(const struct cn_walk *walk, cairn_stack_root *found, void *env)
{
  const struct cn_frame_map *map = walk->frame.map;

  CN_ASSERT(!walk->past_end);
  if (map == NULL) {
    visit_region_roots(walk, found, env);
    return;
  }
  visit_plain_roots(walk, found, env);
  if (map->roots != 0 || map->areas != 0)
    cn_frame_roots_visit_others(walk, found, env);
}

void cn_root_slots_reserve(struct cn_root_slots *slots, size_t more)
{
  CN_CHECK(slots->count <= slots->room);
  if (slots->room - slots->count >= more)
    return;
  while (slots->room - slots->count < more)
    slots->at = cn_grow_array(slots->at, &slots->room, sizeof *slots->at);
  cn_os_prefer_large_pages((uintptr_t)slots->at, slots->room * sizeof *slots->at);
}
