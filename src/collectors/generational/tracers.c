/* SPDX-License-Identifier: Apache-2.0
 *
 * Owns the tracers (`tracers`), begins a collection for them (`cn_trace_cycle`), runs their tasks, and adds up their
 * results. Tracers are allocated in phase INIT. Phase STOP: the collecting thread calls the functions, and the
 * runtime's workers run tasks, one tracer each; the file takes no lock. Most young collections end before a worker
 * would wake up. So one tracer begins alone, with plain instead of atomic operations, and other tracers join when it
 * has copied and marked a limit of bytes (`cn_tracers_max_bytes_alone`, which tests set).
 */
#include "collectors/generational/tracers.h"

#include "base/check.h"
#include "collectors/generational/cards.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/work_sharing.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/space/tables.h"
#include "runtime/os/os.h"

size_t cn_tracers_max_bytes_alone = 256 << 10;
enum { SHORT_PAUSE_FACTOR = 8 }; /* the multiple of the limit if there is a goal for pauses */

static struct {
  struct cn_tracer *at;
  size_t most;   /* number of tracers */
  size_t joined; /* number of tracers that joined in this collection */
} tracers;

bool cn_tracers_init(void)
{
  size_t page = cn_os_page_bytes(), most = cairn_workers_most();
  size_t bytes = (most * sizeof *tracers.at + page - 1) & ~(page - 1);

  CN_CHECK(most >= 1);
  tracers.at = cn_os_resize_mapping(NULL, 0, bytes);
  tracers.most = most;
  return tracers.at != NULL && cn_trace_grow_stack(&tracers.at[0]);
}

size_t cn_tracers_max_count(void)
{
  return tracers.most;
}

size_t cn_tracers_stack_bytes(void)
{
  size_t bytes = 0;

  for (size_t i = 0; i < tracers.most; i++)
    bytes += cairn_resident_bytes((uintptr_t)tracers.at[i].stack, tracers.at[i].depth * sizeof *tracers.at[i].stack);
  return bytes;
}

/* The bytes include unused parts of blocks: an object that does not fit into the rest of a block has at most a quarter
 * of a block. */
size_t cn_tracers_copy_space_bytes(size_t bytes)
{
  return tracers.most == 1 ? bytes + 8 : bytes + bytes / 3 + 2 * tracers.most * CN_BLOCK_BYTES;
}

/* The limit of bytes for a single tracer. The limit is large if there is a goal for pauses: a busy system might lack a
 * processor for a second tracer, and the first would wait for it. */
static size_t max_bytes_for_one_tracer(enum cn_trace mode)
{
  bool is_short = mode == CN_TRACE_YOUNG && cairn_pause_goal() != 0;

  return is_short && cn_tracers_max_bytes_alone <= SIZE_MAX / SHORT_PAUSE_FACTOR
             ? SHORT_PAUSE_FACTOR * cn_tracers_max_bytes_alone
             : cn_tracers_max_bytes_alone;
}

static void begin_cycle(enum cn_trace mode, uint64_t number, const struct cn_extent *copies)
{
  cn_trace_cycle = (struct cn_trace_cycle){.mode = mode,
                                           .marks = mode == CN_TRACE_YOUNG && cn_marker.on,
                                           .notes = mode == CN_TRACE_YOUNG && cn_evacuation_notes_cards(),
                                           .words = cairn_words,
                                           .uncleared = cairn_arrays_uncleared_lately(),
                                           .budget = SIZE_MAX,
                                           .number = number};
  CN_CHECK(cairn_words.mask < CAIRN_ABI_OBJECT_ALIGN && cairn_words.reference <= cairn_words.mask);
  CN_CHECK((mode == CN_TRACE_MOVE) == (copies != NULL));
  if (copies != NULL) {
    cn_trace_cycle.copies = cn_trace_cycle.copied = copies->start;
    cn_trace_cycle.copies_bytes = copies->end - copies->start;
  }
  cn_trace_cycle.evacuates = cn_trace_cycle.notes && cn_evacuation_is_group_due();
  bool all = mode != CN_TRACE_YOUNG || cn_trace_cycle.notes || cn_trace_cycle.marks;
  uintptr_t start = cn_large_objects.young != 0 ? cn_tables.base : cn_nursery.start;
  cn_trace_cycle.young = (struct cn_address_range){start, cn_nursery.free - start};
  cn_trace_cycle.all =
      all ? (struct cn_address_range){cn_tables.base, cn_tables.end - cn_tables.base} : cn_trace_cycle.young;
}

void cn_tracers_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies)
{
  begin_cycle(mode, number, copies);
  cn_trace_cycle.alone = tracers.most == 1 ? SIZE_MAX : max_bytes_for_one_tracer(mode);
  for (size_t i = 0; i < tracers.most; i++)
    cn_trace_begin_tracer(&tracers.at[i]);
  if (mode == CN_TRACE_MOVE)
    tracers.at[0].cursor = (struct cn_copy_cursor){copies->start, copies->end};
  if (mode == CN_TRACE_YOUNG)
    cn_cards_begin_visits(0);
  tracers.joined = 1;
}

void cn_tracers_promote_nursery(uint64_t number)
{
  begin_cycle(CN_TRACE_YOUNG, number, NULL);
  cn_trace_cycle.alone = SIZE_MAX;
  for (size_t i = 0; i < tracers.most; i++)
    cn_trace_begin_tracer(&tracers.at[i]);
  tracers.joined = 1;
  cn_promotion_promote_all(&tracers.at[0]);
  cn_cards_clean_all();
}

/* ---- several tracers ---- */

/* The first task of each tracer, for instance to fetch roots until all roots are taken. */
typedef void tracer_task(struct cn_tracer *tracer);

static void run_task_as_worker(void *env, unsigned worker, unsigned count)
{
  struct cn_tracer *tracer = &tracers.at[worker];
  tracer_task *const *first = env;

  CN_CHECK(worker < count && count <= tracers.most);
  (*first)(tracer);
  do
    cn_trace_drain_stack(tracer);
  while (cn_work_sharing_await_work(tracer, count));
}

/* Prepares for several tracers, whose blocks must begin at separate words of bits. */
static void begin_sharing_work(void)
{
  cn_trace_cycle.shared = true;
  if (cn_trace_cycle.mode != CN_TRACE_MOVE)
    return;
  cn_trace_cycle.copied = (tracers.at[0].cursor.free + CN_CARD_BYTES - 1) & ~(uintptr_t)(CN_CARD_BYTES - 1);
  tracers.at[0].cursor = (struct cn_copy_cursor){0, 0};
}

static void run_task_by_workers(tracer_task *first)
{
  if (!cn_trace_cycle.shared)
    begin_sharing_work();
  cn_work_sharing_begin();
  size_t count = cairn_workers_run((unsigned)tracers.most, run_task_as_worker, &first);
  if (tracers.joined < count)
    tracers.joined = count;
}

static void run_task_to_end(tracer_task *first)
{
  struct cn_tracer *alone = &tracers.at[0];

  if (!cn_trace_cycle.shared) {
    first(alone);
    cn_trace_drain_stack(alone);
  }
  if (cn_trace_cycle.shared || cn_trace_wants_helpers(alone))
    run_task_by_workers(first);
  CN_CHECK(alone->count == 0 && alone->bottom == 0);
}

/* Visits all roots. A young collection promotes all survivors, so the two rounds of a young enumeration differ only for
 * blocks that may be evacuated. */
void cn_tracers_visit_roots(void)
{
  bool young = cn_trace_cycle.mode == CN_TRACE_YOUNG;

  cairn_roots_begin(young ? CAIRN_ROOTS_YOUNG : CAIRN_ROOTS_ALL);
  cn_trace_cycle.keeps_blocks = young;
  run_task_to_end(cn_trace_fetch_roots);
  if (young) {
    cairn_roots_rest();
    cn_trace_cycle.keeps_blocks = false;
    run_task_to_end(cn_trace_fetch_roots);
  }
  cairn_roots_end();
}

void cn_tracers_visit_cards(void)
{
  CN_CHECK(cn_trace_cycle.mode == CN_TRACE_YOUNG);
  run_task_to_end(cn_cards_visit_dirty);
}

void cn_tracers_evacuate_group(void)
{
  CN_CHECK(cn_trace_cycle.evacuates);
  run_task_to_end(cn_evacuation_copy_group);
  cn_cards_begin_visits(cn_evacuation_group_bit());
  run_task_to_end(cn_cards_visit_dirty);
}

void cn_tracers_drop_cursors(void)
{
  for (size_t i = 0; i < tracers.most; i++)
    tracers.at[i].cursor = tracers.at[i].long_cursor = (struct cn_copy_cursor){0, 0};
}

void cn_tracers_end_copies_at(uint64_t deadline)
{
  cn_trace_cycle.alone = SIZE_MAX;
  cn_trace_cycle.budget = 0;
  cn_trace_cycle.deadline = deadline;
}

struct cn_tracer *cn_tracers_collecting_tracer(void)
{
  cn_trace_cycle.alone = SIZE_MAX;
  return &tracers.at[0];
}

struct cn_tracers_totals cn_tracers_end_collection(void)
{
  struct cn_tracers_totals all = {.tracers = tracers.joined};

  all.end = cn_trace_cycle.shared ? cn_trace_cycle.copied : tracers.at[0].cursor.free;
  for (size_t i = 0; i < tracers.most; i++) {
    struct cn_tracer *tracer = &tracers.at[i];
    all.objects += tracer->objects;
    all.moved += tracer->moved;
    all.marked += tracer->marked;
    all.promoted += tracer->promoted;
    all.asked += tracer->asked;
    all.cards += tracer->cards;
    all.useful_cards += tracer->useful_cards;
    all.objects_from_cards += tracer->objects_from_cards;
    cn_trace_end_tracer(tracer);
  }
  return all;
}
