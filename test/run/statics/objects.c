// RUN: %root/test/run/Inputs/same %build  %s
// RUN: %root/test/run/Inputs/same %build --levels -O2 --own -fcairn-safepoints=early %s
// RUN: clang -O1 -w -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain > %t.expected
// RUN: %cairn-cc -O2 -I%root/include -fcairn-collector=generational %s -o %t
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t | diff %t.expected -
// RUN: %cairn-cc -O2 -I%root/include -fcairn-collector=semispace %s -o %t.semispace
// RUN: env CAIRN_STRESS=7 CAIRN_VERIFY=heap %t.semispace | diff %t.expected -
// Static objects: sentinels, tables and texts whose addresses are references, in objects, locals and globals. Wrong: a
// static object moves, a member of one is no root, a header that is missing, an object of the heap that is lost because
// only a static object leads to it.
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *left, *right;
  long key;
};

/* A sentinel that refers to itself, as in red-black trees. */
static struct node managed nil = {&nil, &nil, -1};
/* An external object, and one of zeros. */
struct node managed head = {.left = &nil};
struct node managed empty;

struct symbol {
  const char *word;
  const char managed *text;
  struct node managed *node;
};
static const char managed if_text[] = "if", else_text[] = "else";
static const struct symbol managed symbols[] = {
    {"if", if_text, &nil}, {"else", else_text, &head}, {"nothing", NULL, NULL}};
static long managed numbers[100] = {1, 2, 3};
static struct node managed *managed slots[50];

static struct node managed *insert(struct node managed *tree, long key)
{
  if (tree == &nil) {
    struct node managed *fresh = cairn_new_init(struct node, .left = &nil, .right = &nil, .key = key);
    return fresh;
  }
  if (key < tree->key)
    tree->left = insert(tree->left, key);
  else
    tree->right = insert(tree->right, key);
  return tree;
}

static long sum(struct node managed *tree)
{
  return tree == &nil ? 0 : sum(tree->left) + tree->key + sum(tree->right);
}

/* A static object in a function, and references into a static array, also in an object. */
static long managed *next_number(void)
{
  struct state {
    long managed *at;
    long count;
  };
  static struct state managed state;

  state.at = ++state.count % 2 ? &numbers[1] : &numbers[99];
  return state.at;
}

__attribute__((noinline)) static const struct symbol managed *find(const char *word)
{
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
    if (strcmp(symbols[i].word, word) == 0)
      return &symbols[i];
  return NULL;
}

int main(void)
{
  struct node managed *tree = &nil;
  const struct symbol managed *symbol = find("else");

  for (long i = 0; i < 60; i++)
    tree = insert(tree, i * 7 % 60);
  printf("sum %ld\n", sum(tree));

  /* Only static objects lead to the tree, and to a list of arrays. */
  head.right = tree;
  tree = NULL;
  for (int i = 0; i < 50; i++) {
    slots[i] = cairn_new(struct node);
    slots[i]->left = &empty;
    slots[i]->key = i;
  }
  symbol->node->left = slots[7];
  empty.left = slots[8];
  cairn_collect();
  long total = 0;
  for (int i = 0; i < 50; i++)
    total += slots[i]->key + (slots[i]->left == &empty);
  printf("slots %ld, tree %ld, 7: %ld %d, 8: %ld\n", total, sum(head.right), head.left->key, head.left == slots[7],
         empty.left->key);

  /* A young object in an old sentinel, again and again. */
  for (long i = 0; i < 200; i++) {
    struct node managed *fresh = cairn_new(struct node);
    fresh->key = i;
    fresh->left = nil.left;
    nil.left = fresh->left == &nil || i % 10 == 0 ? fresh : nil.left;
    nil.key = -1 - i;
  }
  printf("nil %ld %ld, right %d\n", nil.key, nil.left->key, nil.right == &nil);

  for (int i = 0; i < 150; i++)
    *next_number() += i;
  printf("numbers %ld %ld %ld\n", numbers[1], numbers[49], numbers[99]);
  symbol = find("if");
  printf("%s %c%c %zu\n", symbol->word, symbol->text[0], symbol->text[1], sizeof if_text);
  symbol = find("else");
  cairn_collect();
  printf("index %td, %zu\n", symbol - symbols, strlen(symbol->text));
  return find("while") != NULL;
}
