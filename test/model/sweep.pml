/* SPDX-License-Identifier: Apache-2.0
 *
 * The concurrent sweep (docs/generational.md): two blocks of two lines with an object each, whose marks become starts
 * at the end of a marking. The background thread sweeps, and collections sweep a block if they need its holes. The text
 * of marking.pml about comments `@ FILE: FUNCTION` and planted errors applies here, too: with BUG_... a copy takes the
 * place of an object that is alive; with LIVE_... the sweep never ends.
 */
#ifndef COLLECTIONS
#define COLLECTIONS 7
#endif
#define BIT(a) (1 << (a))
#define HAS(set, a) (((set) >> (a)) & 1)
#define LINES(block) (BIT(2 * (block)) | BIT(2 * (block) + 1)) /* of block 0 or 1 */

mtype = { FREE, HOLES, USED, UNSWEPT };

byte live;           /* objects that the program can reach */
byte starts, marks;  /* bits by object, which are exchanged at the end of a marking */
byte lines, reached; /* bytes by line, which are exchanged together with the bits */
mtype state[2] = FREE;
byte cursor;         /* the lines that are left of a tracer's hole */
bool marking, sweeps, forked;
byte collections;
byte a, block;

/* @ src/collectors/generational/space/blocks.c: sweep_block */
inline sweep_block(its)
{
#ifndef BUG_sweep_keeps_marks
  marks = marks & ~LINES(its);
#endif
  reached = reached & ~LINES(its);
  if
  :: (lines & LINES(its)) == 0 -> starts = starts & ~LINES(its); state[its] = FREE
  :: (lines & LINES(its)) == LINES(its) -> state[its] = USED
  :: else -> state[its] = HOLES
  fi
}

/* @ src/collectors/generational/concurrent.c: cn_concurrent_sweep_some */
inline note_sweep_end()
{
  if
  :: state[0] != UNSWEPT && state[1] != UNSWEPT -> sweeps = false
  :: else
  fi
}

/* @ src/collectors/generational/concurrent.c: sweep_concurrent_step */
proctype background_thread()
{
end_background_thread:
  do
  :: d_step { sweeps && !forked && state[0] == UNSWEPT -> sweep_block(0) }
  :: d_step { sweeps && !forked && state[0] != UNSWEPT && state[1] == UNSWEPT -> sweep_block(1) }
  od
}

/* ---- collections ---- */

/* @ src/collectors/generational/space/blocks.c: take_block_with_holes */
inline take_hole()
{
  for (block : 0 .. 1) {
#ifndef BUG_holes_before_sweep
    if
    :: cursor == 0 && state[block] == UNSWEPT -> sweep_block(block)
    :: else
    fi;
    if
    :: cursor == 0 && (state[block] == HOLES || state[block] == FREE) ->
#else
    if
    :: cursor == 0 && state[block] != USED ->
#endif
       cursor = LINES(block) & ~lines;
#ifdef BUG_holes_taken_twice
       skip
#else
       if
       :: state[block] != UNSWEPT -> state[block] = USED
       :: else
       fi
#endif
    :: else
    fi
  }
}

/* A survivor is copied to a hole. @ src/collectors/generational/trace.c: copy_and_forward_object */
inline copy_survivor()
{
  take_hole();
  a = 0;
  do
  :: a < 4 && !HAS(cursor, a) -> a++
  :: else -> break
  od;
  if
  :: a < 4 ->
     assert(!HAS(live, a)); /* else the copy would overwrite it */
     cursor = cursor & ~BIT(a);
     live = live | BIT(a);
     starts = starts | BIT(a);
     if
     :: marking -> /* @ src/collectors/generational/trace.c: mark_copy */
        marks = marks | BIT(a);
#ifndef BUG_lines_of_copies_unmarked
        reached = reached | BIT(a)
#endif
     :: else
     fi
  :: else
  fi;
  a = 0; block = 0
}

/* @ src/collectors/generational/generational.c: begin_concurrent_marking */
inline begin_marking()
{
#ifndef BUG_marking_before_sweep
  for (block : 0 .. 1) { /* @ src/collectors/generational/concurrent.c: cn_concurrent_abandon_work */
    if
    :: state[block] == UNSWEPT -> sweep_block(block)
    :: else
    fi
  };
  block = 0;
#endif
  sweeps = false;
  marking = true
}

/* Marks what is alive, and the lines of objects that were unmarked; then marks become starts.
 * @ src/collectors/generational/space/blocks.c: cn_blocks_swap_marks */
inline end_marking()
{
  reached = reached | (live & ~marks);
  marks = marks | live;
  marking = false;
  a = starts; starts = marks; marks = a;
  a = lines; lines = reached; reached = a;
  a = 0;
  for (block : 0 .. 1) {
    if
    :: state[block] != FREE -> state[block] = UNSWEPT
    :: else
    fi
  };
  block = 0;
#ifndef BUG_cursor_outlives_the_marking
  cursor = 0; /* @ src/collectors/generational/tracers.c: cn_tracers_drop_cursors */
#endif
  sweeps = true
}

proctype collector()
{
end_collector:
  do
#ifdef PROGRESS
  :: d_step {
       note_sweep_end();
       if
#ifndef LIVE_markings_await_the_sweep
       :: !marking -> begin_marking()
#else
       :: !marking && !sweeps -> begin_marking()
#endif
       :: marking -> end_marking()
       :: else
       fi
     }
#else
  :: atomic {
       collections < COLLECTIONS ->
       collections++;
       d_step { note_sweep_end() };
       if
       :: d_step { copy_survivor() }
       :: !marking -> d_step { begin_marking() }
       :: marking -> d_step { end_marking() }
       fi
     }
#endif
  od
}

/* Objects die; the process forks, and its child has no background thread. */
proctype program()
{
end_program:
  do
  :: d_step { HAS(live, 0) -> live = live & ~BIT(0) }
  :: d_step { HAS(live, 1) -> live = live & ~BIT(1) }
  :: d_step { HAS(live, 2) -> live = live & ~BIT(2) }
  :: d_step { HAS(live, 3) -> live = live & ~BIT(3) }
  :: !forked -> forked = true
  od
}

init
{
  atomic {
    if
    :: live = BIT(0) | BIT(2); state[0] = HOLES; state[1] = HOLES
    :: live = BIT(0); state[0] = USED
    fi;
    starts = live; lines = live;
    run background_thread(); run collector(); run program()
  }
}

#ifdef PROGRESS
ltl answered { [] (sweeps -> <> !sweeps) }
#endif
