/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a heap dump in memory. Its bytes come from a file, and are hostile input.
 */
#ifndef CN_DUMP_READ_H
#define CN_DUMP_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vector.h"
#include "dump/format.h"

struct cn_dump_field {
  uint64_t offset; /* from the payload, or from the element's start */
  bool weak;
  char *name;
};
typedef CN_VECTOR(struct cn_dump_field) cn_dump_fields;

struct cn_dump_type {
  char *name;
  uint32_t kind; /* the number of its name: types of several units may have one */
  cn_dump_fields fixed, element;
  uint64_t stride, first; /* from element to element; before the first */
};

struct cn_dump_object {
  uint64_t address, bytes;
  uint64_t edges; /* its first reference in the dump's; the next object's first one ends them */
  uint32_t type;
};

struct cn_dump_edge {
  uint64_t to;   /* the number of an object */
  uint64_t slot; /* bytes from the payload */
};

struct cn_dump_root {
  uint32_t kind, place, to;
};

struct cn_dump {
  char *program, *collector;
  uint64_t collections, heap_maximum;
  CN_VECTOR(struct cn_dump_type) types;
  CN_VECTOR(const char *) kinds; /* the types' names, sorted, each once */
  CN_VECTOR(char *) places;
  CN_VECTOR(struct cn_dump_object) objects; /* sorted by address */
  CN_VECTOR(struct cn_dump_edge) edges;     /* strong ones, by the object that has them */
  CN_VECTOR(struct cn_dump_root) roots;
  uint64_t bytes;  /* of all objects */
  uint64_t weak;   /* weak references */
  uint64_t astray; /* references and roots that point to no object */
};

/* Read the dump in bytes[0, size). Negative: it is refused, and *error, to be freed, says where and why. In either case
 * free the dump. */
int cn_dump_read(struct cn_dump *dump, const unsigned char *bytes, size_t size, char **error);
void cn_dump_free(struct cn_dump *dump);

/* The part of the invariant that is broken, for a dump that was read; null: all holds. References point to objects;
 * roots and objects have their places and types. Linear. */
const char *cn_dump_wrong(const struct cn_dump *dump);

/* The object that begins at, contains, or ends at the address; UINT32_MAX: no object does. */
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

/* "struct table.slots[3].value": the field of an object at `slot`. To be freed. */
char *cn_dump_format_field_name(const struct cn_dump *dump, uint32_t object, uint64_t slot);

#endif
