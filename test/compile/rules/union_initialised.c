// An initialised global has the type of its initialiser in IR: of a union, only the member that is
// named. References of the others would be no roots.
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p rules -S %t.bc 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <cairn/cairn.h>

struct node {
  struct node managed *next;
};
union place {
  struct node managed *one;
  struct {
    struct node managed *a, *b;
  } two;
};
// CHECK: union_initialised.c:[[@LINE+1]]:{{.*}} a union in 'first' is initialised by a member that has fewer references{{.*}} [union-overlay]
union place first = {.one = NULL};
struct {
  long count;
  union place place;
// CHECK: union_initialised.c:[[@LINE+1]]:{{.*}} a union in 'inside' {{.*}} [union-overlay]
} inside = {3, {.one = NULL}};

// Legal: the largest member, none, and flexible arrays with fewer or more elements than their type
// says.
union place largest = {.two = {NULL, NULL}};
union place none;
struct flexible {
  long count;
  struct node managed *nodes[];
} empty = {5}, full = {2, {NULL, NULL}};
