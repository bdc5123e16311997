/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins of what cannot be pinned: one line with what and where, and the program ends.
 */
// RUN: %cairn-cc -O2 -fcairn-collector=generational %s -o %t
// RUN: not --crash %t null 2>&1 | FileCheck --check-prefix=NULL %s
// RUN: not --crash %t global 2>&1 | FileCheck --check-prefix=GLOBAL %s
// RUN: not --crash %t twice 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: env CAIRN_STRESS=1 not --crash %t twice 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: not --crash %t garbage 2>&1 | FileCheck --check-prefix=GARBAGE %s
// RUN: env CAIRN_STRESS=1 not --crash %t garbage 2>&1 | FileCheck --check-prefix=GARBAGE %s
// RUN: not --crash %t header 2>&1 | FileCheck --check-prefix=HEADER %s
// NULL: cairn: fatal: thread {{.*}}: cairn_pin at {{.*}}wrong.c:[[#]]: 0x0 is no object of the heap
// GLOBAL: cairn: fatal: thread {{.*}}: cairn_pin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is no object of the heap
// TWICE: cairn: fatal: thread {{.*}}: cairn_unpin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is not pinned, or has been
// GARBAGE: cairn: fatal: thread {{.*}}: cairn_unpin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is not pinned
// HEADER: cairn: fatal: 0x{{[0-9a-f]+}} was pinned at {{.*}}wrong.c:[[#]], and no object is there
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/pin.h>

typedef char managed *bytes;
cairn_leaf bytes outside(void);
__asm__(".text\n.globl outside\noutside: lea outside(%rip), %rax\nret");

__attribute__((noinline)) static void *pin_garbage(void)
{
  return cairn_pin(cairn_new_array(char, 100));
}

int main(int argc, char **argv)
{
  bytes buffer = cairn_new_array(char, 100);
  const char *how = argc > 1 ? argv[1] : "";

  if (strcmp(how, "null") == 0)
    cairn_pin((bytes)0);
  if (strcmp(how, "global") == 0)
    cairn_pin(outside());
  if (strcmp(how, "twice") == 0) {
    cairn_pin(buffer);
    cairn_unpin(buffer);
    cairn_unpin(buffer);
  }
  if (strcmp(how, "garbage") == 0) { /* its pin went with it */
    void *address = pin_garbage();
    cairn_collect();
    cairn_unpin_address(address);
  }
  if (strcmp(how, "header") == 0) {
    cairn_pin(buffer - 12);
    cairn_collect();
  }
  return 0;
}
