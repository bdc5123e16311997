#include <stdio.h>
#include <stdlib.h>

/* Objects on the stack beside objects of the heap. */
typedef struct item {
  struct item *next;
  int value;
} item;

struct range {
  item *first;
  int count;
};

static void push(struct range *range, item *item)
{
  item->next = range->first;
  range->first = item;
  range->count++;
}

static int total(const item *item)
{
  return item ? item->value + total(item->next) : 0;
}

static struct range sized(int count)
{
  struct range range = {NULL, count};
  return range;
}

static struct range *range_new(void)
{
  return calloc(1, sizeof(struct range));
}

int main(void)
{
  item last = {.value = 5}, plain, *item = malloc(sizeof *item);
  struct range range, *other = range_new(), empty = sized(0);

  range.first = NULL;
  range.count = 0;
  item->value = 7;
  push(&range, &last);
  push(&range, item);
  empty = range;
  push(&empty, malloc(sizeof(last)));
  empty.first->value = (int)(sizeof empty / sizeof range);
  plain = *empty.first;
  *other = sized(3);
  push(other, &last);
  printf("%d %d %d %d %d\n", total(range.first), range.count, (&empty)->count, plain.value, other->count);
  free(empty.first);
  free(item);
  free(other);
  return 0;
}
