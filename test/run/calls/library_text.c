/* SPDX-License-Identifier: Apache-2.0
 *
 * strlen(), memcmp() and others on references: texts of all short lengths and around the limit from which on they are
 * read in pieces, with references and ordinary pointers as arguments. The results are those of plain C, objects that
 * are held meanwhile move and stay, and a long text is read with polls.
 */
// RUN: clang -O1 -fno-builtin -DCAIRN_PLAIN -I%root/include %s -o %t.plain && %t.plain > %t.expected
// RUN: for level in -O0 -O2 -O3 -Os; do %cairn-cc $level -g %s -o %t && \
// RUN:   %t | diff %t.expected - && env CAIRN_STRESS=1 %t | diff %t.expected - || exit 1; done
// RUN: %cairn-cc -O2 -S -emit-llvm %s -o %t.ll && FileCheck %s < %t.ll
// RUN: %cairn verify --time-to-safepoint %t.ll | FileCheck %s --check-prefix=TIME
// TIME-NOT: unknown
// Short texts need no safepoint, and the names are the C library's again.
// CHECK-LABEL: define {{.*}}@is_word(
// CHECK-NOT: gc.statepoint
// CHECK: call i32 @memcmp(
// CHECK-NOT: gc.statepoint
// CHECK: ret
// CHECK-NOT: @cairn.libc
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <cairn/cairn.h>

enum { LIMIT = 16 << 10, SLOW = LIMIT / 8, ROOM = 3 * LIMIT };

struct box {
  long value;
};
static unsigned long hash;

__attribute__((noinline)) int is_word(const char managed *text)
{
  return memcmp(text, "word", 4) == 0;
}

__attribute__((noinline)) static void note(long value, struct box managed *box)
{
  hash = hash * 31 + (unsigned long)value + (unsigned long)box->value;
}

static long sign(int n)
{
  return n < 0 ? -1 : n > 0;
}

__attribute__((noinline)) static void compare(const char managed *a, const char managed *b, const char *native,
                                              size_t n)
{
  struct box managed *box = cairn_new(struct box);

  box->value = (long)n;
  note((long)strlen(a), box);
  note(sign(strcmp(a, b)), box);
  note(sign(strcmp(native, a)), box);
  note(sign(strncmp(a, b, n)), box);
  note(sign(strncmp(b, native, n + 1)), box);
  note(sign(strcasecmp(a, b)), box);
  note(sign(strncasecmp(a, native, n)), box);
  note(sign(memcmp(a, b, n)), box);
  note(sign(memcmp(native, b, n)), box);
  note((long)strlen(native), box);
  note(is_word(a), box);
}

static char managed *make(long length, char fill)
{
  char managed *text = cairn_new_array(char, length + 1);

  memset(text, fill, (size_t)length);
  return text;
}

static void compare_length(long length)
{
  static char native[ROOM + 1];
  const char managed *a = make(length, 'a');
  char managed *b = make(length, 'a');

  memset(native, 'a', (size_t)length);
  native[length] = 0;
  compare(a, b, native, (size_t)length);
  if (length == 0)
    return;
  b[length - 1] = 'A';
  compare(a, b, native, (size_t)length);
  b[length / 2] = 'b';
  native[length / 2] = 0;
  compare(a, b, native, (size_t)length / 2);
}

int main(void)
{
  const long around[] = {SLOW, LIMIT, 2 * LIMIT, ROOM};

  for (long length = 0; length < 70; length++)
    compare_length(length);
  for (size_t i = 0; i < sizeof around / sizeof *around; i++)
    for (long length = around[i] - 2; length <= around[i] + 2 && length <= ROOM; length++)
      compare_length(length);
  printf("%lx %d %d\n", hash, is_word(make(8, 'w')), is_word(make(4, 'x')));
  return 0;
}
