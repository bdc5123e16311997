#include <stdio.h>
#include <stdlib.h>

typedef struct tree tree;
struct tree {
  tree *left, *right;
  int key;
  int *marks;
};

static int made, depth;

static tree *insert(tree *t, int key)
{
  if (!t) {
    t = calloc(1, sizeof(tree));
    t->key = key;
    t->marks = calloc(4, sizeof(int));
    made++;
    return t;
  }
  if (key < t->key)
    t->left = insert(t->left, key);
  else if (key > t->key)
    t->right = insert(t->right, key);
  else
    t->marks[0]++;
  return t;
}

static void place(tree **at, int key)
{
  while (*at)
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  *at = insert(NULL, key);
}

static int sum(const tree *t) { return t ? t->key + t->marks[0] + sum(t->left) + sum(t->right) : 0; }

static void destroy(tree *t)
{
  if (t == NULL)
    return;
  destroy(t->left), destroy(t->right);
  if (t->marks != NULL)
    free(t->marks);
  free(t);
}

static tree *rotate(tree *t)
{
  tree *l = t->left;
  t->left = l->right;
  l->right = t;
  return l;
}

int main(void)
{
  tree *root = NULL;
  struct { tree *top; int n; } box = {0};
  unsigned x = 7;
  for (int i = 0; i < 500; i++, x = x * 1103515245u + 12345)
    root = insert(root, (int)(x >> 16) % 1000);
  box.top = root;
  box.n = made;
  place(&box.top->left, -5);
  root = rotate(root);
  printf("%d %d %d\n", sum(root), box.n, depth);
  destroy(root);
  return 0;
}
