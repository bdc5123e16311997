/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code calls a managed function: the stub fills an anchor while a collection walks the thread's
 * stack. A longjmp has left an old value in the anchor's SP. Claimed: the walk never takes the old
 * value for a live call, and finds the pc of an entry whose SP it finds.
 */
#include "weak_order.pml"

#define LEFT 8  /* of an ended call of native code */
#define ENTRY 9 /* odd: of an entry */
byte sp = LEFT;
bool added, pc; /* the mutator's next anchor follows this one; the anchor has its pc */

/* ---- the stub ---- */
#define CLEAR_SP 0
#define STORE_NEXT 1
#define STORE_PC 2
#define STORE_SP 3
#ifdef BUG_next_without_release
#define NEXT_AFTER NOTHING
#else
#define NEXT_AFTER RELEASED(STORE_NEXT)
#endif
#ifdef BUG_sp_without_release
#define SP_AFTER SAME_PLACE(CLEAR_SP)
#else
#define SP_AFTER RELEASED(STORE_SP)
#endif

/* @ src/runtime/arch/x86_64/stubs.S: reserve_anchor
 * @ src/runtime/arch/aarch64/stubs.S: reserve_anchor
 * @ src/runtime/arch/x86_64/stubs.S: cairn_enter
 * @ src/runtime/arch/aarch64/stubs.S: cairn_enter */
active proctype stub()
{
  do
  :: atomic { EVENT(0, CLEAR_SP, NOTHING); sp = 0 }
  :: atomic { EVENT(0, STORE_NEXT, NEXT_AFTER); added = true }
  :: atomic { EVENT(0, STORE_PC, NOTHING); pc = true }
  :: atomic { EVENT(0, STORE_SP, SP_AFTER); sp = ENTRY }
  :: OVER(0, 4) -> break
  od
}

/* ---- the walk ---- */
#define LOAD_NEXT 0
#define LOAD_SP 1
#define LOAD_PC 2
#ifdef BUG_sp_without_acquire
#define SP_SEEN NOTHING
#else
#define SP_SEEN ACQUIRED(LOAD_SP)
#endif

/* @ src/runtime/walk/walk.c: begin_on_own_stack
 * @ src/runtime/arch/arch.h: cn_anchor_sp */
active proctype walk()
{
  bool there, seen_pc;
  byte seen;

  do
  :: atomic { EVENT(1, LOAD_NEXT, NOTHING); there = added }
  :: atomic { EVENT(1, LOAD_SP, ADDRESS(LOAD_NEXT)); seen = sp }
  :: atomic { EVENT(1, LOAD_PC, ADDRESS(LOAD_NEXT) | SP_SEEN); seen_pc = pc }
  :: OVER(1, 3) -> break
  od;
  assert(!there || seen != LEFT);
  assert(!there || seen != ENTRY || seen_pc)
}
