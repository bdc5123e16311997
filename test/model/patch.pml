/* SPDX-License-Identifier: Apache-2.0
 *
 * The protocol of patches (docs/patching.md): a thread that runs a point's region and a site whose target changes, and
 * whose handler may fork; a thread that patches; one that unloads the image; and one that forks in a stop. Stops
 * themselves are the subject of stop.pml: here a stop waits until the thread rests at a safepoint. What is said there
 * of comments `@ FILE: FUNCTION` and of planted errors holds here as well.
 *
 * A region has two instructions, `a` and `b`; `target1` and `target2` are two words that one batch changes. Memory holds
 * numbers of commits. A processor may run an instruction as it was when it was last synchronised, or as it is now.
 */
#define COMMITS 2

byte a, b, target1, target2;        /* the code */
byte old_a, old_b, old_target;      /* what the processor of the thread may still have of them */
byte committed, retargeted;         /* the last commit that has returned */
bool locked;                        /* CN_LOCK_PATCH */
bool registry, stopping, resting;   /* a requester has the registry; it stops; the thread is at a safepoint */
bool gone, unmapped;                /* the image is forgotten; its second mapping is gone */
bool wants;                         /* a commit is under way */

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* @ src/runtime/threads/native_stop.c: cn_native_stop_begin */
inline stop_world() { atomic { !registry -> registry = true }; stopping = true; resting }
/* @ src/runtime/threads/native_stop.c: cn_native_stop_end */
inline resume() { stopping = false; registry = false }

/* @ src/runtime/os/code.c: cn_os_copy_code */
inline copy_for_child()
{
  byte copy_a, copy_b, copy1, copy2;

  copy_a = a;
  copy1 = target1;
  copy2 = target2;
  copy_b = b;
  assert(copy_a == copy_b && copy1 == copy2)
}

/* @ src/patch/alias.c: cn_code_alias_prepare_fork */
inline fork()
{
#ifndef BUG_fork_without_lock
  lock();
#endif
  if
  :: !gone -> copy_for_child()
  :: gone
  fi;
#ifndef LIVE_fork_keeps_the_lock
#ifndef BUG_fork_without_lock
  unlock() /* @ src/patch/alias.c: cn_code_alias_finish_fork */
#endif
#endif
}

/* @ src/runtime/os/thread.c: cn_os_synchronise_code */
inline synchronise() { d_step { old_a = a; old_b = b; old_target = target1 } }

inline run_region()
{
  byte first, second, since;

  since = committed;
  assert(!unmapped);
  if :: first = old_a :: d_step { first = a; old_a = a } fi;
  if :: second = old_b :: d_step { second = b; old_b = b } fi;
  assert(first == second && first >= since)
}

inline run_target()
{
  byte target, target_since;

  target_since = retargeted;
  assert(!unmapped);
  if :: target = old_target :: d_step { target = target1; old_target = target } fi;
  assert(target >= target_since)
}

/* @ src/runtime/threads/stop.c: let_stop_pass */
inline poll()
{
  if
  :: stopping -> resting = true; atomic { !stopping -> resting = false }
  :: !stopping
  fi
}

active proctype mutator()
{
  bool forked;

end_mutator:
  do
  :: if
     :: !gone -> run_region()
     :: !gone -> run_target()
     :: !forked -> forked = true; fork() /* in a handler that interrupted managed code: without a stop */
     :: skip
     fi;
     poll()
  od
}

/* @ src/patch/commit.c: cn_write_find_sites */
inline find_sites(found)
{
  found = !gone
}

/* @ src/patch/commit.c: write_region */
inline write_regions(number)
{
  assert(!unmapped);
  a = number;
  b = number
}

/* @ src/patch/commit.c: write_in_stop */
inline commit_in_stop(number)
{
  bool found;

  lock();
  find_sites(found);
#ifndef BUG_lock_kept_into_the_stop
  unlock();
#endif
  if
  :: found ->
#ifndef BUG_no_stop
     stop_world();
#endif
#ifndef BUG_lock_kept_into_the_stop
     lock();
#endif
#ifndef BUG_sites_found_once
     find_sites(found);
#endif
     if
     :: found -> write_regions(number)
     :: !found
     fi;
     unlock();
#ifdef BUG_synchronised_late
     resume();
     synchronise();
#else
#ifndef BUG_not_synchronised
     synchronise();
#endif
#ifndef BUG_no_stop
     resume();
#endif
#endif
     if :: found -> committed = number :: !found fi
  :: !found ->
#ifdef BUG_lock_kept_into_the_stop
     unlock()
#else
     skip
#endif
  fi
}

/* @ src/patch/commit.c: store_word */
inline retarget(number)
{
  bool there;

#ifndef BUG_words_without_lock
  lock();
#endif
  find_sites(there);
  if
  :: there -> assert(!unmapped); target1 = number; target2 = number
  :: !there
  fi;
#ifndef BUG_words_without_lock
  unlock();
#endif
#ifndef BUG_words_not_synchronised
  synchronise();
#endif
  if :: there -> retargeted = number :: !there fi
}

active proctype patcher()
{
  byte number = 1;

  do
  :: number <= COMMITS ->
     wants = true;
     if
     :: commit_in_stop(number)
     :: retarget(number)
     fi;
     wants = false;
     number++
  :: number > COMMITS -> break
  od
}

/* @ src/runtime/lifecycle/register_images.c: cairn_image_unregister */
active proctype unloader()
{
  if
  :: stop_world();
     /* @ src/patch/images.c: cn_patch_forget_image */
#ifndef BUG_forgotten_without_lock
     lock();
#endif
     gone = true;
     unmapped = true; /* @ src/patch/alias.c: cn_code_alias_drop */
#ifndef BUG_forgotten_without_lock
     unlock();
#endif
     resume()
  :: skip
  fi
}

/* @ src/runtime/lifecycle/start.c: prepare_fork */
active proctype forker()
{
  if
  :: stop_world(); fork(); resume()
  :: skip
  fi
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
