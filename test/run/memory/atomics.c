// RUN: %root/test/run/Inputs/same %build  %s
// Atomic operations on references and on data in managed memory.
#include <stdatomic.h>
#include <stdio.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *next;
};
typedef struct box managed *ref;

static ref head;

static ref box(long value)
{
  ref b = cairn_new(struct box);

  b->value = value;
  return b;
}

__attribute__((noinline)) static void push(ref b)
{
  ref seen = __atomic_load_n(&head, __ATOMIC_ACQUIRE);

  do {
    cairn_collect();
    seen = __atomic_load_n(&head, __ATOMIC_ACQUIRE);
    b->next = seen;
  } while (!__atomic_compare_exchange_n(&head, &seen, b, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

__attribute__((noinline)) static long drain(void)
{
  ref all = __atomic_exchange_n(&head, (ref)NULL, __ATOMIC_ACQ_REL);
  long sum = 0;

  for (; all; all = all->next) {
    cairn_collect();
    sum = sum * 10 + all->value;
  }
  return sum;
}

int main(void)
{
  long managed *counter = cairn_new_array(long, 2);

  for (long i = 1; i < 6; i++) {
    push(box(i));
    __atomic_fetch_add(&counter[1], i, __ATOMIC_SEQ_CST);
    cairn_collect();
  }
  long sum = drain();
  printf("%ld %ld %d\n", sum, counter[1], head == NULL);
  return 0;
}
