/* SPDX-License-Identifier: Apache-2.0
 *
 * The mutator: the data of a thread that runs managed code. Compiled code and the stubs know its
 * first fields (abi.def).
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

/* Reasons to stop: bits of the poll word. The thread runs on when no bit is left. Polls read the
 * low half of the word, so all bits are there. */
enum cn_reason {
  CN_REASON_STRESS = 1, /* always: every poll is a safepoint; also before the thread is attached */
  CN_REASON_HANDSHAKE = CAIRN_ABI_POLL_HANDSHAKE, /* a thread waits for it (threads/handshake.h) */
  CN_REASON_COLLECT = 4,                /* a signal handler that interrupted managed code wants a collection */
  CN_REASON_STOP = CAIRN_ABI_POLL_STOP, /* a thread wants to stop this one (threads/stop.h) */
  CN_REASON_HEAP = CAIRN_ABI_POLL_HEAP, /* up to the thread's first managed code (cn_heap_begin()) */
};

struct cairn_stack;
struct cn_handshake;
struct cn_log_chunk;
struct cn_return_barriers;

/* The part of the allocation buffer for signal handlers (buffer.h). */
struct cn_handlers_part {
  uintptr_t start, alloc, end;
  uintptr_t given;    /* the end of what the collector gave last */
  uintptr_t walkable; /* blocks of the buffer up to here are known to be whole */
  uint64_t extending; /* memory from the collector is for handlers alone now */
};

/* A mutator's data about its current stack; also kept for each stack that it is not on. */
struct cn_stack_saved {
  struct cn_anchor *anchors, *anchor;
  uintptr_t end, bottom, floor;
  uintptr_t seen;                      /* by the walk of this collection */
  struct cairn_mutator *runner;        /* the mutator that is on it; null: the data is here */
  struct cn_return_barriers *barriers; /* of this stack, always here; null: it has none */
};

/* Invariants. The anchors are as anchors.h says. buffer_start <= alloc <= buffer_end. limit is
 * buffer_end, or 0 while every allocation must take the slow path: while the poll word is not zero,
 * and up to the end of the next slow path (poll_word.h), and during interruptions. stack_limit is
 * stack_floor, or UINTPTR_MAX while the poll word is not zero (poll_word.h). In a thread that is
 * not attached all but the poll word and the limit are zero, so that each way into the runtime
 * takes its slow path, which attaches it. cn_mutator_wrong() checks all that. */
struct cairn_mutator {
  uint64_t poll;
  uintptr_t alloc, limit;
  struct cn_anchor *anchor;  /* after the youngest (anchors.h) */
  struct cn_anchor *anchors; /* the oldest */
  uint8_t state;             /* CAIRN_ABI_MANAGED ...; only its own thread writes it */
  uint8_t uncleared;         /* it has made an array that is not cleared (heap/uncleared.h) */
  uintptr_t stack_limit;
  uintptr_t buffer_start, buffer_end; /* buffer.h */
  uintptr_t stack_end;                /* no frame lies at or above it */
  const struct cn_regs *stopped;      /* what the stub saved, while at a safepoint */
  uint64_t attached;
  uint64_t busy;             /* in a slow path */
  uintptr_t stack_bottom;    /* the system lets the stack grow down to here */
  uintptr_t stack_floor;     /* and managed code that looks, to here (overflow.h) */
  int thread;                /* its number (cn_os_thread()) */
  struct cairn_stack *stack; /* it is on this one; null: on its own (coroutine_stacks.h) */
  uint64_t allocated;        /* bytes, in buffers that were taken back */
  struct cn_handlers_part beside;
  struct cairn_mutator *next, *previous; /* in the registry (threads/stop.h) */
  uint64_t wanted;                       /* bytes that the next buffer is to serve */
  uint64_t safepoints;                   /* slow paths entered */
  uint64_t interruptions;                /* odd while a signal handler runs that interrupted managed code */
  uintptr_t word;                        /* the collector's (cairn_mutator_word()) */
  void *interrupted;                     /* signals.c */
  void *fault_stack;                     /* for handlers of its faults, if the runtime gave it (fault.h) */
  struct cn_stack_saved own;             /* its own stack, while it is on another */
  _Atomic uint32_t handshake;            /* threads/handshake.h */
  const struct cn_handshake *request;    /* while that says so */
  uint64_t switches;                     /* involuntary ones, at the last arrival (arrival.c) */
  uintptr_t zeroed;                      /* from here on the buffer is zero; 0: nowhere */
  unsigned char *cards;                  /* what barriers read (cn_mutator_set_cards()) */
  uint64_t card_mask;
  uint64_t barrier;
  struct cn_log_chunk *log; /* what they logged (heap/barrier_log.h); the newest */
};

/* The mutator of a thread that is not attached. */
#define CN_MUTATOR_INITIAL {.poll = CN_REASON_STRESS, .state = CAIRN_ABI_UNATTACHED, .stack_limit = UINTPTR_MAX}

#pragma GCC visibility push(default)
extern _Thread_local struct cairn_mutator cairn_mutator;
#pragma GCC visibility pop

/* A handler of a signal runs, on this stack. `self` is the complement of the struct's address; the value is gone when
 * the handler has jumped out and the stack is used again. */
struct cn_delivery {
  uintptr_t self;
  uintptr_t sp;   /* of the code below all handlers of the thread */
  size_t anchors; /* number of anchors when it began */
};

/* The jobs of the runtime that a thread works for. */
enum { CN_WORKS_PART = 1 /* a part of a collector's job (threads/workers.h) */, CN_WORKS_STEPS = 2 /* background.h */ };

/* The part of a thread's data that it also has while it has no mutator. The thread and its signal handlers use it. */
struct cn_thread {
  const volatile struct cn_delivery *volatile delivery; /* the youngest; null: no handler runs */
  volatile uint64_t postponed;                          /* signals that wait for the slow path's end: a bit for each */
  uint8_t works;                                        /* CN_WORKS_...; 0: it is the program's */
};
extern _Thread_local struct cn_thread cn_thread;

/* The delivery that runs on this stack; null: no handler runs. Async-signal-safe. */
static inline const volatile struct cn_delivery *cn_thread_delivery(void)
{
  const volatile struct cn_delivery *youngest = cn_thread.delivery;

  return youngest != NULL && (uintptr_t)youngest > (uintptr_t)__builtin_frame_address(0) &&
                 youngest->self == ~(uintptr_t)youngest
             ? youngest
             : NULL;
}

/* True if a signal handler of the program runs on this thread; also if a jump left one whose part of the stack is
 * unchanged. Async-signal-safe. */
static inline bool cn_thread_delivers(void)
{
  return cn_thread_delivery() != NULL;
}

/* The main thread's mutator, for any thread. It exists before any other code of the program runs,
 * and after the thread has ended, then no longer attached. */
struct cairn_mutator *cn_mutator_main(void);
/* Make the calling thread's mutator the main one. The main thread, at the start, once. */
void cn_mutator_set_main(struct cairn_mutator *mutator);

/* What barriers in compiled code read (`cards` to `barrier`): set it for the mutators to come, and
 * give a mutator what was set. `cards` null: no collector has any, and marks go to a byte of the
 * runtime's. The caller holds the registry of mutators (threads/stop.h), or there is one thread. */
void cn_mutator_set_cards(unsigned char *cards, uint64_t mask);
void cn_mutator_set_barrier(uint64_t barrier);
void cn_mutator_give_barrier_words(struct cairn_mutator *mutator);

/* What is wrong with the mutator, by the invariants above; null: nothing. The mutator's own thread,
 * in a slow path; async-signal-safe. */
const char *cn_mutator_wrong(const struct cairn_mutator *mutator);

#endif
