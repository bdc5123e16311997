/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes the state of an activation: a managed object with the decoded frames, for the continuation, and the removed
 * objects that the frames refer to. In a slow path, it first allocates the state and the objects, each at a safepoint;
 * the state, held by a handle, keeps the objects. Outside of slow paths, they are blocks of the thread's buffer, as
 * compiled code allocates them in line. Then it fills all of them without a safepoint in between, so that the
 * references read from the activation are current.
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
  struct cairn_handle *state; /* null: not held */
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

/* A derived reference is its object and the distance. */
static void fill_item(const struct making *making, struct state *state, const struct cn_operand *operand,
                      const struct cn_object_scope *scope, struct state_item *item)
{
  struct cairn_deopt_value value;
  uint32_t object;

  if (cn_records_find_object(operand, scope, &object)) {
    *item =
        (struct state_item){object_of(making, state, object), 0, 0, CAIRN_DEOPT_REFERENCE | 64 << CLASS_BITS_SHIFT, 0};
    return;
  }
  cn_deopt_read_operand(operand, making->frame, &value);
  uintptr_t base = value.value_class == CAIRN_DEOPT_REFERENCE ? value.base : 0;
  *item = (struct state_item){base, value.word[0] - base, value.word[1],
                              (uint32_t)value.value_class | (uint32_t)value.bits << CLASS_BITS_SHIFT, 0};
}

static void fill_others(const struct making *making, struct state *state)
{
  const struct cn_frame_record *record = cn_deopt_site_frames(making->site), *end = record + state->frames;
  struct state_item *item = &state->item[making->parts.values];

  for (; record < end; record++) {
    const struct cn_operand *operand = cn_deopt_site_operands(making->site) + record->frame.first;
    for (uint32_t i = 0; i < record->frame.locals + record->frame.stack; i++, operand++, item++)
      if (operand->source == CN_SOURCE_OTHER)
        fill_item(making, state, operand, &record->scope, item);
  }
}

/* The places of all callee-saved registers of a youngest activation are known. */
static void fill_values(const struct making *making, struct state *state)
{
  const struct cn_deopt_site *site = making->site;
  const struct cn_state_value *value = cn_deopt_site_values(site), *end = value + site->size.values;
  static const uint64_t nothing;
  uintptr_t at[CN_SOURCES] = {(uintptr_t)&nothing, making->frame->sp, (uintptr_t)site};

#pragma GCC unroll 6
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    at[CN_SOURCE_REGISTER + i] = (uintptr_t)making->frame->place[i];
  uint64_t *item = (uint64_t *)&state->item[making->parts.values];
  for (; value < end; value++, item += sizeof(struct state_item) / sizeof *item) {
    CN_ASSERT(value->source < CN_SOURCES && at[value->source] != 0);
    item[0] = item[1] = item[2] = 0;
    item[3] = value->info;
    memcpy(&item[value->to], (const void *)(at[value->source] + (uintptr_t)(intptr_t)value->from), sizeof *item);
  }
}

static void fill_heads(const struct making *making, struct state *state)
{
  const struct cn_frame_record *record = cn_deopt_site_frames(making->site), *end = record + state->frames;
  struct state_item *head = &state->item[CAIRN_DEOPT_STATE_HEADS];
  uint32_t first = making->parts.values;

  for (; record < end; record++, head += 2) {
    const struct cairn_deopt_frame *frame = &record->frame;
    head[0] =
        (struct state_item){0, frame->function, frame->index, frame->language | (uint32_t)frame->result << 16, first};
    head[1] = (struct state_item){0, frame->locals, frame->stack, 0, 0};
    first += frame->locals + frame->stack;
  }
  CN_CHECK(first == making->parts.objects);
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

  for (uint32_t i = 0; i < record->object.fields; i++, operand += 2)
    fill_field(making, state, record, operand + 1, (unsigned char *)object + operand->constant);
}

static void cover_object(const struct making *making, const struct state *state, uint32_t index)
{
  uintptr_t object = object_of(making, state, index) - cairn_words.reference;
  uint64_t bytes;

  enum cairn_status status = cairn_object_payload(object, cairn_object_layout(object), &bytes);
  CN_CHECK(status == CAIRN_OK);
  cover(object, bytes);
}

static void fill_result(struct state_item *item, struct cairn_deopt_result result)
{
  static const uint8_t classes[] = {CAIRN_DEOPT_UNDEFINED, CAIRN_DEOPT_INTEGER, CAIRN_DEOPT_FLOAT,
                                    CAIRN_DEOPT_REFERENCE};
  bool is_reference = result.kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE;

  CN_CHECK(result.kind < sizeof classes);
  *item = (struct state_item){is_reference ? result.word : 0, is_reference ? 0 : result.word, 0,
                              classes[result.kind] | 64u << CLASS_BITS_SHIFT, 0};
}

/* Fill all of the state apart from its references to objects. */
static void fill_state(const struct making *making, struct state *state, uint64_t reason,
                       struct cairn_deopt_result result)
{
  state->reason = reason;
  state->frames = making->site->size.frames;
  state->items = making->parts.end;
  fill_result(&state->item[CAIRN_DEOPT_STATE_RESULT], result);
  fill_heads(making, state);
  fill_values(making, state);
  if (making->site->others != 0)
    fill_others(making, state);
}

uintptr_t cn_deopt_state_make(const struct cn_deopt_site *site, const struct cn_frame *frame,
                              const struct cn_saved_regs *regs, uint64_t reason, struct cairn_deopt_result result)
{
  struct making making = {.site = site, .frame = frame, .regs = regs, .parts = parts_of(site)};
  struct cairn_handle *handle = result.kind == CAIRN_ABI_DEOPT_RESULT_REFERENCE ? cairn_handle_new(result.word) : NULL;

  CN_CHECK(site->status == CAIRN_OK && (site->size.objects == 0 || site->is_checked));
  uintptr_t reference = allocate_all(&making);
  struct state *state = state_at(reference);
  if (handle != NULL) {
    result.word = cairn_handle_get(handle);
    cairn_handle_free(handle);
  }
  fill_state(&making, state, reason, result);
  cover((uintptr_t)state, sizeof *state + making.parts.end * sizeof(struct state_item));
  for (uint32_t i = 0; i < site->size.objects; i++) {
    fill_object(&making, state, i);
    cover_object(&making, state, i);
  }
  return reference;
}

/* ---- in line ---- */

static size_t object_block_bytes(const struct cairn_layout *layout, uint64_t elements)
{
  uint64_t payload = 0, header = layout->elem_size != 0 ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE;
  enum cairn_status status = cairn_layout_payload(layout, elements, &payload);

  CN_CHECK(status == CAIRN_OK);
  return (payload + header + 7) & ~(size_t)7;
}

size_t cn_deopt_objects_bytes(const struct cn_deopt_site *site)
{
  size_t bytes = 0;

  for (uint32_t i = 0; i < site->size.objects; i++) {
    const struct cairn_layout *layout = atomic_load_explicit(&cn_deopt_site_layouts(site)[i], memory_order_relaxed);
    if ((layout->flags & CAIRN_ABI_LAYOUT_FINALISABLE) != 0)
      return CN_DEOPT_NOT_IN_LINE;
    bytes += object_block_bytes(layout, cn_deopt_site_objects(site)[i].object.elements);
    if (bytes > CAIRN_ABI_INLINE_ALLOC_MAX)
      return CN_DEOPT_NOT_IN_LINE;
  }
  return bytes;
}

/* Make the objects in the cleared memory at `block`. */
static void place_objects(const struct making *making, struct state *state, uintptr_t *block)
{
  struct state_item *item = &state->item[making->parts.objects];

  for (uint32_t i = 0; i < making->site->size.objects; i++, item++) {
    const struct cairn_layout *layout =
        atomic_load_explicit(&cn_deopt_site_layouts(making->site)[i], memory_order_relaxed);
    uint64_t elements = cn_deopt_site_objects(making->site)[i].object.elements;
    uintptr_t *next = (uintptr_t *)((uintptr_t)block + object_block_bytes(layout, elements));
    if (layout->elem_size != 0)
      *block++ = elements << 1 | 1;
    *block++ = (uintptr_t)layout;
    *item = (struct state_item){(uintptr_t)block + cairn_words.reference, 0, 0,
                                CAIRN_DEOPT_OBJECT | 64u << CLASS_BITS_SHIFT, 0};
    block = next;
  }
}

uintptr_t cn_deopt_state_make_in_line(const struct cn_deopt_site *site, const struct cn_frame *frame, uint64_t reason,
                                      struct cairn_deopt_result result)
{
  const struct making making = {.site = site, .frame = frame, .parts = parts_of(site)};
  size_t objects_bytes = atomic_load_explicit(&site->objects_bytes, memory_order_relaxed);
  size_t bytes = CAIRN_ABI_INDEXED_HEADER_SIZE + sizeof(struct state) + making.parts.end * sizeof(struct state_item);

  CN_ASSERT(cn_deopt_site_is_checked(site));
  if (objects_bytes == CN_DEOPT_NOT_IN_LINE)
    return 0;
  uintptr_t *block = cn_heap_allocate_in_line(bytes + objects_bytes);
  if (block == NULL)
    return 0;
  block[0] = (uintptr_t)making.parts.end << 1 | 1;
  block[1] = (uintptr_t)&cn_state_layout;
  struct state *state = (struct state *)(block + 2);
  if (site->size.objects != 0) {
    memset((char *)block + bytes, 0, objects_bytes);
    place_objects(&making, state, (uintptr_t *)((uintptr_t)block + bytes));
  }
  fill_state(&making, state, reason, result);
  for (uint32_t i = 0; i < site->size.objects; i++)
    fill_object(&making, state, i);
  cn_heap_order_new_object();
  return (uintptr_t)state + cairn_words.reference;
}
