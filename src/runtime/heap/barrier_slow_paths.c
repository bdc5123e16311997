/* SPDX-License-Identifier: Apache-2.0
 *
 * Implements the slow paths of barriers, the mutator's words that barriers read, and the checks of their kinds
 * (docs/collectors.md, "Barriers"). The file has no state, and takes no lock. Slow paths run on mutators' threads, in
 * phase MUTATE. The collector sets the words in phases INIT and STOP. Checks of kinds run when the program chooses the
 * collector, on any thread that loads an image, and in phase STOP before each collection.
 */
#include "runtime/heap/barrier_slow_paths.h"

#include <cairn/abi.h>
#include <cairn/heap_object.h>
#include <stdio.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"
#include "runtime/heap/managed_heap.h"
#include "runtime/walk/index.h"

/* ---- slow paths ---- */

/* Compiled code has read the word of barriers by a plain load. From now on the thread sees all stores that the
 * collector made before it set the word. */
static void see_collector(void)
{
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

void cn_barrier_snapshot_slow_path(uintptr_t *slot)
{
  uintptr_t old = cairn_slot_object((struct cairn_slot){slot});

  see_collector();
  CN_CHECK(cn_heap_collector()->log_old != NULL);
  if (old != 0)
    cn_heap_collector()->log_old(&cairn_mutator, old);
}

uintptr_t cn_barrier_load_slow_path(uintptr_t *slot, uintptr_t value)
{
  see_collector();
  CN_CHECK(cn_heap_collector()->heal != NULL);
  return cn_heap_collector()->heal(&cairn_mutator, (struct cairn_slot){slot}, value);
}

static void mark_cards_of_range(uintptr_t start, uintptr_t end)
{
  const struct cairn_mutator *mutator = &cairn_mutator;
  uintptr_t first = start >> CAIRN_ABI_CARD_SHIFT, last = (end - 1) >> CAIRN_ABI_CARD_SHIFT;

  CN_CHECK(start < end && mutator->cards != NULL);
  if (last - first > mutator->card_mask)
    last = first + mutator->card_mask;
  for (uintptr_t card = first; card <= last; card++)
    __atomic_store_n(&mutator->cards[card & mutator->card_mask], 1, __ATOMIC_RELAXED);
}

void cn_barrier_range_slow_path(uintptr_t start, uint64_t bytes)
{
  const struct cairn_collector *collector = cn_heap_collector();

  see_collector();
  CN_CHECK(bytes <= UINTPTR_MAX - start);
  if (bytes == 0)
    return;
  if (collector->barriers == CAIRN_ABI_BARRIERS_CARDS || collector->barriers == CAIRN_ABI_BARRIERS_NONE)
    mark_cards_of_range(start, start + bytes);
  else
    collector->barrier_range(&cairn_mutator, start, start + bytes);
}

/* ---- words ---- */

void cairn_barrier_cards(unsigned char *cards, uint64_t mask)
{
  if ((mask & (mask + 1)) != 0 || (cards == NULL && mask != 0))
    cairn_fatal("collector '%s': the mask of its cards, 0x%llx, is no 2^n - 1", cn_heap_collector()->name,
                (unsigned long long)mask);
  /* Other threads copy the table after this set-up, before their first managed code (threads/slow_path.c). */
  cn_mutator_set_card_table(cards, mask);
  if (cairn_mutator.attached)
    cn_mutator_copy_card_table(&cairn_mutator);
}

void cairn_barrier_word(uint64_t word)
{
  cn_mutator_set_barrier_word(word);
  for (struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    cn_mutator_copy_barrier_words(m);
}

/* ---- kinds ---- */

static const char *const kind_names[] = {
#define CAIRN_BARRIERS_KIND(constant, number, name, mark, help) [number] = name,
#include <cairn/barriers.def>
#undef CAIRN_BARRIERS_KIND
    [CAIRN_ABI_BARRIERS_CARDS_1] = "cards, of an earlier version",
};
enum { BARRIER_KIND_COUNT = sizeof kind_names / sizeof *kind_names };

/* The kind's name, such as "cards" for CAIRN_ABI_BARRIERS_CARDS; "unknown" for an invalid number. */
static const char *barrier_kind_name(uint64_t kind)
{
  return kind < BARRIER_KIND_COUNT && kind_names[kind] != NULL ? kind_names[kind] : "unknown";
}

/* The name of a function that the collector's kind needs and the collector lacks, or null. */
static const char *missing_function_of(const struct cairn_collector *c)
{
  bool snapshot = c->barriers == CAIRN_ABI_BARRIERS_SNAPSHOT, loads = c->barriers == CAIRN_ABI_BARRIERS_LOADS;

  if (snapshot && c->log_old == NULL)
    return "log_old";
  if (loads && c->heal == NULL)
    return "heal";
  return (snapshot || loads) && c->barrier_range == NULL ? "barrier_range" : NULL;
}

void cn_barriers_check_collector(const struct cairn_collector *collector)
{
  uint64_t kind = collector->barriers;

  if (kind >= BARRIER_KIND_COUNT || kind_names[kind] == NULL || kind == CAIRN_ABI_BARRIERS_CARDS_1)
    cairn_fatal("collector '%s' needs barriers of kind %llu, which are unknown to this runtime", collector->name,
                (unsigned long long)kind);
  if (missing_function_of(collector) != NULL)
    cairn_fatal("collector '%s' needs barriers of kind %s, and does not have the function %s", collector->name,
                kind_names[kind], missing_function_of(collector));
}

/* True if code of this kind may run under a collector that needs the kind `needed`. Code that marks cards may run under
 * a collector without barriers: without a table of cards, all marks go to one dummy byte. */
static bool may_kind_run_under(uint64_t kind, uint64_t needed)
{
  bool cards = kind == CAIRN_ABI_BARRIERS_CARDS || kind == CAIRN_ABI_BARRIERS_CARDS_1;

  return kind == needed || (cards && needed == CAIRN_ABI_BARRIERS_NONE);
}

bool cn_barriers_misfit(const struct cairn_collector *collector, const struct cairn_image *image, const void *key,
                        const char *name, char *fault, size_t size)
{
  uint64_t kind = image->flags >> CAIRN_ABI_IMAGE_BARRIERS_SHIFT & 0xff;
  char file[CN_REPORT_PC];

  if (may_kind_run_under(kind, collector->barriers) || !cn_image_has_sections(image))
    return false;
  snprintf(fault, size,
           "%s was compiled with barriers of kind %s, and collector '%s' needs those of kind %s: "
           "compile it with -fcairn-barriers=%s%s",
           cn_image_name(name, (uintptr_t)key, file), barrier_kind_name(kind), collector->name,
           barrier_kind_name(collector->barriers), barrier_kind_name(collector->barriers),
           kind == CAIRN_ABI_BARRIERS_NONE ? ", or link the program with -fcairn-collector=semispace" : "");
  return true;
}

void cn_barriers_check_code(const struct cairn_collector *collector)
{
  char place[CN_REPORT_PC];
  uintptr_t entry;

  if (collector->barriers == CAIRN_ABI_BARRIERS_NONE || (entry = cn_index_find_without_barriers()) == 0)
    return;
  cairn_fatal("%s comes from another compiler and has no barriers, and collector '%s' needs those of "
              "kind %s: link the program with -fcairn-collector=semispace",
              cn_report_format_pc(entry, place), collector->name, barrier_kind_name(collector->barriers));
}
