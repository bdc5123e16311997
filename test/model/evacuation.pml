/* SPDX-License-Identifier: Apache-2.0
 *
 * Evacuation of sparse blocks (docs/generational.md): a marking, whose marker notes cards that point to chosen blocks,
 * and young collections that note further cards and evacuate one group of blocks each. The text of marking.pml about
 * collections, comments `@ FILE: FUNCTION` and planted errors applies here, too: with BUG_... a root or a field keeps
 * the old address of an object that moved; with LIVE_... the groups stay for ever.
 *
 * Objects 1 to 3 are old when the marking begins; 2 and 3 are alone in the blocks of two groups, apart from a hole in
 * the block of 2. Memory is used once, so an old address points nowhere.
 */
#ifndef OPERATIONS
#define OPERATIONS 3
#endif
#ifndef COLLECTIONS
#define COLLECTIONS 4
#endif
#define N 11
#define HOLE 4
#define BIT(a) (1 << (a))
#define HAS(set, a) (((set) >> (a)) & 1)
#define GROUP1 (BIT(2) | BIT(HOLE)) /* addresses of the block of a group */
#define GROUP2 BIT(3)

#define R0 0 /* registers of a thread */
#define R1 1
#define GLOBAL 2
#define FRAME 3 /* in a deferred frame */

byte root[4];
byte field[N + 1];
short old = 14, young;
short used;          /* addresses that had an object */
short marks, queue;
short dirty, weak, plugin, gone, pins;
byte raw;
bool marking, rooted, ran, unloaded;
short chosen;        /* addresses of blocks that wait for their evacuation */
byte due;          /* the group to evacuate next; 0: none */
short noted1, noted2; /* cards whose fields may point to a group */
byte operations, collections, made;

/* ---- variables of a step; 0 between steps ---- */
short sources; /* addresses of blocks that are being evacuated */
short reach, scan, passed;
byte copies, v, w, a, b, i, forward[N + 1];

inline clear_scratch()
{
  sources = 0; reach = 0; scan = 0; copies = 0; v = 0; w = 0; a = 0; b = 0; i = 0; passed = 0;
  for (a : 1 .. N) { forward[a] = 0 }
  a = 0
}

inline find_reachable()
{
  reach = 0;
  for (i : 0 .. 3) {
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
  assert(raw == 0 || raw == root[R0])
}

inline read_layout(o) { assert(!HAS(gone, o)) }

/* ---- notes ---- */

/* The card of object `o` may point to the block of `target`.
 * @ src/collectors/generational/evacuation.c: cn_evacuation_note_card */
inline note(o, target)
{
  if
  :: HAS(chosen & GROUP1, target) -> noted1 = noted1 | BIT(o)
  :: HAS(chosen & GROUP2, target) -> noted2 = noted2 | BIT(o)
  :: else
  fi
}

/* @ src/collectors/generational/evacuation.c: cn_evacuation_note_weak_fields */
inline note_weak_field(o)
{
#ifndef BUG_weak_fields_not_noted
  if
  :: due != 0 -> noted1 = noted1 | BIT(o); noted2 = noted2 | BIT(o)
  :: else
  fi
#else
  skip
#endif
}

/* A root on a stack points to the block. @ src/collectors/generational/evacuation.c: cn_evacuation_keep_block */
inline keep_block(target)
{
  if
  :: HAS(GROUP1 & ~sources, target) -> chosen = chosen & ~GROUP1
  :: HAS(GROUP2 & ~sources, target) -> chosen = chosen & ~GROUP2
  :: else
  fi
}

/* ---- the marker ---- */

inline mark(target)
{
  if
  :: target != 0 && HAS(old, target) && !HAS(marks, target) ->
     marks = marks | BIT(target);
     queue = queue | BIT(target)
  :: else
  fi
}

/* @ src/collectors/generational/marker.c: scan_fields */
inline scan_marked(o)
{
  queue = queue & ~BIT(o);
  if
  :: HAS(gone, o)
  :: !HAS(gone, o) && HAS(weak, o) -> note_weak_field(o)
  :: else ->
#ifndef BUG_marker_notes_nothing
     note(o, field[o]); /* @ src/collectors/generational/marker.c: visit_slot */
#endif
     mark(field[o])
  fi
}

/* A step ends before a stop; so it is one step of the model. */
proctype marker()
{
end_marker:
  do
  :: d_step {
       marking && queue != 0 ->
       b = 1;
       do
       :: !HAS(queue, b) -> b++
       :: else -> break
       od;
       scan_marked(b);
       b = 0
     }
  od
}

/* ---- a young collection ---- */

/* An address of a free block or of a hole. Holes of chosen blocks stay unfilled.
 * @ src/collectors/generational/space/blocks.c: take_block_with_holes */
inline find_free_address(at)
{
  for (at : 1 .. N) {
    if
#ifdef BUG_holes_of_chosen_blocks_are_filled
    :: !HAS(used, at) -> break
#else
    :: !HAS(used, at) && !HAS(chosen | sources, at) -> break
#endif
    :: else
    fi
  }
}

inline copy_object()
{
  read_layout(v);
  find_free_address(w);
  old = old | BIT(w); scan = scan | BIT(w); used = used | BIT(w);
  field[w] = field[v];
  if :: HAS(weak, v) -> weak = weak | BIT(w) :: else fi;
  if :: HAS(plugin, v) -> plugin = plugin | BIT(w) :: else fi;
  forward[v] = w;
  if :: marking -> marks = marks | BIT(w) :: else fi
}

/* Visits a reference in the object `o`, or in a root if `o` is 0. @ src/collectors/generational/trace.c: visit_slot */
inline visit(slot, o, notes)
{
  v = slot;
  if
  :: v == 0
  :: v != 0 && forward[v] != 0 -> slot = forward[v]
  :: v != 0 && forward[v] == 0 && HAS(young, v) ->
     if
     :: HAS(pins, v) -> /* it stays, and becomes old */
        young = young & ~BIT(v); old = old | BIT(v); scan = scan | BIT(v)
     :: !HAS(pins, v) && copies != 0 -> copies--; young = young & ~BIT(v); copy_object(); slot = forward[v]
     :: else
     fi
  :: v != 0 && forward[v] == 0 && HAS(sources, v) -> /* @ src/collectors/generational/trace.c: cn_trace_evacuate */
     copy_object();
     slot = forward[v]
  :: else -> /* @ src/collectors/generational/evacuation.c: cn_evacuation_visit_old_slot */
     if
     :: o != 0 && notes -> note(o, v)
     :: else
     fi;
     if
     :: marking -> mark(v) /* @ src/collectors/generational/trace.c: grey_old_object */
     :: else
     fi
  fi
}

inline visit_fields(o, notes)
{
  read_layout(o);
  if
  :: HAS(weak, o) -> /* @ src/collectors/generational/trace.c: scan_weak_object */
     passed = passed | BIT(o);
     note_weak_field(o)
  :: else -> visit(field[o], o, notes)
  fi
}

#ifdef BUG_copies_note_nothing
#define COPIES_NOTE false
#else
#define COPIES_NOTE true
#endif

inline drain_stack()
{
  do
  :: scan != 0 ->
     for (a : 1 .. N) {
       if
       :: HAS(scan, a) ->
          scan = scan & ~BIT(a);
#ifdef BUG_fields_of_evacuated_objects_not_visited
          if
          :: sources == 0 -> visit_fields(a, COPIES_NOTE)
          :: else
          fi
#else
          visit_fields(a, COPIES_NOTE)
#endif
       :: else
       fi
     }
  :: else -> break
  od
}

/* @ src/collectors/generational/root_visits.c: visit_root */
inline visit_roots()
{
  for (b : 0 .. 3) {
    if
    :: b == FRAME && !ran
    :: else ->
#ifndef BUG_roots_keep_no_block
       if
       :: b != GLOBAL && root[b] != 0 -> keep_block(root[b])
       :: else
       fi;
#endif
       visit(root[b], 0, false)
    fi
  };
  if
  :: ran -> ran = false; rooted = true
  :: else
  fi
}

#ifdef BUG_cards_note_nothing_while_marking
#define CARDS_NOTE (!marking)
#else
#ifdef BUG_cards_note_nothing_after_marking
#define CARDS_NOTE marking
#else
#define CARDS_NOTE true
#endif
#endif

/* The fields of unmarked objects are left to the marker. @ src/collectors/generational/cards.c: visit_block_card */
inline visit_cards()
{
  for (a : 1 .. N) {
    if
    :: HAS(dirty & old & ~scan & ~gone, a) && !HAS(sources, a) && forward[a] == 0 ->
       if
       :: marking && !HAS(marks, a) && !HAS(weak, a) && !HAS(young, field[a])
       :: else -> visit_fields(a, CARDS_NOTE)
       fi
    :: else
    fi
  };
  dirty = 0
}

/* @ src/collectors/generational/cards.c: visit_remembered_cards */
inline visit_noted_cards(noted)
{
  for (a : 1 .. N) {
    if
    :: HAS(noted & old & ~sources & ~gone, a) -> visit_fields(a, true)
    :: else
    fi
  }
}

/* Copies all objects of the group, reachable or not.
 * @ src/collectors/generational/evacuation.c: cn_evacuation_copy_group */
inline copy_group()
{
  for (a : 1 .. N) {
    if
    :: HAS(sources & old, a) && forward[a] == 0 -> v = a; copy_object()
    :: else
    fi
  };
  drain_stack()
}

/* The rest of the nursery becomes old in place.
 * @ src/collectors/generational/promotion.c: cn_promotion_promote_rest */
inline walk_nursery()
{
  for (a : 1 .. N) {
    if
    :: HAS(young, a) ->
       young = young & ~BIT(a); old = old | BIT(a);
       if :: marking -> marks = marks | BIT(a) :: else fi;
       if
       :: HAS(weak, a) -> passed = passed | BIT(a); note_weak_field(a)
       :: else ->
          if
#ifdef BUG_walk_leaves_sources
          :: field[a] != 0 && HAS(sources, field[a]) -> skip
#endif
          :: else ->
#ifdef BUG_walk_notes_nothing
             visit(field[a], a, false)
#else
             visit(field[a], a, true)
#endif
          fi
       fi
    :: else
    fi
  }
}

/* @ src/collectors/generational/weak_tracing.c: is_evacuated_object_reached */
inline end_weak_fields(in_place)
{
  for (a : 1 .. N) {
    if
    :: HAS(passed, a) && field[a] != 0 ->
       if
       :: forward[field[a]] != 0 -> field[a] = forward[field[a]]
       :: forward[field[a]] == 0 && !in_place && HAS(young, field[a]) -> field[a] = 0
       :: else
       fi
    :: else
    fi
  }
}

/* Sources that have no pinned object, and whose objects all have a layout.
 * @ src/collectors/generational/evacuation.c: add_up_block_objects */
inline begin_group(group)
{
  sources = chosen & group;
  if
#ifndef BUG_gone_objects_are_copied
  :: (sources & old & gone) != 0 -> sources = 0; chosen = chosen & ~group
#endif
#ifndef BUG_pinned_objects_move
  :: (sources & pins) != 0 -> /* @ src/collectors/generational/space/blocks.c: cn_blocks_keep_source */
     sources = 0;
     chosen = chosen & ~group
#endif
  :: else
  fi
}

/* @ src/collectors/generational/evacuation.c: cn_evacuation_forget_groups */
inline forget_groups()
{
  due = 0; chosen = 0; noted1 = 0; noted2 = 0
}

/* @ src/collectors/generational/evacuation.c: cn_evacuation_end_group */
inline end_group()
{
  old = old & ~sources;
  chosen = chosen & ~sources;
  if
  :: due == 2 -> forget_groups()
  :: else -> due++
  fi
}

inline clean_free_addresses()
{
  for (a : 1 .. N) {
    if
    :: !HAS(old, a) -> field[a] = 0
    :: else
    fi
  };
  young = 0; used = used | old;
  weak = weak & old; plugin = plugin & old; gone = gone & old; dirty = dirty & old; pins = pins & old;
  noted1 = noted1 & old; noted2 = noted2 & old
}

/* @ src/collectors/generational/generational.c: collect_young */
inline collect_young(budget, evacuates)
{
  find_reachable();
  scan = 0;
  copies = budget;
  if
  :: evacuates && due == 1 -> begin_group(GROUP1)
  :: evacuates && due == 2 -> begin_group(GROUP2)
  :: else
  fi;
  visit_roots();
  visit_cards();
  drain_stack();
  if
  :: evacuates ->
     copy_group();
#ifndef BUG_noted_cards_not_visited
     if
     :: due == 1 -> visit_noted_cards(noted1)
     :: else -> visit_noted_cards(noted2)
     fi;
#endif
     drain_stack()
  :: else
  fi;
  if :: copies == 0 -> walk_nursery(); drain_stack() :: else fi;
  end_weak_fields(copies == 0);
  if :: evacuates -> end_group() :: else fi;
  clean_free_addresses()
}

/* A whole nursery becomes old in place, without visits of roots and cards.
 * @ src/collectors/generational/promotion.c: cn_promotion_promote_all */
inline promote_nursery()
{
  find_reachable();
  scan = 0;
  old = old | young;
  young = 0;
  dirty = 0;
  clean_free_addresses()
}

/* ---- a marking ---- */

/* @ src/collectors/generational/concurrent.c: cn_concurrent_begin_marking */
inline begin_marking()
{
  marking = true; rooted = false;
  chosen = GROUP1 | GROUP2; /* @ src/collectors/generational/evacuation.c: cn_evacuation_choose_blocks */
  due = 1
}

/* @ src/collectors/generational/concurrent.c: mark_deferred_root */
inline mark_deferred_roots()
{
  if
  :: !rooted ->
#ifndef BUG_deferred_roots_keep_no_block
     keep_block(root[FRAME]);
#endif
     mark(root[FRAME]);
     rooted = true
  :: else
  fi
}

/* Pinned objects count as reachable. */
inline finish_marking()
{
  for (a : 1 .. N) {
    if :: HAS(pins, a) -> mark(a) :: else fi
  };
  do
  :: queue != 0 ->
     for (a : 1 .. N) {
       if :: HAS(queue, a) -> scan_marked(a) :: else fi
     }
  :: else -> break
  od;
  for (a : 1 .. N) {
    if
    :: HAS(weak & marks, a) && field[a] != 0 && !HAS(marks, field[a]) -> field[a] = 0
    :: else
    fi
  };
  old = old & marks;
  marks = 0; marking = false; rooted = false;
#ifdef BUG_notes_end_with_the_marking
  noted1 = 0; noted2 = 0;
#endif
  clean_free_addresses()
}

/* ---- collections ---- */

inline end_collection()
{
  clear_scratch();
  check_heap();
  clear_scratch();
#ifdef PROGRESS
  if :: collections < COLLECTIONS -> collections++ :: else fi
#else
  collections++
#endif
}

#ifdef PROGRESS
#define MORE true
#else
#define MORE (collections < COLLECTIONS)
#endif

proctype collector()
{
  byte budget;
  bool ends, evacuates, memory, whole;

end_collector:
  do
  :: atomic {
       MORE ->
       if
       :: collections == 0 -> d_step { begin_marking() }
       :: else
       fi;
       if
       :: budget = N
       :: young != 0 -> budget = 1
       :: young != 0 -> budget = 0
       fi;
       if
       :: marking -> ends = true
#ifndef PROGRESS
       :: marking
       :: !marking
#endif
       :: !marking && due != 0 -> evacuates = true; memory = true
       :: !marking && due != 0 -> evacuates = true
       :: !marking && due == 0
#ifndef PROGRESS
#ifdef BUG_whole_nursery_notes_nothing
       :: !marking && young != 0 -> whole = true
#else
       :: !marking && due == 0 && young != 0 -> /* @ src/collectors/generational/pacer.c: may_promote_nursery */
          whole = true
#endif
#endif
       fi;
       d_step {
#ifndef PROGRESS
         check_heap();
#endif
         if
         :: evacuates && !memory -> /* @ src/collectors/generational/evacuation.c: cn_evacuation_begin_group */
            evacuates = false;
#ifndef LIVE_groups_wait_for_memory
            forget_groups()
#endif
         :: else
         fi;
         if
         :: whole -> promote_nursery()
         :: else -> collect_young(budget, evacuates)
         fi;
         if :: ends -> mark_deferred_roots(); finish_marking() :: else fi;
         end_collection();
         budget = 0; ends = false; evacuates = false; memory = false; whole = false
       }
     }
  od
}

/* ---- the program ---- */

#define MAY_RUN (operations < OPERATIONS && collections > 0 && collections < COLLECTIONS)
#define ROOM (young == 0 && made < 2)

/* An exchange of a field with a register. */
inline exchange(o, register)
{
  if
  :: HAS(old, o) -> dirty = dirty | BIT(o)
  :: else
  fi;
  b = field[o]; field[o] = register; register = b;
  b = 0
}

inline make(slot, with_weak_field)
{
  for (b : 1 .. N) {
    if
    :: !HAS(used | chosen, b) -> break
    :: else
    fi
  };
  made++;
  field[b] = root[R0];
  slot = b;
  young = young | BIT(b); used = used | BIT(b);
  if :: with_weak_field -> weak = weak | BIT(b) :: else fi;
  b = 0
}

proctype thread()
{
end_thread:
  do
  :: atomic { MAY_RUN && root[R0] != 0 && field[root[R0]] != root[R1] -> operations++; root[R1] = field[root[R0]] }
  :: atomic { MAY_RUN && root[R1] != 0 && root[R0] != root[R1] && raw == 0 -> operations++; root[R0] = root[R1] }
     /* A function stores its result, and returns. */
  :: atomic { MAY_RUN && root[R1] != root[GLOBAL] && raw == 0 ->
       operations++; root[GLOBAL] = root[R1]; root[R0] = 0; root[R1] = 0 }
  :: atomic { MAY_RUN && root[R0] != root[GLOBAL] && raw == 0 -> operations++; root[R0] = root[GLOBAL] }
  :: atomic { MAY_RUN && (root[R0] != 0 || root[R1] != 0) -> operations++; root[R0] = 0; root[R1] = 0; raw = 0 }
  :: atomic { MAY_RUN && root[R0] != 0 && field[root[R0]] != root[R1] -> operations++; exchange(root[R0], root[R1]) }
  :: atomic { MAY_RUN && ROOM -> operations++; make(root[R1], false) }
  :: atomic { MAY_RUN && ROOM -> operations++; make(root[R1], true) }
     /* The object is pinned for native code. */
  :: atomic { MAY_RUN && root[R0] != 0 && pins == 0 -> operations++; raw = root[R0]; pins = BIT(raw) }
     /* The deferred frame runs. */
  :: atomic { MAY_RUN && root[R1] != root[FRAME] -> operations++; ran = true; root[R1] = root[FRAME] }
  :: atomic { MAY_RUN && root[R1] != root[FRAME] -> operations++; ran = true; root[FRAME] = root[R1] }
     /* An image is unloaded, whose objects are garbage. */
  :: atomic {
       MAY_RUN && !unloaded && plugin != 0 ->
       d_step {
         find_reachable();
         if
         :: (reach & plugin) == 0 -> operations++; unloaded = true; gone = plugin
         :: else
         fi;
         clear_scratch()
       }
     }
  od
}

init
{
  atomic {
    used = old;
    if
    :: root[GLOBAL] = 1; field[1] = 2; field[2] = 3
    :: root[GLOBAL] = 3; root[FRAME] = 1; field[1] = 3; weak = BIT(1)
    :: root[GLOBAL] = 2; plugin = BIT(2); root[FRAME] = 3
    :: root[GLOBAL] = 1; root[FRAME] = 2; field[2] = 3
    :: root[GLOBAL] = 1; root[R0] = 2; field[2] = 3; field[3] = 2
    fi;
    run marker(); run collector(); run thread()
  }
}

#ifdef PROGRESS
#define waits (due != 0)
ltl answered { [] (waits -> <> !waits) }
#endif
