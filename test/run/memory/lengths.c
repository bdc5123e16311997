// RUN: %cairn-cc -O2 -I%root/include %s -o %t
// RUN: not %t array -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: not %t array 9223372036854775807 2>&1 | FileCheck %s -DN=9223372036854775807
// RUN: not %t array 2305843009213693952 2>&1 | FileCheck %s -DN=2305843009213693952
// RUN: not %t array 1152921504606846976 2>&1 | FileCheck %s -DN=1152921504606846976
// RUN: not %t flex -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: not %t flex 9223372036854775807 2>&1 | FileCheck %s -DN=9223372036854775807
// RUN: not %t constant 0 2>&1 | FileCheck %s -DN=-3 --check-prefix=NEGATIVE
// RUN: not %t uninit -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: not %t uninit 1152921504606846976 2>&1 | FileCheck %s -DN=1152921504606846976
// RUN: not %t flex-uninit -9 2>&1 | FileCheck %s -DN=-9 --check-prefix=NEGATIVE
// RUN: not %t flex-uninit 9223372036854775807 2>&1 | FileCheck %s -DN=9223372036854775807
// RUN: not %t constant-uninit 0 2>&1 | FileCheck %s -DN=-3 --check-prefix=NEGATIVE
// RUN: not %t constant-flex 0 2>&1 | FileCheck %s -DN=9223372036854775807
// RUN: not %t resize -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: not %t resize 1152921504606846976 2>&1 | FileCheck %s -DN=1152921504606846976
// RUN: not %t resize-uninit -9223372036854775808 2>&1 | FileCheck %s -DN=-9223372036854775808 --check-prefix=NEGATIVE
// RUN: not %t resize-uninit 9223372036854775807 2>&1 | FileCheck %s -DN=9223372036854775807
// RUN: not %t resize-constant 0 2>&1 | FileCheck %s -DN=-3 --check-prefix=NEGATIVE
// RUN: not %t unused -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: not %t unused-constant 0 2>&1 | FileCheck %s -DN=-3 --check-prefix=NEGATIVE
// RUN: not %t unused-uninit 9223372036854775807 2>&1 | FileCheck %s -DN=9223372036854775807
// Not so long that it overflows, but longer than any heap:
// RUN: not %t array 1000000000000 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not %t resize 1000000000000 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: {{^}}cairn: out of memory: cannot allocate 80000000000{{[0-9]+}} bytes
// RUN: %t resize 3 | FileCheck %s --check-prefix=FINE
// RUN: %t resize-uninit 0 | FileCheck %s --check-prefix=FINE
// RUN: %t unused 3 | FileCheck %s --check-prefix=FINE
// RUN: env CAIRN_STRESS=1 %t resize 3 | FileCheck %s --check-prefix=FINE
// RUN: not env CAIRN_STRESS=1 %t resize -1 2>&1 | FileCheck %s -DN=-1 --check-prefix=NEGATIVE
// RUN: %t array 3 | FileCheck %s --check-prefix=FINE
// RUN: %t flex-uninit 3 | FileCheck %s --check-prefix=FINE
// RUN: sh -c '%t array -5 2>/dev/null; echo "status $?"' | FileCheck %s --check-prefix=STATUS
// A length that is negative or overflows is an error, never a small block. One line says what and where.
// NEGATIVE: {{^}}cairn: negative array length [[N]] at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}){{$}}
// CHECK: {{^}}cairn: array of [[N]] elements of 8 bytes at pc 0x{{[0-9a-f]+}} (main+0x{{[0-9a-f]+}}): the size overflows{{$}}
// FINE: fine
// STATUS: status 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct flex {
  long n;
  long numbers[];
};

int main(int argc, char **argv)
{
  long n = atol(argv[2]);

  (void)argc;
  if (strcmp(argv[1], "array") == 0) {
    short managed *numbers = cairn_new_array(short, 1);
    long managed *array = cairn_new_array(long, n);
    array[0] = numbers[0];
  } else if (strcmp(argv[1], "flex") == 0) {
    struct flex managed *flex = cairn_new_flex(struct flex, n, numbers);
    flex->n = n;
  } else if (strcmp(argv[1], "uninit") == 0) {
    long managed *array = cairn_new_array_uninit(long, n);
    array[0] = n;
  } else if (strcmp(argv[1], "flex-uninit") == 0) {
    struct flex managed *flex = cairn_new_flex_uninit(struct flex, n, numbers);
    flex->n = n;
  } else if (strcmp(argv[1], "constant-uninit") == 0) {
    long managed *array = cairn_new_array_uninit(long, -3);
    array[0] = n;
  } else if (strcmp(argv[1], "constant-flex") == 0) {
    struct flex managed *flex = cairn_new_flex(struct flex, 9223372036854775807, numbers);
    flex->n = n;
  } else if (strncmp(argv[1], "resize", 6) == 0) {
    long managed *array = cairn_new_array(long, 2);
    if (strcmp(argv[1], "resize") == 0)
      array = cairn_resize_array(array, n);
    else if (strcmp(argv[1], "resize-uninit") == 0)
      array = cairn_resize_array_uninit(array, n);
    else
      array = cairn_resize_array(array, -3);
    if (n > 0)
      array[0] = n;
  } else if (strcmp(argv[1], "unused") == 0) {
    cairn_new_array(long, n);
  } else if (strcmp(argv[1], "unused-constant") == 0) {
    cairn_new_array(long, -3);
  } else if (strcmp(argv[1], "unused-uninit") == 0) {
    cairn_new_array_uninit(long, n);
  } else {
    long managed *array = cairn_new_array(long, -3);
    array[0] = n;
  }
  printf("fine\n");
  return 0;
}
