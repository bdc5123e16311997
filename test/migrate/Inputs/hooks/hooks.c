#include <stdio.h>
#include <stdlib.h>

/* Allocation through pointers to functions, and a destructor that is none. */
#define API(type) type

typedef struct {
  void *(*allocate)(size_t size);
  void (*release)(void *memory);
} hooks;

static hooks standard = {malloc, free};
static void (*destroy)(void *item);

struct item {
  struct item *next;
  int value;
};

API(struct item *) item_new(const hooks *with, struct item *next)
{
  struct item *item = (struct item *)with->allocate(sizeof(struct item));
  item->next = next;
  item->value = next ? next->value + 1 : 1;
  return item;
}

static void count(void *item)
{
  static int destroyed;
  printf("%d %d\n", ++destroyed, ((struct item *)item)->value);
}

int main(void)
{
  struct item *list = NULL;
  destroy = count;
  for (int i = 0; i < 5; i++)
    list = item_new(&standard, list);
  while (list) {
    struct item *next = list->next;
    destroy(list);
    standard.release(list);
    list = next;
  }
  return 0;
}
