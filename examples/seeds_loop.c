/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of "Practical Fully Relocating Garbage Collection in LLVM" (2014): without safepoints
 * the optimiser makes it one memset; with safepoints inserted before the optimiser it stays a loop
 * of single stores; inserted late, it is as fast as without.
 *
 *   seeds_loop [elements [rounds]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cairn/cairn.h>

__attribute__((noinline)) static void foo(int managed *arr, long len)
{
  int managed *p = arr + len;

  while (p != arr) {
    p--;
    *p = 0;
  }
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "--help") == 0)
    return puts("usage: seeds_loop [elements [rounds]]") < 0;

  long len = argc > 1 ? atol(argv[1]) : 50000;
  long rounds = argc > 2 ? atol(argv[2]) : 200;
  long cleared = 0;
  int managed *last = NULL;

  for (long round = 0; round < rounds; round++) {
    int managed *arr = cairn_new_array(int, len + 1);
    for (long i = 0; i <= len; i++)
      arr[i] = (int)(round + i + 1);
    foo(arr, len);
    for (long i = 0; i < len; i++)
      cleared += arr[i] == 0;
    if (arr[len] != (int)(round + len + 1) || (last && last[len] != (int)(round + len))) {
      printf("cleared too much\n");
      return 1;
    }
    last = arr;
  }
  printf("%ld of %ld elements cleared\n", cleared, len * rounds);
  return 0;
}
