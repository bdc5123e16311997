/* SPDX-License-Identifier: Apache-2.0
 *
 * A tail call through a pointer, of native code that takes fewer arguments than its caller. What would go wrong: the
 * caller has a reference as parameter, for which the widened call passes poison; taken for a reference, poison would
 * ask for a managed callee, and the program would end.
 *
 * RUN: %cairn-cc -O2 %s -o %t -lm && %t | FileCheck %s && CAIRN_STRESS=1 %t | FileCheck %s
 * RUN: %cairn-cc -Os %s -o %t-small -lm && %t-small | FileCheck %s
 * CHECK: 3.000 4.000 managed 10.000
 */
#include <math.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  double (*function)(double);
  struct node managed *next;
  double number;
};

static __attribute__((noinline)) double evaluate(struct node managed *node)
{
  if (!node->function)
    return node->number;
  return node->function(evaluate(node->next));
}

static double twice(double x)
{
  struct node managed *node = cairn_new(struct node);

  node->number = 2 * x;
  return evaluate(node);
}

static struct node managed *apply(double (*function)(double), struct node managed *next)
{
  struct node managed *node = cairn_new(struct node);

  node->function = function;
  node->next = next;
  return node;
}

int main(void)
{
  struct node managed *leaf = cairn_new(struct node), *managed_code = cairn_new(struct node);

  leaf->number = 9;
  managed_code->number = 5;
  printf("%.3f ", evaluate(apply(sqrt, leaf)));
  leaf->number = 81;
  printf("%.3f ", evaluate(apply(sqrt, apply(sqrt, leaf))) + 1);
  printf("managed %.3f\n", evaluate(apply(twice, managed_code)));
  return 0;
}
