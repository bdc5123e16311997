#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node *left, *right;
  int key;
};
struct tree {
  struct node *root;
  int count;
};

/* `at` points into a tree, or to a variable of the caller. */
static void insert(struct node **at, int key)
{
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  struct node *node = calloc(1, sizeof *node);
  node->key = key;
  *at = node;
}

static int sum(const struct node *node)
{
  return node ? sum(node->left) * 2 + node->key + sum(node->right) * 3 : 0;
}

static struct node *several(int n)
{
  struct node *other = NULL, *top, *first = other;
  for (top = first; n > 0; n--)
    insert(&top, n * 7 % 5);
  insert(&other, sum(top));
  other->left = top;
  return other;
}

/* Drops `const` from texts and from nodes. */
static void *without_const(const void *any)
{
  return (void *)any;
}
static struct node *leftmost(const struct node *node)
{
  return node->left ? leftmost(node->left) : without_const(node);
}

/* The program does not call it. */
int is_leaf(const struct node *node)
{
  return !node->left && !node->right;
}

/* Members of an array that memory keeps, through parameters and a result. */
struct list {
  int *at;
  struct list *next;
};
static int *second(int *numbers)
{
  return numbers + 1;
}
static struct list *keep(int *number, struct list *next)
{
  struct list *list = malloc(sizeof *list);
  list->at = number;
  list->next = next;
  return list;
}

/* A variable that moves into an object after the store, and one that does so before it, in a loop. */
struct row {
  long *cells;
  short *last;
};
static struct row *row_of(long n)
{
  struct row *row = calloc(1, sizeof *row);
  long *at = calloc(8, sizeof *at);
  row->cells = at;
  for (at++; n > 0; n--)
    *at++ = n;
  short *numbers = calloc(4, sizeof *numbers);
  for (int i = 0; i < 3; i++) {
    row->last = numbers;
    *numbers++ = (short)i;
  }
  return row;
}

int main(void)
{
  struct tree *tree = calloc(1, sizeof *tree);
  for (int i = 0; i < 6; i++)
    insert(&tree->root, i * 5 % 7);
  int *numbers = calloc(4, sizeof *numbers);
  numbers[1] = 3;
  numbers[2] = 4;
  struct list *list = keep(second(numbers), keep(&numbers[2], NULL));
  char *text = without_const("text");
  struct row *row = row_of(5);
  printf("%ld %ld %d\n", row->cells[1], row->cells[5], *row->last);
  printf("%s %d %d %d %d\n", text, leftmost(tree->root)->key, sum(tree->root), sum(several(6)), *list->at + *list->next->at);
  return 0;
}
