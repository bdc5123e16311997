/* SPDX-License-Identifier: Apache-2.0
 *
 * Stops of the world that native code requests, outside of collections: to unload an image, or to change code.
 */
#ifndef CN_RUNTIME_THREADS_NATIVE_STOP_H
#define CN_RUNTIME_THREADS_NATIVE_STOP_H

#include <stdbool.h>

/* The reason why the calling thread must not stop the world. */
enum cn_native_stop_refusal {
  CN_NATIVE_STOP_ALLOWED,
  CN_NATIVE_STOP_WITHOUT_SAFEPOINTS, /* code without safepoints is loaded: stops, and so collections, are impossible */
  CN_NATIVE_STOP_AT_EXIT,            /* the thread runs exit handlers at a safepoint */
  CN_NATIVE_STOP_OWN,                /* the thread has stopped others, or works for such a thread */
  CN_NATIVE_STOP_HANDLER,            /* a handler that interrupted managed code: another thread may wait for its end */
  CN_NATIVE_STOP_LEAF,               /* managed code called the function as a leaf, without an anchor */
};
enum cn_native_stop_refusal cn_native_stop_check(void);

/* Stop the world until cn_native_stop_end(); cn_native_stop_check() has allowed the stop. False: another thread forks,
 * and the caller is a signal handler. */
bool cn_native_stop_begin(void);
void cn_native_stop_end(void);

#endif
