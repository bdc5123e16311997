// RUN: %cairn-cc -O2 -g -I%root/include -fcairn-report -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %root/test/run/Inputs/same %build --levels -O2 --no-plain %s
// The managed forms of C's objects on the stack: a compound literal whose address a function gets, a result by address,
// a head that is allocated for a list. Wrong: an allocation for an object that stays private to its function; a use of
// the head's node instead of the list.
#include <stdio.h>
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
  long key;
};
struct span {
  long from, to;
};

static long length(struct span managed *s)
{
  return s->to - s->from;
}

static void find(struct node managed *list, struct span managed *found)
{
  for (found->from = list->key; list; list = list->next)
    found->to = list->key;
}

// CHECK: compound ({{.*}}): no safepoint, no call
long compound(long from, long to)
{
  return length(cairn_new_init(struct span, .from = from, .to = to));
}

// CHECK: by_address ({{.*}}): 1 poll, 0 other safepoints
long by_address(struct node managed *list)
{
  struct span managed *found = cairn_new(struct span);

  find(list, found);
  return length(found);
}

// The head stays: `tail->next` may be a member of the head, or of a node.
// CHECK: private.c:[[#@LINE+3]]:{{.*}} is allocated: it is one of several that {{.*}}[object-allocated]
__attribute__((noinline)) struct node managed *dummy_head(long count)
{
  struct node managed *head = cairn_new(struct node), *tail = head;

  for (long i = 0; i < count; i++) {
    tail = tail->next = cairn_new(struct node);
    tail->key = i;
  }
  return head->next;
}

// Without a head: the list, and its last node.
__attribute__((noinline)) struct node managed *cursor(long count)
{
  struct node managed *list = NULL, *last = NULL;

  for (long i = 0; i < count; i++) {
    struct node managed *fresh = cairn_new_init(struct node, .key = i);
    if (last)
      last->next = fresh;
    else
      list = fresh;
    last = fresh;
  }
  return list;
}

int main(void)
{
  printf("%ld %ld %ld %ld\n", compound(3, 10), by_address(dummy_head(8)), by_address(cursor(20)),
         cursor(5)->next->next->key);
  return 0;
}
