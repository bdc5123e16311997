/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks at the heap from within the program: what is in it, what keeps an object alive, and a dump
 * that `cairn heap` reads (docs/heap.md).
 *
 *   static void print(void *env, const struct cairn_heap_row *row)
 *   {
 *     if (row->field == NULL)
 *       printf("%12lu %14lu  %s\n", row->count, row->bytes, row->type);
 *   }
 *   ...
 *   cairn_heap_histogram(print, NULL);
 *
 * These functions are for native code; managed code calls them as any other native function, not as
 * leaves (but cairn_external_bytes()). Each that returns a status stops all threads that run
 * managed code, and holds signals of the calling thread until it is over. Garbage that has not been
 * collected yet counts: cairn_collect() before frees it. Tables are memory straight from the
 * system.
 *
 * Statuses of all: BUSY: within a collection, a handshake, a listener or a visitor, in a signal
 * handler that may have interrupted managed code, or in a program without safepoints; UNSEEN: the
 * collector does not say where its objects are (`ranges` of <cairn/collector.h>); MEMORY. After
 * these nothing has been visited or written.
 */
#ifndef CAIRN_HEAP_H
#define CAIRN_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cairn/collector.h>
#include <cairn/handle.h>
#include <cairn/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What visitors get is gone after the call. They run in phase STOP, on the thread that called: they
 * must not run managed code, allocate managed objects, wait for another thread, call functions of
 * this header, or leave by a jump. malloc() may be called. */

/* An object: the address of its payload, its layout (null: of an image that was unloaded), and the
 * bytes that it takes, header included. */
struct cairn_heap_object {
  uintptr_t address;
  const struct cairn_layout *layout;
  uint64_t bytes;
};
typedef void cairn_heap_visitor(void *env, const struct cairn_heap_object *object);

/* A row of the histogram: of a type (`field` is null), or of one of its fields with references,
 * which follow it. */
struct cairn_heap_row {
  const char *type;  /* "struct node", "long[]" */
  const char *field; /* "next", "slot[].key"; of an array's elements "[]" */
  uint64_t count;    /* objects; or references in the field, of all objects */
  uint64_t bytes;    /* of the objects, headers included; or of those that the references lead to,
                      * each as often as it is led to */
  uint64_t none;     /* of a field: how often it is null, or an immediate */
};
typedef void cairn_heap_row_visitor(void *env, const struct cairn_heap_row *row);

/* A step of a path: the first is a root, and leads to the first object, the last to the object that
 * was asked for. */
struct cairn_heap_step {
  const char *from; /* "thread 17 "list": main at list.c:14", "global table"; "struct node.next" */
  struct cairn_heap_object to;
  const char *type; /* of `to` */
};
typedef void cairn_heap_step_visitor(void *env, const struct cairn_heap_step *step);

/* How large the heap is to be, in bytes: define cairn_heap_limits in the program, where this is not
 * to be left to its environment, whose variables win. 0: as usual (docs/environment.md).
 *
 *   const struct cairn_heap_limits cairn_heap_limits = {.size = sizeof cairn_heap_limits,
 *                                                       .maximum = 1 << 30};
 *
 * It is read before any code of the program runs; so it is a constant of the program's own file, or
 * of a library that is loaded with it. Of contradicting limits the lower one holds. */
struct cairn_heap_limits {
  size_t size;    /* of this structure; later versions may add members at the end */
  size_t initial; /* CAIRN_HEAP_INITIAL */
  size_t soft;    /* CAIRN_HEAP_SOFT */
  size_t maximum; /* CAIRN_HEAP_MAX */
};

/* What is known where memory is exhausted. Later versions may add members at the end. */
#define CAIRN_LIVE_UNKNOWN UINT64_MAX
struct cairn_exhaustion {
  size_t wanted;     /* bytes of the allocation, headers included */
  uint64_t limit;    /* CAIRN_HEAP_MAX */
  uint64_t live;     /* bytes of objects that the last collection left, headers included; or
                      * CAIRN_LIVE_UNKNOWN: the collector does not say */
  uint64_t external; /* what cairn_external_bytes() has counted */
  unsigned tries;    /* how often this allocation has called before */
};

/* Free what the program can do without: drop caches, free handles, set managed globals to null,
 * take what is left in queues of finalisers. True: a full collection follows, and the allocation is
 * tried again; false: the program ends. It may change any variable and object: the code around an
 * allocation reads them again.
 *
 * The call comes on the thread whose allocation found no room after a full collection, on several
 * threads at a time where several find none, and at most eight times for one allocation. No
 * collection runs until it returns, on any thread. It is as free as the handler of a signal that
 * interrupted managed code: managed code runs, or the callback is managed code itself.
 * cairn_collect() is put off until it has returned true. What it allocates comes from the little
 * that is left; where that is too little the program ends, with a line that says so, and the
 * callback is not called again. It must not leave by a jump or an exception, end the thread, nor
 * wait for a thread that runs managed code: that may wait for a collection. It may lock what no
 * thread keeps while it runs managed code; malloc() is such a thing. `what` is gone after the call.
 */
typedef bool cairn_exhausted(void *env, const struct cairn_exhaustion *what);

#pragma GCC visibility push(default)

extern const struct cairn_heap_limits cairn_heap_limits;

/* Objects keep so many more bytes outside of the heap, or fewer if it is negative: those of a
 * bitmap or of a library's structure, which go when the object goes (by a finaliser,
 * <cairn/weak.h>). A full collection follows at the thread's next safepoint when they have become
 * twice as many as after the last one, and CAIRN_HEAP_INITIAL more at least. Any thread, a leaf; it
 * never collects itself. */
void cairn_external_bytes(long bytes);

/* Where an allocation finds no room after a full collection, call this from now on, in the place of
 * what there was; null: nothing, and the program ends. Not for allocations of signal handlers that
 * interrupted managed code, or where the system gives a collection no memory: these end the
 * program. Nor in a program without safepoints (-fcairn-safepoints=none), or whose collector never
 * collects: what is dropped would never be found, so nothing is called, and the program ends. Any
 * thread, but no signal handler; it stops nobody. Within the callback itself, too. A call of what
 * there was may still be under way on another thread when this returns. */
void cairn_on_exhaustion(cairn_exhausted *call, void *env);

/* Visit each object, in the order of addresses. Any thread. */
enum cairn_status cairn_heap_walk(cairn_heap_visitor *visit, void *env);

/* Visit a row for each type of which there are objects, that with the most bytes first, and after
 * it a row for each of its fields with references. Any thread. */
enum cairn_status cairn_heap_histogram(cairn_heap_row_visitor *visit, void *env);

/* Why is the object alive that the handle leads to? Visit the steps of a shortest path of strong
 * references from a root to it; the handle itself does not count as one. Any thread. UNKNOWN: there
 * is no path, or the handle leads to no object of the heap. */
enum cairn_status cairn_heap_path(struct cairn_handle *object, cairn_heap_step_visitor *visit, void *env);

/* Write all objects, references and roots to a file, for `cairn heap`. It is written under another
 * name beside `path` and renamed when it is whole, and only its owner may read it; what is no
 * regular file (a pipe) is written to in place, except a symbolic link. Any thread. WRITE: that
 * fails; `message`, unless it is null, then says what and where in one line of at most `size`
 * bytes, and no file is left. */
enum cairn_status cairn_heap_dump(const char *path, char *message, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
