/* SPDX-License-Identifier: Apache-2.0
 *
 * Derivatives by libmatheval: libmatheval TURNS ORDERS. Each turn reads some functions, differentiates each one ORDERS
 * times, and prints values of the last derivative and the length of its text. Some derivatives stay for the whole run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lib/matheval.h"

enum { KEPT = 8 };

static char *functions[] = {
    "sin(x*x)*exp(-x)+log(x+2)/(x^2+1)",
    "(x+1)*(x+2)*(x+3)*(x+4)*(x+5)/(x^2+x+1)",
    "exp(sin(x)*cos(x))+sqrt(x^2+1)",
    "tan(x)/(1+x^2)-atan(x)*sinh(x)",
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* For the scanner: there is no further input. */
int yywrap(void)
{
  return 1;
}

int main(int argc, char **argv)
{
  void *kept[KEPT] = {NULL};
  int turns = argc == 3 ? atoi(argv[1]) : 0, orders = argc == 3 ? atoi(argv[2]) : 0, next = 0;

  for (int turn = 0; turn < turns; turn++)
    for (int i = 0; i < FUNCTIONS; i++) {
      void *f = evaluator_create(functions[i]);
      for (int order = 0; order < orders; order++) {
        void *derivative = evaluator_derivative_x(f);
        evaluator_destroy(f);
        f = derivative;
      }
      if (turn % 10 == 0)
        printf("%d %d: %.6g, %zu bytes\n", turn, i, evaluator_evaluate_x(f, 0.5 + turn),
               strlen(evaluator_get_string(f)));
      if (kept[next % KEPT])
        evaluator_destroy(kept[next % KEPT]);
      kept[next++ % KEPT] = f;
    }
  for (int i = 0; i < KEPT; i++)
    if (kept[i])
      evaluator_destroy(kept[i]);
  return 0;
}
