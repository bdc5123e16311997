/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes sites: the deopt operands from the details of a safepoint, with the bases of derived references from its
 * frame map, and the frame records of the operands. The index over frame maps keeps a site with its safepoint and drops
 * it with the image (cn_index_keep()), so the file is stateless. Any thread, any phase; a first look-up takes
 * CN_LOCK_IMAGES, then CN_LOCK_FRAMES. Malformed details end the program, malformed records are a status.
 */
#include "deopt/site.h"

#include <string.h>
#include "base/check.h"
#include "framemap/details.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/os/os.h"

enum { MOST_ON_STACK = 64 }; /* operands that are decoded without a mapping */

/* ---- operands ---- */

static bool is_same_place(const struct cn_frame_place *one, const struct cn_frame_place *other)
{
  return one->is_register == other->is_register && one->reg == other->reg &&
         (one->is_register || one->offset == other->offset);
}

/* The place of a root code (index.h). */
static struct cn_frame_place place_of_code(uint16_t code)
{
  unsigned reg = code & CN_PLAIN_REG_MASK;

  if (reg < CN_PLAIN_REGISTERS)
    return (struct cn_frame_place){.is_register = 1, .reg = cn_arch_callee_saved[reg]};
  return (struct cn_frame_place){.reg = cn_arch_sp_dwarf_number, .offset = code - CN_PLAIN_SP};
}

/* Find the root at the place. False: the place is no root. */
static bool find_root(const struct cn_frame_map *map, const struct cn_frame_place *loc, struct cn_root *root)
{
  const struct cn_root *others = cn_map_roots(map);

  for (uint32_t i = 0; i < map->plain; i++) {
    *root = (struct cn_root){.base = place_of_code(map->plain_at[i])};
    if (is_same_place(&root->base, loc))
      return true;
  }
  for (uint32_t i = 0; i < map->roots; i++)
    if (is_same_place(others[i].is_derived ? &others[i].derived : &others[i].base, loc)) {
      *root = others[i];
      return true;
    }
  return false;
}

/* Values of a statepoint that a front end wrote have an unknown class: roots are references, and others are integers of
 * the place's size. */
static void guess_class(struct cn_operand *operand, const struct cn_deopt_value *value, bool is_root)
{
  operand->value_class = CAIRN_DEOPT_INTEGER;
  operand->bits = 64;
  if (is_root)
    operand->value_class = CAIRN_DEOPT_REFERENCE;
  else if (value->kind == CN_DEOPT_ADDRESS)
    operand->value_class = CAIRN_DEOPT_LOCAL;
  else if (value->size >= 1 && value->size <= CAIRN_ABI_DEOPT_BITS_MAX / 8)
    operand->bits = (uint8_t)(8 * value->size);
}

static struct cn_operand make_operand(const struct cn_frame_map *map, const struct cn_deopt_value *value)
{
  struct cn_operand operand = {.value_class = value->value_class, .bits = value->bits};
  struct cn_root root;
  bool is_root = value->kind == CN_DEOPT_VALUE && find_root(map, &value->loc, &root);

  if (value->value_class == CAIRN_ABI_POINT_UNKNOWN)
    guess_class(&operand, value, is_root);
  if (value->kind == CN_DEOPT_CONSTANT) {
    operand.constant = value->constant;
    return operand;
  }
  operand.loc = value->loc;
  operand.kind = value->kind == CN_DEOPT_ADDRESS ? CN_OPERAND_ADDRESS : CN_OPERAND_PLACE;
  if (is_root && operand.value_class == CAIRN_DEOPT_REFERENCE) {
    operand.is_derived = root.is_derived;
    operand.base = root.base;
  }
  return operand;
}

static struct cn_operand operand_of(const struct cn_frame_map *map, const struct cn_deopt_value *value)
{
  struct cn_operand operand = make_operand(map, value);

  operand.source = (uint8_t)cn_deopt_source_of(&operand);
  return operand;
}

/* ---- decoding ---- */

static size_t layouts_offset_of(const struct cn_deopt_site *site)
{
  return sizeof *site + site->operands * sizeof(struct cn_operand);
}

static size_t objects_offset_of(const struct cn_deopt_site *site)
{
  return layouts_offset_of(site) + site->size.objects * sizeof(struct cairn_layout *);
}

static size_t frames_offset_of(const struct cn_deopt_site *site)
{
  return objects_offset_of(site) + site->size.objects * sizeof(struct cn_object_record);
}

_Static_assert(sizeof(struct cn_operand) % 8 == 0 && sizeof(struct cn_object_record) % 8 == 0 &&
                   sizeof(struct cn_deopt_site) % 8 == 0 && _Alignof(struct cn_frame_record) <= 8,
               "arrays that follow each other are aligned");

size_t cn_deopt_site_bytes(uint32_t operands, const struct cn_records_size *size)
{
  const struct cn_deopt_site site = {.operands = operands, .size = *size};

  return frames_offset_of(&site) + size->frames * sizeof(struct cn_frame_record) +
         size->values * sizeof(struct cn_state_value);
}

const struct cn_object_record *cn_deopt_site_objects(const struct cn_deopt_site *site)
{
  return (const struct cn_object_record *)((const char *)site + objects_offset_of(site));
}

const struct cairn_layout *_Atomic *cn_deopt_site_layouts(const struct cn_deopt_site *site)
{
  return (const struct cairn_layout *_Atomic *)((uintptr_t)site + layouts_offset_of(site));
}

const char *cn_deopt_site_wrong(const struct cn_deopt_site *site)
{
  const struct cn_operand *operands = cn_deopt_site_operands(site);

  for (uint32_t i = 0; i < site->operands; i++)
    if (operands[i].bits < 1 || operands[i].bits > 128 || operands[i].value_class > CAIRN_DEOPT_VECTOR)
      return "site: an operand without a class or a width";
  if ((site->status == CAIRN_E_RECORD) != (site->fault.text != NULL))
    return "site: a fault without its status, or the other way round";
  if (site->status != CAIRN_OK && (site->size.frames | site->size.objects) != 0)
    return "site: frames or objects without records";
  return site->status != CAIRN_OK
             ? NULL
             : cn_records_wrong(site->operands, &site->size, cn_deopt_site_frames(site), cn_deopt_site_objects(site));
}

/* Read all operands into the array, which has room for details->deopts of them. */
static void read_operands(uintptr_t pc, const struct cn_frame_map *map, struct cn_details *details,
                          struct cn_operand *operands)
{
  struct cn_deopt_value value;
  char place[CN_REPORT_PC];
  int status;

  while ((status = cn_details_next_deopt(details, &value)) == CN_FRAMEMAP_OK)
    *operands++ = operand_of(map, &value);
  if (status != CN_FRAMEMAP_NONE)
    cairn_fatal("bad details: deopt values, pc %s", cn_report_format_pc(pc, place));
}

/* A site to be copied, and its operands. */
struct new_site {
  struct cn_deopt_site site;
  const struct cn_operand *operands;
};

static void find_values(struct cn_deopt_site *site)
{
  struct cn_state_value *value = (struct cn_state_value *)(uintptr_t)cn_deopt_site_values(site);

  for (uint32_t i = 0; i < site->size.frames; i++) {
    const struct cairn_deopt_frame *frame = &cn_deopt_site_frames(site)[i].frame;
    const struct cn_operand *operand = cn_deopt_site_operands(site) + frame->first;
    for (uint32_t k = 0; k < frame->locals + frame->stack; k++, operand++, value++) {
      value->source = operand->source;
      value->to = operand->value_class == CAIRN_DEOPT_REFERENCE ? CAIRN_ABI_DEOPT_ITEM_REFERENCE / 8
                                                                : CAIRN_ABI_DEOPT_ITEM_WORD / 8;
      value->info = (uint16_t)(operand->value_class | 64u << 8);
      if (operand->source == CN_SOURCE_CONSTANT)
        value->from = (int32_t)((uintptr_t)&operand->constant - (uintptr_t)site);
      else if (operand->source == CN_SOURCE_STACK)
        value->from = operand->loc.offset;
      site->others += operand->source == CN_SOURCE_OTHER;
    }
  }
}

static void fill_site(void *memory, void *env)
{
  const struct new_site *new_site = env;

  CN_ASSERT((uintptr_t)memory % _Alignof(struct cn_deopt_site) == 0);
  memset(memory, 0, cn_deopt_site_bytes(new_site->site.operands, &new_site->site.size));
  cn_deopt_site_write(memory, &new_site->site, new_site->operands);
}

void cn_deopt_site_write(struct cn_deopt_site *site, const struct cn_deopt_site *head,
                         const struct cn_operand *operands)
{
  CN_ASSERT(head->operands != 0);
  site->pc = head->pc;
  site->status = head->status;
  site->fault = head->fault;
  site->operands = head->operands;
  site->size = head->size;
  for (uint32_t i = 0; i < site->operands; i++)
    site->losable += cn_deopt_may_lose_operand(&operands[i]);
  site->frames_at = (uint32_t)frames_offset_of(site);
  memcpy(site + 1, operands, site->operands * sizeof *operands);
  if (site->status == CAIRN_OK) {
    cn_records_decode(cn_deopt_site_operands(site), site->operands, &site->size,
                      (struct cn_frame_record *)(uintptr_t)cn_deopt_site_frames(site),
                      (struct cn_object_record *)(uintptr_t)cn_deopt_site_objects(site));
    find_values(site);
  }
  CN_ASSERT_VALID(cn_deopt_site_wrong(site));
}

static const struct cn_deopt_site *keep_site(uintptr_t pc, const struct cn_frame_map *map, struct cn_details *details,
                                             struct cn_operand *operands)
{
  struct new_site new_site = {.site = {.pc = pc, .operands = details->deopts}, .operands = operands};
  struct cn_deopt_site *site = &new_site.site;

  read_operands(pc, map, details, operands);
  site->status = cn_records_check(operands, site->operands, &site->size, &site->fault);
  return cn_index_keep(map, cn_deopt_site_bytes(site->operands, &site->size), fill_site, &new_site);
}

static const struct cn_deopt_site *decode_site(uintptr_t pc, const struct cn_frame_map *map, struct cn_details *details)
{
  struct cn_operand few[MOST_ON_STACK], *many;

  if (details->deopts <= MOST_ON_STACK)
    return keep_site(pc, map, details, few);
  size_t bytes = details->deopts * sizeof *many;
  many = cn_os_resize_mapping(NULL, 0, bytes);
  if (many == NULL)
    cn_report_out_of_memory("no memory for %u deopt operands", details->deopts);
  const struct cn_deopt_site *site = keep_site(pc, map, details, many);
  cn_os_free_mapping(many, bytes);
  return site;
}

const struct cn_deopt_site *cn_deopt_site_of_map(const struct cn_frame_map *map)
{
  const struct cn_deopt_site *site = cn_map_kept(map);
  uintptr_t pc = cn_map_pc(map);
  struct cn_details details;

  CN_ASSERT(site == NULL || site->pc == pc);
  if (site != NULL)
    return site;
  if (!cn_safepoint_find_details(pc, &details) || details.deopts == 0)
    return NULL;
  return decode_site(pc, map, &details);
}

const struct cn_deopt_site *cn_deopt_site_find(uintptr_t pc)
{
  const struct cn_frame_map *map = cn_index_look_up_map(pc);

  return map != NULL ? cn_deopt_site_of_map(map) : NULL;
}
