/* SPDX-License-Identifier: Apache-2.0
 *
 * A parser and evaluator of arithmetic with variables: recursive descent into a managed tree,
 * constant folding into fresh nodes, and a table of functions on nodes.
 *
 *   expression [rounds]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

enum kind { NUMBER, VARIABLE, ADD, SUBTRACT, MULTIPLY, DIVIDE, NEGATE };

struct node {
  enum kind kind;
  long number; /* or the variable's letter */
  struct node managed *left, *right;
};
typedef struct node managed *tree;

struct parser {
  const char *at;
};

static tree make(enum kind kind, long number, tree left, tree right)
{
  tree node = cairn_new(struct node);

  node->kind = kind;
  node->number = number;
  node->left = left;
  node->right = right;
  return node;
}

static tree parse_sum(struct parser *parser);

static int accept(struct parser *parser, char c)
{
  while (*parser->at == ' ')
    parser->at++;
  if (*parser->at != c)
    return 0;
  parser->at++;
  return 1;
}

static tree parse_atom(struct parser *parser)
{
  if (accept(parser, '-'))
    return make(NEGATE, 0, parse_atom(parser), NULL);
  if (accept(parser, '(')) {
    tree inner = parse_sum(parser);
    accept(parser, ')');
    return inner;
  }
  if (*parser->at >= 'a' && *parser->at <= 'z')
    return make(VARIABLE, *parser->at++, NULL, NULL);
  long number = 0;
  while (*parser->at >= '0' && *parser->at <= '9')
    number = number * 10 + (*parser->at++ - '0');
  return make(NUMBER, number, NULL, NULL);
}

static tree parse_product(struct parser *parser)
{
  tree left = parse_atom(parser);

  for (;;) {
    if (accept(parser, '*'))
      left = make(MULTIPLY, 0, left, parse_atom(parser));
    else if (accept(parser, '/'))
      left = make(DIVIDE, 0, left, parse_atom(parser));
    else
      return left;
  }
}

static tree parse_sum(struct parser *parser)
{
  tree left = parse_product(parser);

  for (;;) {
    if (accept(parser, '+'))
      left = make(ADD, 0, left, parse_product(parser));
    else if (accept(parser, '-'))
      left = make(SUBTRACT, 0, left, parse_product(parser));
    else
      return left;
  }
}

static long apply(enum kind kind, long a, long b)
{
  switch (kind) {
  case ADD:
    return a + b;
  case SUBTRACT:
    return a - b;
  case MULTIPLY:
    return a * b % 1000003;
  case DIVIDE:
    return b ? a / b : 0;
  default:
    return -a;
  }
}

static long evaluate(tree node, const long *variables)
{
  switch (node->kind) {
  case NUMBER:
    return node->number;
  case VARIABLE:
    return variables[node->number - 'a'];
  case NEGATE:
    return -evaluate(node->left, variables);
  default:
    break;
  }
  long left = evaluate(node->left, variables);
  return apply(node->kind, left, evaluate(node->right, variables));
}

/* A copy with every constant part evaluated. */
static tree fold(tree node)
{
  if (node->kind == NUMBER || node->kind == VARIABLE)
    return node;
  tree left = fold(node->left);
  tree right = node->right ? fold(node->right) : NULL;
  if (left->kind == NUMBER && (!right || right->kind == NUMBER))
    return make(NUMBER, apply(node->kind, left->number, right ? right->number : 0), NULL, NULL);
  return make(node->kind, 0, left, right);
}

static long size(tree node)
{
  return node ? 1 + size(node->left) + size(node->right) : 0;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: expression [rounds]") < 0;

  static const char *const sources[] = {
      "1 + 2 * 3 - 4 / 2",
      "(a + b) * (a - b) + 3 * (2 + 5) * c",
      "-(1 + -(2 + -(3 + -(4 + -(5 + d)))))",
      "((((7))) * 6) / (x - x) + y * (2 * 3 * 4 * 5)",
  };
  long rounds = argc > 1 ? atol(argv[1]) : 20000;
  long variables[26], checksum = 0;

  for (long round = 0; round < rounds; round++) {
    for (int v = 0; v < 26; v++)
      variables[v] = (round * 31 + v * v) % 97 - 11;
    for (unsigned s = 0; s < sizeof sources / sizeof *sources; s++) {
      struct parser parser = {sources[s]};
      tree whole = parse_sum(&parser);
      tree folded = fold(whole);
      long value = evaluate(whole, variables);
      if (value != evaluate(folded, variables)) {
        printf("folding changed the value of %s\n", sources[s]);
        return 1;
      }
      checksum = (checksum * 31 + value) % 1000003;
      if (round == 0)
        printf("%s = %ld (%ld nodes, folded %ld)\n", sources[s], value, size(whole), size(folded));
    }
  }
  printf("%ld rounds, checksum %ld\n", rounds, checksum);
  return 0;
}
