/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings around the limit from which on their functions are called through transitions, and long
 * ones (docs/placement.md, "Long calls"): results as of plain C, and objects that are held meanwhile
 * stay. A second thread asks for safepoints while the main thread is in strlen of megabytes: it
 * must be found in native code, again and again, though it does nothing else.
 */
// RUN: clang -O1 -fno-builtin -DCAIRN_PLAIN -I%root/include %s -o %t.plain -lpthread && %t.plain > %t.expected
// RUN: for level in -O0 -O2 -Os; do %cairn-cc $level -g -fcairn-manage=all %s -o %t -lpthread && \
// RUN:   %t | diff %t.expected - && env CAIRN_STRESS=1 %t | diff %t.expected - || exit 1; done
// RUN: nm %t | FileCheck %s
// RUN: %cairn-cc -O2 -fcairn-manage=all -D_FORTIFY_SOURCE=2 %s -o %t.fortified -lpthread && \
// RUN:   %t.fortified | diff %t.expected -
// RUN: %cairn-cc -O2 -fcairn-manage=all -S -emit-llvm %s -o %t.ll && \
// RUN:   %cairn verify --time-to-safepoint %t.ll | FileCheck %s --check-prefix=TIME
// CHECK-DAG: cairn.call.strlen
// CHECK-DAG: cairn.call.wcslen
// CHECK-DAG: cairn.long.llvm.memcpy.inline
// TIME-NOT: unknown
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>
#include <cairn/cairn.h>

enum { LIMIT = 16 << 10, SLOW = LIMIT / 8, ROOM = 4 * LIMIT, FILLED = 70000, LONG = 32 << 20, NATIVE = 20 };

struct box {
  long value;
};
static char *a, *b, *c;
static wchar_t *v, *w;
static unsigned long hash;
static char *volatile string;
static volatile int scans, done;

__attribute__((noinline)) static void note(long value, struct box managed *box)
{
  hash = hash * 31 + (unsigned long)value + (unsigned long)box->value;
}

static long sign(int n)
{
  return n < 0 ? -1 : n > 0;
}

static long at(const char *found, const char *from)
{
  return found ? found - from : -1;
}

__attribute__((noinline)) static void compare(struct box managed *box, size_t n)
{
  note(sign(strcmp(a, b)), box);
  note(sign(strncmp(a, b, n)), box);
  note(sign(strcasecmp(a, b)), box);
  note(sign(strncasecmp(a, b, n + 1)), box);
  note(sign(strcoll(a, b)), box);
}

__attribute__((noinline)) static void search(struct box managed *box, size_t n)
{
  note((long)strlen(a), box);
  note((long)strnlen(a, n), box);
  note(at(strchr(a, 'y'), a), box);
  note(at(strchrnul(a, 'y'), a), box);
  note(at(strrchr(a, 'x'), a), box);
  note((long)strspn(a, "x"), box);
  note((long)strcspn(a, "yz"), box);
  note(at(strpbrk(a, "yz"), a), box);
  note(at(strstr(a, "xy"), a), box);
  note(at(strcasestr(a, "XY"), a), box);
}

__attribute__((noinline)) static void copy(struct box managed *box, size_t n)
{
  note(strcpy(c, a) - c, box);
  note(sign(strcmp(a, c)), box);
  note(at(stpcpy(c, a), c), box);
  strcat(c, b);
  note((long)strlen(c), box);
  strncpy(c, a, n + 7);
  note(at(stpncpy(c, b, n), c), box);
  char *d = strdup(a), *e = strndup(a, n / 2);
  note((long)strlen(d) + (long)strlen(e), box);
  free(d);
  free(e);
}

/* What is made through a transition each time, and what says how much it does. */
__attribute__((noinline)) static void others(struct box managed *box, size_t n)
{
  char *rest = b;

  memset(b, 'x', n);
  strcpy(b + n, " y z");
  note((long)strlen(strtok(b, " ")), box);
  note(at(strtok(NULL, " "), b), box);
  strcpy(b, a);
  note((long)strlen(strsep(&rest, "y")), box);
  note(at(rest, b), box);
  note((long)strxfrm(c, a, n), box);
  note(at(rawmemchr(a, 0), a), box);
  strcpy(c, "");
  strncat(c, a, n / 2);
  note(at(memccpy(c, a, 'y', n + 1), c), box);
  note(at(memrchr(a, 'x', n), a), box);
  note(at(memmem(a, n, "x", 1), a), box);
  note(at(mempcpy(c, a, n), c), box);
  bcopy(a, c, n);
  bzero(c, n / 2);
  explicit_bzero(c, n / 3);
  note((long)strlen(c + n / 2), box);
}

__attribute__((noinline)) static void wide(struct box managed *box, size_t n)
{
  wmemset(w, L'x', n)[n] = 0;
  note((long)wcslen(w), box);
  wcscpy(v, w);
  note(wcscmp(v, w), box);
  note(wcsncmp(v, w, n + 3), box);
  wcscat(v, L"yz");
  note(wcschr(v, L'y') - v, box);
  note(wcsrchr(v, L'z') - v, box);
  note(wcsstr(v, L"yz") - v, box);
  note(wmemchr(v, L'y', n + 2) - v, box);
  note(wmemcmp(v, w, n), box);
  wmemcpy(v, w, n);
  wmemmove(v + 1, v, n);
  wcsncpy(v, w, n + 3);
  note((long)wcstombs(c, v, n + 1), box);
  note((long)mbstowcs(v, c, n + 1), box);
}

/* Made in pieces, whose loops LLVM makes. For AArch64, LLVM 22 makes no loop of a plain program's,
 * and takes minutes. */
#ifdef CAIRN_PLAIN
#define MEMSET memset
#define MEMCPY memcpy
#else
#define MEMSET __builtin_memset_inline
#define MEMCPY __builtin_memcpy_inline
#endif
__attribute__((noinline)) static void fill(struct box managed *box)
{
  MEMSET(string, 'x', FILLED);
  MEMCPY(string + FILLED, string + 1, FILLED - 1);
  note((long)strlen(string), box);
}

static void around(long n)
{
  struct box managed *box = cairn_new(struct box);

  box->value = n;
  memset(a, 'x', (size_t)n);
  strcpy(a + n, "");
  strcpy(b, a);
  compare(box, (size_t)n);
  search(box, (size_t)n);
  copy(box, (size_t)n);
  b[n] = 'y';
  b[n + 1] = 0;
  compare(box, (size_t)n);
  strcpy(a, b);
  search(box, (size_t)n + 2);
  copy(box, (size_t)n + 1);
  others(box, (size_t)n);
  wide(box, (size_t)n);
}

#ifndef CAIRN_PLAIN
#include <cairn/thread.h>

static void *ask(void *unused)
{
  struct cairn_arrival arrival;

  while (!scans)
    ;
  for (int native = 0; native < NATIVE;)
    if (cairn_safepoint_ask(0, &arrival, UINT64_MAX) == CAIRN_OK)
      native += arrival.native;
  done = 1;
  return unused;
}
#endif

/* All of its time it is in strlen, and comes to no other native code. */
__attribute__((noinline)) static long scan(void)
{
  long n;

  scans = 1;
  do
    n = (long)strlen(string);
  while (!done);
  return n;
}

int main(void)
{
  struct box managed *box = cairn_new(struct box);
  static const long lengths[] = {0,         1,     SLOW - 1,  SLOW,         SLOW + 1,
                                 LIMIT - 1, LIMIT, LIMIT + 1, 3 * LIMIT / 2};

  a = malloc(ROOM);
  b = malloc(ROOM);
  c = malloc(ROOM);
  v = malloc(ROOM * sizeof *v);
  w = malloc(ROOM * sizeof *w);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    around(lengths[i]);
    printf("%ld %lx\n", lengths[i], hash);
  }
  string = calloc(LONG + 1, 1);
  fill(box);
  printf("%lx\n", hash);
  memset(string, 'x', LONG);
  string[LONG] = 0;
#ifdef CAIRN_PLAIN
  done = 1;
#else
  pthread_t thread;
  if (pthread_create(&thread, NULL, ask, NULL) != 0)
    return 2;
#endif
  printf("%ld\n", scan());
#ifndef CAIRN_PLAIN
  pthread_join(thread, NULL);
#endif
  return 0;
}
