/* SPDX-License-Identifier: Apache-2.0
 *
 * Works on a tree of Mini-XML: mxml FILE TURNS. Each turn parses the text, makes an index of the items, adds an element
 * to each item, drops every third item, and prints the tree; the first tree stays for the whole run.
 */
#include <stdio.h>
#include <stdlib.h>
#include "mxml.h"
#include "read_file.h"

/* Returns the number of items. */
static int change(mxml_node_t *tree)
{
  mxml_index_t *index = mxmlIndexNew(tree, "item", "id");
  int number = 0;

  for (mxml_node_t *item; (item = mxmlIndexEnum(index)) != NULL; number++) {
    mxml_node_t *added = mxmlNewElement(item, "number");
    mxmlNewInteger(added, number);
    mxmlElementSetAttr(item, "seen", "yes");
    if (number % 3 == 0)
      mxmlDelete(item);
  }
  mxmlIndexDelete(index);
  return number;
}

static unsigned long sum_of(mxml_node_t *tree)
{
  char *text = mxmlSaveAllocString(tree, MXML_NO_CALLBACK);
  unsigned long sum = 0;

  for (const char *at = text; at && *at; at++)
    sum = sum * 31 + (unsigned char)*at;
  free(text);
  return sum;
}

int main(int argc, char **argv)
{
  char *text = argc == 3 ? read_file(argv[1]) : NULL;
  mxml_node_t *first = text ? mxmlLoadString(NULL, text, MXML_TEXT_CALLBACK) : NULL;

  if (!first) {
    fprintf(stderr, "usage: mxml FILE TURNS, with XML in FILE\n");
    return 2;
  }
  for (int turn = 0; turn < atoi(argv[2]); turn++) {
    mxml_node_t *tree = mxmlLoadString(NULL, text, MXML_TEXT_CALLBACK);
    int items = change(tree);
    printf("%d: %d items, %lx\n", turn, items, sum_of(tree));
    mxmlDelete(tree);
  }
  printf("%lx\n", sum_of(first));
  mxmlDelete(first);
  free(text);
  return 0;
}
