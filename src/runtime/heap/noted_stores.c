/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes stores in a ring, in their order. A signal handler may come between any two instructions of cairn_note_store(),
 * note other stores, and jump out: then the note that it interrupted covers zero bytes. Mutators' threads write, in
 * phase MUTATE; the ring is read in phase STOP.
 */
#include "runtime/heap/noted_stores.h"

#include <stdio.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/options.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"

struct note {
  uintptr_t start, end; /* the bytes that are stored to */
  uintptr_t pc;         /* return address of the call that notes the store, just before it */
  const char *place;    /* "file.c:12", or empty */
  uintptr_t from;       /* the place of the copied bytes; 0: the note is of a store */
};

static struct note *notes; /* null: stores are not kept */
static uint64_t made;      /* since the program began */
static uint64_t forgotten;

void cn_noted_stores_begin(void)
{
  CN_CHECK(notes == NULL);
  notes = cn_os_resize(NULL, 0, CN_NOTED_STORES * sizeof *notes);
  if (notes == NULL)
    cairn_out_of_memory(true, "CAIRN_VERIFY=stores has no memory for its table");
}

void cn_noted_stores_forget(void)
{
  CN_ASSERT(forgotten <= made);
  forgotten = made;
}

/* Called by compiled code before it stores references to [to, to + bytes), or copies the bytes at `from` there. `place`
 * lives as long as its image. Phase MUTATE; async-signal-safe. */
#pragma GCC visibility push(default)
void cairn_note_store(uintptr_t to, uint64_t bytes, const char *place);
void cairn_note_copy(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place);
#pragma GCC visibility pop

static void keep_note(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place, uintptr_t pc)
{
  if (notes == NULL)
    return;
  CN_ASSERT(place != NULL);
  struct note *note = &notes[__atomic_fetch_add(&made, 1, __ATOMIC_RELAXED) % CN_NOTED_STORES];
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
  keep_note(to, 0, bytes, place, (uintptr_t)__builtin_return_address(0));
}

void cairn_note_copy(uintptr_t to, uintptr_t from, uint64_t bytes, const char *place)
{
  keep_note(to, from, bytes, place, (uintptr_t)__builtin_return_address(0));
}

/* The number of the oldest note that is kept. */
static uint64_t oldest_kept_note(void)
{
  return made - forgotten > CN_NOTED_STORES ? made - CN_NOTED_STORES : forgotten;
}

/* Skips unaligned copies: they cut references in two, and the compiler refuses them if it can. */
static void each_word(const struct note *note, cn_noted_stores_visitor *visit, void *env)
{
  enum { WORD_BYTES = sizeof(uintptr_t) };

  if (note->start % WORD_BYTES != 0 || note->from % WORD_BYTES != 0)
    return;
  for (uintptr_t at = note->start; at < note->end && note->end - at >= WORD_BYTES; at += WORD_BYTES)
    visit(env, at, note->from + (at - note->start));
}

void cn_noted_stores_each(cn_noted_stores_visitor *visit, void *env)
{
  for (uint64_t i = oldest_kept_note(); notes != NULL && i < made; i++) {
    const struct note *note = &notes[i % CN_NOTED_STORES];
    if (note->from != 0)
      each_word(note, visit, env);
    else if (note->end - note->start == sizeof(uintptr_t))
      visit(env, note->start, 0);
  }
}

static const struct note *last_to(uintptr_t address, uint64_t oldest)
{
  CN_ASSERT(made - oldest <= CN_NOTED_STORES);
  for (uint64_t i = made; i-- > oldest;) {
    const struct note *note = &notes[i % CN_NOTED_STORES];
    if (address >= note->start && address < note->end)
      return note;
  }
  return NULL;
}

const char *cn_noted_store(uintptr_t address, char text[CN_NOTED_STORE_TEXT])
{
  bool lapped = made - forgotten > CN_NOTED_STORES;
  char pc[CN_REPORT_PC];

  text[0] = 0;
  if (notes == NULL)
    return text;
  const struct note *note = last_to(address, oldest_kept_note());
  if (note != NULL)
    snprintf(text, CN_NOTED_STORE_TEXT, "; stored at pc %s%s%s", cn_report_pc(note->pc, pc), note->place[0] ? ", " : "",
             note->place);
  else if (made == 0)
    snprintf(text, CN_NOTED_STORE_TEXT, "; no code notes its stores: compile it with -fcairn-note-stores");
  else
    snprintf(text, CN_NOTED_STORE_TEXT, "; no store to it since the last collection is noted%s",
             lapped              ? ", which is older than the kept entries"
             : made == forgotten ? ""
                                 : ": its code was compiled without -fcairn-note-stores");
  return text;
}
