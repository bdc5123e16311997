/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes stores of references in a ring, in their order, and finds the last store to an address (CAIRN_VERIFY=stores).
 * The file owns the ring (`note_ring`), which the set-up of the heap allocates, and the numbers of made and forgotten
 * notes. A signal handler may interrupt cairn_note_store() at any instruction, note other stores, and jump out; the
 * interrupted note then covers zero bytes. Mutators' threads write the ring in phase MUTATE, without locks; an atomic
 * number gives each note one writer. The thread that stopped the others, to collect or to unload an image, reads and
 * forgets notes in phase STOP.
 */
#include "runtime/heap/managed_heap.h"

#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

struct noted_store {
  uintptr_t start, end; /* the stored bytes */
  uintptr_t pc;         /* return address of the call that notes the store; the store follows */
  const char *place;    /* "file.c:12", or empty */
  uintptr_t from;       /* the source of the copied bytes; 0: the note is for a store */
};

static struct noted_store *note_ring; /* null: CAIRN_VERIFY=stores is off */
static uint64_t notes_made;
static uint64_t notes_forgotten;

void cn_noted_stores_allocate_ring(void)
{
  CN_CHECK(note_ring == NULL);
  note_ring = cn_os_resize_mapping(NULL, 0, CN_MAX_NOTED_STORES * sizeof *note_ring);
  if (note_ring == NULL)
    cairn_out_of_memory(true, "CAIRN_VERIFY=stores has no memory for its table");
}

void cn_noted_stores_forget_all(void)
{
  CN_ASSERT(notes_forgotten <= notes_made);
  notes_forgotten = notes_made;
}

/* Compiled code calls these functions before it stores references to [to, to + bytes), or copies bytes from `from` to
 * this range. `place` is valid while its image is loaded. Phase MUTATE; async-signal-safe. */
#pragma GCC visibility push(default)
void cairn_note_store(uintptr_t to, uint64_t bytes, const char *place);
void cairn_note_copy(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place);
#pragma GCC visibility pop

static void add_note(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place, uintptr_t pc)
{
  if (note_ring == NULL)
    return;
  CN_ASSERT(place != NULL);
  struct noted_store *note = &note_ring[__atomic_fetch_add(&notes_made, 1, __ATOMIC_RELAXED) % CN_MAX_NOTED_STORES];
  note->end = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  note->start = to;
  note->from = from;
  note->pc = pc;
  note->place = place;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (__builtin_add_overflow(to, bytes, &note->end))
    note->end = UINTPTR_MAX;
}

void cairn_note_store(uintptr_t to, uint64_t bytes, const char *place)
{
  add_note(to, 0, bytes, place, (uintptr_t)__builtin_return_address(0));
}

void cairn_note_copy(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place)
{
  add_note(to, from, bytes, place, (uintptr_t)__builtin_return_address(0));
}

static uint64_t oldest_kept_note_number(void)
{
  return notes_made - notes_forgotten > CN_MAX_NOTED_STORES ? notes_made - CN_MAX_NOTED_STORES : notes_forgotten;
}

/* Skips unaligned copies, which split references; the compiler refuses most such copies. */
static void visit_copied_words(const struct noted_store *note, cn_noted_stores_visitor *visit, void *env)
{
  enum { WORD_BYTES = sizeof(uintptr_t) };

  if (note->start % WORD_BYTES != 0 || note->from % WORD_BYTES != 0)
    return;
  for (uintptr_t at = note->start; at < note->end && note->end - at >= WORD_BYTES; at += WORD_BYTES)
    visit(env, at, note->from + (at - note->start));
}

void cn_noted_stores_visit(cn_noted_stores_visitor *visit, void *env)
{
  for (uint64_t i = oldest_kept_note_number(); note_ring != NULL && i < notes_made; i++) {
    const struct noted_store *note = &note_ring[i % CN_MAX_NOTED_STORES];
    if (note->from != 0)
      visit_copied_words(note, visit, env);
    else if (note->end - note->start == sizeof(uintptr_t))
      visit(env, note->start, 0);
  }
}

static const struct noted_store *last_note_of_store_to(uintptr_t address, uint64_t oldest)
{
  CN_ASSERT(notes_made - oldest <= CN_MAX_NOTED_STORES);
  for (uint64_t i = notes_made; i-- > oldest;) {
    const struct noted_store *note = &note_ring[i % CN_MAX_NOTED_STORES];
    if (address >= note->start && address < note->end)
      return note;
  }
  return NULL;
}

const char *cn_noted_stores_describe_last(uintptr_t address, char text[CN_NOTED_STORE_TEXT_BYTES])
{
  bool lapped = notes_made - notes_forgotten > CN_MAX_NOTED_STORES;
  char pc[CN_REPORT_PC];

  text[0] = 0;
  if (note_ring == NULL)
    return text;
  const struct noted_store *note = last_note_of_store_to(address, oldest_kept_note_number());
  if (note != NULL)
    snprintf(text, CN_NOTED_STORE_TEXT_BYTES, "; stored at pc %s%s%s", cn_report_format_pc(note->pc, pc),
             note->place[0] ? ", " : "", note->place);
  else if (notes_made == 0)
    snprintf(text, CN_NOTED_STORE_TEXT_BYTES, "; no code notes its stores: compile it with -fcairn-note-stores");
  else
    snprintf(text, CN_NOTED_STORE_TEXT_BYTES, "; no store to it since the last collection is noted%s",
             lapped                          ? ", which is older than the kept entries"
             : notes_made == notes_forgotten ? ""
                                             : ": its code was compiled without -fcairn-note-stores");
  return text;
}
