/* SPDX-License-Identifier: Apache-2.0
 *
 * For bench/programs/jit/deopt.c: the layout of the language's objects.
 */
#include <cairn/collector.h>
#include <cairn/heap_object.h>

void note_layout(uintptr_t node);
const struct cairn_layout *find_layout(uint64_t number);

static const struct cairn_layout *layout;

void note_layout(uintptr_t node)
{
  layout = cairn_object_layout(node);
}

const struct cairn_layout *find_layout(uint64_t number)
{
  return number == 0 ? layout : NULL;
}
