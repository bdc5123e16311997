/* SPDX-License-Identifier: Apache-2.0
 *
 * The personalities of stubs and of marked returns, which unwinders call when an exception or a cancellation passes
 * their frames. Runs on the thread that is unwound. The file has no state.
 */
#include "runtime/walk/walk.h"

#include <string.h>
#include "runtime/core/anchors.h"
#include "runtime/core/messages.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"
#include "runtime/threads/stop.h"
#include "runtime/walk/marked_returns.h"

/* Declarations of <unwind.h>. The program's unwinder may be missing, linked statically, in a shared object, or loaded
 * by libc for its own use, as in pthread_exit(). */
struct _Unwind_Context;
typedef uintptr_t unwind_get_register(struct _Unwind_Context *context, int reg);
typedef uintptr_t unwind_get_word(struct _Unwind_Context *context);
extern unwind_get_register _Unwind_GetGR __attribute__((weak));
extern unwind_get_word _Unwind_GetCFA __attribute__((weak));
extern unwind_get_word _Unwind_GetIP __attribute__((weak));
enum { UNWIND_CLEANUP_PHASE = 2, UNWIND_FORCED = 8 };
enum { UNWIND_CONTINUE = 8 };

/* Find a function of the unwinder. `pc` is an address in the unwinder. */
static void *find_unwind_function(const char *name, uintptr_t pc)
{
  void *symbol = cn_os_find_library_symbol(NULL, name);

  if (symbol == NULL)
    symbol = cn_os_find_own_symbol(pc, name);
  if (symbol == NULL)
    cairn_fatal("an exception passes managed code, but the unwinder that throws it is hidden from "
                "the program; link the program with it (-lgcc_s)");
  return symbol;
}

static unwind_get_register *find_unwind_get_register(uintptr_t pc)
{
  unwind_get_register *function = _Unwind_GetGR;
  void *symbol = function == NULL ? find_unwind_function("_Unwind_GetGR", pc) : NULL;

  if (function == NULL)
    memcpy(&function, &symbol, sizeof function);
  return function;
}

static uintptr_t get_unwind_word(unwind_get_word *function, const char *name, uintptr_t pc,
                                 struct _Unwind_Context *context)
{
  void *symbol = function == NULL ? find_unwind_function(name, pc) : NULL;

  if (function == NULL)
    memcpy(&function, &symbol, sizeof function);
  return function(context);
}

/* The personality of marked returns. In the second phase of unwinding the marked activation may catch the exception. */
int cn_arch_mark_personality(int version, int actions, uint64_t class, void *exception,
                             struct _Unwind_Context *context);
int cn_arch_mark_personality(int version, int actions, uint64_t class, void *exception, struct _Unwind_Context *context)
{
  uintptr_t unwinder = (uintptr_t)__builtin_return_address(0);

  (void)version;
  (void)class;
  (void)exception;
  if (actions & UNWIND_CLEANUP_PHASE)
    cn_bypassed_marks_note(get_unwind_word(_Unwind_GetCFA, "_Unwind_GetCFA", unwinder, context),
                           get_unwind_word(_Unwind_GetIP, "_Unwind_GetIP", unwinder, context));
  return UNWIND_CONTINUE;
}

/* The personality of cairn_call_any and cairn_enter, which the unwinder calls when an exception passes these frames.
 * The second phase of unwinding removes the frame, so this function drops the anchors that a longjmp left above the
 * frame's anchor. This function marks the frame's anchor as unused, but keeps the anchor reserved, because the unwinder
 * still reads it, and a signal handler may call native code before. The next slow path or the return of the enclosing
 * call drops the anchor. The thread gets the state of the frame's caller, whose landing pads may run next. A thread
 * that is cancelled within the stub has not filled its anchor yet, or has dropped it, and already has the caller's
 * state. */
int cn_arch_stub_personality(int version, int actions, uint64_t class, void *exception,
                             struct _Unwind_Context *context);
int cn_arch_stub_personality(int version, int actions, uint64_t class, void *exception, struct _Unwind_Context *context)
{
  struct cairn_mutator *mutator = &cairn_mutator;

  (void)version;
  (void)class;
  (void)exception;
  if (!(actions & UNWIND_CLEANUP_PHASE))
    return UNWIND_CONTINUE;
  unwind_get_register *get = find_unwind_get_register((uintptr_t)__builtin_return_address(0));
  struct cn_anchor *anchor = (struct cn_anchor *)get(context, cn_arch_callee_saved[CN_ARCH_ENTRY_SAVED_REGISTER]);
  bool has = cn_anchors_contain(mutator->anchors, mutator->anchor, anchor);
  if (!has && (actions & UNWIND_FORCED) != 0)
    return UNWIND_CONTINUE;
  if (!has)
    cairn_fatal("an exception passes a native call that has no anchor");
  if (cn_anchor_is_entry(anchor))
    __atomic_store_n(&mutator->state, CAIRN_ABI_NATIVE, __ATOMIC_RELEASE);
  else
    cn_slow_path_back(); /* the thread still has its anchors */
  anchor->sp = 0;
  mutator->anchor = anchor + 1;
  return UNWIND_CONTINUE;
}
