/* Native code of its own, in a shared object or not: each way to jump. */
#define _GNU_SOURCE
#include <setjmp.h>
#include "leave.h"

void leave(sigjmp_buf buffer, int way)
{
  switch (way % WAYS) {
  case 0:
    longjmp(buffer, 1);
  case 1:
    _longjmp(buffer, 1);
  default:
    siglongjmp(buffer, 1);
  }
}
