/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts external memory, and decides when it makes a full collection due: if it exceeds twice its size after the last
 * collection, and exceeds that size by more than CAIRN_HEAP_INITIAL. Collections that free little therefore become
 * rarer and rarer. Owns three atomic counters: the bytes now, after the last full collection, and at the peak. Any
 * thread counts and asks in any phase, without locks; the collecting thread notes a collection in phase STOP.
 */
#include "runtime/heap/managed_heap.h"

#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/options.h"
#include "runtime/core/poll_word.h"
#include "runtime/core/messages.h"

/* A negative count is treated as 0: one thread may subtract bytes before another thread adds them. */
static int64_t external_byte_count, bytes_at_last_collection;
static uint64_t peak_bytes;

static int64_t clamp_to_zero(int64_t value)
{
  return value > 0 ? value : 0;
}

static int64_t load_external_bytes(void)
{
  return clamp_to_zero(__atomic_load_n(&external_byte_count, __ATOMIC_RELAXED));
}

uint64_t cn_external_byte_count(void)
{
  return (uint64_t)load_external_bytes();
}

bool cn_external_is_collection_due(void)
{
  int64_t left = __atomic_load_n(&bytes_at_last_collection, __ATOMIC_RELAXED);
  size_t more = (size_t)left > cn_options.heap_initial ? (size_t)left : cn_options.heap_initial;

  CN_ASSERT(left >= 0);
  return (size_t)load_external_bytes() > (size_t)left + more;
}

void cn_external_note_collection(void)
{
  __atomic_store_n(&bytes_at_last_collection, load_external_bytes(), __ATOMIC_RELAXED);
}

void cn_external_print_stats(void)
{
  if (peak_bytes == 0)
    return;
  cn_report_print_count("external bytes", cn_external_byte_count());
  cn_report_print_count("external bytes, maximum", peak_bytes);
}

static void raise_peak(int64_t value)
{
  uint64_t seen = __atomic_load_n(&peak_bytes, __ATOMIC_RELAXED);

  while (value > 0 && (uint64_t)value > seen &&
         !__atomic_compare_exchange_n(&peak_bytes, &seen, (uint64_t)value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

/* A thread that runs no managed code leaves the collection to other threads. */
void cairn_external_bytes(long more)
{
  raise_peak(__atomic_add_fetch(&external_byte_count, more, __ATOMIC_RELAXED));
  if (more > 0 && cn_external_is_collection_due() && cairn_mutator.state != CAIRN_ABI_UNATTACHED &&
      cn_heap_collector()->collect != NULL && (cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0)
    cn_poll_word_arm(&cairn_mutator, CN_POLL_REASON_COLLECT);
}
