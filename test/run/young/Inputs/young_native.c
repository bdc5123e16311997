/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/young/young.c.
 */
#include <setjmp.h>
#include <stdlib.h>

typedef long callback(long);
long call_native(callback *function, long n);
long guard(callback *function, long n);
void escape(void);

static jmp_buf *innermost;

long call_native(callback *function, long n)
{
  return function(n) + 1;
}

long guard(callback *function, long n)
{
  jmp_buf here, *outer = innermost;
  volatile long result = -1;

  innermost = &here;
  if (setjmp(here) == 0)
    result = function(n);
  innermost = outer;
  return result;
}

void escape(void)
{
  if (innermost == NULL)
    exit(3);
  longjmp(*innermost, 1);
}
