/* SPDX-License-Identifier: Apache-2.0
 *
 * For the tests of the stubs: a collector that says that everything moves, and managed code, by
 * hand, which the file of the port has. A program includes it once.
 */
#ifndef TEST_UNIT_RUNTIME_MANAGED_CODE_H
#define TEST_UNIT_RUNTIME_MANAGED_CODE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/entry.h>
#include "mock_frames.h"
#include "runtime/arch/arch.h"
#include "runtime/core/anchors.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"

enum { MOVE = 0x100000 };

/* ---- a collector that moves nothing but says it did ---- */

static uintptr_t memory[1 << 12];
static struct cairn_slot seen[32];
static int seen_count;

static enum cairn_status init(size_t initial_bytes, size_t max_bytes)
{
  (void)initial_bytes;
  (void)max_bytes;
  cairn_buffer_give(&cairn_mutator, (uintptr_t)memory, (uintptr_t)(memory + (sizeof memory / sizeof *memory)));
  return CAIRN_OK;
}

static enum cairn_status refuse(struct cairn_mutator *mutator, size_t bytes)
{
  (void)mutator;
  (void)bytes;
  return CAIRN_E_FULL;
}

static void visit(void *env, struct cairn_slot slot)
{
  (void)env;
  for (int i = 0; i < seen_count; i++)
    if (seen[i].address == slot.address)
      return;
  seen[seen_count++] = slot;
  *slot.address += MOVE;
}

static void (*dirty_vectors)(void); /* a collection does that, too */

static void collect(const struct cairn_collection *collection)
{
  (void)collection;
  if (dirty_vectors != NULL)
    dirty_vectors();
  seen_count = 0;
  cairn_visit_roots(visit, NULL);
}

static const struct cairn_collector shifting = {.version = CAIRN_ABI_COLLECTOR_VERSION,
                                                .size = sizeof(struct cairn_collector),
                                                .name = "shifting",
                                                .traits = CAIRN_COLLECTOR_MOVES,
                                                .init = init,
                                                .refill = refuse,
                                                .grow = refuse,
                                                .collect = collect};

static struct layouts {
  struct cairn_layout object, array;
} layouts = {{.magic = CAIRN_ABI_LAYOUT_MAGIC, .base_size = 20},
             {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 3, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES}};

/* ---- managed code, by the port ---- */

extern void cairn_poll(void), cairn_poll_slow(void), cairn_alloc_slow(void), cairn_alloc_indexed_slow(void);
extern void cairn_alloc_uninit_slow(void);
extern void cairn_collect(void), cairn_call_any(void);

static struct cairn_image image = {.version = CAIRN_ABI_IMAGE_VERSION,
                                   .size = sizeof(struct cairn_image),
                                   .layouts_start = (const unsigned char *)&layouts,
                                   .layouts_stop = (const unsigned char *)(&layouts + 1)};
static struct mock_safepoint in_preserved[1], in_crossing[1];

/* Assembly of this file is hidden, so that no code takes its address from the table of global offsets: GNU as names
 * such places of the table by section and offset. */
#define ASSEMBLED extern __attribute__((visibility("hidden")))

/* Calls f(1, ..., 8; 0.5) through cairn_call_any, with `x` in two registers that the callee saves and x + 8 in a third,
 * and returns the result of f + x (the third must have kept its distance, and stack arguments their places). */
ASSEMBLED uint64_t crossing(uint64_t (*f)(long, long, long, long, long, long, long, long, double), uint64_t x);
ASSEMBLED char crossing_return[];

/* A managed target is jumped to: no anchor, and its return goes straight to the caller. */
static uint64_t anchors_in_use;
ASSEMBLED uint64_t managed_target(long, long, long, long, long, long, long, long, double);
uint64_t count_anchors(void) __attribute__((visibility("hidden")));
uint64_t count_anchors(void)
{
  anchors_in_use = cn_anchors_count(cairn_mutator.anchor);
  return 10;
}

/* The file of the port defines crossing() and managed_target(), and
 *   struct file, with the values of all registers: gpr[] by DWARF number, vector[]; fill() makes one, and
 *     assert_preserved() compares two, except for registers that slow paths may change
 *   preserved(before, after, slow), which fills every register from `before`, calls `slow`, and stores them to `after`
 *   ARGUMENT, SECOND_ARGUMENT and RESULT: the places in gpr[]; slow paths get 0 or layouts as arguments
 *   wide(), which is false if the processor lacks registers that these need
 *   map_functions(), which registers the frame maps of preserved() and crossing() with `image`
 *   change_saved_registers(), change_vectors(), which native code may do at any time */
#ifdef __aarch64__
#include "managed_code/port_aarch64.h"
#else
#include "managed_code/port_x86_64.h"
#endif

#endif
