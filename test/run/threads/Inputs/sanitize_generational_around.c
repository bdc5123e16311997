/* SPDX-License-Identifier: Apache-2.0
 *
 * For sanitize_generational.test: what the generational collector and the runtime's workers need of
 * the rest of the runtime. Mutators register with mutator_begins().
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <cairn/collector.h>
#include <cairn/heap_object.h>
#include "collectors/holder.h"
#include "runtime/core/hooks.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/options.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "sanitize_generational.h"

struct cn_options cn_options;

static void stop_waits(int thread, uint64_t since)
{
  (void)thread;
  (void)since;
}

const struct cn_hooks cn_hooks = {.stop_waits = stop_waits};
struct cairn_words cairn_words;
_Thread_local struct cairn_mutator cairn_mutator;
_Thread_local struct cn_thread cn_thread;

static struct cairn_image images[1];
static const struct cairn_layout fillers[2] = {
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES},
    {.magic = CAIRN_ABI_LAYOUT_MAGIC, .elem_size = 8, .flags = CAIRN_ABI_LAYOUT_NO_REFERENCES}};
static unsigned char *cards;
static uint64_t card_mask;
static struct cairn_mutator *first;
static size_t count;

/* ---- mutators; the test calls these where no collection is under way ---- */

void mutator_begins(void)
{
  cairn_mutator.cards = cards;
  cairn_mutator.card_mask = card_mask;
  cairn_mutator.next = first;
  first = &cairn_mutator;
  count++;
}

void mutator_ends(void)
{
  struct cairn_mutator **link = &first;

  cairn_fill(cairn_mutator.alloc, cairn_mutator.buffer_end);
  while (*link != &cairn_mutator)
    link = &(*link)->next;
  *link = cairn_mutator.next;
  count--;
}

struct cairn_mutator *cairn_mutator_next(const struct cairn_mutator *mutator)
{
  return mutator ? mutator->next : first;
}

size_t cairn_mutator_count(void)
{
  return count;
}

uintptr_t *cairn_mutator_word(struct cairn_mutator *mutator)
{
  return &mutator->word;
}

void cairn_barrier_cards(unsigned char *table, uint64_t mask)
{
  cards = table;
  card_mask = mask;
  for (struct cairn_mutator *m = first; m; m = m->next) {
    m->cards = table;
    m->card_mask = mask;
  }
}

uintptr_t cairn_buffer_take(struct cairn_mutator *mutator, uintptr_t *end)
{
  uintptr_t free = mutator->alloc;

  *end = mutator->buffer_end;
  mutator->buffer_start = mutator->alloc = mutator->buffer_end = 0;
  return free;
}

void cairn_buffer_give(struct cairn_mutator *mutator, uintptr_t start, uintptr_t end)
{
  mutator->buffer_start = mutator->alloc = start;
  mutator->buffer_end = end;
}

void cairn_fill(uintptr_t from, uintptr_t to)
{
  uintptr_t *block = (uintptr_t *)from;

  if (to - from == 8) {
    block[0] = (uintptr_t)&fillers[0];
  } else if (to != from) {
    block[0] = (to - from - 16) / 8 << 1 | 1;
    block[1] = (uintptr_t)&fillers[1];
  }
}

/* ---- layouts ---- */

void cairn_image_register(const struct cairn_image *image)
{
  images[0] = *image;
}

bool cairn_layout_is_known(const struct cairn_layout *layout)
{
  const unsigned char *at = (const unsigned char *)layout;

  return (at >= images[0].layouts_start && at < images[0].layouts_stop && layout->magic == CAIRN_ABI_LAYOUT_MAGIC) ||
         layout == &fillers[0] || layout == &fillers[1];
}

bool cairn_arrays_uncleared_lately(void)
{
  return false;
}

bool cn_image_begin_reading(void)
{
  return false;
}

void cn_image_end_reading(bool entered)
{
  (void)entered;
}

void cn_os_register_leak_roots(uintptr_t at, size_t bytes)
{
  (void)at;
  (void)bytes;
}

void cn_unseen_repair_child(void)
{
}

/* ---- messages ---- */

void cairn_fatal(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  abort();
}

void cn_holder_die_no_object(uintptr_t holder, const uintptr_t *slot, uintptr_t address, uint64_t collection,
                             const char *why)
{
  (void)holder;
  cairn_fatal("0x%lx at %p in collection %lu: %s", (unsigned long)address, (const void *)slot,
              (unsigned long)collection, why);
}

void cairn_out_of_memory(bool intact, const char *format, ...)
{
  (void)intact;
  cairn_fatal("%s", format);
}

void cairn_note_all_moved(uint64_t objects, uint64_t bytes)
{
  (void)objects;
  (void)bytes;
}

void cairn_note_count(const char *name, uint64_t amount)
{
  (void)name;
  (void)amount;
}

size_t cairn_soft_limit(void)
{
  return 0;
}

size_t cairn_heap_growth(void)
{
  return 100;
}

void cairn_report_memory(cairn_memory_report *report)
{
  (void)report;
}

void cairn_memory_part(const char *name, uint64_t bytes)
{
  (void)name;
  (void)bytes;
}

size_t cairn_resident_bytes(uintptr_t start, size_t bytes)
{
  (void)start;
  (void)bytes;
  return 0;
}

void cairn_note_addresses(size_t bytes)
{
  (void)bytes;
}

void cairn_note_full(bool concurrent)
{
  (void)concurrent;
}

void cairn_phase_begins(const char *name)
{
  (void)name;
}

void cairn_phase_ends(const char *name)
{
  (void)name;
}

/* ---- no object has weak fields ---- */

void cairn_weak_note(uintptr_t object, uintptr_t from, uintptr_t to)
{
  (void)object;
  (void)from;
  (void)to;
}

void cairn_weak_reached(uintptr_t was, uintptr_t now)
{
  (void)was;
  (void)now;
}

void cairn_weak_process(const struct cairn_closure *closure)
{
  (void)closure;
}

bool cairn_layout_is_filler(const struct cairn_layout *layout)
{
  (void)layout;
  return false;
}

void cairn_weak_forget(uintptr_t object, const unsigned char *start, const unsigned char *stop,
                       bool (*may_be_object)(uintptr_t address))
{
  (void)object;
  (void)start;
  (void)stop;
  (void)may_be_object;
}

/* ---- the system ---- */

enum { PAGE = 4096 };

void cn_defer_signals(void)
{
}

void cn_undefer_signals(void)
{
}

void cn_os_write_message(const char *text, size_t bytes)
{
  fwrite(text, 1, bytes, stderr);
}

size_t cn_os_page_bytes(void)
{
  return PAGE;
}

uint64_t cn_os_clock_nanoseconds(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uintptr_t map(uintptr_t at, size_t bytes, int protection, int flags)
{
  void *memory = mmap((void *)at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

  return memory == MAP_FAILED ? 0 : (uintptr_t)memory;
}

uintptr_t cn_os_reserve_addresses(size_t bytes)
{
  return map(0, bytes, PROT_NONE, 0);
}

/* It writes, so that who uses the memory meanwhile is found. */
void cn_os_populate_pages(uintptr_t at, size_t bytes)
{
  memset((void *)at, 0, bytes);
}

bool cn_os_commit_memory(uintptr_t at, size_t bytes)
{
  return mprotect((void *)at, bytes, PROT_READ | PROT_WRITE) == 0;
}

bool cn_os_make_readable(uintptr_t at, size_t bytes)
{
  return mprotect((void *)at, bytes, PROT_READ) == 0;
}

void cn_os_discard_contents(uintptr_t at, size_t bytes)
{
  madvise((void *)at, bytes, MADV_DONTNEED);
}

void cn_os_release_memory(uintptr_t at, size_t bytes)
{
  map(at, bytes, PROT_NONE, MAP_FIXED);
}

void cn_os_prefer_large_pages(uintptr_t at, size_t bytes)
{
  (void)at;
  (void)bytes;
}

void cn_os_prefer_small_pages(uintptr_t at, size_t bytes)
{
  (void)at;
  (void)bytes;
}

void *cn_os_resize_mapping(void *old, size_t old_bytes, size_t bytes)
{
  if (old == NULL)
    return (void *)map(0, bytes, PROT_READ | PROT_WRITE, 0);
  void *memory = mremap(old, old_bytes, bytes, MREMAP_MAYMOVE);
  return memory == MAP_FAILED ? NULL : memory;
}

void cn_os_free_mapping(void *memory, size_t bytes)
{
  munmap(memory, bytes);
}

uint64_t cairn_pause_goal(void)
{
  return cn_options.pause;
}

uint64_t cairn_full_pause_goal(void)
{
  return cn_options.pause_full;
}

/* Nothing is pinned here. */
void cairn_heap_range(uintptr_t start, uintptr_t end)
{
  (void)start;
  (void)end;
}

void cairn_pins_visit(cairn_pin_visitor *visit, void *env)
{
  (void)visit;
  (void)env;
}

void cairn_pins_forget(uintptr_t address)
{
  (void)address;
}

/* Nor is any identity hash asked for. */
uint64_t cairn_identity_asked(void)
{
  return 0;
}

void cairn_identity_left(uint64_t asked)
{
  (void)asked;
}
