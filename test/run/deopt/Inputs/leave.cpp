// SPDX-License-Identifier: Apache-2.0
//
// Native code of leave_marked.c: exceptions, jumps and a second stack over managed frames.
#include <csetjmp>

extern "C" {
long catches(long (*function)(long, void *), long n, void *handle)
{
  try {
    return function(n, handle);
  } catch (long thrown) {
    return thrown;
  }
}

void throws(long value)
{
  throw value;
}

static jmp_buf back;

long jumps_back(long (*function)(long, void *), long n, void *handle)
{
  int jumped = setjmp(back);
  return jumped != 0 ? jumped : function(n, handle);
}

void jumps(long value)
{
  longjmp(back, (int)value);
}
}
