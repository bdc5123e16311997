/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the state of an activation: a managed object with the decoded frames, for the continuation, and the removed
 * objects that the frames refer to. First allocates the state and the objects, each at a safepoint; the state, held by
 * a handle, keeps the objects. Then fills all of them without a safepoint in between, so that the references read from
 * the activation are current.
 *
 * Runs on the activation's thread, in phase MUTATE. Stateless. Memory comes from the heap, and rarely from a new chunk
 * of handles.
 */
#include "deopt/site.h"

#include <stddef.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/heap/barrier_slow_paths.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/roots/roots.h"
#include "runtime/safepoints/safepoint.h"

/* As managed C sees them in <cairn/deopt.h>. */
struct state_item {
  uintptr_t reference;
  uint64_t word, high;
  uint32_t info, more;
};
struct state {
  uint64_t reason;
  uint32_t frames, items;
  struct state_item item[];
};
_Static_assert(offsetof(struct state, reason) == CAIRN_ABI_DEOPT_STATE_REASON &&
                   offsetof(struct state, frames) == CAIRN_ABI_DEOPT_STATE_FRAMES &&
                   offsetof(struct state, items) == CAIRN_ABI_DEOPT_STATE_COUNT &&
                   offsetof(struct state, item) == CAIRN_ABI_DEOPT_STATE_ITEMS &&
                   offsetof(struct state_item, reference) == CAIRN_ABI_DEOPT_ITEM_REFERENCE &&
                   offsetof(struct state_item, word) == CAIRN_ABI_DEOPT_ITEM_WORD &&
                   offsetof(struct state_item, high) == CAIRN_ABI_DEOPT_ITEM_HIGH &&
                   offsetof(struct state_item, info) == CAIRN_ABI_DEOPT_ITEM_INFO &&
                   offsetof(struct state_item, more) == CAIRN_ABI_DEOPT_ITEM_MORE &&
                   sizeof(struct state_item) == CAIRN_ABI_DEOPT_ITEM_SIZE,
               "abi.def");

enum { CLASS_BITS_SHIFT = 8 };

/* The numbers of the first items of each part. */
struct parts {
  uint32_t values, objects, end;
};

static struct parts parts_of(const struct cn_deopt_site *site)
{
  uint32_t values = CAIRN_DEOPT_STATE_HEADS + 2 * site->size.frames, objects = values + site->size.values;

  return (struct parts){values, objects, objects + site->size.objects};
}

/* The making of a state. */
struct making {
  const struct cn_deopt_site *site;
  const struct cn_frame *frame;
  const struct cn_saved_regs *regs;
  struct parts parts;
  struct cairn_handle *state, *result; /* null: not held */
};

static struct state *state_at(uintptr_t reference)
{
  return (struct state *)(reference - cairn_words.reference);
}

/* ---- allocation ---- */

/* Cover the references that were stored in an object, which may be old. Kinds of barriers other than cards need
 * nothing: the fields were null, and the references come from roots. */
static void cover(uintptr_t object, uint64_t bytes)
{
  if (cn_heap_collector()->barriers == CAIRN_ABI_BARRIERS_CARDS)
    cn_barrier_range_slow_path(object, bytes);
}

static uintptr_t allocate_object(const struct making *making, uint32_t index)
{
  const struct cn_deopt_site *site = making->site;
  const struct cairn_layout *layout = atomic_load_explicit(&cn_deopt_site_layouts(site)[index], memory_order_relaxed);

  CN_CHECK(layout != NULL);
  return (uintptr_t)cn_safepoint_alloc_entered(making->regs, layout,
                                               cn_deopt_site_objects(site)[index].object.elements);
}

static void allocate_objects(struct making *making)
{
  CN_ASSERT(making->state != NULL);
  for (uint32_t i = 0; i < making->site->size.objects; i++) {
    uintptr_t object = allocate_object(making, i);
    struct state_item *item = &state_at(cairn_handle_get(making->state))->item[making->parts.objects + i];
    item->reference = object;
    item->info = CAIRN_DEOPT_OBJECT | 64 << CLASS_BITS_SHIFT;
    cover((uintptr_t)item, sizeof *item);
  }
}

/* Returns the reference to the state. */
static uintptr_t allocate_all(struct making *making)
{
  uintptr_t state = (uintptr_t)cn_safepoint_alloc_entered(making->regs, &cn_state_layout, making->parts.end);

  if (making->site->size.objects == 0)
    return state;
  making->state = cairn_handle_new(state);
  allocate_objects(making);
  state = cairn_handle_get(making->state);
  cairn_handle_free(making->state);
  return state;
}

/* ---- contents ---- */

/* The functions below reach no safepoint. */

static uintptr_t object_of(const struct making *making, const struct state *state, uint32_t object)
{
  CN_ASSERT(object < making->site->size.objects);
  return state->item[making->parts.objects + object].reference;
}

/* The usual operands: a word on the stack or in a register, or a constant. */
static bool fill_word(const struct making *making, const struct cn_operand *operand, struct state_item *item)
{
  bool is_reference = operand->value_class == CAIRN_DEOPT_REFERENCE;
  uint64_t word = operand->constant;

  if (operand->bits != 64 || operand->kind == CN_OPERAND_ADDRESS || operand->is_derived)
    return false;
  if (operand->kind == CN_OPERAND_PLACE) {
    const void *place = operand->loc.is_register
                            ? cn_frame_register_place(making->frame, operand->loc.reg)
                            : (const void *)(making->frame->sp + (uintptr_t)(intptr_t)operand->loc.offset);
    if (place == NULL || (!operand->loc.is_register && operand->loc.reg != cn_arch_sp_dwarf_number))
      return false;
    memcpy(&word, place, sizeof word);
  }
  *item = (struct state_item){.reference = is_reference ? word : 0,
                              .word = is_reference ? 0 : word,
                              .info = (uint32_t)operand->value_class | 64 << CLASS_BITS_SHIFT};
  return true;
}

/* A derived reference is its object and the distance. */
static void fill_item(const struct making *making, struct state *state, const struct cn_operand *operand,
                      const struct cn_object_scope *scope, struct state_item *item)
{
  struct cairn_deopt_value value;
  uint32_t object;

  if (fill_word(making, operand, item))
    return;
  if (cn_records_find_object(operand, scope, &object)) {
    *item =
        (struct state_item){object_of(making, state, object), 0, 0, CAIRN_DEOPT_REFERENCE | 64 << CLASS_BITS_SHIFT, 0};
    return;
  }
  cn_deopt_read_operand(operand, making->frame, &value);
  item->info = (uint32_t)value.value_class | (uint32_t)value.bits << CLASS_BITS_SHIFT;
  item->word = value.word[0];
  item->high = value.word[1];
  if (value.value_class == CAIRN_DEOPT_REFERENCE) {
    item->reference = value.base;
    item->word = value.word[0] - value.base;
  }
}

static void fill_frame(const struct making *making, struct state *state, uint32_t index, uint32_t first)
{
  const struct cn_frame_record *record = &cn_deopt_site_frames(making->site)[index];
  const struct cairn_deopt_frame *frame = &record->frame;
  struct state_item *head = &state->item[CAIRN_DEOPT_STATE_HEADS + 2 * index];

  CN_ASSERT(index < state->frames && first >= making->parts.values);
  CN_ASSERT(frame->locals + frame->stack <= making->parts.objects - first);
  head[0] =
      (struct state_item){0, frame->function, frame->index, frame->language | (uint32_t)frame->result << 16, first};
  head[1] = (struct state_item){0, frame->locals, frame->stack, 0, 0};
  for (uint32_t i = 0; i < frame->locals + frame->stack; i++)
    fill_item(making, state, cn_deopt_site_operands(making->site) + frame->first + i, &record->scope,
              &state->item[first + i]);
}

/* The caller has checked the field against the object's layout. */
static void fill_field(const struct making *making, const struct state *state, const struct cn_object_record *record,
                       const struct cn_operand *operand, unsigned char *field)
{
  struct cairn_deopt_value value = {.value_class = CAIRN_DEOPT_REFERENCE, .bits = 64};
  uint32_t object;

  if (cn_records_find_object(operand, &record->scope, &object))
    value.word[0] = object_of(making, state, object);
  else
    cn_deopt_read_operand(operand, making->frame, &value);
  memcpy(field, value.word, (value.bits + 7u) / 8);
}

static void fill_object(const struct making *making, const struct state *state, uint32_t index)
{
  const struct cn_object_record *record = &cn_deopt_site_objects(making->site)[index];
  const struct cn_operand *operand = cn_deopt_site_operands(making->site) + record->object.first;
  uintptr_t object = object_of(making, state, index) - cairn_words.reference;
  uint64_t bytes;

  for (uint32_t i = 0; i < record->object.fields; i++, operand += 2)
    fill_field(making, state, record, operand + 1, (unsigned char *)object + operand->constant);
  enum cairn_status status = cairn_object_payload(object, cairn_object_layout(object), &bytes);
  CN_CHECK(status == CAIRN_OK);
  cover(object, bytes);
}

static void fill_result(const struct making *making, struct state_item *item, struct cairn_deopt_result result)
{
  static const uint8_t classes[] = {CAIRN_DEOPT_UNDEFINED, CAIRN_DEOPT_INTEGER, CAIRN_DEOPT_FLOAT,
                                    CAIRN_DEOPT_REFERENCE};

  CN_CHECK(result.kind < sizeof classes);
  *item = (struct state_item){.info = classes[result.kind] | 64 << CLASS_BITS_SHIFT};
  if (result.kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE)
    item->reference = cairn_handle_get(making->result);
  else
    item->word = result.word;
}

static void fill_state(const struct making *making, struct state *state, uint64_t reason,
                       struct cairn_deopt_result result)
{
  const struct cn_deopt_site *site = making->site;
  uint32_t first = making->parts.values;

  state->reason = reason;
  state->frames = site->size.frames;
  state->items = making->parts.end;
  fill_result(making, &state->item[CAIRN_DEOPT_STATE_RESULT], result);
  for (uint32_t i = 0; i < site->size.frames; i++) {
    fill_frame(making, state, i, first);
    first += cn_deopt_site_frames(site)[i].frame.locals + cn_deopt_site_frames(site)[i].frame.stack;
  }
  CN_CHECK(first == making->parts.objects);
  cover((uintptr_t)state, sizeof *state + making->parts.end * sizeof(struct state_item));
  for (uint32_t i = 0; i < site->size.objects; i++)
    fill_object(making, state, i);
}

uintptr_t cn_deopt_state_make(const struct cn_deopt_site *site, const struct cn_frame *frame,
                              const struct cn_saved_regs *regs, uint64_t reason, struct cairn_deopt_result result)
{
  struct making making = {.site = site, .frame = frame, .regs = regs, .parts = parts_of(site)};

  CN_CHECK(site->status == CAIRN_OK && (site->size.objects == 0 || site->is_checked));
  if (result.kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE)
    making.result = cairn_handle_new(result.word);
  uintptr_t state = allocate_all(&making);
  fill_state(&making, state_at(state), reason, result);
  if (making.result != NULL)
    cairn_handle_free(making.result);
  return state;
}
