#include <stdio.h>
#include "hello.h"

int main(int argc, char **argv)
{
  (void)argv;
  printf(GREETING " %d\n", argc);
  return argc - 1;
}
