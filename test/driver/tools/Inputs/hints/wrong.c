#include <cairn/cairn.h>
#include <stdlib.h>
#include "types.h"
void take(struct x *plain);
void give(struct x managed *p, struct x **q)
{
  struct x *plain = p;
  struct x managed *m = malloc(sizeof *m);
  take(p);
  struct x managed **pp = q;
  plain = plain ? plain : p;
  struct x managed object;
}
