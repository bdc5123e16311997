/* SPDX-License-Identifier: Apache-2.0
 *
 * Sites: the return addresses of calls with deopt operands. A site is decoded once and kept until its image is removed,
 * which must not happen while an activation is at the site.
 */
#ifndef CN_DEOPT_SITE_H
#define CN_DEOPT_SITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <cairn/deopt.h>
#include "deopt/records.h"
#include "runtime/walk/walk.h"

/* A value of a frame. */
struct cn_state_value {
  int32_t from;   /* the value's place: offset from the address of its source; for constants, from the site */
  uint8_t source; /* enum cn_operand_source */
  uint8_t to;     /* the word of the item that gets the value */
  uint16_t info;  /* of the item, as in <cairn/deopt.h> */
};

#define CN_DEOPT_NOT_IN_LINE SIZE_MAX

/* A decoded site. The arrays follow the structure; the functions below return them. */
struct cn_deopt_site {
  uintptr_t pc;
  enum cairn_status status; /* of the records: OK, PLAIN or RECORD */
  struct cn_records_fault fault;
  uint32_t operands;
  struct cn_records_size size;
  uint32_t losable;             /* number of operands that a call may destroy */
  uint32_t others;              /* number of values with CN_SOURCE_OTHER */
  uint32_t frames_at;           /* offset of the frames */
  _Atomic bool is_checked;      /* each object has its layout, and fits it */
  _Atomic size_t objects_bytes; /* of the objects' blocks, if the site is checked; or CN_DEOPT_NOT_IN_LINE */
  _Atomic uintptr_t managed;    /* the last continuation that was found to be a managed function, or 0 */
};

/* ---- sites.c ---- */

/* The site of the safepoint whose map is `map`, or of the return address `pc`. Null: the call has no deopt operands.
 * Any thread, any phase. The first look-up at an address takes locks and decodes; later look-ups are lock-free. */
const struct cn_deopt_site *cn_deopt_site_of_map(const struct cn_frame_map *map);
const struct cn_deopt_site *cn_deopt_site_find(uintptr_t pc);

static inline const struct cn_operand *cn_deopt_site_operands(const struct cn_deopt_site *site)
{
  return (const struct cn_operand *)(site + 1);
}

static inline const struct cn_frame_record *cn_deopt_site_frames(const struct cn_deopt_site *site)
{
  return (const struct cn_frame_record *)((const char *)site + site->frames_at);
}

/* The values of all frames. */
static inline const struct cn_state_value *cn_deopt_site_values(const struct cn_deopt_site *site)
{
  return (const struct cn_state_value *)(cn_deopt_site_frames(site) + site->size.frames);
}

const struct cn_object_record *cn_deopt_site_objects(const struct cn_deopt_site *site);
/* The layout of each object; null before a successful cn_deopt_site_check(). */
const struct cairn_layout *_Atomic *cn_deopt_site_layouts(const struct cn_deopt_site *site);

/* The bytes of a site with all arrays. */
size_t cn_deopt_site_bytes(uint32_t operands, const struct cn_records_size *size);

/* Write a site with its arrays to zeroed memory. Of *head: pc, status, fault, operands and size. */
void cn_deopt_site_write(struct cn_deopt_site *site, const struct cn_deopt_site *head,
                         const struct cn_operand *operands);

/* Check a site's arrays. Returns the error, or null. */
const char *cn_deopt_site_wrong(const struct cn_deopt_site *site);

/* ---- check_site.c ---- */

/* CAIRN_OK if activations at the site can be taken over: the operands are records, languages and layouts are known, the
 * objects fit their layouts, and no value is lost. `frame` is an activation at the site; null: a value is lost if a
 * call may destroy its register. *failure, unless null, gets the details. Calls the languages' callbacks. Any thread,
 * any phase. */
enum cairn_status cn_deopt_site_check(const struct cn_deopt_site *site, const struct cn_frame *frame,
                                      struct cairn_deopt_failure *failure);

/* True if cn_deopt_site_check() has succeeded before, and depends on no activation. */
static inline bool cn_deopt_site_is_checked(const struct cn_deopt_site *site)
{
  return site->losable == 0 && atomic_load_explicit(&site->is_checked, memory_order_acquire);
}

/* The body of the language's continuation for the outermost frame of a checked site. 0: the language has none, or it is
 * not a managed function. */
uintptr_t cn_deopt_site_find_continuation(const struct cn_deopt_site *site);

/* Fill *failure, unless it is null; `operand` may be CAIRN_DEOPT_WHOLE. Returns the status. */
enum cairn_status cn_deopt_fail(struct cairn_deopt_failure *failure, enum cairn_status status, uintptr_t address,
                                int64_t operand, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- languages.c ---- */

/* The language with this number, or null. Any thread. */
const struct cairn_deopt_language *cn_deopt_language(unsigned number);

/* ---- values.c ---- */

/* The value of an operand in an activation; class LOST if a register's value is unknown. */
void cn_deopt_read_operand(const struct cn_operand *operand, const struct cn_frame *frame,
                           struct cairn_deopt_value *value);

/* The source of an operand, by its other members. */
enum cn_operand_source cn_deopt_source_of(const struct cn_operand *operand);

/* True if a call may destroy the operand's register. */
bool cn_deopt_may_lose_operand(const struct cn_operand *operand);

/* ---- state.c ---- */

/* Make the state of an activation at a checked site: allocates the state and all objects, and so may collect. `regs`
 * are the registers that a stub saved, for a walk of the thread's stack, and the collector updates them; the activation
 * is on that stack. `result` is the pending call's, of kind CAIRN_ABI_DEOPT_RESULT_NONE for an activation that leaves
 * by itself; a reference stays valid. Returns the reference to the state. Exhausted memory ends the program. Called
 * within a slow path of the activation's thread: between cn_safepoint_enter() and cn_safepoint_leave(). */
uintptr_t cn_deopt_state_make(const struct cn_deopt_site *site, const struct cn_frame *frame,
                              const struct cn_saved_regs *regs, uint64_t reason, struct cairn_deopt_result result);

/* The bytes of the blocks of a site's removed objects, whose layouts are known. CN_DEOPT_NOT_IN_LINE: they are too
 * large for in-line allocation, or finalisable. */
size_t cn_deopt_objects_bytes(const struct cn_deopt_site *site);

/* Make the state outside of slow paths, in the thread's buffer. Contains no safepoint. 0: the state and its objects are
 * too large for the room there. */
uintptr_t cn_deopt_state_make_in_line(const struct cn_deopt_site *site, const struct cn_frame *frame, uint64_t reason,
                                      struct cairn_deopt_result result);

#endif
