/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the generational collector share: a root set of their own in the runtime's
 * place, objects as compiled code makes them, and a model beside them: a graph of plain structs
 * that changes as the heap does, and is compared with it after each collection.
 */
#ifndef UNIT_COLLECTORS_GENERATIONAL_MODEL_H
#define UNIT_COLLECTORS_GENERATIONAL_MODEL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "unit/runtime/aborts.h"
#include "unit/runtime/objects.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "collectors/generational/space/blocks.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/tracers.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/inspect/inspect.h"
#include "runtime/threads/workers.h"

enum { ROOTS = 64, SLOTS = 3, SET = 8 /* roots that are fetched together */, WORKERS = 4 };

/* node {ref, ref, ref, long}; array of refs; bytes; nothing; longs; weak {weak ref, ref}; ephemeron
 * {key, value} */
static struct layouts {
  struct cairn_layout node;
  uint32_t node_offsets[3];
  struct cairn_layout refs;
  uint32_t refs_offsets[2];
  struct cairn_layout bytes;
  struct cairn_layout empty;
  struct cairn_layout longs;
  struct cairn_layout weak;
  uint32_t weak_offsets[2];
  struct cairn_layout ephemeron;
  uint32_t ephemeron_offsets[2];
} layouts = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 3, .base_size = 32},
    {0, 8, 16},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .elem_refs = 1},
    {0},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 1, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_refs = 2, .base_size = 16, .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS},
    {0 | CAIRN_ABI_LAYOUT_WEAK_OFFSET, 8},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC,
     .base_refs = 2,
     .base_size = 16,
     .flags = CAIRN_ABI_LAYOUT_WEAK_FIELDS | CAIRN_ABI_LAYOUT_EPHEMERON},
    {0 | CAIRN_ABI_LAYOUT_WEAK_OFFSET, 8},
};
static const struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                         .size = sizeof(struct cairn_image),
                                         .flags = CAIRN_ABI_BARRIERS_CARDS << CAIRN_ABI_IMAGE_BARRIERS_SHIFT,
                                         .layouts_start = (const unsigned char *)&layouts,
                                         .layouts_stop = (const unsigned char *)(&layouts + 1)};

static ref roots[ROOTS];
static const struct cairn_collector *const collector = &cairn_collector_generational;

/* ---- in the runtime's place ---- */

void cn_heap_clear_unfilled_objects(struct cn_heap_walk *heap)
{
  (void)heap;
}

void cn_verify_heap(bool after, uint64_t collection, bool with_roots)
{
  (void)after;
  (void)collection;
  (void)with_roots;
}

static _Atomic size_t fetched;
/* Roots are like a stack: the first have not changed since the last enumeration, and young ones
 * leave them out. Of some of these nobody has heard since cairn_deferred_roots(true). */
static size_t still, older;
/* From here on they are no stack's, and come in each enumeration, in the second round. */
static size_t stacks = ROOTS, roots_end;

void cairn_roots_begin(enum cairn_roots which)
{
  bool young = which == CAIRN_ROOTS_YOUNG;

  fetched = young ? (still < stacks ? still : stacks) / SET * SET : 0;
  roots_end = young ? stacks : ROOTS;
  if (older > fetched)
    older = fetched;
}

void cairn_deferred_roots(bool wanted)
{
  older = wanted ? stacks : 0;
}

bool cairn_deferred_roots_visit(cairn_root_visitor *visit, void *env)
{
  if (older == 0)
    return false;
  visit(env, (struct cairn_slot){&roots[--older]});
  return true;
}

void cairn_roots_rest(void)
{
  fetched = stacks;
  roots_end = ROOTS;
}

struct cairn_root_set *cairn_roots_fetch(void)
{
  size_t first = atomic_fetch_add(&fetched, SET);

  return first < roots_end ? (struct cairn_root_set *)&roots[first] : NULL;
}

static int times = 2; /* each root comes */

void cairn_roots_visit_array(struct cairn_root_set *set, cairn_roots_visitor *visit, void *env)
{
  uintptr_t *slots[2 * SET];

  for (int i = 0; i < times * SET; i++)
    slots[i] = (uintptr_t *)set + i % SET;
  visit(env, slots, (size_t)times * SET);
}

void cairn_roots_visit(struct cairn_root_set *set, cairn_root_visitor *visit, void *env)
{
  (void)set;
  (void)visit;
  (void)env;
}

uint64_t cairn_roots_end(void)
{
  return 0;
}

void cairn_visit_roots(cairn_root_visitor *visit, void *env)
{
  (void)visit;
  (void)env;
}

/* Collections that promoted a part of the nursery in place. */
static size_t promotions;

static void run(enum cairn_extent extent, size_t bytes_needed)
{
  cn_background_hold_steps();
  cn_trace_cycle.stays = false;
  collector->collect(&(struct cairn_collection){CAIRN_CAUSE_ASKED, extent, bytes_needed});
  promotions += cn_trace_cycle.stays;
  cn_background_release_steps();
}

/* ---- objects, as compiled code makes them ---- */

/* Room in the buffer; null: a collection is due. */
static uintptr_t *in_buffer(size_t bytes)
{
  if (cairn_mutator.buffer_end - cairn_mutator.alloc < bytes && collector->refill(&cairn_mutator, bytes) != CAIRN_OK)
    return NULL;
  if (cairn_mutator.buffer_end - cairn_mutator.alloc < bytes)
    return NULL;
  cairn_mutator.alloc += bytes;
  return (uintptr_t *)(cairn_mutator.alloc - bytes);
}

static uintptr_t *try_block(size_t bytes)
{
  void *block = NULL;

  if (bytes < 8 << 10)
    block = in_buffer(bytes);
  else if (collector->allocate_large(&cairn_mutator, bytes, true, &block) != CAIRN_OK)
    return NULL;
  return block ? memset(block, 0, bytes) : NULL;
}

static enum cairn_extent usual = CAIRN_EXTENT_YOUNG;

static uintptr_t *block(size_t bytes)
{
  uintptr_t *at = try_block(bytes);

  for (int i = 0; at == NULL && i < 2; i++) {
    run(i == 0 ? usual : CAIRN_EXTENT_FULL, bytes);
    at = try_block(bytes);
  }
  return at;
}

static void store(ref object, size_t i, ref value)
{
  uintptr_t *slot = &words(object)[i];

  cairn_mutator.cards[(uintptr_t)slot >> CAIRN_ABI_CARD_SHIFT & cairn_mutator.card_mask] = 1;
  *slot = value;
}

/* ---- the model ---- */

/* What an object is to be. Nodes number themselves in their last word, arrays of references are
 * known by the model alone, bytes have their number in each byte. */
struct model {
  const struct cairn_layout *layout;
  size_t count; /* of slots, or of bytes */
  struct model **slots;
  unsigned number;
  ref seen; /* where it was found, in check `round` */
  unsigned round;
  ref pinned;                 /* where it stays while it has pins: */
  unsigned starts, interiors; /* of its start; of an address in it, or just past it */
};
static struct model *model_roots[ROOTS];
static struct model **all;
static size_t models, room_for_models;
static unsigned round_now;

static struct model *model(const struct cairn_layout *layout, size_t count)
{
  struct model *made = calloc(1, sizeof *made);

  made->layout = layout;
  made->count = count;
  made->number = (unsigned)models;
  made->slots = layout == &layouts.bytes ? NULL : calloc(count + 1, sizeof *made->slots);
  if (models == room_for_models) {
    room_for_models = 2 * room_for_models + 1024;
    all = realloc(all, room_for_models * sizeof *all);
  }
  return all[models++] = made;
}

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (seed >> 33) % below;
}

/* Arrays of references from a few to some thousand, and large ones now and then. */
static size_t some_count(void)
{
  size_t most = draw(20) == 0 ? 3000 : draw(4) == 0 ? 300 : 10;

  return draw(most) + 1;
}

static void make(size_t i)
{
  unsigned kind = (unsigned)draw(8);
  size_t count = some_count();
  ref made;

  if (kind < 5) {
    made = object(&layouts.node);
    model_roots[i] = model(&layouts.node, SLOTS);
    words(made)[SLOTS] = model_roots[i]->number;
  } else if (kind == 5) {
    made = indexed(&layouts.refs, count);
    model_roots[i] = model(&layouts.refs, count);
  } else if (kind == 6) {
    made = indexed(&layouts.bytes, 8 * count);
    model_roots[i] = model(&layouts.bytes, 8 * count);
    memset(words(made), (int)model_roots[i]->number, 8 * count);
  } else {
    made = object(&layouts.empty);
    model_roots[i] = model(&layouts.empty, 0);
  }
  roots[i] = made;
}

/* A root that may change. */
static size_t some_root(void)
{
  return still + draw(ROOTS - still);
}

/* Let a slot of one root lead to another, or have a root lead where such a slot does. */
static void link_two(void)
{
  size_t from = draw(ROOTS), to = some_root();
  struct model *m = model_roots[from];

  if (m == NULL || m->slots == NULL || m->count == 0)
    return;
  size_t slot = draw(m->count);
  if (draw(3) != 0) {
    m->slots[slot] = model_roots[to];
    store(roots[from], slot, roots[to]);
  } else {
    model_roots[to] = m->slots[slot];
    roots[to] = words(roots[from])[slot];
  }
}

/* Pin what a root leads to, or let it go. Of what becomes garbage meanwhile the pins go with it. */
static void pin_or_unpin(void)
{
  size_t i = draw(ROOTS);
  struct model *m = model_roots[i];
  bool inside = draw(2) == 0;

  if (m == NULL)
    return;
  ref at = roots[i] + (inside ? m->count & ~(size_t)7 : 0);
  unsigned *pins = inside && at != roots[i] ? &m->interiors : &m->starts;
  if (*pins != 0 && draw(2) == 0) {
    cairn_unpin_address_at((void *)at, "unit.c:2");
    --*pins;
  } else if (draw(8) == 0) {
    assert_ptr_equal(cairn_pin_at(at, "unit.c:1"), (void *)at);
    ++*pins;
    m->pinned = roots[i];
  }
}

struct pair {
  struct model *model;
  ref at;
};
static struct pair *waiting;
static size_t waits, room_for_waiting;

static void compare(struct model *m, ref at)
{
  if (m == NULL) {
    assert_int_equal(at, 0);
    return;
  }
  if (m->round == round_now) {
    assert_int_equal(at, m->seen);
    return;
  }
  m->round = round_now;
  m->seen = at;
  if (m->starts + m->interiors != 0)
    assert_int_equal(at, m->pinned);
  if (waits == room_for_waiting) {
    room_for_waiting = 2 * room_for_waiting + 1024;
    waiting = realloc(waiting, room_for_waiting * sizeof *waiting);
  }
  waiting[waits++] = (struct pair){m, at};
}

static void compare_content(const struct model *m, ref at)
{
  assert_ptr_equal(words(at)[-1], m->layout);
  if (m->layout->elem_size != 0)
    assert_int_equal(words(at)[-2], m->count << 1 | 1);
  if (m->layout == &layouts.node)
    assert_int_equal(words(at)[SLOTS], m->number);
  if (m->layout == &layouts.bytes)
    for (size_t i = 0; i < m->count; i++)
      assert_int_equal(((unsigned char *)at)[i], (unsigned char)m->number);
  else
    for (size_t i = 0; i < m->count; i++)
      compare(m->slots[i], words(at)[i]);
}

/* Compare all that is reachable, and forget the models of what is not. */
static void check(void)
{
  size_t kept = 0;

  round_now++;
  for (int i = 0; i < ROOTS; i++)
    compare(model_roots[i], roots[i]);
  while (waits != 0) {
    struct pair next = waiting[--waits];
    compare_content(next.model, next.at);
  }
  for (size_t i = 0; i < models; i++)
    if (all[i]->round == round_now) {
      all[kept++] = all[i];
    } else {
      free(all[i]->slots);
      free(all[i]);
    }
  models = kept;
}

static void clean(void)
{
  memset(roots, 0, sizeof roots);
  memset(model_roots, 0, sizeof model_roots);
  check();
}

/* Objects without payloads, old ones, of which those stay whose header is the last word of every
 * other block. */
static size_t empties_at_ends(void)
{
  enum { COUNT = 120000 };
  size_t kept = 0;

  clean();
  run(CAIRN_EXTENT_FULL, 0);
  roots[0] = indexed(&layouts.refs, COUNT);
  for (size_t i = 0; i < COUNT; i++)
    store(roots[0], i, object(&layouts.empty));
  run(CAIRN_EXTENT_YOUNG, 0);
  for (size_t i = 0; i < COUNT; i++)
    if (words(roots[0])[i] % (2 * CN_BLOCK_BYTES) == 0)
      store(roots[0], kept++, words(roots[0])[i]);
  for (size_t i = kept; i < COUNT; i++)
    store(roots[0], i, 0);
  return kept;
}

static void check_empties(size_t kept)
{
  for (size_t i = 0; i < kept; i++) {
    ref at = words(roots[0])[i];
    assert_true(cn_tables_is_object_start(at));
    assert_true(cn_tables.lines[(at - 8 - cn_tables.old) / CN_LINE_BYTES] != 0);
    assert_ptr_equal(words(at)[-1], &layouts.empty);
  }
}

static bool pins;

static void change(long steps)
{
  for (long i = 0; i < steps; i++)
    if (draw(3) == 0)
      make(some_root());
    else if (pins && draw(3) == 0)
      pin_or_unpin();
    else
      link_two();
}

static int start(void **state)
{
  (void)state;
  cn_options.workers = WORKERS;
  cn_workers_prepare_threads(true);
  cairn_image_register(&image);
  cn_options.heap_initial = 4 << 20;
  cn_options.heap_max = 64 << 20;
  cairn_set_collector(collector);
  return 0;
}

static int end(void **state)
{
  (void)state;
  cn_workers_end_all();
  return 0;
}

#endif
