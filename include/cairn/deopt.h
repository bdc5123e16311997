/* SPDX-License-Identifier: Apache-2.0
 *
 * Deoptimisation: reads the deopt operands of activations, and lets a language's interpreter go on in the place of an
 * activation of compiled code (docs/deopt.md). The operands of a call's bundle "deopt" are recorded with the call.
 *
 *   struct cairn_stack_iterator it;
 *   struct cairn_deopt_value value;
 *   cairn_stack_youngest(&it);
 *   if (cairn_deopt_read(&it, 0, &value) == CAIRN_OK)
 *     printf("%ld\n", (long)value.word[0]);
 *
 * Operands that follow the encoding of frame records (<cairn/abi.h>, DEOPT_FRAME) describe frames of a language, also
 * those of inlined functions. A *site* is the return address of a call with such operands. The *continuation* of an
 * activation is a managed function of the language that gets the decoded frames as a managed object, the *state*, and
 * returns in the place of the activation.
 *
 * Managed C that includes <cairn/cairn.h> first gets the functions that read a state.
 */
#ifndef CAIRN_DEOPT_H
#define CAIRN_DEOPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include <cairn/stack.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_layout;

/* ---- reading ---- */

/* Classes of values. The first six have the numbers of abi.def, POINT_INTEGER. Operands of statepoints that a front end
 * wrote, and plain operands of code compiled with -fcairn-roots=pairs, have only INTEGER, REFERENCE and LOCAL. */
enum cairn_deopt_class {
  CAIRN_DEOPT_INTEGER,
  CAIRN_DEOPT_FLOAT,     /* of 16, 32, 64 or 80 bits */
  CAIRN_DEOPT_POINTER,   /* an address outside the heap */
  CAIRN_DEOPT_REFERENCE, /* a reference, or in programs with immediates a word; the next collection may change it */
  CAIRN_DEOPT_UNDEFINED, /* the program has no value here; the word is 0 */
  CAIRN_DEOPT_LOCAL,     /* the address of a local variable of the activation */
  CAIRN_DEOPT_VECTOR,    /* a vector of up to 128 bits; lane 0 has the lowest bits */
  CAIRN_DEOPT_OBJECT,    /* stands for an object that has to be materialised; the word is its number (below) */
  CAIRN_DEOPT_LOST       /* a value of "deopt-lowering"="live-in" whose register the call may have changed */
};

struct cairn_deopt_value {
  enum cairn_deopt_class value_class;
  uint8_t bits;     /* the width of the value; bits of `word` above it are 0 */
  uint64_t word[2]; /* the value; word[1] is 0 if the value has up to 64 bits */
  uintptr_t base;   /* REFERENCE: the object that the value points into; equal to word[0] unless the value is derived */
};

/* A frame of the language. */
struct cairn_deopt_frame {
  uint16_t language;
  uint8_t result;           /* kind of the result of the pending call: CAIRN_ABI_DEOPT_RESULT_... */
  uint64_t function, index; /* the language's numbers: function, and place in its bytecode */
  uint32_t locals, stack;   /* numbers of values */
  uint32_t first;           /* operand with the first local; the stack's values follow the locals */
};

/* An object that the compiler has removed, and that a take-over allocates. */
struct cairn_deopt_object {
  uint16_t language;
  uint64_t layout;   /* the language's number */
  uint64_t elements; /* length of an indexed object, else 0 */
  uint32_t fields;   /* number of fields */
  uint32_t first;    /* operand with the offset of the first field; its value follows, then the next field's offset */
};

enum { CAIRN_DEOPT_TEXT_BYTES = 160, CAIRN_DEOPT_WHOLE = -1 };

struct cairn_deopt_failure {
  enum cairn_status status;
  uintptr_t address;                 /* return address of the activation, or 0 */
  int64_t operand;                   /* number of the operand that is wrong, or CAIRN_DEOPT_WHOLE */
  char text[CAIRN_DEOPT_TEXT_BYTES]; /* a sentence without its full stop */
};

/* The result of a call. `kind` is CAIRN_ABI_DEOPT_RESULT_...; the word has an integer, the bits of a float or double,
 * or a reference. */
struct cairn_deopt_result {
  unsigned kind;
  uint64_t word;
};

#pragma GCC visibility push(default)

/* The functions of this section read an activation, wherever its iterator is valid (<cairn/stack.h>), also in phase
 * STOP and on other threads' stacks. The first call for a return address decodes the operands; later calls take no
 * lock. After a failure the result is unchanged. All: UNKNOWN: the iterator is past the end, the activation is not one
 * of compiled code, or its call has no deopt operands. BOUNDS: there is no operand, frame or object of this number. */

/* The number of operands. */
enum cairn_status cairn_deopt_count(const struct cairn_stack_iterator *iterator, uint32_t *count);

/* Reads operand `index`. A reference has its present value. */
enum cairn_status cairn_deopt_read(const struct cairn_stack_iterator *iterator, uint32_t index,
                                   struct cairn_deopt_value *value);

/* The number of frames, or of objects, and the description of each. Frame 0 is the outermost. PLAIN: the operands are
 * no records; RECORD: the records are malformed (cairn_deopt_check() says how). */
enum cairn_status cairn_deopt_frames(const struct cairn_stack_iterator *iterator, uint32_t *frames);
enum cairn_status cairn_deopt_frame(const struct cairn_stack_iterator *iterator, uint32_t index,
                                    struct cairn_deopt_frame *frame);
enum cairn_status cairn_deopt_objects(const struct cairn_stack_iterator *iterator, uint32_t *objects);
enum cairn_status cairn_deopt_object(const struct cairn_stack_iterator *iterator, uint32_t index,
                                     struct cairn_deopt_object *object);

/* CAIRN_OK if the activation can be taken over as far as its operands say: they are records, no value is lost, the
 * languages are known, the continuation is a managed function, and each object fits its layout. PLAIN, RECORD,
 * LANGUAGE, LOST: *failure, unless it is null, has the details. */
enum cairn_status cairn_deopt_check(const struct cairn_stack_iterator *iterator, struct cairn_deopt_failure *failure);

/* ---- languages ---- */

enum { CAIRN_DEOPT_LANGUAGES = 256 };

/* Callbacks run on any thread and in any phase: managed C marks them cairn_unmanaged. They allocate no managed objects,
 * and wait for no thread that may be at a safepoint. Signal handlers may interrupt `continuation`, as they interrupt
 * managed code. */
struct cairn_deopt_language {
  const char *name;
  /* The managed function that goes on in the place of an activation whose outermost frame is (function, index). It has
   * the result type of the activation's compiled function and one parameter, the state, and lives as long as code
   * whose records name it. Null: the function cannot be taken over. */
  const void *(*continuation)(uint64_t function, uint64_t index);
  /* The layout with this number, which is known to the runtime (cairn_object_layout() of an object of the type) and
   * lives as long as code that names it. Null: there is no such layout. The member is null if the language removes no
   * objects. */
  const struct cairn_layout *(*layout)(uint64_t number);
  /* Writes "name:line" or the like, as snprintf() does, for backtraces. The member may be null. */
  int (*describe)(uint64_t function, uint64_t index, char *buffer, size_t size);
  /* The text of a reason. The member may be null. */
  const char *(*reason)(uint64_t reason);
};

/* Adds a language, for good: the runtime keeps the pointer. Any thread, before code of the language runs. BOUNDS: the
 * number is not below CAIRN_DEOPT_LANGUAGES, or `continuation` is null; TAKEN: the number has a language. */
enum cairn_status cairn_deopt_add_language(unsigned number, const struct cairn_deopt_language *language);

struct cairn_assumption;

/* ---- take-over ---- */

/* An activation is *taken over* if its continuation runs in its place: the continuation gets the state, and returns to
 * the activation's caller. Code of compiled functions takes its activation over by llvm.experimental.deoptimize, by
 * llvm.experimental.guard, or by a call of cairn_deoptimize() with records. A *mark* on an activation lets the
 * take-over happen when the activation's pending call returns. An activation that catches an exception goes on, and is
 * marked again in its next call with records that reaches a safepoint. The activation's function must have a convention
 * whose caller removes the arguments from the stack, and no sret argument.
 *
 * The functions of this section run on any thread in native code, outside of signal handlers, collectors and the
 * operations of handshakes. Managed code calls them as native functions. A thread with a shadow stack ends the program
 * at a take-over, and the functions return REFUSED on such a thread. */

/* void cairn_deoptimize(uint64_t reason)  leaves the activation of its caller, which must be managed code whose call
 * has frame records; else the program ends. Compiled code calls it by this name, or as __llvm_deoptimize. */

/* Marks the activations of managed functions on all stacks, in one stop of all threads. `functions` are addresses
 * within the functions' code; for a function of a JIT session the address of its version from cairn_jit_find_code()
 * (<cairn/jit.h>), found before cairn_jit_replace(), and not the entry from cairn_jit_look_up(). *marked, unless it is
 * null, gets the number of activations. Activations whose call has no records go on, as do those that are marked
 * already. After a failure no activation was marked.
 *
 * UNKNOWN: an address is outside of managed functions, for instance that of an entry. RECORD, LANGUAGE, LOST: an
 * activation cannot be taken over. PINNED: an activation has an open scope of a pin; a take-over at a guard ends the
 * program then. BUSY, REFUSED: as for cairn_patch_commit(). MEMORY: all 4064 marks, one for each return address with
 * its reason, are in use. */
enum cairn_status cairn_deopt_invalidate(const uintptr_t *functions, size_t count, uint64_t reason, size_t *marked,
                                         struct cairn_deopt_failure *failure);

/* Lets the invalidation of the assumption (<cairn/assumption.h>) do so, in the same stop as its patches: if an
 * activation cannot be taken over, the assumption holds as before. Functions that are unloaded are forgotten. If the
 * assumption is invalid already, the activations are marked at once. So call this function when the code is loaded, and
 * run the code afterwards. MEMORY, BUSY; else as above. */
enum cairn_status cairn_deopt_depend(struct cairn_assumption *assumption, const uintptr_t *functions, size_t count,
                                     uint64_t reason, struct cairn_deopt_failure *failure);

/* Marks one activation, on the calling thread's stack, on a waiting stack that cairn_stack_add() added, or in a stop of
 * the caller on any stack. Statuses as above; PLAIN: the call has no records. */
enum cairn_status cairn_deopt_on_return(struct cairn_stack_iterator *iterator, uint64_t reason,
                                        struct cairn_deopt_failure *failure);

/* Leaves all younger activations of the calling thread, as longjmp() does, and lets the iterator's activation go on
 * with this result of its pending call. If it is marked, it is taken over with this result. A REFERENCE's word is the
 * address of a handle, which the call frees, or 0. Returns only after a failure.
 *
 * UNKNOWN: the iterator has no activation of compiled code on the stack. BOUNDS: there is no such kind of results, or
 * the handle has been freed. SELF: the stack is not the calling thread's. NATIVE: native code lies between, apart from
 * the caller and its native callers, or an activation with an own code manager; on AArch64 also native callers without
 * call-frame information, or no unwinder. PINNED: an activation that would end has an open scope of a pin
 * (cairn_pinned() of <cairn/pin.h>); pins by cairn_pin() stay open. BUSY, REFUSED. */
enum cairn_status cairn_deopt_resume(struct cairn_stack_iterator *iterator, const struct cairn_deopt_result *result,
                                     struct cairn_deopt_failure *failure);

#pragma GCC visibility pop

/* ---- the state, for continuations in managed C ---- */

/* Numbers of items: the pending call's result, with arbitrary bits above its width, or of class UNDEFINED if the call
 * has no result or the activation leaves by itself; and the first description of a frame. */
enum { CAIRN_DEOPT_STATE_RESULT = 0, CAIRN_DEOPT_STATE_HEADS = 1 };

#ifdef CAIRN_CAIRN_H

/* An item of a state: a value, the result of the pending call, or a part of a frame's description. */
struct cairn_deopt_item {
  void cairn_managed *reference; /* REFERENCE: the object that the value points into */
  uint64_t word, high;           /* REFERENCE: the distance from the object's start; other classes: the value */
  uint32_t info;                 /* class | bits << 8 */
  uint32_t more;
};

/* A state. abi.def has the offsets (DEOPT_STATE_...) for front ends that emit IR. Items: the result, then two for each
 * frame, then the values of the frames, then one of class OBJECT for each removed object. A value that stands for a
 * removed object is a REFERENCE to it. */
struct cairn_deopt_state {
  uint64_t reason;
  uint32_t frames; /* frame 0 is the outermost; the last frame is the one that made the pending call */
  uint32_t items;
  struct cairn_deopt_item item[];
};

#define CAIRN_STATE_ static inline __attribute__((always_inline))

CAIRN_STATE_ uint64_t cairn_deopt_state_function(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame].word;
}

CAIRN_STATE_ uint64_t cairn_deopt_state_index(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame].high;
}

CAIRN_STATE_ uint32_t cairn_deopt_state_language(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame].info & 0xffff;
}

/* The kind of the result that the frame's pending call gives, CAIRN_ABI_DEOPT_RESULT_... */
CAIRN_STATE_ uint32_t cairn_deopt_state_result_kind(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame].info >> 16;
}

/* The item of the frame's first local; the stack's items follow the locals'. */
CAIRN_STATE_ uint32_t cairn_deopt_state_first(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame].more;
}

CAIRN_STATE_ uint32_t cairn_deopt_state_locals(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return (uint32_t)state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame + 1].word;
}

CAIRN_STATE_ uint32_t cairn_deopt_state_stack(const struct cairn_deopt_state cairn_managed *state, uint32_t frame)
{
  return (uint32_t)state->item[CAIRN_DEOPT_STATE_HEADS + 2 * frame + 1].high;
}

/* The class of an item, CAIRN_DEOPT_INTEGER ..., and its width in bits. */
CAIRN_STATE_ uint32_t cairn_deopt_state_class(const struct cairn_deopt_state cairn_managed *state, uint32_t item)
{
  return state->item[item].info & 0xff;
}

CAIRN_STATE_ uint32_t cairn_deopt_state_bits(const struct cairn_deopt_state cairn_managed *state, uint32_t item)
{
  return state->item[item].info >> 8;
}

/* The value's bits; bits above its width are 0. */
CAIRN_STATE_ uint64_t cairn_deopt_state_word(const struct cairn_deopt_state cairn_managed *state, uint32_t item)
{
  return state->item[item].word;
}

/* An INTEGER of up to 64 bits, sign-extended. */
CAIRN_STATE_ int64_t cairn_deopt_state_integer(const struct cairn_deopt_state cairn_managed *state, uint32_t item)
{
  uint32_t unused = (64 - cairn_deopt_state_bits(state, item)) & 63;

  return (int64_t)(state->item[item].word << unused) >> unused;
}

/* A FLOAT of 64 or 32 bits. */
CAIRN_STATE_ double cairn_deopt_state_double(const struct cairn_deopt_state cairn_managed *state, uint32_t item)
{
  union {
    uint64_t word;
    double number;
  } wide = {state->item[item].word};
  union {
    uint32_t word;
    float number;
  } narrow = {(uint32_t)state->item[item].word};

  return cairn_deopt_state_bits(state, item) == 32 ? narrow.number : wide.number;
}

/* The object of a REFERENCE. The value points cairn_deopt_state_word() bytes into it, which is 0 unless the value is
 * derived. */
CAIRN_STATE_ void cairn_managed *cairn_deopt_state_reference(const struct cairn_deopt_state cairn_managed *state,
                                                             uint32_t item)
{
  return state->item[item].reference;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
