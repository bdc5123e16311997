/* SPDX-License-Identifier: Apache-2.0
 *
 * The layout of an object, a key for caches.
 */
#include <stdint.h>
#include <cairn/heap_object.h>

uintptr_t layout_of(const void *object);

uintptr_t layout_of(const void *object)
{
  return (uintptr_t)cairn_object_layout((uintptr_t)object);
}
