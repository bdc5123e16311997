/* SPDX-License-Identifier: Apache-2.0
 *
 * Several handshakes at a time (docs/threads.md): two mutators, of which one requests, too; a
 * requester that asks both at once and may give up; and one that stops the world. handshake.pml has
 * one mutator, its handlers and fork(). What is said in stop.pml of comments `@ FILE: FUNCTION`,
 * planted errors and store buffers holds here as well.
 */
#define THREADS 2
#define NONE 0
#define PENDING 1
#define TAKEN 2

mtype = { MANAGED, NATIVE, SAFEPOINT };

mtype state[THREADS];   /* as other threads see it */
bool buffered[THREADS]; /* its own store of MANAGED has yet to get there */
bool armed[THREADS], stop[THREADS]; /* the bits of its poll word */
byte word[THREADS];                 /* how far its handshake is */
bool inside[THREADS];               /* it is at its own */
bool operating[THREADS];            /* somebody runs an operation on it */
byte runs[THREADS];                 /* of the operation, since it was requested */
bool locked, stopping, collecting;
bool wants;                         /* the requester has the lock, and does not give up */

inline drain(i) { d_step { if :: buffered[i] -> buffered[i] = false; state[i] = MANAGED :: else fi } }
inline set(s) { d_step { buffered[i] = false; state[i] = s } }
inline take() { atomic { !locked -> locked = true } }
inline release() { locked = false }

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_change_state */
inline change(which, from, to)
{
  atomic { done = word[which] == from; if :: done -> word[which] = to :: else fi }
}

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_run_operation */
inline operate(on)
{
  assert(!operating[on] && !inside[on] && !collecting);
  operating[on] = true;
  runs[on]++;
  assert(!inside[on] && !collecting);
  operating[on] = false;
#ifdef BUG_answers_for_both
  word[0] = NONE;
  word[1] = NONE
#else
  word[on] = NONE
#endif
}

/* @ src/runtime/threads/handshake_answer.c: cn_handshake_answer */
inline answer()
{
  change(i, PENDING, TAKEN);
  if
  :: done -> armed[i] = false; operate(i)
  :: else
  fi;
  word[i] != TAKEN
}

/* @ src/runtime/threads/stop.c: cn_stop_answer_requests */
inline arrive()
{
  do
  :: answer();
     if
     :: stop[i] -> set(SAFEPOINT); !stopping
     :: else
     fi;
     set(MANAGED);
     if
     :: !stop[i] && !(armed[i] && word[i] != NONE) -> break /* @ src/runtime/threads/stop.c: resume_unless_requested */
     :: else
     fi
  od
}

inline poll()
{
#ifdef LIVE_no_polls
  skip
#else
  if
  :: stop[i] || (armed[i] && word[i] != NONE) -> arrive() /* @ src/runtime/safepoints/collect.c: let_stops_pass */
  :: else
  fi
#endif
}

/* @ src/runtime/threads/handshake.c: post_request */
inline post(to)
{
  assert(word[to] == NONE && !armed[to]);
  runs[to] = 0;
  word[to] = PENDING;
  armed[to] = true
}

/* The requester's own mutator rests, whatever its state. @ src/runtime/threads/handshake.c: run_for_resting_mutator */
#ifdef BUG_managed_ones_taken
#define RESTS(me, i) true
#else
#define RESTS(me, i) (me == i || state[i] != MANAGED)
#endif

/* @ src/runtime/threads/handshake.c: await_mutator */
inline await(me, m)
{
  do
  :: word[m] == PENDING && RESTS(me, m) ->
     change(m, PENDING, TAKEN);
     if
     :: done -> operate(m); break
     :: else
     fi
  :: word[m] == NONE -> break
  :: word[m] == PENDING && may_give_up ->
     change(m, PENDING, NONE);
     if
     :: done -> assert(runs[m] == 0); status = false; break
     :: else
     fi
  od
}

/* Both, at once. @ src/runtime/threads/handshake.c: perform_handshake */
inline shake(self)
{
  status = true;
  post(0);
#ifdef BUG_barrier_between
  drain(0); drain(1);
#endif
  post(1);
#if !defined BUG_no_barrier && !defined BUG_barrier_between
  drain(0); drain(1); /* @ src/runtime/os/thread.c: cn_os_fence_all_threads */
#endif
  await(self, 0);
#ifdef BUG_disarms_too_soon
  armed[1] = false;
#endif
  armed[0] = false;
#ifndef BUG_first_alone_awaited
  await(self, 1);
#endif
  armed[1] = false;
  assert(word[0] == NONE && word[1] == NONE);
  assert(runs[0] <= 1 && runs[1] <= 1 && (!status || runs[0] + runs[1] == 2))
}

/* @ src/runtime/threads/handshake.c: cn_handshake */
inline request(who)
{
#ifndef BUG_no_lock
  take();
#endif
  shake(who);
#ifndef BUG_no_lock
  release()
#endif
}

/* The buffers of the processors get empty sooner or later. */
active proctype buffers()
{
end:
  do
  :: buffered[0] -> drain(0)
  :: buffered[1] -> drain(1)
  od
}

proctype mutator(byte i; bool requests)
{
  bool done, status, may_give_up;

end_native:
  do
  :: buffered[i] = true; /* @ src/runtime/arch/x86_64/stubs.S: become_managed */
     poll();
     do
     :: inside[i] = true;
        assert(!operating[i] && !collecting);
        inside[i] = false;
        poll()
     :: break
     od;
     set(NATIVE)
  :: requests -> request(i)
  od
}

proctype requester()
{
  bool done, status, may_give_up;

end_requester:
  do
  :: if :: may_give_up = true :: may_give_up = false fi;
#ifndef BUG_no_lock
     take();
#endif
     wants = !may_give_up;
     shake(THREADS);
     wants = false;
#ifndef BUG_no_lock
     release()
#endif
  od
}

/* @ src/runtime/threads/stop.c: stop_mutators */
proctype stopper()
{
end_stopper:
  do
  :: take();
     stopping = true;
     stop[0] = true;
     stop[1] = true;
     drain(0); drain(1);
     state[0] != MANAGED;
     state[1] != MANAGED;
     collecting = true;
     assert(!inside[0] && !inside[1] && !operating[0] && !operating[1]);
     collecting = false;
     stop[0] = false; /* @ src/runtime/threads/stop.c: cn_stop_end */
     stop[1] = false;
     stopping = false;
     release()
  od
}

init
{
  atomic {
    state[0] = NATIVE; state[1] = NATIVE;
    run mutator(0, true); run mutator(1, false); run requester();
#ifndef PROGRESS
    run stopper()
#endif
  }
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
