/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of handshakes (docs/threads.md): one mutator, whose handlers interrupt it and which
 * requests, too; a requester that may give up; one that stops the world, as a fork() does; and a
 * fork() by a handler, which stops nobody: from then on there is its child alone. What is said in
 * stop.pml of comments `@ FILE: FUNCTION`, planted errors and store buffers holds here as well.
 */
mtype = { MANAGED, NATIVE, SAFEPOINT };
#define NONE 0
#define PENDING 1
#define TAKEN 2

mtype state = NATIVE; /* as other threads see it */
bool buffered;        /* its own store of MANAGED has yet to get there */
bool armed, stop;     /* the bits of its poll word */
byte word;            /* how far the handshake is */
byte interruptions;   /* odd: a handler runs that interrupted managed code; modulo 4 */
bool inside;          /* it is at its own, or a handler interrupted it there */
bool operating;       /* somebody runs an operation on it */
byte runs;            /* of the operation, since it was requested */
bool locked, stopping, forked;
bool wants;           /* the requester has the lock, and does not give up */

inline drain() { d_step { if :: buffered -> buffered = false; state = MANAGED :: else fi } }
inline set(s) { d_step { buffered = false; state = s } }
inline take() { atomic { !locked -> locked = true } }
inline release() { locked = false }

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_change_state */
inline change(from, to, done)
{
#ifdef BUG_no_compare_and_swap
  done = word == from;
  if :: done -> word = to :: else fi
#else
  atomic { done = word == from; if :: done -> word = to :: else fi }
#endif
}

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_run_operation */
inline operate()
{
  assert(!operating && !inside);
  operating = true;
  runs++;
  assert(!inside);
  operating = false;
  word = NONE
}

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_answer */
inline answer()
{
  change(PENDING, TAKEN, done);
  if :: done -> assert(!forked); armed = false; operate() :: else fi;
#ifndef BUG_end_not_awaited
  word != TAKEN
#endif
}

/* @ src/runtime/threads/stop.c: cn_stop_answer_requests */
inline arrive()
{
  if
#ifndef BUG_handlers_answer
  :: interruptions % 2 != 0 -> set(MANAGED)
#endif
  :: else ->
     do
     :: answer();
        if
        :: stop -> set(SAFEPOINT); !stopping
        :: else
        fi;
        set(MANAGED);
#ifdef BUG_end_not_awaited
        break
#else
        if
        :: !stop && !(armed && word != NONE) -> break /* @ src/runtime/threads/stop.c: resume_unless_requested */
        :: else
        fi
#endif
     od
  fi
}

/* @ src/runtime/arch/x86_64/stubs.S: become_managed */
inline come_back()
{
  buffered = true;
  if
#ifdef BUG_no_look_on_return
  :: stop -> arrive()
#else
  :: stop || armed -> arrive()
#endif
  :: else
  fi
}

inline poll()
{
#ifdef LIVE_no_polls
  skip
#else
  if
  :: stop || (armed && word != NONE) -> arrive() /* @ src/runtime/safepoints/collect.c: let_stops_pass */
  :: else
  fi
#endif
}

/* @ src/runtime/threads/handshake.c: post_request */
inline post()
{
#ifdef BUG_barrier_first
  drain();
#endif
  assert(word == NONE && !armed);
  runs = 0;
  word = PENDING;
#ifndef BUG_not_armed
  armed = true;
#endif
#if !defined BUG_no_barrier && !defined BUG_barrier_first
  drain() /* @ src/runtime/os/thread.c: cn_os_fence_all_threads */
#endif
}

active proctype buffer()
{
end:
  do
  :: buffered -> drain()
  od
}

/* A handler interrupts managed code, and calls native code; it may fork. */
inline handle()
{
  inside = true;
  interruptions = (interruptions + 1) % 4;
  if
  :: set(NATIVE); come_back()
  :: poll()
#ifdef FORKS
  :: atomic {
       !forked -> forked = true; /* @ src/runtime/threads/stop.c: cn_stop_reset_after_fork */
       locked = false; stopping = false; stop = false; wants = false;
#ifndef BUG_fork_keeps_the_word
       word = NONE; armed = false /* @ src/runtime/threads/handshake_answer.c: cn_handshake_reset_after_fork */
#endif
     }
#endif
  fi;
  inside = false;
  interruptions = (interruptions + 1) % 4
}

active proctype mutator()
{
  bool done;

end_native:
  do
  :: come_back();
     do
     :: inside = true;
        assert(!operating);
        inside = false;
        poll()
     :: handle(); poll()
     :: break
     od;
     set(NATIVE)
  :: take(); /* it requests a handshake with itself */
     post();
     change(PENDING, TAKEN, done);
     assert(done);
     operate();
     armed = false;
     release()
  od
}

/* @ src/runtime/threads/stop.c: cn_stop_is_resting */
inline look()
{
  before = interruptions;
  seen = state;
#ifdef BUG_handlers_ignored
  rests = seen != MANAGED
#else
#ifdef BUG_handlers_looked_for_once
  rests = seen != MANAGED && before % 2 == 0
#else
  rests = seen != MANAGED && before % 2 == 0 && interruptions == before
#endif
#endif
}

/* @ src/runtime/threads/handshake.c: await_mutator */
active proctype requester() provided (!forked)
{
  bool done, rests, may_give_up;
  byte before;
  mtype seen;

end_requester:
  do
  :: if :: may_give_up = true :: may_give_up = false fi;
#ifndef BUG_no_lock
     take();
#endif
     wants = !may_give_up;
     post();
     do
     :: look();
        if
#ifdef BUG_managed_ones_taken
        :: true ->
#else
        :: rests ->
#endif
#ifdef BUG_not_taken
           operate();
           break
#else
           change(PENDING, TAKEN, done);
           if
           :: done ->
#ifdef BUG_disarmed_first
              armed = false;
#endif
              operate();
              break
           :: else
           fi
#endif
        :: !rests
        fi;
        if
        :: word == NONE -> break
        :: may_give_up ->
#ifdef BUG_gives_up_too_late
           done = true; word = NONE;
#else
           change(PENDING, NONE, done);
#endif
           if
           :: done -> assert(runs == 0); runs = 1; break
           :: else
           fi
        :: else
        fi
     od;
     assert(runs == 1);
#ifndef BUG_stays_armed
     armed = false; /* @ src/runtime/threads/handshake.c: perform_handshake */
#endif
     assert(word == NONE && !armed);
     wants = false;
#ifndef BUG_no_lock
     release()
#endif
  od
}

/* @ src/runtime/lifecycle/start.c: prepare_fork */
active proctype stopper() provided (!forked)
{
  byte before;
  mtype seen;
  bool rests;

end_stopper:
  do
  :: take();
     stopping = true;
     stop = true;
     drain();
     do :: look(); if :: rests -> break :: else fi od;
     assert(!inside && !operating && word == NONE && !armed);
     stop = false;
     stopping = false;
     release()
  od
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
