// Managed code of a shared object, for pointer_targets.c.
#include <cairn/cairn.h>

long shared_add(long n)
{
  long managed *box = cairn_new(long);

  *box = n + 1;
  return *box;
}
