// RUN: %root/test/run/Inputs/same %build --small 1 %s
// Managed code before main and after it: constructors, destructors, exit handlers, exit() from
// deep within.
#include <stdio.h>
#include <stdlib.h>
#include <cairn/cairn.h>

struct box {
  long value;
  struct box managed *next;
};
typedef struct box managed *ref;

static ref made_early;

static ref box(long value, ref next)
{
  ref b = cairn_new(struct box);

  b->value = value;
  b->next = next;
  return b;
}

__attribute__((constructor)) static void before(void)
{
  made_early = box(5, box(6, NULL));
  cairn_collect();
}

__attribute__((destructor)) static void after(void)
{
  made_early = box(made_early->value + 100, made_early);
  cairn_collect();
  printf("after: %ld %ld\n", made_early->value, made_early->next->next->value);
}

static void handler(void)
{
  made_early = box(made_early->value + 1, made_early->next);
  cairn_collect();
  printf("handler: %ld\n", made_early->value);
}

__attribute__((noinline)) static void leave(int depth, ref held)
{
  ref mine = box(depth, held);

  if (depth < 0)
    return;
  if (depth == 0)
    exit((int)mine->next->value);
  leave(depth - 1, mine);
  printf("unreachable %ld\n", mine->value);
}

int main(void)
{
  atexit(handler);
  printf("main: %ld\n", made_early->value + made_early->next->value);
  leave(3, NULL);
  return 0;
}
