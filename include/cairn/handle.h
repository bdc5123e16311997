/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles: references to managed objects for native code. A plain reference in native code becomes stale in the next
 * collection, which may also free the object. A handle stays valid while its object moves, and keeps the object alive
 * until the handle is freed.
 *
 *   // managed                                      // native
 *   struct node managed *n = ...;                   void keep(struct cairn_handle *h) { kept = h; }
 *   keep(cairn_handle_new(n));                      ... later, through a callback of managed code:
 *                                                   callback(kept);
 *   void callback(struct cairn_handle *h)
 *   {
 *     struct node managed *n = cairn_handle_get(h);
 *     ...
 *     cairn_handle_free(h);
 *   }
 *
 * Any thread may free a handle; only managed code makes and reads handles. These functions never collect. Use of a
 * freed or wrong handle ends the program with a message that names the call.
 */
#ifndef CAIRN_HANDLE_H
#define CAIRN_HANDLE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_handle;

#ifdef CAIRN_PLAIN /* objects stay in place; objects and scoped handles stay allocated */

#define CAIRN_HANDLE_MANAGED

#include <stdlib.h>

struct cairn_handle {
  void *object;
};

static inline struct cairn_handle *cairn_handle_new(void *object)
{
  struct cairn_handle *handle = (struct cairn_handle *)malloc(sizeof *handle);

  if (!handle)
    abort();
  handle->object = object;
  return handle;
}

static inline struct cairn_handle *cairn_handle_scoped(void *object)
{
  return cairn_handle_new(object);
}

static inline void *cairn_handle_get(struct cairn_handle *handle)
{
  return handle->object;
}

static inline void cairn_handle_free(struct cairn_handle *handle)
{
  free(handle);
}

static inline size_t cairn_handle_scope_begin(void)
{
  return 0;
}

static inline void cairn_handle_scope_end(size_t scope)
{
  (void)scope;
}

#else

#ifdef CAIRN_CAIRN_H /* managed code includes <cairn/cairn.h> first */

/* Makes a handle of the object, or of null. The caller owns the handle and must free it by cairn_handle_free(). */
cairn_leaf struct cairn_handle *cairn_handle_new(void cairn_managed *reference);

/* Returns the current address of the handle's object. */
cairn_leaf void cairn_managed *cairn_handle_get(struct cairn_handle *handle);

/* Makes a handle in the innermost scope of the calling thread. The end of the scope frees the handle. */
cairn_leaf struct cairn_handle *cairn_handle_scoped(void cairn_managed *reference);

#define CAIRN_HANDLE_LEAF cairn_leaf
#define CAIRN_HANDLE_MANAGED cairn_managed
#else
#define CAIRN_HANDLE_LEAF
#endif

/* Frees the handle; from then on the object may be garbage. For handles of cairn_handle_new() only. */
CAIRN_HANDLE_LEAF void cairn_handle_free(struct cairn_handle *handle);

/* Begin and end a scope. A call of cairn_handle_scope_end() with the value that cairn_handle_scope_begin() returned
 * ends this scope and all later scopes that are still open, for instance after a longjmp. Each thread has its own
 * scopes; scopes nest. */
CAIRN_HANDLE_LEAF size_t cairn_handle_scope_begin(void);
CAIRN_HANDLE_LEAF void cairn_handle_scope_end(size_t scope);

#endif

#if defined(CAIRN_CAIRN_H) || defined(CAIRN_PLAIN)

/* Frees the handle and returns its object, for a function that gets an object from its caller once. A thread passes
 * objects like this in both directions:
 *   pthread_create(&thread, NULL, work, cairn_handle_new(job));
 *   pthread_join(thread, &result);
 *   struct node managed *n = cairn_handle_take(result);
 *
 *   static void *work(void *argument)
 *   {
 *     struct job managed *job = cairn_handle_take(argument);
 *     ...
 *     return cairn_handle_new(n);
 *   } */
static inline void CAIRN_HANDLE_MANAGED *cairn_handle_take(struct cairn_handle *handle)
{
  void CAIRN_HANDLE_MANAGED *object = cairn_handle_get(handle);

  cairn_handle_free(handle);
  return object;
}

static inline void cairn_handle_free_at_(struct cairn_handle **handle)
{
  cairn_handle_free(*handle);
}

/* cairn_with_handle(name, reference) statement: runs the statement with a handle of the object, `struct cairn_handle
 * *name`, and frees the handle at the statement's end, also for a statement that is left by return, break or goto:
 *   cairn_with_handle(context, table) {
 *     library_visit(visit, context);
 *   }
 * A longjmp() out of the statement leaves the handle allocated. */
#define cairn_with_handle(name, reference) \
  for (struct cairn_handle * name __attribute__((cleanup(cairn_handle_free_at_))) = cairn_handle_new(reference), \
                                  *cairn_once_ = name; \
       cairn_once_; cairn_once_ = NULL)

#endif

#ifdef __cplusplus
}
#endif
#endif
