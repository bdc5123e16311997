/* SPDX-License-Identifier: Apache-2.0
 *
 * Concurrent marking (docs/generational.md): a heap of a few objects with a field each, two threads, one of which comes
 * and goes, the marker's steps, and young collections in stops. A comment `@ FILE: FUNCTION` names the code that a step
 * stands for. scripts/check-model runs the model, also with each of its planted errors, which spin has to find: with
 * BUG_... a reachable object is lost, or a phase reads memory of a layout that is gone; with LIVE_... a marking never
 * ends.
 *
 * A collection is one step, because it runs while all threads and the marker are held. An object that a young
 * collection copies gets another address; when the budget of copies is used up, the other young objects become old in
 * place. The sets of objects are words with a bit for each address. A card has one object.
 */
#ifndef OPERATIONS
#define OPERATIONS 4 /* of the threads */
#endif
#ifndef COLLECTIONS
#define COLLECTIONS 3
#endif
#define N 5
#define BIT(a) (1 << (a))
#define HAS(set, a) (((set) >> (a)) & 1)
#define REACHED(v) ((v) != 0 && !HAS(reach, v))

#define R0 0 /* registers of the first thread */
#define R1 1
#define R2 2 /* register of the second thread */
#define GLOBAL 3
#define FRAME 4 /* in a deferred frame of the first thread */

byte root[5];
byte field[N + 1];
byte old, young;  /* objects; all other addresses are free */
byte marks;       /* @ src/collectors/generational/space/tables.h: cn_tables_is_marked */
byte queue;       /* marked objects that have yet to be scanned */
byte later;       /* those of them that became old in place */
byte dirty;       /* cards that the program has stored to */
byte weak, noted; /* objects with a weak field; those that the marker has met */
byte plugin, gone; /* objects with a layout of an image; objects whose layout was unloaded */
byte pins;        /* pinned addresses */
byte raw;         /* the address that native code got for its pin */
bool marking, job, idle, rooted;
bool ran;         /* the frame ran since the last young collection */
bool there = false; /* the second thread */
bool inside[2];   /* a thread is between a barrier and its store */
bool stepping;    /* a step of the marker runs */
bool forgot;      /* young objects may have lost their layout */
bool forked, unloaded;
byte operations, collections;

#ifdef PROGRESS
#define MORE true /* the program goes on to allocate, so collections follow each other */
#define HAS_THREAD (!forked) /* the system cannot start a thread in the child */
#else
#define MORE (collections < COLLECTIONS)
#define HAS_THREAD true
#endif

/* ---- variables of a step; 0 between steps ---- */
byte reach, scan, copies, v, w, a, b, i, forward[N + 1];
byte passed;

inline clear_scratch()
{
  reach = 0; scan = 0; copies = 0; v = 0; w = 0; a = 0; b = 0; i = 0; passed = 0;
  forward[1] = 0; forward[2] = 0; forward[3] = 0; forward[4] = 0; forward[5] = 0
}

/* `reach` becomes the objects that the program can reach. */
inline find_reachable()
{
  reach = 0;
  for (i : 0 .. 4) {
    if
    :: root[i] != 0 -> reach = reach | BIT(root[i])
    :: else
    fi
  }
  scan = reach;
  do
  :: scan != 0 ->
     for (a : 1 .. N) {
       if
       :: HAS(scan, a) ->
          scan = scan & ~BIT(a);
          if
          :: !HAS(weak, a) && field[a] != 0 && !HAS(reach, field[a]) ->
             reach = reach | BIT(field[a]);
             scan = scan | BIT(field[a])
          :: else
          fi
       :: else
       fi
     }
  :: else -> break
  od
}

/* Every reachable object is there, and no reference that the program may load points to a free address. */
inline check_heap()
{
  find_reachable();
  assert((reach & ~(old | young)) == 0);
  for (a : 1 .. N) {
    if
    :: HAS(reach, a) && field[a] != 0 -> assert(HAS(old | young, field[a]))
    :: else
    fi
  };
  assert((pins & ~(old | young)) == 0); /* else the next object at this address would be pinned */
  assert(raw == 0 || raw == root[R0])
}

inline read_layout(o) { assert(!HAS(gone, o)) }

/* ---- the marker ---- */

/* @ src/collectors/generational/marker.c: mark_old_object */
inline mark(target)
{
  if
  :: target != 0 && HAS(old, target) && !HAS(marks, target) ->
     marks = marks | BIT(target);
     queue = queue | BIT(target)
  :: else
  fi
}

/* @ src/collectors/generational/marker.c: scan_marked_object */
inline scan_marked(o)
{
  if
#ifndef BUG_gone_scanned
  :: HAS(gone, o) -> skip /* @ src/collectors/generational/marker.c: layout_of */
#endif
  :: else ->
     read_layout(o);
     if
     :: HAS(weak & ~later, o) -> noted = noted | BIT(o) /* @ src/collectors/generational/marker.c: note_weak_object */
     :: !HAS(weak, o) -> mark(field[o])
     :: else
     fi
  fi;
  later = later & ~BIT(o)
}

/* @ src/collectors/generational/concurrent.c: mark_concurrent_step */
proctype marker()
{
  byte its;

end_marker:
  do
  :: atomic {
       HAS_THREAD && job && queue != 0 ->
       d_step {
         its = 1;
         do
         :: !HAS(queue, its) -> its++
         :: else -> break
         od;
         queue = queue & ~BIT(its);
         stepping = true
       }
     };
     d_step {
       if
       :: stepping -> scan_marked(its)
       :: else
       fi;
       stepping = false; its = 0
     }
  :: d_step { HAS_THREAD && job && queue == 0 -> idle = true; job = false }
  od
}

/* ---- a young collection ---- */

inline find_free_address(at)
{
  for (at : 1 .. N) {
    if
    :: !HAS(old | young, at) && forward[at] == 0 -> break
    :: else
    fi
  }
}

/* Visits a reference, and replaces it by the address of the copy. `pass`: old objects are passed to the marker.
 * @ src/collectors/generational/trace.c: visit_slot */
inline visit(slot, pass)
{
  v = slot;
  if
  :: v != 0 && forward[v] != 0 -> slot = forward[v]
  :: v != 0 && forward[v] == 0 && HAS(young, v) ->
     read_layout(v);
     if
#ifndef BUG_pinned_moves
     :: HAS(pins, v) -> /* @ src/collectors/generational/trace.c: keep_pinned_object */
        young = young & ~BIT(v); old = old | BIT(v); scan = scan | BIT(v)
#endif
     :: else ->
        find_free_address(w);
        if
        :: copies == 0 || w > N -> skip /* it stays in place */
        :: else -> /* @ src/collectors/generational/trace.c: copy_and_forward_object */
           copies--;
           old = old | BIT(w); scan = scan | BIT(w);
           field[w] = field[v];
           if :: HAS(weak, v) -> weak = weak | BIT(w) :: else fi;
           if :: HAS(plugin, v) -> plugin = plugin | BIT(w) :: else fi;
           forward[v] = w;
           young = young & ~BIT(v);
           slot = w;
#ifndef BUG_copies_unmarked
           if /* @ src/collectors/generational/trace.c: mark_copy */
           :: marking ->
              marks = marks | BIT(w);
#ifndef BUG_weak_copies_not_noted
              if /* @ src/collectors/generational/marker.c: cn_marker_note_weak_copy */
              :: HAS(weak, w) -> noted = noted | BIT(w)
              :: else
              fi
#endif
           :: else
           fi
#endif
        fi
     fi
  :: else ->
     if
     :: marking && pass -> mark(v) /* @ src/collectors/generational/trace.c: grey_old_object */
     :: else
     fi
  fi
}

/* @ src/collectors/generational/weak_tracing.c: is_target_reached */
inline follow_copy(slot)
{
  if
  :: slot != 0 && forward[slot] != 0 -> slot = forward[slot]
  :: else
  fi
}

/* The fields of an object whose card is dirty, or of a copy. `passed` has the objects with weak fields.
 * @ src/collectors/generational/trace.c: cn_trace_visit_slots_within */
inline visit_fields(o, pass)
{
  if
  :: HAS(weak, o) -> passed = passed | BIT(o)
  :: else -> visit(field[o], pass)
  fi
}

inline drain_stack(pass)
{
  do
  :: scan != 0 ->
     for (a : 1 .. N) {
       if
       :: HAS(scan, a) -> scan = scan & ~BIT(a); visit_fields(a, pass)
       :: else
       fi
     }
  :: else -> break
  od
}

/* Roots that may have changed. @ src/collectors/generational/tracers.c: cn_tracers_visit_roots */
inline visit_roots(first, backwards)
{
  for (b : 0 .. 4) {
    i = (backwards -> 4 - b : b);
    if
#ifdef BUG_frames_that_ran_left_out
    :: i == FRAME
#else
    :: i == FRAME && !ran
#endif
#ifdef BUG_newcomers_left_out
    :: i == R2 && !first && marking -> visit(root[i], false)
#endif
#ifdef BUG_roots_passed_once
    :: i != FRAME && !first -> visit(root[i], false)
#endif
    :: else -> visit(root[i], true)
    fi
  };
  if
  :: ran -> rooted = marking; ran = false /* @ src/runtime/roots/deferred_frames.c: cn_deferred_frames_note_left */
  :: else
  fi
}

/* @ src/collectors/generational/cards.c: visit_dirty_cards */
inline visit_cards(first)
{
  for (a : 1 .. N) {
    if
    :: HAS(dirty, a) && HAS(old, a) && !HAS(scan, a) ->
       if
#ifndef BUG_cards_of_gone_objects
       :: HAS(gone, a) -> skip /* @ src/collectors/generational/cards.c: visit_object_within */
#endif
#ifdef BUG_budget_cleans_cards
       :: copies == 0 -> skip
#endif
       :: else ->
          read_layout(a);
#ifdef BUG_cards_not_passed
          visit_fields(a, false)
#else
          visit_fields(a, HAS(marks, a) && !(first)) /* @ src/collectors/generational/cards.c: passes_targets */
#endif
       fi
    :: else
    fi
  };
  dirty = 0
}

/* The rest of the nursery, garbage included, becomes old in place. References to copies are updated; a running marker
 * scans the objects later.
 * @ src/collectors/generational/promotion.c: cn_promotion_promote_rest */
inline walk_nursery()
{
  for (a : 1 .. N) {
    if
    :: HAS(young, a) ->
       young = young & ~BIT(a);
#ifdef BUG_walk_forgets_objects
       if :: young == 0 -> break :: else fi;
#endif
       old = old | BIT(a);
#ifdef BUG_walk_keeps_references
       if
       :: HAS(weak, a) -> follow_copy(field[a])
       :: else
       fi;
#else
       follow_copy(field[a]);
#endif
       if
       :: marking ->
#ifndef BUG_walk_marks_nothing
          marks = marks | BIT(a);
#endif
#ifndef BUG_walk_passes_nothing
          queue = queue | BIT(a); later = later | BIT(a);
#endif
#ifndef BUG_walk_notes_no_weak_fields
          if :: HAS(weak, a) -> noted = noted | BIT(a) :: else fi
#endif
       :: else
       fi
    :: else
    fi
  }
}

/* A weak field of an object that this collection has met: its target has a copy, or is old, or garbage.
 * @ src/collectors/generational/weak_tracing.c: cn_trace_weak_references */
inline end_weak_fields(in_place)
{
  for (a : 1 .. N) {
    if
    :: HAS(passed, a) ->
       follow_copy(field[a]);
       if
       :: !in_place && HAS(young, field[a]) -> assert(!HAS(reach, field[a])); field[a] = 0
       :: else
       fi
    :: else
    fi
  }
}

/* @ src/collectors/generational/pinned.c: cn_pinned_end_collection */
inline end_pins()
{
#ifndef BUG_pins_of_garbage_stay
  pins = pins & old; /* @ src/collectors/generational/pinned.c: cn_pinned_is_reached */
#endif
#ifndef BUG_pins_not_marked
  if
  :: marking -> /* @ src/collectors/generational/pinned.c: mark_pinned_object */
     for (a : 1 .. N) {
       if :: HAS(pins, a) -> mark(a) :: else fi
     }
  :: else
  fi
#endif
}

inline free_rest_of_nursery()
{
  for (a : 1 .. N) {
    if
    :: !HAS(old, a) -> field[a] = 0
    :: else
    fi
  };
  young = 0;
  weak = weak & old; plugin = plugin & old; gone = gone & old; dirty = dirty & old; noted = noted & old
}

/* @ src/collectors/generational/generational.c: collect_young */
inline collect_young(first, budget, backwards)
{
  find_reachable();
  scan = 0;
  copies = budget;
  visit_roots(first, backwards);
  visit_cards(first);
#ifdef BUG_budget_drops_the_stack
  if :: copies == 0 -> scan = 0 :: else fi;
#endif
#ifdef BUG_fields_of_copies_not_passed
  drain_stack(false);
#else
  drain_stack(true);
#endif
  /* Without an exhausted budget, the young objects that are left are garbage. */
  copies = budget != N || (reach & young) != 0;
  end_weak_fields(copies);
  if :: copies -> walk_nursery() :: else fi;
  end_pins();
  free_rest_of_nursery()
}

/* A whole nursery becomes old in place. Roots and cards are not visited, because no object moves and no object stays
 * young. @ src/collectors/generational/promotion.c: cn_promotion_promote_all */
inline promote_nursery()
{
  find_reachable();
  scan = 0;
  for (a : 1 .. N) {
    if
    :: HAS(young, a) ->
       read_layout(a);
       young = young & ~BIT(a);
#ifdef BUG_whole_nursery_forgets_objects
       if :: young == 0 -> break :: else fi;
#endif
       old = old | BIT(a)
    :: else
    fi
  };
  dirty = 0;
  free_rest_of_nursery()
}

/* ---- the end of a marking ---- */

/* @ src/collectors/generational/marker.c: cn_marker_process_weak_objects */
inline process_weak_objects()
{
  find_reachable();
  for (a : 1 .. N) {
    if
    :: HAS(noted, a) && !HAS(gone, a) && field[a] != 0 && !HAS(marks, field[a]) ->
       assert(!HAS(reach, field[a]));
       field[a] = 0
    :: else
    fi
  }
}

/* @ src/collectors/generational/marker.c: cn_marker_end */
inline end_marking()
{
  marking = false; job = false; idle = false; rooted = false; queue = 0; later = 0; noted = 0
}

/* All unmarked objects go. @ src/collectors/generational/concurrent.c: cn_concurrent_start_sweep */
inline free_unmarked()
{
  old = old & marks;
  marks = 0;
  free_rest_of_nursery()
}

/* @ src/collectors/generational/marker.c: cn_marker_step */
inline mark_in_pause(steps)
{
  i = steps;
  do
  :: i != 0 && queue != 0 ->
     for (a : 1 .. N) {
       if
       :: i != 0 && HAS(queue, a) -> i--; queue = queue & ~BIT(a); scan_marked(a)
       :: else
       fi
     }
  :: else -> break
  od
}

/* @ src/collectors/generational/concurrent.c: cn_concurrent_finish_marking */
inline finish_marking(steps)
{
#ifdef BUG_weak_fields_first
  process_weak_objects();
#endif
  mark_in_pause(steps);
  idle = false;
  if
#ifdef BUG_ends_with_objects_to_scan
  :: rooted ->
#else
#ifdef BUG_ends_without_deferred_roots
  :: queue == 0 ->
#else
  :: queue == 0 && rooted ->
#endif
#endif
     process_weak_objects();
     find_reachable();
     assert((reach & ~marks) == 0);
     free_unmarked();
     end_marking()
  :: else ->
#ifndef LIVE_marker_not_resumed
     job = true
#endif
  fi
}

/* @ src/collectors/generational/concurrent.c: cn_concurrent_mark_roots */
inline mark_deferred_roots()
{
  if
  :: !rooted -> mark(root[FRAME]); rooted = true /* @ src/collectors/generational/concurrent.c: mark_deferred_root */
  :: else
  fi
}

/* @ src/collectors/generational/concurrent.c: cn_concurrent_begin_marking */
inline begin_marking()
{
  marking = true; idle = false; noted = 0;
  rooted = false;
  assert(queue == 0)
}

/* A full collection in the stop. @ src/collectors/generational/generational.c: collect_full */
inline collect_full()
{
  if
  :: marking -> /* @ src/collectors/generational/marker.c: cn_marker_abandon */
     marking = false; job = false; idle = false; rooted = false; noted = 0;
#ifndef BUG_abandon_keeps_stack
     queue = 0; later = 0;
#endif
#ifndef BUG_abandon_keeps_marks
     marks = 0
#endif
  :: else
  fi;
  scan = 0;
  for (i : 0 .. 4) {
    if
    :: root[i] != 0 && !HAS(marks, root[i]) -> marks = marks | BIT(root[i]); scan = scan | BIT(root[i])
    :: else
    fi
  };
  do
  :: scan != 0 ->
     for (a : 1 .. N) {
       if
       :: HAS(scan, a) ->
          scan = scan & ~BIT(a);
          read_layout(a);
          if
          :: !HAS(weak, a) && field[a] != 0 && !HAS(marks, field[a]) ->
             marks = marks | BIT(field[a]); scan = scan | BIT(field[a])
          :: else
          fi
       :: else
       fi
     }
  :: else -> break
  od;
  for (a : 1 .. N) {
    if
    :: HAS(weak & marks, a) && field[a] != 0 && !HAS(marks, field[a]) -> field[a] = 0
    :: else
    fi
  };
  pins = pins & marks;
  old = (old | young) & marks;
  marks = 0; dirty = 0; ran = false;
  free_rest_of_nursery();
  forgot = false
}

/* ---- collections ---- */

#ifdef BUG_step_not_awaited
#define HELD (!inside[0] && !inside[1])
#else
#ifdef BUG_safepoint_before_store
#define HELD (!stepping)
#else
#define HELD (!inside[0] && !inside[1] && !stepping)
#endif
#endif

inline end_collection()
{
  check_heap();
#ifdef PROGRESS
  if :: collections < COLLECTIONS -> collections++ :: else fi;
#else
  collections++;
#endif
  clear_scratch()
}

/* @ src/collectors/generational/generational.c: collect_heap */
proctype collector()
{
  byte budget, steps;
  bool first, roots, backwards;

end_collector:
  do
  :: atomic {
       HELD && MORE ->
       if
#ifndef BUG_young_after_unload
       :: !forgot -> /* @ src/collectors/generational/generational.c: is_full_collection_due */
#else
       :: true ->
#endif
#ifdef PROGRESS
          if
          :: collections == 0 -> first = true
#ifdef LIVE_deferred_roots_left
          :: else
#else
          :: else -> roots = marking
#endif
          fi;
          budget = N;
          if /* @ src/collectors/generational/pacer.c: cn_pacer_marking_deadline */
          :: !forked && idle && rooted -> steps = N
#ifndef LIVE_pauses_mark_nothing
          :: forked -> steps = 1 /* old objects have reached the threshold */
#endif
          :: else -> steps = 0
          fi;
#else
          if
          :: !marking -> first = true
          :: else
          fi;
          if
          :: budget = N
          :: young != 0 -> budget = 1
          :: young != 0 -> budget = 1; backwards = true
          :: young != 0 -> budget = 0
          fi;
          if
          :: steps = 0
          :: steps = 1
          :: steps = N
          :: !rooted -> steps = N; roots = true
          fi;
#endif
          d_step {
            check_heap();
            if :: first -> begin_marking() :: else fi;
            collect_young(first, budget, backwards);
            if :: roots -> mark_deferred_roots() :: else fi;
            if :: marking -> finish_marking(steps) :: else fi;
            end_collection();
            first = false; budget = 0; steps = 0; roots = false; backwards = false
          }
#ifndef PROGRESS
#ifdef BUG_whole_nursery_while_marking
       :: !forgot && young != 0 ->
#else
#ifdef BUG_whole_nursery_after_unload
       :: !marking && young != 0 ->
#else
       :: !forgot && !marking && young != 0 -> /* @ src/collectors/generational/pacer.c: may_promote_nursery */
#endif
#endif
          d_step { check_heap(); promote_nursery(); end_collection() }
#endif
#ifdef PROGRESS
       :: forgot ->
#else
       :: true ->
#endif
          d_step { check_heap(); collect_full(); end_collection() }
       fi
     }
  od
}

/* ---- the program ---- */

#define MAY_RUN (operations < OPERATIONS && collections > 0 && collections < COLLECTIONS)

/* An atomic exchange of a field with a register: the barrier, and the store. A stop waits for the thread meanwhile.
 * @ src/compile/barriers/barrier_templates.c: cards */
inline mark_card(t, o, register)
{
#ifndef BUG_no_barrier
  if
  :: HAS(old, o) -> dirty = dirty | BIT(o)
  :: else
  fi;
#endif
  kept = register;
  inside[t] = true
}

#ifdef BUG_safepoint_before_store
#define THEN }; atomic {
#else
#define THEN ;
#endif

inline exchange(t, o, register)
{
  register = field[o];
  field[o] = kept;
  kept = 0;
  inside[t] = false
}

inline make(slot, with_weak_field, of_plugin)
{
  find_free_address(a);
  field[a] = root[R0];
  slot = a;
  young = young | BIT(a);
  if :: with_weak_field -> weak = weak | BIT(a) :: else fi;
  if :: of_plugin -> plugin = plugin | BIT(a) :: else fi;
  a = 0
}

#define ROOM ((old | young) != (BIT(N + 1) - 2))

/* An image is unloaded, in a stop. The program has no reference to objects of the image left.
 * @ src/collectors/generational/object_walk.c: cn_object_walk_forget_layouts */
inline unload_image()
{
  forgot = (plugin & young) != 0;
  gone = gone | plugin;
  unloaded = true;
#ifndef BUG_weak_fields_after_unload
  for (a : 1 .. N) {
    if
    :: HAS(weak, a) && HAS(gone, field[a]) -> field[a] = 0
    :: else
    fi
  };
#endif
  clear_scratch()
}

/* From now on there is the child, without the second thread and without the marker's thread, which the next collection
 * starts again, if the marking has not ended. @ src/runtime/threads/background.c: cn_background_reset_after_fork */
inline fork_in_stop()
{
  forked = true;
  there = false; inside[1] = false; root[R2] = 0;
  job = false; stepping = false
}

proctype first_thread()
{
  byte kept;

end_first:
  do
  :: atomic { MAY_RUN && root[R0] != 0 && field[root[R0]] != root[R1] -> operations++; root[R1] = field[root[R0]] }
  :: atomic { MAY_RUN && root[R1] != 0 && root[R0] != root[R1] && raw == 0 -> operations++; root[R0] = root[R1] }
     /* A function stores its result, and returns. */
  :: atomic { MAY_RUN && root[R1] != root[GLOBAL] ->
       operations++; root[GLOBAL] = root[R1]; root[R0] = 0; root[R1] = 0; raw = 0 }
  :: atomic { MAY_RUN && root[R0] != root[GLOBAL] && raw == 0 -> operations++; root[R0] = root[GLOBAL] }
  :: atomic { MAY_RUN && (root[R0] != 0 || root[R1] != 0) -> operations++; root[R0] = 0; root[R1] = 0; raw = 0 }
  :: atomic { MAY_RUN && root[R0] != 0 && field[root[R0]] != root[R1] ->
       operations++; mark_card(0, root[R0], root[R1]) THEN exchange(0, root[R0], root[R1]) }
  :: atomic { MAY_RUN && ROOM -> operations++; make(root[R1], false, false) }
  :: atomic { MAY_RUN && ROOM -> operations++; make(root[R1], true, false) }
  :: atomic { MAY_RUN && ROOM && !unloaded -> operations++; make(root[R1], false, true) }
     /* The object is pinned for native code; a reference that goes leaves the pin. */
  :: atomic { MAY_RUN && root[R0] != 0 && !inside[0] && pins == 0 -> operations++; raw = root[R0]; pins = BIT(raw) }
  :: atomic { MAY_RUN && raw != 0 -> operations++; pins = 0; raw = 0 }
     /* The deferred frame runs. */
  :: atomic { MAY_RUN && root[R1] != root[FRAME] -> operations++; ran = true; root[R1] = root[FRAME] }
  :: atomic { MAY_RUN && root[R1] != root[FRAME] -> operations++; ran = true; root[FRAME] = root[R1] }
  :: atomic {
       MAY_RUN && HELD && !unloaded && plugin != 0 ->
       d_step {
         find_reachable();
         if
         :: (reach & plugin) == 0 -> operations++; unload_image()
         :: else
         fi;
         clear_scratch()
       }
     }
#ifdef BUG_fork_within_a_step
  :: atomic { MAY_RUN && marking && !forked && !inside[1] -> operations++; fork_in_stop() }
#else
  :: atomic { MAY_RUN && marking && !forked && HELD && !inside[1] -> operations++; fork_in_stop() }
#endif
  od
}

/* Comes and goes, and pins objects for native code. */
proctype second_thread() provided (!forked)
{
  byte kept;

end_second:
  do
  :: atomic { MAY_RUN && !there && root[GLOBAL] != 0 -> operations++; there = true; root[R2] = root[GLOBAL] }
  :: atomic { MAY_RUN && there && root[R2] != 0 && field[root[R2]] != 0 -> operations++; root[R2] = field[root[R2]] }
  :: atomic { MAY_RUN && there && root[GLOBAL] != 0 && field[root[GLOBAL]] != root[R2] ->
       operations++; mark_card(1, root[GLOBAL], root[R2]) THEN exchange(1, root[GLOBAL], root[R2]) }
  :: atomic { MAY_RUN && there && !inside[1] -> operations++; there = false; root[R2] = 0 }
  od
}

/* A list of two old objects, another object, and roots. */
init
{
  atomic {
    old = BIT(1) | BIT(2) | BIT(3);
    field[2] = 3;
    root[GLOBAL] = 1;
    if
    :: root[R0] = 2; plugin = BIT(2)
    :: field[1] = 2
    :: root[R0] = 2
    :: root[FRAME] = 2
    fi;
    run marker(); run collector(); run first_thread();
    run second_thread()
  }
}

#ifdef PROGRESS
ltl answered { [] (marking -> <> !marking) }
#endif
