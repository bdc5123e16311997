/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuses calls of native code with a reference as argument or result. The compiler and the linker refuse calls whose
 * callees they know (src/compile/transitions); at other calls the program ends here with a message. Runs on the calling
 * thread, in phase MUTATE. All state is local.
 */
#include <stdint.h>
#include <cairn/abi.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/messages.h"

#define REFERENCE_ADVICE \
  "only managed code may have one: pass a handle, or declare the function cairn_leaf if it " \
  "never calls back"

/* Called by the stub cairn_call_body. Returns only in a program that never collects because a unit was compiled without
 * safepoints: functions of such a unit have no mark. */
void cn_references_shown(uintptr_t callee, uintptr_t pc);
void cn_references_shown(uintptr_t callee, uintptr_t pc)
{
  char caller[CN_REPORT_PC], native[CN_REPORT_PC];

  if ((cn_image_joint_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) == 0)
    cairn_fatal("the call before pc %s passes a reference to or from native code at %s; " REFERENCE_ADVICE,
                cn_report_format_return(pc, caller), cn_report_format_pc(callee, native));
}

/* Bridges call this function in place of a native callee. */
_Noreturn void cairn_refuse_native(void) __attribute__((visibility("default")));
_Noreturn void cairn_refuse_native(void)
{
  char caller[CN_REPORT_PC];

  CN_ASSERT(cairn_mutator.anchor > cairn_mutator.anchors);
  cairn_fatal("the call before pc %s passes a reference to or from native code; " REFERENCE_ADVICE,
              cn_report_format_return(cairn_mutator.anchor[-1].pc, caller));
}
