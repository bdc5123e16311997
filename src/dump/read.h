/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a heap dump in memory. The bytes come from a file and may be hostile.
 */
#ifndef CN_DUMP_READ_H
#define CN_DUMP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"
#include "dump/format.h"

struct cn_dump_field {
  uint64_t offset; /* offset from the payload or from the element's start */
  bool weak;
  char *name;
};
typedef CN_VECTOR(struct cn_dump_field) cn_dump_fields;

struct cn_dump_type {
  char *name;
  uint32_t kind; /* the number of the type's name, which types of several units may share */
  cn_dump_fields fixed, element;
  uint64_t stride, first; /* bytes of an element; bytes before the first element */
};

struct cn_dump_object {
  uint64_t address, bytes;
  uint64_t edges; /* index of its first reference in `edges`; the next object's index ends the range */
  uint32_t type;
};

struct cn_dump_edge {
  uint64_t to;   /* the number of the target object */
  uint64_t slot; /* bytes from the payload to the reference */
};

struct cn_dump_root {
  uint32_t kind, place, to;
};

struct cn_dump {
  char *program, *collector;
  uint64_t collections, heap_maximum;
  CN_VECTOR(struct cn_dump_type) types;
  CN_VECTOR(const char *) kinds; /* the sorted names of types, without duplicates */
  CN_VECTOR(char *) places;
  CN_VECTOR(struct cn_dump_object) objects; /* sorted by address */
  CN_VECTOR(struct cn_dump_edge) edges;     /* strong references, in the order of the objects that contain them */
  CN_VECTOR(struct cn_dump_root) roots;
  uint64_t bytes;  /* of all objects */
  uint64_t weak;   /* weak references */
  uint64_t astray; /* number of references and roots that point to no object */
};

/* Read the dump in bytes[0, size). Negative if the dump is refused; *error then has the place and the reason, and the
 * caller frees the message. The caller frees the dump in both cases. */
int cn_dump_read(struct cn_dump *dump, const unsigned char *bytes, size_t size, char **error);
void cn_dump_free(struct cn_dump *dump);

/* Null, or a description of an error in a dump that was read. References point to objects; roots have places, and
 * objects have types. Linear. */
const char *cn_dump_wrong(const struct cn_dump *dump);

/* The object that begins at the address, contains it or ends at it, or UINT32_MAX. */
uint32_t cn_dump_object_at(const struct cn_dump *dump, uint64_t address);

/* The end of an object's references. */
static inline uint64_t cn_dump_edges_end_of(const struct cn_dump *dump, uint32_t object)
{
  return object + 1u < dump->objects.count ? dump->objects.at[object + 1].edges : dump->edges.count;
}

static inline const char *cn_dump_type_name_of(const struct cn_dump *dump, uint32_t object)
{
  return dump->types.at[dump->objects.at[object].type].name;
}

/* Format the name of an object's field at `slot`, such as "struct table.slots[3].value". The caller frees the name. */
char *cn_dump_format_field_name(const struct cn_dump *dump, uint32_t object, uint64_t slot);

#endif
