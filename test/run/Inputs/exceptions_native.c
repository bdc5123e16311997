/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/unwinding/exceptions.ll: a language with exceptions in C. Compiled without
 * Cairn, with unwind tables.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>
#include "../../random/modules/personality.h"

void cairn_collect(void);
long managed_throw(long n);
long managed_count(long n);
long managed_catch(long n);
long managed_pass(long n);
long managed_deep(long n);
int main(int argc, char **argv);

struct thrown {
  struct _Unwind_Exception head;
  long value;
};

_Unwind_Reason_Code test_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class c,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context)
{
  (void)version;
  (void)c;
  return personality(actions, exception, context);
}

/* ---- throwing ---- */

static void dispose(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
  (void)reason;
  free(exception);
}

void native_raise(long value)
{
  struct thrown *thrown = calloc(1, sizeof *thrown);

  thrown->head.exception_cleanup = dispose;
  thrown->value = value;
  _Unwind_RaiseException(&thrown->head);
  puts("nobody catches");
  exit(1);
}

long native_caught(struct _Unwind_Exception *exception)
{
  long value = ((struct thrown *)exception)->value;

  cairn_collect();
  _Unwind_DeleteException(exception);
  return value;
}

static jmp_buf out;

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class c,
                                struct _Unwind_Exception *exception,
                                struct _Unwind_Context *context, void *limit)
{
  (void)version;
  (void)c;
  if ((actions & _UA_END_OF_STACK) || _Unwind_GetCFA(context) > (uintptr_t)limit) {
    free(exception);
    longjmp(out, 1);
  }
  return _URC_NO_REASON;
}

static void *limit;

void native_cancel(long value)
{
  struct thrown *thrown = calloc(1, sizeof *thrown);

  thrown->value = value;
  _Unwind_ForcedUnwind(&thrown->head, stop, limit);
  exit(1);
}

/* ---- native frames between managed ones ---- */

static long cleaned;

static void clean(long *local)
{
  cleaned += managed_count(*local);
}

/* The cleanup runs managed code, which collects, while the exception is on its way. */
long native_between(long n)
{
  long local __attribute__((cleanup(clean))) = n;

  return managed_throw(n) + 1;
}

/* A big frame that is not initialised: what dead frames left lies in it. */
static __attribute__((noinline)) long use_stack(long n)
{
  volatile char room[20000];

  room[n % 20000] = 1;
  return managed_count(n) + room[n % 20000];
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 10, sum = 0;
  volatile long cancelled = 0;

  for (long i = 1; i <= count; i++)
    sum += managed_catch(i);
  printf("caught %ld, cleaned %ld\n", sum, cleaned);
  sum = 0;
  for (long i = 1; i <= count; i++)
    sum += managed_pass(i) + use_stack(i);
  printf("passed %ld\n", sum);
  limit = __builtin_frame_address(0);
  for (volatile long i = 1; i <= count; i++)
    if (setjmp(out) == 0)
      managed_deep(i);
    else
      cancelled = cancelled + i + use_stack(i);
  printf("cancelled %ld, cleaned %ld\n", cancelled, cleaned);
  return 0;
}
