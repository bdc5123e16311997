/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: plain C whose objects a precise, moving collector reclaims. Compile with cairn-cc.
 *
 *   #include <cairn/cairn.h>
 *
 *   struct node {
 *     struct node managed *left, *right;
 *   };
 *
 *   struct node managed *make(int depth)
 *   {
 *     struct node managed *n = cairn_new(struct node);
 *     if (depth > 0) {
 *       n->left = make(depth - 1);
 *       n->right = make(depth - 1);
 *     }
 *     return n;
 *   }
 *
 * A reference is a pointer to a managed type: `struct node managed *p`. The qualifier belongs to the target type: `long
 * managed *i, *j;` declares two references. Write the qualifier after the name of a type; clang drops a qualifier after
 * the body of a struct. Locals, parameters, results, globals, structs, arrays and managed objects may hold references;
 * the collector updates a reference when it moves the object. A reference in a local, a parameter or a result may point
 * into an object (an interior pointer); a reference in an object or a global must point to the start of an object.
 *
 * The compiler refuses, with file and line, code whose references the collector could not see or update: conversion to
 * or from an integer or an ordinary pointer; references in variadic arguments, in inline assembly, in unions with other
 * members (except by cairn_union()), or in memory from malloc(); and setjmp() in a function that handles references.
 *
 * The macros and functions of this header may be used in expressions, within functions, on any thread. Objects are
 * zeroed. Exhausted memory, a negative length and a length that overflows end the program, with one line on stderr and
 * exit status 1.
 *
 * With -DCAIRN_PLAIN the same source compiles with any compiler that knows GNU C, without Cairn: `managed` is then
 * empty, and objects come from calloc() and stay allocated.
 *
 * Comments of the headers name pages of the documentation, such as docs/words.md: `man cairn-words` shows that one.
 *
 * Further headers: <cairn/string.h> has text; <cairn/array.h> has sorting, searching and vectors; <cairn/map.h> has
 * hash maps; <cairn/span.h> has cairn_span_begin() and cairn_span_end(), which attach data to ranges of code;
 * <cairn/roots.h> has cairn_tag_root(), for references in a language's own form; <cairn/handle.h> has handles, which
 * keep objects alive for native code.
 *
 * CAIRN_NO_SHORT_NAMES, defined before the include, leaves the name `managed` to the program, which then writes
 * cairn_managed.
 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <stddef.h>

#ifdef __cplusplus
#error "cairn/cairn.h: for C alone; C++ is compiled as native code, which cannot hold references"
#elif !defined(CAIRN_PLAIN) && !defined(__clang__)
#error "cairn/cairn.h: compile with cairn-cc, or define CAIRN_PLAIN to use calloc()"
#endif

/* cairn_managed: the qualifier of managed types. The code generator sees address space 1. The rule checker reads the
 * tag, because debug information lacks address spaces on x86-64.
 *
 * cairn_leaf: on the declaration of a function that Cairn does not compile, and that never calls managed code or
 * collects. Its calls need no transition. A wrong cairn_leaf loses references.
 *   cairn_leaf double fast_hash(const char *text);
 * Such a function may take references, and may be one of the C library:
 *   cairn_leaf size_t length_of(const char managed *text) __asm__("strlen");
 *
 * cairn_native, cairn_managed_function: on the declaration of a function of another file, which is native code or
 * managed code, respectively. Calls of the function skip the test for managed code. If a cairn_managed_function is
 * native, linking fails. If a cairn_native function is managed, its calls take longer; the compiler refuses such a
 * declaration in the file that defines the function.
 *   cairn_native int read_line(char *text, int size);
 *   cairn_managed_function struct node managed *reverse(struct node managed *list);
 *
 * cairn_unmanaged: on the definition of a function, which cairn-cc then compiles as native code. The function must not
 * handle references.
 *   cairn_unmanaged static void on_signal(int number) { ... }
 *
 * cairn_nopoll: on the definition of a function: collections wait while the function runs. The compiler refuses code of
 * the function that may reach a safepoint, such as an allocation or a call of a function that may poll.
 *   cairn_nopoll static void put(struct box managed *box, struct node managed *node) { ... }
 *
 * cairn_weak: on a member that is or contains references, which then do not keep their targets alive. cairn_ephemeron,
 * cairn_finalisable, cairn_never_moves: on the definition of a struct type. The strong references of an ephemeron keep
 * objects alive only while the targets of its weak references are reachable. The program receives a finalisable object
 * before its memory is freed (<cairn/weak.h>). An object that never moves stays at the address of its allocation. If
 * the collector does not support such types, the program ends before its first allocation.
 *   struct cairn_finalisable file { int descriptor; struct file managed *next cairn_weak; };
 *
 * cairn_shared: on the definition of a struct type: all files and libraries of the program have one layout of the type,
 * by the type's name, so that cairn_is() tells its objects everywhere. If two files define the type differently, the
 * program ends when the second one is loaded.
 *   struct cairn_shared leaf { long value; }; */
#ifdef CAIRN_PLAIN
#define cairn_managed
#define cairn_leaf
#define cairn_weak
#define cairn_ephemeron
#define cairn_finalisable
#define cairn_never_moves
#define cairn_shared
#define cairn_native
#define cairn_managed_function
#define cairn_unmanaged
#define cairn_nopoll
#else
#define cairn_managed __attribute__((address_space(1), btf_type_tag("cairn_managed")))
/* A typedef or a pointer would lose the annotation. no_split_stack has no effect on functions, and makes clang refuse
 * typedefs and pointers. */
#define CAIRN_FUNCTION_(annotation) __attribute__((annotation, __no_split_stack__))
#define cairn_leaf __attribute__((leaf, annotate("cairn-leaf"), __no_split_stack__))
/* The attribute guarded_var makes clang warn at locals, which cannot be weak. */
#define cairn_weak __attribute__((btf_decl_tag("cairn-weak"), guarded_var))
#define cairn_ephemeron __attribute__((btf_decl_tag("cairn-ephemeron")))
#define cairn_finalisable __attribute__((btf_decl_tag("cairn-finalisable")))
#define cairn_never_moves __attribute__((btf_decl_tag("cairn-never-moves")))
#define cairn_shared __attribute__((btf_decl_tag("cairn-shared")))
#define cairn_native CAIRN_FUNCTION_(annotate("cairn-native"))
#define cairn_managed_function CAIRN_FUNCTION_(annotate("cairn-managed"))
#define cairn_unmanaged CAIRN_FUNCTION_(annotate("cairn-unmanaged"))
#define cairn_nopoll CAIRN_FUNCTION_(annotate("cairn-nopoll"))
#endif

#ifndef CAIRN_NO_SHORT_NAMES
#define managed cairn_managed
#endif

/* cairn_union(MEMBERS): a tagged union, as a member of a struct. MEMBERS are references, numbers, enumerations and
 * ordinary pointers of at most 8 bytes; the struct's own tag says which one is meant:
 *   struct value {
 *     enum kind kind;
 *     cairn_union(struct string managed *string; double number; long integer;) as;
 *   };
 *   struct value v = {.kind = NUMBER, .as.number = 1.5};
 * Cairn never reads the tag: the word of the union itself tells a reference from a number, also between the assignments
 * of tag and member. The macro expands to two members, of which the first one, of a byte, belongs to Cairn; after a tag
 * of at most 4 bytes it takes no room. Read and assign members, or copy the whole struct; the compiler refuses other
 * uses of a member's address. The value of a member other than the last assigned one is arbitrary, and is 0 or null in
 * a zeroed struct (docs/words.md). */
#define cairn_union(...) \
  struct cairn_union_bit_ CAIRN_JOIN_(cairn_bit_, __LINE__); \
  union { \
    void cairn_managed *CAIRN_JOIN_(cairn_word_, __LINE__); \
    __VA_ARGS__ \
  }
#define CAIRN_JOIN_(a, b) CAIRN_JOIN_TEXT_(a, b)
#define CAIRN_JOIN_TEXT_(a, b) a##b

/* The empty member makes an initialiser without designators an error. */
struct cairn_union_bit_ {
  __extension__ struct {
  } none;
  unsigned char bit;
};

/* cairn_new(T): a new object of type T, zeroed; type `T managed *`; never null:
 *   struct node managed *n = cairn_new(struct node);
 * T may be any complete type whose alignment is at most 8 bytes, an array type included. */
#define cairn_new(T) ((CAIRN_OBJECT_(T) cairn_managed *)cairn_alloc(CAIRN_LAYOUT_(T), (long)sizeof(__typeof__(T))))

/* cairn_new_init(T, initialiser...): a new object of the struct type T with the members of the initialiser, like the
 * compound literal &(T){...}; type `T managed *`. The initialiser is evaluated before the allocation:
 *   struct point managed *p = cairn_new_init(struct point, .x = 1, .y = 2); */
#define cairn_new_init(T, ...) \
  __extension__({ \
    CAIRN_OBJECT_(T) cairn_initial_ = {__VA_ARGS__}; \
    CAIRN_OBJECT_(T) cairn_managed *cairn_object_ = cairn_new(T); \
    *cairn_object_ = cairn_initial_; \
    cairn_object_; \
  })

/* Static objects: a variable of a managed type, outside of functions or `static` in a function, is an object of its
 * own, and its address is a reference. It stays in place, lives as long as the program, and its members are roots:
 *   static struct node managed nil = {.left = &nil, .right = &nil};
 *   static const struct symbol managed table[] = {{"if", &nil}, {"else", &nil}};
 * References may point to its start or into it, and may be stored anywhere. External objects are known in all files of
 * one executable or shared object. Locals cannot be managed objects: allocate them with cairn_new().
 * cairn_resize_array() of a static array returns a copy. In plain mode cairn_resize_array() and cairn_length() take
 * allocated arrays alone. */

/* cairn_new_array(T, n): a new array of n elements of type T, zeroed; type `T managed *`:
 *   long managed *squares = cairn_new_array(long, count);
 * n counts elements, is converted to long, and may be 0. */
#define cairn_new_array(T, n) \
  ((CAIRN_OBJECT_(T) cairn_managed *)CAIRN_ALLOC_ARRAY_(CAIRN_LAYOUT_(T), (long)(n), sizeof(__typeof__(T))))

/* cairn_new_flex(S, n) or cairn_new_flex(S, n, member): a new object of type S, zeroed; type `S managed *`. S is a
 * struct that ends in a flexible array member, which gets n elements; n as for cairn_new_array():
 *   struct table { long count; struct node managed *slot[]; };
 *   struct table managed *t = cairn_new_flex(struct table, 64);
 * Plain mode takes the size of an element from the named member. Without the name, plain mode reserves
 * CAIRN_PLAIN_FLEX_BYTES bytes per element, which is then the limit. */
#define cairn_new_flex(S, ...) \
  CAIRN_THIRD_(__VA_ARGS__, CAIRN_NEW_FLEX_NAMED_, CAIRN_NEW_FLEX_, 0) \
  (CAIRN_ALLOC_FLEX_, S, __VA_ARGS__)

/* cairn_new_array_uninit(T, n), cairn_new_flex_uninit(S, n) and cairn_new_flex_uninit(S, n, member): like
 * cairn_new_array() and cairn_new_flex(), for objects that the program fills at once:
 *   char managed *line = cairn_new_array_uninit(char, length);
 * The object's whole memory, the fixed part included, has its earlier contents. The compiler refuses a type with
 * references [uninit-references]. */
#define cairn_new_array_uninit(T, n) \
  ((CAIRN_OBJECT_(T) cairn_managed *)CAIRN_ALLOC_ARRAY_UNINIT_(CAIRN_LAYOUT_(T), (long)(n), sizeof(__typeof__(T))))
#define cairn_new_flex_uninit(S, ...) \
  CAIRN_THIRD_(__VA_ARGS__, CAIRN_NEW_FLEX_NAMED_, CAIRN_NEW_FLEX_, 0) \
  (CAIRN_ALLOC_FLEX_UNINIT_, S, __VA_ARGS__)

/* cairn_resize_array(array, n): changes the length of `array`, a result of cairn_new_array() or
 * cairn_new_array_uninit(), to n elements; type of `array`. A null `array` counts as an array of length 0, as for
 * realloc(), and the result is then a new array:
 *   if (used == room)
 *     items = cairn_resize_array(items, room = 2 * room + 8);
 * New elements are zeroed; n as for cairn_new_array(). The array always shrinks in place. An array can grow in place if
 * it is the latest allocation in the thread's buffer, or a large block with free space after it; otherwise the result
 * is a copy. Use only the result: other references to the array may point to the old memory.
 * cairn_resize_array_uninit(array, n): like cairn_resize_array(), for elements without references; new elements have
 * the memory's earlier contents. */
#define cairn_resize_array(array, n) ((CAIRN_ARRAY_(array))CAIRN_RESIZE_(cairn_resize_array, array, (long)(n)))
#define cairn_resize_array_uninit(array, n) \
  ((CAIRN_ARRAY_(array))CAIRN_RESIZE_(cairn_resize_array_uninit, array, (long)(n)))

/* cairn_is(object, T): true if the object was made by cairn_new(T) or cairn_new_flex(T). cairn_is_array(object, T):
 * true for arrays of elements T. T must be cairn_shared. `object` points to an object's start, and is not null: if
 * (cairn_is(tree, struct leaf)) total += ((struct leaf managed *)tree)->value; The test is a load and a comparison.
 * Plain mode lacks these two macros and cairn_as(), because its objects have no types.
 *
 * cairn_as(T, object): `object` as a `T managed *` if cairn_is(object, T), else null; null for null. `object` is a
 * reference of any type, and points to an object's start. A wrong type thus ends the program where the result is used,
 * unless the program tests the result:
 *   void managed *any = stack_pop(stack);
 *   struct leaf managed *leaf = cairn_as(struct leaf, any);
 *
 * cairn_length(object): the number of elements of an array, or in a flexible object; a load and a shift. Plain mode has
 * no lengths of flexible objects. cairn_object_size(object): the bytes of an object, rounded up to 8, without its
 * header. `object` as for cairn_is(). */
#ifndef CAIRN_PLAIN
#define cairn_is(object, T) cairn_layout_is_(object, CAIRN_LAYOUT_(T))
#define cairn_is_array(object, T) cairn_layout_is_array_(object, CAIRN_LAYOUT_(T))
#define cairn_as(T, object) \
  __extension__({ \
    void cairn_managed *cairn_any_ = (void cairn_managed *)(object); \
    (CAIRN_OBJECT_(T) cairn_managed *)(cairn_any_ && cairn_is(cairn_any_, T) ? cairn_any_ : NULL); \
  })
#define cairn_length(object) cairn_object_count_(object)
#else
#define cairn_length(array) ((long)(*(const size_t *)((const char *)(array) - CAIRN_PLAIN_HEADER) / sizeof *(array)))
#define cairn_object_size(object) ((*(const size_t *)((const char *)(object) - CAIRN_PLAIN_HEADER) + 7) & ~(size_t)7)
#endif

/* cairn_container_of(pointer, T, member): the object of type T that contains the member at `pointer`, in managed
 * memory; type `T managed *`: struct file managed *file = cairn_container_of(link, struct file, link); Objects and
 * globals hold only references to the start of an object, so a link that lists keep must be the first member of its
 * struct; locals may point to any member. */
#define cairn_container_of(pointer, T, member) \
  ((CAIRN_OBJECT_(T) cairn_managed *)((char cairn_managed *)(pointer) - offsetof(__typeof__(T), member)))

/* cairn_managed_callee(f): the function pointer f, for a call in the same expression, with the promise that Cairn
 * compiled the callee:
 *   total += cairn_managed_callee(closure->code)(closure, n);
 * The call skips the test for managed code. A wrong promise loses references. */
#ifdef CAIRN_PLAIN
#define cairn_managed_callee(f) (f)
#else
#define cairn_managed_callee(f) CAIRN_MANAGED_CALLEE_(f)
#endif

/* cairn_collect(): runs a full collection, or waits for one that another thread began after this call. cairn_collect()
 * has no effect in plain mode.
 *
 * cairn_external_bytes(bytes): adds `bytes`, which may be negative, to the count of the bytes that objects keep outside
 * of the heap (<cairn/heap.h>). A large sum triggers a collection.
 *
 * cairn_nopoll_begin(), cairn_nopoll_end(): like cairn_nopoll, for the code between the two calls, on every path. Such
 * regions may nest. Loops in a region have no polls, even if they run long.
 *   cairn_nopoll_begin();
 *   box->node = node;
 *   box->changes++;
 *   cairn_nopoll_end();
 *
 * cairn_copy_out(to, from, bytes): copies bytes from a managed object to ordinary memory, for example a string for the
 * C library. cairn_copy_in(to, from, bytes): copies bytes from ordinary memory to a managed object. Both functions copy
 * only data: a reference in the bytes that are copied out ends the program [unmanaged-store]; from an uncleared array
 * copy only bytes that have been filled. cairn_copy(to, from, bytes): copies data and references between managed
 * objects, or within one without overlap.
 *   char line[80];
 *   cairn_copy_out(line, string->text, string->length + 1);
 *   puts(line);
 * The program may also call memcpy() instead of these functions. */

/* ---- implementation ---- */

#define CAIRN_PLAIN_FLEX_BYTES 64

#define CAIRN_THIRD_(first, second, third, ...) third
#define CAIRN_NEW_FLEX_(alloc, S, n) \
  ((CAIRN_OBJECT_(S) cairn_managed *)alloc(CAIRN_LAYOUT_(S), (long)(n), sizeof(__typeof__(S)), CAIRN_PLAIN_FLEX_BYTES))
#define CAIRN_NEW_FLEX_NAMED_(alloc, S, n, member) \
  ((CAIRN_OBJECT_(S) cairn_managed *)alloc(CAIRN_LAYOUT_(S), (long)(n), sizeof(__typeof__(S)), \
                                           sizeof(((__typeof__(S) *)0)->member[0])))

#define CAIRN_ALIGNED_(T) \
  _Static_assert(_Alignof(__typeof__(T)) <= 8, \
                 "cairn: managed objects are aligned to 8 bytes, and this type asks for more")

#ifndef CAIRN_PLAIN

/* T without the qualifier `managed`, which a typedef may have: a type has only one address space, and objects need the
 * default one. */
#define CAIRN_OBJECT_(T) __typeof__(*CAIRN_NULL_(T))
#define CAIRN_NULL_(T) \
  (__extension__ _Generic((__typeof__(T) *)0, \
       CAIRN_WITHOUT_(__typeof_unqual__(T)), \
       CAIRN_WITHOUT_(const __typeof_unqual__(T)), \
       CAIRN_WITHOUT_(volatile __typeof_unqual__(T)), \
       CAIRN_WITHOUT_(const volatile __typeof_unqual__(T)), \
       default: (__typeof__(T) *)0))
#define CAIRN_WITHOUT_(T) T cairn_managed * : (T *)0

/* The layout of T: a static whose LLVM value type names every reference in T. A pass turns the static into the
 * collector's struct cairn_layout, and drops it. */
#define CAIRN_LAYOUT_(T) \
  __extension__({ \
    CAIRN_ALIGNED_(T); \
    static const CAIRN_OBJECT_(T) cairn_layout_; \
    (const void *)&cairn_layout_; \
  })
#define CAIRN_ALLOC_ARRAY_(layout, n, size) cairn_alloc_array(layout, n)
#define CAIRN_ALLOC_FLEX_(layout, n, base, size) cairn_alloc_flex(layout, n)
#define CAIRN_ALLOC_ARRAY_UNINIT_(layout, n, size) cairn_alloc_array_uninit(layout, n)
#define CAIRN_ALLOC_FLEX_UNINIT_(layout, n, base, size) cairn_alloc_flex_uninit(layout, n)

/* The type of `array`; void managed * for the constant NULL, which CAIRN_RESIZE_() refuses by its own message. */
#define CAIRN_ARRAY_(array) __typeof__(_Generic((array), void *: (void cairn_managed *)0, default: (array)))
#define CAIRN_RESIZE_(resize, array, n) \
  __extension__({ \
    _Static_assert( \
        !__builtin_types_compatible_p(__typeof__(array), void *), \
        "cairn: cairn_resize_array() of NULL lacks the type of the elements; write cairn_new_array(T, n), or " \
        "give it a variable that is null"); \
    (resize)(CAIRN_LAYOUT_(__typeof_unqual__(*_Generic((array), void *: (char *)0, default: (array)))), array, n); \
  })

#define CAIRN_MANAGED_CALLEE_(f) ((__typeof__(&*(f)))cairn_promise_((void *)(f)))
void *cairn_promise_(void *function) __asm__("cairn.managed.callee") __attribute__((const, nothrow));

/* Pass `allocate` expands calls of these functions in line. Programs call these functions through the macros. */
void cairn_managed *cairn_alloc(const void *layout, long bytes);
void cairn_managed *cairn_alloc_array(const void *layout, long count);
void cairn_managed *cairn_alloc_flex(const void *layout, long count);
void cairn_managed *cairn_alloc_array_uninit(const void *layout, long count);
void cairn_managed *cairn_alloc_flex_uninit(const void *layout, long count);
void cairn_managed *(cairn_resize_array)(const void *layout, void cairn_managed *array, long count);
void cairn_managed *(cairn_resize_array_uninit)(const void *layout, void cairn_managed *array, long count);
void cairn_collect(void);
/* Pass `allocate` replaces the calls of the first three functions by loads. */
CAIRN_FUNCTION_(leaf)
_Bool cairn_layout_is_(const void cairn_managed *object, const void *layout) __asm__("cairn.layout.is");
CAIRN_FUNCTION_(leaf)
_Bool cairn_layout_is_array_(const void cairn_managed *object, const void *layout) __asm__("cairn.layout.is.array");
CAIRN_FUNCTION_(leaf) long cairn_object_count_(const void cairn_managed *object) __asm__("cairn.object.count");
cairn_leaf size_t cairn_object_size(const void cairn_managed *object);
cairn_leaf void cairn_external_bytes(long bytes);
/* Calls of cairn_nopoll_begin() and cairn_nopoll_end() mark a region; the object code contains no such calls. */
void cairn_nopoll_begin(void) __asm__("cairn.nopoll.begin");
void cairn_nopoll_end(void) __asm__("cairn.nopoll.end");

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAIRN_OBJECT_(T) __typeof__(T)
#define CAIRN_LAYOUT_(T) \
  __extension__({ \
    CAIRN_ALIGNED_(T); \
    (const void *)0; \
  })
#define CAIRN_ALLOC_ARRAY_(layout, n, size) cairn_plain_alloc(layout, 0, n, size)
#define CAIRN_ALLOC_FLEX_(layout, n, base, size) cairn_plain_alloc(layout, base, n, size)
#define CAIRN_ALLOC_ARRAY_UNINIT_(layout, n, size) cairn_plain_alloc_uninit(layout, 0, n, size)
#define CAIRN_ALLOC_FLEX_UNINIT_(layout, n, base, size) cairn_plain_alloc_uninit(layout, base, n, size)
#define cairn_alloc(layout, bytes) cairn_plain_alloc(layout, 0, 1, (size_t)(bytes))
#define CAIRN_ARRAY_(array) __typeof__(array)
#define CAIRN_RESIZE_(resize, array, n) cairn_plain_resize(array, n, sizeof *(array))

/* The bytes before an object, which hold its size for cairn_resize_array(). */
enum { CAIRN_PLAIN_HEADER = 16 };

static inline size_t cairn_plain_bytes(size_t base, long n, size_t size)
{
  if (n < 0) {
    fprintf(stderr, "cairn: negative array length %ld\n", n);
    exit(1);
  }
  if (size && (size_t)n > ((size_t)1 << 62) / size) {
    fprintf(stderr, "cairn: array of %ld elements of %lu bytes: the size overflows\n", n, (unsigned long)size);
    exit(1);
  }
  base += (size_t)n * size;
  return base;
}

/* Makes `memory` an object of `bytes` bytes. */
static inline void *cairn_plain_object(void *memory, size_t bytes)
{
  if (memory) {
    *(size_t *)memory = bytes;
    return (char *)memory + CAIRN_PLAIN_HEADER;
  }
  fprintf(stderr, "cairn: out of memory: cannot allocate %lu bytes\n", (unsigned long)bytes);
  exit(1);
}

static inline void *cairn_plain_alloc(const void *unused, size_t base, long n, size_t size)
{
  size_t bytes = cairn_plain_bytes(base, n, size);

  (void)unused;
  return cairn_plain_object(calloc(1, CAIRN_PLAIN_HEADER + bytes), bytes);
}

static inline void *cairn_plain_alloc_uninit(const void *unused, size_t base, long n, size_t size)
{
  size_t bytes = cairn_plain_bytes(base, n, size);

  (void)unused;
  return cairn_plain_object(malloc(CAIRN_PLAIN_HEADER + bytes), bytes);
}

static inline void *cairn_plain_resize(void *array, long n, size_t size)
{
  char *memory = array ? (char *)array - CAIRN_PLAIN_HEADER : NULL;
  size_t bytes = cairn_plain_bytes(0, n, size), had = memory ? *(size_t *)memory : 0;

  array = cairn_plain_object(realloc(memory, CAIRN_PLAIN_HEADER + bytes), bytes);
  if (had < bytes)
    memset((char *)array + had, 0, bytes - had);
  return array;
}

static inline void cairn_collect(void)
{
}

static inline void cairn_external_bytes(long bytes)
{
  (void)bytes;
}

static inline void cairn_nopoll_begin(void)
{
}

static inline void cairn_nopoll_end(void)
{
}

#endif

/* The functions are always inlined, so that the compiler sees whether an argument is the address of a local with
 * references. */
#define CAIRN_COPY_ static inline __attribute__((always_inline)) void

CAIRN_COPY_ cairn_copy_out(void *to, const void cairn_managed *from, size_t bytes)
{
  __builtin_memcpy(to, from, bytes);
}

CAIRN_COPY_ cairn_copy_in(void cairn_managed *to, const void *from, size_t bytes)
{
  __builtin_memcpy(to, from, bytes);
}

CAIRN_COPY_ cairn_copy(void cairn_managed *to, const void cairn_managed *from, size_t bytes)
{
  __builtin_memcpy(to, from, bytes);
}

#endif
