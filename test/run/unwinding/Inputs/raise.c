/* SPDX-License-Identifier: Apache-2.0
 *
 * Native code that throws through the other language's frames.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>
#include "../../../random/modules/personality.h"

void cairn_collect(void);
void language_install(void);
long managed_turn(long turns);

static struct _Unwind_Exception thrown;

_Unwind_Reason_Code test_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class c,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context);
_Unwind_Reason_Code test_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class c,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context)
{
  (void)version;
  (void)c;
  return personality(actions, exception, context);
}

void native_raise(void);
void native_raise(void)
{
  cairn_collect();
  _Unwind_RaiseException(&thrown);
  puts("nobody catches");
  exit(1);
}

void native_caught(struct _Unwind_Exception *exception);
void native_caught(struct _Unwind_Exception *exception)
{
  cairn_collect();
  _Unwind_DeleteException(exception);
}

int main(void)
{
  language_install();
  for (long turns = 0; turns < 3; turns++)
    printf("caught %ld\n", managed_turn(turns));
  return 0;
}
