/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the reading functions of <cairn/deopt.h>: operands, frames and removed objects of an iterator's
 * activation. Runs on any thread while the iterator is valid. Stateless.
 */
#include "deopt/site.h"

#include "base/check.h"

_Static_assert((int)CAIRN_DEOPT_INTEGER == CAIRN_ABI_POINT_INTEGER && (int)CAIRN_DEOPT_FLOAT == CAIRN_ABI_POINT_FLOAT &&
                   (int)CAIRN_DEOPT_POINTER == CAIRN_ABI_POINT_POINTER &&
                   (int)CAIRN_DEOPT_REFERENCE == CAIRN_ABI_POINT_REFERENCE &&
                   (int)CAIRN_DEOPT_UNDEFINED == CAIRN_ABI_POINT_UNDEFINED &&
                   (int)CAIRN_DEOPT_LOCAL == CAIRN_ABI_POINT_LOCAL && (int)CAIRN_DEOPT_VECTOR == CAIRN_ABI_POINT_VECTOR,
               "classes of values");

static const struct cn_frame *frame_of(const struct cairn_stack_iterator *iterator)
{
  return &((const struct cn_walk *)iterator)->frame;
}

static const struct cn_deopt_site *site_of(const struct cairn_stack_iterator *iterator)
{
  const struct cn_walk *walk = (const struct cn_walk *)iterator;

  CN_ASSERT(walk->past_end || walk->frame.map != NULL || walk->frame.region.manager != NULL);
  return !walk->past_end && walk->frame.map != NULL ? cn_deopt_site_of_map(walk->frame.map) : NULL;
}

enum cairn_status cairn_deopt_count(const struct cairn_stack_iterator *iterator, uint32_t *count)
{
  const struct cn_deopt_site *site = site_of(iterator);

  if (site == NULL)
    return CAIRN_E_UNKNOWN;
  *count = site->operands;
  return CAIRN_OK;
}

/* A constant of DEOPT_OBJECT_BITS stands for an object if the operands are records. */
static bool is_object_number(const struct cn_deopt_site *site, const struct cn_operand *operand)
{
  return site->status == CAIRN_OK && operand->value_class == CAIRN_DEOPT_INTEGER &&
         operand->bits == CAIRN_ABI_DEOPT_OBJECT_BITS;
}

/* The scope of the record that operand `index` belongs to. */
static const struct cn_object_scope *scope_of_operand(const struct cn_deopt_site *site, uint32_t index)
{
  const struct cn_object_scope *scope = NULL;
  uint32_t start = 0;

  for (uint32_t i = 0; i < site->size.frames; i++) {
    const struct cn_frame_record *record = &cn_deopt_site_frames(site)[i];
    if (record->frame.first <= index && record->frame.first >= start) {
      start = record->frame.first;
      scope = &record->scope;
    }
  }
  for (uint32_t i = 0; i < site->size.objects; i++) {
    const struct cn_object_record *record = &cn_deopt_site_objects(site)[i];
    if (record->object.first <= index && record->object.first >= start) {
      start = record->object.first;
      scope = &record->scope;
    }
  }
  CN_CHECK(scope != NULL); /* each value belongs to a frame or to an object */
  return scope;
}

enum cairn_status cairn_deopt_read(const struct cairn_stack_iterator *iterator, uint32_t index,
                                   struct cairn_deopt_value *value)
{
  const struct cn_deopt_site *site = site_of(iterator);

  if (site == NULL)
    return CAIRN_E_UNKNOWN;
  if (index >= site->operands)
    return CAIRN_E_BOUNDS;
  const struct cn_operand *operand = &cn_deopt_site_operands(site)[index];
  cn_deopt_read_operand(operand, frame_of(iterator), value);
  if (is_object_number(site, operand)) {
    uint32_t object = 0;
    bool found = cn_records_find_object(operand, scope_of_operand(site, index), &object);
    CN_CHECK(found);
    *value = (struct cairn_deopt_value){.value_class = CAIRN_DEOPT_OBJECT, .bits = operand->bits, .word = {object}};
  }
  return CAIRN_OK;
}

/* The status of the records of the activation; *site may be null after UNKNOWN. */
static enum cairn_status find_records(const struct cairn_stack_iterator *iterator, const struct cn_deopt_site **site)
{
  *site = site_of(iterator);
  return *site == NULL ? CAIRN_E_UNKNOWN : (*site)->status;
}

enum cairn_status cairn_deopt_frames(const struct cairn_stack_iterator *iterator, uint32_t *frames)
{
  const struct cn_deopt_site *site;
  enum cairn_status status = find_records(iterator, &site);

  if (status == CAIRN_OK)
    *frames = site->size.frames;
  return status;
}

enum cairn_status cairn_deopt_frame(const struct cairn_stack_iterator *iterator, uint32_t index,
                                    struct cairn_deopt_frame *frame)
{
  const struct cn_deopt_site *site;
  enum cairn_status status = find_records(iterator, &site);

  if (status == CAIRN_OK && index >= site->size.frames)
    status = CAIRN_E_BOUNDS;
  if (status == CAIRN_OK)
    *frame = cn_deopt_site_frames(site)[index].frame;
  return status;
}

enum cairn_status cairn_deopt_objects(const struct cairn_stack_iterator *iterator, uint32_t *objects)
{
  const struct cn_deopt_site *site;
  enum cairn_status status = find_records(iterator, &site);

  if (status == CAIRN_OK)
    *objects = site->size.objects;
  return status;
}

enum cairn_status cairn_deopt_object(const struct cairn_stack_iterator *iterator, uint32_t index,
                                     struct cairn_deopt_object *object)
{
  const struct cn_deopt_site *site;
  enum cairn_status status = find_records(iterator, &site);

  if (status == CAIRN_OK && index >= site->size.objects)
    status = CAIRN_E_BOUNDS;
  if (status == CAIRN_OK)
    *object = cn_deopt_site_objects(site)[index].object;
  return status;
}

enum cairn_status cairn_deopt_check(const struct cairn_stack_iterator *iterator, struct cairn_deopt_failure *failure)
{
  const struct cn_deopt_site *site = site_of(iterator);

  if (site == NULL)
    return cn_deopt_fail(failure, CAIRN_E_UNKNOWN, 0, CAIRN_DEOPT_WHOLE, "the activation has no deopt operands");
  enum cairn_status status = cn_deopt_site_check(site, frame_of(iterator), failure);
  if (status == CAIRN_OK && failure != NULL)
    *failure = (struct cairn_deopt_failure){.operand = CAIRN_DEOPT_WHOLE};
  return status;
}
