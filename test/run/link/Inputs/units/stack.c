#include "units.h"

void stack_push(struct stack *stack, item_ref item)
{
  item_ref top = stack->on_push ? stack->on_push(item) : item;

  top->next = stack->top;
  stack->top = top;
}

item_ref stack_pop(struct stack *stack)
{
  item_ref top = stack->top;

  if (top) {
    stack->top = top->next;
    top->next = NULL;
  }
  return top;
}

long visit(item_ref list, long (*f)(item_ref, long), long start)
{
  for (; list; list = list->next)
    start = f(list, start);
  return start;
}
