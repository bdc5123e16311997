/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds the time of a young collection. The tracer copies survivors until a deadline. From then on the other objects
 * of the nursery stay in place and become old, reachable or not. A walk over the nursery sets their starts and lines,
 * and updates their references to copied objects, in a fraction of the time of copies. The nursery's blocks then belong
 * to the old space, and the nursery moves elsewhere. Phase STOP, the collecting thread, whose tracer is alone. The file
 * takes no lock; its only state is a constant that tests change.
 */
#include <string.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "collectors/generational/trace.h"
#include "collectors/interior.h"
#include "runtime/os/os.h"

size_t cn_promotion_bytes_per_clock_read = 32 << 10;
enum { OBJECTS_PER_DRAIN = 64 }; /* promoted objects that wait to be scanned */

bool cn_promotion_is_due(const struct cn_tracer *tracer)
{
  CN_ASSERT(!cn_trace_cycle.shared && !cn_trace_cycle.stays);
  if (cn_os_thread_processor_time(cn_os_thread()) < cn_trace_cycle.deadline) {
    cn_trace_cycle.budget = tracer->moved + cn_promotion_bytes_per_clock_read;
    return false;
  }
  cn_trace_cycle.stays = true;
  cn_trace_cycle.budget = 0;
  return true;
}

/* ---- the walk ---- */

struct walk {
  struct cn_tracer *tracer;
  uintptr_t run;       /* start of the current run of promoted objects, one after another, or 0 */
  uint64_t *bits;      /* the words of bits of the current card */
  uint64_t starts;     /* bits that are not yet in the words */
  uintptr_t reference; /* add it to the address of a header of the nursery: the word of a reference */
  size_t waiting;      /* objects pushed since the stack was drained */
  bool marks;          /* a marker runs */
  bool plain;          /* fields matter only if they refer to copied objects */
  bool copied;         /* some objects of the nursery were copied */
};

static void store_bits(struct walk *walk)
{
  if (walk->starts == 0)
    return;
  cn_tables_set_bits(&walk->bits[1 - cn_tables.marks], walk->starts);
  if (walk->marks)
    __atomic_fetch_or(&walk->bits[cn_tables.marks], walk->starts, __ATOMIC_RELAXED);
  walk->starts = 0;
}

static inline void set_start(struct walk *walk, uintptr_t object)
{
  uint64_t *bits = cn_tables_bit_word_of(object, 0);

  CN_ASSERT(object > cn_nursery.start && object <= cn_nursery.free);
  if (bits != walk->bits) {
    store_bits(walk);
    walk->bits = bits;
  }
  walk->starts |= cn_tables_bit_of(object);
}

/* Ends the run at `end`: its lines have objects, and a running marker counts them as reached. */
static void end_run(struct walk *walk, uintptr_t end)
{
  if (walk->run == 0)
    return;
  CN_CHECK(walk->run < end && end <= cn_nursery.free);
  size_t first = (walk->run - cn_tables.old) / CN_LINE_BYTES, last = (end - 1 - cn_tables.old) / CN_LINE_BYTES;
  memset(&cn_tables.lines[first], 1, last - first + 1);
  if (walk->marks)
    memset(&cn_tables.reached[first], 1, last - first + 1);
  walk->tracer->promoted += end - walk->run;
  if (walk->marks && walk->plain)
    cn_marker_scan_later(walk->run, end);
  for (uintptr_t at = walk->run, next; at < end; at = next) {
    next = (at | (CN_BLOCK_BYTES - 1)) + 1;
    cn_tables.filled[cn_tables_block_of(at)] += (uint32_t)((next < end ? next : end) - at);
  }
  walk->run = 0;
}

/* Scans the object with all other work of a trace: large objects, a running marker, weak fields, arrays. */
static void push_object(struct walk *walk, uintptr_t object, uintptr_t header)
{
  if (walk->marks && (cairn_header_layout(header)->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    cn_marker_note_weak_copy(object);
  cn_trace_push_promoted(walk->tracer, object, header);
  if (++walk->waiting % OBJECTS_PER_DRAIN == 0)
    cn_trace_drain_stack(walk->tracer);
}

/* Updates the fields of a small object that refer to copied objects. */
static inline void update_fields(const struct walk *walk, uintptr_t object, const struct cairn_layout *layout)
{
  for (uint32_t i = 0; i < layout->base_refs; i++) {
    uintptr_t *slot = (uintptr_t *)(object + layout->offsets[i]), header = *slot - walk->reference;
    if (header - cn_nursery.start >= cn_nursery.free - cn_nursery.start || header % CAIRN_ABI_OBJECT_ALIGN != 0)
      continue;
    uintptr_t word = *(const uintptr_t *)header;
    if (cairn_header_is_forwarded(word))
      *slot = cairn_header_forwarded_to(word) + cn_trace_cycle.words.reference;
  }
}

/* Promotes the object, whose block begins at `block`. `layout` is the whole header. */
static inline void promote_plain_object(struct walk *walk, uintptr_t block, uintptr_t object,
                                        const struct cairn_layout *layout)
{
  walk->run = walk->run != 0 ? walk->run : block;
  set_start(walk, object);
  bool weak = (layout->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0;
  if (walk->plain && !walk->copied && !weak)
    return;
  if (walk->plain && layout->elem_refs == 0 && !weak)
    update_fields(walk, object, layout);
  else
    push_object(walk, object, (uintptr_t)layout);
}

/* The size of the payload in the nursery; a copied object has the layout and the count of its copy at `at`. */
static uint64_t measure_payload(const struct walk *walk, uintptr_t object, uintptr_t at, bool indexed, size_t grown)
{
  const struct cairn_layout *layout = cn_trace_layout_of(walk->tracer, NULL, at);
  uint64_t bytes;

  if ((layout->elem_size != 0) != indexed ||
      cairn_layout_payload(layout, indexed ? cairn_object_count(at) : 0, &bytes) != CAIRN_OK)
    cn_trace_die_no_object(NULL, object, "its element count is damaged");
  bytes += cairn_header_hash_bytes(*cairn_object_header(at)) - grown;
  if (bytes > cn_nursery.free - object)
    cn_trace_die_no_object(NULL, object, "it ends outside the nursery");
  return bytes;
}

/* Steps over any block: promotes its object, unless the block is a filler, or its object was copied, or is pinned and
 * was reached. Returns the end of the block. */
static uintptr_t promote_any_object(struct walk *walk, uintptr_t block)
{
  uintptr_t first = *(const uintptr_t *)block;

  if (cn_tables_is_forwarding_word(first) && cn_forwarded_bytes(first) != 0) {
    end_run(walk, block);
    return block + cn_forwarded_bytes(first);
  }
  bool indexed = (first & 1) != 0 && !cn_tables_is_forwarding_word(first);
  uintptr_t object = block + (indexed ? CAIRN_ABI_INDEXED_HEADER_SIZE : CAIRN_ABI_HEADER_SIZE), at = object;
  size_t grown;
  uintptr_t header = cn_interior_follow_to_header(&at, &grown, cn_tables_is_forwarding_word);
  uintptr_t end = object + measure_payload(walk, object, at, indexed, grown);

  if (at != object || cairn_layout_is_filler((const struct cairn_layout *)header) ||
      ((header & CAIRN_ABI_HEADER_PINNED) != 0 && cn_tables_is_object_start(object))) {
    end_run(walk, block);
    return end;
  }
  walk->run = walk->run != 0 ? walk->run : block;
  set_start(walk, object);
  if (!walk->plain || walk->copied || (cairn_header_layout(header)->flags & CAIRN_ABI_LAYOUT_WEAK_FIELDS) != 0)
    push_object(walk, object, header);
  return end;
}

static void walk_nursery(struct walk *walk)
{
  const struct cairn_layout *last = NULL; /* the layout of the last object, if all its objects have the same size */
  uintptr_t bytes = 0;

  for (uintptr_t block = cn_nursery.start, next; block != cn_nursery.free; block = next) {
    uintptr_t first = *(const uintptr_t *)block;
    if (first == (uintptr_t)last && bytes <= cn_nursery.free - block) {
      promote_plain_object(walk, block, block + CAIRN_ABI_HEADER_SIZE, last);
      next = block + bytes;
      continue;
    }
    next = promote_any_object(walk, block);
    const struct cairn_layout *layout = (first & CAIRN_ABI_HEADER_STATE) == 0 ? cairn_header_layout(first) : NULL;
    if ((uintptr_t)layout == first && layout != NULL && !cairn_layout_is_filler(layout)) {
      last = layout;
      bytes = next - block;
    }
  }
  end_run(walk, cn_nursery.free);
  store_bits(walk);
  cn_trace_drain_stack(walk->tracer);
}

/* `plain`: no large object needs a visit, and no card a note. */
static void promote_nursery(struct cn_tracer *tracer, bool plain)
{
  struct walk walk = {.tracer = tracer,
                      .bits = cn_tables_bit_word_of(cn_nursery.start + CAIRN_ABI_HEADER_SIZE, 0),
                      .reference = cn_trace_cycle.words.reference + CAIRN_ABI_HEADER_SIZE,
                      .marks = cn_trace_cycle.marks,
                      .plain = plain,
                      .copied = tracer->moved != 0};
  size_t first = cn_tables_block_of(cn_nursery.start), last = cn_tables_block_of(cn_nursery.free - 1);

  CN_CHECK(cn_nursery.free > cn_nursery.start && !cn_trace_cycle.shared);
  memset(&cn_tables.filled[first], 0, (last - first + 1) * sizeof cn_tables.filled[0]);
  walk_nursery(&walk);
}

void cn_promotion_promote_all(struct cn_tracer *tracer)
{
  CN_CHECK(cn_trace_cycle.mode == CN_TRACE_YOUNG && tracer->moved == 0);
  CN_CHECK(!cn_trace_cycle.marks && !cn_trace_cycle.notes);
  cn_trace_cycle.stays = true;
  cn_trace_cycle.budget = 0;
  cn_large_objects_reach_young();
  if (cn_nursery.free != cn_nursery.start)
    promote_nursery(tracer, true);
}

void cn_promotion_promote_rest(struct cn_tracer *tracer)
{
  CN_CHECK(cn_trace_cycle.mode == CN_TRACE_YOUNG && cn_trace_cycle.stays && tracer->count == 0);
  promote_nursery(tracer, !cn_trace_cycle.notes && cn_large_objects.young == 0);
}

void cn_promotion_end_limit(void)
{
  CN_CHECK(!cn_trace_cycle.stays);
  cn_trace_cycle.budget = SIZE_MAX;
}
