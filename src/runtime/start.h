/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of the runtime.
 */
#ifndef CN_RUNTIME_START_H
#define CN_RUNTIME_START_H

/* Start the runtime unless it has started. Any thread may call, also the first one that runs
 * managed code. Attaches the caller if it is the main thread. */
void cn_start(void);

/* Attach the main thread, which is the caller. */
void cn_attach_main(void);

#endif
