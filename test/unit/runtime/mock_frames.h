/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for the frame map reader, so that walks can be tested over maps that are written down as C: "the bytes
 * of the section" are an array of struct mock_function. Defines the whole of base/framemap.h; the archive's own
 * reader is then not linked.
 */
#ifndef MOCK_FRAMES_H
#define MOCK_FRAMES_H

#include <stddef.h>
#include <string.h>
#include <cairn/collector.h>
#include "base/framemap.h"

struct mock_safepoint {
  uintptr_t pc;
  struct cn_safepoint safepoint;
  struct cn_root roots[8];
  struct cn_area areas[4];
};

struct mock_function {
  uintptr_t entry;
  uint32_t size, count;
  struct mock_safepoint *safepoints;
};

int cn_framemap_next_function(const unsigned char **cursor, const unsigned char *end,
                              struct cn_framemap_function *function)
{
  struct mock_function mock;

  if (*cursor == end)
    return CN_FRAMEMAP_NONE;
  memcpy(&mock, *cursor, sizeof mock);
  *function = (struct cn_framemap_function){
      mock.entry, mock.size, mock.count, (const unsigned char *)mock.safepoints, NULL};
  *cursor += sizeof mock;
  return CN_FRAMEMAP_OK;
}

int cn_framemap_return_offset(const struct cn_framemap_function *function, uint32_t index,
                              uint32_t *offset)
{
  const struct mock_safepoint *safepoints = (const void *)function->data;

  *offset = (uint32_t)(safepoints[index].pc - function->entry);
  return CN_FRAMEMAP_OK;
}

/* The cursor points to the mock; `end` counts what was read, roots first. */
int cn_framemap_safepoint(const struct cn_framemap_function *function, uint32_t index,
                          struct cn_safepoint *out)
{
  const struct mock_safepoint *mock = (const struct mock_safepoint *)(const void *)function->data + index;

  *out = mock->safepoint;
  out->cursor = (const unsigned char *)mock;
  out->end = NULL;
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_root(struct cn_safepoint *safepoint, struct cn_root *out)
{
  const struct mock_safepoint *mock = (const void *)safepoint->cursor;
  uintptr_t read = (uintptr_t)safepoint->end;

  *out = mock->roots[read];
  safepoint->end = (const unsigned char *)(read + 1);
  return CN_FRAMEMAP_OK;
}

int cn_framemap_next_area(struct cn_safepoint *safepoint, struct cn_area *out)
{
  const struct mock_safepoint *mock = (const void *)safepoint->cursor;
  uintptr_t read = (uintptr_t)safepoint->end;

  *out = mock->areas[read - mock->safepoint.roots];
  safepoint->end = (const unsigned char *)(read + 1);
  return CN_FRAMEMAP_OK;
}

/* Register `functions` as an image; a second call replaces the first. */
static void mock_image(struct cairn_image *image, const struct mock_function *functions, size_t count)
{
  cairn_image_unregister(image);
  image->frames_start = (const unsigned char *)functions;
  image->frames_stop = (const unsigned char *)(functions + count);
  cairn_image_register(image);
}

#endif
