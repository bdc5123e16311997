// RUN: not %cairn-cc -O1 -I%root/include -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error: %s
// RUN: %cairn-cc -O1 -DFINE -I%root/include -c %s -o %t.o
// RUN: not %cairn-cc -O1 -DFINE -DDERIVED -I%root/include -c %s -o %t.o 2>&1 | \
// RUN:   FileCheck --check-prefix=DERIVED --implicit-check-not=error: %s
// Memory of the C library that is to hold references, whatever it is kept in; the middle of an object, given to who
// stores it. Wrong: a program that compiles, and ends at the first such store.
#include <cairn/cairn.h>
#include <stdlib.h>

struct file {
  struct file managed *next;
  long size;
};
struct table {
  long count;
  struct file managed **files;
};
static struct file managed **all;
static _Thread_local struct file managed **own;
static struct file managed *last;
static long *numbers;

#ifndef FINE
void start(struct table managed *t, long n)
{
  // CHECK: containers.c:[[@LINE+1]]:{{.*}}member 2 of struct.table leads {{.*}} malloc(), {{.*}}[unmanaged-store]
  t->files = malloc((size_t)n * sizeof *t->files);
  // CHECK: containers.c:[[@LINE+1]]:{{.*}}global all leads to references, {{.*}} calloc(), {{.*}}[unmanaged-store]
  all = calloc((size_t)n, sizeof *all);
  // CHECK: containers.c:[[@LINE+1]]:{{.*}}global own leads to references, {{.*}} calloc(), {{.*}}[unmanaged-store]
  own = calloc((size_t)n, sizeof *own);
}

void grow(struct table *t, long n)
{
  // CHECK: containers.c:[[@LINE+1]]:{{.*}}member 2 of struct.table leads {{.*}} realloc(), {{.*}}[unmanaged-store]
  t->files = realloc(t->files, (size_t)n * sizeof *t->files);
}
#endif

void put(struct table managed *t, long i, struct file managed *f)
{
  t->files[i] = f;
  own[i] = f;
  numbers = malloc(8);
  numbers[0] = f->size;
}

struct file managed *get(long i) { return all[i]; }

static void keep(struct file managed *f) { last = f; }

void use(struct file managed *f)
{
  keep(f);
}

#ifdef DERIVED
void middle(struct file managed *f)
{
  // DERIVED: containers.c:[[@LINE+1]]:{{.*}}argument 1 leads into the middle {{.*}} 'keep' stores {{.*}}[derived-store]
  keep((struct file managed *)&f->size);
}
#endif
