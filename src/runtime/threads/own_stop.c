/* SPDX-License-Identifier: Apache-2.0
 *
 * Ends the program if a thread would wait for the end of a stop that the thread itself must end, or ends within an
 * operation. Runs on any thread, in any phase. All state is local.
 */
#include "runtime/core/messages.h"
#include "runtime/threads/stop.h"

void cn_stop_refuse_thread(uintptr_t pc)
{
  cn_report_fatal(pc, "a thread requests a stop, begins, ends, jumps, forks or unloads while "
                      "it has stopped others, works for a collection or runs the operation of a handshake");
}

void cn_stop_refuse_thread_end(void *unused)
{
  (void)unused;
  cn_stop_refuse_thread((uintptr_t)__builtin_return_address(0));
}
