#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  long value;
  struct node *next;
};

struct list {
  struct node *head, *tail;
  size_t count;
  char *name;
};

static struct list *list_new(const char *name)
{
  struct list *list = malloc(sizeof *list);
  if (!list) {
    perror("malloc");
    exit(1);
  }
  list->head = list->tail = NULL;
  list->count = 0;
  list->name = strdup(name);
  return list;
}

static void list_add(struct list *list, long value)
{
  struct node *node = (struct node *)malloc(sizeof(struct node));
  node->value = value;
  node->next = NULL;
  if (list->tail)
    list->tail->next = node;
  else
    list->head = node;
  list->tail = node;
  list->count++;
}

static void list_remove(struct list *list, long value)
{
  struct node **at = &list->head;
  while (*at) {
    struct node *node = *at;
    if (node->value == value) {
      *at = node->next;
      free(node);
      list->count--;
    } else {
      at = &node->next;
    }
  }
}

static void list_free(struct list *list)
{
  struct node *node = list->head, *next;
  for (; node; node = next) {
    next = node->next;
    free(node);
  }
  if (list->name)
    free(list->name);
  free(list);
}

int main(int argc, char **argv)
{
  struct list *list = list_new("numbers");
  long sum = 0;
  int *squares = NULL, room = 0, n;
  for (n = 0; n < 100; n++) {
    if (n >= room)
      squares = realloc(squares, (room = 2 * room + 1) * sizeof *squares);
    squares[n] = n * n;
    list_add(list, squares[n]);
  }
  list_remove(list, 81);
  for (struct node *node = list->head; node != NULL; node = node->next)
    sum += node->value;
  printf("%s: %zu numbers, sum %ld\n", list->name, list->count, sum);
  free(squares);
  list_free(list);
  return argc > 9 ? argv[1][0] : 0;
}
