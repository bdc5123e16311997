/* SPDX-License-Identifier: Apache-2.0
 *
 * Pins: a pinned object stays in its place, so that native code may use its address.
 *
 *   cairn_pinned (unsigned char *bytes, buffer)   // managed code
 *     read(descriptor, bytes, size);
 *
 * `buffer` is a reference, which may point into an object (&buffer[4]); `bytes` becomes its address. The address is
 * valid in the statement or block that follows. The pin ends when control leaves the block, by any path except
 * longjmp() and the end of the thread. `break` and `continue` in the block leave the block.
 *
 * cairn_pin(object), which returns the address, and cairn_unpin(object) also begin and end a pin. Pins count: two pins
 * need two unpins. A pin does not keep its object alive: in managed code, cairn_pinned() and a later call of
 * cairn_unpin() use a reference; native code keeps a handle (<cairn/handle.h>). A collection drops the pins of garbage.
 *
 * The address is an ordinary pointer, which the compiler does not treat as a reference: only these rules keep it valid.
 * References within a pinned object change when the objects that they point to move. Native code must not use such
 * references unless it is a leaf or has pinned the objects that they point to.
 *
 * CAIRN_STATS=1 prints each place in the source that pinned objects, with the number of its pins and the type of its
 * first object. CAIRN_LOG=pins prints the pinned objects at each collection (docs/pins.md). These functions never
 * collect. These errors end the program with a line that names the place: a pin of an address outside the heap's
 * objects (null included), an unpin of an object without a pin, and a pin under a collector that moves objects and
 * lacks pins.
 */
#ifndef CAIRN_PIN_H
#define CAIRN_PIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The place of a pin, as "file.c:12". Other front ends pass their own text to cairn_pin_at(), which copies the text. */
#define CAIRN_PIN_SITE_(line) CAIRN_PIN_SITE_AT_(line)
#define CAIRN_PIN_SITE_AT_(line) __FILE__ ":" #line

#ifdef CAIRN_PLAIN /* objects stay in place */

#define cairn_pin(object) ((void *)(object))
#define cairn_unpin(object) ((void)(object))
#define cairn_unpin_address(address) ((void)(address))
#define cairn_pinned(declaration, object) \
  for (int cairn_once_ = 1; cairn_once_; cairn_once_ = 0) \
    for (declaration = (void *)(object); cairn_once_; cairn_once_ = 0)

#else

#ifdef CAIRN_CAIRN_H /* managed code includes <cairn/cairn.h> first */

/* cairn_pin() pins the object and returns its address; cairn_unpin() removes one pin. */
#define cairn_pin(object) cairn_pin_at((void cairn_managed *)(object), CAIRN_PIN_SITE_(__LINE__))
#define cairn_unpin(object) cairn_unpin_at((void cairn_managed *)(object), CAIRN_PIN_SITE_(__LINE__))
cairn_leaf void *cairn_pin_at(void cairn_managed *object, const char *site);
cairn_leaf void cairn_unpin_at(void cairn_managed *object, const char *site);

/* cairn_pinned(declaration, object) statement: pins the object during the statement. */
#define cairn_pinned(declaration, object) \
  for (struct cairn_pin_scope_ cairn_scope_ __attribute__((cleanup(cairn_pin_leave_))) = \
           cairn_pin_enter_((void cairn_managed *)(object), CAIRN_PIN_SITE_(__LINE__)); \
       cairn_scope_.address; cairn_scope_.address = (void *)0) \
    for (declaration = cairn_scope_.address; cairn_scope_.address; cairn_scope_.address = (void *)0)

/* A scope also remembers its activation, so that take-overs and resumptions (<cairn/deopt.h>) refuse to leave it. */
cairn_leaf void *cairn_pin_scope_at(void cairn_managed *object, const char *site);
cairn_leaf void cairn_unpin_scope_at(void cairn_managed *object, const char *site);

struct cairn_pin_scope_ {
  void cairn_managed *object;
  const char *site;
  void *address;
};

static inline __attribute__((always_inline)) struct cairn_pin_scope_ cairn_pin_enter_(void cairn_managed *object,
                                                                                      const char *site)
{
  struct cairn_pin_scope_ scope = {object, site, cairn_pin_scope_at(object, site)};

  return scope;
}

static inline __attribute__((always_inline)) void cairn_pin_leave_(struct cairn_pin_scope_ *scope)
{
  cairn_unpin_scope_at(scope->object, scope->site);
}

#define CAIRN_PIN_LEAF cairn_leaf
#else
#define CAIRN_PIN_LEAF
#endif

/* Removes one pin by the address that cairn_pin() returned, for native code. Any thread. */
#define cairn_unpin_address(address) cairn_unpin_address_at(address, CAIRN_PIN_SITE_(__LINE__))
CAIRN_PIN_LEAF void cairn_unpin_address_at(void *address, const char *site);

#endif

#ifdef __cplusplus
}
#endif
#endif
