#include <cairn/cairn.h>

struct item {
  long value;
  struct item managed *next;
};
typedef struct item managed *item_ref;
typedef item_ref transform(item_ref);

struct stack {
  item_ref top;
  transform *on_push;
};

extern item_ref shared_item;
extern struct stack shared_stacks[2];

item_ref item_new(long value);
void stack_push(struct stack *stack, item_ref item);
item_ref stack_pop(struct stack *stack);
transform *transform_named(const char *name);
long visit(item_ref list, long (*f)(item_ref, long), long start);
static inline long length(item_ref list)
{
  long n = 0;
  for (; list; list = list->next)
    n++;
  return n;
}
