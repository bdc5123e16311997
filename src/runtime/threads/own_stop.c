/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that must not wait for a stop, since nobody but itself could end it.
 */
#include "runtime/core/report.h"
#include "runtime/threads/stop.h"

void cn_stop_refuse_own(uintptr_t pc)
{
  if (cn_stop_is_own())
    cn_report_fatal(pc, "a thread requests a stop, begins, ends, jumps, forks or unloads while "
                        "it has stopped others or runs the operation of a handshake");
}

void cn_stop_refuse_end(void *unused)
{
  (void)unused;
  cn_stop_refuse_own((uintptr_t)__builtin_return_address(0));
}
