/* SPDX-License-Identifier: Apache-2.0
 *
 * The start of the runtime.
 */
#ifndef CN_RUNTIME_START_H
#define CN_RUNTIME_START_H

/* Start the runtime if it has not started: any thread, which may be the first one to run managed
 * code. Attaches the main thread if it is the caller. */
void cn_start(void);

/* Attach the main thread, which is the caller. */
void cn_attach_main(void);

#endif
