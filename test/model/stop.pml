/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of stops (docs/threads.md): threads that run managed code, one that comes and goes,
 * and requesters, one of which is no mutator. A comment `@ FILE: FUNCTION` names the code that a step
 * stands for. scripts/check-model runs it, and with each of its planted errors (BUG_...), which spin
 * has to find.
 *
 * The store of MANAGED by a thread that comes back from native code waits in the processor's store
 * buffer for as long as it likes (x86-TSO); the barrier empties all buffers. Waits in the kernel are
 * waits for the condition, since the code looks again after each.
 */
#define THREADS 2

mtype = { MANAGED, NATIVE, SAFEPOINT };

mtype state[THREADS];   /* as other threads see it */
bool buffered[THREADS]; /* the thread's own store of MANAGED has yet to get there */
bool stop[THREADS];     /* the bit of its poll word */
bool there[THREADS];    /* in the registry */
bool anchored[THREADS]; /* its anchor is whole */
bool inside[THREADS];   /* it is at the heap */
bool locked, stopping;
bool wants, had;        /* of the requester that is no mutator: it has the lock; it has stopped the world */
byte world = 255;       /* who has stopped the world: a thread, NOBODY's number, or 255 */
#define NOBODY THREADS

inline drain(i)
{
  atomic {
    if
    :: buffered[i] -> buffered[i] = false; state[i] = MANAGED
    :: else
    fi
  }
}

/* @ src/runtime/threads/stop.c: rest_at_safepoint */
inline rest(i)
{
  d_step { buffered[i] = false; state[i] = SAFEPOINT }
}

/* @ src/runtime/threads/stop.c: resume_unless_requested */
inline set_managed(i)
{
  d_step { buffered[i] = false; state[i] = MANAGED }
}

/* @ src/runtime/threads/stop.c: cn_stop_answer_requests */
inline arrive(i)
{
  do
  :: rest(i);
     !stopping;
     set_managed(i);
#ifdef BUG_no_second_look
     break
#else
     if
     :: !stop[i] -> break
     :: else
     fi
#endif
  od
}

/* @ src/runtime/arch/x86_64/stubs.S: become_managed */
inline come_back(i)
{
  buffered[i] = true;
#ifndef BUG_no_look_on_return
  if
  :: stop[i] -> arrive(i)
  :: else
  fi
#endif
}

/* @ src/runtime/arch/x86_64/stubs.S: cairn_call_any */
inline go_native(i)
{
#ifdef BUG_state_before_anchor
  d_step { buffered[i] = false; state[i] = NATIVE }
  anchored[i] = true;
#else
  anchored[i] = true;
  d_step { buffered[i] = false; state[i] = NATIVE }
#endif
}

/* Over managed frames, to native code: their anchors go while the thread is managed.
 * @ src/runtime/libc/jumps.c: abandon_frames_below */
inline jump(i)
{
#ifdef BUG_jumps_as_native
  anchored[i] = false;
  anchored[i] = true
#else
  come_back(i);
  anchored[i] = false;
  go_native(i)
#endif
}

inline take() { atomic { !locked -> locked = true } }
inline release() { locked = false }

/* @ src/runtime/threads/stop.c: take_lock_if_may_wait */
inline begin(self)
{
#ifndef BUG_waits_for_lock_as_managed
  if
  :: self < THREADS -> rest(self)
  :: else
  fi;
#endif
#ifndef BUG_no_lock
  take();
#endif
#ifdef BUG_waits_for_lock_as_managed
  if
  :: self < THREADS -> rest(self)
  :: else
  fi;
#endif
}

/* @ src/runtime/threads/stop.c: stop_mutators */
inline stop_others(self, j)
{
  stopping = true;
  if
  :: self == NOBODY -> wants = true
  :: else
  fi;
#ifdef BUG_barrier_first
  atomic { drain(0); drain(1) };
#endif
  j = 0;
  do
  :: j < THREADS ->
     if
#ifndef BUG_not_armed
     :: there[j] && j != self -> stop[j] = true
#endif
     :: else
     fi;
     j++
  :: else -> break
  od;
#if !defined BUG_no_barrier && !defined BUG_barrier_first
  atomic { drain(0); drain(1) }; /* @ src/runtime/os/thread.c: cn_os_fence_all_threads */
#endif
  /* @ src/runtime/threads/stop.c: await_mutator */
  j = 0;
  do
  :: j < THREADS ->
     if
#ifndef BUG_nobody_awaited
     :: there[j] && j != self -> state[j] != MANAGED
#endif
     :: else
     fi;
     j++
  :: else -> break
  od;
  world = self;
}

/* A collection: nobody else is at the heap, and every stack can be walked. */
inline collect(self)
{
  assert(self == 0 || !inside[0]);
  assert(self == 1 || !inside[1]);
  assert(self == 0 || !there[0] || state[0] != NATIVE || anchored[0]);
  assert(self == 1 || !there[1] || state[1] != NATIVE || anchored[1]);
  assert(world == self);
}

/* @ src/runtime/threads/stop.c: cn_stop_end */
inline finish(self, j)
{
  world = 255;
  j = 0;
  do
  :: j < THREADS ->
     if
#ifdef BUG_stays_armed
     :: there[j] && j != self && j != 1 -> stop[j] = false
#else
     :: there[j] && j != self -> stop[j] = false
#endif
     :: else
     fi;
     j++
  :: else -> break
  od;
  assert(!stop[0] && !stop[1]); /* else a thread would wait for ever */
#ifndef BUG_never_over
  stopping = false;
#endif
#ifndef BUG_managed_after_release
  if
  :: self < THREADS -> set_managed(self)
  :: else
  fi;
#endif
#ifndef BUG_no_lock
  release();
#endif
#ifdef BUG_managed_after_release
  if
  :: self < THREADS -> set_managed(self)
  :: else
  fi
#endif
}

/* Another thread has collected meanwhile. @ src/runtime/threads/stop.c: cn_stop_begin_unless */
inline be_served(self)
{
#ifdef BUG_served_after_release
  release();
  set_managed(self)
#else
  set_managed(self);
  release()
#endif
}

/* Managed code: it is at the heap for a while. */
inline work(i)
{
  inside[i] = true;
  assert(world == 255 || world == i);
  inside[i] = false
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

proctype thread(byte i; bool comes_and_goes)
{
  byte j;

  state[i] = NATIVE;
  anchored[i] = true;
end_outside:
  do
  :: true ->
     /* @ src/runtime/threads/stop.c: cn_stop_add_mutator */
#ifndef BUG_attach_without_lock
     take();
#endif
     there[i] = true;
#ifndef BUG_attach_without_lock
     release();
#endif
end_native:
     do
     :: true ->
        come_back(i);
        anchored[i] = false;
progress_managed:
        do
        :: work(i);
           /* @ src/runtime/safepoints/collect.c: let_stops_pass */
#ifndef LIVE_no_polls
           if
           :: stop[i] -> arrive(i)
           :: else
           fi
#endif
        :: true ->
           begin(i);
           if
           :: stop_others(i, j); collect(i); finish(i, j)
           :: be_served(i)
           fi
        :: break
        od;
        go_native(i)
     :: jump(i)
     :: comes_and_goes -> break
     od;
     /* @ src/runtime/threads/stop.c: cn_stop_remove_mutator */
#ifndef BUG_detach_without_lock
     take();
#endif
     there[i] = false;
#ifndef BUG_detach_without_lock
     release()
#endif
  od
}

/* A thread that is no mutator. */
proctype other()
{
  byte j;

  begin(NOBODY);
  stop_others(NOBODY, j);
  collect(NOBODY);
  had = true;
  finish(NOBODY, j)
}

init
{
  atomic { run thread(0, false); run thread(1, true); run other() }
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> had) }
#endif
