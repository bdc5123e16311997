#include <cairn/cairn.h>

struct cell {
  struct cell managed *next;
  long value;
};

long cells_of_library(struct cell managed *list)
{
  long count = 0;

  for (; list; list = list->next)
    count++;
  cairn_collect();
  return count;
}
