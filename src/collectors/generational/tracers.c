/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs the tracers of a collection. Phase STOP, the collecting thread and the runtime's workers. Most young collections
 * end before a worker is awake, and their size is unknown beforehand. So one tracer starts alone, with plain instead of
 * atomic operations, and others join when it has done its part.
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

size_t cn_tracers_alone = 256 << 10;
enum { SHORT_PAUSE_FACTOR = 8 }; /* if pauses are to be short */

static struct {
  struct cn_tracer *at;
  size_t most;   /* how many there are */
  size_t joined; /* in this collection */
} tracers;

bool cn_tracers_init(void)
{
  size_t page = cn_os_page(), most = cairn_workers_most();
  size_t bytes = (most * sizeof *tracers.at + page - 1) & ~(page - 1);

  CN_CHECK(most >= 1);
  tracers.at = cn_os_resize(NULL, 0, bytes);
  tracers.most = most;
  return tracers.at != NULL && cn_trace_deepen(&tracers.at[0]);
}

size_t cn_tracers_most(void)
{
  return tracers.most;
}

/* Each tracer may leave a part of its blocks: an object that does not fit one takes at most a quarter. */
size_t cn_tracers_copy_bytes(size_t bytes)
{
  return tracers.most == 1 ? bytes + 8 : bytes + bytes / 3 + 2 * tracers.most * CN_BLOCK;
}

/* If pauses are to be short, one tracer visits the nursery: a busy system might have no processor for a second one, and
 * the first would wait for it. */
static size_t bytes_alone(enum cn_trace mode)
{
  bool is_short = mode == CN_TRACE_YOUNG && cairn_pause_goal() != 0;

  return is_short && cn_tracers_alone <= SIZE_MAX / SHORT_PAUSE_FACTOR ? SHORT_PAUSE_FACTOR * cn_tracers_alone
                                                                       : cn_tracers_alone;
}

static void begin_cycle(enum cn_trace mode, uint64_t number, const struct cn_extent *copies)
{
  cn_cycle = (struct cn_cycle){.mode = mode,
                               .marks = mode == CN_TRACE_YOUNG && cn_marker.on,
                               .notes = mode == CN_TRACE_YOUNG && cn_evacuation_is_noted(),
                               .words = cairn_words,
                               .uncleared = cairn_arrays_uncleared_lately(),
                               .number = number};
  CN_CHECK(cairn_words.mask < CAIRN_ABI_OBJECT_ALIGN && cairn_words.reference <= cairn_words.mask);
  CN_CHECK((mode == CN_TRACE_MOVE) == (copies != NULL));
  if (copies != NULL) {
    cn_cycle.copies = cn_cycle.copied = copies->start;
    cn_cycle.copies_bytes = copies->end - copies->start;
  }
  cn_cycle.evacuates = cn_cycle.notes && cn_evacuation_is_due();
  bool all = mode != CN_TRACE_YOUNG || cn_cycle.notes;
  cn_cycle.young = cn_large_objects.young != 0 || all ? cn_tables.base : cn_nursery.start;
  cn_cycle.young_bytes = (all ? cn_tables.end : cn_nursery.free) - cn_cycle.young;
}

void cn_tracers_begin(enum cn_trace mode, uint64_t number, const struct cn_extent *copies)
{
  begin_cycle(mode, number, copies);
  cn_cycle.alone = tracers.most == 1 ? SIZE_MAX : bytes_alone(mode);
  for (size_t i = 0; i < tracers.most; i++)
    cn_trace_enter(&tracers.at[i]);
  if (mode == CN_TRACE_MOVE)
    tracers.at[0].cursor = (struct cn_copy_cursor){copies->start, copies->end};
  if (mode == CN_TRACE_YOUNG)
    cn_cards_begin(0);
  tracers.joined = 1;
}

/* ---- several tracers ---- */

/* The first task of all tracers: fetch roots, or visit cards. It ends when all of these are taken. */
typedef void task(struct cn_tracer *tracer);

static void join_task(void *env, unsigned worker, unsigned count)
{
  struct cn_tracer *tracer = &tracers.at[worker];
  task *const *first = env;

  CN_CHECK(worker < count && count <= tracers.most);
  (*first)(tracer);
  do
    cn_trace_drain(tracer);
  while (cn_work_sharing_take(tracer, count));
}

/* The blocks of several tracers begin at separate words of bits. */
static void begin_sharing(void)
{
  cn_cycle.shared = true;
  if (cn_cycle.mode != CN_TRACE_MOVE)
    return;
  cn_cycle.copied = (tracers.at[0].cursor.free + CN_CARD - 1) & ~(uintptr_t)(CN_CARD - 1);
  tracers.at[0].cursor = (struct cn_copy_cursor){0, 0};
}

static void share_task(task *first)
{
  if (!cn_cycle.shared)
    begin_sharing();
  cn_work_sharing_begin();
  size_t count = cairn_workers_run((unsigned)tracers.most, join_task, &first);
  if (tracers.joined < count)
    tracers.joined = count;
}

static void run_task(task *first)
{
  struct cn_tracer *alone = &tracers.at[0];

  if (!cn_cycle.shared) {
    first(alone);
    cn_trace_drain(alone);
  }
  if (cn_cycle.shared || cn_trace_is_over(alone))
    share_task(first);
  CN_CHECK(alone->count == 0 && alone->bottom == 0);
}

/* All survivors are promoted, so both rounds of a young enumeration are alike, except for blocks that are to be
 * evacuated. */
void cn_tracers_visit_roots(void)
{
  bool young = cn_cycle.mode == CN_TRACE_YOUNG;

  cairn_roots_begin(young ? CAIRN_ROOTS_YOUNG : CAIRN_ROOTS_ALL);
  cn_cycle.keeps_blocks = young;
  run_task(cn_trace_fetch);
  if (young) {
    cairn_roots_rest();
    cn_cycle.keeps_blocks = false;
    run_task(cn_trace_fetch);
  }
  cairn_roots_end();
}

void cn_tracers_visit_cards(void)
{
  CN_CHECK(cn_cycle.mode == CN_TRACE_YOUNG);
  run_task(cn_cards_visit);
}

void cn_tracers_evacuate(void)
{
  CN_CHECK(cn_cycle.evacuates);
  run_task(cn_evacuation_copy);
  cn_cards_begin(cn_evacuation_group());
  run_task(cn_cards_visit);
}

void cn_tracers_leave_cursors(void)
{
  for (size_t i = 0; i < tracers.most; i++)
    tracers.at[i].cursor = tracers.at[i].long_cursor = (struct cn_copy_cursor){0, 0};
}

struct cn_tracer *cn_tracers_last(void)
{
  cn_cycle.alone = SIZE_MAX;
  return &tracers.at[0];
}

struct cn_traced cn_tracers_end(void)
{
  struct cn_traced all = {.tracers = tracers.joined};

  all.end = cn_cycle.shared ? cn_cycle.copied : tracers.at[0].cursor.free;
  for (size_t i = 0; i < tracers.most; i++) {
    struct cn_tracer *tracer = &tracers.at[i];
    all.objects += tracer->objects;
    all.moved += tracer->moved;
    all.marked += tracer->marked;
    all.asked += tracer->asked;
    cn_trace_leave(tracer);
  }
  return all;
}
