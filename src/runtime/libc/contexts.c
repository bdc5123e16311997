/* SPDX-License-Identifier: Apache-2.0
 *
 * Interposes setcontext() and swapcontext() of <ucontext.h>, for glibc, like longjmp() in jumps.c. setcontext() may
 * leave frames, like a jump; swapcontext() must not, because the program may return to the saved context. Runs on the
 * calling thread, for its own mutator, in phase MUTATE. The only state is the C library's setcontext(), which the start
 * finds.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include "runtime/arch/arch.h"
#include "runtime/core/messages.h"
#include "runtime/libc/libc.h"
#include "runtime/os/os.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"

/* the name of glibc's setcontext() in static programs */
typedef int setcontext_function(const ucontext_t *context);
extern setcontext_function __setcontext __attribute__((weak));
static setcontext_function *libc_setcontext;

/* This reference links glibc's functions into a static program. */
__attribute__((used)) static void (*const libc_link_reference)(ucontext_t *, void (*)(void), int, ...) = makecontext;

void cn_contexts_init(void)
{
  void *symbol = cn_os_find_next_symbol("setcontext");

  if (symbol != NULL)
    memcpy(&libc_setcontext, &symbol, sizeof libc_setcontext);
  else
    libc_setcontext = __setcontext;
}

static int resume_context(const ucontext_t *context)
{
  if (libc_setcontext == NULL)
    cairn_fatal("a jump, and the runtime does not find the C library's setcontext()");
  return libc_setcontext(context);
}

/* True if makecontext() gave the context its own stack and `sp` lies outside that stack. The stack may be an array in a
 * frame of the thread's own stack. */
static bool has_other_stack(const ucontext_t *context, uintptr_t sp)
{
  uintptr_t low = (uintptr_t)context->uc_stack.ss_sp, bytes = context->uc_stack.ss_size;

  return cn_arch_context_sp(context) - low <= bytes && sp - low > bytes;
}

static bool leaves_managed_frames(const ucontext_t *context, uintptr_t sp)
{
  return !has_other_stack(context, sp) && cn_jumps_would_leave_frames(cn_arch_context_sp(context), sp);
}

#define PUBLIC __attribute__((visibility("default")))

PUBLIC __attribute__((weak)) int setcontext(const ucontext_t *context)
{
  uintptr_t target = cn_arch_context_sp(context);

  if (cn_handshake_is_left_by_jump(target))
    cn_stop_refuse_own((uintptr_t)__builtin_return_address(0));
  if (!has_other_stack(context, (uintptr_t)__builtin_frame_address(0)))
    cn_jumps_abandon_frames(target);
  return resume_context(context);
}

/* Ends the program if the switch leaves managed frames. The frames' anchors would have to stay, because the saved
 * context may return to the frames, and would have to go, because the target overwrites the frames. */
PUBLIC __attribute__((weak)) int swapcontext(ucontext_t *from, const ucontext_t *to)
{
  uintptr_t pc = (uintptr_t)__builtin_return_address(0);
  volatile bool back = false;

  if (leaves_managed_frames(to, (uintptr_t)__builtin_frame_address(0)))
    cn_report_fatal(pc, "swapcontext() leaves managed frames for an older frame of the same stack, "
                        "or on a stack that cairn_stack_add() does not know");
  if (getcontext(from) != 0)
    return -1;
  if (back)
    return 0;
  back = true;
  return resume_context(to);
}
