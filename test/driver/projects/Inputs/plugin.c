#include "plugin.h"

/* A root of the shared object. */
static struct cell managed *kept;

long plugin_length(void);
plugin_run plugin_sum;

long plugin_sum(plugin_cons *cons)
{
  long sum = 0;

  for (long i = 0; i < 10; i++)
    kept = cons(kept, i);
  cairn_collect();
  for (struct cell managed *cell = kept; cell; cell = cell->next)
    sum += cell->value;
  return sum;
}

long plugin_length(void)
{
  long length = 0;

  for (struct cell managed *cell = kept; cell; cell = cell->next)
    length++;
  return length;
}
