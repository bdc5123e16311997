/* SPDX-License-Identifier: Apache-2.0
 *
 * The mutator: the data of a thread that runs managed code. Compiled code and the stubs access the mutator's first
 * fields (abi.def).
 */
#ifndef CN_RUNTIME_CORE_MUTATOR_H
#define CN_RUNTIME_CORE_MUTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/abi.h>
#include "runtime/arch/arch.h"

_Static_assert((CAIRN_ABI_POLL_HANDSHAKE | CAIRN_ABI_POLL_STOP | CAIRN_ABI_POLL_HEAP) == CAIRN_ABI_POLL_BACK,
               "abi.def");

/* Reasons to stop, bits of the poll word. The thread runs on when all bits are clear. All bits are in the low half of
 * the word, because polls read only this half. */
enum cn_poll_reason {
  CN_POLL_REASON_STRESS = 1, /* permanent: every poll is a safepoint; also set until the thread is attached */
  CN_POLL_REASON_HANDSHAKE = CAIRN_ABI_POLL_HANDSHAKE, /* a thread requests a handshake with this thread
                                                        * (threads/handshake.h) */
  CN_POLL_REASON_COLLECT = 4,                /* a signal handler that interrupted managed code requests a collection */
  CN_POLL_REASON_STOP = CAIRN_ABI_POLL_STOP, /* a thread wants to stop this thread (threads/stop.h) */
  CN_POLL_REASON_MARK = 32,                  /* an exception has bypassed the mark of an activation
                                              * (walk/marked_returns.h) */
  CN_POLL_REASON_HEAP = CAIRN_ABI_POLL_HEAP, /* until the thread's first managed code (cn_heap_set_up_for_barriers()) */
};

struct cairn_stack;
struct cn_handshake;
struct cn_barrier_log_chunk;
struct cn_return_barriers;

/* The part of the allocation buffer that signal handlers use (buffer.h). */
struct cn_handler_buffer_part {
  uintptr_t start, alloc, end;
  uintptr_t given;    /* the end of the memory that the collector gave last */
  uintptr_t walkable; /* all blocks of the buffer below this address are whole */
  uint64_t extending; /* true: only handlers use memory from the collector */
};

/* A mutator's data about its current stack. A stack without a running mutator keeps the data in its own record. */
struct cn_saved_stack {
  struct cn_anchor *anchors, *anchor;
  uintptr_t end, bottom, floor;
  uintptr_t seen;                      /* used by the walk of a collection (coroutine_stacks.c) */
  struct cairn_mutator *runner;        /* the mutator on the stack, which has the other data; may be null */
  struct cn_return_barriers *barriers; /* always of this stack; may be null */
};

/* Invariants:
 *   - the anchors are as anchors.h says
 *   - buffer_start <= alloc <= buffer_end
 *   - limit is buffer_end, or 0 if every allocation must take the slow path: from the time the poll word is set up to
 *     the end of the next slow path (poll_word.h), and during interruptions
 *   - stack_limit is stack_floor, or UINTPTR_MAX while the poll word is set (poll_word.h)
 *   - in an unattached thread all fields except the poll word and the limit are zero, so that each entry into the
 *     runtime takes its slow path, which attaches the thread
 * cn_mutator_wrong() checks these invariants. */
struct cairn_mutator {
  uint64_t poll;
  uintptr_t alloc, limit;
  struct cn_anchor *anchor;  /* after the youngest (anchors.h) */
  struct cn_anchor *anchors; /* the oldest */
  uint8_t state;             /* CAIRN_ABI_MANAGED ...; only its own thread writes it */
  uint8_t uncleared;         /* the thread has made an uncleared array (heap/uncleared.c) */
  uintptr_t stack_limit;
  uintptr_t buffer_start, buffer_end;  /* buffer.h */
  uintptr_t stack_end;                 /* all frames lie below it */
  const struct cn_saved_regs *stopped; /* the registers that the stub saved; set while the thread is at a safepoint */
  uint64_t attached;
  uint64_t busy;             /* in a slow path */
  uintptr_t stack_bottom;    /* the lowest address that the stack may grow to */
  uintptr_t stack_floor;     /* the lowest address that managed code with stack checks may use (overflow.c) */
  int thread;                /* its number (cn_os_thread()) */
  struct cairn_stack *stack; /* the stack that the mutator runs on; null: its own (coroutine_stacks.h) */
  uint64_t allocated;        /* bytes in buffers that the collector took back */
  struct cn_handler_buffer_part handlers;
  struct cairn_mutator *next, *previous; /* in the registry (threads/stop.h) */
  uint64_t wanted;                       /* the number of bytes that the next buffer must have */
  uint64_t safepoints;                   /* slow paths entered */
  uint64_t interruptions;                /* odd while a handler runs whose signal interrupted managed code */
  uintptr_t word;                        /* the collector's (cairn_mutator_word()) */
  void *interrupted;                     /* signals.c */
  void *fault_stack;                     /* the alternate signal stack, if the runtime allocated it (fault.c) */
  struct cn_saved_stack own;             /* the mutator's own stack, while the mutator runs on another stack */
  _Atomic uint32_t handshake;            /* threads/handshake.h */
  const struct cn_handshake *request;    /* while `handshake` says so */
  uint64_t switches;                     /* involuntary context switches up to the last arrival (arrival.c) */
  uintptr_t zeroed;                      /* the start of the buffer's zero part; 0: unknown */
  unsigned char *cards;                  /* the words that barriers read (cn_mutator_set_card_table()) */
  uint64_t card_mask;
  uint64_t barrier;
  struct cn_barrier_log_chunk *log; /* the newest chunk of entries that barriers logged (heap/barrier_log.c) */
};

/* The mutator of an unattached thread. */
#define CN_MUTATOR_INITIAL {.poll = CN_POLL_REASON_STRESS, .state = CAIRN_ABI_UNATTACHED, .stack_limit = UINTPTR_MAX}

#pragma GCC visibility push(default)
extern _Thread_local struct cairn_mutator cairn_mutator;
#pragma GCC visibility pop

/* A running signal handler; the struct lies on the handler's stack. `self` is the complement of the struct's address:
 * after a jump out of the handler, new frames overwrite the value. */
struct cn_signal_delivery {
  uintptr_t self;
  uintptr_t sp;   /* of the code that the thread's first handler interrupted */
  size_t anchors; /* number of anchors at the start of the handler */
};

/* The jobs that a thread of the runtime does. */
enum {
  CN_WORKS_ON_COLLECTOR_PART = 1 /* a part of a collector's job (threads/workers.h) */,
  CN_WORKS_ON_BACKGROUND_STEPS = 2 /* background.c */
};

/* The data of a thread that exists before and after its mutator. Only the thread and its signal handlers access the
 * data. */
struct cn_thread {
  const volatile struct cn_signal_delivery *volatile delivery; /* the youngest; null outside handlers */
  volatile uint64_t postponed; /* a bit for each signal that waits for the slow path's end */
  uintptr_t *thrown;           /* the reference of the handle of the thread's exception, or null (deopt/throw.c) */
  uint8_t works;               /* CN_WORKS_...; 0: this is a thread of the program */
};
extern _Thread_local struct cn_thread cn_thread;

/* The delivery that runs on this stack; null outside handlers. Async-signal-safe. */
static inline const volatile struct cn_signal_delivery *cn_thread_current_delivery(void)
{
  const volatile struct cn_signal_delivery *youngest = cn_thread.delivery;

  return youngest != NULL && (uintptr_t)youngest > (uintptr_t)__builtin_frame_address(0) &&
                 youngest->self == ~(uintptr_t)youngest
             ? youngest
             : NULL;
}

/* True if a signal handler of the program runs on this thread, or has jumped out and its part of the stack is
 * unchanged. Async-signal-safe. */
static inline bool cn_thread_is_in_handler(void)
{
  return cn_thread_current_delivery() != NULL;
}

/* The main thread's mutator; any thread may call this. The pointer is set before any other code of the program runs,
 * and stays valid after the thread's end, when the mutator is detached. Null: another thread has loaded the runtime, in
 * a shared object, and the main thread has not been attached yet. */
struct cairn_mutator *cn_mutator_of_main_thread(void);
/* Record the calling thread's mutator as the main thread's. The main thread calls this once, before it is attached. */
void cn_mutator_set_main(struct cairn_mutator *mutator);

/* Set the words that barriers in compiled code read (`cards` to `barrier`) for future mutators, and give a mutator the
 * words that were set. If `cards` is null, the collector has no cards, and barriers mark a dummy byte of the runtime.
 * The caller holds the registry of mutators (threads/stop.h), or runs as the only thread. */
void cn_mutator_set_card_table(unsigned char *cards, uint64_t mask);
void cn_mutator_set_barrier_word(uint64_t barrier);
void cn_mutator_copy_barrier_words(struct cairn_mutator *mutator);

/* Give the calling thread's mutator the table of cards, which is constant once the heap is set up. */
void cn_mutator_copy_card_table(struct cairn_mutator *mutator);

/* Check the invariants above. Returns the error, or null. Called by the mutator's own thread, in a slow path, or by the
 * collecting thread in phase STOP; async-signal-safe. */
const char *cn_mutator_wrong(const struct cairn_mutator *mutator);

#endif
