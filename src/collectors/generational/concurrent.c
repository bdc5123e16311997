/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent full collections of the old space and of large objects: idle, marking, sweeping, and idle again. The
 * runtime's background thread marks and sweeps in steps while the program runs; stops begin and end these phases.
 *
 * The file owns the state of the sweep (`concurrent_work`); the state of the marking is the marker's.
 */
#include "collectors/generational/concurrent.h"

#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "collectors/generational/evacuation.h"
#include "collectors/generational/large_objects.h"
#include "collectors/generational/marker.h"
#include "collectors/generational/space/blocks.h"
#include "runtime/os/os.h"

enum {
  FIELDS_PER_STEP = 1024,
  SWEPT_BLOCKS_PER_STEP = 16,
  RELEASED_BYTES_PER_STEP = 4 << 20,
};

size_t cn_concurrent_swept_per_stop = 256;

static struct {
  bool sweeps;
  size_t kept;
} concurrent_work;

static bool mark_concurrent_step(void *unused)
{
  (void)unused;
  return cn_marker_step(FIELDS_PER_STEP, false);
}

static bool sweep_concurrent_step(void *unused)
{
  (void)unused;
  CN_CHECK(!cn_marker.on);
  return cn_blocks_sweep_some(SWEPT_BLOCKS_PER_STEP) ||
         cn_blocks_release_free(concurrent_work.kept, RELEASED_BYTES_PER_STEP);
}

bool cn_concurrent_sweep_some(void)
{
  bool done = concurrent_work.sweeps && !cn_blocks_sweep_some(cn_concurrent_swept_per_stop);

  concurrent_work.sweeps = concurrent_work.sweeps && !done;
  return done;
}

bool cn_concurrent_is_swept(void)
{
  return !concurrent_work.sweeps;
}

bool cn_concurrent_may_begin_marking(void)
{
  return !concurrent_work.sweeps && !cn_marker.on;
}

void cn_concurrent_begin_marking(void)
{
  CN_CHECK(cn_concurrent_may_begin_marking());
  cn_evacuation_forget_groups();
  cn_marker_begin();
  cairn_deferred_roots(true);
  cn_evacuation_choose_blocks();
}

static void mark_deferred_root(void *unused, struct cairn_slot slot)
{
  (void)unused;
  cn_evacuation_keep_block(*slot.address - cairn_words.reference);
  cn_marker_mark_root(slot.address);
}

static bool is_before_deadline(uint64_t deadline)
{
  return cn_os_thread_processor_time(cn_os_thread()) < deadline;
}

void cn_concurrent_mark_roots(uint64_t deadline)
{
  CN_CHECK(cn_marker.on);
  cairn_phase_begins("mark");
  do
    cn_marker.rooted = !cairn_deferred_roots_visit(mark_deferred_root, NULL);
  while (!cn_marker.rooted && is_before_deadline(deadline));
  cairn_phase_ends("mark");
}

bool cn_concurrent_finish_marking(uint64_t deadline)
{
  bool more = true;

  CN_CHECK(cn_marker.on && !concurrent_work.sweeps);
  cairn_phase_begins("remark");
  cn_marker_resume();
  while (more && is_before_deadline(deadline))
    more = cn_marker_step(FIELDS_PER_STEP, true);
  more = more || !cn_marker.rooted;
  if (!more)
    cn_marker_process_weak_objects();
  cairn_phase_ends("remark");
  if (more)
    cairn_background_run(mark_concurrent_step, NULL);
  return !more;
}

size_t cn_concurrent_start_sweep(void)
{
  cairn_phase_begins("sweep");
  cn_marker_end();
  cn_large_objects_free_unreached();
  cn_blocks_swap_marks(true);
  concurrent_work.sweeps = true;
  concurrent_work.kept = SIZE_MAX;
  cairn_phase_ends("sweep");
  cairn_background_run(sweep_concurrent_step, NULL);
  return cn_marker.bytes;
}

void cn_concurrent_release_memory(void)
{
  if (cn_concurrent_may_begin_marking())
    cairn_background_run(sweep_concurrent_step, NULL);
}

void cn_concurrent_set_kept_bytes(size_t bytes)
{
  CN_CHECK(concurrent_work.sweeps);
  concurrent_work.kept = bytes;
}

void cn_concurrent_abandon_work(void)
{
  bool free = cn_concurrent_may_begin_marking();

  if (cn_marker.on) {
    cn_evacuation_forget_groups();
    cn_marker_abandon();
    cairn_note_count("concurrent markings abandoned", 1);
  }
  if (concurrent_work.sweeps)
    cn_blocks_sweep_some(SIZE_MAX);
  concurrent_work.sweeps = false;
  cn_evacuation_forget_groups();
  if (!free)
    cairn_background_run(NULL, NULL);
}
