/* SPDX-License-Identifier: Apache-2.0
 *
 * The main thread's side of cairn_safepoint_ask() (<cairn/thread.h>).
 */
#ifndef CN_RUNTIME_HANDSHAKE_H
#define CN_RUNTIME_HANDSHAKE_H

#include <stdbool.h>
#include <stdint.h>

/* The calling thread, which is the main one, is at a safepoint that returns to `pc`: answer an open
 * request. `before`: it has been there for some time. Each slow path calls this when it begins and
 * when it ends. */
void cn_handshake_arrive(uintptr_t pc, bool before);

/* The program is over, or the main thread: let all requesters go. Any thread. */
void cn_handshake_end(void);

#endif
