// A union of a reference and something else is refused however the reference is spelled. Clang's
// debug information has no tag of a `managed` that comes from a typedef or from typeof.
// RUN: not %cairn-cc -c %s -o %t.o 2>&1 | sort -t: -k2n > %t.out
// RUN: FileCheck %s --implicit-check-not=error: < %t.out
// RUN: not %cairn-cc -O2 -g -flto -x c - -c -o %t.o < %s 2>&1 | FileCheck --check-prefix=INPUT %s
// INPUT-COUNT-12: [union-overlay]
// RUN: not %cairn-cc -c -DINITIALISED %s -o %t.o 2>&1 | FileCheck --check-prefix=GLOBAL %s \
// RUN:   --implicit-check-not=error:
#include <cairn/cairn.h>

struct obj {
  long n;
};
typedef struct obj managed object;
typedef object again;
typedef const again constant;
typedef object *reference;
typedef __typeof__(object) same;
typedef reference three[3];
typedef object *const managed *place;

#ifdef INITIALISED
union { object *one; struct { reference a, b; } two; }
// GLOBAL: union_typedef.c:[[@LINE+1]]:{{.*}} a union in 'first' is initialised by a member that has fewer references
first = {.one = NULL}, second = {.two = {NULL, NULL}};
#else
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} a union overlays a reference with other data{{.*}} [union-overlay]
union plain { object *p; char n[8]; } plain;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union second { long n; again *p; } second;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union qualified { constant *p; double d; } qualified;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union pointer { reference const p; void *d; } pointer;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union typeof_ { same *p; char *d; } typeof_;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union array { three p; struct { reference a, b; long c; } d; } array;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union of_places { place p; long d; } of_places;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union to_array { object (*p)[4]; long d; } to_array;
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
union native { object *p; struct obj *d; } native;
// The members of a struct, without names.
typedef struct {
  struct {
    int kind : 3;
    // CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
    union { __typeof__(*plain.p) *p; long n; };
  } in[2];
} value;
// An expansion has the line that it stands on.
#define UNION(name) union { object *p; long n; } name
// CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
UNION(expanded);

long in_object(value managed *v, int i)
{
  // CHECK: union_typedef.c:[[@LINE+1]]:{{.*}} [union-overlay]
  union plain { long n; object *p; } local = {};
  return v != 0 && i && &local;
}

// Legal: references alone, and what looks like them.
union alike { object *p; struct obj managed *q; reference r; struct { again *a; } s; } alike;
union larger { struct obj managed *q; three p; } larger;
union function { object *(*p)(object *); long n; } function;
union outside { object **p; reference *r; long n; } outside;
union unmanaged { struct obj *p; long n; } unmanaged;
// The same names and sizes as of a union of references.
long count;
void scopes(object *o)
{
  { union twin { object *p; } one = {o}; o = one.p; }
  { union twin { long p; } two = {o != 0}; count += two.p; }
}
#endif
