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
// RUN: for how in stack malloc immediate high; do not --crash %t $how 2>&1 | FileCheck --check-prefix=GLOBAL %s; done
// RUN: for how in never none other address; do not --crash %t $how 2>&1 | FileCheck --check-prefix=TWICE %s; \
// RUN:   env CAIRN_STRESS=1 not --crash %t $how 2>&1 | FileCheck --check-prefix=TWICE %s; done
// RUN: not --crash %t thread 2>&1 | FileCheck --check-prefix=THREAD %s
// RUN: not --crash %t far 2>&1 | FileCheck --check-prefix=HEADER %s
// RUN: env CAIRN_STRESS=1 not --crash %t far 2>&1 | FileCheck --check-prefix=HEADER %s
// RUN: not --crash %t header 2>&1 | FileCheck --check-prefix=HEADER %s
// NULL: cairn: fatal: thread {{.*}}: cairn_pin at {{.*}}wrong.c:[[#]]: 0x0 is no object of the heap
// GLOBAL: cairn: fatal: thread {{.*}}: cairn_pin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is no object of the heap
// TWICE: cairn: fatal: thread {{.*}}: cairn_unpin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is not pinned, or has been
// GARBAGE: cairn: fatal: thread {{.*}}: cairn_unpin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is not pinned
// THREAD: cairn: fatal: thread {{.*}}(unpin+0x{{.*}}: cairn_unpin at {{.*}}wrong.c:[[#]]: 0x{{[0-9a-f]+}} is not pinned
// HEADER: cairn: fatal: 0x{{[0-9a-f]+}} was pinned at {{.*}}wrong.c:[[#]], and no object is there
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>
#include <cairn/pin.h>

typedef char managed *bytes;
cairn_leaf bytes outside(void);
#if __aarch64__
#define ADDRESS_OF_OUTSIDE "adr x0, outside"
#define FIRST_ARGUMENT "" /* has the register of the result */
#else
#define ADDRESS_OF_OUTSIDE "lea outside(%rip), %rax"
#define FIRST_ARGUMENT "mov %rdi, %rax"
#endif
__asm__(".text\n.globl outside\noutside: " ADDRESS_OF_OUTSIDE "\nret");

__attribute__((noinline)) static void *pin_garbage(void)
{
  return cairn_pin(cairn_new_array(char, 100));
}

/* The word as a reference. */
cairn_leaf bytes as_reference(void *word);
__asm__("as_reference: " FIRST_ARGUMENT "\nret");

static void pin_no_object(const char *how)
{
  char local[16];

  if (strcmp(how, "stack") == 0)
    cairn_pin(as_reference(local));
  if (strcmp(how, "malloc") == 0)
    cairn_pin(as_reference(malloc(100)));
  if (strcmp(how, "immediate") == 0)
    cairn_pin(as_reference((void *)4711));
  if (strcmp(how, "high") == 0)
    cairn_pin(as_reference((void *)0xffff800000000010));
}

static void *unpin(void *address)
{
  cairn_unpin_address(address);
  return NULL;
}

static void unpin_no_pin(const char *how, bytes buffer)
{
  void *address = cairn_pin(buffer);
  pthread_t thread;

  if (strcmp(how, "other") == 0) /* the same object, another address */
    cairn_unpin(buffer + 8);
  cairn_unpin(buffer);
  if (strcmp(how, "never") == 0)
    cairn_unpin(cairn_new_array(char, 100));
  if (strcmp(how, "none") == 0)
    cairn_unpin((bytes)0);
  if (strcmp(how, "address") == 0)
    cairn_unpin_address(&thread);
  if (strcmp(how, "thread") == 0) {
    pthread_create(&thread, NULL, unpin, address);
    pthread_join(thread, NULL);
  }
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
  pin_no_object(how);
  unpin_no_pin(how, buffer);
  if (strcmp(how, "far") == 0) {
    cairn_pin(buffer + 5000);
    cairn_collect();
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
