/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks stored and copied references: implements the calls that pass `check-stores` inserts, and ends the program if
 * the collector would miss a reference. Runs on the storing thread, in phase MUTATE, without a safepoint; signal
 * handlers may run at any time. For a slot on another thread's stack, the check is the operation of a handshake, on
 * that thread or while it rests. The only state is a cache of global roots for each thread.
 */
#include "runtime/safepoints/safepoint.h"

#include <stdatomic.h>
#include <string.h>
#include <cairn/abi.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "base/check.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/core/thread_storage.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"
#include "runtime/threads/handshake.h"
#include "runtime/walk/coroutine_stacks.h"
#include "runtime/walk/index.h"

/* True if offsets[index] is `offset`, for an index that equal distances between all offsets give: in an array of equal
 * elements this is the index. */
static bool has_offset_at_equal_distances(const uint32_t *offsets, uint32_t count, uint32_t offset)
{
  uint32_t distance = count > 1 ? offsets[1] - offsets[0] : sizeof(uintptr_t);
  uint32_t index = distance == 0 || offset < offsets[0] ? 0 : (offset - offsets[0]) / distance;

  return index < count && offsets[index] == offset;
}

static bool has_reference_at(const struct cairn_global_root *root, uintptr_t slot)
{
  const struct cairn_layout *layout = root->layout;
  uintptr_t offset = slot - cn_image_root_address(root);

  if (cn_image_shared_layout(root) != NULL)
    return false;
  CN_ASSERT(layout != NULL);
  if (offset >= layout->base_size || layout->base_refs == 0)
    return false;
  if (has_offset_at_equal_distances(layout->offsets, layout->base_refs, (uint32_t)offset))
    return true;
  for (uint32_t i = 0; i < layout->base_refs; i++)
    if (layout->offsets[i] == offset)
      return true;
  return false;
}

static const struct cairn_global_root *find_global_root(const struct cn_image_list *list, uintptr_t slot)
{
  for (const struct cn_registered_image *image = cn_image_with_roots_from(list, 0); image != NULL;
       image = cn_image_with_roots_from(list, image->id + 1))
    for (const struct cairn_global_root *at = image->image.roots_start; at != image->image.roots_stop; at++)
      if (has_reference_at(at, slot))
        return at;
  return NULL;
}

enum { GLOBAL_COUNT = CN_THREAD_TABLE_ENTRIES(16, 2), BYTES_PER_GLOBAL = 32 };

/* The globals of this thread's last look-ups. The thread reads a global without counting itself as a reader of images,
 * because it reaches no safepoint here and images are removed in a stop, except in programs without safepoints. A
 * handler may run between any two stores. */
static _Thread_local struct cached_global {
  const struct cairn_global_root *volatile root;
  volatile uint64_t generation; /* generation of the list; 0: empty */
} cached_globals[GLOBAL_COUNT];

static struct cached_global *cached_global_of(uintptr_t slot)
{
  return &cached_globals[slot / BYTES_PER_GLOBAL % GLOBAL_COUNT];
}

static void cache_global(uintptr_t slot, const struct cairn_global_root *root, uint64_t generation)
{
  struct cached_global *cached = cached_global_of(slot);

  cached->generation = 0;
  if ((cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return;
  cached->root = root;
  cached->generation = generation;
}

static bool is_in_cached_global(uintptr_t slot)
{
  const struct cached_global *cached = cached_global_of(slot);

  return cached->generation != 0 && cached->generation == cn_image_list_generation() &&
         has_reference_at(cached->root, slot);
}

static bool is_in_global(uintptr_t slot)
{
  bool entered = cn_image_begin_reading();
  const struct cn_image_list *list = cn_image_list();
  const struct cairn_global_root *root = find_global_root(list, slot);
  if (root != NULL)
    cache_global(slot, root, list->generation);
  cn_image_end_reading(entered);
  return root != NULL;
}

/* True if the slot lies on the thread's current stack, or on a stack of cairn_stack_add(). */
static bool is_on_stack(uintptr_t slot, const struct cn_saved_regs *regs)
{
  uintptr_t sp = cn_arch_sp_after(regs);

  CN_ASSERT(sp % sizeof sp == 0);
  return slot - sp < cn_mutator_get_attached(regs->pc)->stack_end - sp || cn_coroutine_stacks_have_address(slot);
}

struct slot_question {
  uintptr_t slot;
  bool described;
};

static void look_up_described_slot(int thread, void *env)
{
  struct slot_question *question = env;

  (void)thread;
  question->described = cn_described_mutator_has_slot(cn_handshake_examined_mutator(), question->slot);
}

/* Ask the thread whose stack has the slot whether the slot is in a described alloca. That thread waits for a result in
 * the slot, or reaches a safepoint soon. UNKNOWN: the slot lies outside the stacks of other threads. */
static enum cairn_status ask_other_thread(uintptr_t slot, bool *described)
{
  enum { MAX_ANSWER_NANOSECONDS = 100000000 };
  struct slot_question question = {.slot = slot};
  struct cn_handshake request = {.thread = CN_HANDSHAKE_AT_ADDRESS,
                                 .address = slot,
                                 .operation = look_up_described_slot,
                                 .env = &question,
                                 .deadline = cn_os_clock_nanoseconds() + MAX_ANSWER_NANOSECONDS};
  enum cairn_status status = cn_handshake_from_managed(&request);

  *described = question.described;
  return status;
}

/* If the other thread does not answer in time, or a third thread requests a stop or a handshake, the result is true. */
static bool is_in_other_thread(uintptr_t slot)
{
  bool described;
  enum cairn_status status = ask_other_thread(slot, &described);

  return status == CAIRN_OK ? described : status != CAIRN_E_UNKNOWN;
}

/* Globals may also lie between the stack pointer and the end of the stack: thread-local variables above the frames, and
 * all globals above the stack of a signal handler. Walks end the program at a handler that interrupted managed code, so
 * globals are checked first there. */
static bool is_scanned_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  if (cn_described_has_cached_slot(slot, regs) || is_in_cached_global(slot))
    return true;
  if (!is_on_stack(slot, regs))
    return is_in_global(slot) || is_in_other_thread(slot);
  bool walks = cn_arch_sp_after(regs) >= cairn_mutator.stack_bottom && cairn_mutator.interruptions % 2 == 0;
  return (!walks && is_in_global(slot)) || cn_described_has_slot(slot, regs) || (walks && is_in_global(slot));
}

static const char *choose_advice(uintptr_t slot, const struct cn_saved_regs *regs)
{
  bool described;

  if (!is_on_stack(slot, regs))
    return ask_other_thread(slot, &described) == CAIRN_E_UNKNOWN
               ? "allocate its holder with cairn_new() or cairn_new_array()"
               : "give the other thread's local the type of the stored value";
  return cn_index_look_up_map(regs->pc) == NULL
             ? "a function that is declared a leaf may not store references in locals of others"
             : "give the local the type of the stored value";
}

_Noreturn static void report_lost_reference(uintptr_t slot, const char *what, const struct cn_saved_regs *regs)
{
  char place[CN_REPORT_PC];

  cairn_fatal("a reference is stored at 0x%lx, at pc %s, which is neither a local nor a global that "
              "holds references: the collector would not find it there; stored is %s; %s "
              "[unmanaged-store]",
              (unsigned long)slot, cn_report_format_return(regs->pc, place), what, choose_advice(slot, regs));
}

void cn_check_store(uintptr_t slot, const char *what, const struct cn_saved_regs *regs)
{
  CN_ASSERT(cairn_mutator.stopped == NULL);
  if (!is_scanned_slot(slot, regs))
    report_lost_reference(slot, what, regs);
}

/* True if the collector certainly scans the slot; a few instructions. */
static bool is_cached_slot(uintptr_t slot, const struct cn_saved_regs *regs)
{
  return cn_described_has_cached_slot(slot, regs) || is_in_cached_global(slot);
}

/* The address that the word at `from` has as a reference, or 0. */
static uintptr_t read_address(const unsigned char *from)
{
  uintptr_t word;

  memcpy(&word, from, sizeof word);
  return cairn_slot_object((struct cairn_slot){&word});
}

static const char copied_values[] = "values of unknown type, from a copy";

/* A copy between different alignments splits references, which the collector would not find. */
static void check_split_words(uintptr_t to, const unsigned char *from, size_t bytes, const struct cn_saved_regs *regs)
{
  bool (*is_object)(uintptr_t) = cn_heap_collector()->is_object;

  for (size_t i = -(uintptr_t)from & 7; i + sizeof to <= bytes; i += sizeof to) {
    uintptr_t object = read_address(from + i);
    if (object != 0 && is_object(object))
      report_lost_reference(to + i, copied_values, regs);
  }
}

/* Check the copied words that may be references: the words at multiples of eight in `to` and in `from`. */
void cn_check_copy(uintptr_t to, const unsigned char *from, size_t bytes, const struct cn_saved_regs *regs)
{
  bool (*is_object)(uintptr_t) = cn_heap_collector()->is_object;

  _Static_assert(sizeof to == 8, "references lie at multiples of eight");
  CN_ASSERT(cairn_mutator.stopped == NULL && from != NULL);
  if (is_object == NULL)
    return;
  for (size_t i = -to & 7; i + sizeof to <= bytes; i += sizeof to) {
    uintptr_t object = read_address(from + i);
    if (object != 0 && !is_cached_slot(to + i, regs) && is_object(object) && !is_scanned_slot(to + i, regs))
      report_lost_reference(to + i, copied_values, regs);
  }
  if ((to - (uintptr_t)from) % sizeof to != 0)
    check_split_words(to, from, bytes, regs);
}

/* Programs without safepoints remove images while threads run. */
static void give_site_places(struct cn_store_site *site, uintptr_t slot, const struct cn_saved_regs *regs)
{
  struct cn_caller_place place;

  CN_ASSERT(cairn_mutator.stopped == NULL);
  if ((cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return;
  if (is_in_cached_global(slot)) {
    if (!cn_image_root_is_thread_local(cached_global_of(slot)->root))
      cn_known_places_give_globals(site, slot);
  } else if (cn_described_find_cached_caller(slot, regs, &place)) {
    cn_known_places_give_caller(site, &place);
  }
}

void cn_check_store_at(uintptr_t slot, const char *what, struct cn_store_site *site, const struct cn_saved_regs *regs)
{
  cn_check_store(slot, what, regs);
  give_site_places(site, slot, regs);
}

/* Each bound comes closer once, so compiled code may read one bound before the change and the other one after. */
static void give_heap_bounds(struct cn_copy_site *site)
{
  uintptr_t start, end;

  if (atomic_load(&site->heap_start) != CAIRN_ABI_LEAST_OBJECT_ADDRESS || !cn_heap_bounds(&start, &end))
    return;
  CN_CHECK(CAIRN_ABI_LEAST_OBJECT_ADDRESS <= start && start < end && end <= CAIRN_ABI_END_OF_ADDRESSES);
  atomic_store(&site->heap_end, end);
  atomic_store(&site->heap_start, start);
}

void cn_check_copy_at(uintptr_t to, const unsigned char *from, size_t bytes, struct cn_copy_site *site,
                      const struct cn_saved_regs *regs)
{
  cn_check_copy(to, from, bytes, regs);
  for (size_t i = -to & 7; i + sizeof to <= bytes; i += sizeof to)
    give_site_places(&site->places, to + i, regs);
  give_heap_bounds(site);
}
