/* SPDX-License-Identifier: Apache-2.0
 *
 * Throws exceptions of a language past native code and landing pads of others: the platform's unwinder runs the
 * cleanups of all activations up to the one that catches, as it does at the end of a thread, and then this file goes on
 * at the landing pad. Runs on the thread that throws, outside of slow paths, in phase MUTATE; cleanups run between, in
 * managed and in native code. Each throw owns a block of memory for the unwinder, which C++ frees if a `catch (...)`
 * keeps the exception.
 */
#include "deopt/throw.h"

#include <cairn/exceptions.h>
#include "base/check.h"
#include "deopt/vectors.h"
#include "runtime/core/messages.h"
#include "runtime/core/mutator.h"
#include "runtime/os/os.h"
#include "runtime/roots/roots.h"

struct cn_unwinding {
  struct cn_os_exception head;
  struct cairn_handle *exception;
  const struct cn_frame_map *map; /* of the activation that catches */
  uintptr_t sp;
};

struct cn_unwinding *cn_throw_prepare_unwinding(const struct cn_walk *target, uintptr_t exception)
{
  struct cn_unwinding *unwinding = cn_os_resize_mapping(NULL, 0, sizeof *unwinding);

  if (unwinding == NULL)
    cn_report_out_of_memory("no memory for an exception");
  unwinding->exception = cairn_handle_new(exception);
  unwinding->map = target->frame.map;
  unwinding->sp = target->frame.sp;
  return unwinding;
}

static void free_unwinding(struct cn_unwinding *unwinding)
{
  cairn_handle_free(unwinding->exception);
  cn_os_free_mapping(unwinding, sizeof *unwinding);
}

/* Called by C++ at the end of a `catch (...)`. */
static void forget(int reason, struct cn_os_exception *exception)
{
  (void)reason;
  free_unwinding((struct cn_unwinding *)exception);
}

_Noreturn static void land(struct cn_unwinding *unwinding, const struct cn_os_frame *frame)
{
  struct cn_transfer transfer = {.saved = {0}};

  CN_CHECK(cairn_mutator.state == CAIRN_ABI_MANAGED && !cairn_mutator.busy);
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++)
    transfer.saved[i] = cn_os_frame_register(frame, cn_arch_callee_saved[i]);
  cn_vectors_read(frame, transfer.vector);
  cn_throw_enter_pad(unwinding->map, unwinding->sp, &transfer);
  cn_throw_keep_exception(cairn_handle_get(unwinding->exception));
  free_unwinding(unwinding);
  cn_throw_transfer(&transfer);
}

_Noreturn static void fail(const struct cn_unwinding *unwinding)
{
  char place[CN_REPORT_PC];

  cairn_fatal("the unwinder has not found the way of an exception to pc %s: native code without call-frame information "
              "lies between",
              cn_report_format_return(cn_map_pc(unwinding->map), place));
}

/* Called for each activation before its cleanups. The end of the callee of a stub is a word higher (arch.h). */
static void visit(const struct cn_os_frame *frame, void *env)
{
  struct cn_unwinding *unwinding = env;

  if (frame == NULL)
    fail(unwinding);
  if (frame->pc == cn_map_pc(unwinding->map) && frame->sp - unwinding->sp <= sizeof frame->sp)
    land(unwinding, frame);
}

_Noreturn void cn_throw_unwind(struct cn_unwinding *unwinding)
{
  unwinding->head.forget = forget;
  cn_os_unwind_with_cleanups(&unwinding->head, visit, unwinding);
  fail(unwinding);
}
