/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the code info manager of code with frame maps, and finds the manager of an activation
 * (pillar-stack-iterator-2011, "the Pillar compiler's code info manager uses a callback that consults the previously
 * generated stack maps"). Runs on any thread, in any phase, as its walk. The table of the manager's functions is
 * constant, and the walk has all state.
 */
#include "runtime/stack/managers.h"

#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/code/names.h"
#include "runtime/core/messages.h"
#include "runtime/debug/backtrace.h"
#include "runtime/os/os.h"
#include "runtime/roots/frame_roots.h"

static struct cn_walk *walk_of(struct cairn_stack_iterator *iterator)
{
  return (struct cn_walk *)iterator;
}

static const struct cn_walk *const_walk_of(const struct cairn_stack_iterator *iterator)
{
  return (const struct cn_walk *)iterator;
}

/* Writes "function at file.c:12:3", or "function+0x12", or "0x401136". */
static int describe_compiled_frame(const struct cairn_stack_iterator *iterator, char *buffer, size_t size, void *data)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  struct cn_source_place source;
  char symbol[CN_REPORT_PC];
  uint32_t depths;

  (void)data;
  CN_ASSERT(!walk->past_end && walk->frame.map != NULL);
  if (!cn_safepoint_find_source(walk->frame.pc, walk->virtual_frame, &source, &depths))
    return cn_code_describe(walk->frame.pc, symbol, sizeof symbol)
               ? snprintf(buffer, size, "%s", symbol)
               : snprintf(buffer, size, "0x%lx", (unsigned long)walk->frame.pc);
  if (source.file == NULL)
    return snprintf(buffer, size, "%s", source.function);
  if (source.column == 0)
    return snprintf(buffer, size, "%s at %s:%u", source.function, source.file, source.line);
  return snprintf(buffer, size, "%s at %s:%u:%u", source.function, source.file, source.line, source.column);
}

static void step_past_compiled(struct cairn_stack_iterator *iterator, void *data)
{
  (void)data;
  cn_walk_next(walk_of(iterator));
}

static void enumerate_compiled_roots(const struct cairn_stack_iterator *iterator, cairn_stack_root *callback, void *env,
                                     void *data)
{
  (void)data;
  cn_frame_roots_visit_all(const_walk_of(iterator), callback, env);
}

/* The depth of inlining at the virtual frame. A span encloses the frame only if the function that opened the span has
 * at most this depth. */
static uint32_t inlining_depth(const struct cn_walk *walk)
{
  struct cn_source_place source;
  uint32_t depths;

  if (walk->virtual_frame == 0 || !cn_safepoint_find_source(walk->frame.pc, walk->virtual_frame, &source, &depths))
    return UINT32_MAX;
  CN_ASSERT(walk->virtual_frame < depths);
  return depths - 1 - walk->virtual_frame;
}

static bool find_compiled_span(const struct cairn_stack_iterator *iterator, uint64_t key, uintptr_t *value, void *data)
{
  const struct cn_walk *walk = const_walk_of(iterator);
  struct cn_details details;
  struct cn_span span;

  (void)data;
  CN_ASSERT(!walk->past_end && walk->frame.map != NULL);
  if (!cn_safepoint_find_details(walk->frame.pc, &details))
    return false;
  uint32_t deepest = inlining_depth(walk);
  int status;
  while ((status = cn_details_next_span(&details, &span)) == CN_FRAMEMAP_OK)
    if (span.key == key && span.depth <= deepest) {
      *value = span.value;
      return true;
    }
  if (status != CN_FRAMEMAP_NONE)
    cairn_fatal("bad details at pc 0x%lx: a span cannot be read", (unsigned long)walk->frame.pc);
  return false;
}

const struct cairn_code_manager cn_compiled_code_manager = {
    .name = "compiled code",
    .describe = describe_compiled_frame,
    .previous = step_past_compiled,
    .enumerate = enumerate_compiled_roots,
    .span = find_compiled_span,
};

const struct cairn_code_manager *cn_manager_of(const struct cn_walk *walk, void **data)
{
  CN_ASSERT(!walk->past_end);
  CN_ASSERT(walk->frame.map != NULL || walk->frame.region.manager != NULL);
  *data = walk->frame.map != NULL ? NULL : walk->frame.region.data;
  return walk->frame.map != NULL ? &cn_compiled_code_manager : walk->frame.region.manager;
}
