#include <stdio.h>

__attribute__((constructor)) static void first(void)
{
  puts("first");
}

__attribute__((constructor)) static void second(void)
{
  puts("second");
}

__attribute__((constructor(200))) static void early(void)
{
  puts("early");
}

__attribute__((destructor)) static void last(void)
{
  puts("last");
}

int main(void)
{
  puts("main");
  return 0;
}
