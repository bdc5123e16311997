/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that inspect the program's own heap: they list the objects, explain why an object is alive, and write a
 * dump for `cairn heap` (docs/heap.md).
 *
 *   static void print(void *env, const struct cairn_heap_row *row)
 *   {
 *     if (row->field == NULL)
 *       printf("%12lu %14lu  %s\n", row->count, row->bytes, row->type);
 *   }
 *   ...
 *   cairn_heap_histogram(print, NULL);
 *
 * These functions are native code; only cairn_external_bytes() is a leaf. Each function that returns a status stops all
 * threads that run managed code, and defers signals of the calling thread until it returns. Garbage counts as objects
 * until a collection frees it; call cairn_collect() first to leave it out. The functions take memory for their tables
 * from the system.
 *
 * Statuses of all these functions. BUSY: the call comes within a collection, a handshake, a listener or a visitor, in a
 * signal handler that may have interrupted managed code, or in a program that lacks safepoints. UNSEEN: the collector
 * cannot list its objects (`ranges` and `forget` of <cairn/collector.h>). MEMORY. After these failures the function has
 * called no visitor and written no file.
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

/* The arguments of a visitor are valid during its call only. Visitors run in phase STOP, on the calling thread. A
 * visitor must not run managed code, allocate managed objects, wait for another thread, call functions of this header,
 * or leave by a jump. It may call malloc(). */

/* An object: the address of the payload, the layout, which is null if its image was unloaded, and the size in bytes,
 * header included. */
struct cairn_heap_object {
  uintptr_t address;
  const struct cairn_layout *layout;
  uint64_t bytes;
};
typedef void cairn_heap_visitor(void *env, const struct cairn_heap_object *object);

/* A row of the histogram, for a type (`field` is null) or for a field with references. The rows of a type's fields
 * follow the row of the type. */
struct cairn_heap_row {
  const char *type;  /* "struct node", "long[]" */
  const char *field; /* "next", "slot[].key", or "[]" for an array's elements */
  uint64_t count;    /* number of objects, or number of references in this field of all objects */
  uint64_t bytes;    /* bytes of the objects, headers included, or of the objects that the references point to, counted
                      * once per reference */
  uint64_t none;     /* number of nulls and immediates in the field */
};
typedef void cairn_heap_row_visitor(void *env, const struct cairn_heap_row *row);

/* A step of a path. The first step starts at a root and points to the first object; the last step points to the
 * requested object. */
struct cairn_heap_step {
  const char *from; /* "thread 17 "list": main at list.c:14", "global table"; "struct node.next" */
  struct cairn_heap_object to;
  const char *type; /* the type of `to` */
};
typedef void cairn_heap_step_visitor(void *env, const struct cairn_heap_step *step);

/* Limits of the heap's size, in bytes. A program that defines the constant cairn_heap_limits sets them; the user's
 * environment variables override them. 0 means the default (docs/environment.md).
 *
 *   const struct cairn_heap_limits cairn_heap_limits = {.size = sizeof cairn_heap_limits,
 *                                                       .maximum = 1 << 30};
 *
 * The runtime reads the limits before any code of the program runs: the constant must be in the program's own file, or
 * in a library that is loaded with it. If limits contradict each other, the lower limit applies. */
struct cairn_heap_limits {
  size_t size;    /* bytes of this structure; later versions may add members at the end */
  size_t initial; /* CAIRN_HEAP_INITIAL */
  size_t soft;    /* CAIRN_HEAP_SOFT */
  size_t maximum; /* CAIRN_HEAP_MAX */
};

/* The state of memory at an exhaustion. Later versions may add members at the end. */
#define CAIRN_LIVE_UNKNOWN UINT64_MAX
struct cairn_exhaustion {
  size_t wanted;  /* bytes of the allocation, headers included */
  uint64_t limit; /* CAIRN_HEAP_MAX */
  uint64_t live;  /* bytes of objects after the last collection, headers included, or CAIRN_LIVE_UNKNOWN for a collector
                   * whose `used` and `ranges` are null */
  uint64_t external; /* sum of cairn_external_bytes() */
  unsigned tries;    /* number of earlier calls for this allocation */
};

/* A callback that frees memory when it is exhausted: it may drop caches, free handles, set managed globals to null and
 * empty queues of finalisers. After true a full collection follows, and the runtime tries the allocation again; after
 * false the program ends, or throws (cairn_throw_on() of <cairn/exceptions.h>). The callback may change any variable
 * and object: the code around an allocation reads variables and objects again.
 *
 * The runtime calls it on the thread whose allocation failed even after a full collection, on several threads at a time
 * if several allocations failed, and at most eight times for one allocation. All collections wait until the callback
 * returns. The callback has the rights of a signal handler that interrupted managed code: it may call managed code, or
 * be managed code. A cairn_collect() in the callback takes effect after the callback has returned true. Allocations of
 * the callback come from the small rest of the heap; if this rest is too small, the program ends with a line about it,
 * without further calls of the callback. The callback must not leave by a jump or an exception, and must not end the
 * thread. The callback must not wait for a thread that runs managed code, which may wait for a collection. The callback
 * may take only locks that threads release before they run managed code, such as the locks of malloc(). `what` is valid
 * during the call. */
typedef bool cairn_exhausted(void *env, const struct cairn_exhaustion *what);

#pragma GCC visibility push(default)

extern const struct cairn_heap_limits cairn_heap_limits;

/* Adds `bytes`, which may be negative, to the count of memory outside of the heap that objects keep, such as a bitmap
 * that a finaliser frees with its object (<cairn/weak.h>). A full collection follows at the thread's next safepoint
 * once the sum is twice the sum after the last full collection, and larger by at least CAIRN_HEAP_INITIAL. Any thread;
 * a leaf. */
void cairn_external_bytes(long bytes);

/* Replaces the callback for an allocation that fails even after a full collection; null removes the callback, so that
 * the program ends at exhaustion. The program also ends without a call if the allocation is by a signal handler that
 * interrupted managed code, if the system refuses memory to a collection, if the program lacks safepoints
 * (-fcairn-safepoints=none), or if its collector never collects. Any thread and the callback itself may call, outside
 * of signal handlers, without a stop of other threads. A call of the replaced callback may still run on another thread
 * after the return. */
void cairn_on_exhaustion(cairn_exhausted *call, void *env);

/* Visits each object, in the order of addresses. Any thread. */
enum cairn_status cairn_heap_walk(cairn_heap_visitor *visit, void *env);

/* Visits a row for each type that has objects, in descending order of bytes. After the row of a type come the rows of
 * its fields with references. Any thread. */
enum cairn_status cairn_heap_histogram(cairn_heap_row_visitor *visit, void *env);

/* Visits the steps of a shortest path of strong references from a root to the handle's object, to show why the object
 * is alive. The handle itself is excluded as a root. Any thread. UNKNOWN: the object is unreachable without the handle,
 * or the handle refers to an address outside the heap's objects. */
enum cairn_status cairn_heap_path(struct cairn_handle *object, cairn_heap_step_visitor *visit, void *env);

/* Writes all objects, references and roots to a file, for `cairn heap`. The dump gets a temporary name in the directory
 * of `path`, and its final name once it is complete; only its owner may read it. The function writes a special file,
 * such as a pipe, in place, and refuses a symbolic link. Any thread. WRITE: the file cannot be written; the function
 * removes the temporary file, and `message`, unless null, receives one line of at most `size` bytes with the error and
 * its place. */
enum cairn_status cairn_heap_dump(const char *path, char *message, size_t size);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
