#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long value;
};

struct node managed *list_make(long count);
long list_sum(struct node managed *list);
