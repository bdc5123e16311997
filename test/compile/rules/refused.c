// Every rule of pass `rules`, with the line of its breach. Each of these programs would lose a
// reference at a collection.
// RUN: clang -g -O0 -Xclang -disable-O0-optnone -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p rules -S %t.bc 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: clang -g -O2 -Xclang -disable-llvm-passes -I %root/include -emit-llvm -c %s -o %t.bc
// RUN: not %cairn opt --manage-all -p rules -S %t.bc 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
#include <cairn/cairn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  struct node managed *left, *right;
  long key;
};
struct fat {
  struct node managed *n;
  long a, b, c;
};

long take(struct fat f);
long give(struct fat f)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [byval-reference]
  __attribute__((musttail)) return take(f);
}

struct flexible {
  long count;
  struct node managed *at[];
};
// CHECK: refused.c:[[@LINE+1]]:{{.*}} 'flexible_object' has an initialised flexible array{{.*}} [managed-global]
struct flexible managed flexible_object = {1, {NULL}};
// CHECK: refused.c:[[@LINE+1]]:{{.*}} 'object' is a managed object, but is thread-local{{.*}} [managed-global]
_Thread_local struct node managed object;
// CHECK: refused.c:[[@LINE+1]]:{{.*}} 'weak_object' is a managed object, but is weak{{.*}} [managed-global]
__attribute__((weak)) struct node managed weak_object;
// Legal: static objects (test/run/statics/objects.c).
struct node managed fine;
static struct node managed also_fine = {&fine, &also_fine, 1};

uintptr_t to_integer(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}}: error: in function 'to_integer': {{.*}} [reference-to-integer]
  return (uintptr_t)p;
}

struct node managed *to_reference(uintptr_t n)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [integer-to-reference]
  return (struct node managed *)n;
}

int sentinel(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [integer-to-reference]
  return p == (struct node managed *)-1;
}

void *to_unmanaged(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [reference-to-unmanaged]
  return (void *)p;
}

struct node managed *from_unmanaged(void *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [unmanaged-to-reference]
  return (struct node managed *)p;
}

void in_asm(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [asm-reference]
  __asm__ volatile("" : : "r"(p));
}

void in_asm_by_address(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [asm-reference]
  __asm__ volatile("" : "+m"(p));
}

void in_printf(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [variadic-reference]
  printf("%p\n", p);
}

struct node managed *from_list(int n, ...)
{
  va_list list;
  va_start(list, n);
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [va-arg-reference]
  struct node managed *p = va_arg(list, struct node managed *);
  va_end(list);
  return p;
}

struct __attribute__((packed)) tight {
  char c;
  struct node managed *n;
};
long packed(struct node managed *n)
{
  // CHECK: refused.c:[[@LINE+1]]:16:{{.*}} [misaligned-reference]
  struct tight local = {1, n};
  return local.c;
}

static jmp_buf buffer;
int jump(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [returns-twice]
  if (setjmp(buffer))
    return 1;
  return p->key > 0;
}
static void clean(void *p);
int guard(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} compile with -fexceptions{{.*}} [returns-twice]
  pthread_cleanup_push(clean, &buffer);
  return p->key > 0;
  pthread_cleanup_pop(0);
}

cairn_unmanaged long native(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} [unmanaged-function]
  return p->key;
}

// By access: memory whose type has a reference, or has none, used otherwise.
union word {
  long i;
  double d;
};
struct node managed *hidden(union word managed *w)
{
  struct node managed *managed *p = (struct node managed *managed *)&w->i;
  return *p;
}

long punned(struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} a value of another type is loaded {{.*}} [union-overlay]
  return *(long managed *)&p->right;
}

struct wrapped {
  long tag;
  union word w;
};
void *through(struct wrapped managed *w, struct node managed *p)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} a reference is stored {{.*}} [union-overlay]
  *(struct node managed *managed *)&w->w = p;
  return 0;
}

// By debug information: memory from malloc() that a variable takes for something with references in
// it, wherever they are stored.
struct list {
  long count;
  struct node managed *first;
};
void fill(struct list *l, struct node managed *n);
void container(struct node managed *n)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} kept in memory from calloc(){{.*}} [unmanaged-store]
  struct list *l = calloc(1, sizeof *l);
  fill(l, n);
}
void array(long n)
{
  struct node managed **v;
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} kept in memory from malloc(){{.*}} [unmanaged-store]
  v = malloc((size_t)n * sizeof *v);
  fill((struct list *)v, v[0]);
}

// What a parameter points to, by debug information.
int compare(const void *, const void *);
void sort(struct node managed **v, size_t n)
{
  // CHECK: refused.c:[[@LINE+1]]:{{.*}} qsort() keeps elements {{.*}} [unmanaged-store]
  qsort(v, n, sizeof *v, compare);
}
