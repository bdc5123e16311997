/* SPDX-License-Identifier: Apache-2.0
 *
 * The layouts of a language, taken from an object of each.
 */
#include <cairn/collector.h>
#include <cairn/deopt.h>
#include <cairn/heap_object.h>

enum { LAYOUTS = 4 };

static const struct cairn_layout *layouts[LAYOUTS];

void note_layout(int number, uintptr_t object);
const struct cairn_layout *find_layout(uint64_t number);

void note_layout(int number, uintptr_t object)
{
  layouts[number] = cairn_object_layout(object);
}

const struct cairn_layout *find_layout(uint64_t number)
{
  return number < LAYOUTS ? layouts[number] : NULL;
}
