/* SPDX-License-Identifier: Apache-2.0
 *
 * Managed C: plain C whose objects are collected by a precise, moving collector. Compile with
 * cairn-cc.
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
 * A reference is a pointer to a managed type: `struct node managed *p`. The qualifier belongs to
 * what is pointed at: `long managed *i, *j;` declares two references. It comes after the name of a
 * type, not after the body of a struct, where clang drops it. References may be held in
 * locals, parameters, results, globals, structs, arrays and managed objects; they are updated when
 * the collector moves the object. A reference may point into an object (an interior pointer) while
 * it is in a local, a parameter or a result; what is stored in an object or a global must point to
 * the start of an object.
 *
 * Refused with file and line, since the collector could not see or update the reference:
 * conversion to or from an integer or an ordinary pointer, references in variadic arguments, in
 * inline assembly, in unions with anything else, in memory from malloc(),
 * and setjmp() in a function that handles references.
 *
 * Everything here may be used in expressions, within functions, on any thread. Objects
 * are zeroed. Exhaustion of memory, and a length that is negative or overflows, end the program:
 * one line on stderr, exit status 1.
 *
 * With -DCAIRN_PLAIN the same source compiles with any compiler that knows GNU C, without Cairn:
 * `managed` is then empty, and objects come from calloc() and are never freed.
 *
 * Further pages: <cairn/span.h> has cairn_span_begin() and cairn_span_end(), which attach data to
 * ranges of code; <cairn/roots.h> has cairn_tag_root(), for references in a language's own form;
 * <cairn/handle.h> has handles, by which native code keeps objects over collections.
 *
 * Define CAIRN_NO_SHORT_NAMES before including to keep the name `managed` for yourself;
 * cairn_managed stays.
 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include <stddef.h>

#ifdef __cplusplus
#error "cairn/cairn.h: for C alone; C++ is compiled as native code, which cannot hold references"
#elif !defined(CAIRN_PLAIN) && !defined(__clang__)
#error "cairn/cairn.h: compile with cairn-cc, or define CAIRN_PLAIN to use calloc()"
#endif

/* cairn_managed: the qualifier of managed types. Address space 1 is what the code generator sees;
 * the tag tells the rule checker through debug information, which has no address space on x86-64.
 *
 * cairn_leaf: on the declaration of a function that is not compiled by Cairn: it never calls back
 * into managed code and never collects, so calls to it need no transition. A wrong promise is a
 * lost reference.
 *   cairn_leaf double fast_hash(const char *text);
 *
 * cairn_native, cairn_managed_function: on the declaration of a function of another file: it is
 * native code, or managed code. Calls of it then need not find out. If a cairn_managed_function is
 * native, linking fails. If a cairn_native one is managed, its calls take longer; where its own
 * file says so, too, it is an error.
 *   cairn_native int read_line(char *text, int size);
 *   cairn_managed_function struct node managed *reverse(struct node managed *list);
 *
 * cairn_unmanaged: on the definition of a function of a file compiled by cairn-cc: compile it as
 * native code. It may not touch references.
 *   cairn_unmanaged static void on_signal(int number) { ... }
 *
 * cairn_nopoll: on the definition of a function: no collection runs while it does. Whatever could
 * come to one is an error in it: an allocation, a call of a function that polls or may.
 *   cairn_nopoll static void put(struct box managed *box, struct node managed *node) { ... }
 *
 * cairn_weak: on a member that is a reference, or holds some: it does not keep alive what it leads
 * to. cairn_ephemeron, cairn_finalisable, cairn_never_moves: on the definition of a struct: its
 * other references count only while what the weak ones lead to is reachable; the program is told
 * before an object of it goes (<cairn/weak.h> has all of this); it stays where it was made. A
 * collector must provide for them: else the program ends before it allocates anything.
 *   struct cairn_finalisable file { int descriptor; struct file managed *next cairn_weak; };
 */
#ifdef CAIRN_PLAIN
#define cairn_managed
#define cairn_leaf
#define cairn_weak
#define cairn_ephemeron
#define cairn_finalisable
#define cairn_never_moves
#define cairn_native
#define cairn_managed_function
#define cairn_unmanaged
#define cairn_nopoll
#else
#define cairn_managed __attribute__((address_space(1), btf_type_tag("cairn_managed")))
/* Clang refuses no_split_stack, which changes nothing, on anything but a function. The annotation
 * beside it would be lost on a typedef and on a pointer. */
#define CAIRN_FUNCTION_(annotation) __attribute__((annotation, __no_split_stack__))
#define cairn_leaf CAIRN_FUNCTION_(leaf)
/* The second one tells clang that no local can be weak: it warns. */
#define cairn_weak __attribute__((btf_decl_tag("cairn-weak"), guarded_var))
#define cairn_ephemeron __attribute__((btf_decl_tag("cairn-ephemeron")))
#define cairn_finalisable __attribute__((btf_decl_tag("cairn-finalisable")))
#define cairn_never_moves __attribute__((btf_decl_tag("cairn-never-moves")))
#define cairn_native CAIRN_FUNCTION_(annotate("cairn-native"))
#define cairn_managed_function CAIRN_FUNCTION_(annotate("cairn-managed"))
#define cairn_unmanaged CAIRN_FUNCTION_(annotate("cairn-unmanaged"))
#define cairn_nopoll CAIRN_FUNCTION_(annotate("cairn-nopoll"))
#endif

#ifndef CAIRN_NO_SHORT_NAMES
#define managed cairn_managed
#endif

/* cairn_new(T): a new object of type T, zeroed; type `T managed *`. T may be any complete type
 * whose alignment is at most 8 bytes, an array type included. Never null.
 *   struct node managed *n = cairn_new(struct node);
 */
#define cairn_new(T) ((CAIRN_OBJECT_(T) cairn_managed *)cairn_alloc(CAIRN_LAYOUT_(T), (long)sizeof(__typeof__(T))))

/* cairn_new_array(T, n): a new array of n elements of type T, zeroed; type `T managed *`. n counts
 * elements, is converted to long, and may be 0.
 *   long managed *squares = cairn_new_array(long, count);
 */
#define cairn_new_array(T, n) \
  ((CAIRN_OBJECT_(T) cairn_managed *)CAIRN_ALLOC_ARRAY_(CAIRN_LAYOUT_(T), (long)(n), sizeof(__typeof__(T))))

/* cairn_new_flex(S, n) or cairn_new_flex(S, n, member): a new object of type S, a struct that ends
 * in a flexible array member, with n elements in that, zeroed; type `S managed *`. n as above. C
 * cannot tell the size of an element without the member's name: only plain mode needs it, and
 * there takes an element to be at most CAIRN_PLAIN_FLEX_BYTES bytes where the name is not given.
 *   struct table { long count; struct node managed *slot[]; };
 *   struct table managed *t = cairn_new_flex(struct table, 64);
 */
#define cairn_new_flex(S, ...) \
  CAIRN_THIRD_(__VA_ARGS__, CAIRN_NEW_FLEX_NAMED_, CAIRN_NEW_FLEX_, 0) \
  (CAIRN_ALLOC_FLEX_, S, __VA_ARGS__)

/* cairn_new_array_uninit(T, n), cairn_new_flex_uninit(S, n) and cairn_new_flex_uninit(S, n,
 * member): the same for types without references, not cleared: for what is filled at once. All of
 * it, the fixed part too, is whatever lay there before. A type with references is refused
 * [uninit-references].
 *   char managed *line = cairn_new_array_uninit(char, length);
 */
#define cairn_new_array_uninit(T, n) \
  ((CAIRN_OBJECT_(T) cairn_managed *)CAIRN_ALLOC_ARRAY_UNINIT_(CAIRN_LAYOUT_(T), (long)(n), sizeof(__typeof__(T))))
#define cairn_new_flex_uninit(S, ...) \
  CAIRN_THIRD_(__VA_ARGS__, CAIRN_NEW_FLEX_NAMED_, CAIRN_NEW_FLEX_, 0) \
  (CAIRN_ALLOC_FLEX_UNINIT_, S, __VA_ARGS__)

/* cairn_resize_array(array, n): the array with n elements, longer or shorter; type of `array`,
 * which is a reference to the first element of what cairn_new_array() or cairn_new_array_uninit()
 * made. New elements are zeroed. Grows in place where nothing was allocated since the array, and
 * shrinks in place always; otherwise the result is a copy. So use the result alone: whatever else
 * refers to the array may lead to the old one. n as above. cairn_resize_array_uninit(array, n): the
 * same for elements without references; new ones are whatever lay there before. if (used == room)
 *     items = cairn_resize_array(items, room *= 2);
 */
#define cairn_resize_array(array, n) ((__typeof__(array))CAIRN_RESIZE_(cairn_resize_array, array, (long)(n)))
#define cairn_resize_array_uninit(array, n) \
  ((__typeof__(array))CAIRN_RESIZE_(cairn_resize_array_uninit, array, (long)(n)))

/* cairn_managed_callee(f): the function pointer f, with the promise that what it points to was
 * compiled by Cairn. A call through it does not look whether that is so. To be called at once; a
 * wrong promise is a lost reference.
 *   total += cairn_managed_callee(closure->code)(closure, n);
 */
#ifdef CAIRN_PLAIN
#define cairn_managed_callee(f) (f)
#else
#define cairn_managed_callee(f) CAIRN_MANAGED_CALLEE_(f)
#endif

/* cairn_collect(): run a full collection now, or wait for one that another thread began after this
 * call. References are updated before it returns. Does nothing in plain mode.
 *
 * cairn_external_bytes(bytes): objects keep so many more bytes outside of the heap, or fewer
 * (<cairn/heap.h>): when they are many a collection follows.
 *
 * cairn_nopoll_begin(), cairn_nopoll_end(): the same as cairn_nopoll for what is done between them,
 * on every path. They may nest. The loops between them run without a poll, however long.
 *   cairn_nopoll_begin();
 *   box->node = node;
 *   box->changes++;
 *   cairn_nopoll_end();
 *
 * cairn_copy_out(to, from, bytes): copy bytes from a managed object to ordinary memory, e.g. a
 * string for the C library. cairn_copy_in(to, from, bytes): from ordinary memory to a managed
 * object. Both are for data: a reference among what is copied out ends the program
 * [unmanaged-store]; of an array that was not cleared copy out what has been filled.
 * cairn_copy(to, from, bytes): between managed objects (or places in one) that do not overlap, data
 * and references. Each is memcpy(), which may be used as well.
 *   char line[80];
 *   cairn_copy_out(line, string->text, string->length + 1);
 *   puts(line);
 */

/* ---- how it is done ---- */

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

/* T without `managed`, which a typedef may have: an object itself is of no address space, and one
 * is not given twice. */
#define CAIRN_OBJECT_(T) __typeof__(*CAIRN_NULL_(T))
#define CAIRN_NULL_(T) \
  (__extension__ _Generic((__typeof__(T) *)0, \
       CAIRN_WITHOUT_(__typeof_unqual__(T)), \
       CAIRN_WITHOUT_(const __typeof_unqual__(T)), \
       CAIRN_WITHOUT_(volatile __typeof_unqual__(T)), \
       CAIRN_WITHOUT_(const volatile __typeof_unqual__(T)), \
       default: (__typeof__(T) *)0))
#define CAIRN_WITHOUT_(T) T cairn_managed * : (T *)0

/* The layout of T: a static whose LLVM value type names every reference in T. A pass turns it into
 * what the collector reads (struct cairn_layout) and drops it. */
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

#define CAIRN_RESIZE_(resize, array, n) (resize)(CAIRN_LAYOUT_(__typeof_unqual__(*(array))), array, n)

#define CAIRN_MANAGED_CALLEE_(f) ((__typeof__(&*(f)))cairn_promise_((void *)(f)))
void *cairn_promise_(void *function) __asm__("cairn.managed.callee") __attribute__((const, nothrow));

/* Expanded in line by pass `allocate`. Call them through the macros. */
void cairn_managed *cairn_alloc(const void *layout, long bytes);
void cairn_managed *cairn_alloc_array(const void *layout, long count);
void cairn_managed *cairn_alloc_flex(const void *layout, long count);
void cairn_managed *cairn_alloc_array_uninit(const void *layout, long count);
void cairn_managed *cairn_alloc_flex_uninit(const void *layout, long count);
void cairn_managed *(cairn_resize_array)(const void *layout, void cairn_managed *array, long count);
void cairn_managed *(cairn_resize_array_uninit)(const void *layout, void cairn_managed *array, long count);
void cairn_collect(void);
cairn_leaf void cairn_external_bytes(long bytes);
/* Calls of these two mark a region, and are no code in the end. */
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
#define CAIRN_RESIZE_(resize, array, n) cairn_plain_resize(array, n, sizeof *(array))

/* Before each object its bytes are written, for cairn_resize_array(). */
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

/* The object of `bytes` in that memory. */
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
  char *memory = (char *)array - CAIRN_PLAIN_HEADER;
  size_t bytes = cairn_plain_bytes(0, n, size), had = *(size_t *)memory;

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

/* In line always: what they are given tells whether a local there may hold references. */
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
