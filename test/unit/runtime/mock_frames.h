/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for the frame map reader, so that walks can be tested over maps that are written down
 * as C: "the bytes of the section" are an array of struct mock_function. Defines the whole of
 * framemap/framemap.h; the archive's own reader is then not linked. These tests have no points.
 */
#ifndef MOCK_FRAMES_H
#define MOCK_FRAMES_H

#include <stddef.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "framemap/framemap.h"
#include "framemap/framemap_format.h"
#include "runtime/arch/arch.h"

/* Registers of any port: the stack pointer, the frame pointer, the first and the third of those that calls keep, and
 * one that calls change. */
enum { SP = CN_DWARF_SP, KEPT = 0, OTHER_KEPT = 2, CHANGED = 5 };
#define FP CN_ARCH_FRAME_POINTER
#define DWARF(tracked) cn_arch_callee_saved[tracked]

struct mock_safepoint {
  uintptr_t pc;
  struct cn_safepoint safepoint;
  struct cn_root roots[8];
  struct cn_described_area areas[4];
};

struct mock_function {
  uintptr_t entry;
  uint32_t size, count;
  struct mock_safepoint *safepoints;
};

int cn_framemap_next_function(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                              struct cn_framemap_function *function)
{
  struct mock_function mock;

  if (*cursor == end)
    return CN_FRAMEMAP_NONE;
  memcpy(&mock, *cursor, sizeof mock);
  *function = (struct cn_framemap_function){
      mock.entry, mock.size, mock.count, false, (const unsigned char *)mock.safepoints, NULL, port};
  *cursor += sizeof mock;
  return CN_FRAMEMAP_OK;
}

bool cn_framemap_is_same(const struct cn_framemap_function *one, const struct cn_framemap_function *other)
{
  return one->data == other->data;
}

int cn_framemap_read_return_offset(const struct cn_framemap_function *function, uint32_t index, uint32_t *offset)
{
  const struct mock_safepoint *safepoints = (const void *)function->data;

  *offset = (uint32_t)(safepoints[index].pc - function->entry);
  return CN_FRAMEMAP_OK;
}

/* Called once while a safepoint is read. */
static void (*mock_interrupt)(void);

/* The cursor points to the mock; what is left to read is counted down, as the real reader does. */
int cn_framemap_read_safepoint(const struct cn_framemap_function *function, uint32_t index, struct cn_safepoint *out)
{
  const struct mock_safepoint *safepoints = (const void *)function->data;
  void (*interrupt)(void) = mock_interrupt;

  mock_interrupt = NULL;
  if (interrupt != NULL)
    interrupt();
  *out = safepoints[index].safepoint;
  out->cursor = (const unsigned char *)&safepoints[index];
  if (out->return_address_offset == 0)
    out->return_address_offset = -8;
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_root(struct cn_safepoint *safepoint, struct cn_root *out)
{
  const struct mock_safepoint *mock = (const void *)safepoint->cursor;

  if (safepoint->roots == 0)
    return CN_FRAMEMAP_NONE;
  *out = mock->roots[mock->safepoint.roots - safepoint->roots--];
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_area(struct cn_safepoint *safepoint, struct cn_described_area *out)
{
  const struct mock_safepoint *mock = (const void *)safepoint->cursor;

  if (safepoint->areas == 0)
    return CN_FRAMEMAP_NONE;
  *out = mock->areas[mock->safepoint.areas - safepoint->areas--];
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_header(const unsigned char **cursor, const unsigned char *end, struct cn_map_header *header)
{
  (void)cursor;
  (void)end;
  (void)header;
  CN_UNREACHABLE();
}

bool cn_framemap_get_frame_row(const struct cn_frame_port *port, const unsigned char **cursor, const unsigned char *end,
                               unsigned base, struct cn_safepoint *out, bool *has_landing)
{
  (void)port;
  (void)cursor;
  (void)end;
  (void)base;
  (void)out;
  (void)has_landing;
  CN_UNREACHABLE();
}

/* Register `functions` as an image; a second call replaces the first. */
static inline void mock_image(struct cairn_image *image, const struct mock_function *functions, size_t count)
{
  cairn_image_unregister(image);
  image->version = CAIRN_ABI_IMAGE_VERSION;
  image->size = sizeof *image;
  image->frames_start = (const unsigned char *)functions;
  image->frames_stop = (const unsigned char *)(functions + count);
  cairn_image_register(image);
}

#endif
