/* SPDX-License-Identifier: Apache-2.0
 *
 * The native side of test/run/frames/token_pads.ll: a language with exceptions whose landing pads return
 * nothing, so that the personality leaves the exception in a thread-local. Compiled without Cairn,
 * with unwind tables.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>
#include "../../../random/modules/personality.h"

long managed_catch(long n);
int main(int argc, char **argv);

struct thrown {
  struct _Unwind_Exception head;
  long value;
};

static _Thread_local struct _Unwind_Exception *current;

_Unwind_Reason_Code test_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class c,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context)
{
  (void)version;
  (void)c;
  current = exception;
  return personality(actions, exception, context);
}

void native_raise(long value)
{
  struct thrown *thrown = calloc(1, sizeof *thrown);

  thrown->value = value;
  _Unwind_RaiseException(&thrown->head);
  puts("nobody catches");
  exit(1);
}

/* What was caught. */
long native_taken(void)
{
  struct thrown *thrown = (struct thrown *)current;
  long value = thrown->value;

  free(thrown);
  return value;
}

/* After a cleanup. */
void native_go_on(void)
{
  _Unwind_Resume(current);
}

/* ---- did it move? ---- */

static uintptr_t noted;
static long moved;

void native_note(void *object)
{
  noted = (uintptr_t)object;
}

void native_look(void *object)
{
  moved += noted != (uintptr_t)object;
}

int main(int argc, char **argv)
{
  long count = argc > 1 ? atol(argv[1]) : 10, sum = 0;

  for (long i = 1; i <= count; i++)
    sum += managed_catch(i);
  printf("caught %ld, %s moved\n", sum, moved > 0 ? "objects" : "nothing");
  return 0;
}
