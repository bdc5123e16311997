/* SPDX-License-Identifier: Apache-2.0
 *
 * Works on a tree of cJSON: cjson FILE TURNS. Each turn parses the file, copies the tree, changes each object of the
 * copy, and prints both; the first tree stays for the whole run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cJSON.h"
#include "read_file.h"

/* Changes every object of the tree: drops a member, and adds two. Returns the number of objects. */
static long change(cJSON *tree)
{
  cJSON *child;
  long objects = 0;

  cJSON_ArrayForEach(child, tree) objects += change(child);
  if (!cJSON_IsObject(tree))
    return objects;
  cJSON_DeleteItemFromObjectCaseSensitive(tree, "member3");
  cJSON_AddStringToObject(tree, "name", "an object");
  cJSON_AddNumberToObject(tree, "number", (double)objects);
  return objects + 1;
}

/* A sum over the text of the tree. */
static unsigned long sum_of(cJSON *tree)
{
  char *text = cJSON_PrintUnformatted(tree);
  unsigned long sum = 0;

  for (const char *at = text; *at; at++)
    sum = sum * 31 + (unsigned char)*at;
  free(text);
  return sum;
}

int main(int argc, char **argv)
{
  char *text = argc == 3 ? read_file(argv[1]) : NULL;
  cJSON *first = text ? cJSON_Parse(text) : NULL;

  if (!first) {
    fprintf(stderr, "usage: cjson FILE TURNS, with JSON in FILE\n");
    return 2;
  }
  for (int turn = 0; turn < atoi(argv[2]); turn++) {
    cJSON *tree = cJSON_Parse(text), *copy = cJSON_Duplicate(tree, 1);
    int same = cJSON_Compare(first, copy, 1);
    long objects = change(copy);
    printf("%d: %d, %ld objects, %lx %lx\n", turn, same, objects, sum_of(tree), sum_of(copy));
    cJSON_Delete(tree);
    cJSON_Delete(copy);
  }
  cJSON_Delete(first);
  free(text);
  return 0;
}
