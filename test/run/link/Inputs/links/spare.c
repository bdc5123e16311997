/* A member of the archive that nobody needs. */
#include "part.h"

ref spare(ref list);
ref spare(ref list)
{
  ref copy = cairn_new(struct node);

  copy->next = list;
  return copy;
}
