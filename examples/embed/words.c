/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of words.h, in managed C: a binary tree.
 */
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/handle.h>
#include "words.h"

struct word {
  struct word managed *before, *after;
  long count, length;
  char text[];
};

struct table {
  struct word managed *root;
  long distinct;
};

struct cairn_handle *words_new(void)
{
  struct table managed *table = cairn_new(struct table);

  return cairn_handle_new(table);
}

static struct word managed *make_word(const char *text)
{
  long length = (long)strlen(text);
  struct word managed *word = cairn_new_flex(struct word, length);

  word->length = length;
  cairn_copy_in(word->text, text, (size_t)length);
  return word;
}

static int compare_words(const struct word managed *a, const struct word managed *b)
{
  for (long i = 0; i < a->length && i < b->length; i++)
    if (a->text[i] != b->text[i])
      return a->text[i] < b->text[i] ? -1 : 1;
  return (a->length > b->length) - (a->length < b->length);
}

long words_add(struct cairn_handle *handle, const char *text)
{
  struct word managed *added = make_word(text); /* garbage if the table has the word */
  struct table managed *table = cairn_handle_get(handle);
  struct word managed *at = table->root, *parent = 0;
  int order = 0;

  while (at && (order = compare_words(added, at)) != 0) {
    parent = at;
    at = order < 0 ? at->before : at->after;
  }
  if (!at) {
    at = added;
    table->distinct++;
    if (!parent)
      table->root = at;
    else if (order < 0)
      parent->before = at;
    else
      parent->after = at;
  }
  return ++at->count;
}

long words_distinct(struct cairn_handle *handle)
{
  struct table managed *table = cairn_handle_get(handle);

  return table->distinct;
}

void words_free(struct cairn_handle *handle)
{
  cairn_handle_free(handle);
}
