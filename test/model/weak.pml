/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a trace (docs/weak.md): weak fields, ephemerons and finalisers, after the marker has nothing left to scan.
 * The model is one step; the search covers all heaps of a few objects. The text of marking.pml about comments
 * `@ FILE: FUNCTION` and planted errors applies here, too: with BUG_... a reachable object is lost, a weak field keeps
 * an object that is gone, or a field is cleared although its target was reached, or rounds
 * over the ephemerons go on without end.
 *
 * An object is an ordinary one with a reference, or has a weak field, or is an ephemeron with key and value. A group of
 * an ephemeron waits for its key, unless memory for the list is exhausted.
 */
#define N 4
#define BIT(a) (1 << (a))
#define HAS(set, a) (((set) >> (a)) & 1)

byte field[N + 1];      /* the reference, the weak field, or the key */
byte value[N + 1];      /* of an ephemeron */
byte weak, ephemerons;  /* objects, by kind */
byte registered;        /* objects with a finaliser */
#define ROOTS (BIT(1) | BIT(2)) /* objects that roots point to */
bool short_of_memory;   /* groups do not wait: a round over all groups follows */

byte marks, queue;
byte parts, first;      /* marked objects with weak fields: all of them, and those that were there in the first round */
byte waiting, ready;    /* ephemerons that wait for their key; those whose key was reached */
bool lost, progress; /* of a round: a group does not wait; an object was reached */
byte queued;            /* objects for the program to finalise */

/* ---- scratch, and the definition that the end is compared with ---- */
byte a, v, strong, alive, rounds;
bool changed, processes, ended;

/* `set` becomes the objects that are reachable from it: an ephemeron reaches its value if its key is in the set. */
inline close_set(set)
{
  changed = true;
  do
  :: changed ->
     changed = false;
     for (a : 1 .. N) {
       if
       :: !HAS(set, a) || HAS(weak, a) -> v = 0
       :: else ->
          v = field[a];
          if
          :: HAS(ephemerons, a) -> v = (field[a] == 0 || HAS(set, field[a]) -> value[a] : 0)
          :: else
          fi
       fi;
       if
       :: v != 0 && !HAS(set, v) -> set = set | BIT(v); changed = true
       :: else
       fi
     }
  :: else -> break
  od
}

/* ---- the marker ---- */

inline mark(target)
{
  if
  :: target != 0 && !HAS(marks, target) ->
     marks = marks | BIT(target);
     queue = queue | BIT(target);
#ifndef BUG_keys_reached_unnoticed
     if /* @ src/runtime/weak/weak.c: cairn_weak_reached */
     :: waiting != 0 ->
        for (v : 1 .. N) {
          if
          :: HAS(waiting, v) && HAS(marks, field[v]) -> waiting = waiting & ~BIT(v); ready = ready | BIT(v)
          :: else
          fi
        }
     :: else
     fi
#endif
  :: else
  fi
}

/* @ src/collectors/generational/marker.c: mark_until_done */
inline mark_until_done()
{
  do
  :: queue != 0 ->
     for (a : 1 .. N) {
       if
       :: HAS(queue, a) ->
          queue = queue & ~BIT(a);
          if
#ifdef BUG_late_ephemerons_not_noted /* @ src/collectors/generational/marker.c: note_marked_weak_objects */
          :: HAS(weak | ephemerons, a) && processes -> skip
#endif
          :: HAS(weak | ephemerons, a) -> parts = parts | BIT(a) /* @ src/runtime/weak/weak.c: cairn_weak_note */
          :: else -> mark(field[a])
          fi
       :: else
       fi
     }
  :: else -> break
  od
}

/* ---- ephemerons ---- */

/* @ src/runtime/weak/weak.c: process_ephemeron_group */
inline process_ephemeron(o)
{
  if
#ifndef BUG_values_of_dead_keys
  :: field[o] != 0 && !HAS(marks, field[o]) ->
     if
     :: short_of_memory -> lost = true
     :: else -> waiting = waiting | BIT(o) /* @ src/runtime/weak/weak.c: add_waiting_group */
     fi
#endif
  :: else -> /* @ src/runtime/weak/weak.c: reach_strong_fields */
     if
     :: value[o] != 0 && !HAS(marks, value[o]) -> progress = true
     :: else
     fi;
     mark(value[o])
  fi
}

/* @ src/runtime/weak/weak.c: reach_by_ephemerons */
inline reach_by_ephemerons(from)
{
  rounds = 0;
  do
  :: true ->
     lost = false; progress = false;
     strong = from; /* parts that were visited */
     do
     :: (parts & ~strong) != 0 || ready != 0 ->
        for (a : 1 .. N) {
          if
          :: HAS(parts & ~strong, a) ->
             strong = strong | BIT(a);
             if
             :: HAS(ephemerons, a) -> process_ephemeron(a)
             :: else
             fi
          :: HAS(ready, a) -> /* @ src/runtime/weak/weak.c: process_ready_groups */
             ready = ready & ~BIT(a);
             process_ephemeron(a)
          :: else
          fi
        };
        mark_until_done()
     :: else -> break
     od;
     assert(rounds < N);
     if
#ifdef BUG_rounds_without_progress
     :: lost && rounds < N -> rounds++
#endif
#if !defined BUG_one_round && !defined BUG_rounds_without_progress
     :: lost && progress -> rounds++
#endif
     :: else -> break
     fi
  od;
  waiting = 0
}

/* ---- unreachable objects ---- */

/* @ src/runtime/weak/weak.c: clear_weak_parts */
inline clear_weak_parts(from)
{
  for (a : 1 .. N) {
    if
    :: HAS(parts & ~(from), a) && field[a] != 0 && !HAS(marks, field[a]) ->
       assert(!HAS(alive, field[a]));
       field[a] = 0; value[a] = 0
    :: else
    fi
  }
}

/* @ src/runtime/weak/finalisers.c: cn_finalisers_queue_dead */
inline queue_dead_objects()
{
  queued = registered & ~marks; /* @ src/runtime/weak/finalisers.c: split_off_dead_objects */
  registered = registered & marks;
#ifndef BUG_finalised_objects_unmarked
  for (a : 1 .. N) {
    if
    :: HAS(queued, a) -> mark(a)
    :: else
    fi
  };
#ifdef BUG_fields_of_finalised_objects_unmarked
  queue = 0
#else
  mark_until_done()
#endif
#endif
}

/* @ src/runtime/weak/weak.c: cairn_weak_process */
inline process_weak_objects()
{
  processes = true;
#ifdef BUG_finalisers_before_ephemerons
  queue_dead_objects();
  for (a : 1 .. N) {
    if
    :: HAS(queued, a) -> assert(!HAS(alive, a))
    :: else
    fi
  };
#endif
#ifdef BUG_weak_fields_before_ephemerons
  clear_weak_parts(0);
#endif
  reach_by_ephemerons(0);
  assert(marks == alive);
  clear_weak_parts(0);
  first = parts;
#ifndef BUG_finalisers_before_ephemerons
  queue_dead_objects();
#endif
  if
  :: queued != 0 ->
#ifndef BUG_no_second_round
     reach_by_ephemerons(first);
     clear_weak_parts(first)
#endif
  :: else
  fi
}

/* ---- all heaps ---- */

/* A reference to any of the objects, or null. */
inline choose(slot)
{
  if
  :: slot = 0
  :: slot = 1
  :: slot = 2
  :: slot = 3
  :: slot = 4
  fi
}

inline make_heap()
{
  choose(field[1]); choose(field[2]); choose(field[3]); choose(field[4]);
  if :: weak = 0 :: weak = BIT(1) :: weak = BIT(3) fi;
  if :: ephemerons = 0 :: ephemerons = BIT(1) | BIT(2) :: ephemerons = BIT(2) | BIT(3) fi;
  ephemerons = ephemerons & ~weak;
  if :: HAS(ephemerons, 1) -> choose(value[1]) :: else fi;
  if :: HAS(ephemerons, 2) -> choose(value[2]) :: else fi;
  if :: HAS(ephemerons, 3) -> choose(value[3]) :: else fi;
  if :: registered = 0 :: registered = BIT(3) :: registered = BIT(3) | BIT(4) fi;
  if :: short_of_memory = false :: short_of_memory = true fi
}

active proctype collector()
{
  atomic { make_heap() };
  d_step {
    alive = ROOTS;
    close_set(alive);
    mark(1); mark(2);
    mark_until_done();
    process_weak_objects();
    /* `strong` becomes the objects that the roots and the finalisers' queues reach. */
    strong = ROOTS | queued;
    close_set(strong);
    assert((strong & ~marks) == 0);
    for (a : 1 .. N) {
      if
      :: HAS(marks, a) && field[a] != 0 -> assert(HAS(marks, field[a]))
      :: else
      fi
    };
    assert((registered & ~marks) == 0);
    ended = true
  }
}

#ifdef PROGRESS
ltl answered { <> ended }
#endif
