/* SPDX-License-Identifier: Apache-2.0
 *
 * The stop of a fork() (docs/threads.md): handlers go on in it, since they may have interrupted
 * malloc(), whose lock fork() waits for; one may attach its thread, and one may request a stop. A
 * requester of stops that collect is beside. What is said in stop.pml of comments
 * `@ FILE: FUNCTION` and planted errors holds here as well; stores are seen at once.
 */
#define THREADS 2

mtype = { MANAGED, NATIVE, SAFEPOINT };

mtype state[THREADS];   /* as other threads see it */
bool stop[THREADS];     /* the bit of its poll word */
bool there[THREADS];    /* in the registry */
bool handling[THREADS]; /* it runs a handler that interrupted malloc() */
bool inside[THREADS];   /* it is at the heap */
bool locked, stopping, forking;
bool fork_lock, open;    /* the registry's second lock; it is open to handlers */
bool allocating;        /* malloc()'s lock is held */
bool copying;           /* the child's memory becomes a copy */
bool collecting;
bool wants;             /* the forker has the lock */
#ifdef PROGRESS
bool again[THREADS];    /* it took malloc()'s lock since: once, else the forker might never get it */
#endif

inline take() { atomic { !locked -> locked = true } }
inline release() { locked = false }
inline take_fork_lock() { atomic { !fork_lock -> fork_lock = true } }
inline release_fork_lock() { fork_lock = false }

#define GOES_THROUGH(i) (forking && handling[i]) /* @ src/runtime/threads/stop.c: may_run_during_stop */

/* @ src/runtime/threads/stop.c: let_stop_pass */
inline let_pass(i)
{
  state[i] = SAFEPOINT;
#ifdef BUG_handlers_wait
  !stopping
#else
  !stopping || GOES_THROUGH(i)
#endif
}

/* @ src/runtime/threads/stop.c: cn_stop_answer_requests */
inline arrive(i)
{
  do
  :: if
#ifndef BUG_handlers_wait
     :: GOES_THROUGH(i) ->
        state[i] = MANAGED; /* @ src/runtime/threads/stop.c: continue_if_exempt */
#ifdef BUG_no_second_look
        break
#else
        if
        :: GOES_THROUGH(i) -> break
        :: else
        fi
#endif
#endif
     :: else
     fi;
     if
     :: stop[i] -> let_pass(i)
     :: else
     fi;
     state[i] = MANAGED;
     if
     :: !stop[i] -> break /* @ src/runtime/threads/stop.c: resume_unless_requested */
     :: else
     fi
  od
}

/* @ src/runtime/threads/stop.c: stop_mutators */
inline stop_others(self, j)
{
  stopping = true;
  j = 0;
  do
  :: j < THREADS ->
     if
     :: there[j] && j != self -> stop[j] = true
     :: else
     fi;
     j++
  :: else -> break
  od;
  j = 0;
  do
  :: j < THREADS ->
     if
     :: there[j] && j != self -> state[j] != MANAGED /* @ src/runtime/threads/stop.c: await_mutator */
     :: else
     fi;
     j++
  :: else -> break
  od
}

/* @ src/runtime/threads/stop.c: cn_stop_end */
inline finish(self, j)
{
  j = 0;
  do
  :: j < THREADS ->
     if
     :: there[j] && j != self -> stop[j] = false
     :: else
     fi;
     j++
  :: else -> break
  od;
  assert(!stop[0] && !stop[1]); /* else a thread would wait for ever */
#ifdef BUG_forking_stays
  stopping = false;
#else
  forking = false;
  stopping = false;
#endif
  if
  :: self < THREADS -> state[self] = MANAGED
  :: else
  fi;
  release()
}

inline collect(self)
{
  collecting = true;
  assert((self == 0 || !inside[0]) && (self == 1 || !inside[1]));
  collecting = false
}

/* @ src/runtime/threads/stop.c: set_registry_open */
inline set_open(now)
{
  take_fork_lock();
  open = now;
  release_fork_lock()
}

/* A fork() by a thread that is no mutator. @ src/runtime/lifecycle/start.c: prepare_fork */
proctype forker()
{
  byte j;

end_forker:
  do
  :: take();
     forking = true;
     wants = true;
     stop_others(THREADS, j);
#ifndef BUG_closed
     set_open(true);
#endif
     atomic { !allocating -> allocating = true }; /* the C library, in fork() */
     copying = true;
     copying = false;
     allocating = false;
#ifdef PROGRESS
     d_step { wants = false; again[0] = false; again[1] = false };
#else
     wants = false;
#endif
#ifndef BUG_open_too_long
     if
     :: open -> set_open(false)
     :: else
     fi;
#endif
     finish(THREADS, j);
#ifdef BUG_open_too_long
     set_open(false)
#endif
  od
}

proctype collector()
{
  byte j;

end_collector:
  do
  :: take();
     stop_others(THREADS, j);
     collect(THREADS);
     finish(THREADS, j)
  od
}

/* @ src/runtime/threads/stop.c: add_during_fork */
inline add_during_fork(i)
{
  take_fork_lock();
  if
  :: open ->
#ifndef BUG_added_unarmed
     stop[i] = true;
#endif
     there[i] = true
  :: else
  fi;
  release_fork_lock()
}

/* @ src/runtime/threads/stop.c: cn_stop_add_mutator */
inline add(i)
{
  do
  :: there[i] -> break
  :: atomic { !there[i] && !locked -> locked = true }; there[i] = true; release()
#ifndef BUG_added_with_the_lock_alone
  :: !there[i] && locked && handling[i] && open -> add_during_fork(i)
#endif
  od
}

inline poll(i)
{
  if
  :: stop[i] -> arrive(i) /* @ src/runtime/safepoints/collect.c: let_stops_pass */
  :: else
  fi
}

/* @ src/runtime/arch/x86_64/stubs.S: become_managed */
inline come_back(i)
{
  state[i] = MANAGED;
  poll(i)
}

/* A collection, if no other thread forks. @ src/runtime/threads/stop.c: take_lock_if_may_wait */
inline request(i, j)
{
  state[i] = SAFEPOINT;
  if
  :: atomic { !locked -> locked = true };
     stop_others(i, j);
     collect(i);
     finish(i, j)
#ifndef BUG_requests_with_the_lock_alone
  :: locked && GOES_THROUGH(i) -> arrive(i)
#endif
  fi
}

inline work(i)
{
  inside[i] = true;
  assert(!collecting);
  assert(!copying || handling[i]); /* the child finds what others did whole */
  inside[i] = false;
  poll(i)
}

/* A handler comes to its end; other managed code may run for ever. */
inline run_managed(i, j)
{
  come_back(i);
  work(i);
  do
  :: !handling[i] -> work(i)
  :: request(i, j); work(i); break
  :: break
  od;
  state[i] = NATIVE
}

/* The first one is attached all the time, the other comes by a handler, or by itself, and goes. */
proctype thread(byte i; bool comes_and_goes)
{
  byte j;

end_native:
  do
#ifdef PROGRESS
  :: atomic { !allocating && !again[i] -> allocating = true; again[i] = wants };
#else
  :: atomic { !allocating -> allocating = true };
#endif
     if
     :: handling[i] = true;
        add(i);
        run_managed(i, j);
        handling[i] = false
     :: true
     fi;
     allocating = false
  :: add(i);
     run_managed(i, j)
  :: there[i] && comes_and_goes -> /* @ src/runtime/threads/stop.c: cn_stop_remove_mutator */
     take();
     there[i] = false;
     release()
  od
}

init
{
  atomic {
    state[0] = NATIVE; state[1] = NATIVE; there[0] = true;
    run thread(0, false); run thread(1, true); run forker();
#ifndef PROGRESS
    run collector()
#endif
  }
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
