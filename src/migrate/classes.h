/* SPDX-License-Identifier: Apache-2.0
 *
 * Classes of pointers that must have the same address space. Each pointer of a declaration, and each pointer that an
 * expression makes, is a node; an assignment, an argument, a comparison or a cast joins two nodes. A class is wished to
 * be managed by an allocation, and is held ordinary by reasons.
 */
#ifndef CN_MIGRATE_CLASSES_H
#define CN_MIGRATE_CLASSES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/vector.h"

struct cn_type;

/* A position in a file. File 0 is absent. */
struct cn_position {
  uint32_t file, at;
};

/* Reasons why a class stays ordinary; reasons.def has the texts. */
enum cn_reason {
  CN_REASON_NONE,
#define CN_REASON(name, hard, text, choices) CN_REASON_##name,
#include "migrate/reasons.def"
#undef CN_REASON
  CN_REASON_COUNT
};

struct cn_held {
  enum cn_reason reason;
  struct cn_position position;
  char *name; /* of a variable or function; may be null */
};

struct cn_pointer {
  uint32_t parent; /* itself for the representative of a class */
  uint32_t rank;
  /* Of the representative: */
  struct cn_type *target; /* the type of the objects; null while it is unknown */
  bool allocated;         /* an allocation can be rewritten */
  bool resized;           /* the program changes the length of an object */
  bool managed;           /* a pointer of the class has the qualifier already */
  bool stored;            /* points to a variable, too */
  bool follows;           /* becomes managed because all objects of the type do */
  bool frees;             /* a pointer to a function: free() is among the functions */
  uint32_t held;          /* index + 1 of the first of `held`; 0 if there are no reasons */
  /* Of the node itself: */
  struct cn_position place; /* where the qualifier belongs; file 0 for a pointer of an expression */
  bool written;             /* the qualifier is there already */
  bool brackets;            /* a parameter that is declared as an array */
  uint32_t flows;           /* index + 1 of the first assignment to it; 0 if there is none */
};

struct cn_classes {
  CN_VECTOR(struct cn_pointer) pointers; /* number 0 is unused */
  CN_VECTOR(struct {
    struct cn_held what;
    uint32_t next;
  })
  held;
};

/* A new class with one pointer. */
uint32_t cn_classes_add(struct cn_classes *classes, struct cn_type *target);
/* The representative of a pointer. */
uint32_t cn_classes_find(struct cn_classes *classes, uint32_t pointer);
/* Joins two classes. False if they were one class; otherwise `*one` and `*other` get the targets that both had. */
bool cn_classes_join(struct cn_classes *classes, uint32_t a, uint32_t b, struct cn_type **one, struct cn_type **other);
/* Holds the class ordinary; takes `what.name`. */
void cn_classes_hold(struct cn_classes *classes, uint32_t pointer, struct cn_held what);
/* True if the class becomes managed. With `prefer`, soft reasons do not count. */
bool cn_classes_is_managed(struct cn_classes *classes, uint32_t pointer, bool prefer);
void cn_classes_free(struct cn_classes *classes);

extern const char *const cn_reason_texts[CN_REASON_COUNT];
extern const char *const cn_reason_choices[CN_REASON_COUNT];
/* Reasons that no person decides: the qualifier has no place, or the text is not of this program. */
extern const bool cn_reason_is_hard[CN_REASON_COUNT];

#endif
