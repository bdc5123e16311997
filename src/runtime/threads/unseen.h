/* SPDX-License-Identifier: Apache-2.0
 *
 * Children that no handler of fork() saw come: those of _Fork(), of clone() and of the system call.
 */
#ifndef CN_RUNTIME_THREADS_UNSEEN_H
#define CN_RUNTIME_THREADS_UNSEEN_H

#include "runtime/os/os.h"

/* The process is such a child: do what the handlers do, or end it if the parent had other threads
 * that ran managed code. */
void cn_unseen_settle(void);

/* Each way into the runtime that waits for other threads, or writes to files, begins so. */
static inline void cn_unseen_look(void)
{
  if (cn_os_is_new_process())
    cn_unseen_settle();
}

#endif
