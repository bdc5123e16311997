#ifndef TABLE_H
#define TABLE_H

#include <cairn/cairn.h>
#include "text.h"

struct entry {
  struct text managed *word;
  struct entry managed *next;
  long count;
};

struct table {
  long size, used;
  struct entry managed *buckets[];
};

/* A table may move and may be replaced as it grows: use what this returns. */
struct table managed *table_new(long size);
struct table managed *table_count(struct table managed *table, struct text managed *word);

typedef void table_visitor(void *env, struct entry managed *entry);
void table_visit(struct table managed *table, table_visitor *visit, void *env);

#endif
