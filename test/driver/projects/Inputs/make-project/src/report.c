#include "report.h"
#include <math.h>

struct best {
  long words, total;
};

static void add(void *env, struct entry managed *entry)
{
  struct best *best = env;

  best->words++;
  best->total += entry->count;
}

static void print_frequent(void *env, struct entry managed *entry)
{
  (void)env;
  if (entry->count < 2)
    return;
  text_write(entry->word, stdout);
  printf(" %ld\n", entry->count);
}

void report(struct table managed *table)
{
  struct best best = {0, 0};

  table_visit(table, add, &best);
  cairn_collect();
  table_visit(table, print_frequent, NULL);
  printf("%ld different, %ld in all, root %.0f\n", best.words, best.total, floor(sqrt((double)best.total)));
}
