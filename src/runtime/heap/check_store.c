/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of stored references, for calls that pass `check-stores` puts into programs.
 */
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/report.h"
#include "runtime/heap/heap.h"
#include "runtime/walk/coroutine_stacks.h"

static bool holds(const struct cairn_global_root *root, uintptr_t slot)
{
  uintptr_t offset = slot - cn_image_root_address(root);

  CN_ASSERT(root->layout != NULL);
  if (offset >= root->layout->base_size)
    return false;
  for (uint32_t i = 0; i < root->layout->base_refs; i++)
    if (root->layout->offsets[i] == offset)
      return true;
  return false;
}

static const struct cairn_global_root *find(const struct cn_image_list *list, uintptr_t slot)
{
  for (size_t i = 0; i < list->count; i++) {
    const struct cairn_image *image = &list->at[i].image;
    for (const struct cairn_global_root *at = image->roots_start; at != image->roots_stop; at++)
      if (holds(at, slot))
        return at;
  }
  return NULL;
}

/* The global that was found last. This thread reads it without counting itself as a reader of
 * images: it reaches no safepoint here, and images go in a stop, except in programs without
 * safepoints. A handler may come between any two stores. */
static _Thread_local struct {
  const struct cairn_global_root *volatile root;
  volatile uint64_t generation; /* generation of the list; 0: nothing is kept */
} last;

static void keep(const struct cairn_global_root *root, uint64_t generation)
{
  last.generation = 0;
  if ((cn_image_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return;
  last.root = root;
  last.generation = generation;
}

static bool in_global(uintptr_t slot)
{
  if (last.generation != 0 && last.generation == cn_image_generation() && holds(last.root, slot))
    return true;
  bool entered = cn_image_enter();
  const struct cn_image_list *list = cn_image_list();
  const struct cairn_global_root *root = find(list, slot);
  if (root != NULL)
    keep(root, list->generation);
  cn_image_leave(entered);
  return root != NULL;
}

static bool on_stack(uintptr_t address)
{
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);

  return address - here <
             cn_mutator_get((uintptr_t)__builtin_return_address(0))->stack_end - here ||
         cn_coroutine_stacks_hold(address);
}

_Noreturn static void lost(const void *slot, const char *what, const void *pc)
{
  char place[CN_REPORT_PC];

  cairn_fatal(
      "a reference is stored at %p, at pc %s, which is neither a local nor a global that "
      "holds references: the collector would not find it there; stored is %s; allocate what "
      "holds it with cairn_new() or cairn_new_array() [unmanaged-store]",
      slot, cn_report_pc((uintptr_t)pc, place), what);
}

/* Called by compiled code, before it stores a reference or copies what may be references. They
 * neither collect nor wait. `what` names type, member and source line. Phase MUTATE. */
#pragma GCC visibility push(default)
void cairn_check_store(const void *slot, const char *what);
void cairn_check_copy(const void *to, const void *from, size_t bytes);
/* The same under the name that copies of ordinary memory call: its type differs in IR. */
void cairn_check_native_copy(const void *to, const void *from, size_t bytes)
    __attribute__((alias("cairn_check_copy")));
/* The same of a copy to a local in which the collector does not look for references. */
void cairn_check_copy_to_bytes(const void *to, const void *from, size_t bytes);
#pragma GCC visibility pop

void cairn_check_store(const void *slot, const char *what)
{
  CN_ASSERT(cairn_mutator.stopped == NULL);
  if (!on_stack((uintptr_t)slot) && !in_global((uintptr_t)slot))
    lost(slot, what, __builtin_return_address(0));
}

/* Check the words that end up where a reference may lie: at multiples of eight in `to`. */
static void check_words(uintptr_t to, const unsigned char *from, size_t bytes, const void *pc)
{
  bool (*is_object)(uintptr_t) = cn_heap_collector()->is_object;
  uintptr_t word;

  _Static_assert(sizeof word == 8, "references lie at multiples of eight");
  CN_ASSERT(is_object != NULL && from != NULL);
  for (size_t i = -to & 7; i + sizeof word <= bytes; i += sizeof word) {
    memcpy(&word, from + i, sizeof word);
    uintptr_t object = cairn_slot_object((struct cairn_slot){&word});
    if (object != 0 && is_object(object) && !in_global(to + i))
      lost((const void *)(to + i), "what a copy brings, of unknown type", pc);
  }
}

void cairn_check_copy(const void *to, const void *from, size_t bytes)
{
  CN_ASSERT(cairn_mutator.stopped == NULL);
  if (cn_heap_collector()->is_object && !on_stack((uintptr_t)to))
    check_words((uintptr_t)to, from, bytes, __builtin_return_address(0));
}

void cairn_check_copy_to_bytes(const void *to, const void *from, size_t bytes)
{
  CN_ASSERT(cairn_mutator.stopped == NULL);
  if (cn_heap_collector()->is_object)
    check_words((uintptr_t)to, from, bytes, __builtin_return_address(0));
}
