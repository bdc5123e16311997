#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

static struct node managed *head;
long early_sum(void);

__attribute__((constructor)) static void fill(void)
{
  for (int i = 0; i < 10; i++) {
    struct node managed *node = cairn_new(struct node);
    node->value = i;
    node->next = head;
    head = node;
  }
  puts("the library's constructor");
}

long early_sum(void)
{
  long sum = 0;

  for (struct node managed *node = head; node; node = node->next)
    sum += node->value;
  return sum;
}
