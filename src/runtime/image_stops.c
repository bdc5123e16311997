/* SPDX-License-Identifier: Apache-2.0
 *
 * Upcalls that stop the world for images and for the index of return addresses.
 */
#include <cairn/abi.h>
#include <cairn/collector.h>
#include "base/check.h"
#include "runtime/core/image.h"
#include "runtime/core/mutator.h"
#include "runtime/core/report.h"
#include "runtime/core/upcalls.h"
#include "runtime/threads/handshake.h"
#include "runtime/threads/stop.h"

static struct cairn_mutator *own_mutator(void)
{
  return cairn_mutator.attached ? &cairn_mutator : NULL;
}

/* Managed code without safepoints cannot be stopped, and nothing collects. A handler that
 * interrupted managed code must not stop other threads: one of them may wait for its end. */
bool cn_upcall_images_stop(uintptr_t pc)
{
  bool exits = cairn_mutator.stopped != NULL && cn_handshake_examined() == NULL;

  if (exits || (cn_image_flags() & CAIRN_ABI_IMAGE_NO_SAFEPOINTS) != 0)
    return false;
  cn_stop_refuse_own(pc);
  if (cairn_mutator.interruptions % 2 != 0)
    cn_report_fatal(pc, "a signal handler that interrupted managed code unloads a shared object");
  if (own_mutator() && cairn_mutator.state == CAIRN_ABI_MANAGED)
    cn_report_fatal(pc, "dlclose() was called as a leaf function, without an anchor");
  if (!cn_stop_begin(own_mutator()))
    cn_report_fatal(pc, "a signal handler unloads a shared object while another thread forks");
  CN_ASSERT_VALID(cn_stop_registry_wrong());
  return true;
}

void cn_upcall_images_go(bool stopped)
{
  if (stopped)
    cn_stop_end(own_mutator());
}

/* A mutator at a safepoint is busy, too, but reads no table. */
bool cn_upcall_others_look(void)
{
  for (const struct cairn_mutator *m = NULL; (m = cairn_mutator_next(m)) != NULL;)
    if (m != &cairn_mutator && __atomic_load_n(&m->state, __ATOMIC_RELAXED) == CAIRN_ABI_NATIVE &&
        __atomic_load_n(&m->busy, __ATOMIC_ACQUIRE) != 0)
      return true;
  return false;
}
