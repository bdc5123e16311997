/* SPDX-License-Identifier: Apache-2.0
 *
 * Remembers the activations with open scopes of pins (cairn_pinned() of <cairn/pin.h>), each by its stack pointer, so
 * that take-overs and resumptions refuse to leave such an activation: its pin would stay open. A scope that a longjmp()
 * has left stays open, as its pin does. Any thread, in phase MUTATE; CN_LOCK_PIN_SCOPES guards the list of scopes,
 * which the file owns.
 */
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/grow.h"
#include "runtime/core/lock.h"
#include "runtime/heap/managed_heap.h"

/* The stack pointer of the activation is the one at the call that opens the scope, or differs from it by arguments on
 * the stack. */
struct pin_scope {
  uintptr_t sp, reference;
};

static CN_GROW(struct pin_scope) scopes;

static void take_scopes_lock(void)
{
  bool taken = cn_lock_take(CN_LOCK_PIN_SCOPES);

  CN_CHECK(taken);
}

/* The stack pointer of the caller of the function that uses the macro. */
#define CALLERS_SP() ((uintptr_t)__builtin_dwarf_cfa())

void *cairn_pin_scope_at(uintptr_t reference, const char *site)
{
  struct pin_scope scope = {CALLERS_SP(), reference};
  void *address = cairn_pin_at(reference, site);

  take_scopes_lock();
  cn_grow_push(&scopes, scope);
  cn_lock_release(CN_LOCK_PIN_SCOPES);
  return address;
}

/* Of several scopes of the object, the nearest is the caller's. */
static void remove_scope(uintptr_t sp, uintptr_t reference)
{
  size_t nearest = scopes.count;
  uintptr_t least = UINTPTR_MAX;

  for (size_t i = scopes.count; i-- > 0 && least != 0;) {
    uintptr_t distance = scopes.at[i].sp > sp ? scopes.at[i].sp - sp : sp - scopes.at[i].sp;
    if (scopes.at[i].reference == reference && distance < least) {
      least = distance;
      nearest = i;
    }
  }
  if (nearest < scopes.count)
    scopes.at[nearest] = scopes.at[--scopes.count];
}

void cairn_unpin_scope_at(uintptr_t reference, const char *site)
{
  take_scopes_lock();
  remove_scope(CALLERS_SP(), reference);
  cn_lock_release(CN_LOCK_PIN_SCOPES);
  cairn_unpin_at(reference, site);
}

static __attribute__((noinline)) bool find_scope_in(uintptr_t low, uintptr_t high)
{
  bool found = false;

  take_scopes_lock();
  for (size_t i = 0; i < scopes.count && !found; i++)
    found = scopes.at[i].sp >= low && scopes.at[i].sp < high;
  cn_lock_release(CN_LOCK_PIN_SCOPES);
  return found;
}

/* The calling thread sees its own scopes, and those of stopped threads. */
bool cn_pin_scopes_any_in(uintptr_t low, uintptr_t high)
{
  return __atomic_load_n(&scopes.count, __ATOMIC_RELAXED) != 0 && find_scope_in(low, high);
}
