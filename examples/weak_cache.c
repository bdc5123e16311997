/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak references at work: documents with a weak table of what was computed from them, and files
 * that are closed when nobody has them any more. Prints the same however often it collects.
 *
 *   weak_cache [documents]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/weak.h>

enum { OPEN = 16 }; /* documents that are in use at a time */

struct cairn_finalisable file {
  long descriptor;
};
struct document {
  long number;
  struct file managed *file;
};
struct index {
  long words, uses;
  struct document managed *of; /* leads to its key */
};

static struct document managed *documents[OPEN];
static struct cairn_weak_table managed *cache; /* document -> index */
static long opened, closed, computed;

static struct document managed *open_document(long number)
{
  struct document managed *document = cairn_new(struct document);

  document->number = number;
  document->file = cairn_new(struct file);
  document->file->descriptor = ++opened;
  return document;
}

/* Files of documents that went; the program says when. */
static void close_files(void)
{
  struct file managed *file;

  while ((file = cairn_finalise_next(0)) != NULL)
    closed += file->descriptor != 0;
}

static struct index managed *index_of(struct document managed *document)
{
  struct index managed *index = cairn_weak_table_get(cache, document);

  if (index != NULL)
    return index;
  index = cairn_new(struct index);
  index->words = document->number * 7 % 1000;
  index->of = document;
  cairn_weak_table_put(cache, document, index);
  computed++;
  return index;
}

int main(int count, char **arguments)
{
  long rounds = count > 1 ? atol(arguments[1]) : 2000, words = 0, uses = 0;

  if (count > 1 && strcmp(arguments[1], "--help") == 0)
    return puts("usage: weak_cache [documents]") < 0;
  cache = cairn_weak_table_new();
  for (long i = 0; i < rounds; i++) {
    documents[i % OPEN] = open_document(i);
    for (int k = 0; k < OPEN && k <= i; k++) {
      struct index managed *index = index_of(documents[k]);
      index->uses++;
      words += index->words;
    }
    close_files();
  }
  for (int k = 0; k < OPEN; k++)
    if (documents[k] != NULL)
      uses += index_of(documents[k])->uses;
  printf("%ld documents, %ld indices computed, %ld words, %ld uses\n", opened, computed, words,
         uses);
#ifndef CAIRN_PLAIN
  cairn_collect();
  close_files();
  if (cairn_weak_table_count(cache) != (rounds < OPEN ? rounds : OPEN) ||
      closed != (rounds < OPEN ? 0 : rounds - OPEN))
    return fprintf(stderr, "%ld in the cache, %ld closed\n", cairn_weak_table_count(cache), closed);
#endif
  return 0;
}
