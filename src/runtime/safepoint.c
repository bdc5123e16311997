/* SPDX-License-Identifier: Apache-2.0
 *
 * Safepoints: polls, allocation slow paths, collections.
 */
#include "runtime/safepoint.h"

#include <string.h>
#include <cairn/abi.h>
#include "runtime/arm.h"
#include "runtime/ask.h"
#include "runtime/frames.h"
#include "runtime/heap.h"
#include "runtime/image.h"
#include "runtime/mutator.h"
#include "runtime/options.h"
#include "runtime/os/os.h"
#include "runtime/overflow.h"
#include "runtime/report.h"
#include "runtime/stats.h"
#include "runtime/verify_frames.h"

static bool may_collect(void)
{
  return (cn_image_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0;
}

static void collect(const struct cn_regs *regs, const char *why, size_t bytes_needed)
{
  struct cairn_mutator *mutator = &cairn_mutator;
  struct cn_stats before = cn_stats;

  if ((cn_options.verify & CN_VERIFY_FRAMES) != 0)
    cn_verify_frames(mutator, regs);
  uint64_t start = cn_os_nanoseconds();
  cn_frames_trim();
  mutator->stopped = regs;
  cn_heap_collect(bytes_needed, cn_options.stress != 0);
  mutator->stopped = NULL;
  cn_stats_collection(why, bytes_needed, &before, cn_os_nanoseconds() - start);
}

/* A slow path begins; true if stress mode wants a collection here. */
static bool enter(const struct cn_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get();

  /* Managed code in a signal handler that came during a slow path: the frames below have no anchor.
   * */
  if (mutator->busy)
    cairn_fatal("a safepoint was reached inside the runtime, by a signal handler or a collector");
  mutator->busy = 1;
  cn_ask_arrive(regs->pc, false);
  cn_stats.safepoints++;
  return cn_options.stress != 0 && cn_stats.safepoints % cn_options.stress == 0 && may_collect();
}

static void leave(const struct cn_regs *regs)
{
  cn_ask_arrive(regs->pc, true);
  cairn_mutator.busy = 0;
}

void cn_safepoint_poll(const struct cn_regs *regs)
{
  bool stress = enter(regs);

  cn_arm_settle(&cairn_mutator);
  cn_overflow_check(&cairn_mutator, regs);
  if (stress)
    collect(regs, "stress", 0);
  leave(regs);
}

void cn_safepoint_collect(const struct cn_regs *regs)
{
  enter(regs);
  if (may_collect())
    collect(regs, "cairn_collect()", 0);
  leave(regs);
}

static void *allocate(const struct cn_regs *regs, size_t bytes)
{
  void *block;

  if (enter(regs))
    collect(regs, "stress", bytes);
  if (!may_collect())
    block = cn_heap_allocate_growing(bytes);
  else if ((block = cn_heap_allocate(bytes)) == NULL) {
    collect(regs, "allocation", bytes);
    block = cn_heap_allocate(bytes);
  }
  leave(regs);
  if (block == NULL)
    cn_report_exit("out of memory: cannot allocate %zu bytes (heap maximum %zu)", bytes,
                   cn_options.heap_max);
  return block;
}

static void check_layout(const struct cn_regs *regs, const struct cairn_layout *layout)
{
  char place[CN_REPORT_PC];

  if (!cairn_layout_is_known(layout))
    cairn_fatal("allocation at pc %s: %p is not a layout", cn_report_pc(regs->pc, place),
                (const void *)layout);
}

void *cn_safepoint_alloc(const struct cn_regs *regs, const struct cairn_layout *layout)
{
  check_layout(regs, layout);
  size_t bytes = (layout->base_size + CAIRN_ABI_HEADER_SIZE + 7) & ~(size_t)7;
  uintptr_t *block = allocate(regs, bytes);
  block[0] = (uintptr_t)layout;
  return block + 1;
}

void *cn_safepoint_alloc_indexed(const struct cn_regs *regs, const struct cairn_layout *layout,
                                 int64_t count)
{
  uint64_t payload;

  check_layout(regs, layout);
  if (count < 0)
    cn_report_exit("negative array length %lld", (long long)count);
  if ((uint64_t)count > UINT64_MAX / 2 || !cairn_layout_payload(layout, (uint64_t)count, &payload))
    cn_report_exit("array of %lld elements of %llu bytes: the size overflows", (long long)count,
                   (unsigned long long)layout->elem_size);
  uintptr_t *block = allocate(regs, payload + CAIRN_ABI_INDEXED_HEADER_SIZE);
  block[0] = (uintptr_t)count << 1 | 1;
  block[1] = (uintptr_t)layout;
  return block + 2;
}

void cn_safepoint_anchors(const struct cn_regs *regs)
{
  struct cairn_mutator *mutator = cn_mutator_get();
  char place[CN_REPORT_PC];

  /* Anchors of native frames that a longjmp left: the stack is above them now. */
  while (mutator->anchor > mutator->anchors && mutator->anchor[-1].sp < cn_arch_sp_after(regs))
    mutator->anchor--;
  if (mutator->anchor == mutator->anchor_limit)
    cairn_fatal("too many nested calls from managed to native code, at pc %s",
                cn_report_pc(regs->pc, place));
}

/* What a front end's IR calls; compiled code has the expansions instead. A native caller's
 * references would not be found by the collector. */
#define NOT_COMPILED(name, ...) \
  __attribute__((visibility("default"))) void *name(__VA_ARGS__); \
  void *name(__VA_ARGS__) \
  { \
    cairn_fatal(#name " was called from code that cairn-cc did not compile"); \
  }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_COMPILED(cairn_alloc, const void *layout, size_t size)
NOT_COMPILED(cairn_alloc_array, const void *layout, int64_t count)
NOT_COMPILED(cairn_alloc_flex, const void *layout, int64_t count)
