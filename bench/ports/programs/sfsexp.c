/* SPDX-License-Identifier: Apache-2.0
 *
 * Works on s-expressions: sfsexp FILE TURNS. Each turn parses every line of the file, copies the expression, searches
 * it for an atom, and prints it; the expressions of the first turn stay for the whole run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/sexp.h"
#include "src/sexp_ops.h"

enum { ROOM = 1 << 16, KEPT = 4000 };

static sexp_t *kept[KEPT];

int main(int argc, char **argv)
{
  static char line[ROOM], printed[2 * ROOM];
  int turns = argc == 3 ? atoi(argv[2]) : 0, found = 0;
  unsigned long sum = 0, bytes = 0;

  for (int turn = 0; turn < turns; turn++) {
    FILE *file = fopen(argv[1], "r");
    if (!file)
      return 1;
    for (int number = 0; fgets(line, sizeof line, file); number++) {
      sexp_t *expression = parse_sexp(line, strlen(line)), *copy = copy_sexp(expression);
      found += find_sexp("ab", copy) != NULL;
      bytes += (unsigned long)print_sexp(printed, sizeof printed, copy);
      for (const char *at = printed; *at; at++)
        sum = sum * 31 + (unsigned char)*at;
      destroy_sexp(copy);
      if (turn == 0 && number < KEPT)
        kept[number] = expression;
      else
        destroy_sexp(expression);
    }
    fclose(file);
  }
  for (int i = 0; i < KEPT; i++)
    if (kept[i])
      destroy_sexp(kept[i]);
  sexp_cleanup();
  printf("%d found, %lu bytes, %lx\n", found, bytes, sum);
  return 0;
}
