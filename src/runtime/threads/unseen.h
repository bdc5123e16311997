/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects and repairs child processes made without the handlers of fork(): by _Fork(), clone() or the system call.
 */
#ifndef CN_RUNTIME_THREADS_UNSEEN_H
#define CN_RUNTIME_THREADS_UNSEEN_H

#include "runtime/os/os.h"

/* Do the work of the handlers in such a child, or end the child if the parent had other threads that ran managed
 * code. */
void cn_unseen_repair_child(void);

/* Each entry into the runtime that waits for other threads, or writes to files, begins with this call. */
static inline void cn_unseen_check_process(void)
{
  if (cn_os_is_new_process())
    cn_unseen_repair_child();
}

#endif
