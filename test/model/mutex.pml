/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of many waiting threads: one that takes it, one that tells another while it has it, and waits for what that
 * one has (as a fork() does), and that one, which gives up once it is told. What is said in stop.pml of comments
 * `@ FILE: FUNCTION` and planted errors holds here as well. A wait in the kernel is a wait for a wake, unless the word
 * has changed.
 */
#define THREADS 3
#define TELLER 1
#define QUITTER 2

bool held, contended; /* the bits of the word */
byte told;            /* and above them */
bool sleeping[THREADS];
bool over;
bool has;             /* the quitter has what the teller waits for */
byte inside;          /* threads that have the lock */
bool wants;           /* thread 0 does */

/* @ src/runtime/os/thread.c: cn_os_wake_one */
inline wake_one()
{
  atomic {
    if
    :: sleeping[0] -> sleeping[0] = false
    :: sleeping[1] -> sleeping[1] = false
    :: sleeping[2] -> sleeping[2] = false
    :: else
    fi
  }
}

/* @ src/runtime/os/thread.c: cn_os_wake_all */
inline wake_all()
{
  d_step { sleeping[0] = false; sleeping[1] = false; sleeping[2] = false }
}

/* @ src/runtime/core/mutex.c: take_or_mark_contended */
inline try(again)
{
  d_step {
    taken = !held;
    if
#ifdef BUG_forgets_others
    :: taken -> held = true
#else
    :: taken -> held = true; contended = contended || again
#endif
    :: else -> contended = true
    fi;
    seen = told
  }
}

/* @ src/runtime/os/thread.c: cn_os_wait_on_word */
inline sleep(i)
{
  atomic {
    if
    :: held && contended && told == seen -> sleeping[i] = true
    :: else
    fi
  }
  !sleeping[i]
}

/* @ src/runtime/core/mutex.c: cn_mutex_release */
inline release()
{
  d_step { woken = contended; held = false; contended = false };
  if
#ifndef BUG_wakes_nobody
  :: woken -> wake_one()
#endif
  :: else
  fi
}

/* @ src/runtime/core/mutex.c: cn_mutex_wake_waiters */
inline tell()
{
  over = true;
#ifndef BUG_told_by_a_wake_alone
  told++;
#endif
#ifdef BUG_tells_if_contended
  if
  :: contended -> wake_all()
  :: else
  fi
#else
  wake_all()
#endif
}

inline work(i)
{
  inside++;
  assert(inside == 1);
  if
  :: i == TELLER -> tell(); !has; over = false
  :: else
  fi;
  inside--
}

/* It takes the lock twice. A thread that sleeps for ever is found, since the others come to their ends. */
proctype thread(byte i)
{
  bool taken, woken;
  byte seen, times;

  do
  :: times < 2 ->
     times++;
     if
     :: i == 0 -> wants = true
     :: i == QUITTER -> has = true
     :: else
     fi;
     try(false);
     do /* @ src/runtime/core/mutex.c: take_contended_mutex */
     :: taken -> work(i); release(); break
     :: !taken && i == QUITTER && over -> break
     :: !taken && !(i == QUITTER && over) ->
        sleep(i);
        try(true)
     od;
     if
     :: i == 0 -> wants = false
     :: i == QUITTER -> has = false
     :: else
     fi
  :: else -> break
  od
}

init
{
  atomic { run thread(0); run thread(TELLER); run thread(QUITTER) }
}

#ifdef PROGRESS
ltl answered { [] (wants -> <> !wants) }
#endif
