#include <stdio.h>

#ifdef ALONE
static long early_sum(void)
{
  return 0;
}
#else
long early_sum(void);
#endif

static int seven(void)
{
  return 7;
}

static int (*resolve(void))(void)
{
  return seven;
}

int resolved(void) __attribute__((ifunc("resolve")));

int main(void)
{
  printf("resolved %d, sum %ld\n", resolved(), early_sum());
  return 0;
}
