#include <cairn/cairn.h>
#include "types.h"
long none(x_ref p) { return p != 0; }
long array(int n)
{
  struct x managed *a[n];
  a[0] = 0;
  return a[0] == 0;
}
