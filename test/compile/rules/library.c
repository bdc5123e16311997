// Clang makes up a declaration with the address spaces of the arguments for each library function that it knows, so it
// does not say that a reference becomes an ordinary pointer. A result would point to where the object was; and LLVM's
// optimiser would make broken calls of these.
// Functions that only read, and return a number, are leaves (test/run/calls/library_text.c).
// RUN: not %cairn-cc -O0 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not %cairn-cc -O2 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %cairn-cc -O0 -DRIGHT -c %s -o %t.o && %cairn-cc -O2 -DRIGHT -c %s -o %t.o
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct text {
  long length;
  char at[];
};

#ifndef RIGHT
// CHECK: library.c:[[@LINE+3]]:{{.*}}'fill': strcpy() is given a reference, but takes {{.*}}[reference-to-unmanaged]
char *fill(struct text managed *text)
{
  return strcpy(text->at, "abc");
}

void *find(struct text managed *text)
{
  // CHECK: library.c:[[@LINE+1]]:{{.*}}memchr() is given a reference{{.*}}[reference-to-unmanaged]
  return memchr(text->at, 'x', 3);
}

void release(struct text managed *text)
{
  // CHECK: library.c:[[@LINE+1]]:{{.*}}free() is given a reference{{.*}}[reference-to-unmanaged]
  free(text);
}

void write_in(struct text managed *text, FILE *file)
{
  // CHECK: library.c:[[@LINE+1]]:{{.*}}snprintf() is given a reference{{.*}}[reference-to-unmanaged]
  snprintf(text->at, 3, "%d", 4);
  // CHECK: library.c:[[@LINE+1]]:{{.*}}fread() is given a reference{{.*}}[reference-to-unmanaged]
  if (fread(text->at, 1, 3, file))
    // CHECK: library.c:[[@LINE+1]]:{{.*}}printf() is given a reference{{.*}}[reference-to-unmanaged]
    printf(text->at);
}
#endif

// These only read, and return no pointer.
size_t measure(struct text managed *text)
{
  return strlen(text->at);
}

int compare(struct text managed *text)
{
  return memcmp("abc", text->at, 3);
}

// What is done in line is no call; and these know what is at either end.
void move(struct text managed *to, struct text managed *from)
{
  char line[10];

  memcpy(to->at, from->at, 10);
  memmove(to->at + 1, to->at, 10);
  memset(to->at, 0, 1);
  cairn_copy_out(line, from->at, 10);
  puts(line);
}
