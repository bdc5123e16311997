/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks the walk of the stack by a second source, the platform's unwinder (CAIRN_VERIFY=frames): stack maps do not
 * describe the caller's place (stackmaps-v2, "Stack Map Format"). The unwinder steps through all activations, including
 * native ones and stubs; its activations of functions with frame maps must equal the walk's. Runs in phase STOP, on the
 * collecting thread, for its own stack, as a reader of images. The file has no state.
 */
#include "runtime/debug/backtrace.h"

#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/messages.h"
#include "runtime/os/os.h"
#include "runtime/walk/walk.h"

struct frame_check {
  struct cn_walk walk;
  bool there;     /* the walk is at an activation */
  uint64_t count; /* number of equal activations */
  uintptr_t last; /* pc of the unwinder's last activation */
  uintptr_t from; /* the return address of the call into the runtime */
  bool reached;   /* the unwinder has seen `from` */
};

_Noreturn static void fail_mismatch(const struct frame_check *check, const struct cn_os_frame *frame)
{
  const struct cn_frame *ours = &check->walk.frame;
  char here[CN_REPORT_PC], there[CN_REPORT_PC];

  if (!check->there)
    cairn_fatal("CAIRN_VERIFY=frames: activation %lu: the walk is past the end, the unwinder is at "
                "pc %s, sp 0x%lx",
                (unsigned long)check->count, cn_report_format_pc(frame->pc, there), (unsigned long)frame->sp);
  cairn_fatal("CAIRN_VERIFY=frames: activation %lu: the walk is at pc %s, sp 0x%lx, the unwinder "
              "at pc %s, sp 0x%lx",
              (unsigned long)check->count, cn_report_format_pc(ours->pc, here), (unsigned long)ours->sp,
              cn_report_format_pc(frame->pc, there), (unsigned long)frame->sp);
}

/* A register has no place if a manager or a stub's caller does not preserve it. If a frame map has a reference in such
 * a register, the walk ends the program. */
static void compare_registers(const struct frame_check *check, const struct cn_os_frame *frame)
{
  const struct cn_frame *ours = &check->walk.frame;
  char where[CN_REPORT_PC];

  if (cn_arch_strip_return(*ours->pc_slot) != ours->pc && !cn_arch_is_in_stubs(cn_arch_strip_return(*ours->pc_slot)))
    cairn_fatal("CAIRN_VERIFY=frames: activation %lu at pc %s: its pc is not kept at %p", (unsigned long)check->count,
                cn_report_format_pc(ours->pc, where), (void *)ours->pc_slot);
  for (int i = 0; i < CN_CALLEE_SAVED_COUNT; i++) {
    int reg = cn_arch_callee_saved[i];
    uintptr_t *place = ours->place[i], theirs = cn_os_frame_register(frame, reg);
    if (place == NULL || *place == theirs)
      continue;
    cairn_fatal("CAIRN_VERIFY=frames: activation %lu at pc %s: the register with DWARF number %d "
                "is 0x%lx for the walk (at %p), 0x%lx for the unwinder",
                (unsigned long)check->count, cn_report_format_pc(ours->pc, where), reg,
                place ? (unsigned long)*place : 0ul, (void *)place, (unsigned long)theirs);
  }
}

/* True if the walk must have visited this activation. At a function's entry a signal interrupts native code. */
static bool must_be_walked(const struct cn_os_frame *frame)
{
  struct cn_code_region region;

  if (frame->interrupted && cn_arch_is_in_entry(frame->pc))
    return false;
  return cn_index_has_code_at(frame->pc) || cn_code_regions_find(frame->pc, &region);
}

static bool compare_unwound_frame(void *env, const struct cn_os_frame *frame)
{
  struct frame_check *check = env;
  const struct cn_frame *ours = &check->walk.frame;
  uintptr_t pc = frame->pc;
  bool same_sp = cn_arch_is_same_sp(frame->sp, ours->sp, check->last);

  check->last = pc;
  check->reached |= pc == check->from;
  if (!must_be_walked(frame))
    return true;
  if (!check->there || pc != ours->pc || !same_sp)
    fail_mismatch(check, frame);
  CN_ASSERT(check->walk.frame.map != NULL || check->walk.frame.region.manager != NULL);
  compare_registers(check, frame);
  check->count++;
  check->there = cn_walk_next(&check->walk);
  return true;
}

/* Native code may request a collection without any frame maps, but objects exist only if some code has frame maps. */
static void check_frame_maps_exist(void)
{
  if (cn_images_have_data() && !cn_images_have_frames())
    cairn_fatal("CAIRN_VERIFY=frames: there are objects and no frame map at all: were all objects "
                "linked without 'cairn frames --rewrite'?");
}

void cn_verify_frames(const struct cairn_mutator *mutator, const struct cn_saved_regs *regs)
{
  struct frame_check check = {.from = regs->pc};
  char place[CN_REPORT_PC];

  check_frame_maps_exist();
  if (!cn_os_has_unwinder(true))
    cairn_fatal("CAIRN_VERIFY=frames: no unwinder (libgcc_s.so.1; a static program must be linked "
                "with -Wl,-u,_Unwind_Backtrace,-u,_Unwind_GetIPInfo -lgcc_eh)");
  check.there = cn_walk_begin(&check.walk, mutator, regs);
  cn_os_unwind_stack(compare_unwound_frame, &check);
  if (!check.reached)
    cairn_fatal("CAIRN_VERIFY=frames: the unwinder does not get out of the runtime, to pc %s; was "
                "the program linked without .eh_frame_hdr?",
                cn_report_format_pc(check.from, place));
  /* A pc of zero follows the activation that is the oldest by call-frame information. If this activation is a
   * coroutine's, the walk has continued on the stack that resumed the coroutine. */
  if (check.there && check.walk.stack == mutator->stack &&
      (check.last == 0 || cn_index_has_code_at(check.last) || cn_os_has_unwind_info(check.last)))
    cairn_fatal("CAIRN_VERIFY=frames: activation %lu: the walk is at pc %s, sp 0x%lx, the unwinder "
                "past the end",
                (unsigned long)check.count, cn_report_format_pc(check.walk.frame.pc, place),
                (unsigned long)check.walk.frame.sp);
}
