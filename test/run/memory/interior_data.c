// RUN: %cairn-cc -O2 -fno-pie -no-pie -static -I%root/include %s -o %t
// RUN: %t | FileCheck %s
// A pointer to each element of an array whose numbers sweep the addresses of the program itself,
// those of its object layouts among them: the word before such an element looks like an object's
// header, and is none.
// CHECK: 0 lost
#include <stdio.h>
#include <cairn/cairn.h>

extern char __executable_start, end;

__attribute__((noinline)) static long read_after_move(long managed *element)
{
  cairn_collect();
  return *element;
}

int main(void)
{
  long from = (long)&__executable_start & -8, to = (long)&end, lost = 0;
  long count = 512;

  /* Only what lies between the first and the last page that can hold a layout is of interest; sweep
   * all, in steps. */
  for (long base = from; base < to; base += count * 8) {
    long managed *numbers = cairn_new_array(long, count + 1);
    for (long i = 0; i <= count; i++)
      numbers[i] = base + i * 8;
    for (long i = 1; i <= count; i++)
      lost += read_after_move(&numbers[i]) != base + i * 8;
  }
  printf("%ld lost\n", lost);
  return 0;
}
