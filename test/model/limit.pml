/* SPDX-License-Identifier: Apache-2.0
 *
 * The limit of allocations in line (docs/threads.md, "An allocation is a poll"): a thread that does
 * nothing but allocate, whom handlers interrupt and who calls native code, and a requester of stops,
 * who may take its buffer. A comment `@ FILE: FUNCTION` names the code that a step stands for.
 * scripts/check-model runs it, and with each of its planted errors, which spin has to find: BUG_...
 * lets an allocation use a buffer that is not the thread's; with LIVE_... the thread never arrives.
 *
 * The thread's store of the limit may wait in the processor's store buffer (x86-TSO), unless a
 * fence follows. That the way back from native code sees a stop is what stop.pml is about.
 */
#define STOPS 3
#define HANDLERS 2
#define NEXT(b) ((b) % 3 + 1)

bool poll;         /* the bit of the thread's poll word */
bool rests;        /* it is native, or waits at a safepoint */
bool interrupting; /* a handler runs that interrupted managed code */
byte buffer = 1;   /* the thread's, by number; 0: it has none */
byte last = 1;     /* the last that it got */
byte limit = 1;    /* as other threads see it: the end of that buffer, or 0 */
byte pending = 255; /* the thread's own store of the limit that has yet to get there; 255: none */
bool wants;        /* the requester waits */

inline drain()
{
  if
  :: atomic { pending != 255 -> limit = pending; pending = 255 }
  :: else
  fi
}

/* The thread's store of the limit. */
inline store_limit(value)
{
#ifdef LIVE_no_fence
  pending = value
#else
  limit = value
#endif
}

/* @ src/runtime/core/poll_word.c: cn_poll_word_open_alloc_limit */
inline open_buffer()
{
#ifdef LIVE_looks_first
  if
  :: poll -> store_limit(0)
  :: else -> store_limit(buffer)
  fi
#else
  store_limit(buffer);
#ifndef LIVE_no_look
  if
  :: poll -> store_limit(0)
  :: else
  fi
#endif
#endif
}

/* @ src/runtime/safepoints/collect.c: let_stops_pass */
inline let_stops_pass()
{
  do
  :: poll -> drain(); rests = true; !poll; rests = false
  :: else -> break
  od
}

/* The slow path of an allocation: the poll, and another buffer if this one is full or was taken.
 * @ src/runtime/safepoints/allocate.c: allocate_in_slow_path */
inline allocate_slowly()
{
  let_stops_pass();
  if
  :: buffer != 0
  :: true ->
     atomic { last = NEXT(last); buffer = last; pending = 255; limit = 0 }
     open_buffer()
  fi;
  open_buffer() /* @ src/runtime/safepoints/collect.c: cn_safepoint_leave */
}

/* What compiled code does: limit, comparison, store. */
inline allocate_in_line(seen)
{
  seen = (pending != 255 -> pending : limit);
  if
  :: seen != 0 -> assert(seen == buffer)
  :: else -> allocate_slowly()
  fi
}

/* A handler closes the buffer and opens it when it is over; requesters wait for its end.
 * @ src/runtime/signals/signals.c: interrupt_managed_code */
inline handle()
{
  interrupting = true;
#ifndef BUG_handler_in_the_buffer
  store_limit(0);
#endif
  /* Its allocations come to the slow path, and get no part of this buffer. */
  assert(pending == 0 || limit == 0);
  open_buffer();
  interrupting = false
}

active proctype thread()
{
  byte seen, handlers;

end:
  do
  :: allocate_in_line(seen)
  :: handlers < HANDLERS -> handle(); handlers++
  :: handlers < HANDLERS -> /* it calls native code, which returns when no stop is requested */
     drain(); rests = true; atomic { !poll -> rests = false }; handlers++
  od
}

/* The processor's store buffer gets empty sooner or later. */
active proctype store_buffer()
{
end:
  do
  :: drain()
  od
}

/* @ src/runtime/threads/stop.c: cn_stop_begin */
active proctype requester()
{
  byte stops, seen;

  do
  :: stops < STOPS ->
     wants = true;
     /* @ src/runtime/core/poll_word.c: cn_poll_word_arm */
#ifdef LIVE_limit_first
     limit = 0;
     poll = true;
#else
     poll = true;
#ifndef LIVE_limit_stays
     limit = 0;
#endif
#endif
     rests && !interrupting;
     wants = false;
     /* @ src/runtime/heap/buffer.c: cairn_buffer_take */
     if
     :: atomic { buffer = 0; limit = 0 }
     :: true
     fi;
#ifdef BUG_requester_opens
     seen = buffer;
     poll = false;
     limit = seen;
#else
     poll = false;
#endif
     stops++
  :: else -> break
  od
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
