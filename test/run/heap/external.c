/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory outside of the heap. What would go wrong: it is never noticed, collections that free
 * nothing follow each other, a program that gives back what it takes collects.
 */
// RUN: %cairn-cc -O2 %s -o %t && %cairn-cc -O2 -fcairn-collector=generational %s -o %t.g
// RUN: env CAIRN_LOG=gc %t kept 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: env CAIRN_LOG=gc %t.g kept 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: env CAIRN_STATS=1 %t.g kept 2>&1 | FileCheck --check-prefix=STATS %s
// RUN: env CAIRN_LOG=gc %t.g given 2>&1 | FileCheck --check-prefix=GIVEN %s
// RUN: env CAIRN_LOG=gc %t.g freed 2>&1 | FileCheck --check-prefix=FREED %s
// RUN: env CAIRN_STRESS=100 %t.g kept 2>&1 | FileCheck --check-prefix=OVER %s
// RUN: clang -O1 -DCAIRN_PLAIN -Wall -Werror -I%root/include %s -o %t.plain && %t.plain kept 2>&1 | FileCheck --check-prefix=OVER %s
// KEPT: collection 1: external bytes, full
// KEPT: collection 2: external bytes, full
// KEPT: collection 5: external bytes, full
// KEPT-NOT: external bytes
// KEPT: over
// STATS: over
// STATS: external bytes: 314572800
// STATS-NEXT: external bytes, maximum: 314572800
// GIVEN-NOT: external bytes
// GIVEN: over
// FREED: collection 1: external bytes, full
// FREED-NOT: external bytes
// FREED: over
// OVER: over
#include <stdio.h>
#include <string.h>
#include <cairn/cairn.h>

struct wrapper {
  long number;
};

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  struct wrapper managed *last = NULL;

  for (long i = 0; i < 300; i++) {
    last = cairn_new(struct wrapper);
    last->number = i;
    cairn_external_bytes(1 << 20);
    if (strcmp(how, "given") == 0 || (strcmp(how, "freed") == 0 && i % 10 == 9))
      cairn_external_bytes(-(strcmp(how, "freed") == 0 ? 10L << 20 : 1 << 20));
  }
  fprintf(stderr, "over %ld\n", last->number);
  return 0;
}
