#include "table.h"

struct table managed *table_new(long size)
{
  struct table managed *table = cairn_new_flex(struct table, size);

  table->size = size;
  return table;
}

static void insert(struct table managed *table, struct entry managed *entry)
{
  long at = (long)(text_hash(entry->word) % (unsigned long)table->size);

  entry->next = table->buckets[at];
  table->buckets[at] = entry;
  table->used++;
}

static struct table managed *grow(struct table managed *old)
{
  struct table managed *table = table_new(2 * old->size + 1);

  for (long i = 0; i < old->size; i++) {
    struct entry managed *next;
    for (struct entry managed *entry = old->buckets[i]; entry; entry = next) {
      next = entry->next;
      insert(table, entry);
    }
  }
  return table;
}

struct table managed *table_count(struct table managed *table, struct text managed *word)
{
  long at = (long)(text_hash(word) % (unsigned long)table->size);
  struct entry managed *entry = table->buckets[at];

  while (entry && !text_equal(entry->word, word))
    entry = entry->next;
  if (!entry) {
    if (table->used >= table->size)
      table = grow(table);
    entry = cairn_new(struct entry);
    entry->word = word;
    insert(table, entry);
  }
  entry->count++;
  return table;
}

void table_visit(struct table managed *table, table_visitor *visit, void *env)
{
  for (long i = 0; i < table->size; i++)
    for (struct entry managed *entry = table->buckets[i]; entry; entry = entry->next)
      visit(env, entry);
}
