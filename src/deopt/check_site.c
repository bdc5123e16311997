/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that the activations of a site can be taken over: languages, continuation, values that are lost, and the
 * fields of removed objects against their layouts. A site keeps the layouts of its objects after the first successful
 * check, and its last managed continuation. Any thread, any phase; no locks. The languages' callbacks run here.
 */
#include "deopt/site.h"

#include <stdarg.h>
#include <stdio.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"

enum cairn_status cn_deopt_fail(struct cairn_deopt_failure *failure, enum cairn_status status, uintptr_t address,
                                int64_t operand, const char *format, ...)
{
  va_list args;

  if (failure == NULL)
    return status;
  *failure = (struct cairn_deopt_failure){.status = status, .address = address, .operand = operand};
  va_start(args, format);
  vsnprintf(failure->text, sizeof failure->text, format, args);
  va_end(args);
  return status;
}

/* ---- fields ---- */

static bool is_object(const struct cn_operand *operand, const struct cn_object_record *record)
{
  uint32_t object;

  return cn_records_find_object(operand, &record->scope, &object);
}

/* True if a word of [offset, offset + bytes) is a reference. */
static bool touches_reference(const struct cairn_layout *layout, uint64_t offset, uint64_t bytes)
{
  for (uint64_t at = offset / sizeof(uintptr_t) * sizeof(uintptr_t); at < offset + bytes; at += sizeof(uintptr_t))
    if (cn_layouts_have_reference(layout, at))
      return true;
  return false;
}

/* The fault of a field, or null. */
static const char *field_fault(const struct cn_object_record *record, const struct cairn_layout *layout,
                               uint64_t payload, uint64_t offset, const struct cn_operand *value)
{
  bool is_reference = value->value_class == CAIRN_DEOPT_REFERENCE || is_object(value, record);
  uint64_t bytes = is_reference ? sizeof(uintptr_t) : (value->bits + 7u) / 8;

  if (offset > payload || bytes > payload - offset)
    return "the field lies outside of the object";
  if (is_reference)
    return cn_layouts_have_reference(layout, offset) ? NULL : "the layout has no reference at the field";
  if (value->value_class != CAIRN_DEOPT_UNDEFINED && touches_reference(layout, offset, bytes))
    return "the layout has a reference at the field, whose value is none";
  return NULL;
}

static enum cairn_status check_fields(const struct cn_deopt_site *site, const struct cn_object_record *record,
                                      const struct cairn_layout *layout, uint64_t payload,
                                      struct cairn_deopt_failure *failure)
{
  const struct cn_operand *operand = cn_deopt_site_operands(site) + record->object.first;

  CN_ASSERT(record->object.first + 2 * record->object.fields <= site->operands);
  for (uint32_t i = 0; i < record->object.fields; i++, operand += 2) {
    const char *fault = field_fault(record, layout, payload, operand->constant, operand + 1);
    if (fault != NULL)
      return cn_deopt_fail(failure, CAIRN_E_RECORD, site->pc, record->object.first + 2 * (int64_t)i, "%s", fault);
  }
  return CAIRN_OK;
}

/* ---- objects ---- */

static enum cairn_status check_object(const struct cn_deopt_site *site, const struct cn_object_record *record,
                                      const struct cairn_layout **layout, struct cairn_deopt_failure *failure)
{
  const struct cairn_deopt_object *object = &record->object;
  const struct cairn_deopt_language *language = cn_deopt_language(object->language);
  int64_t operand = (int64_t)object->first - 2;
  uint64_t payload;

  *layout = language != NULL && language->layout != NULL ? language->layout(object->layout) : NULL;
  if (*layout == NULL)
    return cn_deopt_fail(failure, CAIRN_E_LANGUAGE, site->pc, operand, "language %u has no layout %llu",
                         object->language, (unsigned long long)object->layout);
  if (!cairn_layout_is_known(*layout))
    return cn_deopt_fail(failure, CAIRN_E_LANGUAGE, site->pc, operand,
                         "layout %llu of language %s is not a layout of the program",
                         (unsigned long long)object->layout, language->name);
  if (((*layout)->elem_size == 0 && object->elements != 0) ||
      cairn_layout_payload(*layout, object->elements, &payload) != CAIRN_OK)
    return cn_deopt_fail(failure, CAIRN_E_RECORD, site->pc, operand + 1, "the layout does not have %llu elements",
                         (unsigned long long)object->elements);
  return check_fields(site, record, *layout, payload, failure);
}

static enum cairn_status check_objects(const struct cn_deopt_site *site, struct cairn_deopt_failure *failure)
{
  const struct cairn_layout *_Atomic *layouts = cn_deopt_site_layouts(site);

  for (uint32_t i = 0; i < site->size.objects; i++) {
    const struct cairn_layout *layout;
    enum cairn_status status = check_object(site, &cn_deopt_site_objects(site)[i], &layout, failure);
    if (status != CAIRN_OK)
      return status;
    atomic_store_explicit(&layouts[i], layout, memory_order_relaxed);
  }
  atomic_store_explicit((_Atomic size_t *)(uintptr_t)&site->objects_bytes, cn_deopt_objects_bytes(site),
                        memory_order_relaxed);
  atomic_store_explicit((_Atomic bool *)(uintptr_t)&site->is_checked, true, memory_order_release);
  return CAIRN_OK;
}

/* ---- continuations ---- */

/* True for the address of a managed function, which follows a mark. The address may be any, also one without memory. */
static bool is_managed(uintptr_t entry)
{
  uint64_t mark;

  return entry % 16 == sizeof mark && cn_os_read_memory(entry - sizeof mark, &mark, sizeof mark) &&
         mark == CAIRN_ABI_MANAGED_MARK;
}

/* The continuation for the outermost frame, or null. */
static const void *ask_for_continuation(const struct cn_deopt_site *site)
{
  const struct cairn_deopt_frame *outermost = &cn_deopt_site_frames(site)->frame;
  const struct cairn_deopt_language *language = cn_deopt_language(outermost->language);

  CN_ASSERT(site->size.frames != 0);
  return language != NULL ? language->continuation(outermost->function, outermost->index) : NULL;
}

/* True if the continuation is managed. A site remembers the last one that is. */
static bool is_managed_at(const struct cn_deopt_site *site, uintptr_t continuation)
{
  _Atomic uintptr_t *last = (_Atomic uintptr_t *)(uintptr_t)&site->managed;

  if (continuation == 0 || atomic_load_explicit(last, memory_order_relaxed) == continuation)
    return continuation != 0;
  if (!is_managed(continuation))
    return false;
  atomic_store_explicit(last, continuation, memory_order_relaxed);
  return true;
}

uintptr_t cn_deopt_site_find_continuation(const struct cn_deopt_site *site)
{
  uintptr_t continuation = (uintptr_t)ask_for_continuation(site);

  return is_managed_at(site, continuation) ? continuation + CAIRN_ABI_ENTRY_SIZE : 0;
}

static enum cairn_status check_continuation(const struct cn_deopt_site *site, struct cairn_deopt_failure *failure)
{
  const struct cairn_deopt_frame *outermost = &cn_deopt_site_frames(site)->frame;
  const char *name = cn_deopt_language(outermost->language)->name;
  const void *continuation = ask_for_continuation(site);

  if (continuation == NULL)
    return cn_deopt_fail(failure, CAIRN_E_LANGUAGE, site->pc, CAIRN_DEOPT_WHOLE,
                         "language %s has no continuation for function %llu at %llu", name,
                         (unsigned long long)outermost->function, (unsigned long long)outermost->index);
  if (!is_managed_at(site, (uintptr_t)continuation))
    return cn_deopt_fail(failure, CAIRN_E_LANGUAGE, site->pc, CAIRN_DEOPT_WHOLE,
                         "the continuation of language %s for function %llu at %llu, %p, is not a managed function",
                         name, (unsigned long long)outermost->function, (unsigned long long)outermost->index,
                         continuation);
  return CAIRN_OK;
}

/* ---- sites ---- */

static enum cairn_status check_frames(const struct cn_deopt_site *site, struct cairn_deopt_failure *failure)
{
  const struct cn_frame_record *frames = cn_deopt_site_frames(site);

  for (uint32_t i = 0; i < site->size.frames; i++)
    if (cn_deopt_language(frames[i].frame.language) == NULL)
      return cn_deopt_fail(failure, CAIRN_E_LANGUAGE, site->pc, (int64_t)frames[i].frame.first - 5,
                           "no language has the number %u", frames[i].frame.language);
  return check_continuation(site, failure);
}

static enum cairn_status check_losses(const struct cn_deopt_site *site, const struct cn_frame *frame,
                                      struct cairn_deopt_failure *failure)
{
  const struct cn_operand *operands = cn_deopt_site_operands(site);

  CN_ASSERT(site->losable <= site->operands);
  for (uint32_t i = 0; site->losable != 0 && i < site->operands; i++) {
    struct cairn_deopt_value value;
    if (!cn_deopt_may_lose_operand(&operands[i]))
      continue;
    if (frame != NULL)
      cn_deopt_read_operand(&operands[i], frame, &value);
    if (frame == NULL || value.value_class == CAIRN_DEOPT_LOST)
      return cn_deopt_fail(failure, CAIRN_E_LOST, site->pc, i, "the value is in a register that a call may change");
  }
  return CAIRN_OK;
}

enum cairn_status cn_deopt_site_check(const struct cn_deopt_site *site, const struct cn_frame *frame,
                                      struct cairn_deopt_failure *failure)
{
  enum cairn_status status = CAIRN_OK;

  CN_ASSERT_VALID(cn_deopt_site_wrong(site));
  if (site->status == CAIRN_E_PLAIN)
    return cn_deopt_fail(failure, CAIRN_E_PLAIN, site->pc, 0, "the deopt operands do not begin with a frame record");
  if (site->status != CAIRN_OK)
    return cn_deopt_fail(failure, site->status, site->pc, site->fault.operand, "%s", site->fault.text);
  if (cn_heap_collector()->barriers == CAIRN_ABI_BARRIERS_CUSTOM)
    return cn_deopt_fail(failure, CAIRN_E_REFUSED, site->pc, CAIRN_DEOPT_WHOLE,
                         "the program has its own barriers, which the runtime cannot call");
  status = check_frames(site, failure);
  if (status == CAIRN_OK)
    status = check_losses(site, frame, failure);
  if (status == CAIRN_OK && !atomic_load_explicit(&site->is_checked, memory_order_acquire))
    status = check_objects(site, failure);
  return status;
}
