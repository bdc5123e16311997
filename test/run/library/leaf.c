// RUN: %root/test/run/Inputs/same %build --small 3 --args 40 %s
// RUN: %cairn-cc -O2 -I%root/include %s -o %t && nm %t | FileCheck %s
// CHECK-NOT: cairn.call.strlen
// CHECK: U strlen
// RUN: not %cairn-cc -O2 -DWRONG -I%root/include -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WRONG
// Leaves that take references and are functions of the C library, beside the same functions on ordinary memory. Wrong:
// the optimiser makes another function of the library out of a call; a native string comes to the managed declaration.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

#ifdef CAIRN_PLAIN
#define length_of strlen
#define compare strcmp
#define compare_bytes memcmp
#define span strcspn
#else
cairn_leaf size_t length_of(const char managed *text) __asm__("strlen");
cairn_leaf int compare(const char managed *a, const char managed *b) __asm__("strcmp");
cairn_leaf int compare_bytes(const void managed *a, const void managed *b, size_t n) __asm__("memcmp");
cairn_leaf size_t span(const char managed *text, const char *others) __asm__("strcspn");
#endif

#ifdef WRONG
size_t without_a_leaf(const char managed *text)
{
  // WRONG: leaf.c:[[@LINE+1]]:{{.*}}strrchr() is given a reference{{.*}}cairn/string.h{{.*}}[reference-to-unmanaged]
  return strrchr(text, 97) != NULL;
}
#endif

__attribute__((noinline)) static char managed *letters(long n)
{
  char managed *text = cairn_new_array(char, n + 1);

  for (long i = 0; i < n; i++)
    text[i] = (char)('a' + i % 26);
  return text;
}

int main(int argc, char **argv)
{
  long n = argc > 1 ? atol(argv[1]) : 10, sum = 0;
  char native[64] = "native";

  for (long i = 0; i < n; i++) {
    char managed *a = letters(i);
    char managed *managed *b = cairn_new_array(char managed *, 1);
    b[0] = letters(i);
    sum = sum * 3 + (long)length_of(a) + (long)strlen(native);
    sum = sum * 3 + (compare(a, b[0]) == 0) + (compare_bytes(a, b[0], (size_t)i) == 0) + (strcmp(native, argv[0]) == 0);
    b[0][i / 2] = '!';
    sum = sum * 3 + (compare(a, b[0]) < 0) + (compare_bytes(a, b[0], (size_t)i + 1) == 0) + (long)span(b[0], "!");
    sum += (length_of(a) != 0) + (compare(a, letters(0)) == 0) + (long)strlen(native + i % 6);
  }
  printf("%ld\n", sum);
  return 0;
}
