/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/young/young_exceptions.ll.
 */
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>
#include "../../../random/modules/personality.h"

long falls(long n);

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

  _Unwind_DeleteException(exception);
  return value;
}

/* ---- who is on the stack ---- */

struct count {
  uintptr_t low, high;
  long activations;
};

static _Unwind_Reason_Code count_one(struct _Unwind_Context *context, void *env)
{
  struct count *count = env;
  int before = 0;
  uintptr_t pc = _Unwind_GetIPInfo(context, &before) - (before ? 0 : 1);

  count->activations += pc - count->low < count->high - count->low;
  return _URC_NO_REASON;
}

/* Activations of the function in [low, high), by the unwinder; and those that backtrace() has. */
long native_count(char *low, char *high)
{
  static void *pcs[100000];
  struct count count = {(uintptr_t)low, (uintptr_t)high, 0};
  long direct = 0;

  _Unwind_Backtrace(count_one, &count);
  for (int i = backtrace(pcs, 100000); i-- > 0;)
    direct += (uintptr_t)pcs[i] - 1 - count.low < count.high - count.low;
  return count.activations == direct ? direct : -1;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 200;

  printf("fallen %ld\n", falls(n));
  return 0;
}
