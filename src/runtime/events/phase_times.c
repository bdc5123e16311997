/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds up the times of collections by phase. Owns the phases by name (`phases`) with their times, the stack of open
 * phases (`open_phases`), and the longest collection so far. The thread that runs a collection writes, in phase STOP,
 * and sets `is_collecting`; phases of other threads are ignored, because they run at the same time. The end of the
 * program reads. The file takes no lock.
 */
#include "runtime/events/phase_times.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/check.h"
#include "runtime/core/messages.h"

enum { MAX_PHASES = 24, MAX_OPEN_PHASES = 8, OTHER = 0 };

/* Times are in nanoseconds. The first entry is the time outside of phases; it also has the times of phases beyond
 * MAX_PHASES. */
static struct phase_time {
  const char *name;
  uint64_t total;   /* of all collections */
  uint64_t current; /* of this collection, or of the last one */
  uint64_t longest; /* of the longest collection */
} phases[MAX_PHASES] = {{.name = "other"}};
static size_t phase_count = 1;

static struct {
  size_t phases[MAX_OPEN_PHASES]; /* phases that nest deeper count for the phase around them */
  size_t depth;
  uint64_t since; /* the time of the last event, up to which all times are counted */
} open_phases;
static uint64_t longest_collection; /* nanoseconds */
static _Thread_local bool is_collecting;

static size_t find_phase(const char *name)
{
  for (size_t i = OTHER + 1; i < phase_count; i++)
    if (phases[i].name == name || strcmp(phases[i].name, name) == 0)
      return i;
  if (phase_count == MAX_PHASES)
    return OTHER;
  phases[phase_count].name = name;
  return phase_count++;
}

static void count_time_until(uint64_t time)
{
  size_t depth = open_phases.depth < MAX_OPEN_PHASES ? open_phases.depth : MAX_OPEN_PHASES,
         phase = depth == 0 ? OTHER : open_phases.phases[depth - 1];

  CN_ASSERT(phase < phase_count && open_phases.since <= time);
  phases[phase].current += time - open_phases.since;
  open_phases.since = time;
}

static void begin_collection(uint64_t time)
{
  for (size_t i = 0; i < phase_count; i++)
    phases[i].current = 0;
  open_phases.depth = 0;
  open_phases.since = time;
  is_collecting = true;
}

static void end_collection(uint64_t time, uint64_t nanoseconds)
{
  bool is_longest = nanoseconds > longest_collection;

  count_time_until(time);
  is_collecting = false;
  if (is_longest)
    longest_collection = nanoseconds;
  for (size_t i = 0; i < phase_count; i++) {
    phases[i].total += phases[i].current;
    if (is_longest)
      phases[i].longest = phases[i].current;
  }
}

static void begin_phase(const char *name, uint64_t time)
{
  count_time_until(time);
  if (open_phases.depth < MAX_OPEN_PHASES)
    open_phases.phases[open_phases.depth] = find_phase(name);
  open_phases.depth++;
}

static void end_phase(uint64_t time)
{
  count_time_until(time);
  if (open_phases.depth != 0)
    open_phases.depth--;
}

void cn_phase_times_note_event(const struct cairn_event *event)
{
  if (event->kind == CAIRN_EVENT_COLLECTION_BEGINS)
    begin_collection(event->time);
  else if (!is_collecting)
    return;
  else if (event->kind == CAIRN_EVENT_PHASE_BEGINS)
    begin_phase(event->phase, event->time);
  else if (event->kind == CAIRN_EVENT_PHASE_ENDS)
    end_phase(event->time);
  else if (event->kind == CAIRN_EVENT_COLLECTION_ENDS)
    end_collection(event->time, event->time - event->since);
}

/* "other" is the last, after the phases in the order of their first begins. */
static const struct phase_time *phase_at(size_t i)
{
  return &phases[i + 1 < phase_count ? i + 1 : OTHER];
}

const char *cn_phase_times_format_last(char *text, size_t size)
{
  size_t used = 0;

  CN_CHECK(size != 0);
  text[0] = 0;
  for (size_t i = 0; i < phase_count && used < size; i++) {
    const struct phase_time *phase = phase_at(i);
    if (phase->current != 0)
      used +=
          (size_t)snprintf(text + used, size - used, "%s %.40s %llu.%llu", used == 0 ? ":" : ",", phase->name,
                           (unsigned long long)phase->current / 1000, (unsigned long long)phase->current / 100 % 10);
  }
  return text;
}

void cn_phase_times_print(void)
{
  char name[80];

  for (size_t i = 0; i < phase_count; i++) {
    const struct phase_time *phase = phase_at(i);
    if (phase->total == 0)
      continue;
    snprintf(name, sizeof name, "pause total in %.40s (us)", phase->name);
    cn_report_print_microseconds(name, phase->total);
    snprintf(name, sizeof name, "longest pause in %.40s (us)", phase->name);
    cn_report_print_microseconds(name, phase->longest);
  }
}
