#include "part.h"

const struct part *part_get(void)
{
  static const struct part part = {list_make,    list_each,  list_down,
                                   pool_reverse, comdat_one, comdat_two};
  return &part;
}
