/* SPDX-License-Identifier: Apache-2.0
 *
 * Simulates collections in virtual time for the pacer, which is real.
 */
#include "simulation.h"

#include <stdlib.h>
#include <string.h>
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/pacer.h"
#include "collectors/generational/space/nursery.h"
#include "collectors/generational/trace.h"
#include "runtime/core/options.h"

enum {
  BLOCK = 32 << 10,
  RESERVE = 64 << 10,     /* HANDLER_RESERVE_BYTES of generational.c */
  HEAP_INITIAL = 4 << 20, /* the default of CAIRN_HEAP_INITIAL */
  END_OF_MARKING = 100000 /* nanoseconds for weak fields and the like */
};

static struct {
  struct program program;
  uint64_t now, scanned;    /* nanoseconds: the time; the last scan of cards */
  size_t old, reachable;    /* bytes of old objects; of those that the program keeps */
  size_t dead_before;       /* garbage when the marking began */
  size_t to_mark, to_visit; /* bytes of objects to mark; of marked objects to scan */
  size_t groups;            /* of blocks, which are yet to be evacuated */
  uint64_t seed;
  struct course course;
} simulation;

uint64_t simulated_time(void)
{
  return simulation.now;
}

uint64_t simulated_scan_time(void)
{
  return simulation.scanned;
}

bool is_simulation_evacuating(void)
{
  return simulation.groups != 0 && !cn_marker.on;
}

static size_t smaller_of(size_t a, size_t b)
{
  return a < b ? a : b;
}

/* Varies `value` by up to a fifth. */
static size_t vary(size_t value)
{
  simulation.seed = simulation.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return value / 1000 * (800 + (simulation.seed >> 33) % 400) + value % 1000;
}

static void spend(uint64_t nanoseconds)
{
  simulation.now += nanoseconds * simulation.program.slowness;
}

/* ---- the nursery ---- */

static void place_nursery(size_t bytes)
{
  uintptr_t start = (uintptr_t)1 << 40;

  cn_nursery_set_addresses(start, start, start + (bytes + BLOCK - 1) / BLOCK * BLOCK);
}

static void reopen_nursery(bool moves)
{
  size_t room = cn_nursery.end - cn_nursery.start;

  if (cairn_pause_goal() != 0 && (moves || cn_pacer.room / 2 > room))
    place_nursery(smaller_of(cn_pacer.room + RESERVE, simulation.program.addresses));
  cn_nursery.free = cn_nursery.start;
  room = cn_nursery.end - cn_nursery.start;
  room -= room / 2 > RESERVE ? RESERVE : room / 2;
  size_t bytes = smaller_of(cn_pacer.room, room);
  bytes = smaller_of(bytes, cn_pacer.maximum > simulation.old ? cn_pacer.maximum - simulation.old : 0);
  cn_nursery.limit = cn_nursery.start + (bytes & ~(size_t)7);
}

static size_t nursery_bytes(void)
{
  return cn_nursery.limit - cn_nursery.start;
}

/* ---- the marker ---- */

static void mark(size_t bytes)
{
  size_t visited = smaller_of(bytes, simulation.to_visit), marked = smaller_of(bytes - visited, simulation.to_mark);

  simulation.to_visit -= visited;
  simulation.to_mark -= marked;
  cn_marker.bytes += marked;
  cn_marker.found += marked;
  cn_marker.scanned = true;
}

static size_t left_to_mark(void)
{
  return simulation.to_mark + simulation.to_visit;
}

static void begin_marking(void)
{
  if (cn_marker.on || simulation.old <= cn_pacer.start || simulation.old / 2 <= cairn_full_pause_goal())
    return;
  cn_pacer_begin_marking(simulation.old);
  cn_marker = (struct cn_marker){.on = true};
  simulation.dead_before = simulation.old - simulation.reachable;
  simulation.to_mark = simulation.reachable;
  simulation.to_visit = 0;
  simulation.groups = 0;
}

static void end_marking(void)
{
  spend(END_OF_MARKING);
  cn_pacer_end_marking(simulation.old);
  cn_marker.on = false;
  simulation.old -= simulation.dead_before;
  simulation.course.markings++;
  simulation.groups = simulation.program.groups;
  cn_pacer_set_threshold(simulation.old, 0, true);
}

static void continue_marking(void)
{
  if (!cn_marker.on)
    return;
  uint64_t roots = cn_pacer_root_deadline(simulation.old), pace = simulation.program.mark * simulation.program.slowness;
  cn_marker.rooted = roots != 0;
  uint64_t deadline = cn_pacer_marking_deadline(simulation.old), left = left_to_mark(),
           time = deadline > simulation.now ? deadline - simulation.now : 0;
  uint64_t bytes = time / pace >= left / 1000 ? left : time * 1000 / pace;

  cn_marker.idle = false;
  mark(bytes);
  spend(bytes * simulation.program.mark / 1000);
  if (time != 0 && left_to_mark() == 0)
    end_marking();
  else
    simulation.course.failed += time != 0;
}

/* The marker's steps while the program runs. */
static void mark_concurrently(uint64_t nanoseconds)
{
  if (!cn_marker.on)
    return;
  mark(nanoseconds * simulation.program.marker / simulation.program.mark);
  cn_marker.idle = left_to_mark() == 0;
}

/* ---- collections ---- */

/* Objects that were promoted become old, and as many reachable bytes die as exceed those that the program keeps. */
static void promote(size_t survivors, size_t garbage)
{
  simulation.old += survivors + garbage;
  simulation.reachable = smaller_of(simulation.reachable + survivors, simulation.program.alive);
  simulation.course.garbage += garbage;
  if (cn_marker.on)
    cn_marker.bytes += survivors + garbage;
}

static size_t survivors_of(size_t bytes)
{
  size_t newest = smaller_of(bytes, simulation.program.newest);

  return smaller_of(bytes, newest + (bytes - newest) / 1000 * vary(simulation.program.survival));
}

static void promote_nursery(size_t bytes)
{
  size_t survivors = survivors_of(bytes), large = cn_large_objects.young;

  spend(bytes * simulation.program.walk / 1000);
  cn_pacer_note_promotion();
  promote(survivors + large, bytes - survivors);
  cn_pacer_note_survival(0, bytes);
  cn_pacer_adapt_nursery(simulation.old, bytes, bytes);
  simulation.course.whole++;
}

/* Copies survivors and visits cards, both until the deadline, and the other cards after it. Returns the bytes that were
 * copied. */
static size_t copy_survivors(size_t survivors, uint64_t cards, uint64_t deadline)
{
  uint64_t copies = survivors * simulation.program.copy / 1000, work = copies + cards,
           time = deadline > simulation.now ? (deadline - simulation.now) / simulation.program.slowness : 0;

  if (work <= time) {
    spend(work);
    return survivors;
  }
  size_t copied = (size_t)(survivors / 1000 * (time * 1000 / work));
  spend(time + cards - cards / 1000 * (time * 1000 / work));
  return copied;
}

/* Returns true if the nursery moves. */
static bool collect_young(size_t bytes)
{
  size_t survivors = survivors_of(bytes);
  uint64_t before = simulation.now, deadline = UINT64_MAX;

  spend(simulation.old / MIB * simulation.program.scan);
  simulation.scanned = simulation.now - before;
  if (cairn_pause_goal() != 0)
    deadline = cn_pacer_copy_deadline();
  spend(simulation.program.roots);
  cn_pacer_note_root_visits();
  spend(simulation.program.visits);
  size_t cards = vary(bytes / 1024 * simulation.program.dirty / 1024);
  size_t copied = copy_survivors(survivors, cards * simulation.program.card, deadline);
  cn_trace_cycle.stays = copied < survivors;
  if (cairn_pause_goal() != 0)
    cn_pacer_note_visits();
  size_t promoted = cn_trace_cycle.stays ? bytes - copied : 0;
  if (cn_trace_cycle.stays) {
    spend(bytes * simulation.program.walk / 1000);
    cn_pacer_note_promotion();
  }
  if (is_simulation_evacuating() && simulation.groups-- != 0)
    spend(cairn_pause_goal() / 4);
  promote(survivors + cn_large_objects.young * survivors / (bytes + 1), copied + promoted - survivors);
  if (cn_marker.on)
    simulation.to_visit += promoted;
  cn_pacer_note_survival(copied, promoted);
  cn_pacer_adapt_nursery(simulation.old, bytes, copied + promoted);
  simulation.course.rest += cn_trace_cycle.stays;
  return cn_trace_cycle.stays;
}

static void collect_full(size_t bytes)
{
  size_t survivors = survivors_of(bytes);

  cn_marker = (struct cn_marker){0};
  promote(survivors, 0);
  simulation.old = simulation.reachable;
  spend(simulation.reachable * simulation.program.mark / 1000);
  simulation.course.full++;
  cn_pacer_set_threshold(simulation.old, 0, false);
}

static bool is_full_collection_due(size_t bytes)
{
  size_t left = cn_pacer.maximum > simulation.old ? cn_pacer.maximum - simulation.old : 0;
  bool concurrent = cairn_full_pause_goal() != 0 && simulation.old / 2 > cairn_full_pause_goal();

  return (!cn_marker.on &&
          simulation.old + cn_large_objects.young > (concurrent ? cn_pacer_old_limit(true) : cn_pacer.threshold)) ||
         left < 2 * bytes;
}

static void collect(void)
{
  size_t bytes = cn_nursery.free - cn_nursery.start;
  bool moves = false;

  if (is_full_collection_due(bytes)) {
    collect_full(bytes);
  } else {
    cn_pacer_begin_young(bytes);
    if (cairn_pause_goal() != 0 && cn_pacer_promotes_nursery()) {
      promote_nursery(bytes);
      moves = true;
    } else {
      begin_marking();
      moves = collect_young(bytes);
      continue_marking();
    }
  }
  cn_pacer_bound_nursery(simulation.old);
  reopen_nursery(moves);
}

/* ---- courses ---- */

/* The program fills the nursery, or large objects take as much. */
static void run_program(void)
{
  size_t small = nursery_bytes(), share = simulation.program.large;

  if (share > 500)
    small = small / share * (1000 - share);
  cn_nursery.free = cn_nursery.start + (small & ~(size_t)7);
  cn_large_objects.young = small / (1000 - share) * share;
  uint64_t time = (small + cn_large_objects.young) * simulation.program.allocation / 1000;
  simulation.now += time;
  simulation.course.time += time;
  simulation.course.allocated += small;
  mark_concurrently(time);
}

static void note_pause(uint64_t pause)
{
  struct course *course = &simulation.course;
  size_t heap = simulation.old + nursery_bytes();

  course->collections++;
  course->time += pause;
  course->paused += pause;
  course->longest = pause > course->longest ? pause : course->longest;
  course->beyond += cairn_pause_goal() != 0 && pause > cairn_pause_goal() / 8 * 9;
  course->least_nursery = smaller_of(course->least_nursery, nursery_bytes());
  course->peak = heap > course->peak ? heap : course->peak;
}

static void step(void)
{
  run_program();
  uint64_t begun = simulation.now;
  collect();
  cn_large_objects.young = 0;
  note_pause(simulation.now - begun);
}

void start_simulation(uint64_t goal, size_t heap_max)
{
  memset(&simulation, 0, sizeof simulation);
  simulation.now = 1000;
  simulation.program.slowness = 1;
  cn_options.pause = goal;
  cn_options.pause_full = goal != 0 ? goal : 50 * MILLISECOND;
  cn_options.heap_growth = 100;
  cn_marker = (struct cn_marker){0};
  cn_large_objects = (struct cn_large_objects){0};
  cn_pacer_init(HEAP_INITIAL, heap_max);
  place_nursery(2 * cn_pacer.room + 2 * CN_MAX_NURSERY_BYTES);
  reopen_nursery(false);
}

struct course simulate(const struct program *program, size_t collections)
{
  simulation.program = *program;
  simulation.course = (struct course){.least_nursery = SIZE_MAX};
  for (size_t i = 0; i < collections; i++)
    step();
  return simulation.course;
}
