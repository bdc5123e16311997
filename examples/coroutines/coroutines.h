/* SPDX-License-Identifier: Apache-2.0
 *
 * Coroutines. Two libraries have this interface: one in assembly, one in C over swapcontext().
 */
#ifndef COROUTINES_H
#define COROUTINES_H

typedef void coroutine_body(long argument);

/* It runs `body` when it is resumed first. */
void *coroutine_new(coroutine_body *body, long argument);
void coroutine_free(void *coroutine);
long coroutine_is_over(void *coroutine);

/* Go on with it until it yields or is over. */
void coroutine_resume(void *coroutine);
/* Back to who resumed the current one. */
void coroutine_yield(void);

#endif
