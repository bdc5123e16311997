#include <stdio.h>
#include <stdlib.h>

/* Sentinels, tables and heads of lists that are variables. */
struct line {
  struct line *next, *previous;
  int number;
};

typedef struct tree {
  struct tree *left, *right;
  int key;
} tree;

static struct line first = {&first, &first, 0};
extern tree nil;
tree nil = {&nil, &nil, 0}, *root = &nil;
static struct line *free_lines;
static const tree table[2] = {{&nil, &nil, 10}, {&nil, &nil, 20}};
static struct line count;

static struct line *line_new(int number)
{
  struct line *line = free_lines;
  if (line)
    free_lines = line->next;
  else
    line = malloc(sizeof *line);
  line->number = number;
  return line;
}

static void append(int number)
{
  struct line *line = line_new(number);
  line->next = &first;
  line->previous = first.previous;
  first.previous->next = line;
  first.previous = line;
}

static void remove_line(int number)
{
  for (struct line **at = &first.next; *at != &first; at = &(*at)->next)
    if ((*at)->number == number) {
      struct line *line = *at;
      line->next->previous = line->previous;
      *at = line->next;
      line->next = free_lines;
      free_lines = line;
      return;
    }
}

static void put(tree **at, int key)
{
  while (*at != &nil)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = malloc(sizeof(tree));
  **at = (struct tree){&nil, &nil, key};
}

static int sum(const tree *t)
{
  return t == &nil ? 0 : t->key + sum(t->left) + sum(t->right);
}

int main(void)
{
  int total = 0;
  for (int i = 0; i < 50; i++) {
    append(i);
    put(&root, i * 37 % 50);
  }
  remove_line(7);
  append(100);
  for (const struct line *line = first.next; line != &first; line = line->next)
    total += line->number;
  count.number = sum(root) + sum(&table[1]);
  printf("%d %d\n", total, count.number);
  return 0;
}
