/* SPDX-License-Identifier: Apache-2.0
 *
 * Objects as compiled code makes them, for tests of collectors. After cmocka.h.
 */
#ifndef CN_TEST_OBJECTS_H
#define CN_TEST_OBJECTS_H

#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>

typedef uintptr_t ref;

/* Cleared memory for a block, or null; the test has it. */
static uintptr_t *block(size_t bytes);

static ref object(const struct cairn_layout *layout)
{
  uintptr_t *at = block(8 + layout->base_size);

  if (at == NULL)
    return 0;
  at[0] = (uintptr_t)layout;
  return (ref)(at + 1);
}

static ref indexed(const struct cairn_layout *layout, uint64_t count)
{
  uint64_t payload = 0;

  assert_int_equal(cairn_layout_payload(layout, count, &payload), CAIRN_OK);
  uintptr_t *at = block(16 + payload);
  if (at == NULL)
    return 0;
  at[0] = count << 1 | 1;
  at[1] = (uintptr_t)layout;
  return (ref)(at + 2);
}

static uintptr_t *words(ref r)
{
  return (uintptr_t *)r;
}

#endif
