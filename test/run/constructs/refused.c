// RUN: %root/test/run/constructs/Inputs/refused %build %s
// The refused rows of docs/constructs.md, each with its message and its line. Wrong: a construct that compiles and
// hides a reference from the collector, or a message without a remedy.
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairn/cairn.h>

struct node {
  long value;
  struct node managed *next;
};
typedef struct node managed *ref;
struct pair {
  ref a, b;
};
struct large {
  ref a, b;
  long c;
};
void use(void *memory);

#ifdef vla_of_references
long f(int n, ref node)
{
  ref all[n];
  // error: a local array of variable length{{.*}}cairn_new_array(){{.*}}[dynamic-alloca]
  all[n - 1] = node;
  use(all);
  return all[n - 1]->value;
}
#endif

#ifdef alloca_of_references
long f(ref node, unsigned long n)
{
  // error: alloca(){{.*}}cairn_new{{.*}}[unmanaged-store]
  ref *all = alloca(n * sizeof *all);
  all[0] = node;
  use(all);
  return all[0]->value;
}
#endif

#ifdef variadic_reference
void f(ref node)
{
  // error: a reference is passed as a variadic argument{{.*}}declared parameter{{.*}}[variadic-reference]
  printf("%p", node);
}
#endif

#ifdef variadic_struct
void g(int n, ...);
void f(struct pair p)
{
  // error: variadic argument{{.*}}declared parameter{{.*}}[variadic-reference]
  g(1, p);
}
#endif

#ifdef variadic_large_struct
void g(int n, ...);
void f(struct large *p)
{
  // error: variadic argument{{.*}}declared parameter{{.*}}[variadic-reference]
  g(1, *p);
}
#endif

#ifdef va_arg_reference
long f(int n, ...)
{
  va_list list;
  va_start(list, n);
  // error: variadic arguments{{.*}}declare a parameter{{.*}}[va-arg-reference]
  ref node = va_arg(list, ref);
  va_end(list);
  return node->value;
}
#endif

#ifdef va_arg_large_struct
long f(int n, ...)
{
  va_list list;
  va_start(list, n);
  // error: variadic arguments{{.*}}declare a parameter{{.*}}[va-arg-reference]
  struct large l = va_arg(list, struct large);
  va_end(list);
  return l.a->value;
}
#endif

#ifdef musttail_large_struct
long g(struct large l);
long f(struct large l)
{
  // error: musttail{{.*}}[byval-reference]
  __attribute__((musttail)) return g(l);
}
#endif

#ifdef setjmp_with_references
static jmp_buf buffer;
long f(ref node)
{
  // error: setjmp() in a function that handles references{{.*}}in a function without references{{.*}}[returns-twice]
  if (setjmp(buffer))
    return 0;
  use(0);
  return node->value;
}
#endif

#ifdef conditional_const
const struct node managed *f(int c, ref a, const struct node managed *b)
{
  // error: changes address space of pointer
  return c ? a : b;
}
#endif

#ifdef cast_to_integer
uintptr_t f(ref node)
{
  // error: a reference is converted to an integer{{.*}}compare references{{.*}}[reference-to-integer]
  return (uintptr_t)node;
}
#endif

#ifdef cast_from_integer
ref f(uintptr_t number)
{
  // error: an integer is converted to a reference{{.*}}[integer-to-reference]
  return (ref)number;
}
#endif

#ifdef tagged_pointer
long f(ref node)
{
  // error: a reference is converted to an integer{{.*}}[reference-to-integer]
  return (uintptr_t)node & 1;
}
#endif

#ifdef type_punning
void f(ref *at, long number)
{
  ref node = *at;
  // error: a value of another type is stored{{.*}}[union-overlay]
  *(long *)&node = number;
  use(&node);
}
#endif

#ifdef atomic_struct
static _Atomic(struct pair) pairs;
void f(struct pair p)
{
  // error: {{__atomic_store\(\).*store an object in one _Atomic reference.*unmanaged-store|a value of another type.*union-overlay}}
  pairs = p;
}
#endif

#ifdef sync_function
static ref global;
long f(ref old, ref node)
{
  // error: a reference is converted to an integer{{.*}}[reference-to-integer]
  return __sync_bool_compare_and_swap(&global, old, node);
}
#endif

#ifdef cast_to_pointer
void f(ref node)
{
  // error: a reference is converted to an ordinary pointer{{.*}}cairn_copy_out(){{.*}}[reference-to-unmanaged]
  use((void *)node);
}
#endif

#ifdef pass_to_pointer
void f(ref node)
{
  // error: changes address space of pointer
  use(node);
}
#endif

#ifdef cast_to_reference
ref f(struct node *node)
{
  // error: an ordinary pointer is converted to a reference{{.*}}cairn_new(){{.*}}[unmanaged-to-reference]
  return (ref)node;
}
#endif

#ifdef address_of_local
long f(void)
{
  struct node node = {1, NULL};
  // error: an ordinary pointer is converted to a reference{{.*}}[unmanaged-to-reference]
  ref r = (ref)&node;
  return r->value;
}
#endif

#ifdef pointer_to_pointer
void f(ref node)
{
  // error: address space
  struct node **at = &node;
  use(at);
}
#endif

#ifdef free_of_reference
void f(ref node)
{
  // error: free(){{.*}}leave the call out{{.*}}[reference-to-unmanaged]
  free(node);
}
#endif

#ifdef realloc_of_reference
long managed *f(long managed *all)
{
  // error: changes address space of pointer
  return realloc(all, 80);
}
#endif

#ifdef realloc_with_cast
long managed *f(long managed *all)
{
  // error: realloc(){{.*}}cairn_resize_array(array, count){{.*}}[reference-to-unmanaged]
  return (long managed *)realloc(all, 80);
}
#endif

#ifdef resize_of_null
long managed *f(long n)
{
  // error: cairn_resize_array() of NULL lacks the type of the elements; write cairn_new_array(T, n)
  return cairn_resize_array(NULL, n);
}
#endif

#ifdef malloc_with_references
struct pair *f(ref node)
{
  // error: malloc(){{.*}}cairn_new{{.*}}[unmanaged-store]
  struct pair *p = malloc(sizeof *p);
  p->a = node;
  return p;
}
#endif

#ifdef union_with_reference
// error: give each its own member{{.*}}cairn_union(){{.*}}[union-overlay]
union either {
  ref node;
  long number;
};
void f(ref node)
{
  union either e = {.node = node};
  use(&e);
}
#endif

#ifdef packed_reference
struct __attribute__((packed)) tight {
  char c;
  ref node;
};
long f(ref node)
{
  // error: a packed struct{{.*}}do not pack{{.*}}[misaligned-reference]
  struct tight t = {1, node};
  use(&t);
  return t.node->value;
}
#endif

#ifdef over_aligned
struct __attribute__((aligned(64))) line {
  ref node;
};
struct line managed *f(void)
{
  // error: aligned to 8 bytes
  return cairn_new(struct line);
}
#endif

#ifdef managed_variable
// error: thread-local{{.*}}[managed-global]
_Thread_local struct node managed object;
long f(void)
{
  return object.value;
}
#endif

#ifdef initialiser_with_address
static long numbers[3];
// error: an ordinary pointer is converted to a reference{{.*}}[unmanaged-to-reference]
static long managed *all = (long managed *)numbers;
long f(void)
{
  return all[1];
}
#endif

#ifdef interior_pointer_in_object
struct cursor {
  long managed *at;
};
void f(struct cursor managed *c)
{
  long managed *all = cairn_new_array(long, 9);
  // error: {{.*}}index{{.*}}[derived-store]
  c->at = &all[3];
}
#endif

#ifdef asm_with_reference
void f(ref node)
{
  // error: inline assembly{{.*}}load the data in C{{.*}}[asm-reference]
  __asm__ volatile("" : : "r"(node));
}
#endif

#ifdef reference_in_native_function
cairn_unmanaged long f(ref node)
{
  // error: cairn_unmanaged{{.*}}[unmanaged-function]
  return node->value;
}
#endif

#ifdef struct_in_native_function
cairn_unmanaged void f(struct pair *p)
{
  // error: cairn_unmanaged{{.*}}[unmanaged-function]
  struct pair kept = *p;
  use(NULL);
  *p = kept;
}
#endif

#ifdef qsort_of_references
static int compare(const void *a, const void *b)
{
  const ref *x = a, *y = b;
  return (*x)->value < (*y)->value;
}
void f(ref node)
{
  ref all[] = {node, node->next};
  // error: qsort{{.*}}[unmanaged-store]
  qsort(all, 2, sizeof *all, compare);
  use(all);
}
#endif

#ifdef nested_function
long f(long n)
{
  // error: function definition is not allowed here
  long inner(long m) { return n + m; }
  return n;
}
#endif

#ifdef string_function
void f(char managed *text)
{
  // error: strcpy{{.*}}<cairn/string.h>{{.*}}[reference-to-unmanaged]
  strcpy(text, "x");
}
#endif

#ifdef literal_as_reference
const char managed *f(void)
{
  // error: changes address space of pointer
  const char managed *text = "literal";
  return text;
}
#endif

#ifdef weak_local
struct watch {
  ref seen cairn_weak;
};
long f(void)
{
  // error: [weak-variable]
  struct watch w = {NULL};
  use(&w);
  return w.seen->value;
}
#endif

#ifdef cast_of_unshared_type
ref f(void managed *any)
{
  // error: cairn_shared{{.*}}[private-layout]
  return cairn_as(struct node, any);
}
#endif

#ifdef chosen_function
static long usual(ref node)
{
  return node->value;
}
static long (*choose(void))(ref)
{
  return usual;
}
long g(ref node) __attribute__((ifunc("choose")));
long f(ref node)
{
  // error: ifunc{{.*}}[ifunc-reference]
  return g(node);
}
#endif
